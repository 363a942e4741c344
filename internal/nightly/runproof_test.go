//go:build unix

package nightly

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	consolestore "github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// ingestTable stores the events of one table, without a fault.
func ingestTable(t *testing.T, store *clickhouse.Store) {
	t.Helper()
	var l log
	l.append(play(t, 1, 0, 1).events...)
	ingest(t, store, &l)
}

// A row of audit_runs covers a gaming day only if the console log has its hash: who may write the table cannot make a
// day look audited. Runs of releases that did not log them cover their days once the first run has named them.
func TestForgedRun(t *testing.T) {
	store := database(t)
	ingestTable(t, store)
	o := options()
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	missing := func() bool {
		t.Helper()
		days, err := Missing(t.Context(), store, &o.Calendar, property, now)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(days, day)
	}
	forge := func(id string) {
		t.Helper()
		err := store.WriteRun(t.Context(), &clickhouse.AuditRun{
			Property: property, GamingDay: day, ID: id, Started: time.Now(), Ended: time.Now(), Rulebooks: []string{},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if forge("of a release before"); missing() {
		t.Error("the run of an earlier release covers nothing")
	}
	drop(t, store)
	if forge("forged"); !missing() {
		t.Error("a forged row covers the day")
	}
	if n := night(t, store, nil); len(n.Records) != 1 || !strings.Contains(n.Records[0], "run forged of gaming day "+day) {
		t.Errorf("%q", n.Records)
	}
	if missing() {
		t.Error("the day is audited, and missing")
	}
	if run, ok, err := store.LastRun(t.Context(), property, day, ""); err != nil || !ok || run.Supersedes != "" {
		t.Errorf("%+v, %v, %v", run, ok, err)
	}
	err := store.Conn().Exec(t.Context(), "ALTER TABLE "+store.Table("audit_runs")+
		" UPDATE missing = 7 WHERE 1 SETTINGS mutations_sync = 1")
	if err != nil {
		t.Fatal(err)
	}
	if !missing() {
		t.Error("a changed row covers the day")
	}
}

// What a run takes as it was first found is said aloud. A run of a gaming day older than the retention of runs may be
// missing, and no other.
func TestRunsOfEarlierReleasesAndYears(t *testing.T) {
	cfg := server.Migrated(t)
	cfg.RunsKept = 10
	store := clickhousetest.Open(t, cfg)
	ingestTable(t, store)
	write := func(day, id string) {
		t.Helper()
		r := clickhouse.AuditRun{
			Property: property, GamingDay: day, ID: id, Started: time.Now(), Ended: time.Now(), Rulebooks: []string{},
		}
		err := consolestore.On(store, time.Now).Log(t.Context(), entry(property, rows.RunAction, id, r.LogText(), time.Now()))
		if err == nil {
			err = store.WriteRun(t.Context(), &r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	err := store.WriteRun(t.Context(), &clickhouse.AuditRun{
		Property: property, GamingDay: day, ID: "before", Started: time.Now(), Ended: time.Now(), Rulebooks: []string{},
	})
	if err != nil {
		t.Fatal(err)
	}
	trusted := "runs that are taken as they were found"
	if n := night(t, store, nil); len(n.Records) > 0 || len(n.Trusted) != 1 || !strings.HasPrefix(n.Trusted[0], trusted) {
		t.Errorf("%q, trusted %q", n.Records, n.Trusted)
	}
	recent := time.Now().AddDate(-9, 0, 0).Format(time.DateOnly)
	write("2009-11-19", "old")
	write(recent, "recent")
	write(recent, "last") // a run may be interrupted between its entry and its row
	for problems, id := range []string{"old", "recent"} {
		err := store.Conn().Exec(t.Context(), "ALTER TABLE "+store.Table("audit_runs")+" DELETE WHERE run_id = '"+id+
			"' SETTINGS mutations_sync = 1")
		if err != nil {
			t.Fatal(err)
		}
		c, err := store.ProveChains(t.Context(), property, clickhouse.ChainCheck{})
		if err != nil || len(c.Problems) != problems {
			t.Errorf("without the run %s: %q, %v", id, c.Problems, err)
		}
	}
}

// A range of the journal that is replaced after a run, with the digest of other records, is not as the run recorded it.
func TestJournalAfterARun(t *testing.T) {
	store := database(t)
	ingestTable(t, store)
	// As of an ingest with a journal, which this test has none of.
	change(t, store, "ALTER TABLE JOURNAL UPDATE hash = 'of its rows' WHERE 1 SETTINGS mutations_sync = 1")
	for range 2 {
		if n := night(t, store, nil); len(n.Records) > 0 {
			t.Fatalf("%q", n.Records)
		}
	}
	change(t, store, "INSERT INTO JOURNAL SELECT * REPLACE (generation + 9 AS generation, archived - 1 AS archived, "+
		"'of fewer' AS archived_sha256) FROM (SELECT * FROM JOURNAL ORDER BY to_offset LIMIT 1)")
	for _, property := range []string{property, ""} {
		if p, err := store.ProveJournal(t.Context(), property, time.Time{}); err != nil || len(p.Differ) != 1 {
			t.Errorf("%q, %v", p.Differ, err)
		}
	}
	n := night(t, store, nil)
	if !slices.ContainsFunc(n.Records, func(p string) bool { return strings.Contains(p, "is not as the run of") }) {
		t.Errorf("%q", n.Records)
	}
}

// A finding that is added, changed or deleted after a run leaves its day without a run, so that no export has it
// before another run has compared it.
func TestFindingsAfterARun(t *testing.T) {
	store := database(t)
	ingestTable(t, store)
	o := options()
	covered := func() string {
		t.Helper()
		_, why, err := Covering(t.Context(), store, &o.Calendar, property, day)
		if err != nil {
			t.Fatal(err)
		}
		return why
	}
	for _, query := range []string{
		"INSERT INTO FINDINGS SELECT * REPLACE ('forged' AS id) FROM FINDINGS WHERE gaming_day = '" + day + "' LIMIT 1",
		"ALTER TABLE FINDINGS UPDATE observed = 'other' WHERE id = 'forged' SETTINGS mutations_sync = 1",
		"ALTER TABLE FINDINGS UPDATE citations = ['other'] WHERE id = 'forged' SETTINGS mutations_sync = 1",
		"ALTER TABLE FINDINGS DELETE WHERE id = 'forged' SETTINGS mutations_sync = 1",
	} {
		night(t, store, nil)
		if why := covered(); why != "" {
			t.Fatalf("before %s: %s", query, why)
		}
		if change(t, store, query); !strings.Contains(covered(), "are others than run") {
			t.Errorf("%s: %q", query, covered())
		}
	}
}

// change executes a statement on the journal, as who may write the table.
func change(t *testing.T, store *clickhouse.Store, query string) {
	t.Helper()
	query = strings.NewReplacer("JOURNAL", store.Table("journal"), "FINDINGS", store.Table("findings")).Replace(query)
	if err := store.Conn().Exec(t.Context(), query); err != nil {
		t.Fatal(err)
	}
}

// Once a run has logged that ingest signs the journal, the HMACs of all rows of a partition cannot be taken away
// unseen, and a new partition has them from its first range on.
func TestJournalLosesItsHMACs(t *testing.T) {
	cfg := server.Migrated(t)
	var err error
	if cfg.ChainKeys, err = rows.ParseChainKeys("a key of the journal, for tests only"); err != nil {
		t.Fatal(err)
	}
	store := clickhousetest.Open(t, cfg)
	ingestTable(t, store)
	for range 2 {
		if n := night(t, store, nil); len(n.Records)+len(n.Trusted) > 0 {
			t.Fatalf("%q, trusted %q", n.Records, n.Trusted)
		}
	}
	forged := func(partition int32) bool {
		t.Helper()
		p, err := store.ProveJournal(t.Context(), "", time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(p.Partitions, func(c clickhouse.Coverage) bool {
			return c.Partition == partition && len(c.Forged) > 0
		})
	}
	// An unsigned row that coverage does not count does not end the comparison of labels.
	change(t, store, "INSERT INTO JOURNAL SELECT * REPLACE (generation - 1 AS generation, 'other' AS engine, '' AS mac_key, "+
		"'' AS mac) FROM JOURNAL")
	if n := night(t, store, nil); len(n.Records)+len(n.Others) > 0 {
		t.Errorf("%q, releases %q", n.Records, n.Others)
	}
	change(t, store, "INSERT INTO JOURNAL SELECT * REPLACE (7 AS partition, '' AS mac_key, '' AS mac) FROM JOURNAL")
	if !forged(7) {
		t.Error("a partition without an HMAC is trusted")
	}
	change(t, store, "ALTER TABLE JOURNAL DELETE WHERE partition = 7 SETTINGS mutations_sync = 1")
	change(t, store, "ALTER TABLE JOURNAL UPDATE mac_key = '', mac = '' WHERE 1 SETTINGS mutations_sync = 1")
	for range 2 { // a run that finds it does not accept it for the next one
		n := night(t, store, nil)
		if !slices.ContainsFunc(n.Records, func(p string) bool { return strings.Contains(p, "has no HMAC") }) {
			t.Errorf("%q, trusted %q", n.Records, n.Trusted)
		}
	}
}

// A restart makes the last range again. If the log has lost a part of it since a run, the journal is as it must be, and
// what was lost stays unknown, also if somebody deletes the finding about it.
func TestRangeMadeAgainAfterALoss(t *testing.T) {
	store := database(t)
	ingestTable(t, store)
	change(t, store, "ALTER TABLE JOURNAL UPDATE hash = 'of its rows' WHERE 1 SETTINGS mutations_sync = 1")
	if n := night(t, store, nil); len(n.Records) > 0 {
		t.Fatalf("%q", n.Records)
	}
	heads, err := store.JournalHeads(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	change(t, store, "INSERT INTO FINDINGS (id, property_id, rule, table_id, subject, at) SELECT 'lost', '"+
		property+"', 'feed.retention', concat(topic, '/', toString(partition)), concat('range:', "+
		"toString(from_offset), '-', toString(from_offset)), 1 FROM (SELECT * FROM JOURNAL ORDER BY to_offset DESC LIMIT 1)")
	change(t, store, "INSERT INTO JOURNAL SELECT * REPLACE (generation + 1 AS generation, records - 1 AS records, archived - "+
		"1 AS archived, 'of fewer' AS archived_sha256) FROM (SELECT * FROM JOURNAL ORDER BY to_offset DESC LIMIT 1)")
	n := night(t, store, nil)
	if slices.ContainsFunc(n.Records, func(p string) bool { return strings.Contains(p, "is not as the run of") }) {
		t.Errorf("%q", n.Records)
	}
	again, err := store.JournalHeads(t.Context(), heads)
	if err != nil || !slices.Contains(again, heads[0]) {
		t.Errorf("of an export before it: %+v, not %+v, %v", again, heads, err)
	}
	change(t, store, "ALTER TABLE FINDINGS DELETE WHERE id = 'lost' SETTINGS mutations_sync = 1")
	p, err := store.ProveJournal(t.Context(), "", time.Time{})
	if err != nil || len(p.Partitions) != 1 || len(p.Partitions[0].Lost) != 1 {
		t.Errorf("%+v, %v", p.Partitions, err)
	}
}

func drop(t *testing.T, store *clickhouse.Store) {
	t.Helper()
	if err := store.Conn().Exec(t.Context(), "TRUNCATE TABLE "+store.Table("audit_runs")); err != nil {
		t.Fatal(err)
	}
}
