-- The archive and the facts as played. Money is minor units. Rows of the same key replace each
-- other; version is the same whenever the same release replays the same events.

CREATE TABLE IF NOT EXISTS {{.Stored "events"}} (
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
ENGINE = {{.Replacing}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, seq, event_id, sha256)
SETTINGS {{.Window}}
COMMENT 'one event as received; raw may name patrons';

{{.Spread "events" "cityHash64(property_id, table_id)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "rounds"}} (
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
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id, round)
SETTINGS {{.Window}}
COMMENT 'one round as played';

{{.Spread "rounds" "cityHash64(property_id, table_id)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "wagers"}} (
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
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id, round, wager_id)
SETTINGS {{.Window}}
COMMENT 'one wager as placed and settled';

{{.Spread "wagers" "cityHash64(property_id, table_id)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "vigorish"}} (
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
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id, round, wager_id, kind)
SETTINGS {{.Window}}
COMMENT 'what one wager owed in vigorish and what became of it';

{{.Spread "vigorish" "cityHash64(property_id, table_id)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "shoes"}} (
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
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, shoe_id)
SETTINGS {{.Window}}
COMMENT 'one shoe as played';

{{.Spread "shoes" "cityHash64(property_id, table_id)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "table_configs"}} (
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
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, pit_id, table_id, at, seq)
SETTINGS {{.Window}}
COMMENT 'a configuration in force';

{{.Spread "table_configs" "cityHash64(property_id, table_id)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "notices"}} (
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
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, pit_id, table_id, at, seq)
SETTINGS {{.Window}}
COMMENT 'a notice filed or posted';

{{.Spread "notices" "cityHash64(property_id, table_id)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "table_memory"}} (
    property_id LowCardinality(String),
    table_id    LowCardinality(String),
    seq         UInt64,
    at          DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    memory      String COMMENT 'JSON; may name patrons' CODEC(ZSTD(3)),
    engine      LowCardinality(String),
    version     UInt32
)
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, table_id, seq)
SETTINGS {{.Window}}
COMMENT 'what a table carries from one shoe to the next, by the closing event';

{{.Spread "table_memory" "cityHash64(property_id, table_id)"}}
