-- A shoe is in one or two of the parts of a table. The sorting key is table and shoe, so without an index of each part a read of a shoe
-- reads a granule of every part of the table, of all months.
{{range $t := .List "rounds" "wagers" "vigorish"}}
ALTER TABLE {{$.Stored $t}} ADD INDEX IF NOT EXISTS by_shoe shoe_id TYPE bloom_filter(0.01) GRANULARITY 1;
ALTER TABLE {{$.Stored $t}} MATERIALIZE INDEX by_shoe;
{{end}}
