//go:build unix

package clickhouse

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// A column is declared once: the declared tables and the server's agree in both directions, after all migrations.
func TestDeclaredColumnsAreTheServers(t *testing.T) {
	s := open(t, migrated(t))
	tables := append(slices.Clone(s.tables), s.journal)
	for _, t := range []rows.Table{
		rows.TableOf[AuditRun]("audit_runs"), rows.TableOf[runLine]("run_lines"), rows.TableOf[Export]("exports"),
		rows.TableOf[holdAction]("legal_holds"), rows.TableOf[leaseAction]("leases"),
		rows.TableOf[migration]("schema_migrations"),
		rows.TableOf[Waiting]("waiting"), rows.TableOf[watchState]("watch_state"), rows.TableOf[Withdrawal]("withdrawals"),
	} {
		tables = append(tables, s.table(&t, 0))
	}
	unused := map[string]string{"audit_runs": "error", "exports": "query"} // since migration 3
	for _, table := range tables {
		want := map[string]string{}
		if name := unused[table.Name]; name != "" {
			want[name] = "String"
		}
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
