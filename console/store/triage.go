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

// States are those of the queue, in the order of the work.
func States() []string {
	return []string{New, Acknowledged, InReview, Escalated, Closing, Reopened}
}

// Steps of triage.
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

// Dispositions are what a closed finding turned out to be.
func Dispositions() []string {
	return []string{
		"confirmed-dealer-error", "confirmed-patron-act", "equipment-fault", "data-fault", "rule-misconfiguration", "benign-variance", "duplicate",
	}
}

// ErrStep says that a step does not fit; the text says why.
var ErrStep = errors.New("this step is not possible")

// Step is one step of triage on some findings.
type Step struct {
	IDs   []string
	Actor string
	What  string
	// Owner is whom Assign gives them to.
	Owner                     string
	Disposition, Reason, Note string
}

// next is the state after a step. proposer is who asked to close what is closing.
func (p *Step) next(row *Waiting, proposer string) (state string, err error) {
	open := row.Deleted == 0
	refuse := func(why string) (string, error) {
		return "", fmt.Errorf("%w: %s of %s %s: %s", ErrStep, p.What, row.State, row.ID, why)
	}
	if !open && p.What != Reopen && p.What != Note {
		return refuse("it is closed")
	}
	if row.State == Closing && !slices.Contains([]string{Confirm, Reject, Note, Assign}, p.What) {
		return refuse("it waits for a second person to confirm or to reject")
	}
	switch p.What {
	case Acknowledge:
		if row.State != New && row.State != Reopened {
			return refuse("it is acknowledged already")
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
			return refuse("choose a disposition")
		}
		if strings.TrimSpace(p.Reason) == "" {
			return refuse("give a reason")
		}
		if row.Severity == "critical" {
			return Closing, nil
		}
		return Closed, nil
	case Confirm, Reject:
		switch {
		case row.State != Closing:
			return refuse("nobody asked to close it")
		case p.What == Reject:
			return InReview, nil
		case proposer == p.Actor:
			return refuse("whoever asked to close a critical finding cannot confirm it")
		}
		return Closed, nil
	case Reopen:
		if open {
			return refuse("it is open")
		}
		if strings.TrimSpace(p.Reason) == "" {
			return refuse("give a reason")
		}
		return Reopened, nil
	}
	return refuse("unknown step")
}

// Take takes a step on all its findings, or on none. The log is written first: what it says was done.
func (s *Store) Take(ctx context.Context, scope Scope, p Step) ([]Waiting, error) {
	if len(p.IDs) == 0 || len(p.IDs) > MostIDs {
		return nil, fmt.Errorf("%w: %d findings, want 1 to %d", ErrStep, len(p.IDs), MostIDs)
	}
	if n := len(p.Reason) + len(p.Note); n > 8000 {
		return nil, fmt.Errorf("%w: %d bytes of text, want up to 8000", ErrStep, n)
	}
	rows, err := s.rows(ctx, scope, p.IDs)
	if err != nil {
		return nil, err
	}
	if len(rows) != len(p.IDs) {
		return nil, fmt.Errorf("triage of %d findings, of which the queue has %d: %w", len(p.IDs), len(rows), ErrNone)
	}
	proposals, err := s.proposals(ctx, scope, rows)
	if err != nil {
		return nil, err
	}
	now := s.now().UTC()
	actions := make([]Action, len(rows))
	for i := range rows {
		row := &rows[i]
		proposal := proposals[row.ID]
		state, err := p.next(row, proposal.Actor)
		if err != nil {
			return nil, err
		}
		a := &actions[i]
		*a = Action{
			FindingID: row.ID, At: now.Add(time.Duration(i)), PropertyID: row.PropertyID, Actor: p.Actor, Action: p.What, From: row.State, To: state,
			Disposition: p.Disposition, Reason: p.Reason, Note: p.Note,
		}
		switch {
		case p.What == Confirm:
			a.Disposition = proposal.Disposition
		case p.What == Assign:
			row.Owner, a.Note = p.Owner, p.Owner
		case row.Owner == "" && p.What != Note:
			row.Owner = p.Actor
		}
		row.State = state
		row.Deleted = 0
		if state == Closed {
			row.Deleted = 1
		}
		row.Version = max(uint64(now.UnixNano()), row.Version+1)
	}
	if err := write(ctx, s, "the steps of triage", "finding_actions", actions); err != nil {
		return nil, err
	}
	if p.What == Note {
		return rows, nil
	}
	if err := write(ctx, s, "the queue", "open_findings", rows); err != nil {
		return nil, err
	}
	s.open.mu.Lock()
	defer s.open.mu.Unlock()
	s.open.take(slices.Clone(rows), now)
	return rows, nil
}

// proposals are the requests to close that wait for a second person.
func (s *Store) proposals(ctx context.Context, scope Scope, rows []Waiting) (map[string]Action, error) {
	var ids []string
	for i := range rows {
		if rows[i].State == Closing {
			ids = append(ids, rows[i].ID)
		}
	}
	found := map[string]Action{}
	if len(ids) == 0 {
		return found, nil
	}
	w := in(scope).and("finding_id IN {ids:Array(String)}", "ids", ids)
	actions, err := read[Action](ctx, s, "requests to close", `SELECT `+columns[Action]()+` FROM {{finding_actions}} WHERE `+w.String()+
		` AND action = 'close' ORDER BY at DESC LIMIT 1 BY finding_id`, w)
	for _, a := range actions {
		found[a.FindingID] = a
	}
	return found, err
}
