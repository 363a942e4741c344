package store

import (
	"context"
	"time"
)

// Handover is the hand-over of a shift, or the acceptance of one by the incoming person.
type Handover struct {
	PropertyID string    `ch:"property_id"`
	At         time.Time `ch:"at"`
	GamingDay  time.Time `ch:"gaming_day"`
	Shift      string    `ch:"shift"`
	Actor      string    `ch:"actor"`
	Note       string    `ch:"note"`
	Open       uint32    `ch:"open"`
	Critical   uint32    `ch:"critical"`
	Unassigned uint32    `ch:"unowned"`
	ID         string    `ch:"id"` // empty in rows of older releases
	Action     string    `ch:"action"`
	Issuer     string    `ch:"issuer"`
	Subject    string    `ch:"subject"`
}

// Accepted is the action of a row that accepts a hand-over.
const Accepted = "accept"

// SignedHandover is a hand-over with what was handed over, as JSON.
type SignedHandover struct {
	Handover
	Snapshot string `ch:"snapshot"`
}

// Handovers returns the latest hand-overs and acceptances, the latest first.
func (s *Store) Handovers(ctx context.Context, scope Scope) ([]Handover, error) {
	w := in(scope)
	return list[Handover](ctx, s, "hand-overs", `{{handovers}} WHERE `+w.String()+` ORDER BY at DESC LIMIT 60`, w)
}

// Handover returns a hand-over and its acceptances, in order.
func (s *Store) Handover(ctx context.Context, scope Scope, property, id string) ([]SignedHandover, error) {
	w := in(scope).and("property_id = {property_id:String} AND id = {id:String} AND id != ''",
		"property_id", property, "id", id)
	return list[SignedHandover](ctx, s, "a hand-over", `{{handovers}} WHERE `+w.String()+` ORDER BY at LIMIT 10`, w)
}

// HandOver stores a hand-over, or the acceptance of one.
func (s *Store) HandOver(ctx context.Context, h SignedHandover) error {
	return write(ctx, s, "a hand-over", "handovers", []SignedHandover{h})
}

// Entry is a line of the console log.
type Entry struct {
	PropertyID string    `ch:"property_id"`
	At         time.Time `ch:"at"`
	Actor      string    `ch:"actor"`
	Role       string    `ch:"role"`
	Action     string    `ch:"action"`
	Object     string    `ch:"object"`
	Detail     string    `ch:"detail"`
	Remote     string    `ch:"remote"`
	Who
	Link
}

// Log appends to the console log.
func (s *Store) Log(ctx context.Context, entries ...Entry) error {
	return s.record(ctx, nil, entries)
}

// Entries returns the latest lines of the console log; actor and action narrow the list.
func (s *Store) Entries(ctx context.Context, scope Scope, actor, action string) ([]Entry, error) {
	w := in(scope).equal("actor", actor).equal("action", action)
	return list[Entry](ctx, s, "the console log", `{{console_log}} WHERE `+w.String()+` ORDER BY at DESC LIMIT 500`, w)
}

// Actions of the console log about the notification of a finding: the object is the finding, the detail the channel.
const (
	Notified     = "notified"
	NotNotified  = "notify-failed"
	NotifyBegins = "notify-begin" // no finding that arrived before is notified
)

// Notices returns the lines of the console log about notifications since a moment, the first one first.
func (s *Store) Notices(ctx context.Context, since time.Time) ([]Entry, error) {
	w := (&where{}).since("at", since).and("action IN {actions:Array(String)}", "actions",
		[]string{Notified, NotNotified, NotifyBegins})
	return list[Entry](ctx, s, "the console log", `{{console_log}} WHERE `+w.String()+` ORDER BY at LIMIT 20000`, w)
}

// Properties returns the names of the properties in scope that have a table.
func (s *Store) Properties(ctx context.Context, scope Scope) ([]string, error) {
	w := in(scope)
	return s.names(ctx, "properties",
		"SELECT DISTINCT property_id AS name FROM {{feeds}} WHERE "+w.String()+" ORDER BY name LIMIT 1000", w)
}

// names reads a query of one column, name.
func (s *Store) names(ctx context.Context, what, query string, w *where) ([]string, error) {
	type row struct {
		Name string `ch:"name"`
	}
	rows, err := read[row](ctx, s, what, query, w)
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].Name
	}
	return names, err
}
