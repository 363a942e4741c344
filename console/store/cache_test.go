//go:build unix

package store

import (
	"maps"
	"slices"
	"testing"
	"time"
)

// Two consoles have the same queue. Each sees the actions of the other, a closed finding stays closed when its row is
// written again, and a start and Reload give the same queue as Refresh.
func TestQueueCache(t *testing.T) {
	one := played(t)
	ctx := t.Context()
	another := func() *Store {
		return &Store{Store: one.Store, archive: one.archive, now: time.Now, maxOpen: maxOpen}
	}
	open := func(s *Store) []string {
		t.Helper()
		if err := s.Refresh(ctx); err != nil {
			t.Fatal(err)
		}
		rows, err := s.Open(ctx, everywhere, Filter{Limit: MaxRows})
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
		for i, s := range append(stores, another()) {
			if got := open(s); !slices.Equal(got, want) {
				t.Fatalf("%s: console %d has %d, the first has %d:\n%v\n%v", when, i, len(got), len(want), got, want)
			}
		}
		return want
	}
	two := another()
	before := same("at the start", two)
	id := ""
	rows, err := two.Open(ctx, everywhere, Filter{Severity: "minor"})
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d minor findings, %v", len(rows), err)
	}
	id = rows[0].ID
	two.TakeDelta()
	apply := func(s *Store, action string) {
		t.Helper()
		p := Triage{IDs: []string{id}, Actor: "ann", Action: action, Disposition: "duplicate", Reason: "seen"}
		if _, err := s.Apply(ctx, everywhere, p); err != nil {
			t.Fatal(err)
		}
	}
	apply(one, Acknowledge)
	same("acknowledged", two)
	if n := two.TakeDelta(); n.Changes["ac-1"].Rows != 1 || len(n.Arrived) != 0 {
		t.Errorf("the delta of the other console is %+v, want one change", n)
	}
	apply(two, Close)
	if got := same("closed", two); len(got) != len(before)-1 {
		t.Errorf("%d open after one of %d was closed", len(got), len(before))
	}
	// A replay of the events writes the finding to the queue again.
	again := "INSERT INTO " + one.Table("findings") + " SELECT * REPLACE (version + 1 AS version) FROM " +
		one.Table("findings") + " FINAL WHERE id = '" + id + "'"
	if err := one.Conn().Exec(ctx, again); err != nil {
		t.Fatal(err)
	}
	if got := same("replayed", two); len(got) != len(before)-1 {
		t.Errorf("%d open after a closed one was written again, want %d", len(got), len(before)-1)
	}
	if err := two.Reload(ctx); err != nil {
		t.Fatal(err)
	}
	same("reloaded", two)
	apply(one, Reopen)
	if got := same("reopened", two); len(got) != len(before) {
		t.Errorf("%d open after one was reopened, want %d", len(got), len(before))
	}
	// Two live audits made it at two times: the queue has two rows, of which the actions change one.
	twice := "INSERT INTO " + one.Table("findings") + " SELECT * REPLACE (at + INTERVAL 1 MINUTE AS at) FROM " +
		one.Table("findings") + " FINAL WHERE id = '" + id + "'"
	if err := one.Conn().Exec(ctx, twice); err != nil {
		t.Fatal(err)
	}
	if got := same("found twice", two); len(got) != len(before) {
		t.Errorf("%d open after one was found twice, want %d", len(got), len(before))
	}
	apply(one, Close)
	if got := same("closed with two rows", two); len(got) != len(before)-1 {
		t.Errorf("%d open after one of two rows was closed, want %d", len(got), len(before)-1)
	}
	apply(one, Reopen)
	// A row that another program deletes is gone after Reload.
	for _, remove := range []string{
		"ALTER TABLE " + one.Table("open_findings") + " DELETE WHERE id = '" + id + "' SETTINGS mutations_sync = 1",
		"ALTER TABLE " + one.Table("findings") + " DELETE WHERE id = '" + id + "' AND at > " +
			"(SELECT min(at) FROM " + one.Table("findings") + " WHERE id = '" + id + "') SETTINGS mutations_sync = 1",
	} {
		if err := one.Conn().Exec(ctx, remove); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []*Store{one, two} {
		if err := s.Reload(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got := same("deleted", two); len(got) != len(before)-1 {
		t.Errorf("%d open after one was deleted, want %d", len(got), len(before)-1)
	}
	// A cache that is too small has the most urgent findings and reports that it is partial.
	small := another()
	small.maxOpen = 3
	if err := small.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	few, err := small.Open(ctx, everywhere, Filter{})
	urgent, _ := one.Open(ctx, everywhere, Filter{Limit: 3})
	totals, _ := small.Totals(ctx, everywhere, Filter{})
	if err != nil || len(few) != 3 || few[2].Urgency > urgent[2].Urgency || !totals.Partial {
		t.Errorf("%d of urgency %v, partial %v, %v", len(few), few, totals.Partial, err)
	}
}

// A finding that arrived since the last read of the queue is found by its first digits, and has its state.
func TestFindingThatJustArrived(t *testing.T) {
	s, ctx := played(t), t.Context()
	rows, err := s.Open(ctx, everywhere, Filter{})
	if err != nil || len(rows) == 0 {
		t.Fatal(len(rows), err)
	}
	const id = "5eed5eed00000000000000000000cafe"
	arrive := "INSERT INTO " + s.Table("findings") + " SELECT * REPLACE ('" + id + "' AS id) FROM (SELECT * FROM " +
		s.Table("findings") + " FINAL WHERE id = '" + rows[0].ID + "')"
	if err := s.Conn().Exec(ctx, arrive); err != nil {
		t.Fatal(err)
	}
	found, err := s.Abbreviated(ctx, everywhere, id[:8])
	if err != nil || !slices.Equal(found, []string{id}) {
		t.Fatalf("%s is found as %v, %v", id[:8], found, err)
	}
	// The state is found whether or not the row of the queue has the time of the finding.
	f, err := s.Finding(ctx, everywhere, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []time.Duration{0, time.Hour} {
		one := []Finding{f}
		one[0].At, one[0].State = f.At.Add(by), ""
		if err := s.States(ctx, everywhere, one); err != nil || one[0].State != New {
			t.Errorf("%v later the state is %q, %v; want %s", by, one[0].State, err, New)
		}
	}
	// A finding is acknowledged. Then a late event gives it another time, and the queue a second row, without the action.
	later := f
	p := Triage{IDs: []string{id}, Actor: "ann", Action: Acknowledge}
	if _, err := s.Apply(ctx, everywhere, p); err != nil {
		t.Fatal(err)
	}
	again := "INSERT INTO " + s.Table("findings") + " SELECT * REPLACE (version + 1 AS version, at + INTERVAL 1 HOUR AS at)" +
		" FROM " + s.Table("findings") + " FINAL WHERE id = '" + id + "'"
	if err := s.Conn().Exec(ctx, again); err != nil {
		t.Fatal(err)
	}
	if f, err = s.Finding(ctx, everywhere, id); err != nil {
		t.Fatal(err)
	}
	moved := []Finding{f}
	moved[0].State = ""
	err = s.States(ctx, everywhere, moved)
	if err != nil || moved[0].State != Acknowledged || moved[0].At.Equal(later.At) {
		t.Errorf("at %v, before at %v: state %q, %v; want %s", moved[0].At, later.At, moved[0].State, err, Acknowledged)
	}
	// The other tests read the table without the view that shows a finding once.
	for _, table := range []string{"findings", "open_findings"} {
		remove := "ALTER TABLE " + s.Table(table) + " DELETE WHERE id = '" + id + "' SETTINGS mutations_sync = 1"
		if err := s.Conn().Exec(ctx, remove); err != nil {
			t.Fatal(err)
		}
	}
}

// The backlog counts the open findings that are not silenced, high amounts one step higher, and has the waiting time of
// the oldest unacknowledged critical finding by ClickHouse's clock.
func TestBacklog(t *testing.T) {
	now := time.Now()
	s := &Store{}
	if have := s.Backlog(now, 0); len(have.Open) != 4 || have.OldestNew != 0 || !s.ReadAt().IsZero() {
		t.Errorf("before the first read: %+v", have)
	}
	skew := time.Hour // ClickHouse's clock is ahead
	put := func(id, severity, state, verdict string, urgency uint8, amount int64, ago time.Duration, deleted uint8) {
		if s.cache.rows == nil {
			s.cache.rows = map[findingKey]cachedRow{}
		}
		s.cache.rows[findingKey{id: id}] = cachedRow{&OpenFinding{
			ID: id, PropertyID: "ac-1", Rule: "r." + id, Severity: severity, State: state, Verdict: verdict,
			Urgency: urgency, Amount: amount, Deleted: deleted, ArrivedAt: now.Add(skew - ago),
		}, now}
	}
	s.cache.server, s.cache.local = now.Add(skew-time.Minute), now.Add(-time.Minute)
	s.cache.readAt = now.Add(-3 * time.Second)
	put("a", "critical", New, "BREACH", 1, 0, 10*time.Minute, 0)
	put("b", "critical", New, "BREACH", 1, 0, 25*time.Minute, 0)
	put("acknowledged", "critical", Acknowledged, "BREACH", 1, 0, 3*time.Hour, 0)
	put("reopened", "critical", Reopened, "BREACH", 1, 0, 4*time.Hour, 0)
	put("closed", "critical", New, "BREACH", 1, 0, 5*time.Hour, 1)
	put("silenced", "critical", New, "SUSPECT", 1, 0, 6*time.Hour, 0)
	put("high", "major", New, "BREACH", 2, -5_000, 7*time.Hour, 0)
	put("low", "major", New, "BREACH", 2, 4_999, 7*time.Hour, 0)
	s.cache.silences = []Silence{{PropertyID: "ac-1", Rule: "r.silenced", Until: now.Add(time.Hour)}}
	have := s.Backlog(now, 5_000)
	want := map[Rank]int{{1, "critical"}: 4, {1, "major"}: 1, {2, "major"}: 1, {3, "minor"}: 0, {4, "info"}: 0}
	if !maps.Equal(have.Open, want) {
		t.Errorf("open %v, want %v", have.Open, want)
	}
	if have.OldestNew != 25*time.Minute || !s.ReadAt().Equal(now.Add(-3*time.Second)) {
		t.Errorf("%v, read %v; want 25 minutes, and 3 s ago", have.OldestNew, s.ReadAt())
	}
	if later := s.Backlog(now.Add(time.Minute), 0); later.OldestNew != 26*time.Minute {
		t.Errorf("a minute later: %v", later.OldestNew)
	}
}

// The cache finds a finding for those who may read its property, while it is fresh, and of one property only.
func TestFindInCache(t *testing.T) {
	t.Parallel()
	now := time.Now()
	c := queueCache{readAt: now, rows: map[findingKey]cachedRow{}, known: map[string]bool{}}
	c.merge([]OpenFinding{
		{PropertyID: "ac-1", ID: "one"}, {PropertyID: "ac-1", ID: "both"}, {PropertyID: "ac-2", ID: "both"},
	}, now)
	first, second := Scope{Properties: []string{"ac-1"}}, Scope{Properties: []string{"ac-2"}}
	for _, x := range []struct {
		scope Scope
		id    string
		at    time.Time
		want  string
	}{
		{first, "one", now, "ac-1"},
		{second, "one", now, ""},
		{Scope{}, "one", now, ""},
		{first, "one", now.Add(maxAge + 1), ""},
		{second, "both", now, "ac-2"},
		{Scope{All: true}, "both", now, ""},
		{first, "none", now, ""},
	} {
		got := ""
		if r := c.find(x.scope, x.id, x.at); r != nil {
			got = r.PropertyID
		}
		if got != x.want {
			t.Errorf("%s in %+v: property %q, want %q", x.id, x.scope, got, x.want)
		}
	}
}
