package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
)

// Filter selects open findings. A zero field selects all.
type Filter struct {
	Property, Pit, Table, Shoe, Dealer string
	Rule, Severity, Verdict, Kind      string
	Basis                              string // or its word before the colon: assumed is each assumed:OPTION
	State, Owner                       string // Owner "-" is unassigned
	Day, Shift                         string
	Fingerprint                        string
	Text                               string
	// Silenced selects the silenced findings instead of the others.
	Silenced bool
	any      bool // both
	// High is the amount in minor units from which a finding is one step more urgent; 0 is never.
	High int64
	// From and To bound the time of a finding, MinAmount its amount in minor units, whatever its sign.
	From, To  time.Time
	MinAmount int64
	Order     string // one of Orders; empty is by urgency
	After     Place  // rows that follow this one; zero is from the first
	Limit     int    // 200 if 0
}

// OpenFinding is a row of the queue.
type OpenFinding struct {
	PropertyID  string    `ch:"property_id"`
	Urgency     uint8     `ch:"urgency"` // 1 is the most urgent
	At          time.Time `ch:"at"`
	ID          string    `ch:"id"`
	State       string    `ch:"state"`
	Kind        string    `ch:"kind"`
	Verdict     string    `ch:"verdict"`
	Basis       string    `ch:"basis"` // as in Finding
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
	Deleted     uint8     `ch:"is_deleted"` // 1 is closed
	Owner       string    `ch:"owner"`
	Fingerprint string    `ch:"fingerprint"`
	ArrivedAt   time.Time `ch:"arrived_at"` // by the clock of ClickHouse
}

type groupKey struct{ fingerprint, state string }

// Group is the findings of one fingerprint and one state, so that an action fits all of them.
type Group struct {
	OpenFinding           // the most urgent, then the oldest
	Count       uint64    `ch:"findings"`
	FirstAt     time.Time `ch:"first_at"`
	LastAt      time.Time `ch:"last_at"`
	Total       int64     `ch:"total"`
	Until       time.Time `ch:"until"` // the latest arrival
}

// MaxIDs is the maximum number of findings of one write of triage. maxMembers bounds a group.
const (
	MaxIDs     = 500
	maxMembers = 20_000
)

// matches reports whether a filter selects a finding; text is f.Text in lower case.
func (f *Filter) matches(r *OpenFinding, text string) bool {
	for _, e := range [...]struct{ want, got string }{
		{f.Property, r.PropertyID},
		{f.Pit, r.PitID},
		{f.Table, r.TableID},
		{f.Shoe, r.ShoeID},
		{f.Dealer, r.DealerID},
		{f.Severity, r.Severity},
		{f.Verdict, r.Verdict},
		{f.Kind, r.Kind},
		{f.State, r.State},
		{f.Shift, r.Shift},
		{f.Fingerprint, r.Fingerprint},
	} {
		if e.want != "" && e.want != e.got {
			return false
		}
	}
	switch {
	case f.Rule != "" && r.Rule != f.Rule && !strings.HasPrefix(r.Rule, f.Rule+"."): // a rule, or a family of rules
		return false
	case f.Basis != "" && r.Basis != f.Basis && !strings.HasPrefix(r.Basis, f.Basis+":"):
		return false
	case f.Owner == "-" && r.Owner != "", f.Owner != "" && f.Owner != "-" && f.Owner != r.Owner:
		return false
	case f.Day != "" && f.Day != Day(r.GamingDay):
		return false
	case !f.From.IsZero() && r.At.Before(f.From), !f.To.IsZero() && !r.At.Before(f.To),
		f.MinAmount > max(r.Amount, -r.Amount):
		return false
	case text == "" || strings.HasPrefix(r.ID, text):
		return true
	}
	all := strings.Join([]string{r.Rule, r.TableID, r.ShoeID, r.DealerID, r.Owner, r.Expected, r.Observed}, " ")
	return strings.Contains(strings.ToLower(all), text)
}

// urgency is the urgency of a finding, one step higher if its amount is at least High.
func (f *Filter) urgency(r *OpenFinding) uint8 {
	if f.High > 0 && r.Urgency > 1 && (r.Amount >= f.High || r.Amount <= -f.High) {
		return r.Urgency - 1
	}
	return r.Urgency
}

// filtered returns the open findings that a filter selects, unordered. The rows are shared and must not be changed.
func (s *Store) filtered(ctx context.Context, scope Scope, f *Filter) (rows []*OpenFinding, partial bool, err error) {
	c := &s.cache
	c.mu.RLock()
	old := s.now().Sub(c.readAt) > maxAge
	c.mu.RUnlock()
	if old {
		if err := s.Refresh(ctx); err != nil {
			return nil, false, err
		}
	}
	now, text := s.now(), strings.ToLower(f.Text)
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, r := range c.rows {
		if r.Deleted == 0 && scope.Has(r.PropertyID) && f.matches(r.OpenFinding, text) &&
			(f.any || c.silenced(r.OpenFinding, now) == f.Silenced) {
			rows = append(rows, r.OpenFinding)
		}
	}
	return rows, c.partial, nil
}

// place is the place of a finding under a filter.
func (f *Filter) place(r *OpenFinding) Place {
	return Place{f.urgency(r), r.At.UnixNano(), r.Amount, r.TableID, r.ID}
}

// Shown is what a page of the queue shows: its rows, one for each group or for each finding, and counts of all findings
// that the filter selects.
type Shown struct {
	Groups []Group
	Open   []OpenFinding
	// All is how many rows all pages have.
	All    int
	Totals Totals
	Facets Facets
}

// Show returns a page of the queue.
func (s *Store) Show(ctx context.Context, scope Scope, f Filter, grouped bool) (v Shown, err error) {
	rows, partial, err := s.filtered(ctx, scope, &f)
	if err != nil {
		return v, err
	}
	v.Totals, v.Facets, v.All = totalsOf(rows, partial), facetsOf(rows), len(rows)
	if grouped {
		v.Groups, v.All = groupsOf(rows, &f)
	} else {
		v.Open = openOf(rows, &f)
	}
	return v, nil
}

// Groups returns the queue in groups, in the order of the filter.
func (s *Store) Groups(ctx context.Context, scope Scope, f Filter) ([]Group, error) {
	rows, _, err := s.filtered(ctx, scope, &f)
	groups, _ := groupsOf(rows, &f)
	return groups, err
}

// groupsOf returns the groups of a page, and how many there are on all pages.
func groupsOf(rows []*OpenFinding, f *Filter) (groups []Group, count int) {
	type group struct {
		Group
		first *OpenFinding // the most urgent
		place Place        // of first
	}
	byKey := map[groupKey]*group{}
	var all []*group
	for _, r := range rows {
		k, place := groupKey{r.Fingerprint, r.State}, f.place(r)
		g := byKey[k]
		switch {
		case g == nil:
			g = &group{Group: Group{FirstAt: r.At, LastAt: r.At}, first: r, place: place}
			byKey[k], all = g, append(all, g)
		case compare("", &place, &g.place) < 0:
			g.first, g.place = r, place
		}
		g.add(r)
	}
	order := make([]ranked, len(all))
	for i, g := range all {
		g.OpenFinding = *g.first
		g.Urgency = g.place.Urgency
		order[i] = ranked{g.Place(), i}
	}
	order = page(order, f)
	groups = make([]Group, len(order))
	for i, r := range order {
		groups[i] = all[r.n].Group
	}
	return groups, len(all)
}

func (g *Group) add(r *OpenFinding) {
	g.Count++
	g.Total += r.Amount
	if r.At.Before(g.FirstAt) {
		g.FirstAt = r.At
	}
	if r.At.After(g.LastAt) {
		g.LastAt = r.At
	}
	if r.ArrivedAt.After(g.Until) {
		g.Until = r.ArrivedAt
	}
}

// Members returns the ids of the findings of a group that had arrived by a moment: the findings that were
// displayed to the user who acts on the group.
func (s *Store) Members(
	ctx context.Context, scope Scope, fingerprint, state string, until time.Time,
) ([]string, error) {
	rows, _, err := s.filtered(ctx, scope, &Filter{Fingerprint: fingerprint, State: state, any: true})
	rows = slices.DeleteFunc(rows, func(r *OpenFinding) bool { return r.ArrivedAt.After(until) })
	slices.SortFunc(rows, func(a, b *OpenFinding) int {
		return cmp.Or(a.At.Compare(b.At), strings.Compare(a.ID, b.ID))
	})
	rows = rows[:min(len(rows), maxMembers)]
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	return ids, err
}

// Open returns the open findings, one per row, in the order of the filter.
func (s *Store) Open(ctx context.Context, scope Scope, f Filter) ([]OpenFinding, error) {
	rows, _, err := s.filtered(ctx, scope, &f)
	return openOf(rows, &f), err
}

func openOf(rows []*OpenFinding, f *Filter) []OpenFinding {
	order := make([]ranked, len(rows))
	for i, r := range rows {
		order[i] = ranked{f.place(r), i}
	}
	order = page(order, f)
	open := make([]OpenFinding, len(order))
	for i, r := range order {
		open[i] = *rows[r.n]
		open[i].Urgency = r.place.Urgency
	}
	return open
}

// Facets counts the values among the open findings that a filter selects.
func (s *Store) Facets(ctx context.Context, scope Scope, f Filter) (Facets, error) {
	rows, _, err := s.filtered(ctx, scope, &f)
	return facetsOf(rows), err
}

// Totals counts open findings.
type Totals struct {
	Open       uint64 `ch:"open"`
	Critical   uint64 `ch:"critical"`
	Major      uint64 `ch:"major"`
	Minor      uint64 `ch:"minor"`
	Info       uint64 `ch:"info"`
	Unassigned uint64
	New        uint64
	Closing    uint64
	// Partial reports that the cache does not have all open findings.
	Partial bool
}

// Totals counts the open findings that a filter selects.
func (s *Store) Totals(ctx context.Context, scope Scope, f Filter) (Totals, error) {
	rows, partial, err := s.filtered(ctx, scope, &f)
	return totalsOf(rows, partial), err
}

func totalsOf(rows []*OpenFinding, partial bool) Totals {
	t := Totals{Open: uint64(len(rows)), Partial: partial}
	for _, r := range rows {
		*t.of(r.Severity)++
		if r.Owner == "" {
			t.Unassigned++
		}
		switch r.State {
		case New:
			t.New++
		case Closing:
			t.Closing++
		}
	}
	return t
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
