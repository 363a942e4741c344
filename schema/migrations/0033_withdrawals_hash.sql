-- The hash of a withdrawal, which the console log has too. Rows from before have none; an entry of the log counts them.
{{range $t := .Everywhere "withdrawals"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS hash String COMMENT 'SHA-256 of all other columns, in hex';
{{end}}
