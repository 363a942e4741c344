//go:build unix

package clickhouse

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// aged is a finding and an event of one moment.
func aged(at time.Time, n int64) *pipeline.Batch {
	b := numbered("p1", n, 1)
	b.Events.At[0] = at.UnixNano()
	b.Events.GamingDay.Reset()
	b.Events.GamingDay.Append(at.Format(time.DateOnly))
	b.Findings = []finding.Finding{{
		ID: fmt.Sprint(n), PropertyID: "p1", TableID: "t", At: schema.Time(at.UnixNano()),
		GamingDay: at.Format(time.DateOnly), Severity: finding.Major,
		Citations: []string{}, Evidence: finding.Evidence{Seqs: []uint64{}, EventIDs: []string{}},
	}}
	return b
}

func months(list []Expired, table string, held bool) (out []string) {
	for _, e := range list {
		if e.Table == table && (len(e.Held) > 0) == held {
			out = append(out, e.Month)
		}
	}
	return out
}

// A hold beats every age; what is not held goes by the month, and only when the whole month is old enough.
func TestRetentionAndHolds(t *testing.T) {
	s := open(t, migrated(t))
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for i, at := range []string{
		"2015-03-10", "2018-01-31", "2018-02-01", "2019-10-31", "2019-11-01", "2019-11-30",
		"2026-11-19",
	} {
		day, err := time.Parse(time.DateOnly, at)
		if err != nil {
			t.Fatal(err)
		}
		write(t, s, aged(day, int64(i)+1))
	}
	for _, day := range []string{"2015-03-10", "2015-03-11", "2026-11-19"} {
		started := now.Add(-time.Hour)
		if err := s.WriteRun(t.Context(), &AuditRun{
			Property: "p1", GamingDay: day, ID: day, Started: started,
			Ended: now, Rulebooks: []string{},
		}); err != nil {
			t.Fatal(err)
		}
	}
	classes := []Class{{"events", 7}, {"facts", 7}, {"findings", 8}, {"exports", 10}}
	id, err := s.Place(t.Context(), Hold{
		Property: "p1", From: "2018-02-01", Until: "2018-02-01", Actor: "counsel",
		Reason: "case 7", Placed: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Place(t.Context(), Hold{
		Property: "p1", From: "2015-03-11", Until: "2015-03-11", Actor: "counsel",
		Reason: "case 8", Placed: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	holds, err := s.Holds(t.Context())
	if err != nil || len(holds) != 2 {
		t.Fatalf("%+v: %v, want two holds", holds, err)
	}
	expired, err := s.Expired(t.Context(), classes, now)
	if err != nil {
		t.Fatal(err)
	}
	// The first of a month may belong to the gaming day before: a hold of it keeps both months.
	if got := months(expired, "events", true); !slices.Equal(got, []string{"201503", "201801", "201802"}) {
		t.Errorf("held months %v", got)
	}
	if got := months(expired, "events", false); !slices.Equal(got, []string{"201910"}) {
		t.Errorf("months to go %v", got)
	}
	if rowsOf(t, s, "events") != 7 {
		t.Error("a dry run deleted something")
	}
	remove := func() (gone []string) {
		t.Helper()
		err := s.Delete(t.Context(), classes, now, "test", func(e Expired) { gone = append(gone, e.Table+" "+e.Month) })
		if err != nil {
			t.Fatal(err)
		}
		return gone
	}
	if gone := remove(); !slices.Equal(gone, []string{"events 201910", "audit_runs "}) {
		t.Errorf("deleted %v", gone)
	}
	if n := rowsOf(t, s, "events"); n != 6 {
		t.Errorf("%d events left, want 6", n)
	}
	if n := rowsOf(t, s, "findings"); n != 7 {
		t.Errorf("%d findings left, want all 7: those of 2018 are held or not 8 years old", n)
	}
	if n := rowsOf(t, s, "audit_runs"); n != 2 {
		t.Errorf("%d runs left, want the held one and the new one", n)
	}
	for _, hold := range []string{id, run} {
		if _, err := s.Release(t.Context(), hold, "counsel", "closed"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Release(t.Context(), id, "counsel", "closed"); !errors.Is(err, ErrNoHold) {
		t.Errorf("released twice: %v", err)
	}
	if gone := remove(); len(gone) != 7 {
		t.Errorf("deleted %v, want the months of 2015 and 2018 in events and findings, and a run", gone)
	}
	left := []uint64{rowsOf(t, s, "events"), rowsOf(t, s, "findings"), rowsOf(t, s, "audit_runs")}
	if !slices.Equal(left, []uint64{3, 4, 1}) {
		t.Errorf("%v events, findings and runs left, want 3, 4 and 1", left)
	}
	if n := value[uint64](t, s, "SELECT count() FROM "+s.name("legal_holds")); n != 4 {
		t.Errorf("%d rows tell of the holds, want 4", n)
	}
}
