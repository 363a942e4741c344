//go:build unix

package clickhouse

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A column is declared once: the declared tables and the server's agree in both directions, after all migrations.
func TestDeclaredColumnsAreTheServers(t *testing.T) {
	s := open(t, migrated(t))
	for _, table := range append(slices.Clone(s.tables), s.journal) {
		want := map[string]string{}
		for i := range table.Columns {
			want[table.Columns[i].Name] = table.Columns[i].ClickHouse
		}
		for _, name := range table.Added {
			want[name] = "UInt32"
		}
		got := map[string]string{}
		// A column with the server's own time is no part of a row.
		columns := value[[]string](t, s, fmt.Sprintf("SELECT groupArray(name || ' ' || type) FROM system.columns "+
			"WHERE database = '%s' AND table = '%s' AND default_expression NOT LIKE 'now%%'", s.cfg.Database, table.Name))
		for _, column := range columns {
			name, of, _ := strings.Cut(column, " ")
			got[name] = of
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("table %s (-declared +server):\n%s", table.Name, diff)
		}
		sorted := value[string](t, s,
			fmt.Sprintf("SELECT sorting_key FROM system.tables WHERE database = '%s' AND name = '%s'", s.cfg.Database,
				table.Name))
		for _, key := range table.Keys() {
			if !slices.Contains(strings.Split(sorted, ", "), key) {
				t.Errorf("table %s: %s is declared as key, the server's sorting key is %s", table.Name, key, sorted)
			}
		}
	}
}
