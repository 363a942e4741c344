//go:build unix

package store

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// Two consoles hold the same queue: each sees the other's steps, closed stays closed when its row comes again,
// and a start, or a reading of everything, gives what following gave.
func TestOpenSet(t *testing.T) {
	one := played(t)
	ctx := t.Context()
	beside := func() *Store {
		return &Store{Store: one.Store, archive: one.archive, now: time.Now, mostOpen: mostOpen}
	}
	open := func(s *Store) []string {
		t.Helper()
		if err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		rows, err := s.Open(ctx, everything, Filter{Limit: MostRows})
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, r := range rows {
			lines = append(lines, r.ID+" "+r.State+" "+r.Owner)
		}
		slices.Sort(lines)
		return lines
	}
	same := func(when string, stores ...*Store) []string {
		t.Helper()
		want := open(one)
		for i, s := range append(stores, beside()) {
			if got := open(s); !slices.Equal(got, want) {
				t.Fatalf("%s: console %d holds %d, want the first one's %d:\n%v\n%v", when, i, len(got), len(want), got, want)
			}
		}
		return want
	}
	two := beside()
	before := same("at the start", two)
	id := ""
	rows, err := two.Open(ctx, everything, Filter{Severity: "minor"})
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d minor ones, %v", len(rows), err)
	}
	id = rows[0].ID
	two.News()
	take := func(s *Store, what string) {
		t.Helper()
		if _, err := s.Take(ctx, everything, Step{IDs: []string{id}, Actor: "ann", What: what, Disposition: "duplicate", Reason: "seen"}); err != nil {
			t.Fatal(err)
		}
	}
	take(one, Acknowledge)
	same("acknowledged", two)
	if n := two.News(); n.Changes["ac-1"].Rows != 1 || len(n.Arrived) != 0 {
		t.Errorf("the other console was told %+v, want one change", n)
	}
	take(two, Close)
	if got := same("closed", two); len(got) != len(before)-1 {
		t.Errorf("%d wait after one of %d was closed", len(got), len(before))
	}
	// The events are read again: the finding enters the queue as it first did.
	again := "INSERT INTO " + one.Table("findings") + " SELECT * REPLACE (version + 1 AS version) FROM " + one.Table("findings") + " FINAL WHERE id = '" + id + "'"
	if err := one.Conn().Exec(ctx, again); err != nil {
		t.Fatal(err)
	}
	if got := same("read again", two); len(got) != len(before)-1 {
		t.Errorf("%d wait after a closed one came again, want %d", len(got), len(before)-1)
	}
	if err := two.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	same("all read again", two)
	take(one, Reopen)
	if got := same("reopened", two); len(got) != len(before) {
		t.Errorf("%d wait after one was reopened, want %d", len(got), len(before))
	}
	// What is taken away by other hands is gone after all was read.
	if err := one.Conn().Exec(ctx, "ALTER TABLE "+one.Table("open_findings")+" DELETE WHERE id = '"+id+"' SETTINGS mutations_sync = 1"); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{one, two} {
		if err := s.Reload(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got := same("taken away", two); len(got) != len(before)-1 {
		t.Errorf("%d wait after one was taken away, want %d", len(got), len(before)-1)
	}
	// More than a console holds: the most urgent, and it says so.
	small := beside()
	small.mostOpen = 3
	if err := small.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	few, err := small.Open(ctx, everything, Filter{})
	most, _ := one.Open(ctx, everything, Filter{Limit: 3})
	totals, _ := small.Totals(ctx, everything, Filter{})
	if err != nil || len(few) != 3 || few[2].Urgency > most[2].Urgency || !totals.Partial {
		t.Errorf("%d of urgency %v, partial %v, %v", len(few), few, totals.Partial, err)
	}
}

// What stands is told from memory: what waits and is not shelved, dear findings a step higher, and for how long the oldest critical
// one waits that nobody acknowledged, by ClickHouse's clock.
func TestStanding(t *testing.T) {
	now := time.Now()
	s := &Store{}
	if have := s.Standing(now, 0); len(have.Open) != 4 || have.Untaken != 0 || !have.Read.IsZero() {
		t.Errorf("before the first reading: %+v", have)
	}
	skew := time.Hour // ClickHouse's clock is ahead
	put := func(id, severity, state, verdict string, urgency uint8, amount int64, ago time.Duration, deleted uint8) {
		if s.open.rows == nil {
			s.open.rows = map[string]held{}
		}
		s.open.rows[id] = held{&Waiting{
			ID: id, PropertyID: "ac-1", Rule: "r." + id, Severity: severity, State: state, Verdict: verdict, Urgency: urgency, Amount: amount, Deleted: deleted,
			ArrivedAt: now.Add(skew - ago),
		}, now}
	}
	s.open.server, s.open.local, s.open.read = now.Add(skew-time.Minute), now.Add(-time.Minute), now.Add(-3*time.Second)
	put("a", "critical", New, "BREACH", 1, 0, 10*time.Minute, 0)
	put("b", "critical", New, "BREACH", 1, 0, 25*time.Minute, 0)
	put("taken", "critical", Acknowledged, "BREACH", 1, 0, 3*time.Hour, 0)
	put("again", "critical", Reopened, "BREACH", 1, 0, 4*time.Hour, 0)
	put("done", "critical", New, "BREACH", 1, 0, 5*time.Hour, 1)
	put("shelved", "critical", New, "SUSPECT", 1, 0, 6*time.Hour, 0)
	put("dear", "major", New, "BREACH", 2, -5_000, 7*time.Hour, 0)
	put("cheap", "major", New, "BREACH", 2, 4_999, 7*time.Hour, 0)
	s.open.shelves = []Shelf{{PropertyID: "ac-1", Rule: "r.shelved", Until: now.Add(time.Hour)}}
	have := s.Standing(now, 5_000)
	want := map[Rank]int{{1, "critical"}: 4, {1, "major"}: 1, {2, "major"}: 1, {3, "minor"}: 0, {4, "info"}: 0}
	if !maps.Equal(have.Open, want) {
		t.Errorf("open %v, want %v", have.Open, want)
	}
	if have.Untaken != 25*time.Minute || !have.Read.Equal(now.Add(-3*time.Second)) {
		t.Errorf("%v, read %v; want 25 minutes, and 3 s ago", have.Untaken, have.Read)
	}
	if later := s.Standing(now.Add(time.Minute), 0); later.Untaken != 26*time.Minute {
		t.Errorf("a minute later: %v", later.Untaken)
	}
}
