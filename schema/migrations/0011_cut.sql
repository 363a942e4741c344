-- What a log that was cut back leaves behind: the same offsets with other records.
{{range $t := .Everywhere "journal"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS epoch UInt32 COMMENT 'how often the log had been cut back' AFTER generation;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS cut_from Int64 COMMENT 'first offset that was audited and is gone, in the first range since; otherwise 0' AFTER epoch;
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS cut_to Int64 COMMENT 'the last' AFTER cut_from;
{{end}}
{{range $t := .Everywhere "table_memory"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS epoch UInt32 COMMENT 'how often the log had been cut back';
{{end}}
