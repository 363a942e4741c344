-- A finding names what its requirement rests on: the text, a reference in it, a reading that is assumed or adopted.
{{range $t := .Everywhere "findings"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS basis LowCardinality(String) COMMENT 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed';
{{end}}
