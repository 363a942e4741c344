-- What ingest derived from the archived records, and the HMAC of a row of the journal, whose key is not in the database.
{{range $t := .Everywhere "journal"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS derived_sha256 String COMMENT 'digest of the gaming days of the archived events and of the reasons of dead letters; empty in rows of older releases';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS mac_key LowCardinality(String) COMMENT 'id of the key of mac; empty without journal.key';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS mac String COMMENT 'HMAC-SHA256 over all other columns of the row, in hex';
{{end}}
