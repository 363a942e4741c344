-- A hand-over keeps what was handed over, and who accepted it. Rows of older releases have neither.
{{range $t := .Everywhere "handovers"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS id String COMMENT 'the hand-over; a row that accepts it has the same';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS action LowCardinality(String) COMMENT 'empty is signed by the outgoing person, accept by the incoming one';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS issuer LowCardinality(String) COMMENT 'who vouches for the subject, as in console_log';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS subject String;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS snapshot String COMMENT 'JSON: open findings, actions and silences at that moment' CODEC(ZSTD(3));
{{end}}
