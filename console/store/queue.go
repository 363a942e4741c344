package store

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Filter chooses findings of the queue. A zero field chooses all.
type Filter struct {
	Property, Pit, Table, Shoe, Dealer string
	Rule, Severity, Verdict, Kind      string
	State, Owner                       string // Owner "-" is nobody
	Day, Shift                         string
	Fingerprint                        string
	Text                               string
	// Shelved chooses what is shelved instead of what is not.
	Shelved bool
	any     bool // both
	// High is the amount, minor units, from which a finding is one step more urgent; 0 is never.
	High  int64
	Limit int
}

// Waiting is a finding of the queue.
type Waiting struct {
	PropertyID  string    `ch:"property_id"`
	Urgency     uint8     `ch:"urgency"` // 1 is the most urgent
	At          time.Time `ch:"at"`
	ID          string    `ch:"id"`
	State       string    `ch:"state"`
	Kind        string    `ch:"kind"`
	Verdict     string    `ch:"verdict"`
	Rule        string    `ch:"rule"`
	Severity    string    `ch:"severity"`
	PitID       string    `ch:"pit_id"`
	TableID     string    `ch:"table_id"`
	ShoeID      string    `ch:"shoe_id"`
	Round       uint32    `ch:"round"`
	Seat        uint32    `ch:"seat"`
	DealerID    string    `ch:"dealer_id"`
	GamingDay   time.Time `ch:"gaming_day"`
	Shift       string    `ch:"shift"`
	Expected    string    `ch:"expected"`
	Observed    string    `ch:"observed"`
	Amount      int64     `ch:"amount"`
	Currency    string    `ch:"currency"`
	Version     uint64    `ch:"version"`
	Deleted     uint8     `ch:"is_deleted"`
	Owner       string    `ch:"owner"`
	Fingerprint string    `ch:"fingerprint"`
	ArrivedAt   time.Time `ch:"arrived_at"` // by the server's clock
}

// Group is findings of one fingerprint: those of one state, so that a step fits all of them.
type Group struct {
	Waiting
	Count   uint64    `ch:"findings"`
	FirstAt time.Time `ch:"first_at"`
	LastAt  time.Time `ch:"last_at"`
	Total   int64     `ch:"total"`
	Until   time.Time `ch:"until"` // the latest arrival among them
}

// MostIDs is the most findings that one step of triage takes.
const MostIDs = 500

func columnsOf[T any]() []string {
	var names []string
	for f := range reflect.TypeFor[T]().Fields() {
		if tag := f.Tag.Get("ch"); tag != "" {
			names = append(names, tag)
		}
	}
	return names
}

func (f *Filter) limit() int {
	if f.Limit <= 0 || f.Limit > MostRows {
		return 200
	}
	return f.Limit
}

// ranked is a finding with its urgency under a filter, and its time as a number, which compares faster.
type ranked struct {
	*Waiting
	urgency uint8
	at      int64
}

func (r *ranked) copied() Waiting {
	w := *r.Waiting
	w.Urgency = r.urgency
	return w
}

// chosen are the findings that a filter chooses, the most urgent first and the oldest of those.
func (s *Store) chosen(ctx context.Context, scope Scope, f *Filter) ([]ranked, error) {
	rows, _, err := s.waiting(ctx, scope, f)
	all := make([]ranked, len(rows))
	for i, r := range rows {
		all[i] = ranked{r, f.urgency(r), r.At.UnixNano()}
	}
	slices.SortFunc(all, func(a, b ranked) int {
		switch {
		case a.urgency != b.urgency:
			return cmp.Compare(a.urgency, b.urgency)
		case a.at != b.at:
			return cmp.Compare(a.at, b.at)
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all, err
}

// Groups is the queue, the most urgent first and the oldest of those.
func (s *Store) Groups(ctx context.Context, scope Scope, f Filter) ([]Group, error) {
	rows, err := s.chosen(ctx, scope, &f)
	type of struct{ fingerprint, state string }
	type group struct {
		*ranked     // the first of them
		count       uint64
		oldest      int64
		first, last time.Time
		total       int64
		until       time.Time
	}
	at := map[of]*group{}
	var all []*group
	for i := range rows {
		r := &rows[i]
		key := of{r.Fingerprint, r.State}
		g := at[key]
		if g == nil {
			g = &group{ranked: r, oldest: r.at, first: r.At, last: r.At}
			at[key] = g
			all = append(all, g)
		}
		g.count++
		g.total += r.Amount
		if r.at < g.oldest {
			g.oldest, g.first = r.at, r.At
		}
		if r.At.After(g.last) {
			g.last = r.At
		}
		if r.ArrivedAt.After(g.until) {
			g.until = r.ArrivedAt
		}
	}
	slices.SortStableFunc(all, func(a, b *group) int {
		return cmp.Or(cmp.Compare(a.urgency, b.urgency), cmp.Compare(a.oldest, b.oldest), strings.Compare(a.Fingerprint, b.Fingerprint))
	})
	groups := make([]Group, min(len(all), f.limit()))
	for i := range groups {
		g := all[i]
		groups[i] = Group{g.copied(), g.count, g.first, g.last, g.total, g.until}
	}
	return groups, err
}

// Members are the findings of a group that had arrived by a moment: what somebody saw who takes a step on the group.
func (s *Store) Members(ctx context.Context, scope Scope, fingerprint, state string, until time.Time) ([]string, error) {
	rows, _, err := s.waiting(ctx, scope, &Filter{Fingerprint: fingerprint, State: state, any: true})
	rows = slices.DeleteFunc(rows, func(r *Waiting) bool { return r.ArrivedAt.After(until) })
	slices.SortFunc(rows, func(a, b *Waiting) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID)) })
	rows = rows[:min(len(rows), MostIDs)]
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids, err
}

// Open is the findings of the queue one by one, in the same order.
func (s *Store) Open(ctx context.Context, scope Scope, f Filter) ([]Waiting, error) {
	rows, err := s.chosen(ctx, scope, &f)
	open := make([]Waiting, min(len(rows), f.limit()))
	for i := range open {
		open[i] = rows[i].copied()
	}
	return open, err
}

// Totals is how much waits.
type Totals struct {
	Open     uint64 `ch:"open"`
	Critical uint64 `ch:"critical"`
	Major    uint64 `ch:"major"`
	Minor    uint64 `ch:"minor"`
	Info     uint64 `ch:"info"`
	Unowned  uint64
	New      uint64
	Closing  uint64
	// Partial says that more waits than a console holds.
	Partial bool
}

// Totals counts what a filter chooses.
func (s *Store) Totals(ctx context.Context, scope Scope, f Filter) (Totals, error) {
	rows, partial, err := s.waiting(ctx, scope, &f)
	t := Totals{Open: uint64(len(rows)), Partial: partial}
	for _, r := range rows {
		*t.of(r.Severity)++
		if r.Owner == "" {
			t.Unowned++
		}
		switch r.State {
		case New:
			t.New++
		case Closing:
			t.Closing++
		}
	}
	return t, err
}

func (t *Totals) of(severity string) *uint64 {
	switch severity {
	case "critical":
		return &t.Critical
	case "major":
		return &t.Major
	case "minor":
		return &t.Minor
	}
	return &t.Info
}
