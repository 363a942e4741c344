-- The events of a day, and those that came later than a snapshot, are found without a scan of all events of a property:
-- a minimum and a maximum for each 8,192 rows. They cost an insert nothing that can be measured.
ALTER TABLE {{.Stored "events"}} ADD INDEX IF NOT EXISTS by_at at TYPE minmax GRANULARITY 1;
ALTER TABLE {{.Stored "events"}} ADD INDEX IF NOT EXISTS by_offset (partition, offset) TYPE minmax GRANULARITY 1;
ALTER TABLE {{.Stored "events"}} MATERIALIZE INDEX by_at;
ALTER TABLE {{.Stored "events"}} MATERIALIZE INDEX by_offset;
