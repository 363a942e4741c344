-- Rounds and wagers are sorted by table and shoe. A search by the time of day reads these indexes.
{{range $t := .List "rounds" "wagers"}}
ALTER TABLE {{$.Stored $t}} ADD INDEX IF NOT EXISTS by_at at TYPE minmax GRANULARITY 1;
ALTER TABLE {{$.Stored $t}} MATERIALIZE INDEX by_at;
{{end}}
