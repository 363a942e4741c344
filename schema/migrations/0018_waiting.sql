-- Tables whose events wait for a missing event, as ingest last reported them: no part of a flush, written when it changes.
CREATE TABLE IF NOT EXISTS {{.Stored "waiting"}} (
    property_id LowCardinality(String),
    table_id    LowCardinality(String),
    topic       LowCardinality(String),
    partition   Int32,
    missing     UInt64 COMMENT 'the first missing seq',
    events      UInt32 COMMENT 'events that wait for it; 0 if none waits',
    since       DateTime64(3, 'UTC') COMMENT 'by the clock of ingest',
    written_at  DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = {{.Replacing "written_at"}}
ORDER BY (property_id, table_id)
SETTINGS {{.Window}}
COMMENT 'tables whose events wait for a missing event';

{{.Spread "waiting" "cityHash64(property_id, table_id)"}}

CREATE VIEW IF NOT EXISTS {{.View "v_waiting"}} AS
SELECT * FROM {{.Name "waiting"}} FINAL WHERE events > 0;

-- The queue has the basis of a finding: of new findings from the view, of open ones from their findings.
{{range $t := .Everywhere "open_findings"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS basis LowCardinality(String) COMMENT 'as in findings';
{{end}}
ALTER TABLE {{.Stored "findings_to_open"}} MODIFY QUERY
SELECT
    property_id,
    toUInt8(multiIf(severity = 'critical', 1, severity = 'major', 2, severity = 'minor', 3, severity = 'info', 4, 5)) AS urgency,
    at, id, 'new' AS state, kind, verdict, basis, rule, severity, pit_id, table_id, shoe_id, round, seat, dealer_id,
    gaming_day, shift, expected, observed, amount, currency,
    toUInt64(0) AS version,
    toUInt8(0) AS is_deleted
FROM {{.StoredName "findings"}}
WHERE verdict != 'INFO';

-- A row of the same version takes the place of the row without a basis.
INSERT INTO {{.Name "open_findings"}}
SELECT o.* REPLACE (f.basis AS basis)
FROM (SELECT * FROM {{.Name "open_findings"}} FINAL WHERE basis = '') AS o
GLOBAL INNER JOIN (SELECT x.id AS id, argMax(x.basis, x.version) AS basis FROM {{.Name "findings"}} AS x WHERE x.basis != '' GROUP BY x.id) AS f ON o.id = f.id;

-- The views with the new columns. CREATE OR REPLACE takes the right to drop tables.
{{range $t := .List "findings" "open_findings"}}
DROP VIEW IF EXISTS {{$.View (print "v_" $t)}};
CREATE VIEW IF NOT EXISTS {{$.View (print "v_" $t)}} AS
SELECT * FROM {{$.Name $t}} FINAL;
{{end}}
DROP VIEW IF EXISTS {{.View "v_queue"}};
CREATE VIEW IF NOT EXISTS {{.View "v_queue"}} AS
SELECT * FROM {{.Name "open_findings"}} FINAL;
