CREATE DATABASE IF NOT EXISTS shoeproof ON CLUSTER floor;

CREATE TABLE IF NOT EXISTS shoeproof.schema_migrations_local ON CLUSTER floor (
    version    UInt32,
    name       String,
    sha256     String,
    applied_by String,
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY version
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'the migrations that made this schema';

CREATE TABLE IF NOT EXISTS shoeproof.schema_migrations ON CLUSTER floor AS shoeproof.schema_migrations_local
ENGINE = Distributed(floor, shoeproof, schema_migrations_local, version);

CREATE TABLE IF NOT EXISTS shoeproof.events_local ON CLUSTER floor (
    property_id LowCardinality(String),
    pit_id      LowCardinality(String),
    table_id    LowCardinality(String),
    seq         UInt64 CODEC(Delta, ZSTD(1)),
    event_id    String CODEC(ZSTD(1)),
    at          DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    gaming_day  Date32 COMMENT '1900-01-01 is unknown, here and below',
    shoe_id     String CODEC(ZSTD(1)),
    round       UInt32 CODEC(Delta, ZSTD(1)),
    kind        LowCardinality(String),
    format      Enum8('unknown' = 0, 'protobuf' = 1, 'json' = 2),
    raw         String CODEC(ZSTD(3)),
    sha256      FixedString(32) CODEC(NONE),
    partition   Int32 CODEC(ZSTD(1)),
    offset      Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, seq, event_id, sha256)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'one event as received; raw may name patrons';

CREATE TABLE IF NOT EXISTS shoeproof.events ON CLUSTER floor AS shoeproof.events_local
ENGINE = Distributed(floor, shoeproof, events_local, cityHash64(property_id, table_id));

CREATE TABLE IF NOT EXISTS shoeproof.rounds_local ON CLUSTER floor (
    property_id  LowCardinality(String),
    pit_id       LowCardinality(String),
    table_id     LowCardinality(String),
    shoe_id      String CODEC(ZSTD(1)),
    round        UInt32,
    at           DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    gaming_day   Date32,
    shift        LowCardinality(String),
    dealer_id    LowCardinality(String),
    ruleset      LowCardinality(String),
    config_id    LowCardinality(String),
    result       LowCardinality(String),
    player_count UInt8,
    banker_count UInt8,
    player_cards UInt8,
    banker_cards UInt8,
    cards        String CODEC(ZSTD(1)),
    wagers       UInt32,
    staked       Int64,
    paid         Int64,
    expected_pay Int64,
    collected    Int64,
    returned     Int64,
    vigorish     Int64,
    auditable    Bool,
    first_seq    UInt64 CODEC(Delta, ZSTD(1)),
    end_seq      UInt64 CODEC(Delta, ZSTD(1)),
    version      UInt32
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id, round)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'one round as played';

CREATE TABLE IF NOT EXISTS shoeproof.rounds ON CLUSTER floor AS shoeproof.rounds_local
ENGINE = Distributed(floor, shoeproof, rounds_local, cityHash64(property_id, table_id));

CREATE TABLE IF NOT EXISTS shoeproof.wagers_local ON CLUSTER floor (
    property_id   LowCardinality(String),
    table_id      LowCardinality(String),
    shoe_id       String CODEC(ZSTD(1)),
    round         UInt32,
    at            DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    gaming_day    Date32,
    wager_id      String CODEC(ZSTD(1)),
    seat          UInt32,
    spot          LowCardinality(String),
    stake         Int64,
    coupon        Int64,
    medium        LowCardinality(String),
    patron        String COMMENT 'keyed HMAC, empty if unknown' CODEC(ZSTD(1)),
    disposition   LowCardinality(String),
    expected      LowCardinality(String),
    paid          Int64,
    expected_paid Int64,
    collected     Int64,
    returned      Int64,
    placed_seq    UInt64 CODEC(Delta, ZSTD(1)),
    version       UInt32
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id, round, wager_id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'one wager as placed and settled';

CREATE TABLE IF NOT EXISTS shoeproof.wagers ON CLUSTER floor AS shoeproof.wagers_local
ENGINE = Distributed(floor, shoeproof, wagers_local, cityHash64(property_id, table_id));

CREATE TABLE IF NOT EXISTS shoeproof.vigorish_local ON CLUSTER floor (
    property_id   LowCardinality(String),
    table_id      LowCardinality(String),
    shoe_id       String CODEC(ZSTD(1)),
    round         UInt32,
    at            DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    gaming_day    Date32,
    wager_id      String CODEC(ZSTD(1)),
    seat          UInt32,
    kind          LowCardinality(String),
    won           Int64,
    least         Int64,
    most          Int64,
    marked        Int64,
    collected     Int64,
    marked_seq    UInt64,
    collected_seq UInt64,
    version       UInt32
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id, round, wager_id, kind)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'what one wager owed in vigorish and what became of it';

CREATE TABLE IF NOT EXISTS shoeproof.vigorish ON CLUSTER floor AS shoeproof.vigorish_local
ENGINE = Distributed(floor, shoeproof, vigorish_local, cityHash64(property_id, table_id));

CREATE TABLE IF NOT EXISTS shoeproof.shoes_local ON CLUSTER floor (
    property_id LowCardinality(String),
    pit_id      LowCardinality(String),
    table_id    LowCardinality(String),
    shoe_id     String CODEC(ZSTD(1)),
    at          DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    ended_at    DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    gaming_day  Date32,
    shift       LowCardinality(String),
    ruleset     LowCardinality(String),
    game        LowCardinality(String),
    config_id   LowCardinality(String),
    decks       UInt32,
    cards_out   UInt32,
    remaining   UInt32,
    rounds      UInt32,
    unauditable UInt32,
    findings    UInt32,
    outstanding Int64,
    joined      Bool,
    missing     Bool,
    first_seq   UInt64,
    last_seq    UInt64,
    rulebook    LowCardinality(String),
    engine      LowCardinality(String),
    version     UInt32
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'one shoe as played';

CREATE TABLE IF NOT EXISTS shoeproof.shoes ON CLUSTER floor AS shoeproof.shoes_local
ENGINE = Distributed(floor, shoeproof, shoes_local, cityHash64(property_id, table_id));

CREATE TABLE IF NOT EXISTS shoeproof.table_configs_local ON CLUSTER floor (
    property_id  LowCardinality(String),
    pit_id       LowCardinality(String),
    table_id     LowCardinality(String),
    seq          UInt64,
    at           DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    effective_at DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    opened       Bool,
    closed       Bool,
    config_id    LowCardinality(String),
    ruleset      LowCardinality(String),
    game         LowCardinality(String),
    mode         LowCardinality(String),
    percent      UInt32,
    procedure    UInt32,
    reshuffle    Bool,
    config       String COMMENT 'canonical JSON of the TableConfig' CODEC(ZSTD(3)),
    event_id     String,
    version      UInt32
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, pit_id, table_id, at, seq)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'a configuration in force';

CREATE TABLE IF NOT EXISTS shoeproof.table_configs ON CLUSTER floor AS shoeproof.table_configs_local
ENGINE = Distributed(floor, shoeproof, table_configs_local, cityHash64(property_id, table_id));

CREATE TABLE IF NOT EXISTS shoeproof.notices_local ON CLUSTER floor (
    property_id  LowCardinality(String),
    pit_id       LowCardinality(String),
    table_id     LowCardinality(String),
    seq          UInt64,
    at           DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    notice_at    DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    effective_at DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    topic        LowCardinality(String),
    filed        Bool,
    written      Bool,
    recipients   Array(LowCardinality(String)),
    medium       LowCardinality(String),
    version      UInt32
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, pit_id, table_id, at, seq)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'a notice filed or posted';

CREATE TABLE IF NOT EXISTS shoeproof.notices ON CLUSTER floor AS shoeproof.notices_local
ENGINE = Distributed(floor, shoeproof, notices_local, cityHash64(property_id, table_id));

CREATE TABLE IF NOT EXISTS shoeproof.table_memory_local ON CLUSTER floor (
    property_id LowCardinality(String),
    table_id    LowCardinality(String),
    seq         UInt64,
    at          DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    memory      String COMMENT 'JSON; may name patrons' CODEC(ZSTD(3)),
    engine      LowCardinality(String),
    version     UInt32
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, seq)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'what a table carries from one shoe to the next, by the closing event';

CREATE TABLE IF NOT EXISTS shoeproof.table_memory ON CLUSTER floor AS shoeproof.table_memory_local
ENGINE = Distributed(floor, shoeproof, table_memory_local, cityHash64(property_id, table_id));

CREATE TABLE IF NOT EXISTS shoeproof.evidence_local ON CLUSTER floor (
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (detector, key, at, property_id, table_id, shoe_id, round)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'a detector''s factor for one round and one key';

CREATE TABLE IF NOT EXISTS shoeproof.evidence ON CLUSTER floor AS shoeproof.evidence_local
ENGINE = Distributed(floor, shoeproof, evidence_local, cityHash64(detector, key));

CREATE TABLE IF NOT EXISTS shoeproof.findings_local ON CLUSTER floor (
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, at, id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'one deviation, anomaly, data fault or notice';

CREATE TABLE IF NOT EXISTS shoeproof.findings ON CLUSTER floor AS shoeproof.findings_local
ENGINE = Distributed(floor, shoeproof, findings_local, cityHash64(property_id, table_id));

CREATE TABLE IF NOT EXISTS shoeproof.open_findings_local ON CLUSTER floor (
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version, is_deleted)
ORDER BY (property_id, urgency, at, id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'findings that nobody has closed yet';

CREATE TABLE IF NOT EXISTS shoeproof.open_findings ON CLUSTER floor AS shoeproof.open_findings_local
ENGINE = Distributed(floor, shoeproof, open_findings_local, cityHash64(property_id, table_id));

CREATE MATERIALIZED VIEW IF NOT EXISTS shoeproof.findings_to_open_local ON CLUSTER floor TO shoeproof.open_findings_local AS
SELECT
    property_id,
    toUInt8(multiIf(severity = 'critical', 1, severity = 'major', 2, severity = 'minor', 3, severity = 'info', 4, 5)) AS urgency,
    at, id, 'new' AS state, kind, verdict, rule, severity, pit_id, table_id, shoe_id, round, seat, dealer_id,
    gaming_day, shift, expected, observed, amount, currency,
    toUInt64(0) AS version,
    toUInt8(0) AS is_deleted
FROM shoeproof.findings_local
WHERE verdict != 'INFO';

CREATE TABLE IF NOT EXISTS shoeproof.finding_actions_local ON CLUSTER floor (
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (finding_id, at)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'one step of triage; append-only';

CREATE TABLE IF NOT EXISTS shoeproof.finding_actions ON CLUSTER floor AS shoeproof.finding_actions_local
ENGINE = Distributed(floor, shoeproof, finding_actions_local, cityHash64(finding_id));

CREATE TABLE IF NOT EXISTS shoeproof.journal_local ON CLUSTER floor (
    topic         LowCardinality(String),
    partition     Int32,
    from_offset   Int64,
    to_offset     Int64 COMMENT 'inclusive',
    low_offset    Int64 COMMENT 'where a restart reads again',
    generation    Int32,
    rules_version LowCardinality(String),
    engine        LowCardinality(String),
    records       UInt64,
    rows          UInt64,
    hash          String,
    written_at    DateTime64(3, 'UTC') DEFAULT now64(3) CODEC(Delta, ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (topic, partition, to_offset)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'one flushed range of a partition';

CREATE TABLE IF NOT EXISTS shoeproof.journal ON CLUSTER floor AS shoeproof.journal_local
ENGINE = Distributed(floor, shoeproof, journal_local, cityHash64(topic, partition));

CREATE TABLE IF NOT EXISTS shoeproof.dead_letters_local ON CLUSTER floor (
    topic     LowCardinality(String),
    partition Int32,
    offset    Int64,
    place     String COMMENT 'file and line, if the record came from a file',
    reason    String CODEC(ZSTD(1)),
    raw       String CODEC(ZSTD(3))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (topic, partition, offset)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'a record that could not be read';

CREATE TABLE IF NOT EXISTS shoeproof.dead_letters ON CLUSTER floor AS shoeproof.dead_letters_local
ENGINE = Distributed(floor, shoeproof, dead_letters_local, cityHash64(topic, partition));

CREATE TABLE IF NOT EXISTS shoeproof.audit_runs_local ON CLUSTER floor (
    property_id LowCardinality(String),
    gaming_day  Date32,
    run_id      String,
    started_at  DateTime64(3, 'UTC'),
    ended_at    DateTime64(3, 'UTC'),
    state       LowCardinality(String),
    error       String,
    tables      UInt32,
    shoes       UInt32,
    rounds      UInt32,
    findings    UInt32,
    rulebooks   Array(LowCardinality(String)),
    engine      LowCardinality(String),
    version     UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
ORDER BY (property_id, gaming_day, run_id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'one nightly run';

CREATE TABLE IF NOT EXISTS shoeproof.audit_runs ON CLUSTER floor AS shoeproof.audit_runs_local
ENGINE = Distributed(floor, shoeproof, audit_runs_local, cityHash64(property_id));

CREATE TABLE IF NOT EXISTS shoeproof.exports_local ON CLUSTER floor (
    property_id LowCardinality(String),
    gaming_day  Date32,
    export_id   String,
    at          DateTime64(3, 'UTC'),
    actor       LowCardinality(String),
    kind        LowCardinality(String),
    query       String,
    name        String,
    files       UInt32,
    bytes       UInt64,
    sha256      String,
    engine      LowCardinality(String)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (property_id, gaming_day, export_id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'one bundle that was handed out';

CREATE TABLE IF NOT EXISTS shoeproof.exports ON CLUSTER floor AS shoeproof.exports_local
ENGINE = Distributed(floor, shoeproof, exports_local, cityHash64(property_id));

CREATE VIEW IF NOT EXISTS shoeproof.v_events ON CLUSTER floor AS
SELECT * FROM shoeproof.events FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_rounds ON CLUSTER floor AS
SELECT * FROM shoeproof.rounds FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_wagers ON CLUSTER floor AS
SELECT * FROM shoeproof.wagers FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_vigorish ON CLUSTER floor AS
SELECT * FROM shoeproof.vigorish FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_shoes ON CLUSTER floor AS
SELECT * FROM shoeproof.shoes FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_table_configs ON CLUSTER floor AS
SELECT * FROM shoeproof.table_configs FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_notices ON CLUSTER floor AS
SELECT * FROM shoeproof.notices FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_table_memory ON CLUSTER floor AS
SELECT * FROM shoeproof.table_memory FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_evidence ON CLUSTER floor AS
SELECT * FROM shoeproof.evidence FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_findings ON CLUSTER floor AS
SELECT * FROM shoeproof.findings FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_open_findings ON CLUSTER floor AS
SELECT * FROM shoeproof.open_findings FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_dead_letters ON CLUSTER floor AS
SELECT * FROM shoeproof.dead_letters FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_audit_runs ON CLUSTER floor AS
SELECT * FROM shoeproof.audit_runs FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_exports ON CLUSTER floor AS
SELECT * FROM shoeproof.exports FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_progress ON CLUSTER floor AS
SELECT j.topic AS topic, j.partition AS partition,
    argMax(j.from_offset, (j.generation, j.to_offset)) AS from_offset,
    argMax(j.to_offset, (j.generation, j.to_offset)) AS to_offset,
    argMax(j.low_offset, (j.generation, j.to_offset)) AS low_offset,
    max(j.generation) AS generation,
    max(j.written_at) AS written_at
FROM shoeproof.journal AS j
GROUP BY j.topic, j.partition;

CREATE VIEW IF NOT EXISTS shoeproof.v_findings_by_table ON CLUSTER floor AS
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
FROM shoeproof.findings FINAL
GROUP BY property_id, pit_id, table_id;

CREATE VIEW IF NOT EXISTS shoeproof.v_findings_by_rule ON CLUSTER floor AS
SELECT rule, kind, verdict, severity,
    count() AS findings,
    uniqExact(property_id, table_id) AS tables,
    uniqExact(property_id, table_id, shoe_id) AS shoes,
    min(at) AS first_at,
    max(at) AS last_at
FROM shoeproof.findings FINAL
GROUP BY rule, kind, verdict, severity;

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS owner LowCardinality(String);

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS fingerprint String DEFAULT concat('1-', lower(hex(sipHash128(rule, property_id, table_id, if(dealer_id != '', dealer_id, shoe_id), verdict))));

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS arrived_at DateTime64(3, 'UTC') DEFAULT now64(3);

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS changed_at DateTime64(3, 'UTC') DEFAULT now64(3);

ALTER TABLE shoeproof.open_findings ON CLUSTER floor ADD COLUMN IF NOT EXISTS owner LowCardinality(String);

ALTER TABLE shoeproof.open_findings ON CLUSTER floor ADD COLUMN IF NOT EXISTS fingerprint String DEFAULT concat('1-', lower(hex(sipHash128(rule, property_id, table_id, if(dealer_id != '', dealer_id, shoe_id), verdict))));

ALTER TABLE shoeproof.open_findings ON CLUSTER floor ADD COLUMN IF NOT EXISTS arrived_at DateTime64(3, 'UTC') DEFAULT now64(3);

ALTER TABLE shoeproof.open_findings ON CLUSTER floor ADD COLUMN IF NOT EXISTS changed_at DateTime64(3, 'UTC') DEFAULT now64(3);

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_change changed_at TYPE minmax GRANULARITY 1;

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_id id TYPE bloom_filter(0.001) GRANULARITY 1;

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_patron patron TYPE bloom_filter(0.01) GRANULARITY 1;

CREATE VIEW IF NOT EXISTS shoeproof.v_queue ON CLUSTER floor AS
SELECT * FROM shoeproof.open_findings FINAL;

CREATE TABLE IF NOT EXISTS shoeproof.feeds_local ON CLUSTER floor (
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', at)
ORDER BY (property_id, table_id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'the last event of each table';

CREATE TABLE IF NOT EXISTS shoeproof.feeds ON CLUSTER floor AS shoeproof.feeds_local
ENGINE = Distributed(floor, shoeproof, feeds_local, cityHash64(property_id, table_id));

CREATE MATERIALIZED VIEW IF NOT EXISTS shoeproof.events_to_feeds_local ON CLUSTER floor TO shoeproof.feeds_local AS
SELECT e.property_id AS property_id, argMax(e.pit_id, e.at) AS pit_id, e.table_id AS table_id, max(e.at) AS at, argMax(e.seq, e.at) AS seq,
    argMax(e.shoe_id, (e.at, e.seq)) AS shoe_id, argMax(e.round, (e.at, e.seq)) AS round, argMax(e.kind, (e.at, e.seq)) AS kind,
    now64(3) AS received_at
FROM shoeproof.events_local AS e
GROUP BY e.property_id, e.table_id;

CREATE TABLE IF NOT EXISTS shoeproof.shelves_local ON CLUSTER floor (
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
ORDER BY (property_id, id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'a rule kept out of the queue for a while';

CREATE TABLE IF NOT EXISTS shoeproof.shelves ON CLUSTER floor AS shoeproof.shelves_local
ENGINE = Distributed(floor, shoeproof, shelves_local, cityHash64(property_id));

CREATE TABLE IF NOT EXISTS shoeproof.handovers_local ON CLUSTER floor (
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (property_id, at)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'a shift handed over; append-only';

CREATE TABLE IF NOT EXISTS shoeproof.handovers ON CLUSTER floor AS shoeproof.handovers_local
ENGINE = Distributed(floor, shoeproof, handovers_local, cityHash64(property_id));

CREATE TABLE IF NOT EXISTS shoeproof.console_log_local ON CLUSTER floor (
    property_id LowCardinality(String) COMMENT 'empty if of none',
    at          DateTime64(6, 'UTC') CODEC(Delta, ZSTD(1)),
    actor       LowCardinality(String),
    role        LowCardinality(String),
    action      LowCardinality(String),
    object      String,
    detail      String,
    remote      String
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (property_id, at)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'what people did in the console; append-only';

CREATE TABLE IF NOT EXISTS shoeproof.console_log ON CLUSTER floor AS shoeproof.console_log_local
ENGINE = Distributed(floor, shoeproof, console_log_local, cityHash64(property_id));

CREATE VIEW IF NOT EXISTS shoeproof.v_feeds ON CLUSTER floor AS
SELECT * FROM shoeproof.feeds FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_shelves ON CLUSTER floor AS
SELECT * FROM shoeproof.shelves FINAL;

CREATE VIEW IF NOT EXISTS shoeproof.v_triage ON CLUSTER floor AS
SELECT a.finding_id AS finding_id, any(a.property_id) AS property_id, min(a.at) AS first_step_at, argMin(a.actor, a.at) AS first_actor,
    argMax(a.to_state, a.at) AS state, argMax(a.disposition, a.at) AS disposition, max(a.at) AS last_step_at, count() AS steps
FROM shoeproof.finding_actions AS a
GROUP BY a.finding_id;

CREATE VIEW IF NOT EXISTS shoeproof.v_alarm_rate ON CLUSTER floor AS
SELECT property_id, toStartOfInterval(at, INTERVAL 10 MINUTE) AS slot, count() AS alarms,
    countIf(severity = 'critical') AS critical, countIf(severity = 'major') AS major
FROM shoeproof.findings FINAL
WHERE verdict != 'INFO' AND severity != 'info'
GROUP BY property_id, slot;

CREATE VIEW IF NOT EXISTS shoeproof.v_dealer_findings ON CLUSTER floor AS
SELECT property_id, dealer_id, gaming_day, rule, severity, verdict, count() AS findings, sum(amount) AS amount, any(currency) AS currency
FROM shoeproof.findings FINAL
WHERE dealer_id != ''
GROUP BY property_id, dealer_id, gaming_day, rule, severity, verdict;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS shift LowCardinality(String);

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS events UInt64;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS events_sha256 String;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS findings_sha256 String;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS live_sha256 String;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS missing UInt32;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS extra UInt32;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS changed UInt32;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS gaps UInt32;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS dead_letters UInt64;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS open_shoes UInt32;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS supersedes String;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS shift LowCardinality(String);

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS events UInt64;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS events_sha256 String;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS findings_sha256 String;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS live_sha256 String;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS missing UInt32;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS extra UInt32;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS changed UInt32;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS gaps UInt32;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS dead_letters UInt64;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS open_shoes UInt32;

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS supersedes String;

CREATE VIEW IF NOT EXISTS shoeproof.v_runs ON CLUSTER floor AS
SELECT * FROM shoeproof.audit_runs FINAL;

CREATE TABLE IF NOT EXISTS shoeproof.run_lines_local ON CLUSTER floor (
    property_id LowCardinality(String),
    gaming_day  Date32,
    part        LowCardinality(String) COMMENT 'shift, and i/n of the workers',
    generation  UInt64 COMMENT 'of the lease under which it was written',
    no          UInt32,
    kind        LowCardinality(String),
    line        String CODEC(ZSTD(3)),
    written_at  DateTime DEFAULT now()
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (property_id, gaming_day, part, generation, no)
TTL written_at + INTERVAL 30 DAY
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'what one worker of a run found; the merged run is in audit_runs and findings';

CREATE TABLE IF NOT EXISTS shoeproof.run_lines ON CLUSTER floor AS shoeproof.run_lines_local
ENGINE = Distributed(floor, shoeproof, run_lines_local, cityHash64(property_id, gaming_day, part));

CREATE TABLE IF NOT EXISTS shoeproof.leases_local ON CLUSTER floor (
    name       String,
    generation UInt64,
    holder     String,
    state      LowCardinality(String),
    at         DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (name, generation, at)
TTL toDateTime(at) + INTERVAL 400 DAY
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'who does something that one may do at a time; the first insert of a generation wins by its token';

CREATE TABLE IF NOT EXISTS shoeproof.leases ON CLUSTER floor AS shoeproof.leases_local
ENGINE = Distributed(floor, shoeproof, leases_local, cityHash64(name));

CREATE TABLE IF NOT EXISTS shoeproof.legal_holds_local ON CLUSTER floor (
    hold_id     String,
    at          DateTime64(3, 'UTC') DEFAULT now64(3),
    action      LowCardinality(String) COMMENT 'place or release',
    property_id LowCardinality(String),
    from_day    Date32,
    until_day   Date32 COMMENT 'inclusive',
    actor       LowCardinality(String),
    reason      String
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (hold_id, at)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'what must not be deleted, whatever its age; append-only';

CREATE TABLE IF NOT EXISTS shoeproof.legal_holds ON CLUSTER floor AS shoeproof.legal_holds_local
ENGINE = Distributed(floor, shoeproof, legal_holds_local, cityHash64(hold_id));

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS decks UInt32;

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS unseen String COMMENT 'cards not seen before the first one: a byte for each of 52, clubs first, aces first' CODEC(ZSTD(1));

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS chance_player Float64 COMMENT 'exact chance before the first card; 0 in all three is unknown';

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS chance_banker Float64;

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS chance_tie Float64;

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS locked_at DateTime64(9, 'UTC') COMMENT 'no more bets' CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS card_at DateTime64(9, 'UTC') COMMENT 'first card' CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS end_at DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS batch_id LowCardinality(String);

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS shuffler LowCardinality(String);

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS reader LowCardinality(String);

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS decks UInt32;

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS unseen String COMMENT 'cards not seen before the first one: a byte for each of 52, clubs first, aces first' CODEC(ZSTD(1));

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS chance_player Float64 COMMENT 'exact chance before the first card; 0 in all three is unknown';

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS chance_banker Float64;

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS chance_tie Float64;

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS locked_at DateTime64(9, 'UTC') COMMENT 'no more bets' CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS card_at DateTime64(9, 'UTC') COMMENT 'first card' CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS end_at DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS batch_id LowCardinality(String);

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS shuffler LowCardinality(String);

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS reader LowCardinality(String);

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS placed_at DateTime64(9, 'UTC') COMMENT 'placed or last raised' CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS late Bool COMMENT 'after the first card';

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS ev Float64 COMMENT 'exact expectation of the patron per unit, before the first card';

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS lock_stake Int64 DEFAULT -1 COMMENT 'as a device read it when bets were closed, -1 if it did not';

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS settle_stake Int64 DEFAULT -1 COMMENT 'as a device read it at settlement';

ALTER TABLE shoeproof.wagers ON CLUSTER floor ADD COLUMN IF NOT EXISTS placed_at DateTime64(9, 'UTC') COMMENT 'placed or last raised' CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.wagers ON CLUSTER floor ADD COLUMN IF NOT EXISTS late Bool COMMENT 'after the first card';

ALTER TABLE shoeproof.wagers ON CLUSTER floor ADD COLUMN IF NOT EXISTS ev Float64 COMMENT 'exact expectation of the patron per unit, before the first card';

ALTER TABLE shoeproof.wagers ON CLUSTER floor ADD COLUMN IF NOT EXISTS lock_stake Int64 DEFAULT -1 COMMENT 'as a device read it when bets were closed, -1 if it did not';

ALTER TABLE shoeproof.wagers ON CLUSTER floor ADD COLUMN IF NOT EXISTS settle_stake Int64 DEFAULT -1 COMMENT 'as a device read it at settlement';

ALTER TABLE shoeproof.findings_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS ln_e Float64 COMMENT 'evidence of an anomaly, natural logarithm';

ALTER TABLE shoeproof.findings_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS threshold Float64 COMMENT 'what it had to reach';

ALTER TABLE shoeproof.findings_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS odds String COMMENT 'what that means in words' CODEC(ZSTD(1));

ALTER TABLE shoeproof.findings ON CLUSTER floor ADD COLUMN IF NOT EXISTS ln_e Float64 COMMENT 'evidence of an anomaly, natural logarithm';

ALTER TABLE shoeproof.findings ON CLUSTER floor ADD COLUMN IF NOT EXISTS threshold Float64 COMMENT 'what it had to reach';

ALTER TABLE shoeproof.findings ON CLUSTER floor ADD COLUMN IF NOT EXISTS odds String COMMENT 'what that means in words' CODEC(ZSTD(1));

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS clock Int64 COMMENT 'latest event time of the partition before low_offset, ns UTC' AFTER low_offset;

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS crc UInt32 COMMENT 'CRC-32C over offsets and values of the records' AFTER records;

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS clock Int64 COMMENT 'latest event time of the partition before low_offset, ns UTC' AFTER low_offset;

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS crc UInt32 COMMENT 'CRC-32C over offsets and values of the records' AFTER records;

ALTER TABLE shoeproof.table_memory_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS topic LowCardinality(String), ADD COLUMN IF NOT EXISTS partition Int32,
    ADD COLUMN IF NOT EXISTS offset Int64 COMMENT 'the record after which it was written', MODIFY ORDER BY (property_id, table_id, seq, offset);

ALTER TABLE shoeproof.table_memory ON CLUSTER floor ADD COLUMN IF NOT EXISTS topic LowCardinality(String), ADD COLUMN IF NOT EXISTS partition Int32,
    ADD COLUMN IF NOT EXISTS offset Int64;

ALTER TABLE shoeproof.shoes_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS closed_at DateTime64(9, 'UTC') COMMENT 'the event that had it judged' CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.shoes ON CLUSTER floor ADD COLUMN IF NOT EXISTS closed_at DateTime64(9, 'UTC') COMMENT 'the event that had it judged' CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.exports_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS origin LowCardinality(String) COMMENT 'the log';

ALTER TABLE shoeproof.exports_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS number UInt64 COMMENT '1, 2, ... of the log';

ALTER TABLE shoeproof.exports_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS findings UInt64;

ALTER TABLE shoeproof.exports_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS amendments UInt64;

ALTER TABLE shoeproof.exports_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS log_size UInt64 COMMENT 'leaves, those of this export included';

ALTER TABLE shoeproof.exports_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS log_root String COMMENT 'of the signed tree, base64';

ALTER TABLE shoeproof.exports ON CLUSTER floor ADD COLUMN IF NOT EXISTS origin LowCardinality(String) COMMENT 'the log';

ALTER TABLE shoeproof.exports ON CLUSTER floor ADD COLUMN IF NOT EXISTS number UInt64 COMMENT '1, 2, ... of the log';

ALTER TABLE shoeproof.exports ON CLUSTER floor ADD COLUMN IF NOT EXISTS findings UInt64;

ALTER TABLE shoeproof.exports ON CLUSTER floor ADD COLUMN IF NOT EXISTS amendments UInt64;

ALTER TABLE shoeproof.exports ON CLUSTER floor ADD COLUMN IF NOT EXISTS log_size UInt64 COMMENT 'leaves, those of this export included';

ALTER TABLE shoeproof.exports ON CLUSTER floor ADD COLUMN IF NOT EXISTS log_root String COMMENT 'of the signed tree, base64';

CREATE VIEW IF NOT EXISTS shoeproof.v_bundles ON CLUSTER floor AS
SELECT * FROM shoeproof.exports FINAL WHERE kind = 'bundle';

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS epoch UInt32 COMMENT 'how often the log had been cut back' AFTER generation;

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS cut_from Int64 COMMENT 'first offset that was audited and is gone, in the first range since; otherwise 0' AFTER epoch;

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS cut_to Int64 COMMENT 'the last' AFTER cut_from;

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS epoch UInt32 COMMENT 'how often the log had been cut back' AFTER generation;

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS cut_from Int64 COMMENT 'first offset that was audited and is gone, in the first range since; otherwise 0' AFTER epoch;

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS cut_to Int64 COMMENT 'the last' AFTER cut_from;

ALTER TABLE shoeproof.table_memory_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS epoch UInt32 COMMENT 'how often the log had been cut back';

ALTER TABLE shoeproof.table_memory ON CLUSTER floor ADD COLUMN IF NOT EXISTS epoch UInt32 COMMENT 'how often the log had been cut back';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD PROJECTION IF NOT EXISTS by_time (SELECT * ORDER BY at);

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor MATERIALIZE PROJECTION by_time;

CREATE TABLE IF NOT EXISTS shoeproof.dealer_rounds_local ON CLUSTER floor (
    property_id LowCardinality(String),
    dealer_id   LowCardinality(String),
    gaming_day  Date32,
    table_id    LowCardinality(String),
    shoe_id     String,
    rounds      AggregateFunction(groupBitmap, UInt32),
    last_at     SimpleAggregateFunction(max, DateTime64(9, 'UTC'))
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(gaming_day)
ORDER BY (property_id, dealer_id, gaming_day, table_id, shoe_id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'the rounds of a shoe that a dealer dealt';

CREATE TABLE IF NOT EXISTS shoeproof.dealer_rounds ON CLUSTER floor AS shoeproof.dealer_rounds_local
ENGINE = Distributed(floor, shoeproof, dealer_rounds_local, cityHash64(property_id, table_id));

CREATE MATERIALIZED VIEW IF NOT EXISTS shoeproof.rounds_to_dealers_local ON CLUSTER floor TO shoeproof.dealer_rounds_local AS
SELECT property_id, dealer_id, gaming_day, table_id, shoe_id, groupBitmapState(round) AS rounds, max(r.at) AS last_at
FROM shoeproof.rounds_local AS r
WHERE dealer_id != ''
GROUP BY property_id, dealer_id, gaming_day, table_id, shoe_id;

INSERT INTO shoeproof.dealer_rounds
SELECT property_id, dealer_id, gaming_day, table_id, shoe_id, groupBitmapState(round) AS rounds, max(r.at) AS last_at
FROM shoeproof.rounds AS r
WHERE dealer_id != ''
GROUP BY property_id, dealer_id, gaming_day, table_id, shoe_id;

CREATE TABLE IF NOT EXISTS shoeproof.dealer_findings_local ON CLUSTER floor (
    property_id LowCardinality(String),
    dealer_id   LowCardinality(String),
    at          DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    id          String CODEC(ZSTD(1)),
    table_id    LowCardinality(String),
    verdict     LowCardinality(String),
    rule        LowCardinality(String),
    severity    LowCardinality(String),
    amount      Int64,
    currency    LowCardinality(String),
    version     UInt32
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, dealer_id, at, id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'findings by whose hands they were made at';

CREATE TABLE IF NOT EXISTS shoeproof.dealer_findings ON CLUSTER floor AS shoeproof.dealer_findings_local
ENGINE = Distributed(floor, shoeproof, dealer_findings_local, cityHash64(property_id, table_id));

CREATE MATERIALIZED VIEW IF NOT EXISTS shoeproof.findings_to_dealers_local ON CLUSTER floor TO shoeproof.dealer_findings_local AS
SELECT property_id, dealer_id, at, id, table_id, verdict, rule, severity, amount, currency, version
FROM shoeproof.findings_local
WHERE dealer_id != '';

INSERT INTO shoeproof.dealer_findings
SELECT property_id, dealer_id, at, id, table_id, verdict, rule, severity, amount, currency, version
FROM shoeproof.findings
WHERE dealer_id != '';

ALTER TABLE shoeproof.findings_local ON CLUSTER floor MODIFY SETTING deduplicate_merge_projection_mode = 'rebuild';

ALTER TABLE shoeproof.findings_local ON CLUSTER floor ADD PROJECTION IF NOT EXISTS by_dealer (SELECT * ORDER BY property_id, dealer_id, at);

ALTER TABLE shoeproof.findings_local ON CLUSTER floor MATERIALIZE PROJECTION by_dealer;

ALTER TABLE shoeproof.findings_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_shoe shoe_id TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE shoeproof.findings_local ON CLUSTER floor MATERIALIZE INDEX by_shoe;

ALTER TABLE shoeproof.findings_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS covers Array(String) COMMENT 'findings that this one explains: rule, round, subject' CODEC(ZSTD(1));

ALTER TABLE shoeproof.findings ON CLUSTER floor ADD COLUMN IF NOT EXISTS covers Array(String) COMMENT 'findings that this one explains: rule, round, subject' CODEC(ZSTD(1));

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS irregular Bool COMMENT 'a card was carried over, moved, burned or discarded: detectors do not score the cards';

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS irregular Bool COMMENT 'a card was carried over, moved, burned or discarded: detectors do not score the cards';

ALTER TABLE shoeproof.findings_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS basis LowCardinality(String) COMMENT 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed';

ALTER TABLE shoeproof.findings ON CLUSTER floor ADD COLUMN IF NOT EXISTS basis LowCardinality(String) COMMENT 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed';

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS released String COMMENT 'tables whose holes were given up after the range, JSON; the rows are then those of the last release';

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS released String COMMENT 'tables whose holes were given up after the range, JSON; the rows are then those of the last release';

CREATE TABLE IF NOT EXISTS shoeproof.waiting_local ON CLUSTER floor (
    property_id LowCardinality(String),
    table_id    LowCardinality(String),
    topic       LowCardinality(String),
    partition   Int32,
    missing     UInt64 COMMENT 'the first missing seq',
    events      UInt32 COMMENT 'events that wait for it; 0 if none waits',
    since       DateTime64(3, 'UTC') COMMENT 'by the clock of ingest',
    written_at  DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', written_at)
ORDER BY (property_id, table_id)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'tables whose events wait for a missing event';

CREATE TABLE IF NOT EXISTS shoeproof.waiting ON CLUSTER floor AS shoeproof.waiting_local
ENGINE = Distributed(floor, shoeproof, waiting_local, cityHash64(property_id, table_id));

CREATE VIEW IF NOT EXISTS shoeproof.v_waiting ON CLUSTER floor AS
SELECT * FROM shoeproof.waiting FINAL WHERE events > 0;

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS basis LowCardinality(String) COMMENT 'as in findings';

ALTER TABLE shoeproof.open_findings ON CLUSTER floor ADD COLUMN IF NOT EXISTS basis LowCardinality(String) COMMENT 'as in findings';

ALTER TABLE shoeproof.findings_to_open_local ON CLUSTER floor MODIFY QUERY
SELECT
    property_id,
    toUInt8(multiIf(severity = 'critical', 1, severity = 'major', 2, severity = 'minor', 3, severity = 'info', 4, 5)) AS urgency,
    at, id, 'new' AS state, kind, verdict, basis, rule, severity, pit_id, table_id, shoe_id, round, seat, dealer_id,
    gaming_day, shift, expected, observed, amount, currency,
    toUInt64(0) AS version,
    toUInt8(0) AS is_deleted
FROM shoeproof.findings_local
WHERE verdict != 'INFO';

INSERT INTO shoeproof.open_findings
SELECT o.* REPLACE (f.basis AS basis)
FROM (SELECT * FROM shoeproof.open_findings FINAL WHERE basis = '') AS o
GLOBAL INNER JOIN (SELECT x.id AS id, argMax(x.basis, x.version) AS basis FROM shoeproof.findings AS x WHERE x.basis != '' GROUP BY x.id) AS f ON o.id = f.id;

DROP VIEW IF EXISTS shoeproof.v_findings ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_findings ON CLUSTER floor AS
SELECT * FROM shoeproof.findings FINAL;

DROP VIEW IF EXISTS shoeproof.v_open_findings ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_open_findings ON CLUSTER floor AS
SELECT * FROM shoeproof.open_findings FINAL;

DROP VIEW IF EXISTS shoeproof.v_queue ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_queue ON CLUSTER floor AS
SELECT * FROM shoeproof.open_findings FINAL;

CREATE TABLE IF NOT EXISTS shoeproof.watch_state_local ON CLUSTER floor (
    property_id LowCardinality(String),
    turn        UInt8 COMMENT 'the snapshot with the larger number is the newer one, if all its parts are there',
    part        UInt32,
    parts       UInt32,
    number      UInt64,
    state       String CODEC(ZSTD(3)),
    engine      LowCardinality(String),
    written_at  DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', number)
ORDER BY (property_id, turn, part)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800
COMMENT 'snapshots of audit watch';

CREATE TABLE IF NOT EXISTS shoeproof.watch_state ON CLUSTER floor AS shoeproof.watch_state_local
ENGINE = Distributed(floor, shoeproof, watch_state_local, cityHash64(property_id));

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS issuer LowCardinality(String) COMMENT 'who vouches for the subject: URL of an OpenID provider, proxy, token or none';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS subject String COMMENT 'the user at the issuer';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS sign_in LowCardinality(String) COMMENT 'oidc, proxy, token, bearer or none';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS session String COMMENT 'names the session; empty if each request is authenticated';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS program Bool COMMENT 'a machine, or a person''s token in a machine';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS chain String COMMENT 'one console process and property';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS link UInt64 COMMENT '1, 2, ... in the chain, over both tables';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS prev String COMMENT 'hash of the link before';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS hash String COMMENT 'SHA-256 of prev and of all other columns, in hex';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS issuer LowCardinality(String) COMMENT 'who vouches for the subject: URL of an OpenID provider, proxy, token or none';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS subject String COMMENT 'the user at the issuer';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS sign_in LowCardinality(String) COMMENT 'oidc, proxy, token, bearer or none';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS session String COMMENT 'names the session; empty if each request is authenticated';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS program Bool COMMENT 'a machine, or a person''s token in a machine';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS chain String COMMENT 'one console process and property';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS link UInt64 COMMENT '1, 2, ... in the chain, over both tables';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS prev String COMMENT 'hash of the link before';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS hash String COMMENT 'SHA-256 of prev and of all other columns, in hex';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS issuer LowCardinality(String) COMMENT 'who vouches for the subject: URL of an OpenID provider, proxy, token or none';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS subject String COMMENT 'the user at the issuer';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS sign_in LowCardinality(String) COMMENT 'oidc, proxy, token, bearer or none';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS session String COMMENT 'names the session; empty if each request is authenticated';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS program Bool COMMENT 'a machine, or a person''s token in a machine';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS chain String COMMENT 'one console process and property';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS link UInt64 COMMENT '1, 2, ... in the chain, over both tables';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS prev String COMMENT 'hash of the link before';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS hash String COMMENT 'SHA-256 of prev and of all other columns, in hex';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS issuer LowCardinality(String) COMMENT 'who vouches for the subject: URL of an OpenID provider, proxy, token or none';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS subject String COMMENT 'the user at the issuer';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS sign_in LowCardinality(String) COMMENT 'oidc, proxy, token, bearer or none';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS session String COMMENT 'names the session; empty if each request is authenticated';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS program Bool COMMENT 'a machine, or a person''s token in a machine';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS chain String COMMENT 'one console process and property';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS link UInt64 COMMENT '1, 2, ... in the chain, over both tables';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS prev String COMMENT 'hash of the link before';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS hash String COMMENT 'SHA-256 of prev and of all other columns, in hex';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS role LowCardinality(String) COMMENT 'roles of the actor at the time';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS role LowCardinality(String) COMMENT 'roles of the actor at the time';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor DROP PROJECTION IF EXISTS by_time;

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD PROJECTION IF NOT EXISTS by_time (SELECT * ORDER BY at);

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor MATERIALIZE PROJECTION by_time;

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS archived UInt64 COMMENT 'records that the range archived; the others repeat records';

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS archived_sha256 String COMMENT 'digest of the archived records; empty in rows of older releases';

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS archived UInt64 COMMENT 'records that the range archived; the others repeat records';

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS archived_sha256 String COMMENT 'digest of the archived records; empty in rows of older releases';

ALTER TABLE shoeproof.events_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS topic LowCardinality(String), MODIFY ORDER BY (property_id, table_id, seq, event_id, sha256, topic);

ALTER TABLE shoeproof.events ON CLUSTER floor ADD COLUMN IF NOT EXISTS topic LowCardinality(String);

ALTER TABLE shoeproof.events_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_at at TYPE minmax GRANULARITY 1;

ALTER TABLE shoeproof.events_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_offset (partition, offset) TYPE minmax GRANULARITY 1;

ALTER TABLE shoeproof.events_local ON CLUSTER floor MATERIALIZE INDEX by_at;

ALTER TABLE shoeproof.events_local ON CLUSTER floor MATERIALIZE INDEX by_offset;

ALTER TABLE shoeproof.events_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '', min_bytes_for_wide_part = 268435456;

ALTER TABLE shoeproof.table_memory_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '', min_bytes_for_wide_part = 268435456;

ALTER TABLE shoeproof.events_to_feeds_local ON CLUSTER floor MODIFY QUERY
WITH bitShiftLeft(toInt128(toUnixTimestamp64Nano(e.at)), 64) + toInt128(e.seq) AS latest
SELECT e.property_id AS property_id, argMax(e.pit_id, e.at) AS pit_id, e.table_id AS table_id, max(e.at) AS at, argMax(e.seq, e.at) AS seq,
    argMax(e.shoe_id, latest) AS shoe_id, argMax(e.round, latest) AS round, argMax(e.kind, latest) AS kind,
    now64(3) AS received_at
FROM shoeproof.events_local AS e
GROUP BY e.property_id, e.table_id;

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_at at TYPE minmax GRANULARITY 1;

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor MATERIALIZE INDEX by_at;

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_at at TYPE minmax GRANULARITY 1;

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor MATERIALIZE INDEX by_at;

ALTER TABLE shoeproof.handovers_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS id String COMMENT 'the hand-over; a row that accepts it has the same';

ALTER TABLE shoeproof.handovers_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS action LowCardinality(String) COMMENT 'empty is signed by the outgoing person, accept by the incoming one';

ALTER TABLE shoeproof.handovers_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS issuer LowCardinality(String) COMMENT 'who vouches for the subject, as in console_log';

ALTER TABLE shoeproof.handovers_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS subject String;

ALTER TABLE shoeproof.handovers_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS snapshot String COMMENT 'JSON: open findings, actions and silences at that moment' CODEC(ZSTD(3));

ALTER TABLE shoeproof.handovers ON CLUSTER floor ADD COLUMN IF NOT EXISTS id String COMMENT 'the hand-over; a row that accepts it has the same';

ALTER TABLE shoeproof.handovers ON CLUSTER floor ADD COLUMN IF NOT EXISTS action LowCardinality(String) COMMENT 'empty is signed by the outgoing person, accept by the incoming one';

ALTER TABLE shoeproof.handovers ON CLUSTER floor ADD COLUMN IF NOT EXISTS issuer LowCardinality(String) COMMENT 'who vouches for the subject, as in console_log';

ALTER TABLE shoeproof.handovers ON CLUSTER floor ADD COLUMN IF NOT EXISTS subject String;

ALTER TABLE shoeproof.handovers ON CLUSTER floor ADD COLUMN IF NOT EXISTS snapshot String COMMENT 'JSON: open findings, actions and silences at that moment' CODEC(ZSTD(3));

ALTER TABLE shoeproof.events_local ON CLUSTER floor MODIFY COLUMN raw CODEC(ZSTD(1));

ALTER TABLE shoeproof.table_memory_local ON CLUSTER floor MODIFY COLUMN memory CODEC(ZSTD(1));

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS settled_at DateTime64(9, 'UTC') DEFAULT greatest(at, end_at) COMMENT 'time of the event that settled the round' CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.rounds ON CLUSTER floor ADD COLUMN IF NOT EXISTS settled_at DateTime64(9, 'UTC') DEFAULT greatest(at, end_at) COMMENT 'time of the event that settled the round' CODEC(Delta, ZSTD(1));

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_settled settled_at TYPE minmax GRANULARITY 1;

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor MATERIALIZE INDEX by_settled;

CREATE TABLE IF NOT EXISTS shoeproof.withdrawals_local ON CLUSTER floor (
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
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (property_id, finding_id, at)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'findings that a nightly run withdrew; append-only';

CREATE TABLE IF NOT EXISTS shoeproof.withdrawals ON CLUSTER floor AS shoeproof.withdrawals_local
ENGINE = Distributed(floor, shoeproof, withdrawals_local, cityHash64(finding_id));

CREATE VIEW IF NOT EXISTS shoeproof.v_withdrawn ON CLUSTER floor AS
SELECT w.property_id AS property_id, w.finding_id AS finding_id, any(w.gaming_day) AS gaming_day, any(w.shift) AS shift,
    any(w.rule) AS rule, max(w.at) AS withdrawn_at, argMax(w.reason, w.at) AS reason, argMax(w.run_id, w.at) AS run_id
FROM shoeproof.withdrawals AS w
GROUP BY w.property_id, w.finding_id
HAVING argMax(w.action, w.at) = 'withdraw';

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS late UInt32 COMMENT 'of the differences to the live audit, those that follow from events that arrived late';

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS late UInt32 COMMENT 'of the differences to the live audit, those that follow from events that arrived late';

DROP VIEW IF EXISTS shoeproof.v_findings ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_findings ON CLUSTER floor AS
SELECT * FROM shoeproof.findings FINAL
WHERE id GLOBAL NOT IN (SELECT finding_id FROM shoeproof.v_withdrawn);

DROP VIEW IF EXISTS shoeproof.v_findings_by_table ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_findings_by_table ON CLUSTER floor AS
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
FROM shoeproof.findings FINAL
WHERE id GLOBAL NOT IN (SELECT finding_id FROM shoeproof.v_withdrawn)
GROUP BY property_id, pit_id, table_id;

DROP VIEW IF EXISTS shoeproof.v_findings_by_rule ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_findings_by_rule ON CLUSTER floor AS
SELECT rule, kind, verdict, severity,
    count() AS findings,
    uniqExact(property_id, table_id) AS tables,
    uniqExact(property_id, table_id, shoe_id) AS shoes,
    min(at) AS first_at,
    max(at) AS last_at
FROM shoeproof.findings FINAL
WHERE id GLOBAL NOT IN (SELECT finding_id FROM shoeproof.v_withdrawn)
GROUP BY rule, kind, verdict, severity;

DROP VIEW IF EXISTS shoeproof.v_alarm_rate ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_alarm_rate ON CLUSTER floor AS
SELECT property_id, toStartOfInterval(at, INTERVAL 10 MINUTE) AS slot, count() AS alarms,
    countIf(severity = 'critical') AS critical, countIf(severity = 'major') AS major
FROM shoeproof.findings FINAL
WHERE verdict != 'INFO' AND severity != 'info' AND id GLOBAL NOT IN (SELECT finding_id FROM shoeproof.v_withdrawn)
GROUP BY property_id, slot;

DROP VIEW IF EXISTS shoeproof.v_dealer_findings ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_dealer_findings ON CLUSTER floor AS
SELECT property_id, dealer_id, gaming_day, rule, severity, verdict, count() AS findings, sum(amount) AS amount, any(currency) AS currency
FROM shoeproof.findings FINAL
WHERE dealer_id != '' AND id GLOBAL NOT IN (SELECT finding_id FROM shoeproof.v_withdrawn)
GROUP BY property_id, dealer_id, gaming_day, rule, severity, verdict;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS facts_sha256 String COMMENT 'of the facts of the day; empty if the archive gives others or a shoe was open';

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor ADD COLUMN IF NOT EXISTS facts_sha256 String COMMENT 'of the facts of the day; empty if the archive gives others or a shoe was open';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac_key LowCardinality(String) COMMENT 'id of the key of mac; empty without console.chain_key';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac String COMMENT 'HMAC-SHA256 of hash, in hex';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac_key LowCardinality(String) COMMENT 'id of the key of mac; empty without console.chain_key';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac String COMMENT 'HMAC-SHA256 of hash, in hex';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac_key LowCardinality(String) COMMENT 'id of the key of mac; empty without console.chain_key';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac String COMMENT 'HMAC-SHA256 of hash, in hex';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac_key LowCardinality(String) COMMENT 'id of the key of mac; empty without console.chain_key';

ALTER TABLE shoeproof.console_log ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac String COMMENT 'HMAC-SHA256 of hash, in hex';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor DROP PROJECTION IF EXISTS by_time;

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor ADD PROJECTION IF NOT EXISTS by_time (SELECT * ORDER BY at);

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor MATERIALIZE PROJECTION by_time;
