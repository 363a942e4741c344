package store

import (
	"context"
	"fmt"
	"time"
)

// Shelf keeps a rule out of the queue for a while, at one table or at all.
type Shelf struct {
	PropertyID string    `ch:"property_id"`
	ID         string    `ch:"id"`
	Rule       string    `ch:"rule"`
	TableID    string    `ch:"table_id"`
	Reason     string    `ch:"reason"`
	Actor      string    `ch:"actor"`
	At         time.Time `ch:"at"`
	Until      time.Time `ch:"until"`
	LiftedBy   string    `ch:"lifted_by"`
	Version    uint64    `ch:"version"`
}

// LongestShelf is how long anything may be shelved.
const LongestShelf = 24 * time.Hour

// Shelves are the shelves in force and those of the last week, the latest first.
func (s *Store) Shelves(ctx context.Context, scope Scope) ([]Shelf, error) {
	w := in(scope).and("at > fromUnixTimestamp64Nano({since:Int64})", "since", s.now().AddDate(0, 0, -7).UnixNano())
	return read[Shelf](ctx, s, "shelves", `SELECT `+columns[Shelf]()+` FROM {{shelves}} FINAL WHERE `+w.String()+` ORDER BY at DESC LIMIT 500`, w)
}

// inForce are the shelves that nobody lifted and that have not run out.
func (s *Store) inForce(ctx context.Context) ([]Shelf, error) {
	w := (&where{}).and("until > fromUnixTimestamp64Nano({now:Int64}) AND lifted_by = ''", "now", s.now().UnixNano())
	return read[Shelf](ctx, s, "shelves", `SELECT `+columns[Shelf]()+` FROM {{shelves}} FINAL WHERE `+w.String()+` ORDER BY property_id, id LIMIT 5000`, w)
}

// InForce says whether a shelf hides anything at a moment.
func (x *Shelf) InForce(now time.Time) bool { return x.LiftedBy == "" && x.Until.After(now) }

// Shelve writes a shelf.
func (s *Store) Shelve(ctx context.Context, x Shelf) error {
	if d := x.Until.Sub(x.At); d <= 0 || d > LongestShelf {
		return fmt.Errorf("shelve %s for %v, want up to %v", x.Rule, d, LongestShelf)
	}
	x.Version = uint64(s.now().UnixNano())
	if err := write(ctx, s, "a shelf", "shelves", []Shelf{x}); err != nil {
		return err
	}
	return s.Refresh(ctx)
}

// Handover is a shift handed over.
type Handover struct {
	PropertyID string    `ch:"property_id"`
	At         time.Time `ch:"at"`
	GamingDay  time.Time `ch:"gaming_day"`
	Shift      string    `ch:"shift"`
	Actor      string    `ch:"actor"`
	Note       string    `ch:"note"`
	Open       uint32    `ch:"open"`
	Critical   uint32    `ch:"critical"`
	Unowned    uint32    `ch:"unowned"`
}

// Handovers are the latest hand-overs.
func (s *Store) Handovers(ctx context.Context, scope Scope) ([]Handover, error) {
	w := in(scope)
	return read[Handover](ctx, s, "hand-overs", `SELECT `+columns[Handover]()+` FROM {{handovers}} WHERE `+w.String()+` ORDER BY at DESC LIMIT 30`, w)
}

// HandOver writes a hand-over.
func (s *Store) HandOver(ctx context.Context, h Handover) error {
	return write(ctx, s, "a hand-over", "handovers", []Handover{h})
}

// Entry is one line of the console's log.
type Entry struct {
	PropertyID string    `ch:"property_id"`
	At         time.Time `ch:"at"`
	Actor      string    `ch:"actor"`
	Role       string    `ch:"role"`
	Action     string    `ch:"action"`
	Object     string    `ch:"object"`
	Detail     string    `ch:"detail"`
	Remote     string    `ch:"remote"`
}

// Log writes a line of the console's log.
func (s *Store) Log(ctx context.Context, e Entry) error {
	return write(ctx, s, "the console's log", "console_log", []Entry{e})
}

// Entries are the latest lines of the log, of an actor if one is named.
func (s *Store) Entries(ctx context.Context, scope Scope, actor, action string) ([]Entry, error) {
	w := in(scope).equal("actor", actor).equal("action", action)
	return read[Entry](ctx, s, "the console's log", `SELECT `+columns[Entry]()+` FROM {{console_log}} WHERE `+w.String()+` ORDER BY at DESC LIMIT 500`, w)
}

// Slot is what came in ten minutes.
type Slot struct {
	At       time.Time `ch:"slot"`
	Alarms   uint64    `ch:"alarms"`
	Critical uint64    `ch:"critical"`
	Major    uint64    `ch:"major"`
}

// AlarmRate is what arrived in the queue, by ten minutes of our clock. A row is changed when it arrives or later, and the index
// by change leaves out what is older.
func (s *Store) AlarmRate(ctx context.Context, scope Scope, since time.Time) ([]Slot, error) {
	w := in(scope).and("changed_at >= fromUnixTimestamp64Nano({since:Int64}) AND severity != 'info'", "since", since.UnixNano())
	return read[Slot](ctx, s, "the alarm rate", `SELECT toStartOfInterval(arrived, INTERVAL 10 MINUTE) AS slot, count() AS alarms, countIf(worst = 'critical') AS critical,
		countIf(worst = 'major') AS major FROM (SELECT o.id AS id, any(o.severity) AS worst, min(o.arrived_at) AS arrived FROM {{open_findings}} AS o
		WHERE `+w.String()+` GROUP BY o.id HAVING arrived >= fromUnixTimestamp64Nano({since:Int64})) GROUP BY slot ORDER BY slot LIMIT 1000`, w)
}

// Answer is how long a severity waited for the first person, in seconds of our clock.
type Answer struct {
	Severity string  `ch:"severity"`
	Findings uint64  `ch:"findings"`
	Median   float64 `ch:"median"`
	P95      float64 `ch:"p95"`
}

// Answers is how long findings waited that came and were touched since a moment.
func (s *Store) Answers(ctx context.Context, scope Scope, since time.Time) ([]Answer, error) {
	w := in(scope).with("since", since.UnixNano())
	return read[Answer](ctx, s, "the time to the first step", `SELECT o.severity AS severity, count() AS findings,
		quantile(0.5)(greatest(0, dateDiff('millisecond', o.arrived, a.first_at)) / 1000) AS median, quantile(0.95)(greatest(0, dateDiff('millisecond', o.arrived, a.first_at)) / 1000) AS p95
	FROM (SELECT finding_id, min(at) AS first_at FROM {{finding_actions}} WHERE at >= fromUnixTimestamp64Nano({since:Int64}) AND `+w.String()+` GROUP BY finding_id) AS a
	INNER JOIN (SELECT id, any(severity) AS severity, min(arrived_at) AS arrived FROM {{open_findings}}
		WHERE changed_at >= fromUnixTimestamp64Nano({since:Int64}) AND arrived_at >= fromUnixTimestamp64Nano({since:Int64}) AND `+w.String()+` GROUP BY id) AS o ON o.id = a.finding_id
	GROUP BY severity ORDER BY severity LIMIT 10`, w)
}

// Noise is a rule, how often it was found, and what people said of it.
type Noise struct {
	Rule   string `ch:"rule"`
	Found  uint64 `ch:"found"`
	Closed uint64 `ch:"closed"`
	Wrong  uint64 `ch:"wrong"` // closed as a fault of equipment, of data or of the rule, or as nothing
}

// Noisy are the rules that were found most since a moment.
func (s *Store) Noisy(ctx context.Context, scope Scope, since time.Time) ([]Noise, error) {
	w := in(scope).with("since", since.UnixNano())
	return read[Noise](ctx, s, "noisy rules", `SELECT o.rule AS rule, count() AS found, countIf(a.disposition != '') AS closed,
		countIf(a.disposition IN ('equipment-fault', 'data-fault', 'rule-misconfiguration', 'benign-variance', 'duplicate')) AS wrong
	FROM (SELECT id, any(rule) AS rule FROM {{open_findings}} WHERE changed_at >= fromUnixTimestamp64Nano({since:Int64})
		AND arrived_at >= fromUnixTimestamp64Nano({since:Int64}) AND `+w.String()+` GROUP BY id) AS o
	LEFT JOIN (SELECT finding_id, argMax(if(to_state = 'closed', disposition, ''), at) AS disposition FROM {{finding_actions}}
		WHERE at >= fromUnixTimestamp64Nano({since:Int64}) AND `+w.String()+` GROUP BY finding_id) AS a
	ON o.id = a.finding_id GROUP BY rule ORDER BY found DESC, rule LIMIT 20`, w)
}

// Properties are those that have a table, and are in scope.
func (s *Store) Properties(ctx context.Context, scope Scope) ([]string, error) {
	type row struct {
		Name string `ch:"property_id"`
	}
	w := in(scope)
	rows, err := read[row](ctx, s, "properties", "SELECT DISTINCT property_id FROM {{feeds}} WHERE "+w.String()+" ORDER BY property_id LIMIT 1000", w)
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].Name
	}
	return names, err
}
