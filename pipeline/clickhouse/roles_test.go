//go:build unix

package clickhouse

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

// withRoles is a server whose users are the shipped ones, besides default, each with its name as
// password. The tables are the migrator's work.
func withRoles(t *testing.T) func(role string) Config {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a ClickHouse")
	}
	own := enginetest.ClickHouse(t, engine.ClickHouseOptions{Users: enginetest.RoleUsers(t)})
	as := func(role string) Config {
		return Config{
			Addrs: []string{own.Addr}, Database: "shoeproof", User: "shoeproof_" + role,
			Password: Secret(role), RulesVersion: "r1", Engine: "test", RowVersion: 7,
		}
	}
	for range 2 { // Again as at every upgrade.
		if _, _, err := Migrate(t.Context(), as("migrator")); err != nil {
			t.Fatal(err)
		}
	}
	return as
}

// Each user of the shipped grants does its work, and nothing else.
func TestRoles(t *testing.T) {
	as := withRoles(t)
	writer := open(t, as("writer"))
	b := fullBatch()
	b.Findings = append(b.Findings, finding.Finding{
		ID: "open", Verdict: "BREACH", Severity: finding.Major,
		Citations: []string{}, Evidence: finding.Evidence{Seqs: []uint64{}, EventIDs: []string{}},
	})
	b.Range = pipeline.Range{Topic: "t", To: 9, Records: 10}
	write(t, writer, b)
	auditor := open(t, as("auditor"))
	for table, least := range map[string]uint64{
		"events": 1, "findings": 1, "open_findings": 1, "journal": 1,
		"dead_letters": 1,
	} {
		if n := value[uint64](t, auditor, "SELECT count() FROM shoeproof."+table); n < least {
			t.Errorf("%d rows in %s, want %d or more", n, table, least)
		}
	}
	t.Run("matrix", func(t *testing.T) { matrix(t, as) })
	for _, role := range []string{"writer", "auditor", "migrator"} {
		s := open(t, as(role))
		if changed, hidden, err := s.Definitions(t.Context()); err != nil || len(changed) > 0 || hidden > 0 {
			t.Errorf("%s: definitions %v, %d hidden, %v", role, changed, hidden, err)
		}
	}
	classes := []Class{{"events", 7}, {"facts", 7}, {"findings", 7}, {"exports", 10}}
	var deleted []string
	err := open(t, as("retention")).Delete(t.Context(), classes, time.Now().AddDate(20, 0, 0), "test", func(e Expired) {
		deleted = append(deleted, e.Table)
	})
	if err != nil || !slices.Contains(deleted, "events") || !slices.Contains(deleted, "findings") {
		t.Errorf("retention deleted of %v, %v", deleted, err)
	}
	t.Run("refused", func(t *testing.T) { refusals(t, as) })
	t.Run("syntax", func(t *testing.T) { syntax(t, auditor) })
	reader := open(t, as("reader"))
	t.Run("questions", func(t *testing.T) { questions(t, reader) })
	for _, query := range []string{
		"SELECT * FROM shoeproof.v_findings_by_table", "SELECT * FROM shoeproof.v_findings_by_rule",
		"SELECT * FROM shoeproof.v_progress",
		"SELECT * FROM shoeproof.v_wagers SETTINGS max_execution_time = 5",
		"SELECT topic, partition, offset, place, reason FROM shoeproof.v_dead_letters",
	} {
		if err := reader.conn.Exec(t.Context(), query); err != nil {
			t.Errorf("reader: %s: %v", query, err)
		}
	}
}

// syntax has the server read the statements that make the roles, which this one has no place to keep.
func syntax(t *testing.T, s *Store) {
	for _, layout := range []migrations.Layout{{Database: "shoeproof"}, {Database: "shoeproof", Cluster: "floor"}} {
		text, err := layout.RoleSQL()
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		for statement := range strings.SplitSeq(text, ";\n") {
			lines := slices.DeleteFunc(strings.Split(statement, "\n"), func(l string) bool { return strings.HasPrefix(l, "--") })
			statement = strings.TrimSpace(strings.Join(lines, "\n"))
			if statement == "" {
				continue
			}
			read++
			var formatted string
			if err := s.conn.QueryRow(t.Context(), "SELECT formatQuery({q:String})",
				ch.Named("q", statement)).Scan(&formatted); err != nil {
				t.Errorf("%s: %v", statement, err)
			}
		}
		if read < 16 {
			t.Errorf("%d statements, want two for each of seven roles and two profiles", read)
		}
	}
}

// matrix holds what each role may do with each table to a list that is read here at a glance.
func matrix(t *testing.T, as func(string) Config) {
	named := strings.Fields("events table_memory case_steps")
	writes := map[string]string{
		"writer": "events rounds wagers vigorish shoes table_configs notices table_memory evidence findings " +
			"open_findings journal dead_letters feeds dealer_rounds dealer_findings waiting",
		"reader":  "",
		"console": "open_findings finding_actions exports shelves handovers console_log case_steps leases",
		"archive": "",
		"auditor": "evidence findings open_findings dealer_findings audit_runs exports run_lines leases legal_holds " +
			"watch_state withdrawals console_log",
	}
	all := open(t, as("auditor"))
	var tables []string
	result, err := all.conn.Query(t.Context(),
		"SELECT name FROM system.tables WHERE database = 'shoeproof' AND engine != 'MaterializedView' ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	for result.Next() {
		var name string
		if err := result.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if len(tables) < 30 {
		t.Fatalf("%d tables and views", len(tables))
	}
	deleting(t, as)
	for _, role := range []string{"writer", "reader", "console", "archive", "auditor"} {
		s := open(t, as(role))
		for _, table := range tables {
			plain := strings.TrimPrefix(table, "v_")
			reads := !slices.Contains(named, plain) && plain != "dead_letters"
			switch role {
			case "writer":
				reads = slices.Contains(
					strings.Fields("schema_migrations journal table_memory findings v_progress waiting"), table)
			case "archive":
				reads = slices.Contains(strings.Fields("schema_migrations events v_events"), table)
			case "auditor":
				reads = true
			case "console":
				reads = reads || table == "case_steps"
			}
			for right, want := range map[string]bool{
				"SELECT": reads, "INSERT": slices.Contains(strings.Fields(writes[role]), table),
				"ALTER TABLE": false, "DROP TABLE": false, "DROP VIEW": false, "TRUNCATE": false, "OPTIMIZE": false,
				"CREATE TABLE": false,
			} {
				if got := value[uint8](t, s, "CHECK GRANT "+right+" ON shoeproof."+table) == 1; got != want {
					t.Errorf("%s: %s ON %s is %v, want %v", role, right, table, got, want)
				}
			}
		}
	}
}

// deleting holds the rights that delete, change or fill stored rows, in all grants of the server: only retention
// deletes, in the tables with an age. The migrator fills what its statements fill, and drops the table that one of
// them sorts again.
func deleting(t *testing.T, as func(string) Config) {
	expiring := strings.Fields("events rounds wagers vigorish shoes evidence findings audit_runs exports")
	moved := strings.Fields("evidence evidence_by_day")
	fills := append(strings.Fields("schema_migrations leases open_findings feeds dealer_rounds dealer_findings"), moved...)
	harmful := regexp.MustCompile(`\b(ALL|ALTER TABLE|ALTER COLUMN|(ALTER )?(UPDATE|DELETE|TTL|MODIFY TTL|MATERIALIZE TTL|` +
		`DROP COLUMN|RENAME COLUMN|CLEAR COLUMN|CLEAR INDEX|\w+ PARTITION)|TRUNCATE|DROP TABLE|DROP DATABASE|OPTIMIZE)\b`)
	for _, role := range []string{"writer", "reader", "console", "archive", "auditor", "migrator", "retention"} {
		s := open(t, as(role))
		var inserts, deletes []string
		result, err := s.conn.Query(t.Context(), "SHOW GRANTS")
		if err != nil {
			t.Fatal(err)
		}
		for result.Next() {
			var grant string
			if err := result.Scan(&grant); err != nil {
				t.Fatal(err)
			}
			rights, on, _ := strings.Cut(strings.TrimPrefix(grant, "GRANT "), " ON ")
			on, _, _ = strings.Cut(strings.TrimPrefix(on, "shoeproof."), " TO ")
			for right := range strings.SplitSeq(rights, ", ") {
				switch {
				case right == "INSERT":
					inserts = append(inserts, on)
				case right == "ALTER DELETE" && role == "retention":
					deletes = append(deletes, on)
				case right == "DROP TABLE" && role == "migrator" && slices.Contains(moved, on):
				case harmful.MatchString(right):
					t.Errorf("%s has %s ON %s", role, right, on)
				}
			}
		}
		slices.Sort(inserts)
		slices.Sort(deletes)
		if role == "retention" && (!slices.Equal(deletes, slices.Sorted(slices.Values(expiring))) ||
			!slices.Equal(inserts, []string{"leases"})) {
			t.Errorf("retention deletes in %v and fills %v", deletes, inserts)
		}
		if role == "migrator" && !slices.Equal(inserts, slices.Sorted(slices.Values(fills))) {
			t.Errorf("the migrator fills %v, want %v", inserts, fills)
		}
	}
}

func refusals(t *testing.T, as func(string) Config) {
	everyone := []string{
		"DROP TABLE shoeproof.rounds", "DROP DATABASE shoeproof", "TRUNCATE TABLE shoeproof.findings",
		"ALTER TABLE shoeproof.findings DELETE WHERE 1",
		"ALTER TABLE shoeproof.findings UPDATE severity = 'info' WHERE 1",
		"ALTER TABLE shoeproof.journal ADD COLUMN x UInt8", "RENAME TABLE shoeproof.findings TO shoeproof.f",
		"DELETE FROM shoeproof.findings WHERE 1", "CREATE TABLE shoeproof.mine (a UInt8) ENGINE = Memory",
		"CREATE VIEW shoeproof.mine AS SELECT 1",
		"SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')", "SELECT * FROM file('/etc/passwd', 'CSV', 'a String')",
		"INSERT INTO FUNCTION url('http://127.0.0.1:1/', 'CSV', 'a UInt8') SELECT 1",
		"INSERT INTO FUNCTION file('x.csv', 'CSV', 'a UInt8') SELECT 1",
		"SELECT * FROM s3('http://127.0.0.1:1/b/x.csv', 'CSV', 'a String')",
		"SELECT * FROM remote('127.0.0.1:1', 'shoeproof', 'events')",
		"SYSTEM SHUTDOWN", "SYSTEM FLUSH LOGS", "SYSTEM STOP MERGES shoeproof.findings", "KILL QUERY WHERE 1",
		"SELECT * FROM system.users", "SELECT * FROM system.query_log", "CREATE USER mine",
		"GRANT SELECT ON *.* TO shoeproof_reader", "CREATE FUNCTION f AS () -> 1",
		"CREATE DICTIONARY shoeproof.d (a UInt64) PRIMARY KEY a SOURCE(HTTP(URL 'http://127.0.0.1:1/' FORMAT 'CSV')) " +
			"LIFETIME(0) LAYOUT(FLAT())",
	}
	names := []string{
		"SELECT * FROM shoeproof.events", "SELECT count() FROM shoeproof.events", "SELECT raw FROM shoeproof.v_events",
		"SELECT raw FROM merge('shoeproof', '^events$')",
		"SELECT * FROM shoeproof.v_table_memory", "SELECT raw FROM shoeproof.dead_letters",
		"SELECT raw FROM shoeproof.v_dead_letters", "SELECT * FROM shoeproof.v_dead_letters",
		"SELECT * FROM mergeTreeIndex('shoeproof', 'events')",
	}
	for role, more := range map[string][]string{
		"writer": {
			"SELECT * FROM shoeproof.rounds", "SELECT * FROM shoeproof.wagers",
			"SELECT raw FROM shoeproof.events", "INSERT INTO shoeproof.finding_actions (actor) VALUES ('x')",
			"INSERT INTO shoeproof.schema_migrations (version) VALUES (99)",
		},
		"reader": append([]string{
			"INSERT INTO shoeproof.findings (id) VALUES ('x')",
			"INSERT INTO shoeproof.open_findings (id) VALUES ('x')", "SELECT 1 SETTINGS readonly = 0",
			"SELECT 1 SETTINGS max_memory_usage = 0", "SELECT 1 SETTINGS max_memory_usage = 4000000001",
			"SELECT 1 SETTINGS max_execution_time = 0", "SELECT 1 SETTINGS max_result_rows = 0",
		}, names...),
		"console": append([]string{
			"INSERT INTO shoeproof.findings (id) VALUES ('x')",
			"INSERT INTO shoeproof.journal (topic) VALUES ('x')",
			"INSERT INTO shoeproof.events (event_id) VALUES ('x')",
			"SELECT 1 SETTINGS max_memory_usage = 0", "SELECT 1 SETTINGS max_execution_time = 121",
		}, names...),
		"archive": {
			"SELECT * FROM shoeproof.findings", "SELECT * FROM shoeproof.table_memory",
			"SELECT raw FROM shoeproof.dead_letters", "INSERT INTO shoeproof.events (event_id) VALUES ('x')",
			"SELECT 1 SETTINGS readonly = 0",
		},
		"auditor": {
			"INSERT INTO shoeproof.events (event_id) VALUES ('x')",
			"INSERT INTO shoeproof.journal (topic) VALUES ('x')",
			"INSERT INTO shoeproof.finding_actions (actor) VALUES ('x')",
		},
		"migrator": {
			"ALTER TABLE shoeproof.events DELETE WHERE 1", "ALTER TABLE shoeproof.events UPDATE raw = '' WHERE 1",
			"ALTER TABLE shoeproof.events MODIFY TTL toDateTime(at)",
			"ALTER TABLE shoeproof.findings MODIFY COLUMN observed UInt8",
			"ALTER TABLE shoeproof.events DROP COLUMN raw", "ALTER TABLE shoeproof.events DROP PARTITION 202601",
			"INSERT INTO shoeproof.findings (id) VALUES ('x')", "INSERT INTO shoeproof.console_log (actor) VALUES ('x')",
		},
		"retention": {
			"SELECT raw FROM shoeproof.events", "ALTER TABLE shoeproof.console_log DELETE WHERE 1",
			"ALTER TABLE shoeproof.journal DELETE WHERE 1", "ALTER TABLE shoeproof.legal_holds DELETE WHERE 1",
			"INSERT INTO shoeproof.legal_holds (hold_id) VALUES ('x')",
		},
	} {
		s, err := connect(t.Context(), as(role))
		if err != nil {
			t.Fatal(err)
		}
		queries := append(slices.Clone(more), everyone...)
		if role == "retention" { // Old rows are its work.
			queries = slices.DeleteFunc(queries, func(q string) bool {
				return q == "ALTER TABLE shoeproof.findings DELETE WHERE 1" || q == "DELETE FROM shoeproof.findings WHERE 1"
			})
		}
		if role == "migrator" { // Columns, tables and views are its work.
			queries = slices.DeleteFunc(queries, func(q string) bool {
				return strings.Contains(q, "ADD COLUMN") || strings.HasPrefix(q, "CREATE VIEW") ||
					strings.HasPrefix(q, "CREATE TABLE shoeproof")
			})
		}
		for _, q := range queries {
			// 164 is the code of readonly, 452 of a limit; 36, 46, 60 and 636 hide that the object exists.
			err := s.conn.Exec(t.Context(), q)
			if code := codeOf(err); code != accessDenied && code != readOnly && code != 36 && code != 46 &&
				code != unknownTable && code != 636 && code != 452 {
				t.Errorf("%s: %s: %v, want it refused", role, q, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
