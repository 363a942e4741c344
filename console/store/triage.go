package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
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
	// Withdrawn is the state of a finding that a nightly run does not find. No action leads there, and none is possible.
	Withdrawn = "withdrawn"
)

// States returns all states.
func States() []string {
	return []string{New, Acknowledged, InReview, Escalated, Closing, Closed, Reopened}
}

// Actions of triage. Undo is possible for UndoFor.
const (
	Acknowledge = rows.Acknowledge
	Review      = rows.Review
	Assign      = rows.Assign
	Escalate    = rows.Escalate
	Note        = rows.Note
	Close       = rows.Close
	Confirm     = rows.Confirm
	Reject      = rows.Reject
	Reopen      = rows.Reopen
	Undo        = rows.Undo
)

// Dispositions returns the possible results of closing a finding.
func Dispositions() []string {
	return []string{
		"confirmed-dealer-error", "confirmed-patron-act", "equipment-fault", "data-fault", "rule-misconfiguration",
		"benign-variance", "duplicate",
	}
}

// UndoFor is how long an action can be undone.
const UndoFor = time.Minute

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
	// Log is the line of the console log for each finding, without its object and property; nil writes none. The lines
	// and the actions are stored in one write.
	Log *Entry
	// Some applies the action to the findings that allow it, and returns the others as refused.
	Some bool
}

// Outcome is the result of an action of triage: the changed rows, and the reason for each finding that refused it.
type Outcome struct {
	Rows    []OpenFinding
	Refused []error
}

// next returns the state after the action. before is the action that it depends on.
func (p *Triage) next(row *OpenFinding, before past) (state string, err error) {
	open := row.Deleted == 0
	refuse := func(why string) (string, error) {
		return "", p.refusal(row, why)
	}
	switch {
	case row.State == Withdrawn:
		return refuse("a nightly run withdrew the finding")
	case !open && p.Action != Reopen && p.Action != Note:
		return refuse("the finding is closed")
	case row.State == Closing && !slices.Contains([]string{Confirm, Reject, Note, Assign}, p.Action):
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
	case Undo:
		if why := p.undone(row, &before.last); why != "" {
			return refuse(why)
		}
		return before.last.From, nil
	case Close:
		switch {
		case !slices.Contains(Dispositions(), p.Disposition):
			return refuse("a disposition is required")
		case strings.TrimSpace(p.Reason) == "":
			return refuse("a reason is required")
		}
		return closes(row), nil
	case Confirm, Reject:
		switch {
		case row.State != Closing:
			return refuse("there is no request to close")
		case p.Action == Reject:
			return InReview, nil
		case p.Second == nil:
			return refuse("a second person must confirm the closing of a critical finding")
		}
		if err := p.Second(before.last.Who); err != nil {
			return refuse(err.Error())
		}
		return Closed, nil
	case Reopen:
		switch {
		case open:
			return refuse("the finding is open")
		case strings.TrimSpace(p.Reason) == "":
			return refuse("a reason is required")
		}
		return Reopened, nil
	}
	return refuse("unknown action")
}

func (p *Triage) refusal(row *OpenFinding, why string) error {
	return fmt.Errorf("%w: %s of %s at %s (finding %.8s, %s): %s", ErrTransition, p.Action, row.Rule, row.TableID,
		row.ID, row.State, why)
}

// closes is the state after a request to close: a critical finding awaits a second person.
func closes(row *OpenFinding) string {
	if row.Severity == "critical" {
		return Closing
	}
	return Closed
}

// undone returns the reason why the last action on a finding cannot be undone, empty if it can.
func (p *Triage) undone(row *OpenFinding, last *Action) string {
	switch {
	case !rows.IsUndoable(last.Action) || last.Issuer != p.Who.Issuer || last.Subject != p.Who.Subject ||
		last.Actor != p.Actor || last.To != row.State:
		return "the last action is not yours, or cannot be undone"
	case uint64(last.At.Add(UndoFor).UnixNano()) < row.Version:
		return "an action can be undone for a minute"
	}
	return ""
}

// Apply applies an action to all its findings, or to none.
func (s *Store) Apply(ctx context.Context, scope Scope, p Triage) ([]OpenFinding, error) {
	p.Some = false
	out, err := s.ApplyEach(ctx, scope, p)
	return out.Rows, err
}

// ApplyEach applies an action to its findings; unless p.Some, to all or to none. The action is stored before the queue
// changes, so the queue never shows a state without a record of how it came about.
func (s *Store) ApplyEach(ctx context.Context, scope Scope, p Triage) (out Outcome, err error) {
	if len(p.IDs) == 0 || len(p.IDs) > MaxIDs {
		return out, fmt.Errorf("%w: %d findings, want 1 to %d", ErrTransition, len(p.IDs), MaxIDs)
	}
	if n := len(p.Reason) + len(p.Note); n > 8000 {
		return out, fmt.Errorf("%w: %d bytes of text, want at most 8000", ErrTransition, n)
	}
	// Two users who act on one finding at the same time act one after the other, also at two consoles: the second sees
	// what the first did.
	s.triage.Lock()
	defer s.triage.Unlock()
	err = s.Locked(ctx, TriageLease, rand.Text(), TriageWait, func() error {
		out, err = s.applyEach(ctx, scope, &p)
		return err
	})
	if errors.Is(err, clickhouse.ErrHeld) {
		err = fmt.Errorf("%w: another console acts on findings at this moment; try again", ErrTransition)
	}
	return out, err
}

// TriageLease is the lease of who changes states of findings, TriageWait how long an action waits for another one.
const (
	TriageLease = "triage"
	TriageWait  = 5 * time.Second
)

func (s *Store) applyEach(ctx context.Context, scope Scope, p *Triage) (out Outcome, err error) {
	rows, err := s.queueRows(ctx, in(scope), p.IDs)
	if err != nil {
		return out, err
	}
	if len(rows) != len(p.IDs) {
		return out, fmt.Errorf("triage of %s, %d of them in the queue: %w", schema.Count(len(p.IDs), "finding"),
			len(rows), ErrNotFound)
	}
	before, err := s.before(ctx, scope, p, rows)
	if err != nil {
		return out, err
	}
	now := s.now().UTC()
	var actions []Action
	var entries []Entry
	for i := range rows {
		row := &rows[i]
		// Later than the action before, whatever the clocks of replicas: the last request to close is the one in force.
		row.Version = max(uint64(now.UnixNano())+uint64(i), row.Version+1)
		a, err := p.apply(row, before[row.ID], time.Unix(0, int64(row.Version)).UTC())
		if err != nil {
			if !p.Some {
				return Outcome{}, err
			}
			out.Refused = append(out.Refused, err)
			continue
		}
		out.Rows, actions = append(out.Rows, *row), append(actions, a)
		if p.Log != nil {
			e := *p.Log
			e.PropertyID, e.Object = row.PropertyID, row.ID
			entries = append(entries, e)
		}
	}
	if len(actions) == 0 {
		return out, nil
	}
	if err := s.record(ctx, actions, entries); err != nil {
		return Outcome{}, err
	}
	if p.Action == Note {
		return out, nil
	}
	// What is recorded is done, even if the request ends meanwhile.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTimeout)
	defer cancel()
	if err := write(ctx, s, "the queue", "open_findings", out.Rows); err != nil {
		return Outcome{}, err
	}
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.merge(slices.Clone(out.Rows), now)
	return out, nil
}

// apply changes a row and returns the record of the change.
func (p *Triage) apply(row *OpenFinding, before past, at time.Time) (Action, error) {
	state, err := p.next(row, before)
	if err != nil {
		return Action{}, err
	}
	a := Action{
		FindingID: row.ID, At: at, PropertyID: row.PropertyID, Actor: p.Actor, Action: p.Action,
		From: row.State, To: state, Disposition: p.Disposition, Reason: p.Reason, Note: p.Note,
		Role: p.Role, Who: p.Who,
	}
	switch {
	case p.Action == Undo:
		row.Owner, a.Note = before.owner, before.last.Action
	case p.Action == Confirm:
		a.Disposition = before.last.Disposition
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

// past is what an action depends on: the request to close that awaits confirmation, or the action to undo and the owner
// before it.
type past struct {
	last  Action
	owner string
}

// before returns the past of the rows that an action depends on, by finding id.
func (s *Store) before(ctx context.Context, scope Scope, p *Triage, rows []OpenFinding) (map[string]past, error) {
	var ids []string
	for i := range rows {
		if rows[i].State == Closing || p.Action == Undo {
			ids = append(ids, rows[i].ID)
		}
	}
	if p.Action == Undo {
		w := in(scope).and("finding_id IN {ids:Array(String)}", "ids", ids)
		actions, err := s.actions(ctx, w, ` ORDER BY finding_id, `+clickhouse.StepOrder+` LIMIT 200 BY finding_id LIMIT 20000`)
		return undoable(actions), err
	}
	requests, err := s.requests(ctx, scope, ids)
	found := map[string]past{}
	for id, a := range requests {
		found[id] = past{last: a}
	}
	return found, err
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

// undoable returns the last action on each finding, without notes, and the owner before it. An action that was undone
// does not count.
func undoable(actions []Action) map[string]past {
	history := map[string][]past{}
	owner := map[string]string{}
	for _, a := range actions {
		h := history[a.FindingID]
		switch {
		case a.Action == Note:
			continue
		case a.Action == Undo && len(h) > 0:
			owner[a.FindingID] = h[len(h)-1].owner
			h = append(h[:len(h)-1], past{last: a}) // an undone action is not undone again
		default:
			h = append(h, past{a, owner[a.FindingID]})
			if a.Action == Assign {
				owner[a.FindingID] = a.Note
			} else if owner[a.FindingID] == "" {
				owner[a.FindingID] = a.Actor
			}
		}
		history[a.FindingID] = h
	}
	last := map[string]past{}
	for id, h := range history {
		last[id] = h[len(h)-1]
	}
	return last
}
