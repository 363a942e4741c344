package nightly

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/coverage"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// recordsClause is the citation of a record of the console that does not follow from the others.
const recordsClause = "nightly audit, records of the console"

// maxRecordFindings bounds the findings of a night about records. The last one has the number of the others.
const maxRecordFindings = 50

// records proves what people did: the chains of triage and of the console log are whole, each action of triage is in
// the log, was permitted to its role and follows the one before, and each row of the queue follows from the actions.
func (r *run) records(ctx context.Context, w window, night *Night) (found []finding.Finding, err error) {
	properties := [...]string{"", r.Property}
	var chains [len(properties)]clickhouse.Chains
	var journal, wrong, queue, owned []string
	group, of := errgroup.WithContext(ctx) // they only read, and wait for the database
	for i, property := range properties {
		group.Go(func() (err error) {
			chains[i], err = r.store.ProveChains(of, property, clickhouse.ChainCheck{})
			return err
		})
	}
	group.Go(func() (err error) {
		journal, err = r.journal(of, w, night)
		return err
	})
	group.Go(func() (err error) {
		wrong, owned, err = r.steps(of)
		return err
	})
	group.Go(func() (err error) {
		queue, err = r.store.ProveQueue(of, r.Property)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var problems, trusted []string
	for i := range chains {
		problems, trusted = append(problems, chains[i].Problems...), append(trusted, chains[i].Trusted...)
	}
	night.Trusted = append(trusted, night.Trusted...)
	problems = slices.Concat(problems, journal, wrong, queue, owned)
	for i, p := range problems {
		if i == maxRecordFindings-1 && len(problems) > maxRecordFindings {
			p = fmt.Sprintf("%d more", len(problems)-i)
		}
		found = append(found, r.recordFinding(w, p))
		if len(found) == maxRecordFindings {
			break
		}
	}
	night.Records = problems
	return found, nil
}

// steps names the actions of triage that are wrong, and the findings whose owner in the queue does not follow from
// them.
func (r *run) steps(ctx context.Context) (wrong, owned []string, err error) {
	owners := map[string]string{}
	err = r.store.StepsByFinding(ctx, r.Property, func(of []rows.Step) {
		wrong = append(wrong, r.wrongSteps(of)...)
		owners[of[0].FindingID] = ownerAfter(of)
	})
	if err != nil {
		return nil, nil, err
	}
	err = r.store.QueueOwners(ctx, r.Property, func(id, owner string) {
		if due, acted := owners[id]; owner != due && (acted || owner != "") {
			owned = append(owned, fmt.Sprintf("finding %s: assigned to %q in the queue, and to %q by the actions of triage",
				id, owner, due))
		}
	})
	return wrong, owned, err
}

// journal names the rows of the journal without a right HMAC, and the partitions whose journal is not as runs recorded
// it since the day began, and the last run before.
func (r *run) journal(ctx context.Context, w window, night *Night) ([]string, error) {
	journal, err := r.store.ProveJournal(ctx, r.Property, time.Unix(0, w.from))
	if err != nil {
		return nil, err
	}
	proof := coverage.Result{Partitions: journal.Partitions}
	night.Trusted = append(night.Trusted, proof.Trusted()...)
	night.heads = journal.Lasting
	return append(proof.Forged(), journal.Differ...), nil
}

// logRun appends the heads of the journal and the run to the console log: in one write, so that the heads cannot be
// cut off without the run. The entry has the digest of the findings of the day, which the run leaves behind.
func (r *run) logRun(ctx context.Context, night *Night) error {
	row := &night.Run
	text, err := clickhouse.HeadsText(night.heads)
	if err != nil {
		return err
	}
	found, err := r.store.FoundSum(ctx, r.Property, row.GamingDay, r.Shift)
	if err == nil {
		err = r.log.Log(ctx, entry(r.Property, rows.HeadsAction, row.ID, text, row.Ended),
			entry(r.Property, rows.RunAction, row.ID, row.LogTextWith(found), row.Ended))
	}
	if err != nil {
		return fmt.Errorf("log the run: %w", err)
	}
	return nil
}

// ownerAfter is the user to whom the actions on a finding left it: who was assigned, else who acted first. An undo
// gives it back to the owner before the action that it takes back.
func ownerAfter(steps []rows.Step) (owner string) {
	before := ""
	for i := range steps {
		s := &steps[i]
		switch {
		case s.Action == rows.Note:
			continue
		case s.Action == rows.Undo:
			owner = before
			continue
		}
		before = owner
		if s.Action == rows.Assign {
			owner = s.Note
		} else if owner == "" {
			owner = s.Actor
		}
	}
	return owner
}

func (r *run) recordFinding(w window, problem string) finding.Finding {
	sum := sha256.Sum256([]byte(w.day + "\n" + problem)) // a finding of each night
	f := finding.New(finding.Identity{
		PropertyID: r.Property, Rule: "console.records", Subject: "record:" + hex.EncodeToString(sum[:8]),
	}, finding.DataFault, finding.Suspect, finding.Critical)
	f.Citations = []string{recordsClause}
	f.At, f.Engine = schema.Time(w.until-1), r.Engine.Version
	f.GamingDay, f.Shift = r.Engine.Calendar.Of(w.until - 1)
	f.Expected, f.Observed = "records of triage, log and queue that follow from each other", problem
	return f
}

// wrongSteps names the actions on one finding that do not follow from the one before, that the role did not permit, and
// closings that one person requested and confirmed.
func (r *run) wrongSteps(steps []rows.Step) (wrong []string) {
	var before, request, undoable *rows.Step
	for i := range steps {
		s := &steps[i]
		problem := func(format string, args ...any) {
			wrong = append(wrong, fmt.Sprintf("finding %s, %s by %s: ", s.FindingID, s.Action, s.Actor)+
				fmt.Sprintf(format, args...))
		}
		if !console.Permits(s.Role, s.Action) {
			problem("not permitted to the role %q", s.Role)
		}
		reopened := s.From == store.Reopened && before != nil && (before.To == store.Closing || before.To == store.Closed)
		if before != nil && before.To != s.From && !reopened { // a run reopens what it restores or replaces
			problem("from the state %s, and the action before left it %s", s.From, before.To)
		}
		switch to := after(s, undoable); {
		case to == nil:
			problem("not possible")
		case !slices.Contains(to, s.To):
			problem("leads to %s, not to %s", strings.Join(to, " or "), s.To)
		}
		switch s.Action {
		case rows.Close:
			request = s
		case rows.Confirm:
			switch {
			case request == nil && before != nil:
				problem("no request to close")
			case s.Program:
				problem("a program confirmed it")
			case request != nil && r.samePerson(request, s):
				problem("the same person requested it")
			}
		case rows.Undo:
			if undoable != nil && !r.samePerson(undoable, s) {
				problem("another person did the action that it takes back")
			}
		}
		switch {
		case rows.IsUndoable(s.Action):
			undoable = s
		case s.Action != rows.Note:
			undoable = nil
		}
		before = s
	}
	return wrong
}

func (r *run) samePerson(a, b *rows.Step) bool {
	return r.Access.Same(store.Who{Issuer: a.Issuer, Subject: a.Subject}, store.Who{Issuer: b.Issuer, Subject: b.Subject})
}

// after are the states to which an action can lead, nil for an action that is not possible. undoable is the action that
// an undo takes back, nil without one.
func after(s, undoable *rows.Step) []string {
	switch s.Action {
	case rows.Acknowledge:
		return []string{store.Acknowledged}
	case rows.Review, rows.Reject:
		return []string{store.InReview}
	case rows.Escalate:
		return []string{store.Escalated}
	case rows.Close:
		return []string{store.Closing, store.Closed}
	case rows.Confirm:
		return []string{store.Closed}
	case rows.Reopen:
		return []string{store.Reopened}
	case rows.Assign, rows.Note:
		return []string{s.From}
	case rows.Undo:
		if undoable != nil {
			return []string{undoable.From}
		}
	}
	return nil
}
