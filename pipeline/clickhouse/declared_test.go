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
		// A column with the server's own time is no part of a row, unless the program writes it.
		columns := value[[]string](t, s, fmt.Sprintf("SELECT groupArray(name || ' ' || type) FROM system.columns "+
			"WHERE database = '%s' AND table = '%s' AND (default_expression NOT LIKE 'now%%' OR name IN ('%s'))",
			s.cfg.Database, table.Name, strings.Join(table.Names(), "', '")))
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
		fact := slices.ContainsFunc(rows.FactTables(), func(t rows.Table) bool { return t.Name == table.Name })
		if of := strings.Split(sorted, ", "); fact && len(of) != len(table.Keys()) {
			t.Errorf("table %s: the keys %q are declared, the server's sorting key is %s", table.Name, table.Keys(), sorted)
		}
	}
}

// A view that passes a table on has all its columns: SELECT * is what the table had when the view was created.
func TestViewsHaveAllColumns(t *testing.T) {
	s := open(t, migrated(t))
	columns := func(of string) []string {
		return value[[]string](t, s, fmt.Sprintf("SELECT groupArray(name) FROM (SELECT name FROM system.columns "+
			"WHERE database = '%s' AND table = '%s' ORDER BY name)", s.cfg.Database, of))
	}
	others := map[string]string{
		"v_queue": "open_findings", "v_runs": "audit_runs", "v_bundles": "exports", "v_waiting": "waiting",
	}
	views := value[[]string](t, s, fmt.Sprintf("SELECT groupArray(name) FROM system.tables WHERE database = '%s' "+
		"AND engine = 'View'", s.cfg.Database))
	compared := 0
	for _, view := range views {
		table := strings.TrimPrefix(view, "v_")
		if other := others[view]; other != "" {
			table = other
		}
		want := columns(table)
		if len(want) == 0 || view == "v_dealer_findings" {
			continue // a view of its own, such as v_triage
		}
		compared++
		if diff := cmp.Diff(want, columns(view)); diff != "" {
			t.Errorf("%s (-%s +view):\n%s", view, table, diff)
		}
	}
	if compared < 18 {
		t.Errorf("%d of %d views compared", compared, len(views))
	}
}
