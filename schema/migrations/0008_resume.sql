-- Where a start goes on. Rows of the journal without a hash are of a release that read every partition
-- from its first record.

{{range $t := .Everywhere "journal"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS clock Int64 COMMENT 'latest event time of the partition before low_offset, ns UTC' AFTER low_offset;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS crc UInt32 COMMENT 'CRC-32C over offsets and values of the records' AFTER records;
{{end}}

-- A table may be remembered twice after the same event: at two records that were not taken in.
ALTER TABLE {{.Stored "table_memory"}} ADD COLUMN IF NOT EXISTS topic LowCardinality(String), ADD COLUMN IF NOT EXISTS partition Int32,
    ADD COLUMN IF NOT EXISTS offset Int64 COMMENT 'the record after which it was written', MODIFY ORDER BY (property_id, table_id, seq, offset);
{{if .Cluster}}
ALTER TABLE {{.View "table_memory"}} ADD COLUMN IF NOT EXISTS topic LowCardinality(String), ADD COLUMN IF NOT EXISTS partition Int32,
    ADD COLUMN IF NOT EXISTS offset Int64;
{{end}}
