package store

import (
	"context"
	"fmt"
	"time"
)

// Silence hides the findings of a rule from the queue for a limited time, at one table or at all. Its table in
// ClickHouse has the older name shelves.
type Silence struct {
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

// MaxSilence is the maximum duration of a silence.
const MaxSilence = 24 * time.Hour

// Silences returns the silences of the last week, the latest first. Those in force are among them.
func (s *Store) Silences(ctx context.Context, scope Scope) ([]Silence, error) {
	w := in(scope).since("at", s.now().AddDate(0, 0, -7))
	return s.silences(ctx, w, ` ORDER BY at DESC, property_id, id LIMIT 500`)
}

// inForce returns the silences that are neither lifted nor expired.
func (s *Store) inForce(ctx context.Context) ([]Silence, error) {
	w := (&where{}).and("until > fromUnixTimestamp64Nano({now:Int64}) AND lifted_by = ''", "now", s.now().UnixNano())
	return s.silences(ctx, w, ` ORDER BY property_id, id LIMIT 5000`)
}

func (s *Store) silences(ctx context.Context, w *where, order string) ([]Silence, error) {
	return list[Silence](ctx, s, "silences", `{{shelves}} FINAL WHERE `+w.String()+order, w)
}

// InForce reports whether a silence has an effect at a moment.
func (x *Silence) InForce(now time.Time) bool { return x.LiftedBy == "" && x.Until.After(now) }

// WriteSilence stores a silence, or a new version of it, and refreshes the queue.
func (s *Store) WriteSilence(ctx context.Context, x Silence) error {
	if d := x.Until.Sub(x.At); d <= 0 || d > MaxSilence {
		return fmt.Errorf("silence %s for %v: want a duration of up to %v", x.Rule, d, MaxSilence)
	}
	x.Version = uint64(s.now().UnixNano())
	if err := write(ctx, s, "a silence", "shelves", []Silence{x}); err != nil {
		return err
	}
	return s.Refresh(ctx)
}
