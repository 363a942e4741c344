-- What the console adds: who owns a finding, what belongs together, and its own records.

-- The number of the way of grouping is in the text of the fingerprint. A later way is a new default:
-- it holds for what arrives then, and regroups nothing.
{{range $t := .Everywhere "open_findings"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS owner LowCardinality(String);
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS fingerprint String DEFAULT concat('1-', lower(hex(sipHash128(rule, property_id, table_id, if(dealer_id != '', dealer_id, shoe_id), verdict))));
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS arrived_at DateTime64(3, 'UTC') DEFAULT now64(3);
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS changed_at DateTime64(3, 'UTC') DEFAULT now64(3);
{{end}}
ALTER TABLE {{.Stored "open_findings"}} ADD INDEX IF NOT EXISTS by_change changed_at TYPE minmax GRANULARITY 1;
ALTER TABLE {{.Stored "open_findings"}} ADD INDEX IF NOT EXISTS by_id id TYPE bloom_filter(0.001) GRANULARITY 1;
ALTER TABLE {{.Stored "wagers"}} ADD INDEX IF NOT EXISTS by_patron patron TYPE bloom_filter(0.01) GRANULARITY 1;

-- v_open_findings with the new columns: to replace a view takes the right to drop tables.
CREATE VIEW IF NOT EXISTS {{.View "v_queue"}} AS
SELECT * FROM {{.Name "open_findings"}} FINAL;

-- The last event of a table, and when it came: a quiet table differs from a feed that is down.
CREATE TABLE IF NOT EXISTS {{.Stored "feeds"}} (
    property_id LowCardinality(String),
    pit_id      LowCardinality(String),
    table_id    LowCardinality(String),
    at          DateTime64(9, 'UTC'),
    seq         UInt64,
    shoe_id     String,
    round       UInt32,
    kind        LowCardinality(String),
    received_at DateTime64(3, 'UTC')
)
ENGINE = {{.Replacing "at"}}
ORDER BY (property_id, table_id)
SETTINGS {{.Window}}
COMMENT 'the last event of each table';

{{.Spread "feeds" "cityHash64(property_id, table_id)"}}

CREATE MATERIALIZED VIEW IF NOT EXISTS {{.Stored "events_to_feeds"}} TO {{.StoredName "feeds"}} AS
SELECT e.property_id AS property_id, argMax(e.pit_id, e.at) AS pit_id, e.table_id AS table_id, max(e.at) AS at, argMax(e.seq, e.at) AS seq,
    argMax(e.shoe_id, (e.at, e.seq)) AS shoe_id, argMax(e.round, (e.at, e.seq)) AS round, argMax(e.kind, (e.at, e.seq)) AS kind,
    now64(3) AS received_at
FROM {{.StoredName "events"}} AS e
GROUP BY e.property_id, e.table_id;

CREATE TABLE IF NOT EXISTS {{.Stored "shelves"}} (
    property_id LowCardinality(String),
    id          String,
    rule        LowCardinality(String),
    table_id    LowCardinality(String) COMMENT 'empty is every table',
    reason      String,
    actor       LowCardinality(String),
    at          DateTime64(3, 'UTC'),
    until       DateTime64(3, 'UTC') COMMENT '24 hours after at, or earlier',
    lifted_by   LowCardinality(String),
    version     UInt64
)
ENGINE = {{.Replacing "version"}}
ORDER BY (property_id, id)
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'a rule kept out of the queue for a while';

{{.Spread "shelves" "cityHash64(property_id)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "handovers"}} (
    property_id LowCardinality(String),
    at          DateTime64(3, 'UTC'),
    gaming_day  Date32,
    shift       LowCardinality(String),
    actor       LowCardinality(String),
    note        String,
    open        UInt32,
    critical    UInt32,
    unowned     UInt32
)
ENGINE = {{.Merge}}
ORDER BY (property_id, at)
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'a shift handed over; append-only';

{{.Spread "handovers" "cityHash64(property_id)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "console_log"}} (
    property_id LowCardinality(String) COMMENT 'empty if of none',
    at          DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    actor       LowCardinality(String),
    role        LowCardinality(String),
    action      LowCardinality(String),
    object      String,
    detail      String,
    remote      String
)
ENGINE = {{.Merge}}
ORDER BY (property_id, at)
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'what people did in the console; append-only';

{{.Spread "console_log" "cityHash64(property_id)"}}

{{range $t := .List "feeds" "shelves"}}
CREATE VIEW IF NOT EXISTS {{$.View (print "v_" $t)}} AS
SELECT * FROM {{$.Name $t}} FINAL;
{{end}}

-- How long a finding waited for the first person, and what came of it.
CREATE VIEW IF NOT EXISTS {{.View "v_triage"}} AS
SELECT a.finding_id AS finding_id, any(a.property_id) AS property_id, min(a.at) AS first_step_at, argMin(a.actor, a.at) AS first_actor,
    argMax(a.to_state, a.at) AS state, argMax(a.disposition, a.at) AS disposition, max(a.at) AS last_step_at, count() AS steps
FROM {{.Name "finding_actions"}} AS a
GROUP BY a.finding_id;

CREATE VIEW IF NOT EXISTS {{.View "v_alarm_rate"}} AS
SELECT property_id, toStartOfInterval(at, INTERVAL 10 MINUTE) AS slot, count() AS alarms,
    countIf(severity = 'critical') AS critical, countIf(severity = 'major') AS major
FROM {{.Name "findings"}} FINAL
WHERE verdict != 'INFO' AND severity != 'info'
GROUP BY property_id, slot;

CREATE VIEW IF NOT EXISTS {{.View "v_dealer_findings"}} AS
SELECT property_id, dealer_id, gaming_day, rule, severity, verdict, count() AS findings, sum(amount) AS amount, any(currency) AS currency
FROM {{.Name "findings"}} FINAL
WHERE dealer_id != ''
GROUP BY property_id, dealer_id, gaming_day, rule, severity, verdict;
