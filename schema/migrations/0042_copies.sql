-- The same bytes of an event in two partitions of a topic replaced each other, and the journal of one partition was no longer proven.
-- A key takes only a new column: it has the partition again. Rows of before have 0.
ALTER TABLE {{.Stored "events"}} ADD COLUMN IF NOT EXISTS copy Int32 COMMENT 'the partition once more, in the key; 0 in rows of older releases',
    MODIFY ORDER BY (property_id, table_id, seq, event_id, sha256, topic, copy);
{{if .Cluster}}
ALTER TABLE {{.View "events"}} ADD COLUMN IF NOT EXISTS copy Int32 COMMENT 'the partition once more, in the key; 0 in rows of older releases';
{{end}}

DROP VIEW IF EXISTS {{.View "v_events"}};
CREATE VIEW IF NOT EXISTS {{.View "v_events"}} AS
SELECT * FROM {{.Name "events"}} FINAL;

ALTER TABLE {{.View "v_events"}} COMMENT COLUMN property_id 'the property, as publishers name it',
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
