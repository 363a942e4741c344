-- After it has chosen parts, ClickHouse removes those at the right end that have less than 1 % of their bytes, down to two parts: below
-- min_parts_to_merge_at_once. So 16 parts of which the first is large became a merge of the first and one small part, after each insert.
{{range .List "events" "evidence" "findings" "open_findings" "journal" "rounds" "wagers" "vigorish" "shoes" "table_memory" "feeds" "dealer_rounds" -}}
ALTER TABLE {{$.Stored .}} MODIFY SETTING merge_selector_enable_heuristic_to_remove_small_parts_at_right = 0;
{{end}}
