package store

import (
	"context"
	"time"
)

// Handover is the hand-over of a shift.
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
}

// Handovers returns the latest hand-overs.
func (s *Store) Handovers(ctx context.Context, scope Scope) ([]Handover, error) {
	w := in(scope)
	return list[Handover](ctx, s, "hand-overs", `{{handovers}} WHERE `+w.String()+` ORDER BY at DESC LIMIT 30`, w)
}

// HandOver stores a hand-over.
func (s *Store) HandOver(ctx context.Context, h Handover) error {
	return write(ctx, s, "a hand-over", "handovers", []Handover{h})
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

// Properties returns the names of the properties in scope that have a table.
func (s *Store) Properties(ctx context.Context, scope Scope) ([]string, error) {
	type row struct {
		Name string `ch:"property_id"`
	}
	w := in(scope)
	rows, err := read[row](ctx, s, "properties",
		"SELECT DISTINCT property_id FROM {{feeds}} WHERE "+w.String()+" ORDER BY property_id LIMIT 1000", w)
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].Name
	}
	return names, err
}
