-- The views with all columns of their tables: SELECT * is what the table had when the view was created.
{{range $t := .List "events" "rounds" "wagers" "vigorish" "shoes" "table_configs" "notices" "table_memory" "evidence" "open_findings" "dead_letters" "audit_runs" "exports" "feeds" "shelves"}}
DROP VIEW IF EXISTS {{$.View (print "v_" $t)}};
CREATE VIEW IF NOT EXISTS {{$.View (print "v_" $t)}} AS
SELECT * FROM {{$.Name $t}} FINAL;
{{end}}

DROP VIEW IF EXISTS {{.View "v_findings"}};
CREATE VIEW IF NOT EXISTS {{.View "v_findings"}} AS
SELECT * FROM {{.Name "findings"}} FINAL
WHERE id GLOBAL NOT IN (SELECT finding_id FROM {{.Name "v_withdrawn"}});

DROP VIEW IF EXISTS {{.View "v_queue"}};
CREATE VIEW IF NOT EXISTS {{.View "v_queue"}} AS
SELECT * FROM {{.Name "open_findings"}} FINAL;

DROP VIEW IF EXISTS {{.View "v_runs"}};
CREATE VIEW IF NOT EXISTS {{.View "v_runs"}} AS
SELECT * FROM {{.Name "audit_runs"}} FINAL;

DROP VIEW IF EXISTS {{.View "v_bundles"}};
CREATE VIEW IF NOT EXISTS {{.View "v_bundles"}} AS
SELECT * FROM {{.Name "exports"}} FINAL WHERE kind = 'bundle';

DROP VIEW IF EXISTS {{.View "v_waiting"}};
CREATE VIEW IF NOT EXISTS {{.View "v_waiting"}} AS
SELECT * FROM {{.Name "waiting"}} FINAL WHERE events > 0;
