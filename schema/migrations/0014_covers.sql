-- A finding names the findings that it explains and that are not reported by themselves.
{{range $t := .Everywhere "findings"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS covers Array(String) COMMENT 'findings that this one explains: rule, round, subject' CODEC(ZSTD(1));
{{end}}
