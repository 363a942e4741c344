//go:build unix

package nightly

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
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

func drop(t *testing.T, store *clickhouse.Store) {
	t.Helper()
	if err := store.Conn().Exec(t.Context(), "TRUNCATE TABLE "+store.Table("audit_runs")); err != nil {
		t.Fatal(err)
	}
}
