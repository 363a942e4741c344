package store

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
	"unique"

	ch "github.com/ClickHouse/clickhouse-go/v2"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

const (
	// maxOpen limits the cache to some 200 MB. Above it, the cache has the most urgent findings and is partial.
	maxOpen = 250_000
	// overlap is read twice, because a row is stamped when its insert begins and is visible when the insert ends.
	overlap = 3 * time.Second
	// maxAge is the age at which a page refreshes the cache itself, if nothing else does.
	maxAge = 2 * time.Second
	// maxArrived limits the arrivals of one Delta.
	maxArrived = 1000
	// keepClosed is how long a closed finding stays cached, so that a read in progress does not reopen it.
	keepClosed = time.Minute
)

// queueCache has the open findings in memory.
//
// Open findings are few, but the table open_findings is large: it keeps the row of each closed finding, so that a
// replay of the events does not reopen it. So a console reads all open findings at the start and every ten minutes
// (Reload), and in between only the rows that changed (Refresh). Each console has a separate cache and sees the actions
// of the others as changed rows.
type queueCache struct {
	refreshing sync.Mutex // serializes Refresh

	mu       sync.RWMutex
	rows     map[findingKey]cachedRow
	known    map[string]bool // the properties that rows has had
	silences []Silence       // those in force
	// server is ClickHouse's clock when the local clock was local; since is server at the first load.
	server, local, since time.Time
	mark                 time.Time // changes before it are applied, by ClickHouse's clock
	readAt               time.Time // start of the last read, by the local clock
	partial              bool
	delta                Delta
}

// findingKey is a finding at its property: a row that names the finding under another property replaces no row.
type findingKey struct{ property, id string }

func (r *OpenFinding) key() findingKey { return findingKey{r.PropertyID, r.ID} }

type cachedRow struct {
	*OpenFinding
	readAt time.Time
}

// Delta is the change of the queue between two calls of TakeDelta.
type Delta struct {
	Changes map[string]Change // by property
	// Arrived are critical findings that are new to the cache and that arrived after the console started.
	Arrived []OpenFinding
}

// Change counts the changed rows of a property, and its new critical findings.
type Change struct{ Rows, Critical uint64 }

// TakeDelta returns the changes since the last call.
func (s *Store) TakeDelta() Delta {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	d := s.cache.delta
	s.cache.delta = Delta{}
	return d
}

// Refresh applies the rows that changed since the last read; the first call reads all.
func (s *Store) Refresh(ctx context.Context) error {
	c, called := &s.cache, s.now()
	c.refreshing.Lock()
	defer c.refreshing.Unlock()
	c.mu.RLock()
	mark, readAt, server, local := c.mark, c.readAt, c.server, c.local
	c.mu.RUnlock()
	switch {
	case readAt.After(called): // another call began its read after this call
		return nil
	case server.IsZero():
		return s.Reload(ctx)
	}
	began := s.now()
	w := (&where{}).and("changed_at > fromUnixTimestamp64Milli({after:Int64})", "after", mark.Add(-overlap).UnixMilli())
	news, err := s.news(ctx, w)
	if err != nil {
		return err
	}
	var rows []OpenFinding
	if news {
		if rows, err = s.newest(ctx, 2, "WHERE "+w.String(), w); err != nil {
			return err
		}
	}
	silences, err := s.inForce(ctx)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.merge(rows, began)
	c.silences, c.mark, c.readAt = silences, server.Add(began.Sub(local)), began
	maps.DeleteFunc(c.rows, func(_ findingKey, r cachedRow) bool {
		return r.Deleted != 0 && began.Sub(r.readAt) > keepClosed
	})
	return nil
}

// Reload reads all open findings. It corrects what Refresh cannot see: rows that became visible late, and deleted rows.
func (s *Store) Reload(ctx context.Context) error {
	c, began := &s.cache, s.now()
	clock, err := one[struct {
		Now time.Time `ch:"now"`
	}](ctx, s, "the server's clock", "SELECT now64(3, 'UTC') AS now", &where{})
	if err != nil {
		return err
	}
	silences, err := s.inForce(ctx)
	if err != nil {
		return err
	}
	c.mu.RLock()
	first, threads := c.server.IsZero(), 1 // one thread, because pages are served at the same time
	c.mu.RUnlock()
	if first {
		threads = 2
	}
	w := (&where{}).with("max", s.maxOpen+1)
	rows, err := s.newest(ctx, threads, "FINAL ORDER BY urgency, at DESC, id LIMIT {max:Int64}", w)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	first = c.server.IsZero()
	if first {
		c.rows, c.since, c.mark, c.readAt = map[findingKey]cachedRow{}, clock.Now, clock.Now, began
		c.known = map[string]bool{}
	}
	if c.partial = int64(len(rows)) > s.maxOpen; c.partial {
		rows = rows[:s.maxOpen]
	}
	c.server, c.local, c.silences = clock.Now, began, silences
	c.merge(rows, began)
	if first {
		c.delta = Delta{}
	}
	present := make(map[findingKey]bool, len(rows))
	for i := range rows {
		present[rows[i].key()] = true
	}
	maps.DeleteFunc(c.rows, func(k findingKey, r cachedRow) bool { return !present[k] && r.readAt.Before(began) })
	return nil
}

// news reports whether a query of open_findings selects a row that is newer than the cached one. Most refreshes find
// none: little changes in a second, and the overlap selects each change several times.
func (s *Store) news(ctx context.Context, w *where) (bool, error) {
	const most = 1000 // more rows are news: the cache lacks some of so many, or newest compares them
	type version struct {
		Property string `ch:"property_id"`
		ID       string `ch:"id"`
		Version  uint64 `ch:"version"`
	}
	rows, err := list[version](ctx, s, "the changes of the queue", "{{open_findings}} WHERE "+w.String()+limit(most+1), w)
	s.cache.mu.RLock()
	defer s.cache.mu.RUnlock()
	return len(rows) > most || slices.ContainsFunc(rows, func(r version) bool {
		old, known := s.cache.rows[findingKey{r.Property, r.ID}]
		return !known || old.Version < r.Version
	}), err
}

// newestRow chooses the newest row of each finding of open_findings.
const newestRow = clickhouse.NewestFirst + " LIMIT 1 BY property_id, id"

// newest reads the newest row of each finding that a query of open_findings selects; selection is the query after FROM.
// That may be another row than the selected one: two live audits may have made a finding at two times, and triage
// changes one of the two rows. The rows of closed findings are included.
func (s *Store) newest(ctx context.Context, threads int, selection string, w *where) ([]OpenFinding, error) {
	ctx = ch.Context(limited(ctx), ch.WithSettings(ch.Settings{
		"max_execution_time": 120, "max_result_rows": maxScan, "max_threads": threads, "max_memory_usage": 2 << 30,
	}))
	rows, err := s.Conn().Query(ctx, s.expand(`SELECT `+columns[OpenFinding]()+` FROM {{open_findings}}
		WHERE id GLOBAL IN (SELECT id FROM {{open_findings}} `+selection+`)
		`+newestRow), w.args...)
	if err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var all []OpenFinding
	for rows.Next() {
		var r OpenFinding
		if err := rows.ScanStruct(&r); err != nil {
			return nil, fmt.Errorf("read the queue: %w", err)
		}
		r.intern()
		all = append(all, r)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	return all, nil
}

// intern replaces the texts that many rows share by one copy of each.
func (r *OpenFinding) intern() {
	for _, text := range []*string{
		&r.PropertyID, &r.State, &r.Kind, &r.Verdict, &r.Basis, &r.Rule, &r.Severity, &r.PitID, &r.TableID, &r.ShoeID,
		&r.DealerID, &r.Shift, &r.Currency, &r.Owner, &r.Fingerprint,
	} {
		*text = unique.Make(*text).Value()
	}
}

// merge adds rows that are newer than the cached ones. The caller has the lock.
func (c *queueCache) merge(rows []OpenFinding, readAt time.Time) {
	if c.rows == nil { // before the first load
		return
	}
	for i := range rows {
		r := &rows[i]
		old, known := c.rows[r.key()]
		if known && old.Version >= r.Version {
			continue
		}
		c.rows[r.key()], c.known[r.PropertyID] = cachedRow{r, readAt}, true
		if !known && r.Deleted != 0 {
			continue
		}
		if c.delta.Changes == nil {
			c.delta.Changes = map[string]Change{}
		}
		change := c.delta.Changes[r.PropertyID]
		change.Rows++
		if !known && r.Severity == "critical" && r.ArrivedAt.After(c.since) {
			change.Critical++
			if len(c.delta.Arrived) < maxArrived {
				c.delta.Arrived = append(c.delta.Arrived, *r)
			}
		}
		c.delta.Changes[r.PropertyID] = change
	}
}

// find returns the row of a finding; nil if the cache is old, or if none or several properties have the finding.
func (c *queueCache) find(scope Scope, id string, now time.Time) (found *OpenFinding) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if now.Sub(c.readAt) > maxAge {
		return nil
	}
	for property := range c.known {
		r, has := c.rows[findingKey{property, id}]
		switch {
		case !has || !scope.Has(property):
		case found != nil:
			return nil
		default:
			found = r.OpenFinding
		}
	}
	return found
}

// silenced reports whether a silence in force hides a finding. Critical and major findings of a rule cannot be
// silenced, proved or suspected.
func (c *queueCache) silenced(r *OpenFinding, now time.Time) bool {
	if r.Kind == "deviation" && (r.Severity == "critical" || r.Severity == "major") {
		return false
	}
	return slices.ContainsFunc(c.silences, func(x Silence) bool {
		return x.PropertyID == r.PropertyID && x.Rule == r.Rule && (x.TableID == "" || x.TableID == r.TableID) &&
			x.InForce(now)
	})
}

// unsure returns the ids of findings that the cache does not know to be without an action.
func (c *queueCache) unsure(ids []string, of map[string]*Finding) []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.DeleteFunc(ids, func(id string) bool {
		r, known := c.rows[findingKey{of[id].PropertyID, id}]
		return known && r.Version == 0
	})
}
