//go:build unix

package clickhouse

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// questions runs each statement of docs/analysts.md as the reader, who reads through the views.
func questions(t *testing.T, reader *Store) {
	page, err := os.ReadFile("../../docs/analysts.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)\n## ([^\n]*)\n\n```sql\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if len(found) < 8 || len(found) != strings.Count(string(page), "```sql") {
		t.Errorf("%d questions", len(found))
	}
	base := regexp.MustCompile(`\b(?:FROM|JOIN) (\w+)`)
	view := regexp.MustCompile(`\b(FROM|JOIN) v_`)
	for _, m := range found {
		for _, table := range base.FindAllStringSubmatch(m[2], -1) {
			if !strings.HasPrefix(table[1], "v_") && !strings.Contains(m[2], table[1]+" AS (") {
				t.Errorf("%s: reads %s, want a view", m[1], table[1])
			}
		}
		result, err := reader.conn.Query(t.Context(), view.ReplaceAllString(m[2], "$1 shoeproof.v_"))
		if err != nil {
			t.Errorf("%s: %v", m[1], err)
			continue
		}
		for result.Next() {
		}
		if err := result.Err(); err != nil {
			t.Errorf("%s: %v", m[1], err)
		}
		result.Close()
	}
}
