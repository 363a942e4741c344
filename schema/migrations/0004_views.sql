-- What people and dashboards read: every key once.

{{range $t := .List "events" "rounds" "wagers" "vigorish" "shoes" "table_configs" "notices" "table_memory" "evidence" "findings" "open_findings" "dead_letters" "audit_runs" "exports"}}
CREATE VIEW IF NOT EXISTS {{$.View (print "v_" $t)}} AS
SELECT * FROM {{$.Name $t}} FINAL;
{{end}}

-- The last flush of each partition, which is under way or done; all before it are done. The
-- generation goes first, so that a late row of a process that lost the partition does not win.
CREATE VIEW IF NOT EXISTS {{.View "v_progress"}} AS
SELECT j.topic AS topic, j.partition AS partition,
    argMax(j.from_offset, (j.generation, j.to_offset)) AS from_offset,
    argMax(j.to_offset, (j.generation, j.to_offset)) AS to_offset,
    argMax(j.low_offset, (j.generation, j.to_offset)) AS low_offset,
    max(j.generation) AS generation,
    max(j.written_at) AS written_at
FROM {{.Name "journal"}} AS j
GROUP BY j.topic, j.partition;

CREATE VIEW IF NOT EXISTS {{.View "v_findings_by_table"}} AS
SELECT property_id, pit_id, table_id,
    count() AS findings,
    countIf(severity = 'critical') AS critical,
    countIf(severity = 'major') AS major,
    countIf(severity = 'minor') AS minor,
    countIf(severity = 'info') AS info,
    countIf(verdict = 'BREACH') AS breaches,
    countIf(verdict = 'SUSPECT') AS suspects,
    countIf(verdict = 'UNAUDITABLE') AS unauditable,
    min(at) AS first_at,
    max(at) AS last_at
FROM {{.Name "findings"}} FINAL
GROUP BY property_id, pit_id, table_id;

CREATE VIEW IF NOT EXISTS {{.View "v_findings_by_rule"}} AS
SELECT rule, kind, verdict, severity,
    count() AS findings,
    uniqExact(property_id, table_id) AS tables,
    uniqExact(property_id, table_id, shoe_id) AS shoes,
    min(at) AS first_at,
    max(at) AS last_at
FROM {{.Name "findings"}} FINAL
GROUP BY rule, kind, verdict, severity;
