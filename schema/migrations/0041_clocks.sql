-- One event with a wrong time took the place of the last event of its table until that time. The events of a table now replace each other
-- only while its clock differs from that of the receipt by a similar time, and the last one that was received is that of the table.
-- Rows of before have clock 0.
{{if .Cluster}}ALTER TABLE {{.View "feeds"}} ADD COLUMN IF NOT EXISTS clock Int8;
{{end}}ALTER TABLE {{.Stored "feeds"}} ADD COLUMN IF NOT EXISTS clock Int8, MODIFY ORDER BY (property_id, table_id, clock);

ALTER TABLE {{.Stored "events_to_feeds"}} MODIFY QUERY
WITH bitShiftLeft(toInt128(toUnixTimestamp64Nano(e.at)), 64) + toInt128(e.seq) AS latest,
    (toFloat64(toUnixTimestamp64Nano(e.at)) - toFloat64(toUnixTimestamp64Nano(now64(9)))) / 60e9 AS minutes
SELECT e.property_id AS property_id, argMax(e.pit_id, e.at) AS pit_id, e.table_id AS table_id, max(e.at) AS at, argMax(e.seq, e.at) AS seq,
    argMax(e.shoe_id, latest) AS shoe_id, argMax(e.round, latest) AS round, argMax(e.kind, latest) AS kind,
    now64(3) AS received_at, toInt8(if(minutes <= -1, -1, 1) * (1 + floor(log2(1 + abs(minutes))))) AS clock
FROM {{.StoredName "events"}} AS e
GROUP BY e.property_id, e.table_id, clock;

DROP VIEW IF EXISTS {{.View "v_feeds"}};
CREATE VIEW IF NOT EXISTS {{.View "v_feeds"}} AS
SELECT * FROM {{.Name "feeds"}} FINAL
ORDER BY received_at DESC, seq DESC LIMIT 1 BY property_id, table_id;

{{range $t := .Everywhere "feeds"}}ALTER TABLE {{$t}} COMMENT COLUMN clock 'how much the event was ahead of its receipt: 1 within a minute, one more for twice as long, negative if behind, 0 unknown';
{{end}}
ALTER TABLE {{.View "v_feeds"}} COMMENT COLUMN property_id 'the property, as publishers name it',
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
