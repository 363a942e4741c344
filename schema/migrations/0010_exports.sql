-- Where in its log a bundle stands.
{{range $t := .Everywhere "exports"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS origin LowCardinality(String) COMMENT 'the log';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS number UInt64 COMMENT '1, 2, ... of the log';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS findings UInt64;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS amendments UInt64;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS log_size UInt64 COMMENT 'leaves, those of this export included';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS log_root String COMMENT 'of the signed tree, base64';
{{end}}
CREATE VIEW IF NOT EXISTS {{.View "v_bundles"}} AS
SELECT * FROM {{.Name "exports"}} FINAL WHERE kind = 'bundle';
