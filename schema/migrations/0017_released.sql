-- Events that waited behind a hole for too long were released after the last record of the range.
{{range $t := .Everywhere "journal"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS released String COMMENT 'tables whose holes were given up after the range, JSON; the rows are then those of the last release';
{{end}}
