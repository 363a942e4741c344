-- Level 3 of ZSTD costs each merge a fifth of its time and makes the archive smaller by less than a hundredth. Parts
-- keep their codec until they are merged.
ALTER TABLE {{.Stored "events"}} MODIFY COLUMN raw CODEC(ZSTD(1));
ALTER TABLE {{.Stored "table_memory"}} MODIFY COLUMN memory CODEC(ZSTD(1));
