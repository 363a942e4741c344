package store

import (
	"context"
	"time"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
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
	Role        string    `ch:"role"`
	Who
	Link
}

// Who identifies a user or a program: the subject at an issuer, whatever its name. Columns of older rows are empty.
type Who struct {
	Issuer  string `ch:"issuer"`
	Subject string `ch:"subject"`
	Method  string `ch:"sign_in"`
	Session string `ch:"session"` // empty where each request is authenticated
	Program bool   `ch:"program"`
}

// Account names the account: an issuer gives one subject to one person or program.
func (w *Who) Account() string { return w.Issuer + " " + w.Subject }

// Untouched reports whether the cache knows that no one has acted on a finding. It knows the actions of other replicas
// after maxAge at most.
func (s *Store) Untouched(scope Scope, finding string) bool {
	r := s.cache.find(scope, finding, s.now())
	return r != nil && r.Version == 0
}

// Actions returns the actions on a finding, the first one first.
func (s *Store) Actions(ctx context.Context, scope Scope, finding string) ([]Action, error) {
	w := in(scope).equal("finding_id", finding)
	return s.actions(ctx, w, ` ORDER BY `+clickhouse.StepOrder+` LIMIT 1000`)
}

// ActionsSince returns all actions since a moment, the latest first.
func (s *Store) ActionsSince(ctx context.Context, scope Scope, since time.Time, n int) ([]Action, error) {
	return s.actions(ctx, in(scope).since("at", since), ` ORDER BY at DESC, finding_id, action = 'note', chain, link DESC`+limit(n))
}

func (s *Store) actions(ctx context.Context, w *where, order string) ([]Action, error) {
	return list[Action](ctx, s, "the actions of triage", `{{finding_actions}} WHERE `+w.String()+order, w)
}
