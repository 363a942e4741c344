package store

import (
	"context"
	"slices"
	"time"
)

// Action is one action of triage on one finding, as stored.
type Action struct {
	FindingID   string    `ch:"finding_id"`
	At          time.Time `ch:"at"`
	PropertyID  string    `ch:"property_id"`
	Actor       string    `ch:"actor"`
	Action      string    `ch:"action"`
	From        string    `ch:"from_state"`
	To          string    `ch:"to_state"`
	Disposition string    `ch:"disposition"`
	Reason      string    `ch:"reason"`
	Note        string    `ch:"note"`
}

// Actions returns the actions on a finding, the first one first.
func (s *Store) Actions(ctx context.Context, scope Scope, finding string) ([]Action, error) {
	w := in(scope).equal("finding_id", finding)
	return s.actions(ctx, w, ` ORDER BY at LIMIT 1000`)
}

// ActionsSince returns all actions since a moment, the latest first.
func (s *Store) ActionsSince(ctx context.Context, scope Scope, since time.Time, n int) ([]Action, error) {
	return s.actions(ctx, in(scope).since("at", since), ` ORDER BY at DESC, finding_id`+limit(n))
}

func (s *Store) actions(ctx context.Context, w *where, order string) ([]Action, error) {
	return list[Action](ctx, s, "the actions of triage", `{{finding_actions}} WHERE `+w.String()+order, w)
}

// Closed returns the closings before a moment of findings that are still closed, the latest first. next is the moment
// before which there may be more, zero at the end.
func (s *Store) Closed(
	ctx context.Context, scope Scope, before time.Time, n int,
) (closed []Action, next time.Time, err error) {
	var closings []Action
	// The range grows until it has enough rows, so that the projection by time reads little.
	for days := 1; len(closings) < limitOf(n) && days < 1<<14; days *= 16 {
		w := in(scope).and("to_state = 'closed' AND action != 'note'").
			since("at", before.AddDate(0, 0, -days)).before("at", before)
		if closings, err = s.actions(ctx, w, ` ORDER BY at DESC, finding_id`+limit(n)); err != nil {
			return nil, next, err
		}
	}
	if len(closings) == 0 {
		return nil, next, nil
	}
	oldest := closings[len(closings)-1].At
	if len(closings) == limitOf(n) {
		next = oldest
	}
	ids := make([]string, len(closings))
	for i := range closings {
		ids[i] = closings[i].FindingID
	}
	// Only reopening leaves the state closed, and reopenings are few.
	w := in(scope).and("action = 'reopen' AND at > fromUnixTimestamp64Nano({oldest:Int64})", "oldest", oldest.UnixNano()).
		and("finding_id IN {ids:Array(String)}", "ids", ids)
	reopened, err := s.actions(ctx, w, ` ORDER BY at DESC LIMIT 1 BY finding_id`)
	last := map[string]time.Time{}
	for i := range reopened {
		last[reopened[i].FindingID] = reopened[i].At
	}
	return slices.DeleteFunc(closings, func(a Action) bool { return last[a.FindingID].After(a.At) }), next, err
}
