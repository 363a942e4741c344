-- What an insert costs. The server computes statistics of every column, also of raw bytes and hashes, which no query of
-- these tables uses, and writes a file for each column of a part: parts are compact until they are large.
{{range $t := .List "events" "table_memory"}}
ALTER TABLE {{$.Stored $t}} MODIFY SETTING auto_statistics_types = '', min_bytes_for_wide_part = 268435456;
{{end}}

-- The same rows as before: to compare tuples takes six times as long as to compare one number for time and seq.
ALTER TABLE {{.Stored "events_to_feeds"}} MODIFY QUERY
WITH bitShiftLeft(toInt128(toUnixTimestamp64Nano(e.at)), 64) + toInt128(e.seq) AS latest
SELECT e.property_id AS property_id, argMax(e.pit_id, e.at) AS pit_id, e.table_id AS table_id, max(e.at) AS at, argMax(e.seq, e.at) AS seq,
    argMax(e.shoe_id, latest) AS shoe_id, argMax(e.round, latest) AS round, argMax(e.kind, latest) AS kind,
    now64(3) AS received_at
FROM {{.StoredName "events"}} AS e
GROUP BY e.property_id, e.table_id;
