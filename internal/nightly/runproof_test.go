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

// A row of audit_runs covers a gaming day only if the console log has its hash: who may write the table cannot make a
// day look audited. Runs of releases that did not log them cover their days once the first run has named them.
func TestForgedRun(t *testing.T) {
	store := database(t)
	var l log
	l.append(play(t, 1, 0, 1).events...)
	ingest(t, store, &l)
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
	var l log
	l.append(play(t, 1, 0, 1).events...)
	ingest(t, store, &l)
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
	trusted := "1 runs are taken as they were found"
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
	var l log
	l.append(play(t, 1, 0, 1).events...)
	ingest(t, store, &l)
	journal := store.Table("journal")
	// As of an ingest with a journal, which this test has none of.
	if err := store.Conn().Exec(t.Context(), "ALTER TABLE "+journal+" UPDATE hash = 'of its rows' WHERE 1 SETTINGS "+
		"mutations_sync = 1"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n := night(t, store, nil); len(n.Records) > 0 {
			t.Fatalf("%q", n.Records)
		}
	}
	err := store.Conn().Exec(t.Context(), "INSERT INTO "+journal+" SELECT * REPLACE (generation + 9 AS generation, "+
		"archived - 1 AS archived, 'of fewer' AS archived_sha256) FROM (SELECT * FROM "+journal+" ORDER BY to_offset LIMIT 1)")
	if err != nil {
		t.Fatal(err)
	}
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

func drop(t *testing.T, store *clickhouse.Store) {
	t.Helper()
	if err := store.Conn().Exec(t.Context(), "TRUNCATE TABLE "+store.Table("audit_runs")); err != nil {
		t.Fatal(err)
	}
}
