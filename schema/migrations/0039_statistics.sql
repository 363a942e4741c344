-- What an insert costs: statistics of every column (as in migration 23). The queries name what they filter by first, and gain nothing by them.
{{range .List "dealer_findings" "dealer_rounds" "evidence" "feeds" "findings" "journal" "notices" "open_findings" "rounds" "run_lines" "shoes" "table_configs" "vigorish" "wagers" -}}
ALTER TABLE {{$.Stored .}} MODIFY SETTING auto_statistics_types = '';
{{end}}
