package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// States of a finding.
const (
	New          = "new"
	Acknowledged = "acknowledged"
	InReview     = "in_review"
	Escalated    = "escalated"
	Closing      = "closing" // a second person must confirm
	Closed       = "closed"
	Reopened     = "reopened"
)

// States returns all states.
func States() []string {
	return []string{New, Acknowledged, InReview, Escalated, Closing, Closed, Reopened}
}

// Actions of triage.
const (
	Acknowledge = "acknowledge"
	Review      = "review"
	Assign      = "assign"
	Escalate    = "escalate"
	Note        = "note"
	Close       = "close"
	Confirm     = "confirm"
	Reject      = "reject"
	Reopen      = "reopen"
)

// Dispositions returns the possible results of closing a finding.
func Dispositions() []string {
	return []string{
		"confirmed-dealer-error", "confirmed-patron-act", "equipment-fault", "data-fault", "rule-misconfiguration",
		"benign-variance", "duplicate",
	}
}

// ErrTransition reports an action that the state of a finding does not allow; the text has the reason.
var ErrTransition = errors.New("action not possible")

// Triage is one action of triage on one or more findings.
type Triage struct {
	IDs    []string
	Actor  string // name, for people to read
	Who    Who
	Role   string
	Action string
	// Second returns an error unless a closing that another user requested may be confirmed by Who.
	Second func(requester Who) error
	// Owner is the new owner, for Assign.
	Owner                     string
	Disposition, Reason, Note string
}

// next returns the state after the action. requester is the user of the Close that awaits confirmation.
func (p *Triage) next(row *OpenFinding, requester Who) (state string, err error) {
	open := row.Deleted == 0
	refuse := func(why string) (string, error) {
		return "", fmt.Errorf("%w: %s of %s %s: %s", ErrTransition, p.Action, row.State, row.ID, why)
	}
	if !open && p.Action != Reopen && p.Action != Note {
		return refuse("the finding is closed")
	}
	if row.State == Closing && !slices.Contains([]string{Confirm, Reject, Note, Assign}, p.Action) {
		return refuse("the finding awaits a second person to confirm or reject")
	}
	switch p.Action {
	case Acknowledge:
		if row.State != New && row.State != Reopened {
			return refuse("the finding is already acknowledged")
		}
		return Acknowledged, nil
	case Review:
		return InReview, nil
	case Escalate:
		return Escalated, nil
	case Assign, Note:
		return row.State, nil
	case Close:
		if !slices.Contains(Dispositions(), p.Disposition) {
			return refuse("a disposition is required")
		}
		if strings.TrimSpace(p.Reason) == "" {
			return refuse("a reason is required")
		}
		if row.Severity == "critical" {
			return Closing, nil
		}
		return Closed, nil
	case Confirm, Reject:
		switch {
		case row.State != Closing:
			return refuse("there is no request to close")
		case p.Action == Reject:
			return InReview, nil
		case p.Second == nil:
			return refuse("a second person must confirm the closing of a critical finding")
		}
		if err := p.Second(requester); err != nil {
			return refuse(err.Error())
		}
		return Closed, nil
	case Reopen:
		if open {
			return refuse("the finding is open")
		}
		if strings.TrimSpace(p.Reason) == "" {
			return refuse("a reason is required")
		}
		return Reopened, nil
	}
	return refuse("unknown action")
}

// Apply applies an action to all its findings, or to none. The action is stored before the queue changes, so the queue
// never shows a state without a record of how it came about.
func (s *Store) Apply(ctx context.Context, scope Scope, p Triage) ([]OpenFinding, error) {
	if len(p.IDs) == 0 || len(p.IDs) > maxIDs {
		return nil, fmt.Errorf("%w: %d findings, want 1 to %d", ErrTransition, len(p.IDs), maxIDs)
	}
	if n := len(p.Reason) + len(p.Note); n > 8000 {
		return nil, fmt.Errorf("%w: %d bytes of text, want at most 8000", ErrTransition, n)
	}
	rows, err := s.queueRows(ctx, scope, p.IDs)
	if err != nil {
		return nil, err
	}
	if len(rows) != len(p.IDs) {
		return nil, fmt.Errorf("triage of %d findings, %d of them in the queue: %w", len(p.IDs), len(rows), ErrNotFound)
	}
	var closing []string
	for i := range rows {
		if rows[i].State == Closing {
			closing = append(closing, rows[i].ID)
		}
	}
	proposals, err := s.requests(ctx, scope, closing)
	if err != nil {
		return nil, err
	}
	now := s.now().UTC()
	actions := make([]Action, len(rows))
	for i := range rows {
		row := &rows[i]
		// Later than the action before, whatever the clocks of replicas: the last request to close is the one in force.
		row.Version = max(uint64(now.UnixNano())+uint64(i), row.Version+1)
		if actions[i], err = p.apply(row, proposals[row.ID], time.Unix(0, int64(row.Version)).UTC()); err != nil {
			return nil, err
		}
	}
	if err := s.record(ctx, actions, nil); err != nil {
		return nil, err
	}
	if p.Action == Note {
		return rows, nil
	}
	if err := write(ctx, s, "the queue", "open_findings", rows); err != nil {
		return nil, err
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.merge(slices.Clone(rows), now)
	return rows, nil
}

// apply changes a row and returns the record of the change.
func (p *Triage) apply(row *OpenFinding, proposal Action, at time.Time) (Action, error) {
	state, err := p.next(row, proposal.Who)
	if err != nil {
		return Action{}, err
	}
	a := Action{
		FindingID: row.ID, At: at, PropertyID: row.PropertyID, Actor: p.Actor, Action: p.Action,
		From: row.State, To: state, Disposition: p.Disposition, Reason: p.Reason, Note: p.Note,
		Role: p.Role, Who: p.Who,
	}
	switch {
	case p.Action == Confirm:
		a.Disposition = proposal.Disposition
	case p.Action == Assign:
		row.Owner, a.Note = p.Owner, p.Owner
	case row.Owner == "" && p.Action != Note:
		row.Owner = p.Actor
	}
	row.State, row.Deleted = state, 0
	if state == Closed {
		row.Deleted = 1
	}
	return a, nil
}

// requests returns the last request to close each finding, by finding id.
func (s *Store) requests(ctx context.Context, scope Scope, ids []string) (map[string]Action, error) {
	found := map[string]Action{}
	if len(ids) == 0 {
		return found, nil
	}
	w := in(scope).and("finding_id IN {ids:Array(String)} AND action = 'close'", "ids", ids)
	actions, err := s.actions(ctx, w, ` ORDER BY at DESC LIMIT 1 BY finding_id`)
	for _, a := range actions {
		found[a.FindingID] = a
	}
	return found, err
}
