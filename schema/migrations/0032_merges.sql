-- Without a minimum, ClickHouse merges two or three of the small parts of a live floor at a time, and each row many times. With it, a
-- table has some small parts more.
{{range .List "events" "evidence" "findings" "open_findings" "journal" "rounds" "wagers" "vigorish" "shoes" "table_memory" "feeds" "dealer_rounds" -}}
ALTER TABLE {{$.Stored .}} MODIFY SETTING min_parts_to_merge_at_once = 16;
{{end}}
