-- A round with a card that is not its own, or did not stay in its hand, has another distribution of cards.
{{range $t := .Everywhere "rounds"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS irregular Bool COMMENT 'a card was carried over, moved, burned or discarded: detectors do not score the cards';
{{end}}
