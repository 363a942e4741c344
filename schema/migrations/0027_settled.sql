-- When a round was settled: audit watch scores rounds in this order, before their shoe is closed.
{{range $t := .Everywhere "rounds"}}
ALTER TABLE {{$t}} ADD COLUMN IF NOT EXISTS settled_at DateTime64(9, 'UTC') DEFAULT greatest(at, end_at) COMMENT 'time of the event that settled the round' CODEC(Delta, ZSTD(1));
{{end}}
ALTER TABLE {{.Stored "rounds"}} ADD INDEX IF NOT EXISTS by_settled settled_at TYPE minmax GRANULARITY 1;
ALTER TABLE {{.Stored "rounds"}} MATERIALIZE INDEX by_settled;
