//go:build unix

package clickhouse

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
)

// recorded holds the definitions of a migrated database to those in schema/migrations/definitions.
// SHOEPROOF_UPDATE=1 writes them.
func recorded(t *testing.T, c *engine.ClickHouse, name, database string) {
	t.Helper()
	got, err := enginetest.Query(t.Context(), c, "default", "SELECT arrayStringConcat(groupArray(sql), ';\n\n') || ';' "+
		"FROM (SELECT formatQuery(create_table_query) AS sql FROM system.tables WHERE database = '"+database+
		"' ORDER BY name) FORMAT TSVRaw")
	if err != nil {
		t.Fatal(err)
	}
	got = strings.NewReplacer(database+".", "_database_.", "'"+database+"'", "'_database_'", "'floor'",
		"'_cluster_'").Replace(got)
	path := filepath.Join("..", "..", "schema", "migrations", "definitions", name)
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("SHOEPROOF_UPDATE") != "" && string(want) != got {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		t.Skipf("%s is written; this program was built with the earlier one", path)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-recorded +server), SHOEPROOF_UPDATE=1 writes it:\n%s", path, diff)
	}
}

// Each change of a definition that hides, changes or deletes rows is found, with the line that differs.
func TestDefinitions(t *testing.T) {
	cfg := migrated(t)
	s, c := open(t, cfg), server.Start(t)
	recorded(t, c, "single.sql", cfg.Database)
	if changed, hidden, err := s.Definitions(t.Context()); err != nil || len(changed) > 0 || hidden > 0 {
		t.Fatalf("of a migrated database: %v, %d hidden, %v", changed, hidden, err)
	}
	for _, change := range []struct {
		do, undo, table, line string
		settings              bool
	}{
		{
			"ALTER TABLE %s.events MODIFY TTL toDateTime(at) + INTERVAL 1 DAY", "ALTER TABLE %s.events REMOVE TTL", "events",
			"+ TTL", false,
		},
		{
			"ALTER TABLE %s.findings MODIFY COLUMN observed String TTL toDateTime(at) + INTERVAL 1 DAY",
			"ALTER TABLE %s.findings MODIFY COLUMN observed REMOVE TTL", "findings", "+ `observed` String", false,
		},
		{
			"CREATE OR REPLACE VIEW %s.v_progress AS SELECT * FROM %[1]s.journal WHERE partition > 0", "", "v_progress",
			"+ WHERE partition > 0", false,
		},
		{
			"ALTER TABLE %s.findings_to_open MODIFY QUERY SELECT * FROM %[1]s.findings WHERE severity != 'critical'", "",
			"findings_to_open", "+ WHERE severity != 'critical'", false,
		},
		{"DROP VIEW %s.events_to_feeds", "", "events_to_feeds", "- the whole table or view", false},
		{
			"CREATE TABLE %s.mine (a UInt8) ENGINE = Memory", "DROP TABLE %s.mine", "mine",
			"+ a table or view that no migration makes", false,
		},
		{
			"ALTER TABLE %s.journal MODIFY SETTING non_replicated_deduplication_window = 0", "", "journal", "+ SETTINGS", true,
		},
		{"ALTER TABLE %s.exports DROP COLUMN log_root", "", "exports", "- `log_root` String", false},
	} {
		run := func(statement string) {
			t.Helper()
			if statement = strings.TrimSpace(statement); statement != "" {
				if _, err := enginetest.Query(t.Context(), c, "default", fmt.Sprintf(statement, cfg.Database)); err != nil {
					t.Fatal(err)
				}
			}
		}
		run(change.do)
		changed, _, err := s.Definitions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, ch := range changed[cfg.Addrs[0]] {
			if ch.Table == change.table && ch.Settings == change.settings {
				found = found || strings.Contains(strings.Join(ch.Lines, "\n"), change.line)
			}
		}
		if !found {
			t.Errorf("%s: found %+v, want the line %s", change.do, changed, change.line)
		}
		run(change.undo)
	}
}
