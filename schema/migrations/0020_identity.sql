-- Who acted, by identity and not by name, and the chain that shows a row that was removed, changed or added. Rows from
-- before have neither: the first row of a chain says how many there were, and has their digest.
{{range $table := .List "finding_actions" "console_log"}}
{{range $t := $.Everywhere $table}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS issuer LowCardinality(String) COMMENT 'who vouches for the subject: URL of an OpenID provider, proxy, token or none';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS subject String COMMENT 'the user at the issuer';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS sign_in LowCardinality(String) COMMENT 'oidc, proxy, token, bearer or none';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS session String COMMENT 'names the session; empty if each request is authenticated';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS program Bool COMMENT 'a machine, or a person''s token in a machine';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS chain String COMMENT 'one console process and property';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS link UInt64 COMMENT '1, 2, ... in the chain, over both tables';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS prev String COMMENT 'hash of the link before';
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS hash String COMMENT 'SHA-256 of prev and of all other columns, in hex';
{{end}}
{{end}}
{{range $t := .Everywhere "finding_actions"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS role LowCardinality(String) COMMENT 'roles of the actor at the time';
{{end}}

-- The projection with the new columns: a query of a column that it lacks does not use it.
ALTER TABLE {{.Stored "finding_actions"}} DROP PROJECTION IF EXISTS by_time;
ALTER TABLE {{.Stored "finding_actions"}} ADD PROJECTION IF NOT EXISTS by_time (SELECT * ORDER BY at);
ALTER TABLE {{.Stored "finding_actions"}} MATERIALIZE PROJECTION by_time;
