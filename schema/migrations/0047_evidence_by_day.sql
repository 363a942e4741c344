-- A night reads the evidence of its day. The sorting key began with the detector, so that each read took the rows of a month. A sorting key
-- cannot be changed: the rows move to a table with another key, which then takes the name. The statements may run again from the first one: a
-- table that was dropped is made again without rows, and a row that was copied twice counts once.
CREATE TABLE IF NOT EXISTS {{.Stored "evidence_by_day"}} (
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
ENGINE = {{.Replacing "version"}}
PARTITION BY toYYYYMM(at)
ORDER BY (property_id, gaming_day, detector, key, at, table_id, shoe_id, round)
SETTINGS {{.Window}}, min_parts_to_merge_at_once = 16, merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0, auto_statistics_types = ''
COMMENT 'a detector''s factor for one round and one key';

{{.Spread "evidence_by_day" "cityHash64(detector, key)"}}

CREATE TABLE IF NOT EXISTS {{.Stored "evidence"}} AS {{.StoredName "evidence_by_day"}}
ENGINE = {{.Merge}}
ORDER BY tuple()
SETTINGS {{.Window}};

INSERT INTO {{.Name "evidence_by_day"}}
SELECT detector, key, at, property_id, table_id, shoe_id, round, seq, gaming_day, ln_e, start, engine, version FROM {{.Name "evidence"}}
SETTINGS max_partitions_per_insert_block = 0;

-- What was stored during the copy.
INSERT INTO {{.Name "evidence_by_day"}}
SELECT detector, key, at, property_id, table_id, shoe_id, round, seq, gaming_day, ln_e, start, engine, version FROM {{.Name "evidence"}}
WHERE at > now() - toIntervalDay(3);

DROP TABLE IF EXISTS {{.Stored "evidence"}} SYNC
SETTINGS max_table_size_to_drop = 0;

RENAME TABLE {{.StoredName "evidence_by_day"}} TO {{.Stored "evidence"}};
{{if .Cluster}}
DROP TABLE IF EXISTS {{.View "evidence_by_day"}};
{{end}}
