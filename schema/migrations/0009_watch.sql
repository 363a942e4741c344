-- The order in which shoes are watched: by the event that closed them.
{{range $t := .Everywhere "shoes"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS closed_at DateTime64(9, 'UTC') COMMENT 'the event that had it judged' CODEC(Delta, ZSTD(1));
{{end}}
