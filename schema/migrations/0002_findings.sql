-- Findings have the columns of the lines that audit replay prints, in their order.

CREATE TABLE IF NOT EXISTS {{.Stored "evidence"}} (
    detector    LowCardinality(String),
    key         String CODEC(ZSTD(1)),
    at          DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    property_id LowCardinality(String),
    table_id    LowCardinality(String),
    shoe_id     String CODEC(ZSTD(1)),
    round       UInt32,
    seq         UInt64,
    gaming_day  Date32,
    ln_e        Float64 COMMENT 'natural logarithm of the factor',
    start       Float64 COMMENT 'the weight of a start at this round',
    engine      LowCardinality(String),
    version     UInt32
)
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (detector, key, at, property_id, table_id, shoe_id, round)
SETTINGS {{.Window}}
COMMENT 'a detector''s factor for one round and one key';

{{.Spread "evidence" "cityHash64(detector, key)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "findings"}} (
    id          String COMMENT '32 hex digits' CODEC(ZSTD(1)),
    kind        LowCardinality(String),
    verdict     LowCardinality(String),
    rule        LowCardinality(String),
    severity    LowCardinality(String),
    citations   Array(LowCardinality(String)),
    property_id LowCardinality(String),
    pit_id      LowCardinality(String),
    table_id    LowCardinality(String),
    shoe_id     String CODEC(ZSTD(1)),
    round       UInt32,
    seat        UInt32,
    subject     String CODEC(ZSTD(1)),
    dealer_id   LowCardinality(String),
    at          DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    gaming_day  Date32,
    shift       LowCardinality(String),
    expected    String CODEC(ZSTD(1)),
    observed    String CODEC(ZSTD(1)),
    amount      Int64,
    currency    LowCardinality(String),
    evidence    Tuple(seqs Array(UInt64), event_ids Array(String)),
    rulebook    LowCardinality(String),
    engine      LowCardinality(String),
    version     UInt32,
    INDEX by_id id TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, at, id)
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'one deviation, anomaly, data fault or notice';

{{.Spread "findings" "cityHash64(property_id, table_id)"}}

-- A finding enters the queue with version 0. Triage writes the row again with the time of the step
-- as its version, and closes it with is_deleted, so that a replay never opens what was closed.
CREATE TABLE IF NOT EXISTS {{.Stored "open_findings"}} (
    property_id LowCardinality(String),
    urgency     UInt8 COMMENT '1 critical, 2 major, 3 minor, 4 info, 5 other',
    at          DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    id          String,
    state       LowCardinality(String),
    kind        LowCardinality(String),
    verdict     LowCardinality(String),
    rule        LowCardinality(String),
    severity    LowCardinality(String),
    pit_id      LowCardinality(String),
    table_id    LowCardinality(String),
    shoe_id     String,
    round       UInt32,
    seat        UInt32,
    dealer_id   LowCardinality(String),
    gaming_day  Date32,
    shift       LowCardinality(String),
    expected    String,
    observed    String,
    amount      Int64,
    currency    LowCardinality(String),
    version     UInt64,
    is_deleted  UInt8
)
ENGINE = {{.Replacing "version" "is_deleted"}}
ORDER BY (property_id, urgency, at, id)
SETTINGS {{.Window}}
COMMENT 'findings that nobody has closed yet';

{{.Spread "open_findings" "cityHash64(property_id, table_id)"}}

CREATE MATERIALIZED VIEW IF NOT EXISTS {{.Stored "findings_to_open"}} TO {{.StoredName "open_findings"}} AS
SELECT
    property_id,
    toUInt8(multiIf(severity = 'critical', 1, severity = 'major', 2, severity = 'minor', 3, severity = 'info', 4, 5)) AS urgency,
    at, id, 'new' AS state, kind, verdict, rule, severity, pit_id, table_id, shoe_id, round, seat, dealer_id,
    gaming_day, shift, expected, observed, amount, currency,
    toUInt64(0) AS version,
    toUInt8(0) AS is_deleted
FROM {{.StoredName "findings"}}
WHERE verdict != 'INFO';

CREATE TABLE IF NOT EXISTS {{.Stored "finding_actions"}} (
    finding_id  String,
    at          DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    property_id LowCardinality(String),
    actor       LowCardinality(String),
    action      LowCardinality(String),
    from_state  LowCardinality(String),
    to_state    LowCardinality(String),
    disposition LowCardinality(String),
    reason      String,
    note        String
)
ENGINE = {{.Merge}}
ORDER BY (finding_id, at)
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'one step of triage; append-only';

{{.Spread "finding_actions" "cityHash64(finding_id)"}}
