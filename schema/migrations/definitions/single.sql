CREATE TABLE _database_.audit_runs
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `run_id` String COMMENT 'the nightly run',
    `started_at` DateTime64(3, 'UTC') COMMENT 'when it began, UTC',
    `ended_at` DateTime64(3, 'UTC') COMMENT 'when it ended, UTC',
    `state` LowCardinality(String) COMMENT 'done',
    `error` String COMMENT 'error in words; empty if it succeeded',
    `tables` UInt32 COMMENT 'tables that it replayed',
    `shoes` UInt32 COMMENT 'shoes that it replayed',
    `rounds` UInt32 COMMENT 'rounds that it replayed',
    `findings` UInt32 COMMENT 'findings that it made',
    `rulebooks` Array(LowCardinality(String)) COMMENT 'rulebooks that it applied',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt64 COMMENT 'decides between rows of the same key: the highest counts',
    `shift` LowCardinality(String) COMMENT 'the shift of the run; empty for the whole day',
    `events` UInt64 COMMENT 'events that it replayed',
    `events_sha256` String COMMENT 'SHA-256 of the events, in hex',
    `findings_sha256` String COMMENT 'SHA-256 of the findings, in hex',
    `live_sha256` String COMMENT 'SHA-256 of the findings of the live audit, in hex',
    `missing` UInt32 COMMENT 'findings that the live audit lacks',
    `extra` UInt32 COMMENT 'findings that only the live audit has',
    `changed` UInt32 COMMENT 'findings with another content in the live audit',
    `gaps` UInt32 COMMENT 'gaps in the numbers of events',
    `dead_letters` UInt64 COMMENT 'records that could not be decoded',
    `open_shoes` UInt32 COMMENT 'shoes that were still open at the end of the day',
    `supersedes` String COMMENT 'the run that this one replaces; empty without one',
    `late` UInt32 COMMENT 'differences to the live audit that follow from events that arrived late',
    `facts_sha256` String COMMENT 'SHA-256 of the facts of the day, in hex; empty if the archive gives others or a shoe was open'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (property_id, gaming_day, run_id)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'one nightly run';

CREATE TABLE _database_.case_steps
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `case_id` String COMMENT 'the case',
    `at` DateTime64(6, 'UTC') COMMENT 'time of the event, UTC',
    `actor` LowCardinality(String) COMMENT 'user who did it',
    `role` LowCardinality(String) COMMENT 'roles of the user at the time',
    `issuer` LowCardinality(String) COMMENT 'who vouches for the subject: URL of an OpenID provider, proxy, token or none',
    `subject` String COMMENT 'the user at the issuer',
    `action` LowCardinality(String) COMMENT 'open, add, remove, about, note, attach, assign or state',
    `finding_id` String COMMENT 'the finding, of add and remove',
    `kind` LowCardinality(String) COMMENT 'kind of the subject, or the new state',
    `name` String COMMENT 'name of a subject, an owner or a file',
    `text` String COMMENT 'title, note or reason' CODEC(ZSTD(1)),
    `content` String COMMENT 'content of a file; may identify people' CODEC(ZSTD(1)),
    `sha256` String COMMENT 'SHA-256 of the content, in hex; empty without a file',
    `hash` String COMMENT 'SHA-256 of all other columns, with sha256 in place of the content'
)
ENGINE = MergeTree
ORDER BY (property_id, case_id, at)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192
COMMENT 'what people gathered about findings; append-only';

CREATE TABLE _database_.console_log
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `at` DateTime64(6, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta(8), ZSTD(1)),
    `actor` LowCardinality(String) COMMENT 'user who did it',
    `role` LowCardinality(String) COMMENT 'roles of the user at the time',
    `action` LowCardinality(String) COMMENT 'what was done',
    `object` String COMMENT 'what it was done to',
    `detail` String COMMENT 'details in words',
    `remote` String COMMENT 'address from which the request came',
    `issuer` LowCardinality(String) COMMENT 'who vouches for the subject: URL of an OpenID provider, proxy, token or none',
    `subject` String COMMENT 'the user at the issuer',
    `sign_in` LowCardinality(String) COMMENT 'oidc, proxy, token, bearer or none',
    `session` String COMMENT 'names the session; empty if each request is authenticated',
    `program` Bool COMMENT 'a machine, or a person\'s token in a machine',
    `chain` String COMMENT 'one console process and property',
    `link` UInt64 COMMENT 'number of the link in the chain, from 1, over both tables',
    `prev` String COMMENT 'hash of the link before',
    `hash` String COMMENT 'SHA-256 of prev and of all other columns, in hex',
    `mac_key` LowCardinality(String) COMMENT 'id of the key of mac; empty without console.chain_key',
    `mac` String COMMENT 'HMAC-SHA256 of hash, in hex'
)
ENGINE = MergeTree
ORDER BY (property_id, at)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192
COMMENT 'what people did in the console; append-only';

CREATE TABLE _database_.dead_letters
(
    `topic` LowCardinality(String) COMMENT 'the Kafka topic, or files:NAME of ingest files',
    `partition` Int32 COMMENT 'the partition of the topic',
    `offset` Int64 COMMENT 'the offset in the partition',
    `place` String COMMENT 'file and line, if the record came from a file',
    `reason` String COMMENT 'why the record could not be decoded or compared' CODEC(ZSTD(1)),
    `raw` String COMMENT 'record as received; may name patrons' CODEC(ZSTD(3))
)
ENGINE = ReplacingMergeTree
ORDER BY (topic, partition, offset)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'a record that could not be read';

CREATE TABLE _database_.dealer_findings
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta(8), ZSTD(1)),
    `id` String COMMENT 'id of the row' CODEC(ZSTD(1)),
    `table_id` LowCardinality(String) COMMENT 'the table',
    `verdict` LowCardinality(String) COMMENT 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `severity` LowCardinality(String) COMMENT 'critical, major, minor or info; exceptions are minor and above',
    `amount` Int64 COMMENT 'money at issue in the deviation; minor units',
    `currency` LowCardinality(String) COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts'
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, dealer_id, at, id)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, auto_statistics_types = ''
COMMENT 'findings by whose hands they were made at';

CREATE TABLE _database_.dealer_rounds
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `rounds` AggregateFunction(groupBitmap, UInt32) COMMENT 'number of rounds',
    `last_at` SimpleAggregateFunction(max, DateTime64(9, 'UTC')) COMMENT 'time of the last one, UTC'
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(gaming_day)
ORDER BY (property_id, dealer_id, gaming_day, table_id, shoe_id)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'the rounds of a shoe that a dealer dealt';

CREATE TABLE _database_.events
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `seq` UInt64 COMMENT 'number of the event at its table' CODEC(Delta(8), ZSTD(1)),
    `event_id` String COMMENT 'id of the event, as the publisher set it' CODEC(ZSTD(1)),
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta(8), ZSTD(1)),
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shoe_id` String COMMENT 'the shoe, unique at its table' CODEC(ZSTD(1)),
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round' CODEC(Delta(4), ZSTD(1)),
    `kind` LowCardinality(String) COMMENT 'kind of the event',
    `format` Enum8('unknown' = 0, 'protobuf' = 1, 'json' = 2) COMMENT 'format in which the event was received',
    `raw` String COMMENT 'record as received; may name patrons' CODEC(ZSTD(1)),
    `sha256` FixedString(32) COMMENT 'SHA-256 of raw' CODEC(NONE),
    `partition` Int32 COMMENT 'the partition of the topic' CODEC(ZSTD(1)),
    `offset` Int64 COMMENT 'the offset in the partition' CODEC(Delta(8), ZSTD(1)),
    `topic` LowCardinality(String) COMMENT 'the Kafka topic, or files:NAME of ingest files',
    `copy` Int32 COMMENT 'the partition once more, in the key; 0 in rows of older releases',
    INDEX by_at at TYPE minmax GRANULARITY 1,
    INDEX by_offset (partition, offset) TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(at)
PRIMARY KEY (property_id, table_id, seq, event_id, sha256)
ORDER BY (property_id, table_id, seq, event_id, sha256, topic, copy)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, auto_statistics_types = '', min_bytes_for_wide_part = 268435456, min_parts_to_merge_at_once = 64, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0
COMMENT 'one event as received; raw may name patrons';

CREATE MATERIALIZED VIEW _database_.events_to_feeds TO _database_.feeds
(
    `property_id` LowCardinality(String),
    `pit_id` String,
    `table_id` LowCardinality(String),
    `at` DateTime64(9, 'UTC'),
    `seq` UInt64,
    `shoe_id` String,
    `round` UInt32,
    `kind` String,
    `received_at` DateTime64(3),
    `clock` Int8
)
AS WITH
    bitShiftLeft(toInt128(toUnixTimestamp64Nano(e.at)), 64) + toInt128(e.seq) AS latest,
    (toFloat64(toUnixTimestamp64Nano(e.at)) - toFloat64(toUnixTimestamp64Nano(now64(9)))) / 60000000000. AS minutes
SELECT
    e.property_id AS property_id,
    argMax(e.pit_id, latest) AS pit_id,
    e.table_id AS table_id,
    max(e.at) AS at,
    argMax(e.seq, latest) AS seq,
    argMax(e.shoe_id, latest) AS shoe_id,
    argMax(e.round, latest) AS round,
    argMax(e.kind, latest) AS kind,
    now64(3) AS received_at,
    toInt8(if(minutes <= -1, -1, 1) * (1 + floor(log2(1 + abs(minutes))))) AS clock
FROM _database_.events AS e
GROUP BY
    e.property_id,
    e.table_id,
    clock;

CREATE TABLE _database_.evidence
(
    `detector` LowCardinality(String) COMMENT 'the detector',
    `key` String COMMENT 'what the detector tests, such as a dealer or a table' CODEC(ZSTD(1)),
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta(8), ZSTD(1)),
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table' CODEC(ZSTD(1)),
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round' CODEC(Delta(4), ZSTD(1)),
    `seq` UInt64 COMMENT 'number of the event at its table' CODEC(Delta(8), ZSTD(1)),
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `ln_e` Float64 COMMENT 'natural logarithm of the factor' CODEC(ZSTD(1)),
    `start` Float64 COMMENT 'weight of a start at this round' CODEC(ZSTD(1)),
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts'
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, gaming_day, detector, key, at, table_id, shoe_id, round)
SETTINGS non_replicated_deduplication_window = 100000, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = '', index_granularity = 8192
COMMENT 'a detector\'s factor for one round and one key';

CREATE TABLE _database_.exports
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `export_id` String COMMENT 'the export',
    `at` DateTime64(3, 'UTC') COMMENT 'time of the event, UTC',
    `actor` LowCardinality(String) COMMENT 'user who did it',
    `kind` LowCardinality(String) COMMENT 'bundle, or a file of the console',
    `query` String COMMENT 'what was exported, as the user chose it',
    `name` String COMMENT 'name of the file',
    `files` UInt32 COMMENT 'number of files',
    `bytes` UInt64 COMMENT 'size in bytes',
    `sha256` String COMMENT 'SHA-256 of the file; of a bundle, of manifest.json; in hex',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `origin` LowCardinality(String) COMMENT 'name of the log',
    `number` UInt64 COMMENT 'number of the export in its log, from 1',
    `findings` UInt64 COMMENT 'number of findings',
    `amendments` UInt64 COMMENT 'number of amendments of earlier exports',
    `log_size` UInt64 COMMENT 'leaves of the log, this export included',
    `log_root` String COMMENT 'root of the signed tree, base64'
)
ENGINE = ReplacingMergeTree
ORDER BY (property_id, gaming_day, export_id)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192
COMMENT 'one bundle that was handed out';

CREATE TABLE _database_.feeds
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `seq` UInt64 COMMENT 'number of the event at its table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `kind` LowCardinality(String) COMMENT 'kind of the event',
    `received_at` DateTime64(3, 'UTC') COMMENT 'when ingest received the last event, UTC',
    `clock` Int8 COMMENT 'how much the event was ahead of its receipt: 1 within a minute, one more for twice as long, negative if behind, 0 unknown'
)
ENGINE = ReplacingMergeTree(at)
PRIMARY KEY (property_id, table_id)
ORDER BY (property_id, table_id, clock)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'the last event of each table';

CREATE TABLE _database_.finding_actions
(
    `finding_id` String COMMENT 'id of the finding',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta(8), ZSTD(1)),
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `actor` LowCardinality(String) COMMENT 'user who did it',
    `action` LowCardinality(String) COMMENT 'acknowledge, review, assign, escalate, note, close, confirm, reject, reopen or undo',
    `from_state` LowCardinality(String) COMMENT 'state before',
    `to_state` LowCardinality(String) COMMENT 'state after',
    `disposition` LowCardinality(String) COMMENT 'result of the triage',
    `reason` String COMMENT 'reason in words',
    `note` String COMMENT 'note in words',
    `issuer` LowCardinality(String) COMMENT 'who vouches for the subject: URL of an OpenID provider, proxy, token or none',
    `subject` String COMMENT 'the user at the issuer',
    `sign_in` LowCardinality(String) COMMENT 'oidc, proxy, token, bearer or none',
    `session` String COMMENT 'names the session; empty if each request is authenticated',
    `program` Bool COMMENT 'a machine, or a person\'s token in a machine',
    `chain` String COMMENT 'one console process and property',
    `link` UInt64 COMMENT 'number of the link in the chain, from 1, over both tables',
    `prev` String COMMENT 'hash of the link before',
    `hash` String COMMENT 'SHA-256 of prev and of all other columns, in hex',
    `role` LowCardinality(String) COMMENT 'roles of the user at the time',
    `mac_key` LowCardinality(String) COMMENT 'id of the key of mac; empty without console.chain_key',
    `mac` String COMMENT 'HMAC-SHA256 of hash, in hex',
    PROJECTION by_time
    (
        SELECT *
        ORDER BY at
    )
)
ENGINE = MergeTree
ORDER BY (finding_id, at)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192
COMMENT 'one step of triage; append-only';

CREATE TABLE _database_.findings
(
    `id` String COMMENT 'id of the finding: 32 hex digits, the same for the same deviation in every run' CODEC(ZSTD(1)),
    `kind` LowCardinality(String) COMMENT 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    `verdict` LowCardinality(String) COMMENT 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `severity` LowCardinality(String) COMMENT 'critical, major, minor or info; exceptions are minor and above',
    `citations` Array(LowCardinality(String)) COMMENT 'clauses of the rulebook',
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table' CODEC(ZSTD(1)),
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `subject` String COMMENT 'what the finding is about in its round, such as seat:5 or wager:ID' CODEC(ZSTD(1)),
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta(8), ZSTD(1)),
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `expected` String COMMENT 'what the rule requires, in words' CODEC(ZSTD(1)),
    `observed` String COMMENT 'what happened, in words' CODEC(ZSTD(1)),
    `amount` Int64 COMMENT 'money at issue in the deviation; minor units',
    `currency` LowCardinality(String) COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `evidence` Tuple(
        seqs Array(UInt64),
        event_ids Array(String)) COMMENT 'numbers and ids of the events that prove it',
    `rulebook` LowCardinality(String) COMMENT 'the rulebook and the version of its content',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `ln_e` Float64 COMMENT 'natural logarithm of the evidence of an anomaly; 0 for rules',
    `threshold` Float64 COMMENT 'natural logarithm that the evidence had to reach; 0 for rules',
    `odds` String COMMENT 'the evidence in words' CODEC(ZSTD(1)),
    `covers` Array(String) COMMENT 'findings that this one explains and that are not reported by themselves: rule, round, subject' CODEC(ZSTD(1)),
    `basis` LowCardinality(String) COMMENT 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    INDEX by_id id TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX by_shoe shoe_id TYPE bloom_filter(0.01) GRANULARITY 1,
    PROJECTION by_dealer
    (
        SELECT *
        ORDER BY
            property_id,
            dealer_id,
            at
    )
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, at, id)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, deduplicate_merge_projection_mode = 'rebuild', min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'one deviation, anomaly, data fault or notice';

CREATE MATERIALIZED VIEW _database_.findings_to_dealers TO _database_.dealer_findings
(
    `property_id` LowCardinality(String),
    `dealer_id` LowCardinality(String),
    `at` DateTime64(9, 'UTC'),
    `id` String,
    `table_id` LowCardinality(String),
    `verdict` LowCardinality(String),
    `rule` LowCardinality(String),
    `severity` LowCardinality(String),
    `amount` Int64,
    `currency` LowCardinality(String),
    `version` UInt32
)
AS SELECT
    property_id,
    dealer_id,
    at,
    id,
    table_id,
    verdict,
    rule,
    severity,
    amount,
    currency,
    version
FROM _database_.findings
WHERE dealer_id != '';

CREATE MATERIALIZED VIEW _database_.findings_to_open TO _database_.open_findings
(
    `property_id` LowCardinality(String),
    `urgency` UInt8,
    `at` DateTime64(9, 'UTC'),
    `id` String,
    `state` String,
    `kind` LowCardinality(String),
    `verdict` LowCardinality(String),
    `basis` LowCardinality(String),
    `rule` LowCardinality(String),
    `severity` LowCardinality(String),
    `pit_id` LowCardinality(String),
    `table_id` LowCardinality(String),
    `shoe_id` String,
    `round` UInt32,
    `seat` UInt32,
    `dealer_id` LowCardinality(String),
    `gaming_day` Date32,
    `shift` LowCardinality(String),
    `expected` String,
    `observed` String,
    `amount` Int64,
    `currency` LowCardinality(String),
    `version` UInt64,
    `is_deleted` UInt8
)
AS SELECT
    property_id,
    toUInt8(multiIf(severity = 'critical', 1, severity = 'major', 2, severity = 'minor', 3, severity = 'info', 4, 5)) AS urgency,
    at,
    id,
    'new' AS state,
    kind,
    verdict,
    basis,
    rule,
    severity,
    pit_id,
    table_id,
    shoe_id,
    round,
    seat,
    dealer_id,
    gaming_day,
    shift,
    expected,
    observed,
    amount,
    currency,
    toUInt64(0) AS version,
    toUInt8(0) AS is_deleted
FROM _database_.findings
WHERE verdict != 'INFO';

CREATE TABLE _database_.handovers
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `at` DateTime64(3, 'UTC') COMMENT 'time of the event, UTC',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `actor` LowCardinality(String) COMMENT 'user who did it',
    `note` String COMMENT 'note in words',
    `open` UInt32 COMMENT 'number of open findings',
    `critical` UInt32 COMMENT 'number of critical findings',
    `unowned` UInt32 COMMENT 'number of open findings that are assigned to no one',
    `id` String COMMENT 'the hand-over; a row that accepts it has the same',
    `action` LowCardinality(String) COMMENT 'empty is signed by the outgoing person, accept by the incoming one',
    `issuer` LowCardinality(String) COMMENT 'who vouches for the subject: URL of an OpenID provider, proxy, token or none',
    `subject` String COMMENT 'the user at the issuer',
    `snapshot` String COMMENT 'open findings, actions and silences at that moment, as JSON' CODEC(ZSTD(3))
)
ENGINE = MergeTree
ORDER BY (property_id, at)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192
COMMENT 'a shift handed over; append-only';

CREATE TABLE _database_.journal
(
    `topic` LowCardinality(String) COMMENT 'the Kafka topic, or files:NAME of ingest files',
    `partition` Int32 COMMENT 'the partition of the topic',
    `from_offset` Int64 COMMENT 'first offset of the range',
    `to_offset` Int64 COMMENT 'last offset of the range, included',
    `low_offset` Int64 COMMENT 'offset from which a restart reads again',
    `clock` Int64 COMMENT 'latest event time of the partition before low_offset, ns UTC',
    `generation` Int32 COMMENT 'generation of the consumer group, or of the lease, under which it was written',
    `epoch` UInt32 COMMENT 'how often the log had been truncated before',
    `cut_from` Int64 COMMENT 'first offset that was audited and is gone, in the first range since; otherwise 0',
    `cut_to` Int64 COMMENT 'last offset that is gone; otherwise 0',
    `rules_version` LowCardinality(String) COMMENT 'version of the rules',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `records` UInt64 COMMENT 'records of the range',
    `crc` UInt32 COMMENT 'CRC-32C over offsets and values of the records',
    `rows` UInt64 COMMENT 'rows of the range',
    `hash` String COMMENT 'hash of the rows of the range',
    `written_at` DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'when the row was written, by the clock of the program' CODEC(Delta(8), ZSTD(1)),
    `released` String COMMENT 'tables whose gaps were given up after the range, JSON',
    `archived` UInt64 COMMENT 'records that the range archived; the others repeat records',
    `archived_sha256` String COMMENT 'digest of the archived records; empty in rows of older releases',
    `derived_sha256` String COMMENT 'digest of the gaming days of the archived events and of the reasons of dead letters; empty in rows of older releases',
    `mac_key` LowCardinality(String) COMMENT 'id of the key of mac; empty without journal.key',
    `mac` String COMMENT 'HMAC-SHA256 over all other columns of the row, in hex'
)
ENGINE = MergeTree
ORDER BY (topic, partition, to_offset)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'one flushed range of a partition';

CREATE TABLE _database_.leases
(
    `name` String COMMENT 'name of the lease',
    `generation` UInt64 COMMENT 'generation of the consumer group, or of the lease, under which it was written',
    `holder` String COMMENT 'process that has the lease',
    `state` LowCardinality(String) COMMENT 'taken or released',
    `at` DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'when the row was written, UTC'
)
ENGINE = MergeTree
ORDER BY (name, generation, at)
TTL toDateTime(at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192
COMMENT 'who does something that one may do at a time; the first insert of a generation wins by its token';

CREATE TABLE _database_.legal_holds
(
    `hold_id` String COMMENT 'the legal hold',
    `at` DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'time of the event, UTC',
    `action` LowCardinality(String) COMMENT 'place or release',
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `from_day` Date32 COMMENT 'first gaming day',
    `until_day` Date32 COMMENT 'last gaming day, included',
    `actor` LowCardinality(String) COMMENT 'user who did it',
    `reason` String COMMENT 'reason in words'
)
ENGINE = MergeTree
ORDER BY (hold_id, at)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192
COMMENT 'what must not be deleted, whatever its age; append-only';

CREATE TABLE _database_.notices
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `seq` UInt64 COMMENT 'number of the event at its table',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta(8), ZSTD(1)),
    `notice_at` DateTime64(9, 'UTC') COMMENT 'time of the notice, UTC' CODEC(Delta(8), ZSTD(1)),
    `effective_at` DateTime64(9, 'UTC') COMMENT 'time from which it is in force, UTC' CODEC(Delta(8), ZSTD(1)),
    `topic` LowCardinality(String) COMMENT 'what the notice announces',
    `filed` Bool COMMENT 'it was filed with the regulator',
    `written` Bool COMMENT 'it was given in writing',
    `recipients` Array(LowCardinality(String)) COMMENT 'who received it',
    `medium` LowCardinality(String) COMMENT 'how it was given',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts'
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, pit_id, table_id, at, seq)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, auto_statistics_types = ''
COMMENT 'a notice filed or posted';

CREATE TABLE _database_.open_findings
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `urgency` UInt8 COMMENT '1 critical, 2 major, 3 minor, 4 info, 5 other',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta(8), ZSTD(1)),
    `id` String COMMENT 'id of the finding',
    `state` LowCardinality(String) COMMENT 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    `kind` LowCardinality(String) COMMENT 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    `verdict` LowCardinality(String) COMMENT 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `severity` LowCardinality(String) COMMENT 'critical, major, minor or info; exceptions are minor and above',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `expected` String COMMENT 'what the rule requires, in words',
    `observed` String COMMENT 'what happened, in words',
    `amount` Int64 COMMENT 'money at issue in the deviation; minor units',
    `currency` LowCardinality(String) COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `version` UInt64 COMMENT 'decides between rows of the same key: the highest counts',
    `is_deleted` UInt8 COMMENT 'the finding left the queue: it was closed or withdrawn',
    `owner` LowCardinality(String) COMMENT 'user to whom it is assigned; empty if unassigned',
    `fingerprint` String DEFAULT concat('1-', lower(hex(sipHash128(rule, property_id, table_id, if(dealer_id != '', dealer_id, shoe_id), verdict)))) COMMENT 'same for findings that repeat each other at a table',
    `arrived_at` DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'when the queue received it, UTC',
    `changed_at` DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'when the row was written, UTC',
    `basis` LowCardinality(String) COMMENT 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    INDEX by_change changed_at TYPE minmax GRANULARITY 1,
    INDEX by_id id TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version, is_deleted)
ORDER BY (property_id, urgency, at, id)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'findings that nobody has closed yet';

CREATE TABLE _database_.rounds
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table' CODEC(ZSTD(1)),
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the first event of the round, UTC' CODEC(Delta(8), ZSTD(1)),
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `ruleset` LowCardinality(String) COMMENT 'the rulebook in force, such as nj-13-69f',
    `config_id` LowCardinality(String) COMMENT 'the configuration in force; v_table_configs has it',
    `result` LowCardinality(String) COMMENT 'PLAYER, BANKER or TIE by the cards as dealt; VOID, or NONE if the cards give none',
    `player_count` UInt8 COMMENT 'points of the hand of the player, 0 to 9',
    `banker_count` UInt8 COMMENT 'points of the hand of the banker, 0 to 9',
    `player_cards` UInt8 COMMENT 'number of cards of the hand of the player',
    `banker_cards` UInt8 COMMENT 'number of cards of the hand of the banker',
    `cards` String COMMENT 'the cards of both hands, such as P 6c Kh B 7d Ks' CODEC(ZSTD(1)),
    `wagers` UInt32 COMMENT 'number of wagers that stood',
    `staked` Int64 COMMENT 'sum of the stakes of wagers that stood: the handle; minor units',
    `paid` Int64 COMMENT 'sum that was paid on wagers, without returned stakes; minor units',
    `expected_pay` Int64 COMMENT 'sum that the rules require to be paid; minor units',
    `collected` Int64 COMMENT 'sum of losing stakes that were taken; minor units',
    `returned` Int64 COMMENT 'sum of stakes that were given back; minor units',
    `vigorish` Int64 COMMENT 'vigorish that was marked or collected during the round; minor units',
    `auditable` Bool COMMENT 'false if events of the round are missing',
    `first_seq` UInt64 COMMENT 'number of the first event' CODEC(Delta(8), ZSTD(1)),
    `end_seq` UInt64 COMMENT 'number of the event that ended or voided the round; 0 without one' CODEC(Delta(8), ZSTD(1)),
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `decks` UInt32 COMMENT 'decks of the shoe',
    `unseen` String COMMENT 'cards not seen before the first one of the round: a byte for each of 52, clubs first, aces first; empty if unknown' CODEC(ZSTD(1)),
    `chance_player` Float64 COMMENT 'exact chance of the player before the first card; 0 in all three is unknown',
    `chance_banker` Float64 COMMENT 'exact chance of the banker before the first card; 0 in all three is unknown',
    `chance_tie` Float64 COMMENT 'exact chance of a tie before the first card; 0 in all three is unknown',
    `locked_at` DateTime64(9, 'UTC') COMMENT 'time of no more bets, UTC; 1970-01-01 if it was not reported' CODEC(Delta(8), ZSTD(1)),
    `card_at` DateTime64(9, 'UTC') COMMENT 'time of the first card, UTC; 1970-01-01 if it was not reported' CODEC(Delta(8), ZSTD(1)),
    `end_at` DateTime64(9, 'UTC') COMMENT 'time of the end of the round, UTC; 1970-01-01 if it was not reported' CODEC(Delta(8), ZSTD(1)),
    `batch_id` LowCardinality(String) COMMENT 'batch of the cards of the shoe',
    `shuffler` LowCardinality(String) COMMENT 'device that shuffled the shoe',
    `reader` LowCardinality(String) COMMENT 'device that read the cards',
    `irregular` Bool COMMENT 'a card was carried over, moved, burned or discarded: detectors do not score the cards',
    `settled_at` DateTime64(9, 'UTC') DEFAULT greatest(at, end_at) COMMENT 'time of the event that settled the round: the next first card, or the end of the shoe; UTC' CODEC(Delta(8), ZSTD(1)),
    INDEX by_at at TYPE minmax GRANULARITY 1,
    INDEX by_settled settled_at TYPE minmax GRANULARITY 1,
    INDEX by_shoe shoe_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id, round)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'one round as played';

CREATE MATERIALIZED VIEW _database_.rounds_to_dealers TO _database_.dealer_rounds
(
    `property_id` LowCardinality(String),
    `dealer_id` LowCardinality(String),
    `gaming_day` Date32,
    `table_id` LowCardinality(String),
    `shoe_id` String,
    `rounds` AggregateFunction(groupBitmap, UInt32),
    `last_at` DateTime64(9, 'UTC')
)
AS SELECT
    property_id,
    dealer_id,
    gaming_day,
    table_id,
    shoe_id,
    groupBitmapState(round) AS rounds,
    max(r.at) AS last_at
FROM _database_.rounds AS r
WHERE dealer_id != ''
GROUP BY
    property_id,
    dealer_id,
    gaming_day,
    table_id,
    shoe_id;

CREATE TABLE _database_.run_lines
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `part` LowCardinality(String) COMMENT 'part of the run: shift, and i/n of the workers',
    `generation` UInt64 COMMENT 'generation of the consumer group, or of the lease, under which it was written',
    `no` UInt32 COMMENT 'number of the line',
    `kind` LowCardinality(String) COMMENT 'kind of the row',
    `line` String COMMENT 'line of the report' CODEC(ZSTD(3)),
    `written_at` DateTime DEFAULT now() COMMENT 'when the row was written, by the clock of the program'
)
ENGINE = MergeTree
ORDER BY (property_id, gaming_day, part, generation, no)
TTL written_at + toIntervalDay(30)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, auto_statistics_types = ''
COMMENT 'what one worker of a run found; the merged run is in audit_runs and findings';

CREATE TABLE _database_.schema_migrations
(
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `name` String COMMENT 'file of the migration',
    `sha256` String COMMENT 'SHA-256, in hex',
    `applied_by` String COMMENT 'user who applied it',
    `applied_at` DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'when it was applied, UTC'
)
ENGINE = ReplacingMergeTree
ORDER BY version
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'the migrations that made this schema';

CREATE TABLE _database_.shelves
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `id` String COMMENT 'id of the row',
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `table_id` LowCardinality(String) COMMENT 'the table; empty is every table',
    `reason` String COMMENT 'reason in words',
    `actor` LowCardinality(String) COMMENT 'user who did it',
    `at` DateTime64(3, 'UTC') COMMENT 'begin of the silence, UTC',
    `until` DateTime64(3, 'UTC') COMMENT 'end of the silence, UTC: 24 hours after at, or earlier',
    `lifted_by` LowCardinality(String) COMMENT 'user who ended the silence; empty if it ended by itself',
    `version` UInt64 COMMENT 'decides between rows of the same key: the highest counts'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (property_id, id)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192
COMMENT 'a rule kept out of the queue for a while';

CREATE TABLE _database_.shoes
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table' CODEC(ZSTD(1)),
    `at` DateTime64(9, 'UTC') COMMENT 'time of the first event of the shoe, UTC' CODEC(Delta(8), ZSTD(1)),
    `ended_at` DateTime64(9, 'UTC') COMMENT 'time of the end of the shoe, UTC; 1970-01-01 if it was not reported' CODEC(Delta(8), ZSTD(1)),
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `ruleset` LowCardinality(String) COMMENT 'the rulebook in force, such as nj-13-69f',
    `game` LowCardinality(String) COMMENT 'the game, as the rulebook names it',
    `config_id` LowCardinality(String) COMMENT 'the configuration in force; v_table_configs has it',
    `decks` UInt32 COMMENT 'decks of the shoe',
    `cards_out` UInt32 COMMENT 'cards that left the shoe',
    `remaining` UInt32 COMMENT 'cards that remained, as reported at its end',
    `rounds` UInt32 COMMENT 'rounds of the shoe',
    `unauditable` UInt32 COMMENT 'rules and rounds of the shoe that could not be judged',
    `findings` UInt32 COMMENT 'findings of the shoe',
    `outstanding` Int64 COMMENT 'vigorish that was still owed at the end; minor units',
    `joined` Bool COMMENT 'the audit began in the middle of the shoe',
    `missing` Bool COMMENT 'events of the shoe are missing',
    `first_seq` UInt64 COMMENT 'number of the first event',
    `last_seq` UInt64 COMMENT 'number of the last event',
    `rulebook` LowCardinality(String) COMMENT 'the rulebook and the version of its content',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `closed_at` DateTime64(9, 'UTC') COMMENT 'time of the event after which the rules of a whole shoe were evaluated, UTC' CODEC(Delta(8), ZSTD(1))
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'one shoe as played';

CREATE TABLE _database_.table_configs
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `seq` UInt64 COMMENT 'number of the event at its table',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta(8), ZSTD(1)),
    `effective_at` DateTime64(9, 'UTC') COMMENT 'time from which it is in force, UTC' CODEC(Delta(8), ZSTD(1)),
    `opened` Bool COMMENT 'the table was opened with this configuration',
    `closed` Bool COMMENT 'the row is the closing of the table, and has no configuration',
    `config_id` LowCardinality(String) COMMENT 'the configuration in force; v_table_configs has it',
    `ruleset` LowCardinality(String) COMMENT 'the rulebook in force, such as nj-13-69f',
    `game` LowCardinality(String) COMMENT 'the game, as the rulebook names it',
    `mode` LowCardinality(String) COMMENT 'kind of the vigorish: COMMISSION, TIE25, EZ, NOVIG6, NONE, or the word of the rulebook',
    `percent` UInt32 COMMENT 'percentage of the vigorish',
    `procedure` UInt32 COMMENT 'number of the payment procedure',
    `reshuffle` Bool COMMENT 'the table is reshuffled continuously',
    `config` String COMMENT 'the TableConfig as canonical JSON' CODEC(ZSTD(3)),
    `event_id` String COMMENT 'id of the event, as the publisher set it',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts'
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, pit_id, table_id, at, seq)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, auto_statistics_types = ''
COMMENT 'a configuration in force';

CREATE TABLE _database_.table_memory
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `seq` UInt64 COMMENT 'number of the event at its table',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC' CODEC(Delta(8), ZSTD(1)),
    `memory` String COMMENT 'state of the table; may name patrons' CODEC(ZSTD(1)),
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `topic` LowCardinality(String) COMMENT 'the Kafka topic, or files:NAME of ingest files',
    `partition` Int32 COMMENT 'the partition of the topic',
    `offset` Int64 COMMENT 'offset of the record after which it was written',
    `epoch` UInt32 COMMENT 'how often the log had been truncated before'
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
PRIMARY KEY (property_id, table_id, seq)
ORDER BY (property_id, table_id, seq, offset)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, auto_statistics_types = '', min_bytes_for_wide_part = 268435456, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0
COMMENT 'what a table carries from one shoe to the next, by the closing event';

CREATE VIEW _database_.v_alarm_rate
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `slot` DateTime('UTC') COMMENT 'begin of the ten minutes, UTC',
    `alarms` UInt64 COMMENT 'findings that alarm, in ten minutes',
    `critical` UInt64 COMMENT 'number of critical findings',
    `major` UInt64 COMMENT 'number of major findings'
)
COMMENT 'findings that alarm, in slots of ten minutes'
AS SELECT
    property_id,
    toStartOfInterval(at, toIntervalMinute(10)) AS slot,
    count() AS alarms,
    countIf(severity = 'critical') AS critical,
    countIf(severity = 'major') AS major
FROM _database_.findings
FINAL
WHERE (verdict != 'INFO') AND (severity != 'info') AND (id GLOBAL NOT IN (
    SELECT finding_id
    FROM _database_.v_withdrawn
))
GROUP BY
    property_id,
    slot;

CREATE VIEW _database_.v_audit_runs
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `run_id` String COMMENT 'the nightly run',
    `started_at` DateTime64(3, 'UTC') COMMENT 'when it began, UTC',
    `ended_at` DateTime64(3, 'UTC') COMMENT 'when it ended, UTC',
    `state` LowCardinality(String) COMMENT 'done',
    `error` String COMMENT 'error in words; empty if it succeeded',
    `tables` UInt32 COMMENT 'tables that it replayed',
    `shoes` UInt32 COMMENT 'shoes that it replayed',
    `rounds` UInt32 COMMENT 'rounds that it replayed',
    `findings` UInt32 COMMENT 'findings that it made',
    `rulebooks` Array(LowCardinality(String)) COMMENT 'rulebooks that it applied',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt64 COMMENT 'decides between rows of the same key: the highest counts',
    `shift` LowCardinality(String) COMMENT 'the shift of the run; empty for the whole day',
    `events` UInt64 COMMENT 'events that it replayed',
    `events_sha256` String COMMENT 'SHA-256 of the events, in hex',
    `findings_sha256` String COMMENT 'SHA-256 of the findings, in hex',
    `live_sha256` String COMMENT 'SHA-256 of the findings of the live audit, in hex',
    `missing` UInt32 COMMENT 'findings that the live audit lacks',
    `extra` UInt32 COMMENT 'findings that only the live audit has',
    `changed` UInt32 COMMENT 'findings with another content in the live audit',
    `gaps` UInt32 COMMENT 'gaps in the numbers of events',
    `dead_letters` UInt64 COMMENT 'records that could not be decoded',
    `open_shoes` UInt32 COMMENT 'shoes that were still open at the end of the day',
    `supersedes` String COMMENT 'the run that this one replaces; empty without one',
    `late` UInt32 COMMENT 'differences to the live audit that follow from events that arrived late',
    `facts_sha256` String COMMENT 'SHA-256 of the facts of the day, in hex; empty if the archive gives others or a shoe was open'
)
COMMENT 'nightly runs'
AS SELECT *
FROM _database_.audit_runs
FINAL;

CREATE VIEW _database_.v_bundles
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `export_id` String COMMENT 'the export',
    `at` DateTime64(3, 'UTC') COMMENT 'time of the event, UTC',
    `actor` LowCardinality(String) COMMENT 'user who did it',
    `kind` LowCardinality(String) COMMENT 'bundle, or a file of the console',
    `query` String COMMENT 'what was exported, as the user chose it',
    `name` String COMMENT 'name of the file',
    `files` UInt32 COMMENT 'number of files',
    `bytes` UInt64 COMMENT 'size in bytes',
    `sha256` String COMMENT 'SHA-256 of the file; of a bundle, of manifest.json; in hex',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `origin` LowCardinality(String) COMMENT 'name of the log',
    `number` UInt64 COMMENT 'number of the export in its log, from 1',
    `findings` UInt64 COMMENT 'number of findings',
    `amendments` UInt64 COMMENT 'number of amendments of earlier exports',
    `log_size` UInt64 COMMENT 'leaves of the log, this export included',
    `log_root` String COMMENT 'root of the signed tree, base64'
)
COMMENT 'signed bundles'
AS SELECT *
FROM _database_.exports
FINAL
WHERE kind = 'bundle';

CREATE VIEW _database_.v_configs
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `config_id` LowCardinality(String) COMMENT 'the configuration in force; v_table_configs has it',
    `game` String COMMENT 'the game, as the rulebook names it',
    `currency` String COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `minor_units` UInt16 COMMENT 'minor units of a unit of the currency: 100 of most'
)
COMMENT 'game and currency of each configuration'
AS SELECT
    x.property_id AS property_id,
    x.table_id AS table_id,
    x.config_id AS config_id,
    x.game AS game,
    x.currency AS currency,
    multiIf((x.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF')), 1, (x.currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND')), 1000, 100) AS minor_units
FROM
(
    SELECT
        property_id,
        table_id,
        config_id,
        argMax(game, (seq, at)) AS game,
        argMax(JSONExtractString(config, 'currency'), (seq, at)) AS currency
    FROM _database_.v_table_configs
    WHERE NOT closed
    GROUP BY
        property_id,
        table_id,
        config_id
) AS x;

CREATE VIEW _database_.v_dead_letters
(
    `topic` LowCardinality(String) COMMENT 'the Kafka topic, or files:NAME of ingest files',
    `partition` Int32 COMMENT 'the partition of the topic',
    `offset` Int64 COMMENT 'the offset in the partition',
    `place` String COMMENT 'file and line, if the record came from a file',
    `reason` String COMMENT 'why the record could not be decoded or compared',
    `raw` String COMMENT 'record as received; may name patrons'
)
COMMENT 'records that could not be decoded or compared'
AS SELECT *
FROM _database_.dead_letters
FINAL;

CREATE VIEW _database_.v_dealer_findings
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `severity` LowCardinality(String) COMMENT 'critical, major, minor or info; exceptions are minor and above',
    `verdict` LowCardinality(String) COMMENT 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    `findings` UInt64 COMMENT 'number of findings',
    `amount` Int64 COMMENT 'money at issue in the deviation; minor units',
    `currency` LowCardinality(String) COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown'
)
COMMENT 'findings by dealer, gaming day and rule'
AS SELECT
    property_id,
    dealer_id,
    gaming_day,
    rule,
    severity,
    verdict,
    count() AS findings,
    sum(amount) AS amount,
    currency
FROM _database_.findings
FINAL
WHERE (dealer_id != '') AND (id GLOBAL NOT IN (
    SELECT finding_id
    FROM _database_.v_withdrawn
))
GROUP BY
    property_id,
    dealer_id,
    gaming_day,
    rule,
    severity,
    verdict,
    currency;

CREATE VIEW _database_.v_events
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `seq` UInt64 COMMENT 'number of the event at its table',
    `event_id` String COMMENT 'id of the event, as the publisher set it',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `kind` LowCardinality(String) COMMENT 'kind of the event',
    `format` Enum8('unknown' = 0, 'protobuf' = 1, 'json' = 2) COMMENT 'format in which the event was received',
    `raw` String COMMENT 'record as received; may name patrons',
    `sha256` FixedString(32) COMMENT 'SHA-256 of raw',
    `partition` Int32 COMMENT 'the partition of the topic',
    `offset` Int64 COMMENT 'the offset in the partition',
    `topic` LowCardinality(String) COMMENT 'the Kafka topic, or files:NAME of ingest files',
    `copy` Int32 COMMENT 'the partition once more, in the key; 0 in rows of older releases'
)
COMMENT 'the archive: each event as received; auditors only'
AS SELECT *
FROM _database_.events
FINAL;

CREATE VIEW _database_.v_evidence
(
    `detector` LowCardinality(String) COMMENT 'the detector',
    `key` String COMMENT 'what the detector tests, such as a dealer or a table',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `seq` UInt64 COMMENT 'number of the event at its table',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `ln_e` Float64 COMMENT 'natural logarithm of the factor',
    `start` Float64 COMMENT 'weight of a start at this round',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts'
)
COMMENT 'factors of the detectors, by round'
AS SELECT *
FROM _database_.evidence
FINAL;

CREATE VIEW _database_.v_exports
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `export_id` String COMMENT 'the export',
    `at` DateTime64(3, 'UTC') COMMENT 'time of the event, UTC',
    `actor` LowCardinality(String) COMMENT 'user who did it',
    `kind` LowCardinality(String) COMMENT 'bundle, or a file of the console',
    `query` String COMMENT 'what was exported, as the user chose it',
    `name` String COMMENT 'name of the file',
    `files` UInt32 COMMENT 'number of files',
    `bytes` UInt64 COMMENT 'size in bytes',
    `sha256` String COMMENT 'SHA-256 of the file; of a bundle, of manifest.json; in hex',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `origin` LowCardinality(String) COMMENT 'name of the log',
    `number` UInt64 COMMENT 'number of the export in its log, from 1',
    `findings` UInt64 COMMENT 'number of findings',
    `amendments` UInt64 COMMENT 'number of amendments of earlier exports',
    `log_size` UInt64 COMMENT 'leaves of the log, this export included',
    `log_root` String COMMENT 'root of the signed tree, base64'
)
COMMENT 'exports: bundles and files of the console'
AS SELECT *
FROM _database_.exports
FINAL;

CREATE VIEW _database_.v_feeds
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `seq` UInt64 COMMENT 'number of the event at its table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `kind` LowCardinality(String) COMMENT 'kind of the event',
    `received_at` DateTime64(3, 'UTC') COMMENT 'when ingest received the last event, UTC',
    `clock` Int8 COMMENT 'how much the event was ahead of its receipt: 1 within a minute, one more for twice as long, negative if behind, 0 unknown'
)
COMMENT 'last event of each table that was received'
AS SELECT *
FROM _database_.feeds
FINAL
ORDER BY
    received_at DESC,
    seq DESC,
    clock ASC
LIMIT 1 BY
    property_id,
    table_id;

CREATE VIEW _database_.v_findings
(
    `id` String COMMENT 'id of the finding: 32 hex digits, the same for the same deviation in every run',
    `kind` LowCardinality(String) COMMENT 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    `verdict` LowCardinality(String) COMMENT 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `severity` LowCardinality(String) COMMENT 'critical, major, minor or info; exceptions are minor and above',
    `citations` Array(LowCardinality(String)) COMMENT 'clauses of the rulebook',
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `subject` String COMMENT 'what the finding is about in its round, such as seat:5 or wager:ID',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `expected` String COMMENT 'what the rule requires, in words',
    `observed` String COMMENT 'what happened, in words',
    `amount` Int64 COMMENT 'money at issue in the deviation; minor units',
    `currency` LowCardinality(String) COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `evidence` Tuple(
        seqs Array(UInt64),
        event_ids Array(String)) COMMENT 'numbers and ids of the events that prove it',
    `rulebook` LowCardinality(String) COMMENT 'the rulebook and the version of its content',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `ln_e` Float64 COMMENT 'natural logarithm of the evidence of an anomaly; 0 for rules',
    `threshold` Float64 COMMENT 'natural logarithm that the evidence had to reach; 0 for rules',
    `odds` String COMMENT 'the evidence in words',
    `covers` Array(String) COMMENT 'findings that this one explains and that are not reported by themselves: rule, round, subject',
    `basis` LowCardinality(String) COMMENT 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed'
)
COMMENT 'findings that stand: without those that a later run withdrew'
AS SELECT *
FROM _database_.findings
FINAL
WHERE id GLOBAL NOT IN (
    SELECT finding_id
    FROM _database_.v_withdrawn
);

CREATE VIEW _database_.v_findings_by_rule
(
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `kind` LowCardinality(String) COMMENT 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    `verdict` LowCardinality(String) COMMENT 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    `severity` LowCardinality(String) COMMENT 'critical, major, minor or info; exceptions are minor and above',
    `findings` UInt64 COMMENT 'number of findings',
    `tables` UInt64 COMMENT 'number of tables',
    `shoes` UInt64 COMMENT 'number of shoes',
    `first_at` DateTime64(9, 'UTC') COMMENT 'time of the first one, UTC',
    `last_at` DateTime64(9, 'UTC') COMMENT 'time of the last one, UTC'
)
COMMENT 'findings by rule, verdict and severity'
AS SELECT
    rule,
    kind,
    verdict,
    severity,
    count() AS findings,
    uniqExact(property_id, table_id) AS tables,
    uniqExact(property_id, table_id, shoe_id) AS shoes,
    min(at) AS first_at,
    max(at) AS last_at
FROM _database_.findings
FINAL
WHERE id GLOBAL NOT IN (
    SELECT finding_id
    FROM _database_.v_withdrawn
)
GROUP BY
    rule,
    kind,
    verdict,
    severity;

CREATE VIEW _database_.v_findings_by_table
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `findings` UInt64 COMMENT 'number of findings',
    `critical` UInt64 COMMENT 'number of critical findings',
    `major` UInt64 COMMENT 'number of major findings',
    `minor` UInt64 COMMENT 'number of minor findings',
    `info` UInt64 COMMENT 'number of findings for information',
    `breaches` UInt64 COMMENT 'number of findings with the verdict BREACH',
    `suspects` UInt64 COMMENT 'number of findings with the verdict SUSPECT',
    `unauditable` UInt64 COMMENT 'number of findings with the verdict UNAUDITABLE',
    `first_at` DateTime64(9, 'UTC') COMMENT 'time of the first one, UTC',
    `last_at` DateTime64(9, 'UTC') COMMENT 'time of the last one, UTC'
)
COMMENT 'findings by table'
AS SELECT
    property_id,
    pit_id,
    table_id,
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
FROM _database_.findings
FINAL
WHERE id GLOBAL NOT IN (
    SELECT finding_id
    FROM _database_.v_withdrawn
)
GROUP BY
    property_id,
    pit_id,
    table_id;

CREATE VIEW _database_.v_findings_flat
(
    `id` String COMMENT 'id of the finding: 32 hex digits, the same for the same deviation in every run',
    `kind` LowCardinality(String) COMMENT 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    `verdict` LowCardinality(String) COMMENT 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    `basis` LowCardinality(String) COMMENT 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed',
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `severity` LowCardinality(String) COMMENT 'critical, major, minor or info; exceptions are minor and above',
    `citations` String COMMENT 'clauses of the rulebook, in one text',
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `game` LowCardinality(String) COMMENT 'the game, as the rulebook names it',
    `expected` String COMMENT 'what the rule requires, in words',
    `observed` String COMMENT 'what happened, in words',
    `currency` LowCardinality(String) COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `amount` Decimal(38, 3) COMMENT 'money at issue in the deviation'
)
COMMENT 'findings that stand, with the game; the amount is a decimal of the currency'
AS SELECT
    f.id AS id,
    f.kind AS kind,
    f.verdict AS verdict,
    f.basis AS basis,
    f.rule AS rule,
    f.severity AS severity,
    arrayStringConcat(f.citations, '; ') AS citations,
    f.property_id AS property_id,
    f.pit_id AS pit_id,
    f.table_id AS table_id,
    f.shoe_id AS shoe_id,
    f.round AS round,
    f.seat AS seat,
    f.at AS at,
    f.gaming_day AS gaming_day,
    f.shift AS shift,
    f.dealer_id AS dealer_id,
    s.game AS game,
    f.expected AS expected,
    f.observed AS observed,
    f.currency AS currency,
    toDecimal128(f.amount, 3) / multiIf((f.currency IN ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'VND', 'VUV', 'XAF', 'XOF', 'XPF')), 1, (f.currency IN ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND')), 1000, 100) AS amount
FROM _database_.v_findings AS f
LEFT JOIN _database_.v_shoes AS s ON (s.property_id = f.property_id) AND (s.table_id = f.table_id) AND (s.shoe_id = f.shoe_id);

CREATE VIEW _database_.v_notices
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `seq` UInt64 COMMENT 'number of the event at its table',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `notice_at` DateTime64(9, 'UTC') COMMENT 'time of the notice, UTC',
    `effective_at` DateTime64(9, 'UTC') COMMENT 'time from which it is in force, UTC',
    `topic` LowCardinality(String) COMMENT 'what the notice announces',
    `filed` Bool COMMENT 'it was filed with the regulator',
    `written` Bool COMMENT 'it was given in writing',
    `recipients` Array(LowCardinality(String)) COMMENT 'who received it',
    `medium` LowCardinality(String) COMMENT 'how it was given',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts'
)
COMMENT 'notices to the regulator and to patrons'
AS SELECT *
FROM _database_.notices
FINAL;

CREATE VIEW _database_.v_open_findings
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `urgency` UInt8 COMMENT '1 critical, 2 major, 3 minor, 4 info, 5 other',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `id` String COMMENT 'id of the finding',
    `state` LowCardinality(String) COMMENT 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    `kind` LowCardinality(String) COMMENT 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    `verdict` LowCardinality(String) COMMENT 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `severity` LowCardinality(String) COMMENT 'critical, major, minor or info; exceptions are minor and above',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `expected` String COMMENT 'what the rule requires, in words',
    `observed` String COMMENT 'what happened, in words',
    `amount` Int64 COMMENT 'money at issue in the deviation; minor units',
    `currency` LowCardinality(String) COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `version` UInt64 COMMENT 'decides between rows of the same key: the highest counts',
    `is_deleted` UInt8 COMMENT 'the finding left the queue: it was closed or withdrawn',
    `owner` LowCardinality(String) COMMENT 'user to whom it is assigned; empty if unassigned',
    `fingerprint` String COMMENT 'same for findings that repeat each other at a table',
    `arrived_at` DateTime64(3, 'UTC') COMMENT 'when the queue received it, UTC',
    `changed_at` DateTime64(3, 'UTC') COMMENT 'when the row was written, UTC',
    `basis` LowCardinality(String) COMMENT 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed'
)
COMMENT 'the queue of triage'
AS SELECT *
FROM _database_.open_findings
FINAL
WHERE (property_id, id, version) GLOBAL IN (
    SELECT
        property_id,
        id,
        max(version)
    FROM _database_.open_findings
    WHERE (property_id, id) GLOBAL IN (
        SELECT
            property_id,
            id
        FROM _database_.open_findings
        FINAL
    )
    GROUP BY
        property_id,
        id
)
ORDER BY
    empty(basis) ASC,
    arrived_at ASC,
    urgency ASC,
    at ASC
LIMIT 1 BY
    property_id,
    id;

CREATE VIEW _database_.v_progress
(
    `topic` LowCardinality(String) COMMENT 'the Kafka topic, or files:NAME of ingest files',
    `partition` Int32 COMMENT 'the partition of the topic',
    `from_offset` Int64 COMMENT 'first offset of the range',
    `to_offset` Int64 COMMENT 'last offset of the range, included',
    `low_offset` Int64 COMMENT 'offset from which a restart reads again',
    `generation` Int32 COMMENT 'generation of the consumer group, or of the lease, under which it was written',
    `written_at` DateTime64(3, 'UTC') COMMENT 'when the row was written, by the clock of the program'
)
COMMENT 'last range of each partition'
AS SELECT
    j.topic AS topic,
    j.partition AS partition,
    argMax(j.from_offset, (j.generation, j.to_offset)) AS from_offset,
    argMax(j.to_offset, (j.generation, j.to_offset)) AS to_offset,
    argMax(j.low_offset, (j.generation, j.to_offset)) AS low_offset,
    max(j.generation) AS generation,
    max(j.written_at) AS written_at
FROM _database_.journal AS j
GROUP BY
    j.topic,
    j.partition;

CREATE VIEW _database_.v_queue
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `urgency` UInt8 COMMENT '1 critical, 2 major, 3 minor, 4 info, 5 other',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `id` String COMMENT 'id of the finding',
    `state` LowCardinality(String) COMMENT 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    `kind` LowCardinality(String) COMMENT 'deviation (of a rule), anomaly (of a detector), data_fault (of the feed) or notice',
    `verdict` LowCardinality(String) COMMENT 'BREACH, SUSPECT, UNAUDITABLE or INFO',
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `severity` LowCardinality(String) COMMENT 'critical, major, minor or info; exceptions are minor and above',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `expected` String COMMENT 'what the rule requires, in words',
    `observed` String COMMENT 'what happened, in words',
    `amount` Int64 COMMENT 'money at issue in the deviation; minor units',
    `currency` LowCardinality(String) COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `version` UInt64 COMMENT 'decides between rows of the same key: the highest counts',
    `is_deleted` UInt8 COMMENT 'the finding left the queue: it was closed or withdrawn',
    `owner` LowCardinality(String) COMMENT 'user to whom it is assigned; empty if unassigned',
    `fingerprint` String COMMENT 'same for findings that repeat each other at a table',
    `arrived_at` DateTime64(3, 'UTC') COMMENT 'when the queue received it, UTC',
    `changed_at` DateTime64(3, 'UTC') COMMENT 'when the row was written, UTC',
    `basis` LowCardinality(String) COMMENT 'text, by-reference, assumed:OPTION, adopted:OPTION or not-in-force; empty for detectors and faults of the feed'
)
COMMENT 'the queue of triage'
AS SELECT *
FROM _database_.open_findings
FINAL
WHERE (property_id, id, version) GLOBAL IN (
    SELECT
        property_id,
        id,
        max(version)
    FROM _database_.open_findings
    WHERE (property_id, id) GLOBAL IN (
        SELECT
            property_id,
            id
        FROM _database_.open_findings
        FINAL
    )
    GROUP BY
        property_id,
        id
)
ORDER BY
    empty(basis) ASC,
    arrived_at ASC,
    urgency ASC,
    at ASC
LIMIT 1 BY
    property_id,
    id;

CREATE VIEW _database_.v_rounds
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the first event of the round, UTC',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `ruleset` LowCardinality(String) COMMENT 'the rulebook in force, such as nj-13-69f',
    `config_id` LowCardinality(String) COMMENT 'the configuration in force; v_table_configs has it',
    `result` LowCardinality(String) COMMENT 'PLAYER, BANKER or TIE by the cards as dealt; VOID, or NONE if the cards give none',
    `player_count` UInt8 COMMENT 'points of the hand of the player, 0 to 9',
    `banker_count` UInt8 COMMENT 'points of the hand of the banker, 0 to 9',
    `player_cards` UInt8 COMMENT 'number of cards of the hand of the player',
    `banker_cards` UInt8 COMMENT 'number of cards of the hand of the banker',
    `cards` String COMMENT 'the cards of both hands, such as P 6c Kh B 7d Ks',
    `wagers` UInt32 COMMENT 'number of wagers that stood',
    `staked` Int64 COMMENT 'sum of the stakes of wagers that stood: the handle; minor units',
    `paid` Int64 COMMENT 'sum that was paid on wagers, without returned stakes; minor units',
    `expected_pay` Int64 COMMENT 'sum that the rules require to be paid; minor units',
    `collected` Int64 COMMENT 'sum of losing stakes that were taken; minor units',
    `returned` Int64 COMMENT 'sum of stakes that were given back; minor units',
    `vigorish` Int64 COMMENT 'vigorish that was marked or collected during the round; minor units',
    `auditable` Bool COMMENT 'false if events of the round are missing',
    `first_seq` UInt64 COMMENT 'number of the first event',
    `end_seq` UInt64 COMMENT 'number of the event that ended or voided the round; 0 without one',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `decks` UInt32 COMMENT 'decks of the shoe',
    `unseen` String COMMENT 'cards not seen before the first one of the round: a byte for each of 52, clubs first, aces first; empty if unknown',
    `chance_player` Float64 COMMENT 'exact chance of the player before the first card; 0 in all three is unknown',
    `chance_banker` Float64 COMMENT 'exact chance of the banker before the first card; 0 in all three is unknown',
    `chance_tie` Float64 COMMENT 'exact chance of a tie before the first card; 0 in all three is unknown',
    `locked_at` DateTime64(9, 'UTC') COMMENT 'time of no more bets, UTC; 1970-01-01 if it was not reported',
    `card_at` DateTime64(9, 'UTC') COMMENT 'time of the first card, UTC; 1970-01-01 if it was not reported',
    `end_at` DateTime64(9, 'UTC') COMMENT 'time of the end of the round, UTC; 1970-01-01 if it was not reported',
    `batch_id` LowCardinality(String) COMMENT 'batch of the cards of the shoe',
    `shuffler` LowCardinality(String) COMMENT 'device that shuffled the shoe',
    `reader` LowCardinality(String) COMMENT 'device that read the cards',
    `irregular` Bool COMMENT 'a card was carried over, moved, burned or discarded: detectors do not score the cards',
    `settled_at` DateTime64(9, 'UTC') COMMENT 'time of the event that settled the round: the next first card, or the end of the shoe; UTC'
)
COMMENT 'rounds as played, once each; amounts in minor units'
AS SELECT *
FROM _database_.rounds
FINAL;

CREATE VIEW _database_.v_rounds_flat
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the first event of the round, UTC',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `game` String COMMENT 'the game, as the rulebook names it',
    `ruleset` LowCardinality(String) COMMENT 'the rulebook in force, such as nj-13-69f',
    `config_id` LowCardinality(String) COMMENT 'the configuration in force; v_table_configs has it',
    `result` LowCardinality(String) COMMENT 'PLAYER, BANKER or TIE by the cards as dealt; VOID, or NONE if the cards give none',
    `player_count` UInt8 COMMENT 'points of the hand of the player, 0 to 9',
    `banker_count` UInt8 COMMENT 'points of the hand of the banker, 0 to 9',
    `cards` String COMMENT 'the cards of both hands, such as P 6c Kh B 7d Ks',
    `auditable` Bool COMMENT 'false if events of the round are missing',
    `wagers` UInt32 COMMENT 'number of wagers that stood',
    `currency` String COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `minor_units` UInt16 COMMENT 'minor units of a unit of the currency: 100 of most',
    `staked` Decimal(38, 3) COMMENT 'sum of the stakes of wagers that stood: the handle',
    `paid` Decimal(38, 3) COMMENT 'sum that was paid on wagers, without returned stakes',
    `expected_pay` Decimal(38, 3) COMMENT 'sum that the rules require to be paid',
    `collected` Decimal(38, 3) COMMENT 'sum of losing stakes that were taken',
    `returned` Decimal(38, 3) COMMENT 'sum of stakes that were given back',
    `vigorish` Decimal(38, 3) COMMENT 'vigorish that was marked or collected during the round',
    `win` Decimal(38, 3) COMMENT 'what the house won: collected and vigorish, less paid'
)
COMMENT 'rounds with game and currency; amounts are decimals of the currency'
AS SELECT
    r.property_id AS property_id,
    r.pit_id AS pit_id,
    r.table_id AS table_id,
    r.shoe_id AS shoe_id,
    r.round AS round,
    r.at AS at,
    r.gaming_day AS gaming_day,
    r.shift AS shift,
    r.dealer_id AS dealer_id,
    c.game AS game,
    r.ruleset AS ruleset,
    r.config_id AS config_id,
    r.result AS result,
    r.player_count AS player_count,
    r.banker_count AS banker_count,
    r.cards AS cards,
    r.auditable AS auditable,
    r.wagers AS wagers,
    c.currency AS currency,
    greatest(c.minor_units, 1) AS minor_units,
    toDecimal128(r.staked, 3) / minor_units AS staked,
    toDecimal128(r.paid, 3) / minor_units AS paid,
    toDecimal128(r.expected_pay, 3) / minor_units AS expected_pay,
    toDecimal128(r.collected, 3) / minor_units AS collected,
    toDecimal128(r.returned, 3) / minor_units AS returned,
    toDecimal128(r.vigorish, 3) / minor_units AS vigorish,
    toDecimal128((r.collected + r.vigorish) - r.paid, 3) / minor_units AS win
FROM _database_.v_rounds AS r
LEFT JOIN _database_.v_configs AS c ON (c.property_id = r.property_id) AND (c.table_id = r.table_id) AND (c.config_id = r.config_id);

CREATE VIEW _database_.v_runs
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `run_id` String COMMENT 'the nightly run',
    `started_at` DateTime64(3, 'UTC') COMMENT 'when it began, UTC',
    `ended_at` DateTime64(3, 'UTC') COMMENT 'when it ended, UTC',
    `state` LowCardinality(String) COMMENT 'done',
    `error` String COMMENT 'error in words; empty if it succeeded',
    `tables` UInt32 COMMENT 'tables that it replayed',
    `shoes` UInt32 COMMENT 'shoes that it replayed',
    `rounds` UInt32 COMMENT 'rounds that it replayed',
    `findings` UInt32 COMMENT 'findings that it made',
    `rulebooks` Array(LowCardinality(String)) COMMENT 'rulebooks that it applied',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt64 COMMENT 'decides between rows of the same key: the highest counts',
    `shift` LowCardinality(String) COMMENT 'the shift of the run; empty for the whole day',
    `events` UInt64 COMMENT 'events that it replayed',
    `events_sha256` String COMMENT 'SHA-256 of the events, in hex',
    `findings_sha256` String COMMENT 'SHA-256 of the findings, in hex',
    `live_sha256` String COMMENT 'SHA-256 of the findings of the live audit, in hex',
    `missing` UInt32 COMMENT 'findings that the live audit lacks',
    `extra` UInt32 COMMENT 'findings that only the live audit has',
    `changed` UInt32 COMMENT 'findings with another content in the live audit',
    `gaps` UInt32 COMMENT 'gaps in the numbers of events',
    `dead_letters` UInt64 COMMENT 'records that could not be decoded',
    `open_shoes` UInt32 COMMENT 'shoes that were still open at the end of the day',
    `supersedes` String COMMENT 'the run that this one replaces; empty without one',
    `late` UInt32 COMMENT 'differences to the live audit that follow from events that arrived late',
    `facts_sha256` String COMMENT 'SHA-256 of the facts of the day, in hex; empty if the archive gives others or a shoe was open'
)
COMMENT 'nightly runs'
AS SELECT *
FROM _database_.audit_runs
FINAL;

CREATE VIEW _database_.v_shelves
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `id` String COMMENT 'id of the row',
    `rule` LowCardinality(String) COMMENT 'the rule or the detector; audit rules NAME describes it',
    `table_id` LowCardinality(String) COMMENT 'the table; empty is every table',
    `reason` String COMMENT 'reason in words',
    `actor` LowCardinality(String) COMMENT 'user who did it',
    `at` DateTime64(3, 'UTC') COMMENT 'begin of the silence, UTC',
    `until` DateTime64(3, 'UTC') COMMENT 'end of the silence, UTC: 24 hours after at, or earlier',
    `lifted_by` LowCardinality(String) COMMENT 'user who ended the silence; empty if it ended by itself',
    `version` UInt64 COMMENT 'decides between rows of the same key: the highest counts'
)
COMMENT 'silences of alarms'
AS SELECT *
FROM _database_.shelves
FINAL;

CREATE VIEW _database_.v_shoes
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the first event of the shoe, UTC',
    `ended_at` DateTime64(9, 'UTC') COMMENT 'time of the end of the shoe, UTC; 1970-01-01 if it was not reported',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `ruleset` LowCardinality(String) COMMENT 'the rulebook in force, such as nj-13-69f',
    `game` LowCardinality(String) COMMENT 'the game, as the rulebook names it',
    `config_id` LowCardinality(String) COMMENT 'the configuration in force; v_table_configs has it',
    `decks` UInt32 COMMENT 'decks of the shoe',
    `cards_out` UInt32 COMMENT 'cards that left the shoe',
    `remaining` UInt32 COMMENT 'cards that remained, as reported at its end',
    `rounds` UInt32 COMMENT 'rounds of the shoe',
    `unauditable` UInt32 COMMENT 'rules and rounds of the shoe that could not be judged',
    `findings` UInt32 COMMENT 'findings of the shoe',
    `outstanding` Int64 COMMENT 'vigorish that was still owed at the end; minor units',
    `joined` Bool COMMENT 'the audit began in the middle of the shoe',
    `missing` Bool COMMENT 'events of the shoe are missing',
    `first_seq` UInt64 COMMENT 'number of the first event',
    `last_seq` UInt64 COMMENT 'number of the last event',
    `rulebook` LowCardinality(String) COMMENT 'the rulebook and the version of its content',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `closed_at` DateTime64(9, 'UTC') COMMENT 'time of the event after which the rules of a whole shoe were evaluated, UTC'
)
COMMENT 'shoes as played, once each'
AS SELECT *
FROM _database_.shoes
FINAL;

CREATE VIEW _database_.v_table_configs
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `seq` UInt64 COMMENT 'number of the event at its table',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `effective_at` DateTime64(9, 'UTC') COMMENT 'time from which it is in force, UTC',
    `opened` Bool COMMENT 'the table was opened with this configuration',
    `closed` Bool COMMENT 'the row is the closing of the table, and has no configuration',
    `config_id` LowCardinality(String) COMMENT 'the configuration in force; v_table_configs has it',
    `ruleset` LowCardinality(String) COMMENT 'the rulebook in force, such as nj-13-69f',
    `game` LowCardinality(String) COMMENT 'the game, as the rulebook names it',
    `mode` LowCardinality(String) COMMENT 'kind of the vigorish: COMMISSION, TIE25, EZ, NOVIG6, NONE, or the word of the rulebook',
    `percent` UInt32 COMMENT 'percentage of the vigorish',
    `procedure` UInt32 COMMENT 'number of the payment procedure',
    `reshuffle` Bool COMMENT 'the table is reshuffled continuously',
    `config` String COMMENT 'the TableConfig as canonical JSON',
    `event_id` String COMMENT 'id of the event, as the publisher set it',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts'
)
COMMENT 'configurations in force'
AS SELECT *
FROM _database_.table_configs
FINAL;

CREATE VIEW _database_.v_table_memory
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `seq` UInt64 COMMENT 'number of the event at its table',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the event, UTC',
    `memory` String COMMENT 'state of the table; may name patrons',
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `topic` LowCardinality(String) COMMENT 'the Kafka topic, or files:NAME of ingest files',
    `partition` Int32 COMMENT 'the partition of the topic',
    `offset` Int64 COMMENT 'offset of the record after which it was written',
    `epoch` UInt32 COMMENT 'how often the log had been truncated before'
)
COMMENT 'snapshots of tables; auditors only'
AS SELECT *
FROM _database_.table_memory
FINAL;

CREATE VIEW _database_.v_triage
(
    `finding_id` String COMMENT 'id of the finding',
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `first_step_at` DateTime64(9, 'UTC') COMMENT 'time of the first action, UTC',
    `first_actor` String COMMENT 'user of the first action',
    `state` String COMMENT 'state of triage: new, acknowledged, in_review, escalated, closing, closed, reopened or withdrawn',
    `disposition` String COMMENT 'result of the triage',
    `last_step_at` DateTime64(9, 'UTC') COMMENT 'time of the last action, UTC',
    `steps` UInt64 COMMENT 'number of actions'
)
COMMENT 'state of triage of each finding'
AS WITH
    (a.at, a.action != 'note', a.chain, a.link) AS step
SELECT
    a.finding_id AS finding_id,
    a.property_id AS property_id,
    min(a.at) AS first_step_at,
    argMin(a.actor, step) AS first_actor,
    argMax(a.to_state, step) AS state,
    argMaxIf(a.disposition, step, a.action != 'note') AS disposition,
    max(a.at) AS last_step_at,
    count() AS steps
FROM _database_.finding_actions AS a
GROUP BY
    a.property_id,
    a.finding_id;

CREATE VIEW _database_.v_vigorish
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the payment that owes the vigorish, UTC',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `wager_id` String COMMENT 'the wager, unique at its table and shoe',
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `kind` LowCardinality(String) COMMENT 'COMMISSION on a winning banker wager, or TIE25: the charge of a tie',
    `won` Int64 COMMENT 'what the wager won; minor units',
    `least` Int64 COMMENT 'lowest vigorish that the rules allow; minor units',
    `most` Int64 COMMENT 'highest vigorish that the rules allow; minor units',
    `marked` Int64 COMMENT 'vigorish that was marked as owed; minor units',
    `collected` Int64 COMMENT 'vigorish that was collected; minor units',
    `marked_seq` UInt64 COMMENT 'number of the event that marked it; 0 if it was not marked',
    `collected_seq` UInt64 COMMENT 'number of the event that collected it; 0 if it was not collected',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts'
)
COMMENT 'vigorish owed, marked and collected, by wager; amounts in minor units'
AS SELECT *
FROM _database_.vigorish
FINAL;

CREATE VIEW _database_.v_vigorish_flat
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the payment that owes the vigorish, UTC',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `game` String COMMENT 'the game, as the rulebook names it',
    `ruleset` LowCardinality(String) COMMENT 'the rulebook in force, such as nj-13-69f',
    `wager_id` String COMMENT 'the wager, unique at its table and shoe',
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `kind` LowCardinality(String) COMMENT 'COMMISSION on a winning banker wager, or TIE25: the charge of a tie',
    `currency` String COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `minor_units` UInt16 COMMENT 'minor units of a unit of the currency: 100 of most',
    `won` Decimal(38, 3) COMMENT 'what the wager won',
    `least` Decimal(38, 3) COMMENT 'lowest vigorish that the rules allow',
    `most` Decimal(38, 3) COMMENT 'highest vigorish that the rules allow',
    `marked` Decimal(38, 3) COMMENT 'vigorish that was marked as owed',
    `collected` Decimal(38, 3) COMMENT 'vigorish that was collected'
)
COMMENT 'vigorish with pit, shift, dealer, game and currency; amounts are decimals of the currency'
AS SELECT
    v.property_id AS property_id,
    r.pit_id AS pit_id,
    v.table_id AS table_id,
    v.shoe_id AS shoe_id,
    v.round AS round,
    v.at AS at,
    v.gaming_day AS gaming_day,
    r.shift AS shift,
    r.dealer_id AS dealer_id,
    r.game AS game,
    r.ruleset AS ruleset,
    v.wager_id AS wager_id,
    v.seat AS seat,
    v.kind AS kind,
    r.currency AS currency,
    greatest(r.minor_units, 1) AS minor_units,
    toDecimal128(v.won, 3) / minor_units AS won,
    toDecimal128(v.least, 3) / minor_units AS least,
    toDecimal128(v.most, 3) / minor_units AS most,
    toDecimal128(v.marked, 3) / minor_units AS marked,
    toDecimal128(v.collected, 3) / minor_units AS collected
FROM _database_.v_vigorish AS v
LEFT JOIN _database_.v_rounds_flat AS r ON (r.property_id = v.property_id) AND (r.table_id = v.table_id) AND (r.shoe_id = v.shoe_id) AND (r.round = v.round);

CREATE VIEW _database_.v_wagers
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the first event of the round, UTC',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `wager_id` String COMMENT 'the wager, unique at its table and shoe',
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `spot` LowCardinality(String) COMMENT 'what was wagered on, such as PLAYER, BANKER, TIE or a side bet of the rulebook',
    `stake` Int64 COMMENT 'the stake; 0 if the wager was withdrawn; minor units',
    `coupon` Int64 COMMENT 'the part of the stake that was a promotional coupon; minor units',
    `medium` LowCardinality(String) COMMENT 'form of the wager, such as CHIPS, PLAQUES, CHIPS_AND_COUPON or CASH',
    `patron` String COMMENT 'keyed HMAC of the reference of the patron; empty if unknown',
    `disposition` LowCardinality(String) COMMENT 'what was done with the wager: undetermined, collected, paid, returned or withdrawn',
    `expected` LowCardinality(String) COMMENT 'what the rules require to be done with the wager: undetermined, collected, paid or returned',
    `paid` Int64 COMMENT 'what was paid on the wager, without the stake; minor units',
    `expected_paid` Int64 COMMENT 'what the rules require to be paid, without the stake; minor units',
    `collected` Int64 COMMENT 'what was taken of the stake; minor units',
    `returned` Int64 COMMENT 'what was given back of the stake; minor units',
    `placed_seq` UInt64 COMMENT 'number of the event that placed the wager',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `placed_at` DateTime64(9, 'UTC') COMMENT 'time at which the wager was placed, last raised or last moved, UTC',
    `late` Bool COMMENT 'the wager was placed, raised or moved after the first card',
    `ev` Float64 COMMENT 'exact expectation of the patron per unit, before the first card; 0 if unknown',
    `lock_stake` Int64 COMMENT 'stake as a device read it when bets were closed; -1 without a reading; minor units',
    `settle_stake` Int64 COMMENT 'stake as a device read it at settlement; -1 without a reading; minor units'
)
COMMENT 'wagers as placed and settled, once each; amounts in minor units'
AS SELECT *
FROM _database_.wagers
FINAL;

CREATE VIEW _database_.v_wagers_flat
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `pit_id` LowCardinality(String) COMMENT 'the pit',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table',
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the first event of the round, UTC',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` LowCardinality(String) COMMENT 'the shift of the calendar; empty without shifts',
    `dealer_id` LowCardinality(String) COMMENT 'badge of the dealer; empty if unknown',
    `game` String COMMENT 'the game, as the rulebook names it',
    `ruleset` LowCardinality(String) COMMENT 'the rulebook in force, such as nj-13-69f',
    `result` LowCardinality(String) COMMENT 'PLAYER, BANKER or TIE by the cards as dealt; VOID, or NONE if the cards give none',
    `wager_id` String COMMENT 'the wager, unique at its table and shoe',
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `spot` LowCardinality(String) COMMENT 'what was wagered on, such as PLAYER, BANKER, TIE or a side bet of the rulebook',
    `medium` LowCardinality(String) COMMENT 'form of the wager, such as CHIPS, PLAQUES, CHIPS_AND_COUPON or CASH',
    `patron` String COMMENT 'keyed HMAC of the reference of the patron; empty if unknown',
    `late` Bool COMMENT 'the wager was placed, raised or moved after the first card',
    `ev` Float64 COMMENT 'exact expectation of the patron per unit, before the first card; 0 if unknown',
    `disposition` LowCardinality(String) COMMENT 'what was done with the wager: undetermined, collected, paid, returned or withdrawn',
    `expected` LowCardinality(String) COMMENT 'what the rules require to be done with the wager: undetermined, collected, paid or returned',
    `currency` String COMMENT 'ISO 4217 code of the currency of the amounts; empty if unknown',
    `minor_units` UInt16 COMMENT 'minor units of a unit of the currency: 100 of most',
    `stake` Decimal(38, 3) COMMENT 'the stake; 0 if the wager was withdrawn',
    `coupon` Decimal(38, 3) COMMENT 'the part of the stake that was a promotional coupon',
    `paid` Decimal(38, 3) COMMENT 'what was paid on the wager, without the stake',
    `expected_paid` Decimal(38, 3) COMMENT 'what the rules require to be paid, without the stake',
    `collected` Decimal(38, 3) COMMENT 'what was taken of the stake',
    `returned` Decimal(38, 3) COMMENT 'what was given back of the stake'
)
COMMENT 'wagers with pit, shift, dealer, game and currency; amounts are decimals of the currency'
AS SELECT
    w.property_id AS property_id,
    r.pit_id AS pit_id,
    w.table_id AS table_id,
    w.shoe_id AS shoe_id,
    w.round AS round,
    w.at AS at,
    w.gaming_day AS gaming_day,
    r.shift AS shift,
    r.dealer_id AS dealer_id,
    r.game AS game,
    r.ruleset AS ruleset,
    r.result AS result,
    w.wager_id AS wager_id,
    w.seat AS seat,
    w.spot AS spot,
    w.medium AS medium,
    w.patron AS patron,
    w.late AS late,
    w.ev AS ev,
    w.disposition AS disposition,
    w.expected AS expected,
    r.currency AS currency,
    greatest(r.minor_units, 1) AS minor_units,
    toDecimal128(w.stake, 3) / minor_units AS stake,
    toDecimal128(w.coupon, 3) / minor_units AS coupon,
    toDecimal128(w.paid, 3) / minor_units AS paid,
    toDecimal128(w.expected_paid, 3) / minor_units AS expected_paid,
    toDecimal128(w.collected, 3) / minor_units AS collected,
    toDecimal128(w.returned, 3) / minor_units AS returned
FROM _database_.v_wagers AS w
LEFT JOIN _database_.v_rounds_flat AS r ON (r.property_id = w.property_id) AND (r.table_id = w.table_id) AND (r.shoe_id = w.shoe_id) AND (r.round = w.round);

CREATE VIEW _database_.v_waiting
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `topic` LowCardinality(String) COMMENT 'the Kafka topic, or files:NAME of ingest files',
    `partition` Int32 COMMENT 'the partition of the topic',
    `missing` UInt64 COMMENT 'number of the first missing event',
    `events` UInt32 COMMENT 'events that wait for it; 0 if none waits',
    `since` DateTime64(3, 'UTC') COMMENT 'since when they wait, by the clock of ingest, UTC',
    `written_at` DateTime64(3, 'UTC') COMMENT 'when the row was written, by the clock of the program'
)
COMMENT 'tables that wait for a missing event'
AS SELECT *
FROM _database_.waiting
FINAL
WHERE events > 0;

CREATE VIEW _database_.v_withdrawn
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `finding_id` String COMMENT 'id of the finding',
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `shift` String COMMENT 'the shift of the calendar; empty without shifts',
    `rule` String COMMENT 'the rule or the detector; audit rules NAME describes it',
    `withdrawn_at` DateTime64(9, 'UTC') COMMENT 'when the run withdrew it, UTC',
    `reason` String COMMENT 'reason in words',
    `run_id` String COMMENT 'the nightly run'
)
COMMENT 'findings that a later run withdrew, and why'
AS SELECT
    w.property_id AS property_id,
    w.finding_id AS finding_id,
    argMax(w.gaming_day, w.at) AS gaming_day,
    argMax(w.shift, w.at) AS shift,
    argMax(w.rule, w.at) AS rule,
    max(w.at) AS withdrawn_at,
    argMax(w.reason, w.at) AS reason,
    argMax(w.run_id, w.at) AS run_id
FROM _database_.withdrawals AS w
GROUP BY
    w.property_id,
    w.finding_id
HAVING argMax(w.action, w.at) = 'withdraw';

CREATE TABLE _database_.vigorish
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table' CODEC(ZSTD(1)),
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the payment that owes the vigorish, UTC' CODEC(Delta(8), ZSTD(1)),
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `wager_id` String COMMENT 'the wager, unique at its table and shoe' CODEC(ZSTD(1)),
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `kind` LowCardinality(String) COMMENT 'COMMISSION on a winning banker wager, or TIE25: the charge of a tie',
    `won` Int64 COMMENT 'what the wager won; minor units',
    `least` Int64 COMMENT 'lowest vigorish that the rules allow; minor units',
    `most` Int64 COMMENT 'highest vigorish that the rules allow; minor units',
    `marked` Int64 COMMENT 'vigorish that was marked as owed; minor units',
    `collected` Int64 COMMENT 'vigorish that was collected; minor units',
    `marked_seq` UInt64 COMMENT 'number of the event that marked it; 0 if it was not marked',
    `collected_seq` UInt64 COMMENT 'number of the event that collected it; 0 if it was not collected',
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    INDEX by_shoe shoe_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id, round, wager_id, kind)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'what one wager owed in vigorish and what became of it';

CREATE TABLE _database_.wagers
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `shoe_id` String COMMENT 'the shoe, unique at its table' CODEC(ZSTD(1)),
    `round` UInt32 COMMENT 'number of the round in its shoe, from 1; 0 if it is about no round',
    `at` DateTime64(9, 'UTC') COMMENT 'time of the first event of the round, UTC' CODEC(Delta(8), ZSTD(1)),
    `gaming_day` Date32 COMMENT 'the gaming day of the property, which begins at the rollover of its calendar; 1900-01-01 is unknown',
    `wager_id` String COMMENT 'the wager, unique at its table and shoe' CODEC(ZSTD(1)),
    `seat` UInt32 COMMENT 'the seat, from 1; 0 if it is about no seat',
    `spot` LowCardinality(String) COMMENT 'what was wagered on, such as PLAYER, BANKER, TIE or a side bet of the rulebook',
    `stake` Int64 COMMENT 'the stake; 0 if the wager was withdrawn; minor units',
    `coupon` Int64 COMMENT 'the part of the stake that was a promotional coupon; minor units',
    `medium` LowCardinality(String) COMMENT 'form of the wager, such as CHIPS, PLAQUES, CHIPS_AND_COUPON or CASH',
    `patron` String COMMENT 'keyed HMAC of the reference of the patron; empty if unknown' CODEC(ZSTD(1)),
    `disposition` LowCardinality(String) COMMENT 'what was done with the wager: undetermined, collected, paid, returned or withdrawn',
    `expected` LowCardinality(String) COMMENT 'what the rules require to be done with the wager: undetermined, collected, paid or returned',
    `paid` Int64 COMMENT 'what was paid on the wager, without the stake; minor units',
    `expected_paid` Int64 COMMENT 'what the rules require to be paid, without the stake; minor units',
    `collected` Int64 COMMENT 'what was taken of the stake; minor units',
    `returned` Int64 COMMENT 'what was given back of the stake; minor units',
    `placed_seq` UInt64 COMMENT 'number of the event that placed the wager' CODEC(Delta(8), ZSTD(1)),
    `version` UInt32 COMMENT 'decides between rows of the same key: the highest counts',
    `placed_at` DateTime64(9, 'UTC') COMMENT 'time at which the wager was placed, last raised or last moved, UTC' CODEC(Delta(8), ZSTD(1)),
    `late` Bool COMMENT 'the wager was placed, raised or moved after the first card',
    `ev` Float64 COMMENT 'exact expectation of the patron per unit, before the first card; 0 if unknown',
    `lock_stake` Int64 DEFAULT -1 COMMENT 'stake as a device read it when bets were closed; -1 without a reading; minor units',
    `settle_stake` Int64 DEFAULT -1 COMMENT 'stake as a device read it at settlement; -1 without a reading; minor units',
    INDEX by_patron patron TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_at at TYPE minmax GRANULARITY 1,
    INDEX by_shoe shoe_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(version)
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id, round, wager_id)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'one wager as placed and settled';

CREATE TABLE _database_.waiting
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `table_id` LowCardinality(String) COMMENT 'the table',
    `topic` LowCardinality(String) COMMENT 'the Kafka topic, or files:NAME of ingest files',
    `partition` Int32 COMMENT 'the partition of the topic',
    `missing` UInt64 COMMENT 'number of the first missing event',
    `events` UInt32 COMMENT 'events that wait for it; 0 if none waits',
    `since` DateTime64(3, 'UTC') COMMENT 'since when they wait, by the clock of ingest, UTC',
    `written_at` DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'when the row was written, by the clock of the program'
)
ENGINE = ReplacingMergeTree(written_at)
ORDER BY (property_id, table_id)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'tables whose events wait for a missing event';

CREATE TABLE _database_.watch_state
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `turn` UInt8 COMMENT 'the snapshot with the larger number is the newer one, if all its parts are there',
    `part` UInt32 COMMENT 'workers of the watch',
    `parts` UInt32 COMMENT 'number of parts of the snapshot',
    `number` UInt64 COMMENT 'number of the part',
    `state` String COMMENT 'state of the watch' CODEC(ZSTD(3)),
    `engine` LowCardinality(String) COMMENT 'the release that wrote the row',
    `written_at` DateTime64(3, 'UTC') DEFAULT now64(3) COMMENT 'when the row was written, by the clock of the program'
)
ENGINE = ReplacingMergeTree(number)
ORDER BY (property_id, turn, part)
SETTINGS non_replicated_deduplication_window = 100000, index_granularity = 8192
COMMENT 'snapshots of audit watch';

CREATE TABLE _database_.withdrawals
(
    `property_id` LowCardinality(String) COMMENT 'the property, as publishers name it',
    `finding_id` String COMMENT 'id of the finding' CODEC(ZSTD(1)),
    `at` DateTime64(9, 'UTC') COMMENT 'when the run wrote the row, UTC',
    `action` LowCardinality(String) COMMENT 'withdraw, or restore if a later run finds it again; the last row of a finding counts',
    `reason` String COMMENT 'reason in words' CODEC(ZSTD(1)),
    `run_id` String COMMENT 'the nightly run',
    `gaming_day` Date32 COMMENT 'gaming day of the finding',
    `shift` LowCardinality(String) COMMENT 'shift of the finding',
    `rule` LowCardinality(String) COMMENT 'rule of the finding',
    `hash` String COMMENT 'SHA-256 of all other columns, in hex'
)
ENGINE = MergeTree
ORDER BY (property_id, finding_id, at)
SETTINGS non_replicated_deduplication_window = 100000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 8192
COMMENT 'findings that a nightly run withdrew; append-only';
