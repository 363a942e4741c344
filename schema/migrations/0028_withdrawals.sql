-- A finding that a later audit of its day does not find is withdrawn, by a row. Its row in findings stays.
CREATE TABLE IF NOT EXISTS {{.Stored "withdrawals"}} (
    property_id LowCardinality(String),
    finding_id  String CODEC(ZSTD(1)),
    at          DateTime64(9, 'UTC'),
    action      LowCardinality(String) COMMENT 'withdraw, or restore if a later run finds it again; the last row of a finding counts',
    reason      String CODEC(ZSTD(1)),
    run_id      String COMMENT 'the nightly run that wrote the row',
    gaming_day  Date32 COMMENT 'of the finding, as its shift and rule',
    shift       LowCardinality(String),
    rule        LowCardinality(String)
)
ENGINE = {{.Merge}}
ORDER BY (property_id, finding_id, at)
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'findings that a nightly run withdrew; append-only';

{{.Spread "withdrawals" "cityHash64(finding_id)"}}

CREATE VIEW IF NOT EXISTS {{.View "v_withdrawn"}} AS
SELECT w.property_id AS property_id, w.finding_id AS finding_id, any(w.gaming_day) AS gaming_day, any(w.shift) AS shift,
    any(w.rule) AS rule, max(w.at) AS withdrawn_at, argMax(w.reason, w.at) AS reason, argMax(w.run_id, w.at) AS run_id
FROM {{.Name "withdrawals"}} AS w
GROUP BY w.property_id, w.finding_id
HAVING argMax(w.action, w.at) = 'withdraw';

{{range $t := .Everywhere "audit_runs"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS late UInt32 COMMENT 'of the differences to the live audit, those that follow from events that arrived late';
{{end}}

-- The views of findings leave out what is withdrawn; v_withdrawn lists it.
DROP VIEW IF EXISTS {{.View "v_findings"}};
CREATE VIEW IF NOT EXISTS {{.View "v_findings"}} AS
SELECT * FROM {{.Name "findings"}} FINAL
WHERE id GLOBAL NOT IN (SELECT finding_id FROM {{.Name "v_withdrawn"}});

DROP VIEW IF EXISTS {{.View "v_findings_by_table"}};
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
WHERE id GLOBAL NOT IN (SELECT finding_id FROM {{.Name "v_withdrawn"}})
GROUP BY property_id, pit_id, table_id;

DROP VIEW IF EXISTS {{.View "v_findings_by_rule"}};
CREATE VIEW IF NOT EXISTS {{.View "v_findings_by_rule"}} AS
SELECT rule, kind, verdict, severity,
    count() AS findings,
    uniqExact(property_id, table_id) AS tables,
    uniqExact(property_id, table_id, shoe_id) AS shoes,
    min(at) AS first_at,
    max(at) AS last_at
FROM {{.Name "findings"}} FINAL
WHERE id GLOBAL NOT IN (SELECT finding_id FROM {{.Name "v_withdrawn"}})
GROUP BY rule, kind, verdict, severity;

DROP VIEW IF EXISTS {{.View "v_alarm_rate"}};
CREATE VIEW IF NOT EXISTS {{.View "v_alarm_rate"}} AS
SELECT property_id, toStartOfInterval(at, INTERVAL 10 MINUTE) AS slot, count() AS alarms,
    countIf(severity = 'critical') AS critical, countIf(severity = 'major') AS major
FROM {{.Name "findings"}} FINAL
WHERE verdict != 'INFO' AND severity != 'info' AND id GLOBAL NOT IN (SELECT finding_id FROM {{.Name "v_withdrawn"}})
GROUP BY property_id, slot;

DROP VIEW IF EXISTS {{.View "v_dealer_findings"}};
CREATE VIEW IF NOT EXISTS {{.View "v_dealer_findings"}} AS
SELECT property_id, dealer_id, gaming_day, rule, severity, verdict, count() AS findings, sum(amount) AS amount, any(currency) AS currency
FROM {{.Name "findings"}} FINAL
WHERE dealer_id != '' AND id GLOBAL NOT IN (SELECT finding_id FROM {{.Name "v_withdrawn"}})
GROUP BY property_id, dealer_id, gaming_day, rule, severity, verdict;
