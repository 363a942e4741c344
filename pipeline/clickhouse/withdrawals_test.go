//go:build unix

package clickhouse

import (
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// Of a finding with two times the queue has the newest, as its page and the export, also after a run restored it.
func TestRestoredFindingHasItsNewestTime(t *testing.T) {
	s := open(t, migrated(t))
	early := finding.New(finding.Identity{PropertyID: "ac-1", TableID: "a", Rule: "draw.player.third-card"},
		finding.Deviation, finding.Breach, finding.Major)
	early.At, early.GamingDay, early.Observed = 1_800_000_000_000_000_000, "2027-01-15", "early"
	late := early
	late.At, late.Observed = early.At+schema.Time(time.Hour), "late"
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "t", To: 1, Hash: "a"}}
	b.Findings = []finding.Finding{early, late}
	write(t, s, b)
	for i, action := range []string{Withdraw, Restore} {
		w := Withdrawal{
			Property: "ac-1", Finding: early.ID, At: int64(late.At) + int64(i+1), Action: action, Reason: "a test", Run: action,
			GamingDay: early.GamingDay,
		}
		if err := s.WriteWithdrawals(t.Context(), "ac-1", []Withdrawal{w}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := s.Findings(t.Context(), Filter{PropertyID: "ac-1", Newest: true})
	queue := value[string](t, s, "SELECT arrayStringConcat(groupArray(concat(observed, ' ', state)), ', ') FROM "+
		s.name("v_queue"))
	if err != nil || len(page) != 1 || page[0].Observed != "late" || queue != "late new" {
		t.Errorf("the queue has %q, the page %+v, %v", queue, page, err)
	}
	// A run replaced the finding at both times, and judges it no longer.
	for at, f := range map[int64]finding.Finding{1: early, 2: late} {
		if f.Observed == "late" {
			f.Verdict = finding.Information
		}
		if err := s.ReplaceFindings(t.Context(), "again", time.Unix(at, 0), []finding.Finding{f}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.WriteWithdrawals(t.Context(), "ac-1", []Withdrawal{{
		Property: "ac-1", Finding: early.ID, At: int64(late.At) + 9, Action: Restore, Run: "again",
		GamingDay: early.GamingDay,
	}}); err != nil {
		t.Fatal(err)
	}
	problems, err := s.ProveQueue(t.Context(), "ac-1")
	open := value[uint64](t, s, "SELECT count() FROM "+s.name("v_queue"))
	if err != nil || len(problems) > 0 || open > 0 {
		t.Errorf("%d rows are open, %q, %v", open, problems, err)
	}
}

// The threshold of a review follows from the entries of the days before. An entry that a run withdrew is none.
func TestWithdrawnFindingIsNotCounted(t *testing.T) {
	s := open(t, migrated(t))
	f := finding.New(finding.Identity{PropertyID: "ac-1", TableID: "a", Rule: "review.d07", Subject: "dealer:d1"},
		finding.Anomaly, finding.Suspect, finding.Minor)
	f.At, f.GamingDay = 1_800_000_000_000_000_000, "2027-01-15"
	if err := s.AddFindings(t.Context(), "run", []finding.Finding{f}); err != nil {
		t.Fatal(err)
	}
	for i, action := range []string{Restore, Withdraw} {
		w := Withdrawal{
			Property: "ac-1", Finding: f.ID, At: int64(f.At) + int64(i+1), Action: action, Reason: "a test", Run: action,
			GamingDay: f.GamingDay,
		}
		if err := s.WriteWithdrawals(t.Context(), "ac-1", []Withdrawal{w}); err != nil {
			t.Fatal(err)
		}
		n, err := s.CountFindings(t.Context(), "ac-1", "review.", "2027-01-01", "2027-01-16")
		if err != nil || n != 1-i {
			t.Errorf("after %s: %d entries, %v", action, n, err)
		}
	}
}
