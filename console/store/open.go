package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unique"

	ch "github.com/ClickHouse/clickhouse-go/v2"
)

// What waits is little, and open_findings is much: it also has a row of each finding that was closed, which keeps
// that closed when the events are read again. So a console holds what waits: all of it is read at the start and now and
// then, and in between what was written since. Each console has its own, and each sees the others' steps as rows.
const (
	// mostOpen is what is held at most, some 200 MB. Beyond it the most urgent are, and the queue says so.
	mostOpen = 250_000
	// overlap is read twice: a row is stamped when its insert begins, and seen when it ends.
	overlap = 3 * time.Second
	// fresh is how old an answer may be when nobody follows the queue.
	fresh    = 2 * time.Second
	mostNews = 1000
	// closedFor is how long a closed finding is remembered, so that an answer that was under way does not open it.
	closedFor = time.Minute
)

type openSet struct {
	reading sync.Mutex // one question about changes at a time

	mu      sync.RWMutex
	rows    map[string]held // by id
	shelves []Shelf
	// server is ClickHouse's clock when ours was local; since is it at the start.
	server, local, since time.Time
	mark                 time.Time // changes up to here were read, by ClickHouse's clock
	read                 time.Time // when that was asked, by ours
	partial              bool
	news                 News
}

type held struct {
	*Waiting
	read time.Time
}

// Rank is how much a finding of the queue matters.
type Rank struct {
	Urgency  uint8
	Severity string
}

// Standing is what is held of the queue.
type Standing struct {
	// Open are the findings that wait and are not shelved; the usual ranks are there if only with 0.
	Open map[Rank]int
	// Untaken is for how long the oldest critical one among them has waited that nobody acknowledged, 0 if there is none.
	Untaken time.Duration
	// Read is when it was asked of ClickHouse, zero if never.
	Read time.Time
}

// Standing asks nobody. High is that of Filter.
func (s *Store) Standing(now time.Time, high int64) Standing {
	o, f := &s.open, Filter{High: high}
	o.mu.RLock()
	defer o.mu.RUnlock()
	t := Standing{Open: map[Rank]int{{1, "critical"}: 0, {2, "major"}: 0, {3, "minor"}: 0, {4, "info"}: 0}, Read: o.read}
	server := o.server.Add(now.Sub(o.local))
	for _, h := range o.rows {
		if h.Deleted != 0 || o.shelved(h.Waiting, now) {
			continue
		}
		t.Open[Rank{f.urgency(h.Waiting), h.Severity}]++
		if h.Severity == "critical" && h.State == New {
			t.Untaken = max(t.Untaken, server.Sub(h.ArrivedAt))
		}
	}
	return t
}

// News is what happened to the queue.
type News struct {
	Changes map[string]Change // by property
	// Arrived are critical findings that nobody held before, and that came after the console began.
	Arrived []Waiting
}

// Change is what happened to the queue of a property.
type Change struct{ Rows, Critical uint64 }

// News is what happened since it was last asked for.
func (s *Store) News() News {
	s.open.mu.Lock()
	defer s.open.mu.Unlock()
	n := s.open.news
	s.open.news = News{}
	return n
}

// Refresh reads what changed in the queue, at first all of it.
func (s *Store) Refresh(ctx context.Context) error {
	o, asked := &s.open, s.now()
	o.reading.Lock()
	defer o.reading.Unlock()
	o.mu.RLock()
	mark, read, server, local := o.mark, o.read, o.server, o.local
	o.mu.RUnlock()
	switch {
	case read.After(asked): // somebody else's question began after this one
		return nil
	case server.IsZero():
		return s.Reload(ctx)
	}
	began := s.now()
	w := (&where{}).and("changed_at > fromUnixTimestamp64Milli({after:Int64})", "after", mark.Add(-overlap).UnixMilli())
	rows, err := s.newest(ctx, 2, "WHERE "+w.String(), w)
	if err != nil {
		return err
	}
	shelves, err := s.inForce(ctx)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.take(rows, began)
	o.shelves, o.mark, o.read = shelves, server.Add(began.Sub(local)), began
	maps.DeleteFunc(o.rows, func(_ string, h held) bool { return h.Deleted != 0 && began.Sub(h.read) > closedFor })
	return nil
}

// Reload reads all that is open. It mends what following changes cannot see: rows that came late, and rows taken away.
func (s *Store) Reload(ctx context.Context) error {
	o, began := &s.open, s.now()
	clock, err := one[struct {
		Now time.Time `ch:"now"`
	}](ctx, s, "the server's clock", "SELECT now64(3, 'UTC') AS now", &where{})
	if err != nil {
		return err
	}
	shelves, err := s.inForce(ctx)
	if err != nil {
		return err
	}
	o.mu.RLock()
	first, threads := o.server.IsZero(), 1 // beside people who wait for pages
	o.mu.RUnlock()
	if first {
		threads = 2
	}
	w := (&where{}).with("most", s.mostOpen+1)
	rows, err := s.newest(ctx, threads, "FINAL ORDER BY urgency, at DESC LIMIT {most:Int64}", w)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	first = o.server.IsZero()
	if first {
		o.rows, o.since, o.mark, o.read = map[string]held{}, clock.Now, clock.Now, began
	}
	if o.partial = int64(len(rows)) > s.mostOpen; o.partial {
		rows = rows[:s.mostOpen]
	}
	o.server, o.local, o.shelves = clock.Now, began, shelves
	o.take(rows, began)
	if first {
		o.news = News{}
	}
	still := make(map[string]bool, len(rows))
	for i := range rows {
		still[rows[i].ID] = true
	}
	maps.DeleteFunc(o.rows, func(id string, h held) bool { return !still[id] && h.read.Before(began) })
	return nil
}

// newest are the newest rows of the findings that the end of a query of open_findings chooses, also of closed ones. Of rows of one version
// the first counts: it says when the finding arrived.
func (s *Store) newest(ctx context.Context, threads int, chosen string, w *where) ([]Waiting, error) {
	const key = "property_id, urgency, at, id"
	ctx = ch.Context(limited(ctx), ch.WithSettings(ch.Settings{
		"max_execution_time": 120, "max_result_rows": 0, "max_threads": threads, "max_memory_usage": 2 << 30,
	}))
	rows, err := s.Conn().Query(ctx, s.named(`SELECT `+columns[Waiting]()+` FROM {{open_findings}} WHERE (`+key+`) GLOBAL IN
		(SELECT `+key+` FROM {{open_findings}} `+chosen+`) ORDER BY version DESC, arrived_at LIMIT 1 BY id`), w.args...)
	if err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []Waiting
	for rows.Next() {
		var r Waiting
		if err := rows.ScanStruct(&r); err != nil {
			return nil, fmt.Errorf("read the queue: %w", err)
		}
		for _, text := range []*string{
			&r.PropertyID, &r.State, &r.Kind, &r.Verdict, &r.Rule, &r.Severity, &r.PitID, &r.TableID, &r.ShoeID, &r.DealerID, &r.Shift, &r.Currency, &r.Owner, &r.Fingerprint,
		} {
			*text = unique.Make(*text).Value() // one copy of what a thousand rows say
		}
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	return all, nil
}

// take holds rows that are newer than what is held. The caller has the lock.
func (o *openSet) take(rows []Waiting, read time.Time) {
	if o.rows == nil { // nobody has asked for the queue yet
		return
	}
	for i := range rows {
		r := &rows[i]
		old, known := o.rows[r.ID]
		if known && old.Version >= r.Version {
			continue
		}
		o.rows[r.ID] = held{r, read}
		if !known && r.Deleted != 0 {
			continue
		}
		if o.news.Changes == nil {
			o.news.Changes = map[string]Change{}
		}
		c := o.news.Changes[r.PropertyID]
		c.Rows++
		if !known && r.Severity == "critical" && r.ArrivedAt.After(o.since) {
			c.Critical++
			if len(o.news.Arrived) < mostNews {
				o.news.Arrived = append(o.news.Arrived, *r)
			}
		}
		o.news.Changes[r.PropertyID] = c
	}
}

// waiting are the findings that wait and that a filter chooses, in no order. The rows are not to be changed.
func (s *Store) waiting(ctx context.Context, scope Scope, f *Filter) (rows []*Waiting, partial bool, err error) {
	o := &s.open
	o.mu.RLock()
	old := s.now().Sub(o.read) > fresh
	o.mu.RUnlock()
	if old {
		if err := s.Refresh(ctx); err != nil {
			return nil, false, err
		}
	}
	now, text := s.now(), strings.ToLower(f.Text)
	o.mu.RLock()
	defer o.mu.RUnlock()
	for _, h := range o.rows {
		if h.Deleted == 0 && scope.Has(h.PropertyID) && f.has(h.Waiting, text) && (f.any || o.shelved(h.Waiting, now) == f.Shelved) {
			rows = append(rows, h.Waiting)
		}
	}
	return rows, o.partial, nil
}

// shelved says whether a shelf in force hides a finding. The law's weightier breaches cannot be shelved.
func (o *openSet) shelved(r *Waiting, now time.Time) bool {
	if r.Verdict == "BREACH" && (r.Severity == "critical" || r.Severity == "major") {
		return false
	}
	return slices.ContainsFunc(o.shelves, func(x Shelf) bool {
		return x.PropertyID == r.PropertyID && x.Rule == r.Rule && (x.TableID == "" || x.TableID == r.TableID) && x.InForce(now)
	})
}

// has says whether a filter chooses a finding; text is its Text in lower case.
func (f *Filter) has(r *Waiting, text string) bool {
	for _, e := range [...]struct{ want, is string }{
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
		if e.want != "" && e.want != e.is {
			return false
		}
	}
	switch {
	case f.Rule != "" && r.Rule != f.Rule && !strings.HasPrefix(r.Rule, f.Rule+"."): // a rule, or a family of rules
		return false
	case f.Owner == "-" && r.Owner != "", f.Owner != "" && f.Owner != "-" && f.Owner != r.Owner:
		return false
	case f.Day != "" && f.Day != Day(r.GamingDay):
		return false
	case text == "" || strings.HasPrefix(r.ID, text):
		return true
	}
	return strings.Contains(strings.ToLower(strings.Join([]string{r.Rule, r.TableID, r.ShoeID, r.DealerID, r.Owner, r.Expected, r.Observed}, " ")), text)
}

// urgency is that of a finding, a step higher if it is dear.
func (f *Filter) urgency(r *Waiting) uint8 {
	if f.High > 0 && r.Urgency > 1 && (r.Amount >= f.High || r.Amount <= -f.High) {
		return r.Urgency - 1
	}
	return r.Urgency
}
