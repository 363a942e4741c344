-- The proof of coverage and what could not be read, and what was run and handed out.

CREATE TABLE IF NOT EXISTS {{.Stored "journal"}} (
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
ENGINE = {{.Merge}}
ORDER BY (topic, partition, to_offset)
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'one flushed range of a partition';

{{.Spread "journal" "cityHash64(topic, partition)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "dead_letters"}} (
    topic     LowCardinality(String),
    partition Int32,
    offset    Int64,
    place     String COMMENT 'file and line, if the record came from a file',
    reason    String CODEC(ZSTD(1)),
    raw       String CODEC(ZSTD(3))
)
ENGINE = {{.Replacing}}
ORDER BY (topic, partition, offset)
SETTINGS {{.Window}}
COMMENT 'a record that could not be read';

{{.Spread "dead_letters" "cityHash64(topic, partition)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "audit_runs"}} (
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
ENGINE = {{.Replacing "version"}}
ORDER BY (property_id, gaming_day, run_id)
SETTINGS {{.Window}}
COMMENT 'one nightly run';

{{.Spread "audit_runs" "cityHash64(property_id)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "exports"}} (
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
ENGINE = {{.Replacing}}
ORDER BY (property_id, gaming_day, export_id)
SETTINGS {{.Window}}, {{.Fsync}}
COMMENT 'one bundle that was handed out';

{{.Spread "exports" "cityHash64(property_id)"}}
