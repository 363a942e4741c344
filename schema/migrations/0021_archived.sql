-- The journal has what each range archived, so that a row that is missing, changed or added later differs. The archive
-- has the topic: two topics may have the same offsets. Rows from before have neither.
{{range $t := .Everywhere "journal"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS archived UInt64 COMMENT 'records that the range archived; the others repeat records';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS archived_sha256 String COMMENT 'digest of the archived records; empty in rows of older releases';
{{end}}
ALTER TABLE {{.Stored "events"}} ADD COLUMN IF NOT EXISTS topic LowCardinality(String), MODIFY ORDER BY (property_id, table_id, seq, event_id, sha256, topic);
{{if .Cluster}}
ALTER TABLE {{.View "events"}} ADD COLUMN IF NOT EXISTS topic LowCardinality(String);
{{end}}
