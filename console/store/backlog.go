package store

import "time"

// Rank is the urgency and severity of an open finding.
type Rank struct {
	Urgency  uint8
	Severity string
}

// Backlog summarizes the cached queue.
type Backlog struct {
	// Open counts the open findings that are not silenced. The four usual ranks are present even with 0.
	Open map[Rank]int
	// OldestNew is the waiting time of the oldest unacknowledged critical finding, 0 without such a finding.
	OldestNew time.Duration
}

// ReadAt is when the queue was last read from ClickHouse, by the clock of the caller; zero before the first read.
func (s *Store) ReadAt() time.Time {
	s.cache.mu.RLock()
	defer s.cache.mu.RUnlock()
	return s.cache.readAt
}

// ReadUntil is the time of ClickHouse until which the queue has all changes; zero before the first read.
func (s *Store) ReadUntil() time.Time {
	s.cache.mu.RLock()
	defer s.cache.mu.RUnlock()
	return s.cache.mark
}

// Criticals counts the open critical findings of a scope. It reads memory only, no query is sent.
func (s *Store) Criticals(scope Scope) int { return s.CriticalsSince(scope, time.Time{}) }

// CriticalsSince counts the open critical findings of a scope that arrived after a time of ReadUntil. A finding that
// was visible only after that time counts, and so may one of the seconds before it. It reads memory only.
func (s *Store) CriticalsSince(scope Scope, after time.Time) (n int) {
	c := &s.cache
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, r := range c.rows {
		if r.Deleted == 0 && r.Severity == "critical" && scope.Has(r.PropertyID) &&
			(after.IsZero() || r.ArrivedAt.After(after.Add(-overlap))) {
			n++
		}
	}
	return n
}

// Backlog reads memory only, no query is sent. high is Filter.High.
func (s *Store) Backlog(now time.Time, high int64) Backlog {
	c, f := &s.cache, Filter{High: high}
	c.mu.RLock()
	defer c.mu.RUnlock()
	b := Backlog{
		Open: map[Rank]int{{1, "critical"}: 0, {2, "major"}: 0, {3, "minor"}: 0, {4, "info"}: 0},
	}
	server := c.server.Add(now.Sub(c.local))
	for _, r := range c.rows {
		if r.Deleted != 0 || c.silenced(r.OpenFinding, now) {
			continue
		}
		b.Open[Rank{f.urgency(r.OpenFinding), r.Severity}]++
		if r.Severity == "critical" && r.State == New {
			b.OldestNew = max(b.OldestNew, server.Sub(r.ArrivedAt))
		}
	}
	return b
}
