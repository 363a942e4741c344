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

DROP VIEW IF EXISTS shoeproof.v_events ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_events ON CLUSTER floor AS
SELECT * FROM shoeproof.events FINAL;

DROP VIEW IF EXISTS shoeproof.v_rounds ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_rounds ON CLUSTER floor AS
SELECT * FROM shoeproof.rounds FINAL;

DROP VIEW IF EXISTS shoeproof.v_wagers ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_wagers ON CLUSTER floor AS
SELECT * FROM shoeproof.wagers FINAL;

DROP VIEW IF EXISTS shoeproof.v_vigorish ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_vigorish ON CLUSTER floor AS
SELECT * FROM shoeproof.vigorish FINAL;

DROP VIEW IF EXISTS shoeproof.v_shoes ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_shoes ON CLUSTER floor AS
SELECT * FROM shoeproof.shoes FINAL;

DROP VIEW IF EXISTS shoeproof.v_table_configs ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_table_configs ON CLUSTER floor AS
SELECT * FROM shoeproof.table_configs FINAL;

DROP VIEW IF EXISTS shoeproof.v_notices ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_notices ON CLUSTER floor AS
SELECT * FROM shoeproof.notices FINAL;

DROP VIEW IF EXISTS shoeproof.v_table_memory ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_table_memory ON CLUSTER floor AS
SELECT * FROM shoeproof.table_memory FINAL;

DROP VIEW IF EXISTS shoeproof.v_evidence ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_evidence ON CLUSTER floor AS
SELECT * FROM shoeproof.evidence FINAL;

DROP VIEW IF EXISTS shoeproof.v_open_findings ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_open_findings ON CLUSTER floor AS
SELECT * FROM shoeproof.open_findings FINAL;

DROP VIEW IF EXISTS shoeproof.v_dead_letters ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_dead_letters ON CLUSTER floor AS
SELECT * FROM shoeproof.dead_letters FINAL;

DROP VIEW IF EXISTS shoeproof.v_audit_runs ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_audit_runs ON CLUSTER floor AS
SELECT * FROM shoeproof.audit_runs FINAL;

DROP VIEW IF EXISTS shoeproof.v_exports ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_exports ON CLUSTER floor AS
SELECT * FROM shoeproof.exports FINAL;

DROP VIEW IF EXISTS shoeproof.v_feeds ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_feeds ON CLUSTER floor AS
SELECT * FROM shoeproof.feeds FINAL;

DROP VIEW IF EXISTS shoeproof.v_shelves ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_shelves ON CLUSTER floor AS
SELECT * FROM shoeproof.shelves FINAL;

DROP VIEW IF EXISTS shoeproof.v_findings ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_findings ON CLUSTER floor AS
SELECT * FROM shoeproof.findings FINAL
WHERE id GLOBAL NOT IN (SELECT finding_id FROM shoeproof.v_withdrawn);

DROP VIEW IF EXISTS shoeproof.v_queue ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_queue ON CLUSTER floor AS
SELECT * FROM shoeproof.open_findings FINAL;

DROP VIEW IF EXISTS shoeproof.v_runs ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_runs ON CLUSTER floor AS
SELECT * FROM shoeproof.audit_runs FINAL;

DROP VIEW IF EXISTS shoeproof.v_bundles ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_bundles ON CLUSTER floor AS
SELECT * FROM shoeproof.exports FINAL WHERE kind = 'bundle';

DROP VIEW IF EXISTS shoeproof.v_waiting ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_waiting ON CLUSTER floor AS
SELECT * FROM shoeproof.waiting FINAL WHERE events > 0;

CREATE TABLE IF NOT EXISTS shoeproof.case_steps_local ON CLUSTER floor (
    property_id LowCardinality(String),
    case_id     String,
    at          DateTime64(6, 'UTC'),
    actor       LowCardinality(String),
    role        LowCardinality(String),
    issuer      LowCardinality(String) COMMENT 'who vouches for the subject, as in console_log',
    subject     String,
    action      LowCardinality(String) COMMENT 'open, add, remove, about, note, attach, assign or state',
    finding_id  String COMMENT 'of add and remove',
    kind        LowCardinality(String) COMMENT 'of a subject, or the new state',
    name        String COMMENT 'of a subject, an owner or a file',
    text        String COMMENT 'title, note or reason' CODEC(ZSTD(1)),
    content     String COMMENT 'of a file; may identify people' CODEC(ZSTD(1)),
    sha256      String COMMENT 'of the content, in hex; empty without a file',
    hash        String COMMENT 'SHA-256 of all other columns, with sha256 in place of the content'
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY (property_id, case_id, at)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, fsync_after_insert = 1, fsync_part_directory = 1
COMMENT 'what people gathered about findings; append-only';

CREATE TABLE IF NOT EXISTS shoeproof.case_steps ON CLUSTER floor AS shoeproof.case_steps_local
ENGINE = Distributed(floor, shoeproof, case_steps_local, cityHash64(property_id));

ALTER TABLE shoeproof.events_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.evidence_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.findings_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.journal_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.vigorish_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.shoes_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.table_memory_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.feeds_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.dealer_rounds_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 16;

ALTER TABLE shoeproof.withdrawals_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS hash String COMMENT 'SHA-256 of all other columns, in hex';

ALTER TABLE shoeproof.withdrawals ON CLUSTER floor ADD COLUMN IF NOT EXISTS hash String COMMENT 'SHA-256 of all other columns, in hex';

CREATE VIEW IF NOT EXISTS shoeproof.v_configs ON CLUSTER floor AS
SELECT x.property_id AS property_id, x.table_id AS table_id, x.config_id AS config_id, x.game AS game, x.currency AS currency,
    multiIf(x.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'), 1,
        x.currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'), 1000, 100) AS minor_units
FROM (
    SELECT property_id, table_id, config_id, argMax(game, seq) AS game,
        argMax(JSONExtractString(config, 'currency'), seq) AS currency
    FROM shoeproof.v_table_configs WHERE NOT closed
    GROUP BY property_id, table_id, config_id
) AS x;

CREATE VIEW IF NOT EXISTS shoeproof.v_rounds_flat ON CLUSTER floor AS
SELECT r.property_id AS property_id, r.pit_id AS pit_id, r.table_id AS table_id, r.shoe_id AS shoe_id, r.round AS round, r.at AS at,
    r.gaming_day AS gaming_day, r.shift AS shift, r.dealer_id AS dealer_id, c.game AS game, r.ruleset AS ruleset,
    r.config_id AS config_id, r.result AS result, r.player_count AS player_count, r.banker_count AS banker_count, r.cards AS cards,
    r.auditable AS auditable, r.wagers AS wagers, c.currency AS currency, greatest(c.minor_units, 1) AS minor_units,
    toDecimal128(r.staked, 3) / minor_units AS staked,
    toDecimal128(r.paid, 3) / minor_units AS paid,
    toDecimal128(r.expected_pay, 3) / minor_units AS expected_pay,
    toDecimal128(r.collected, 3) / minor_units AS collected,
    toDecimal128(r.returned, 3) / minor_units AS returned,
    toDecimal128(r.vigorish, 3) / minor_units AS vigorish,
    toDecimal128(r.collected + r.vigorish - r.paid, 3) / minor_units AS win
FROM shoeproof.v_rounds AS r
LEFT JOIN shoeproof.v_configs AS c ON c.property_id = r.property_id AND c.table_id = r.table_id AND c.config_id = r.config_id;

CREATE VIEW IF NOT EXISTS shoeproof.v_wagers_flat ON CLUSTER floor AS
SELECT w.property_id AS property_id, r.pit_id AS pit_id, w.table_id AS table_id, w.shoe_id AS shoe_id, w.round AS round, w.at AS at,
    w.gaming_day AS gaming_day, r.shift AS shift, r.dealer_id AS dealer_id, r.game AS game, r.ruleset AS ruleset, r.result AS result,
    w.wager_id AS wager_id, w.seat AS seat, w.spot AS spot, w.medium AS medium, w.patron AS patron, w.late AS late, w.ev AS ev,
    w.disposition AS disposition, w.expected AS expected, r.currency AS currency, greatest(r.minor_units, 1) AS minor_units,
    toDecimal128(w.stake, 3) / minor_units AS stake,
    toDecimal128(w.coupon, 3) / minor_units AS coupon,
    toDecimal128(w.paid, 3) / minor_units AS paid,
    toDecimal128(w.expected_paid, 3) / minor_units AS expected_paid,
    toDecimal128(w.collected, 3) / minor_units AS collected,
    toDecimal128(w.returned, 3) / minor_units AS returned
FROM shoeproof.v_wagers AS w
LEFT JOIN shoeproof.v_rounds_flat AS r ON r.property_id = w.property_id AND r.table_id = w.table_id AND r.shoe_id = w.shoe_id AND
    r.round = w.round;

CREATE VIEW IF NOT EXISTS shoeproof.v_vigorish_flat ON CLUSTER floor AS
SELECT v.property_id AS property_id, r.pit_id AS pit_id, v.table_id AS table_id, v.shoe_id AS shoe_id, v.round AS round, v.at AS at,
    v.gaming_day AS gaming_day, r.shift AS shift, r.dealer_id AS dealer_id, r.game AS game, r.ruleset AS ruleset,
    v.wager_id AS wager_id, v.seat AS seat, v.kind AS kind, r.currency AS currency, greatest(r.minor_units, 1) AS minor_units,
    toDecimal128(v.won, 3) / minor_units AS won,
    toDecimal128(v.least, 3) / minor_units AS least,
    toDecimal128(v.most, 3) / minor_units AS most,
    toDecimal128(v.marked, 3) / minor_units AS marked,
    toDecimal128(v.collected, 3) / minor_units AS collected
FROM shoeproof.v_vigorish AS v
LEFT JOIN shoeproof.v_rounds_flat AS r ON r.property_id = v.property_id AND r.table_id = v.table_id AND r.shoe_id = v.shoe_id AND
    r.round = v.round;

CREATE VIEW IF NOT EXISTS shoeproof.v_findings_flat ON CLUSTER floor AS
SELECT f.id AS id, f.kind AS kind, f.verdict AS verdict, f.basis AS basis, f.rule AS rule, f.severity AS severity,
    arrayStringConcat(f.citations, '; ') AS citations, f.property_id AS property_id, f.pit_id AS pit_id, f.table_id AS table_id,
    f.shoe_id AS shoe_id, f.round AS round, f.seat AS seat, f.at AS at, f.gaming_day AS gaming_day, f.shift AS shift,
    f.dealer_id AS dealer_id, s.game AS game, f.expected AS expected, f.observed AS observed, f.currency AS currency,
    toDecimal128(f.amount, 3) / multiIf(f.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX',
        'VND', 'VUV', 'XAF', 'XOF', 'XPF'), 1, f.currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'), 1000, 100) AS amount
FROM shoeproof.v_findings AS f
LEFT JOIN shoeproof.v_shoes AS s ON s.property_id = f.property_id AND s.table_id = f.table_id AND s.shoe_id = f.shoe_id;

ALTER TABLE shoeproof.audit_runs_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN run_id 'the nightly run',
    COMMENT COLUMN started_at 'when it began, UTC',
    COMMENT COLUMN ended_at 'when it ended, UTC',
    COMMENT COLUMN state 'done',
    COMMENT COLUMN error 'error in words; empty if it succeeded',
    COMMENT COLUMN tables 'tables that it replayed',
    COMMENT COLUMN shoes 'shoes that it replayed',
    COMMENT COLUMN rounds 'rounds that it replayed',
    COMMENT COLUMN findings 'findings that it made',
    COMMENT COLUMN rulebooks 'rulebooks that it applied',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN shift 'the shift of the run; empty for the whole day',
    COMMENT COLUMN events 'events that it replayed',
    COMMENT COLUMN events_sha256 'SHA-256 of the events, in hex',
    COMMENT COLUMN findings_sha256 'SHA-256 of the findings, in hex',
    COMMENT COLUMN live_sha256 'SHA-256 of the findings of the live audit, in hex',
    COMMENT COLUMN missing 'findings that the live audit lacks',
    COMMENT COLUMN extra 'findings that only the live audit has',
    COMMENT COLUMN changed 'findings with another content in the live audit',
    COMMENT COLUMN gaps 'gaps in the numbers of events',
    COMMENT COLUMN dead_letters 'records that could not be decoded',
    COMMENT COLUMN open_shoes 'shoes that were still open at the end of the day',
    COMMENT COLUMN supersedes 'the run that this one replaces; empty without one',
    COMMENT COLUMN late 'differences to the live audit that follow from events that arrived late',
    COMMENT COLUMN facts_sha256 'SHA-256 of the facts of the day, in hex; empty if the archive gives others or a shoe was open';

ALTER TABLE shoeproof.audit_runs ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN run_id 'the nightly run',
    COMMENT COLUMN started_at 'when it began, UTC',
    COMMENT COLUMN ended_at 'when it ended, UTC',
    COMMENT COLUMN state 'done',
    COMMENT COLUMN error 'error in words; empty if it succeeded',
    COMMENT COLUMN tables 'tables that it replayed',
    COMMENT COLUMN shoes 'shoes that it replayed',
    COMMENT COLUMN rounds 'rounds that it replayed',
    COMMENT COLUMN findings 'findings that it made',
    COMMENT COLUMN rulebooks 'rulebooks that it applied',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN shift 'the shift of the run; empty for the whole day',
    COMMENT COLUMN events 'events that it replayed',
    COMMENT COLUMN events_sha256 'SHA-256 of the events, in hex',
    COMMENT COLUMN findings_sha256 'SHA-256 of the findings, in hex',
    COMMENT COLUMN live_sha256 'SHA-256 of the findings of the live audit, in hex',
    COMMENT COLUMN missing 'findings that the live audit lacks',
    COMMENT COLUMN extra 'findings that only the live audit has',
    COMMENT COLUMN changed 'findings with another content in the live audit',
    COMMENT COLUMN gaps 'gaps in the numbers of events',
    COMMENT COLUMN dead_letters 'records that could not be decoded',
    COMMENT COLUMN open_shoes 'shoes that were still open at the end of the day',
    COMMENT COLUMN supersedes 'the run that this one replaces; empty without one',
    COMMENT COLUMN late 'differences to the live audit that follow from events that arrived late',
    COMMENT COLUMN facts_sha256 'SHA-256 of the facts of the day, in hex; empty if the archive gives others or a shoe was open';

ALTER TABLE shoeproof.case_steps_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN case_id 'the case',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN role 'roles of the user at the time',
    COMMENT COLUMN issuer 'who vouches for the subject: URL of an OpenID provider, proxy, token or none',
    COMMENT COLUMN subject 'the user at the issuer',
    COMMENT COLUMN finding_id 'the finding, of add and remove',
    COMMENT COLUMN kind 'kind of the subject, or the new state',
    COMMENT COLUMN name 'name of a subject, an owner or a file',
    COMMENT COLUMN content 'content of a file; may identify people',
    COMMENT COLUMN sha256 'SHA-256 of the content, in hex; empty without a file';

ALTER TABLE shoeproof.case_steps ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN case_id 'the case',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN role 'roles of the user at the time',
    COMMENT COLUMN issuer 'who vouches for the subject: URL of an OpenID provider, proxy, token or none',
    COMMENT COLUMN subject 'the user at the issuer',
    COMMENT COLUMN finding_id 'the finding, of add and remove',
    COMMENT COLUMN kind 'kind of the subject, or the new state',
    COMMENT COLUMN name 'name of a subject, an owner or a file',
    COMMENT COLUMN content 'content of a file; may identify people',
    COMMENT COLUMN sha256 'SHA-256 of the content, in hex; empty without a file';

ALTER TABLE shoeproof.console_log_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN role 'roles of the user at the time',
    COMMENT COLUMN action 'what was done',
    COMMENT COLUMN object 'what it was done to',
    COMMENT COLUMN detail 'details in words',
    COMMENT COLUMN remote 'address from which the request came',
    COMMENT COLUMN link 'number of the link in the chain, from 1, over both tables';

ALTER TABLE shoeproof.console_log ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN role 'roles of the user at the time',
    COMMENT COLUMN action 'what was done',
    COMMENT COLUMN object 'what it was done to',
    COMMENT COLUMN detail 'details in words',
    COMMENT COLUMN remote 'address from which the request came',
    COMMENT COLUMN link 'number of the link in the chain, from 1, over both tables';

ALTER TABLE shoeproof.dead_letters_local ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN offset 'the offset in the partition',
    COMMENT COLUMN reason 'why the record could not be decoded',
    COMMENT COLUMN raw 'record as received; may name patrons';

ALTER TABLE shoeproof.dead_letters ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN offset 'the offset in the partition',
    COMMENT COLUMN reason 'why the record could not be decoded',
    COMMENT COLUMN raw 'record as received; may name patrons';

ALTER TABLE shoeproof.dealer_findings_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the row',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.dealer_findings ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the row',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.dealer_rounds_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN rounds 'number of rounds',
    COMMENT COLUMN last_at 'time of the last one, UTC';

ALTER TABLE shoeproof.dealer_rounds ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN rounds 'number of rounds',
    COMMENT COLUMN last_at 'time of the last one, UTC';

ALTER TABLE shoeproof.events_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN event_id 'id of the event, as the publisher set it',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN kind 'kind of the event',
    COMMENT COLUMN format 'format in which the event was received',
    COMMENT COLUMN raw 'record as received; may name patrons',
    COMMENT COLUMN sha256 'SHA-256 of raw',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN offset 'the offset in the partition',
    COMMENT COLUMN topic 'the Kafka topic; empty for events of a file';

ALTER TABLE shoeproof.events ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN event_id 'id of the event, as the publisher set it',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN kind 'kind of the event',
    COMMENT COLUMN format 'format in which the event was received',
    COMMENT COLUMN raw 'record as received; may name patrons',
    COMMENT COLUMN sha256 'SHA-256 of raw',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN offset 'the offset in the partition',
    COMMENT COLUMN topic 'the Kafka topic; empty for events of a file';

ALTER TABLE shoeproof.evidence_local ON CLUSTER floor COMMENT COLUMN detector 'the detector',
    COMMENT COLUMN key 'what the detector tests, such as a dealer or a table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN start 'weight of a start at this round',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.evidence ON CLUSTER floor COMMENT COLUMN detector 'the detector',
    COMMENT COLUMN key 'what the detector tests, such as a dealer or a table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN start 'weight of a start at this round',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.exports_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN export_id 'the export',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN kind 'bundle, or a file of the console',
    COMMENT COLUMN query 'what was exported, as the user chose it',
    COMMENT COLUMN name 'name of the file',
    COMMENT COLUMN files 'number of files',
    COMMENT COLUMN bytes 'size in bytes',
    COMMENT COLUMN sha256 'SHA-256 of the file; of a bundle, of manifest.json; in hex',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN origin 'name of the log',
    COMMENT COLUMN number 'number of the export in its log, from 1',
    COMMENT COLUMN findings 'number of findings',
    COMMENT COLUMN amendments 'number of amendments of earlier exports',
    COMMENT COLUMN log_size 'leaves of the log, this export included',
    COMMENT COLUMN log_root 'root of the signed tree, base64';

ALTER TABLE shoeproof.exports ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN export_id 'the export',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN kind 'bundle, or a file of the console',
    COMMENT COLUMN query 'what was exported, as the user chose it',
    COMMENT COLUMN name 'name of the file',
    COMMENT COLUMN files 'number of files',
    COMMENT COLUMN bytes 'size in bytes',
    COMMENT COLUMN sha256 'SHA-256 of the file; of a bundle, of manifest.json; in hex',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN origin 'name of the log',
    COMMENT COLUMN number 'number of the export in its log, from 1',
    COMMENT COLUMN findings 'number of findings',
    COMMENT COLUMN amendments 'number of amendments of earlier exports',
    COMMENT COLUMN log_size 'leaves of the log, this export included',
    COMMENT COLUMN log_root 'root of the signed tree, base64';

ALTER TABLE shoeproof.feeds_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN kind 'kind of the event',
    COMMENT COLUMN received_at 'when ingest received the last event, UTC';

ALTER TABLE shoeproof.feeds ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN kind 'kind of the event',
    COMMENT COLUMN received_at 'when ingest received the last event, UTC';

ALTER TABLE shoeproof.finding_actions_local ON CLUSTER floor COMMENT COLUMN finding_id 'id of the finding',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN action 'acknowledge, review, assign, escalate, note, close, confirm, reject, reopen or undo',
    COMMENT COLUMN from_state 'state before',
    COMMENT COLUMN to_state 'state after',
    COMMENT COLUMN disposition 'result of the triage',
    COMMENT COLUMN reason 'reason in words',
    COMMENT COLUMN note 'note in words',
    COMMENT COLUMN link 'number of the link in the chain, from 1, over both tables',
    COMMENT COLUMN role 'roles of the user at the time';

ALTER TABLE shoeproof.finding_actions ON CLUSTER floor COMMENT COLUMN finding_id 'id of the finding',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN action 'acknowledge, review, assign, escalate, note, close, confirm, reject, reopen or undo',
    COMMENT COLUMN from_state 'state before',
    COMMENT COLUMN to_state 'state after',
    COMMENT COLUMN disposition 'result of the triage',
    COMMENT COLUMN reason 'reason in words',
    COMMENT COLUMN note 'note in words',
    COMMENT COLUMN link 'number of the link in the chain, from 1, over both tables',
    COMMENT COLUMN role 'roles of the user at the time';

ALTER TABLE shoeproof.findings_local ON CLUSTER floor COMMENT COLUMN id 'id of the finding: 32 hex digits, the same for the same deviation in every run',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN citations 'clauses of the rulebook',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN subject 'what the finding is about in its round, such as seat:5 or wager:ID',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN evidence 'numbers and ids of the events that prove it',
    COMMENT COLUMN rulebook 'the rulebook and the version of its content',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN ln_e 'natural logarithm of the evidence of an anomaly; 0 for rules',
    COMMENT COLUMN threshold 'natural logarithm that the evidence had to reach; 0 for rules',
    COMMENT COLUMN odds 'the evidence in words',
    COMMENT COLUMN covers 'findings that this one explains and that are not reported by themselves: rule, round, subject';

ALTER TABLE shoeproof.findings ON CLUSTER floor COMMENT COLUMN id 'id of the finding: 32 hex digits, the same for the same deviation in every run',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN citations 'clauses of the rulebook',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN subject 'what the finding is about in its round, such as seat:5 or wager:ID',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN evidence 'numbers and ids of the events that prove it',
    COMMENT COLUMN rulebook 'the rulebook and the version of its content',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN ln_e 'natural logarithm of the evidence of an anomaly; 0 for rules',
    COMMENT COLUMN threshold 'natural logarithm that the evidence had to reach; 0 for rules',
    COMMENT COLUMN odds 'the evidence in words',
    COMMENT COLUMN covers 'findings that this one explains and that are not reported by themselves: rule, round, subject';

ALTER TABLE shoeproof.handovers_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN note 'note in words',
    COMMENT COLUMN open 'number of open findings',
    COMMENT COLUMN critical 'number of critical findings',
    COMMENT COLUMN unowned 'number of open findings that are assigned to no one',
    COMMENT COLUMN issuer 'who vouches for the subject: URL of an OpenID provider, proxy, token or none',
    COMMENT COLUMN subject 'the user at the issuer',
    COMMENT COLUMN snapshot 'open findings, actions and silences at that moment, as JSON';

ALTER TABLE shoeproof.handovers ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN note 'note in words',
    COMMENT COLUMN open 'number of open findings',
    COMMENT COLUMN critical 'number of critical findings',
    COMMENT COLUMN unowned 'number of open findings that are assigned to no one',
    COMMENT COLUMN issuer 'who vouches for the subject: URL of an OpenID provider, proxy, token or none',
    COMMENT COLUMN subject 'the user at the issuer',
    COMMENT COLUMN snapshot 'open findings, actions and silences at that moment, as JSON';

ALTER TABLE shoeproof.journal_local ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN from_offset 'first offset of the range',
    COMMENT COLUMN to_offset 'last offset of the range, included',
    COMMENT COLUMN low_offset 'offset from which a restart reads again',
    COMMENT COLUMN generation 'generation of the consumer group, or of the lease, under which it was written',
    COMMENT COLUMN epoch 'how often the log had been truncated before',
    COMMENT COLUMN cut_to 'last offset that is gone; otherwise 0',
    COMMENT COLUMN rules_version 'version of the rules',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN records 'records of the range',
    COMMENT COLUMN rows 'rows of the range',
    COMMENT COLUMN hash 'hash of the rows of the range',
    COMMENT COLUMN written_at 'when the row was written, by the clock of the program',
    COMMENT COLUMN released 'tables whose gaps were given up after the range, JSON';

ALTER TABLE shoeproof.journal ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN from_offset 'first offset of the range',
    COMMENT COLUMN to_offset 'last offset of the range, included',
    COMMENT COLUMN low_offset 'offset from which a restart reads again',
    COMMENT COLUMN generation 'generation of the consumer group, or of the lease, under which it was written',
    COMMENT COLUMN epoch 'how often the log had been truncated before',
    COMMENT COLUMN cut_to 'last offset that is gone; otherwise 0',
    COMMENT COLUMN rules_version 'version of the rules',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN records 'records of the range',
    COMMENT COLUMN rows 'rows of the range',
    COMMENT COLUMN hash 'hash of the rows of the range',
    COMMENT COLUMN written_at 'when the row was written, by the clock of the program',
    COMMENT COLUMN released 'tables whose gaps were given up after the range, JSON';

ALTER TABLE shoeproof.leases_local ON CLUSTER floor COMMENT COLUMN name 'name of the lease',
    COMMENT COLUMN generation 'generation of the consumer group, or of the lease, under which it was written',
    COMMENT COLUMN holder 'process that has the lease',
    COMMENT COLUMN state 'taken or released',
    COMMENT COLUMN at 'when the row was written, UTC';

ALTER TABLE shoeproof.leases ON CLUSTER floor COMMENT COLUMN name 'name of the lease',
    COMMENT COLUMN generation 'generation of the consumer group, or of the lease, under which it was written',
    COMMENT COLUMN holder 'process that has the lease',
    COMMENT COLUMN state 'taken or released',
    COMMENT COLUMN at 'when the row was written, UTC';

ALTER TABLE shoeproof.legal_holds_local ON CLUSTER floor COMMENT COLUMN hold_id 'the legal hold',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN from_day 'first gaming day',
    COMMENT COLUMN until_day 'last gaming day, included',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN reason 'reason in words';

ALTER TABLE shoeproof.legal_holds ON CLUSTER floor COMMENT COLUMN hold_id 'the legal hold',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN from_day 'first gaming day',
    COMMENT COLUMN until_day 'last gaming day, included',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN reason 'reason in words';

ALTER TABLE shoeproof.notices_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN notice_at 'time of the notice, UTC',
    COMMENT COLUMN effective_at 'time from which it is in force, UTC',
    COMMENT COLUMN topic 'what the notice announces',
    COMMENT COLUMN filed 'it was filed with the regulator',
    COMMENT COLUMN written 'it was given in writing',
    COMMENT COLUMN recipients 'who received it',
    COMMENT COLUMN medium 'how it was given',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.notices ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN notice_at 'time of the notice, UTC',
    COMMENT COLUMN effective_at 'time from which it is in force, UTC',
    COMMENT COLUMN topic 'what the notice announces',
    COMMENT COLUMN filed 'it was filed with the regulator',
    COMMENT COLUMN written 'it was given in writing',
    COMMENT COLUMN recipients 'who received it',
    COMMENT COLUMN medium 'how it was given',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the finding',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN is_deleted 'the finding left the queue: it was closed or withdrawn',
    COMMENT COLUMN owner 'user to whom it is assigned; empty if unassigned',
    COMMENT COLUMN fingerprint 'same for findings that repeat each other at a table',
    COMMENT COLUMN arrived_at 'when the queue received it, UTC',
    COMMENT COLUMN changed_at 'when the row was written, UTC',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed';

ALTER TABLE shoeproof.open_findings ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the finding',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN is_deleted 'the finding left the queue: it was closed or withdrawn',
    COMMENT COLUMN owner 'user to whom it is assigned; empty if unassigned',
    COMMENT COLUMN fingerprint 'same for findings that repeat each other at a table',
    COMMENT COLUMN arrived_at 'when the queue received it, UTC',
    COMMENT COLUMN changed_at 'when the row was written, UTC',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed';

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the first event of the round, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN result 'PLAYER, BANKER or TIE by the cards as dealt; VOID, or NONE if the cards give none',
    COMMENT COLUMN player_count 'points of the hand of the player, 0 to 9',
    COMMENT COLUMN banker_count 'points of the hand of the banker, 0 to 9',
    COMMENT COLUMN player_cards 'number of cards of the hand of the player',
    COMMENT COLUMN banker_cards 'number of cards of the hand of the banker',
    COMMENT COLUMN cards 'the cards of both hands, such as P 6c Kh B 7d Ks',
    COMMENT COLUMN wagers 'number of wagers that stood',
    COMMENT COLUMN staked 'sum of the stakes of wagers that stood: the handle; minor units',
    COMMENT COLUMN paid 'sum that was paid on wagers, without returned stakes; minor units',
    COMMENT COLUMN expected_pay 'sum that the rules require to be paid; minor units',
    COMMENT COLUMN collected 'sum of losing stakes that were taken; minor units',
    COMMENT COLUMN returned 'sum of stakes that were given back; minor units',
    COMMENT COLUMN vigorish 'vigorish that was marked or collected during the round; minor units',
    COMMENT COLUMN auditable 'false if events of the round are missing',
    COMMENT COLUMN first_seq 'number of the first event',
    COMMENT COLUMN end_seq 'number of the event that ended or voided the round; 0 without one',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN decks 'decks of the shoe',
    COMMENT COLUMN unseen 'cards not seen before the first one of the round: a byte for each of 52, clubs first, aces first; empty if unknown',
    COMMENT COLUMN chance_player 'exact chance of the player before the first card; 0 in all three is unknown',
    COMMENT COLUMN chance_banker 'exact chance of the banker before the first card; 0 in all three is unknown',
    COMMENT COLUMN chance_tie 'exact chance of a tie before the first card; 0 in all three is unknown',
    COMMENT COLUMN locked_at 'time of no more bets, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN card_at 'time of the first card, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN end_at 'time of the end of the round, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN batch_id 'batch of the cards of the shoe',
    COMMENT COLUMN shuffler 'device that shuffled the shoe',
    COMMENT COLUMN reader 'device that read the cards',
    COMMENT COLUMN settled_at 'time of the event that settled the round: the next first card, or the end of the shoe; UTC';

ALTER TABLE shoeproof.rounds ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the first event of the round, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN result 'PLAYER, BANKER or TIE by the cards as dealt; VOID, or NONE if the cards give none',
    COMMENT COLUMN player_count 'points of the hand of the player, 0 to 9',
    COMMENT COLUMN banker_count 'points of the hand of the banker, 0 to 9',
    COMMENT COLUMN player_cards 'number of cards of the hand of the player',
    COMMENT COLUMN banker_cards 'number of cards of the hand of the banker',
    COMMENT COLUMN cards 'the cards of both hands, such as P 6c Kh B 7d Ks',
    COMMENT COLUMN wagers 'number of wagers that stood',
    COMMENT COLUMN staked 'sum of the stakes of wagers that stood: the handle; minor units',
    COMMENT COLUMN paid 'sum that was paid on wagers, without returned stakes; minor units',
    COMMENT COLUMN expected_pay 'sum that the rules require to be paid; minor units',
    COMMENT COLUMN collected 'sum of losing stakes that were taken; minor units',
    COMMENT COLUMN returned 'sum of stakes that were given back; minor units',
    COMMENT COLUMN vigorish 'vigorish that was marked or collected during the round; minor units',
    COMMENT COLUMN auditable 'false if events of the round are missing',
    COMMENT COLUMN first_seq 'number of the first event',
    COMMENT COLUMN end_seq 'number of the event that ended or voided the round; 0 without one',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN decks 'decks of the shoe',
    COMMENT COLUMN unseen 'cards not seen before the first one of the round: a byte for each of 52, clubs first, aces first; empty if unknown',
    COMMENT COLUMN chance_player 'exact chance of the player before the first card; 0 in all three is unknown',
    COMMENT COLUMN chance_banker 'exact chance of the banker before the first card; 0 in all three is unknown',
    COMMENT COLUMN chance_tie 'exact chance of a tie before the first card; 0 in all three is unknown',
    COMMENT COLUMN locked_at 'time of no more bets, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN card_at 'time of the first card, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN end_at 'time of the end of the round, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN batch_id 'batch of the cards of the shoe',
    COMMENT COLUMN shuffler 'device that shuffled the shoe',
    COMMENT COLUMN reader 'device that read the cards',
    COMMENT COLUMN settled_at 'time of the event that settled the round: the next first card, or the end of the shoe; UTC';

ALTER TABLE shoeproof.run_lines_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN part 'part of the run: shift, and i/n of the workers',
    COMMENT COLUMN generation 'generation of the consumer group, or of the lease, under which it was written',
    COMMENT COLUMN no 'number of the line',
    COMMENT COLUMN kind 'kind of the row',
    COMMENT COLUMN line 'line of the report',
    COMMENT COLUMN written_at 'when the row was written, by the clock of the program';

ALTER TABLE shoeproof.run_lines ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN part 'part of the run: shift, and i/n of the workers',
    COMMENT COLUMN generation 'generation of the consumer group, or of the lease, under which it was written',
    COMMENT COLUMN no 'number of the line',
    COMMENT COLUMN kind 'kind of the row',
    COMMENT COLUMN line 'line of the report',
    COMMENT COLUMN written_at 'when the row was written, by the clock of the program';

ALTER TABLE shoeproof.schema_migrations_local ON CLUSTER floor COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN name 'file of the migration',
    COMMENT COLUMN sha256 'SHA-256, in hex',
    COMMENT COLUMN applied_by 'user who applied it',
    COMMENT COLUMN applied_at 'when it was applied, UTC';

ALTER TABLE shoeproof.schema_migrations ON CLUSTER floor COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN name 'file of the migration',
    COMMENT COLUMN sha256 'SHA-256, in hex',
    COMMENT COLUMN applied_by 'user who applied it',
    COMMENT COLUMN applied_at 'when it was applied, UTC';

ALTER TABLE shoeproof.shelves_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN id 'id of the row',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN table_id 'the table; empty is every table',
    COMMENT COLUMN reason 'reason in words',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN at 'begin of the silence, UTC',
    COMMENT COLUMN until 'end of the silence, UTC: 24 hours after at, or earlier',
    COMMENT COLUMN lifted_by 'user who ended the silence; empty if it ended by itself',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.shelves ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN id 'id of the row',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN table_id 'the table; empty is every table',
    COMMENT COLUMN reason 'reason in words',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN at 'begin of the silence, UTC',
    COMMENT COLUMN until 'end of the silence, UTC: 24 hours after at, or earlier',
    COMMENT COLUMN lifted_by 'user who ended the silence; empty if it ended by itself',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.shoes_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN at 'time of the first event of the shoe, UTC',
    COMMENT COLUMN ended_at 'time of the end of the shoe, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN decks 'decks of the shoe',
    COMMENT COLUMN cards_out 'cards that left the shoe',
    COMMENT COLUMN remaining 'cards that remained, as reported at its end',
    COMMENT COLUMN rounds 'rounds of the shoe',
    COMMENT COLUMN unauditable 'rules and rounds of the shoe that could not be judged',
    COMMENT COLUMN findings 'findings of the shoe',
    COMMENT COLUMN outstanding 'vigorish that was still owed at the end; minor units',
    COMMENT COLUMN joined 'the audit began in the middle of the shoe',
    COMMENT COLUMN missing 'events of the shoe are missing',
    COMMENT COLUMN first_seq 'number of the first event',
    COMMENT COLUMN last_seq 'number of the last event',
    COMMENT COLUMN rulebook 'the rulebook and the version of its content',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN closed_at 'time of the event after which the rules of a whole shoe were evaluated, UTC';

ALTER TABLE shoeproof.shoes ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN at 'time of the first event of the shoe, UTC',
    COMMENT COLUMN ended_at 'time of the end of the shoe, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN decks 'decks of the shoe',
    COMMENT COLUMN cards_out 'cards that left the shoe',
    COMMENT COLUMN remaining 'cards that remained, as reported at its end',
    COMMENT COLUMN rounds 'rounds of the shoe',
    COMMENT COLUMN unauditable 'rules and rounds of the shoe that could not be judged',
    COMMENT COLUMN findings 'findings of the shoe',
    COMMENT COLUMN outstanding 'vigorish that was still owed at the end; minor units',
    COMMENT COLUMN joined 'the audit began in the middle of the shoe',
    COMMENT COLUMN missing 'events of the shoe are missing',
    COMMENT COLUMN first_seq 'number of the first event',
    COMMENT COLUMN last_seq 'number of the last event',
    COMMENT COLUMN rulebook 'the rulebook and the version of its content',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN closed_at 'time of the event after which the rules of a whole shoe were evaluated, UTC';

ALTER TABLE shoeproof.table_configs_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN effective_at 'time from which it is in force, UTC',
    COMMENT COLUMN opened 'the table was opened with this configuration',
    COMMENT COLUMN closed 'the row is the closing of the table, and has no configuration',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN mode 'kind of the vigorish: COMMISSION, TIE25, EZ, NOVIG6 or NONE',
    COMMENT COLUMN percent 'percentage of the vigorish',
    COMMENT COLUMN procedure 'number of the payment procedure',
    COMMENT COLUMN reshuffle 'the table is reshuffled continuously',
    COMMENT COLUMN config 'the TableConfig as canonical JSON',
    COMMENT COLUMN event_id 'id of the event, as the publisher set it',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.table_configs ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN effective_at 'time from which it is in force, UTC',
    COMMENT COLUMN opened 'the table was opened with this configuration',
    COMMENT COLUMN closed 'the row is the closing of the table, and has no configuration',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN mode 'kind of the vigorish: COMMISSION, TIE25, EZ, NOVIG6 or NONE',
    COMMENT COLUMN percent 'percentage of the vigorish',
    COMMENT COLUMN procedure 'number of the payment procedure',
    COMMENT COLUMN reshuffle 'the table is reshuffled continuously',
    COMMENT COLUMN config 'the TableConfig as canonical JSON',
    COMMENT COLUMN event_id 'id of the event, as the publisher set it',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.table_memory_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN memory 'state of the table; may name patrons',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN offset 'offset of the record after which it was written',
    COMMENT COLUMN epoch 'how often the log had been truncated before';

ALTER TABLE shoeproof.table_memory ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN memory 'state of the table; may name patrons',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN offset 'offset of the record after which it was written',
    COMMENT COLUMN epoch 'how often the log had been truncated before';

ALTER TABLE shoeproof.v_alarm_rate ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN slot 'begin of the ten minutes, UTC',
    COMMENT COLUMN alarms 'findings that alarm, in ten minutes',
    COMMENT COLUMN critical 'number of critical findings',
    COMMENT COLUMN major 'number of major findings',
    MODIFY COMMENT 'findings that alarm, in slots of ten minutes';

ALTER TABLE shoeproof.v_audit_runs ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN run_id 'the nightly run',
    COMMENT COLUMN started_at 'when it began, UTC',
    COMMENT COLUMN ended_at 'when it ended, UTC',
    COMMENT COLUMN state 'done',
    COMMENT COLUMN error 'error in words; empty if it succeeded',
    COMMENT COLUMN tables 'tables that it replayed',
    COMMENT COLUMN shoes 'shoes that it replayed',
    COMMENT COLUMN rounds 'rounds that it replayed',
    COMMENT COLUMN findings 'findings that it made',
    COMMENT COLUMN rulebooks 'rulebooks that it applied',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN shift 'the shift of the run; empty for the whole day',
    COMMENT COLUMN events 'events that it replayed',
    COMMENT COLUMN events_sha256 'SHA-256 of the events, in hex',
    COMMENT COLUMN findings_sha256 'SHA-256 of the findings, in hex',
    COMMENT COLUMN live_sha256 'SHA-256 of the findings of the live audit, in hex',
    COMMENT COLUMN missing 'findings that the live audit lacks',
    COMMENT COLUMN extra 'findings that only the live audit has',
    COMMENT COLUMN changed 'findings with another content in the live audit',
    COMMENT COLUMN gaps 'gaps in the numbers of events',
    COMMENT COLUMN dead_letters 'records that could not be decoded',
    COMMENT COLUMN open_shoes 'shoes that were still open at the end of the day',
    COMMENT COLUMN supersedes 'the run that this one replaces; empty without one',
    COMMENT COLUMN late 'differences to the live audit that follow from events that arrived late',
    COMMENT COLUMN facts_sha256 'SHA-256 of the facts of the day, in hex; empty if the archive gives others or a shoe was open',
    MODIFY COMMENT 'nightly runs';

ALTER TABLE shoeproof.v_bundles ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN export_id 'the export',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN kind 'bundle, or a file of the console',
    COMMENT COLUMN query 'what was exported, as the user chose it',
    COMMENT COLUMN name 'name of the file',
    COMMENT COLUMN files 'number of files',
    COMMENT COLUMN bytes 'size in bytes',
    COMMENT COLUMN sha256 'SHA-256 of the file; of a bundle, of manifest.json; in hex',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN origin 'name of the log',
    COMMENT COLUMN number 'number of the export in its log, from 1',
    COMMENT COLUMN findings 'number of findings',
    COMMENT COLUMN amendments 'number of amendments of earlier exports',
    COMMENT COLUMN log_size 'leaves of the log, this export included',
    COMMENT COLUMN log_root 'root of the signed tree, base64',
    MODIFY COMMENT 'signed bundles';

ALTER TABLE shoeproof.v_configs ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN minor_units 'minor units of a unit of the currency: 100 of most',
    MODIFY COMMENT 'game and currency of each configuration';

ALTER TABLE shoeproof.v_dead_letters ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN offset 'the offset in the partition',
    COMMENT COLUMN place 'file and line, if the record came from a file',
    COMMENT COLUMN reason 'why the record could not be decoded',
    COMMENT COLUMN raw 'record as received; may name patrons',
    MODIFY COMMENT 'records that could not be decoded';

ALTER TABLE shoeproof.v_dealer_findings ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN findings 'number of findings',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    MODIFY COMMENT 'findings by dealer, gaming day and rule';

ALTER TABLE shoeproof.v_events ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN event_id 'id of the event, as the publisher set it',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN kind 'kind of the event',
    COMMENT COLUMN format 'format in which the event was received',
    COMMENT COLUMN raw 'record as received; may name patrons',
    COMMENT COLUMN sha256 'SHA-256 of raw',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN offset 'the offset in the partition',
    COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    MODIFY COMMENT 'the archive: each event as received; auditors only';

ALTER TABLE shoeproof.v_evidence ON CLUSTER floor COMMENT COLUMN detector 'the detector',
    COMMENT COLUMN key 'what the detector tests, such as a dealer or a table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN ln_e 'natural logarithm of the factor',
    COMMENT COLUMN start 'weight of a start at this round',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    MODIFY COMMENT 'factors of the detectors, by round';

ALTER TABLE shoeproof.v_exports ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN export_id 'the export',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN kind 'bundle, or a file of the console',
    COMMENT COLUMN query 'what was exported, as the user chose it',
    COMMENT COLUMN name 'name of the file',
    COMMENT COLUMN files 'number of files',
    COMMENT COLUMN bytes 'size in bytes',
    COMMENT COLUMN sha256 'SHA-256 of the file; of a bundle, of manifest.json; in hex',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN origin 'name of the log',
    COMMENT COLUMN number 'number of the export in its log, from 1',
    COMMENT COLUMN findings 'number of findings',
    COMMENT COLUMN amendments 'number of amendments of earlier exports',
    COMMENT COLUMN log_size 'leaves of the log, this export included',
    COMMENT COLUMN log_root 'root of the signed tree, base64',
    MODIFY COMMENT 'exports: bundles and files of the console';

ALTER TABLE shoeproof.v_feeds ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN kind 'kind of the event',
    COMMENT COLUMN received_at 'when ingest received the last event, UTC',
    MODIFY COMMENT 'last event of each kind at each table';

ALTER TABLE shoeproof.v_findings ON CLUSTER floor COMMENT COLUMN id 'id of the finding: 32 hex digits, the same for the same deviation in every run',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN citations 'clauses of the rulebook',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN subject 'what the finding is about in its round, such as seat:5 or wager:ID',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN evidence 'numbers and ids of the events that prove it',
    COMMENT COLUMN rulebook 'the rulebook and the version of its content',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN ln_e 'natural logarithm of the evidence of an anomaly; 0 for rules',
    COMMENT COLUMN threshold 'natural logarithm that the evidence had to reach; 0 for rules',
    COMMENT COLUMN odds 'the evidence in words',
    COMMENT COLUMN covers 'findings that this one explains and that are not reported by themselves: rule, round, subject',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    MODIFY COMMENT 'findings that stand: without those that a later run withdrew';

ALTER TABLE shoeproof.v_findings_by_rule ON CLUSTER floor COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN findings 'number of findings',
    COMMENT COLUMN tables 'number of tables',
    COMMENT COLUMN shoes 'number of shoes',
    COMMENT COLUMN first_at 'time of the first one, UTC',
    COMMENT COLUMN last_at 'time of the last one, UTC',
    MODIFY COMMENT 'findings by rule, verdict and severity';

ALTER TABLE shoeproof.v_findings_by_table ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN findings 'number of findings',
    COMMENT COLUMN critical 'number of critical findings',
    COMMENT COLUMN major 'number of major findings',
    COMMENT COLUMN minor 'number of minor findings',
    COMMENT COLUMN info 'number of findings for information',
    COMMENT COLUMN breaches 'number of findings with the verdict BREACH',
    COMMENT COLUMN suspects 'number of findings with the verdict SUSPECT',
    COMMENT COLUMN unauditable 'number of findings with the verdict UNAUDITABLE',
    COMMENT COLUMN first_at 'time of the first one, UTC',
    COMMENT COLUMN last_at 'time of the last one, UTC',
    MODIFY COMMENT 'findings by table';

ALTER TABLE shoeproof.v_findings_flat ON CLUSTER floor COMMENT COLUMN id 'id of the finding: 32 hex digits, the same for the same deviation in every run',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN citations 'clauses of the rulebook, in one text',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN amount 'money at issue in the deviation',
    MODIFY COMMENT 'findings that stand, with the game; the amount is a decimal of the currency';

ALTER TABLE shoeproof.v_notices ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN notice_at 'time of the notice, UTC',
    COMMENT COLUMN effective_at 'time from which it is in force, UTC',
    COMMENT COLUMN topic 'what the notice announces',
    COMMENT COLUMN filed 'it was filed with the regulator',
    COMMENT COLUMN written 'it was given in writing',
    COMMENT COLUMN recipients 'who received it',
    COMMENT COLUMN medium 'how it was given',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    MODIFY COMMENT 'notices to the regulator and to patrons';

ALTER TABLE shoeproof.v_open_findings ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN urgency '1 critical, 2 major, 3 minor, 4 info, 5 other',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the finding',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN is_deleted 'the finding left the queue: it was closed or withdrawn',
    COMMENT COLUMN owner 'user to whom it is assigned; empty if unassigned',
    COMMENT COLUMN fingerprint 'same for findings that repeat each other at a table',
    COMMENT COLUMN arrived_at 'when the queue received it, UTC',
    COMMENT COLUMN changed_at 'when the row was written, UTC',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    MODIFY COMMENT 'the queue of triage';

ALTER TABLE shoeproof.v_progress ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN from_offset 'first offset of the range',
    COMMENT COLUMN to_offset 'last offset of the range, included',
    COMMENT COLUMN low_offset 'offset from which a restart reads again',
    COMMENT COLUMN generation 'generation of the consumer group, or of the lease, under which it was written',
    COMMENT COLUMN written_at 'when the row was written, by the clock of the program',
    MODIFY COMMENT 'last range of each partition';

ALTER TABLE shoeproof.v_queue ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN urgency '1 critical, 2 major, 3 minor, 4 info, 5 other',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the finding',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN is_deleted 'the finding left the queue: it was closed or withdrawn',
    COMMENT COLUMN owner 'user to whom it is assigned; empty if unassigned',
    COMMENT COLUMN fingerprint 'same for findings that repeat each other at a table',
    COMMENT COLUMN arrived_at 'when the queue received it, UTC',
    COMMENT COLUMN changed_at 'when the row was written, UTC',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    MODIFY COMMENT 'the queue of triage';

ALTER TABLE shoeproof.v_rounds ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the first event of the round, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN result 'PLAYER, BANKER or TIE by the cards as dealt; VOID, or NONE if the cards give none',
    COMMENT COLUMN player_count 'points of the hand of the player, 0 to 9',
    COMMENT COLUMN banker_count 'points of the hand of the banker, 0 to 9',
    COMMENT COLUMN player_cards 'number of cards of the hand of the player',
    COMMENT COLUMN banker_cards 'number of cards of the hand of the banker',
    COMMENT COLUMN cards 'the cards of both hands, such as P 6c Kh B 7d Ks',
    COMMENT COLUMN wagers 'number of wagers that stood',
    COMMENT COLUMN staked 'sum of the stakes of wagers that stood: the handle; minor units',
    COMMENT COLUMN paid 'sum that was paid on wagers, without returned stakes; minor units',
    COMMENT COLUMN expected_pay 'sum that the rules require to be paid; minor units',
    COMMENT COLUMN collected 'sum of losing stakes that were taken; minor units',
    COMMENT COLUMN returned 'sum of stakes that were given back; minor units',
    COMMENT COLUMN vigorish 'vigorish that was marked or collected during the round; minor units',
    COMMENT COLUMN auditable 'false if events of the round are missing',
    COMMENT COLUMN first_seq 'number of the first event',
    COMMENT COLUMN end_seq 'number of the event that ended or voided the round; 0 without one',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN decks 'decks of the shoe',
    COMMENT COLUMN unseen 'cards not seen before the first one of the round: a byte for each of 52, clubs first, aces first; empty if unknown',
    COMMENT COLUMN chance_player 'exact chance of the player before the first card; 0 in all three is unknown',
    COMMENT COLUMN chance_banker 'exact chance of the banker before the first card; 0 in all three is unknown',
    COMMENT COLUMN chance_tie 'exact chance of a tie before the first card; 0 in all three is unknown',
    COMMENT COLUMN locked_at 'time of no more bets, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN card_at 'time of the first card, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN end_at 'time of the end of the round, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN batch_id 'batch of the cards of the shoe',
    COMMENT COLUMN shuffler 'device that shuffled the shoe',
    COMMENT COLUMN reader 'device that read the cards',
    COMMENT COLUMN irregular 'a card was carried over, moved, burned or discarded: detectors do not score the cards',
    COMMENT COLUMN settled_at 'time of the event that settled the round: the next first card, or the end of the shoe; UTC',
    MODIFY COMMENT 'rounds as played, once each; amounts in minor units';

ALTER TABLE shoeproof.v_rounds_flat ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the first event of the round, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN result 'PLAYER, BANKER or TIE by the cards as dealt; VOID, or NONE if the cards give none',
    COMMENT COLUMN player_count 'points of the hand of the player, 0 to 9',
    COMMENT COLUMN banker_count 'points of the hand of the banker, 0 to 9',
    COMMENT COLUMN cards 'the cards of both hands, such as P 6c Kh B 7d Ks',
    COMMENT COLUMN auditable 'false if events of the round are missing',
    COMMENT COLUMN wagers 'number of wagers that stood',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN minor_units 'minor units of a unit of the currency: 100 of most',
    COMMENT COLUMN staked 'sum of the stakes of wagers that stood: the handle',
    COMMENT COLUMN paid 'sum that was paid on wagers, without returned stakes',
    COMMENT COLUMN expected_pay 'sum that the rules require to be paid',
    COMMENT COLUMN collected 'sum of losing stakes that were taken',
    COMMENT COLUMN returned 'sum of stakes that were given back',
    COMMENT COLUMN vigorish 'vigorish that was marked or collected during the round',
    COMMENT COLUMN win 'what the house won: collected and vigorish, less paid',
    MODIFY COMMENT 'rounds with game and currency; amounts are decimals of the currency';

ALTER TABLE shoeproof.v_runs ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN run_id 'the nightly run',
    COMMENT COLUMN started_at 'when it began, UTC',
    COMMENT COLUMN ended_at 'when it ended, UTC',
    COMMENT COLUMN state 'done',
    COMMENT COLUMN error 'error in words; empty if it succeeded',
    COMMENT COLUMN tables 'tables that it replayed',
    COMMENT COLUMN shoes 'shoes that it replayed',
    COMMENT COLUMN rounds 'rounds that it replayed',
    COMMENT COLUMN findings 'findings that it made',
    COMMENT COLUMN rulebooks 'rulebooks that it applied',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN shift 'the shift of the run; empty for the whole day',
    COMMENT COLUMN events 'events that it replayed',
    COMMENT COLUMN events_sha256 'SHA-256 of the events, in hex',
    COMMENT COLUMN findings_sha256 'SHA-256 of the findings, in hex',
    COMMENT COLUMN live_sha256 'SHA-256 of the findings of the live audit, in hex',
    COMMENT COLUMN missing 'findings that the live audit lacks',
    COMMENT COLUMN extra 'findings that only the live audit has',
    COMMENT COLUMN changed 'findings with another content in the live audit',
    COMMENT COLUMN gaps 'gaps in the numbers of events',
    COMMENT COLUMN dead_letters 'records that could not be decoded',
    COMMENT COLUMN open_shoes 'shoes that were still open at the end of the day',
    COMMENT COLUMN supersedes 'the run that this one replaces; empty without one',
    COMMENT COLUMN late 'differences to the live audit that follow from events that arrived late',
    COMMENT COLUMN facts_sha256 'SHA-256 of the facts of the day, in hex; empty if the archive gives others or a shoe was open',
    MODIFY COMMENT 'nightly runs';

ALTER TABLE shoeproof.v_shelves ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN id 'id of the row',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN table_id 'the table; empty is every table',
    COMMENT COLUMN reason 'reason in words',
    COMMENT COLUMN actor 'user who did it',
    COMMENT COLUMN at 'begin of the silence, UTC',
    COMMENT COLUMN until 'end of the silence, UTC: 24 hours after at, or earlier',
    COMMENT COLUMN lifted_by 'user who ended the silence; empty if it ended by itself',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    MODIFY COMMENT 'silences of alarms';

ALTER TABLE shoeproof.v_shoes ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN at 'time of the first event of the shoe, UTC',
    COMMENT COLUMN ended_at 'time of the end of the shoe, UTC; 1970-01-01 if it was not reported',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN decks 'decks of the shoe',
    COMMENT COLUMN cards_out 'cards that left the shoe',
    COMMENT COLUMN remaining 'cards that remained, as reported at its end',
    COMMENT COLUMN rounds 'rounds of the shoe',
    COMMENT COLUMN unauditable 'rules and rounds of the shoe that could not be judged',
    COMMENT COLUMN findings 'findings of the shoe',
    COMMENT COLUMN outstanding 'vigorish that was still owed at the end; minor units',
    COMMENT COLUMN joined 'the audit began in the middle of the shoe',
    COMMENT COLUMN missing 'events of the shoe are missing',
    COMMENT COLUMN first_seq 'number of the first event',
    COMMENT COLUMN last_seq 'number of the last event',
    COMMENT COLUMN rulebook 'the rulebook and the version of its content',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN closed_at 'time of the event after which the rules of a whole shoe were evaluated, UTC',
    MODIFY COMMENT 'shoes as played, once each';

ALTER TABLE shoeproof.v_table_configs ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN effective_at 'time from which it is in force, UTC',
    COMMENT COLUMN opened 'the table was opened with this configuration',
    COMMENT COLUMN closed 'the row is the closing of the table, and has no configuration',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN mode 'kind of the vigorish: COMMISSION, TIE25, EZ, NOVIG6 or NONE',
    COMMENT COLUMN percent 'percentage of the vigorish',
    COMMENT COLUMN procedure 'number of the payment procedure',
    COMMENT COLUMN reshuffle 'the table is reshuffled continuously',
    COMMENT COLUMN config 'the TableConfig as canonical JSON',
    COMMENT COLUMN event_id 'id of the event, as the publisher set it',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    MODIFY COMMENT 'configurations in force';

ALTER TABLE shoeproof.v_table_memory ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN memory 'state of the table; may name patrons',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN offset 'offset of the record after which it was written',
    COMMENT COLUMN epoch 'how often the log had been truncated before',
    MODIFY COMMENT 'snapshots of tables; auditors only';

ALTER TABLE shoeproof.v_triage ON CLUSTER floor COMMENT COLUMN finding_id 'id of the finding',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN first_step_at 'time of the first action, UTC',
    COMMENT COLUMN first_actor 'user of the first action',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN disposition 'result of the triage',
    COMMENT COLUMN last_step_at 'time of the last action, UTC',
    COMMENT COLUMN steps 'number of actions',
    MODIFY COMMENT 'state of triage of each finding';

ALTER TABLE shoeproof.v_vigorish ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the payment that owes the vigorish, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN wager_id 'the wager, unique at its table and shoe',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN kind 'COMMISSION on a winning banker wager, or TIE25: the charge of a tie',
    COMMENT COLUMN won 'what the wager won; minor units',
    COMMENT COLUMN least 'lowest vigorish that the rules allow; minor units',
    COMMENT COLUMN most 'highest vigorish that the rules allow; minor units',
    COMMENT COLUMN marked 'vigorish that was marked as owed; minor units',
    COMMENT COLUMN collected 'vigorish that was collected; minor units',
    COMMENT COLUMN marked_seq 'number of the event that marked it; 0 if it was not marked',
    COMMENT COLUMN collected_seq 'number of the event that collected it; 0 if it was not collected',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    MODIFY COMMENT 'vigorish owed, marked and collected, by wager; amounts in minor units';

ALTER TABLE shoeproof.v_vigorish_flat ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the payment that owes the vigorish, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN wager_id 'the wager, unique at its table and shoe',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN kind 'COMMISSION on a winning banker wager, or TIE25: the charge of a tie',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN minor_units 'minor units of a unit of the currency: 100 of most',
    COMMENT COLUMN won 'what the wager won',
    COMMENT COLUMN least 'lowest vigorish that the rules allow',
    COMMENT COLUMN most 'highest vigorish that the rules allow',
    COMMENT COLUMN marked 'vigorish that was marked as owed',
    COMMENT COLUMN collected 'vigorish that was collected',
    MODIFY COMMENT 'vigorish with pit, shift, dealer, game and currency; amounts are decimals of the currency';

ALTER TABLE shoeproof.v_wagers ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the first event of the round, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN wager_id 'the wager, unique at its table and shoe',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN spot 'what was wagered on, such as PLAYER, BANKER, TIE or a side bet of the rulebook',
    COMMENT COLUMN stake 'the stake; 0 if the wager was withdrawn; minor units',
    COMMENT COLUMN coupon 'the part of the stake that was a promotional coupon; minor units',
    COMMENT COLUMN medium 'form of the wager, such as CHIPS, PLAQUES, CHIPS_AND_COUPON or CASH',
    COMMENT COLUMN patron 'keyed HMAC of the reference of the patron; empty if unknown',
    COMMENT COLUMN disposition 'what was done with the wager: undetermined, collected, paid, returned or withdrawn',
    COMMENT COLUMN expected 'what the rules require to be done with the wager: undetermined, collected, paid or returned',
    COMMENT COLUMN paid 'what was paid on the wager, without the stake; minor units',
    COMMENT COLUMN expected_paid 'what the rules require to be paid, without the stake; minor units',
    COMMENT COLUMN collected 'what was taken of the stake; minor units',
    COMMENT COLUMN returned 'what was given back of the stake; minor units',
    COMMENT COLUMN placed_seq 'number of the event that placed the wager',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN placed_at 'time at which the wager was placed or last raised, UTC',
    COMMENT COLUMN late 'the wager was placed or raised after the first card',
    COMMENT COLUMN ev 'exact expectation of the patron per unit, before the first card; 0 if unknown',
    COMMENT COLUMN lock_stake 'stake as a device read it when bets were closed; -1 without a reading; minor units',
    COMMENT COLUMN settle_stake 'stake as a device read it at settlement; -1 without a reading; minor units',
    MODIFY COMMENT 'wagers as placed and settled, once each; amounts in minor units';

ALTER TABLE shoeproof.v_wagers_flat ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the first event of the round, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN ruleset 'the rulebook in force, such as nj-13-69f',
    COMMENT COLUMN result 'PLAYER, BANKER or TIE by the cards as dealt; VOID, or NONE if the cards give none',
    COMMENT COLUMN wager_id 'the wager, unique at its table and shoe',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN spot 'what was wagered on, such as PLAYER, BANKER, TIE or a side bet of the rulebook',
    COMMENT COLUMN medium 'form of the wager, such as CHIPS, PLAQUES, CHIPS_AND_COUPON or CASH',
    COMMENT COLUMN patron 'keyed HMAC of the reference of the patron; empty if unknown',
    COMMENT COLUMN late 'the wager was placed or raised after the first card',
    COMMENT COLUMN ev 'exact expectation of the patron per unit, before the first card; 0 if unknown',
    COMMENT COLUMN disposition 'what was done with the wager: undetermined, collected, paid, returned or withdrawn',
    COMMENT COLUMN expected 'what the rules require to be done with the wager: undetermined, collected, paid or returned',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN minor_units 'minor units of a unit of the currency: 100 of most',
    COMMENT COLUMN stake 'the stake; 0 if the wager was withdrawn',
    COMMENT COLUMN coupon 'the part of the stake that was a promotional coupon',
    COMMENT COLUMN paid 'what was paid on the wager, without the stake',
    COMMENT COLUMN expected_paid 'what the rules require to be paid, without the stake',
    COMMENT COLUMN collected 'what was taken of the stake',
    COMMENT COLUMN returned 'what was given back of the stake',
    MODIFY COMMENT 'wagers with pit, shift, dealer, game and currency; amounts are decimals of the currency';

ALTER TABLE shoeproof.v_waiting ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN missing 'number of the first missing event',
    COMMENT COLUMN events 'events that wait for it; 0 if none waits',
    COMMENT COLUMN since 'since when they wait, by the clock of ingest, UTC',
    COMMENT COLUMN written_at 'when the row was written, by the clock of the program',
    MODIFY COMMENT 'tables that wait for a missing event';

ALTER TABLE shoeproof.v_withdrawn ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN finding_id 'id of the finding',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN withdrawn_at 'when the run withdrew it, UTC',
    COMMENT COLUMN reason 'reason in words',
    COMMENT COLUMN run_id 'the nightly run',
    MODIFY COMMENT 'findings that a later run withdrew, and why';

ALTER TABLE shoeproof.vigorish_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the payment that owes the vigorish, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN wager_id 'the wager, unique at its table and shoe',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN kind 'COMMISSION on a winning banker wager, or TIE25: the charge of a tie',
    COMMENT COLUMN won 'what the wager won; minor units',
    COMMENT COLUMN least 'lowest vigorish that the rules allow; minor units',
    COMMENT COLUMN most 'highest vigorish that the rules allow; minor units',
    COMMENT COLUMN marked 'vigorish that was marked as owed; minor units',
    COMMENT COLUMN collected 'vigorish that was collected; minor units',
    COMMENT COLUMN marked_seq 'number of the event that marked it; 0 if it was not marked',
    COMMENT COLUMN collected_seq 'number of the event that collected it; 0 if it was not collected',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.vigorish ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the payment that owes the vigorish, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN wager_id 'the wager, unique at its table and shoe',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN kind 'COMMISSION on a winning banker wager, or TIE25: the charge of a tie',
    COMMENT COLUMN won 'what the wager won; minor units',
    COMMENT COLUMN least 'lowest vigorish that the rules allow; minor units',
    COMMENT COLUMN most 'highest vigorish that the rules allow; minor units',
    COMMENT COLUMN marked 'vigorish that was marked as owed; minor units',
    COMMENT COLUMN collected 'vigorish that was collected; minor units',
    COMMENT COLUMN marked_seq 'number of the event that marked it; 0 if it was not marked',
    COMMENT COLUMN collected_seq 'number of the event that collected it; 0 if it was not collected',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts';

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the first event of the round, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN wager_id 'the wager, unique at its table and shoe',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN spot 'what was wagered on, such as PLAYER, BANKER, TIE or a side bet of the rulebook',
    COMMENT COLUMN stake 'the stake; 0 if the wager was withdrawn; minor units',
    COMMENT COLUMN coupon 'the part of the stake that was a promotional coupon; minor units',
    COMMENT COLUMN medium 'form of the wager, such as CHIPS, PLAQUES, CHIPS_AND_COUPON or CASH',
    COMMENT COLUMN patron 'keyed HMAC of the reference of the patron; empty if unknown',
    COMMENT COLUMN disposition 'what was done with the wager: undetermined, collected, paid, returned or withdrawn',
    COMMENT COLUMN expected 'what the rules require to be done with the wager: undetermined, collected, paid or returned',
    COMMENT COLUMN paid 'what was paid on the wager, without the stake; minor units',
    COMMENT COLUMN expected_paid 'what the rules require to be paid, without the stake; minor units',
    COMMENT COLUMN collected 'what was taken of the stake; minor units',
    COMMENT COLUMN returned 'what was given back of the stake; minor units',
    COMMENT COLUMN placed_seq 'number of the event that placed the wager',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN placed_at 'time at which the wager was placed or last raised, UTC',
    COMMENT COLUMN late 'the wager was placed or raised after the first card',
    COMMENT COLUMN ev 'exact expectation of the patron per unit, before the first card; 0 if unknown',
    COMMENT COLUMN lock_stake 'stake as a device read it when bets were closed; -1 without a reading; minor units',
    COMMENT COLUMN settle_stake 'stake as a device read it at settlement; -1 without a reading; minor units';

ALTER TABLE shoeproof.wagers ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN at 'time of the first event of the round, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN wager_id 'the wager, unique at its table and shoe',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN spot 'what was wagered on, such as PLAYER, BANKER, TIE or a side bet of the rulebook',
    COMMENT COLUMN stake 'the stake; 0 if the wager was withdrawn; minor units',
    COMMENT COLUMN coupon 'the part of the stake that was a promotional coupon; minor units',
    COMMENT COLUMN medium 'form of the wager, such as CHIPS, PLAQUES, CHIPS_AND_COUPON or CASH',
    COMMENT COLUMN patron 'keyed HMAC of the reference of the patron; empty if unknown',
    COMMENT COLUMN disposition 'what was done with the wager: undetermined, collected, paid, returned or withdrawn',
    COMMENT COLUMN expected 'what the rules require to be done with the wager: undetermined, collected, paid or returned',
    COMMENT COLUMN paid 'what was paid on the wager, without the stake; minor units',
    COMMENT COLUMN expected_paid 'what the rules require to be paid, without the stake; minor units',
    COMMENT COLUMN collected 'what was taken of the stake; minor units',
    COMMENT COLUMN returned 'what was given back of the stake; minor units',
    COMMENT COLUMN placed_seq 'number of the event that placed the wager',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN placed_at 'time at which the wager was placed or last raised, UTC',
    COMMENT COLUMN late 'the wager was placed or raised after the first card',
    COMMENT COLUMN ev 'exact expectation of the patron per unit, before the first card; 0 if unknown',
    COMMENT COLUMN lock_stake 'stake as a device read it when bets were closed; -1 without a reading; minor units',
    COMMENT COLUMN settle_stake 'stake as a device read it at settlement; -1 without a reading; minor units';

ALTER TABLE shoeproof.waiting_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN missing 'number of the first missing event',
    COMMENT COLUMN since 'since when they wait, by the clock of ingest, UTC',
    COMMENT COLUMN written_at 'when the row was written, by the clock of the program';

ALTER TABLE shoeproof.waiting ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN missing 'number of the first missing event',
    COMMENT COLUMN since 'since when they wait, by the clock of ingest, UTC',
    COMMENT COLUMN written_at 'when the row was written, by the clock of the program';

ALTER TABLE shoeproof.watch_state_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN part 'workers of the watch',
    COMMENT COLUMN parts 'number of parts of the snapshot',
    COMMENT COLUMN number 'number of the part',
    COMMENT COLUMN state 'state of the watch',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN written_at 'when the row was written, by the clock of the program';

ALTER TABLE shoeproof.watch_state ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN part 'workers of the watch',
    COMMENT COLUMN parts 'number of parts of the snapshot',
    COMMENT COLUMN number 'number of the part',
    COMMENT COLUMN state 'state of the watch',
    COMMENT COLUMN engine 'the release that wrote the row',
    COMMENT COLUMN written_at 'when the row was written, by the clock of the program';

ALTER TABLE shoeproof.withdrawals_local ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN finding_id 'id of the finding',
    COMMENT COLUMN at 'when the run wrote the row, UTC',
    COMMENT COLUMN reason 'reason in words',
    COMMENT COLUMN run_id 'the nightly run',
    COMMENT COLUMN gaming_day 'gaming day of the finding',
    COMMENT COLUMN shift 'shift of the finding',
    COMMENT COLUMN rule 'rule of the finding';

ALTER TABLE shoeproof.withdrawals ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN finding_id 'id of the finding',
    COMMENT COLUMN at 'when the run wrote the row, UTC',
    COMMENT COLUMN reason 'reason in words',
    COMMENT COLUMN run_id 'the nightly run',
    COMMENT COLUMN gaming_day 'gaming day of the finding',
    COMMENT COLUMN shift 'shift of the finding',
    COMMENT COLUMN rule 'rule of the finding';

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS derived_sha256 String COMMENT 'digest of the gaming days of the archived events and of the reasons of dead letters; empty in rows of older releases';

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac_key LowCardinality(String) COMMENT 'id of the key of mac; empty without journal.key';

ALTER TABLE shoeproof.journal_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac String COMMENT 'HMAC-SHA256 over all other columns of the row, in hex';

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS derived_sha256 String COMMENT 'digest of the gaming days of the archived events and of the reasons of dead letters; empty in rows of older releases';

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac_key LowCardinality(String) COMMENT 'id of the key of mac; empty without journal.key';

ALTER TABLE shoeproof.journal ON CLUSTER floor ADD COLUMN IF NOT EXISTS mac String COMMENT 'HMAC-SHA256 over all other columns of the row, in hex';

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_shoe shoe_id TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor MATERIALIZE INDEX by_shoe;

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_shoe shoe_id TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor MATERIALIZE INDEX by_shoe;

ALTER TABLE shoeproof.vigorish_local ON CLUSTER floor ADD INDEX IF NOT EXISTS by_shoe shoe_id TYPE bloom_filter(0.01) GRANULARITY 1;

ALTER TABLE shoeproof.vigorish_local ON CLUSTER floor MATERIALIZE INDEX by_shoe;

ALTER TABLE shoeproof.events_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.evidence_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.findings_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.journal_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.vigorish_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.shoes_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.table_memory_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.feeds_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.dealer_rounds_local ON CLUSTER floor MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;

ALTER TABLE shoeproof.dealer_findings_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.dealer_rounds_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.evidence_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.feeds_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.findings_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.journal_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.notices_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.open_findings_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.rounds_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.run_lines_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.shoes_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.table_configs_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.vigorish_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor MODIFY SETTING auto_statistics_types = '';

ALTER TABLE shoeproof.wagers_local ON CLUSTER floor COMMENT COLUMN placed_at 'time at which the wager was placed, last raised or last moved, UTC',
    COMMENT COLUMN late 'the wager was placed, raised or moved after the first card';

ALTER TABLE shoeproof.wagers ON CLUSTER floor COMMENT COLUMN placed_at 'time at which the wager was placed, last raised or last moved, UTC',
    COMMENT COLUMN late 'the wager was placed, raised or moved after the first card';

ALTER TABLE shoeproof.v_wagers ON CLUSTER floor COMMENT COLUMN placed_at 'time at which the wager was placed, last raised or last moved, UTC',
    COMMENT COLUMN late 'the wager was placed, raised or moved after the first card';

ALTER TABLE shoeproof.v_wagers_flat ON CLUSTER floor COMMENT COLUMN late 'the wager was placed, raised or moved after the first card';

ALTER TABLE shoeproof.feeds ON CLUSTER floor ADD COLUMN IF NOT EXISTS clock Int8;

ALTER TABLE shoeproof.feeds_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS clock Int8, MODIFY ORDER BY (property_id, table_id, clock);

ALTER TABLE shoeproof.events_to_feeds_local ON CLUSTER floor MODIFY QUERY
WITH bitShiftLeft(toInt128(toUnixTimestamp64Nano(e.at)), 64) + toInt128(e.seq) AS latest,
    (toFloat64(toUnixTimestamp64Nano(e.at)) - toFloat64(toUnixTimestamp64Nano(now64(9)))) / 60e9 AS minutes
SELECT e.property_id AS property_id, argMax(e.pit_id, e.at) AS pit_id, e.table_id AS table_id, max(e.at) AS at, argMax(e.seq, e.at) AS seq,
    argMax(e.shoe_id, latest) AS shoe_id, argMax(e.round, latest) AS round, argMax(e.kind, latest) AS kind,
    now64(3) AS received_at, toInt8(if(minutes <= -1, -1, 1) * (1 + floor(log2(1 + abs(minutes))))) AS clock
FROM shoeproof.events_local AS e
GROUP BY e.property_id, e.table_id, clock;

DROP VIEW IF EXISTS shoeproof.v_feeds ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_feeds ON CLUSTER floor AS
SELECT * FROM shoeproof.feeds FINAL
ORDER BY received_at DESC, seq DESC LIMIT 1 BY property_id, table_id;

ALTER TABLE shoeproof.feeds_local ON CLUSTER floor COMMENT COLUMN clock 'how much the event was ahead of its receipt: 1 within a minute, one more for twice as long, negative if behind, 0 unknown';

ALTER TABLE shoeproof.feeds ON CLUSTER floor COMMENT COLUMN clock 'how much the event was ahead of its receipt: 1 within a minute, one more for twice as long, negative if behind, 0 unknown';

ALTER TABLE shoeproof.v_feeds ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN kind 'kind of the event',
    COMMENT COLUMN received_at 'when ingest received the last event, UTC',
    COMMENT COLUMN clock 'how much the event was ahead of its receipt: 1 within a minute, one more for twice as long, negative if behind, 0 unknown',
    MODIFY COMMENT 'last event of each table that was received';

ALTER TABLE shoeproof.events_local ON CLUSTER floor ADD COLUMN IF NOT EXISTS copy Int32 COMMENT 'the partition once more, in the key; 0 in rows of older releases',
    MODIFY ORDER BY (property_id, table_id, seq, event_id, sha256, topic, copy);

ALTER TABLE shoeproof.events ON CLUSTER floor ADD COLUMN IF NOT EXISTS copy Int32 COMMENT 'the partition once more, in the key; 0 in rows of older releases';

DROP VIEW IF EXISTS shoeproof.v_events ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_events ON CLUSTER floor AS
SELECT * FROM shoeproof.events FINAL;

ALTER TABLE shoeproof.v_events ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN event_id 'id of the event, as the publisher set it',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN kind 'kind of the event',
    COMMENT COLUMN format 'format in which the event was received',
    COMMENT COLUMN raw 'record as received; may name patrons',
    COMMENT COLUMN sha256 'SHA-256 of raw',
    COMMENT COLUMN partition 'the partition of the topic',
    COMMENT COLUMN offset 'the offset in the partition',
    COMMENT COLUMN topic 'the Kafka topic; empty for events of a file',
    COMMENT COLUMN copy 'the partition once more, in the key; 0 in rows of older releases',
    MODIFY COMMENT 'the archive: each event as received; auditors only';

DROP VIEW IF EXISTS shoeproof.v_open_findings ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_open_findings ON CLUSTER floor AS
SELECT * FROM shoeproof.open_findings FINAL
WHERE (property_id, id, version) GLOBAL IN (
    SELECT property_id, id, max(version) FROM shoeproof.open_findings
    WHERE (property_id, id) GLOBAL IN (SELECT property_id, id FROM shoeproof.open_findings FINAL)
    GROUP BY property_id, id
)
ORDER BY empty(basis), arrived_at LIMIT 1 BY property_id, id;

ALTER TABLE shoeproof.v_open_findings ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN urgency '1 critical, 2 major, 3 minor, 4 info, 5 other',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the finding',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN is_deleted 'the finding left the queue: it was closed or withdrawn',
    COMMENT COLUMN owner 'user to whom it is assigned; empty if unassigned',
    COMMENT COLUMN fingerprint 'same for findings that repeat each other at a table',
    COMMENT COLUMN arrived_at 'when the queue received it, UTC',
    COMMENT COLUMN changed_at 'when the row was written, UTC',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    MODIFY COMMENT 'the queue of triage';

DROP VIEW IF EXISTS shoeproof.v_queue ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_queue ON CLUSTER floor AS
SELECT * FROM shoeproof.open_findings FINAL
WHERE (property_id, id, version) GLOBAL IN (
    SELECT property_id, id, max(version) FROM shoeproof.open_findings
    WHERE (property_id, id) GLOBAL IN (SELECT property_id, id FROM shoeproof.open_findings FINAL)
    GROUP BY property_id, id
)
ORDER BY empty(basis), arrived_at LIMIT 1 BY property_id, id;

ALTER TABLE shoeproof.v_queue ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN urgency '1 critical, 2 major, 3 minor, 4 info, 5 other',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the finding',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN is_deleted 'the finding left the queue: it was closed or withdrawn',
    COMMENT COLUMN owner 'user to whom it is assigned; empty if unassigned',
    COMMENT COLUMN fingerprint 'same for findings that repeat each other at a table',
    COMMENT COLUMN arrived_at 'when the queue received it, UTC',
    COMMENT COLUMN changed_at 'when the row was written, UTC',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    MODIFY COMMENT 'the queue of triage';

ALTER TABLE shoeproof.events_local ON CLUSTER floor MODIFY SETTING min_parts_to_merge_at_once = 64;

DROP VIEW IF EXISTS shoeproof.v_triage ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_triage ON CLUSTER floor AS
WITH (a.at, a.action != 'note', a.chain, a.link) AS step
SELECT a.finding_id AS finding_id, a.property_id AS property_id, min(a.at) AS first_step_at, argMin(a.actor, step) AS first_actor,
    argMax(a.to_state, step) AS state, argMaxIf(a.disposition, step, a.action != 'note') AS disposition, max(a.at) AS last_step_at,
    count() AS steps
FROM shoeproof.finding_actions AS a
GROUP BY a.property_id, a.finding_id;

DROP VIEW IF EXISTS shoeproof.v_dealer_findings ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_dealer_findings ON CLUSTER floor AS
SELECT property_id, dealer_id, gaming_day, rule, severity, verdict, count() AS findings, sum(amount) AS amount, currency
FROM shoeproof.findings FINAL
WHERE dealer_id != '' AND id GLOBAL NOT IN (SELECT finding_id FROM shoeproof.v_withdrawn)
GROUP BY property_id, dealer_id, gaming_day, rule, severity, verdict, currency;

DROP VIEW IF EXISTS shoeproof.v_withdrawn ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_withdrawn ON CLUSTER floor AS
SELECT w.property_id AS property_id, w.finding_id AS finding_id, argMax(w.gaming_day, w.at) AS gaming_day, argMax(w.shift, w.at) AS shift,
    argMax(w.rule, w.at) AS rule, max(w.at) AS withdrawn_at, argMax(w.reason, w.at) AS reason, argMax(w.run_id, w.at) AS run_id
FROM shoeproof.withdrawals AS w
GROUP BY w.property_id, w.finding_id
HAVING argMax(w.action, w.at) = 'withdraw';

DROP VIEW IF EXISTS shoeproof.v_configs ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_configs ON CLUSTER floor AS
SELECT x.property_id AS property_id, x.table_id AS table_id, x.config_id AS config_id, x.game AS game, x.currency AS currency,
    multiIf(x.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF'), 1,
        x.currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'), 1000, 100) AS minor_units
FROM (
    SELECT property_id, table_id, config_id, argMax(game, (seq, at)) AS game,
        argMax(JSONExtractString(config, 'currency'), (seq, at)) AS currency
    FROM shoeproof.v_table_configs WHERE NOT closed
    GROUP BY property_id, table_id, config_id
) AS x;

ALTER TABLE shoeproof.events_to_feeds_local ON CLUSTER floor MODIFY QUERY
WITH bitShiftLeft(toInt128(toUnixTimestamp64Nano(e.at)), 64) + toInt128(e.seq) AS latest,
    (toFloat64(toUnixTimestamp64Nano(e.at)) - toFloat64(toUnixTimestamp64Nano(now64(9)))) / 60e9 AS minutes
SELECT e.property_id AS property_id, argMax(e.pit_id, latest) AS pit_id, e.table_id AS table_id, max(e.at) AS at,
    argMax(e.seq, latest) AS seq, argMax(e.shoe_id, latest) AS shoe_id, argMax(e.round, latest) AS round,
    argMax(e.kind, latest) AS kind, now64(3) AS received_at,
    toInt8(if(minutes <= -1, -1, 1) * (1 + floor(log2(1 + abs(minutes))))) AS clock
FROM shoeproof.events_local AS e
GROUP BY e.property_id, e.table_id, clock;

DROP VIEW IF EXISTS shoeproof.v_feeds ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_feeds ON CLUSTER floor AS
SELECT * FROM shoeproof.feeds FINAL
ORDER BY received_at DESC, seq DESC, clock LIMIT 1 BY property_id, table_id;

DROP VIEW IF EXISTS shoeproof.v_open_findings ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_open_findings ON CLUSTER floor AS
SELECT * FROM shoeproof.open_findings FINAL
WHERE (property_id, id, version) GLOBAL IN (
    SELECT property_id, id, max(version) FROM shoeproof.open_findings
    WHERE (property_id, id) GLOBAL IN (SELECT property_id, id FROM shoeproof.open_findings FINAL)
    GROUP BY property_id, id
)
ORDER BY empty(basis), arrived_at, urgency, at LIMIT 1 BY property_id, id;

ALTER TABLE shoeproof.v_open_findings ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN urgency '1 critical, 2 major, 3 minor, 4 info, 5 other',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the finding',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN is_deleted 'the finding left the queue: it was closed or withdrawn',
    COMMENT COLUMN owner 'user to whom it is assigned; empty if unassigned',
    COMMENT COLUMN fingerprint 'same for findings that repeat each other at a table',
    COMMENT COLUMN arrived_at 'when the queue received it, UTC',
    COMMENT COLUMN changed_at 'when the row was written, UTC',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    MODIFY COMMENT 'the queue of triage';

DROP VIEW IF EXISTS shoeproof.v_queue ON CLUSTER floor;

CREATE VIEW IF NOT EXISTS shoeproof.v_queue ON CLUSTER floor AS
SELECT * FROM shoeproof.open_findings FINAL
WHERE (property_id, id, version) GLOBAL IN (
    SELECT property_id, id, max(version) FROM shoeproof.open_findings
    WHERE (property_id, id) GLOBAL IN (SELECT property_id, id FROM shoeproof.open_findings FINAL)
    GROUP BY property_id, id
)
ORDER BY empty(basis), arrived_at, urgency, at LIMIT 1 BY property_id, id;

ALTER TABLE shoeproof.v_queue ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN urgency '1 critical, 2 major, 3 minor, 4 info, 5 other',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN id 'id of the finding',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN kind 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN seat 'the seat, from 1; 0 if it is about no seat',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN expected 'what the rule requires, in words',
    COMMENT COLUMN observed 'what happened, in words',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN version 'decides between rows of the same key: the highest counts',
    COMMENT COLUMN is_deleted 'the finding left the queue: it was closed or withdrawn',
    COMMENT COLUMN owner 'user to whom it is assigned; empty if unassigned',
    COMMENT COLUMN fingerprint 'same for findings that repeat each other at a table',
    COMMENT COLUMN arrived_at 'when the queue received it, UTC',
    COMMENT COLUMN changed_at 'when the row was written, UTC',
    COMMENT COLUMN basis 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    MODIFY COMMENT 'the queue of triage';

ALTER TABLE shoeproof.v_configs ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN config_id 'the configuration in force; v_table_configs has it',
    COMMENT COLUMN game 'the game, as the rulebook names it',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    COMMENT COLUMN minor_units 'minor units of a unit of the currency: 100 of most',
    MODIFY COMMENT 'game and currency of each configuration';

ALTER TABLE shoeproof.v_dealer_findings ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN dealer_id 'badge of the dealer; empty if unknown',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN severity 'critical, major, minor or info; exceptions are minor and above',
    COMMENT COLUMN verdict 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    COMMENT COLUMN findings 'number of findings',
    COMMENT COLUMN amount 'money at issue in the deviation; minor units',
    COMMENT COLUMN currency 'ISO 4217 code of the currency of the amounts; empty if unknown',
    MODIFY COMMENT 'findings by dealer, gaming day and rule';

ALTER TABLE shoeproof.v_feeds ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN pit_id 'the pit',
    COMMENT COLUMN table_id 'the table',
    COMMENT COLUMN at 'time of the event, UTC',
    COMMENT COLUMN seq 'number of the event at its table',
    COMMENT COLUMN shoe_id 'the shoe, unique at its table',
    COMMENT COLUMN round 'number of the round in its shoe, from 1; 0 if it is about no round',
    COMMENT COLUMN kind 'kind of the event',
    COMMENT COLUMN received_at 'when ingest received the last event, UTC',
    COMMENT COLUMN clock 'how much the event was ahead of its receipt: 1 within a minute, one more for twice as long, negative if behind, 0 unknown',
    MODIFY COMMENT 'last event of each table that was received';

ALTER TABLE shoeproof.v_triage ON CLUSTER floor COMMENT COLUMN finding_id 'id of the finding',
    COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN first_step_at 'time of the first action, UTC',
    COMMENT COLUMN first_actor 'user of the first action',
    COMMENT COLUMN state 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    COMMENT COLUMN disposition 'result of the triage',
    COMMENT COLUMN last_step_at 'time of the last action, UTC',
    COMMENT COLUMN steps 'number of actions',
    MODIFY COMMENT 'state of triage of each finding';

ALTER TABLE shoeproof.v_withdrawn ON CLUSTER floor COMMENT COLUMN property_id 'the property, as publishers name it',
    COMMENT COLUMN finding_id 'id of the finding',
    COMMENT COLUMN gaming_day 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    COMMENT COLUMN shift 'the shift of the calendar; empty without shifts',
    COMMENT COLUMN rule 'the rule or the detector; audit rules NAME describes it',
    COMMENT COLUMN withdrawn_at 'when the run withdrew it, UTC',
    COMMENT COLUMN reason 'reason in words',
    COMMENT COLUMN run_id 'the nightly run',
    MODIFY COMMENT 'findings that a later run withdrew, and why';

ALTER TABLE shoeproof.dead_letters_local ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files',
    COMMENT COLUMN reason 'why the record could not be decoded or compared';

ALTER TABLE shoeproof.dead_letters ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files',
    COMMENT COLUMN reason 'why the record could not be decoded or compared';

ALTER TABLE shoeproof.events_local ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.events ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.journal_local ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.journal ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.table_configs_local ON CLUSTER floor COMMENT COLUMN mode 'kind of the vigorish: COMMISSION, TIE25, EZ, NOVIG6, NONE, or the word of the rulebook';

ALTER TABLE shoeproof.table_configs ON CLUSTER floor COMMENT COLUMN mode 'kind of the vigorish: COMMISSION, TIE25, EZ, NOVIG6, NONE, or the word of the rulebook';

ALTER TABLE shoeproof.table_memory_local ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.table_memory ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.v_dead_letters ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files',
    COMMENT COLUMN reason 'why the record could not be decoded or compared',
    MODIFY COMMENT 'records that could not be decoded or compared';

ALTER TABLE shoeproof.v_events ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.v_progress ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.v_table_configs ON CLUSTER floor COMMENT COLUMN mode 'kind of the vigorish: COMMISSION, TIE25, EZ, NOVIG6, NONE, or the word of the rulebook';

ALTER TABLE shoeproof.v_table_memory ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.v_waiting ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.waiting_local ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

ALTER TABLE shoeproof.waiting ON CLUSTER floor COMMENT COLUMN topic 'the Kafka topic, or files:NAME of ingest files';

CREATE TABLE IF NOT EXISTS shoeproof.evidence_by_day_local ON CLUSTER floor (
    detector    LowCardinality(String) COMMENT 'the detector',
    key         String COMMENT 'what the detector tests, such as a dealer or a table' CODEC(ZSTD(1)),
    at          DateTime64(9, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta, ZSTD(1)),
    property_id LowCardinality(String) COMMENT 'the property, as publishers name it',
    table_id    LowCardinality(String) COMMENT 'the table',
    shoe_id     String COMMENT 'the shoe, unique at its table' CODEC(ZSTD(1)),
    round       UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round' CODEC(Delta, ZSTD(1)),
    seq         UInt64 COMMENT 'number of the event at its table' CODEC(Delta, ZSTD(1)),
    gaming_day  Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    ln_e        Float64 COMMENT 'natural logarithm of the factor' CODEC(ZSTD(1)),
    start       Float64 COMMENT 'weight of a start at this round' CODEC(ZSTD(1)),
    engine      LowCardinality(String) COMMENT 'the release that wrote the row',
    version     UInt32 COMMENT 'decides between rows of the same key: the highest counts'
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}', version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, gaming_day, detector, key, at, table_id, shoe_id, round)
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'a detector''s factor for one round and one key';

CREATE TABLE IF NOT EXISTS shoeproof.evidence_by_day ON CLUSTER floor AS shoeproof.evidence_by_day_local
ENGINE = Distributed(floor, shoeproof, evidence_by_day_local, cityHash64(detector, key));

CREATE TABLE IF NOT EXISTS shoeproof.evidence_local ON CLUSTER floor AS shoeproof.evidence_by_day_local
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY tuple()
SETTINGS replicated_deduplication_window = 100000, replicated_deduplication_window_seconds = 604800;

INSERT INTO shoeproof.evidence_by_day
SELECT detector, key, at, property_id, table_id, shoe_id, round, seq, gaming_day, ln_e, start, engine, version FROM shoeproof.evidence
SETTINGS max_partitions_per_insert_block = 0;

INSERT INTO shoeproof.evidence_by_day
SELECT detector, key, at, property_id, table_id, shoe_id, round, seq, gaming_day, ln_e, start, engine, version FROM shoeproof.evidence
WHERE at > now() - toIntervalDay(3);

DROP TABLE IF EXISTS shoeproof.evidence_local ON CLUSTER floor SYNC
SETTINGS max_table_size_to_drop = 0;

RENAME TABLE shoeproof.evidence_by_day_local TO shoeproof.evidence_local ON CLUSTER floor;

DROP TABLE IF EXISTS shoeproof.evidence_by_day ON CLUSTER floor;
