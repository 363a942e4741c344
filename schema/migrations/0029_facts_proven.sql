-- What a run proved of the facts, and the HMAC of the links of the chains, whose key is not in the database.
{{range $t := .Everywhere "audit_runs"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS facts_sha256 String COMMENT 'of the facts of the day; empty if the archive gives others or a shoe was open';
{{end}}
{{range $table := .List "finding_actions" "console_log"}}
{{range $t := $.Everywhere $table}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS mac_key LowCardinality(String) COMMENT 'id of the key of mac; empty without console.chain_key';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS mac String COMMENT 'HMAC-SHA256 of hash, in hex';
{{end}}
{{end}}

-- The projection with the new columns: a query of a column that it lacks does not use it.
ALTER TABLE {{.Stored "finding_actions"}} DROP PROJECTION IF EXISTS by_time;
ALTER TABLE {{.Stored "finding_actions"}} ADD PROJECTION IF NOT EXISTS by_time (SELECT * ORDER BY at);
ALTER TABLE {{.Stored "finding_actions"}} MATERIALIZE PROJECTION by_time;
