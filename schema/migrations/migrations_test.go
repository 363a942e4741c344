package migrations

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func render(t *testing.T, l Layout) []string {
	t.Helper()
	journal, err := Journal()
	if err != nil {
		t.Fatal(err)
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	create, err := l.CreateDatabase()
	if err != nil {
		t.Fatal(err)
	}
	statements := []string{create}
	for _, m := range append([]Migration{journal}, all...) {
		more, err := m.Statements(l)
		if err != nil {
			t.Fatal(err)
		}
		statements = append(statements, more...)
	}
	return statements
}

// The rendered statements are in testdata, to be read in a review. SHOEPROOF_UPDATE=1 writes them.
func TestRendered(t *testing.T) {
	for name, l := range map[string]Layout{
		"single.sql":  {Database: "shoeproof"},
		"cluster.sql": {Database: "shoeproof", Cluster: "floor"},
	} {
		got := strings.Join(render(t, l), ";\n\n") + ";\n"
		golden(t, name, got)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("SHOEPROOF_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// Also the rights of users are text to be read in a review.
func TestRoleSQL(t *testing.T) {
	single, err := Layout{Database: "shoeproof"}.RoleSQL()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "roles.sql", single)
	cluster, err := Layout{Database: "shoeproof", Cluster: "floor"}.RoleSQL()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"CREATE ROLE IF NOT EXISTS shoeproof_writer ON CLUSTER floor;", "GRANT ON CLUSTER floor\n",
		"INSERT ON shoeproof.events_local,", "TABLE ENGINE ON Distributed\n",
		"ALTER SETTINGS PROFILE shoeproof_reader ON CLUSTER floor SETTINGS readonly = 2,",
	} {
		if !strings.Contains(cluster, want) {
			t.Errorf("no %q in a cluster's roles", want)
		}
	}
	if _, err := (Layout{Database: "a; b"}).RoleSQL(); err == nil {
		t.Error("a database that is none was taken")
	}
}

// A table whose comment states that it may name patrons is hidden from read-only roles. Every table that is granted by
// name exists.
func TestRolesKnowTheTables(t *testing.T) {
	tables, _, err := Layout{Database: "d"}.made()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range render(t, Layout{Database: "d"}) {
		name, ok := strings.CutPrefix(s, "CREATE TABLE IF NOT EXISTS d.")
		if name, _, _ = strings.Cut(name, " "); ok && strings.Contains(s, "may name patrons") {
			if _, hidden := naming[name]; !hidden {
				t.Errorf("%s may name patrons, and a reader sees it", name)
			}
		}
	}
	for _, name := range slices.Concat(streamed, nightly, triaged, filled, expiring, slices.Collect(maps.Keys(naming))) {
		if !slices.Contains(tables, name) {
			t.Errorf("%s is granted, but there is no such table", name)
		}
	}
}

// A migration that failed half way, or that two run at once, is run again from its start.
func TestStatementsRunAgain(t *testing.T) {
	again := regexp.MustCompile(`^(DROP VIEW IF EXISTS|` +
		`CREATE (DATABASE|TABLE|VIEW|MATERIALIZED VIEW) IF NOT EXISTS|CREATE OR ` +
		`REPLACE VIEW|ALTER TABLE \S+ (ADD COLUMN|ADD INDEX|ADD PROJECTION) IF NOT EXISTS|` +
		// What is inserted twice is kept once there.
		`ALTER TABLE \S+ (DROP PROJECTION IF EXISTS|MATERIALIZE (PROJECTION|INDEX)|COMMENT COLUMN|MODIFY (COMMENT|SETTING|QUERY|COLUMN \S+ CODEC))|` +
		`INSERT INTO d\.(dealer_(rounds|findings)|open_findings|evidence_by_day)\s|` +
		// TestEvidenceMoves runs these again.
		`DROP TABLE IF EXISTS d\.evidence SYNC|RENAME TABLE d\.evidence_by_day TO d\.evidence$)`)
	for _, s := range render(t, Layout{Database: "d"}) {
		if !again.MatchString(s) {
			t.Errorf("cannot be run twice: %s", s)
		}
	}
}

// An insert is recognised by its token only where there is a window, also behind a view.
func TestEveryTableHasAWindow(t *testing.T) {
	for _, s := range render(t, Layout{Database: "d"}) {
		if strings.HasPrefix(s, "CREATE TABLE") &&
			!strings.Contains(s, "non_replicated_deduplication_window = 100000") {
			t.Errorf("no window: %s", s)
		}
	}
	for _, s := range render(t, Layout{Database: "d", Cluster: "c"}) {
		if !strings.Contains(s, "Distributed(") && strings.HasPrefix(s, "CREATE TABLE") &&
			(!strings.Contains(s, " replicated_deduplication_window = ") ||
				!strings.Contains(s, "ENGINE = Replicated")) {
			t.Errorf("not replicated, or no window: %s", s)
		}
		// which goes to all through Distributed
		if !strings.Contains(s, "ON CLUSTER c") && !strings.HasPrefix(s, "INSERT INTO d.") {
			t.Errorf("on one server only: %s", s)
		}
	}
}

func TestTables(t *testing.T) {
	want := strings.Fields("schema_migrations leases events rounds wagers vigorish shoes table_configs notices " +
		"table_memory evidence findings open_findings finding_actions journal dead_letters audit_runs exports feeds " +
		"shelves handovers console_log " +
		"run_lines leases legal_holds dealer_rounds dealer_findings waiting watch_state withdrawals case_steps " +
		"evidence_by_day evidence")
	var got []string
	for _, s := range render(t, Layout{Database: "d"}) {
		if name, ok := strings.CutPrefix(s, "CREATE TABLE IF NOT EXISTS d."); ok {
			got = append(got, strings.Fields(name)[0])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("tables %v, want %v", got, want)
	}
}

func TestLayoutRefused(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []Layout{{}, {Database: "a b"}, {Database: "a;DROP"}, {Database: "a", Cluster: "'"}} {
		if _, err := all[0].Statements(l); err == nil {
			t.Errorf("%+v was taken", l)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, dir := range map[string]fstest.MapFS{
		"no files":   {},
		"a gap":      {"0000_a.sql": {}, "0002_b.sql": {}},
		"two alike":  {"0000_a.sql": {}, "0001_b.sql": {}, "0001_c.sql": {}},
		"other name": {"0000_a.sql": {}, "1_b.sql": {}},
	} {
		if _, err := load(dir); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestStatementWithoutEnd(t *testing.T) {
	m := Migration{Name: "0001_a.sql", text: "CREATE TABLE a;\nCREATE TABLE b\n"}
	if _, err := m.Statements(Layout{Database: "d"}); err == nil || !strings.Contains(err.Error(), "CREATE TABLE b") {
		t.Errorf("got %v, want the statement without a semicolon", err)
	}
}

// A TTL knows no legal hold: only what is no record has one.
func TestNoRecordExpires(t *testing.T) {
	for _, s := range render(t, Layout{Database: "d"}) {
		name, table := strings.CutPrefix(s, "CREATE TABLE IF NOT EXISTS d.")
		name, _, _ = strings.Cut(name, " ")
		if table && strings.Contains(s, "\nTTL ") && name != "run_lines" && name != "leases" {
			t.Errorf("%s deletes by itself", name)
		}
	}
}
