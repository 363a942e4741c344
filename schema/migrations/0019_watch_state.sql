-- What audit watch knows of patrons, dealers and devices, up to a shoe. Two snapshots take turns; each has several parts.
CREATE TABLE IF NOT EXISTS {{.Stored "watch_state"}} (
    property_id LowCardinality(String),
    turn        UInt8 COMMENT 'the snapshot with the larger number is the newer one, if all its parts are there',
    part        UInt32,
    parts       UInt32,
    number      UInt64,
    state       String CODEC(ZSTD(3)),
    engine      LowCardinality(String),
    written_at  DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = {{.Replacing "number"}}
ORDER BY (property_id, turn, part)
SETTINGS {{.Window}}
COMMENT 'snapshots of audit watch';

{{.Spread "watch_state" "cityHash64(property_id)"}}
