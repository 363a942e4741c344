package clickhouse

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/schema/migrations"
)

// The evidence gets its new sorting key with rows in the table, also if the migration failed after any statement.
func TestEvidenceMoves(t *testing.T) {
	s := open(t, migrated(t))
	known, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	var made, move []string
	for _, m := range known {
		statements, err := m.Statements(s.cfg.layout())
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasSuffix(m.Name, "_findings.sql"):
			made = statements[:1]
		case strings.HasSuffix(m.Name, "_evidence_by_day.sql"):
			move = statements
		}
	}
	ctx := t.Context()
	run := func(statements ...string) {
		t.Helper()
		for _, statement := range statements {
			if err := s.exec(ctx, statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	const columns = " (detector, key, at, property_id, table_id, shoe_id, round, gaming_day, ln_e, engine, version) "
	for failed := range len(move) + 1 {
		run("DROP TABLE "+s.name("evidence"), made[0], "INSERT INTO "+s.name("evidence")+columns+"VALUES"+
			"('d07', 'patron:x', '2024-01-15 20:00:00', 'p', 't', 's', 1, '2024-01-15', 0.5, 'old', 0), "+
			"('d07', 'patron:x', '2024-01-15 20:00:00', 'p', 't', 's', 1, '2024-01-15', 0.7, 'new', 1), "+
			"('d01', 'shoe:s', '2024-02-15 20:00:00', 'p', 't', 's', 2, '2024-02-15', 0.1, 'old', 0)")
		run(move[:failed]...)
		run(move...)
		rows := value[string](t, s, "SELECT toString(arraySort(groupArray((detector, key, gaming_day, ln_e, engine)))) FROM "+
			s.name("evidence")+" FINAL")
		of := " FROM system.tables WHERE database = '" + s.cfg.Database + "' AND name LIKE 'evidence%'"
		names := value[string](t, s, "SELECT toString(groupArray(name))"+of)
		key := value[string](t, s, "SELECT any(sorting_key)"+of)
		if want := "[('d01','shoe:s','2024-02-15',0.1,'old'),('d07','patron:x','2024-01-15',0.7,'new')]"; rows != want ||
			names != "['evidence']" || !strings.HasPrefix(key, "property_id, gaming_day, detector") {
			t.Errorf("again after %d statements: %s of %s, sorted by %s", failed, rows, names, key)
		}
	}
}
