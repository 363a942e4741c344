package nightly

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// hole is a range of event numbers of a table that the live audit reported as missing, and that came later.
type hole struct {
	from, to uint64
	at       int64 // when the live audit reported it, ns UTC of event time
}

// lateHoles returns the first hole of each table that events filled which arrived late.
func (r *run) lateHoles(ctx context.Context, live, replayed []finding.Finding) (map[string]hole, error) {
	again := idsOf(replayed)
	holes := map[string]hole{}
	for i := range live {
		f := &live[i]
		if again[f.ID] {
			continue
		}
		h, late, err := r.lateHole(ctx, f)
		if err != nil {
			return nil, err
		}
		if known, ok := holes[f.TableID]; late && ok {
			h = hole{min(h.from, known.from), max(h.to, known.to), min(h.at, known.at)}
		}
		if late {
			holes[f.TableID] = h
		}
	}
	return holes, nil
}

// lateHole returns the hole that a finding of the live audit reports, if events filled it which arrived late. The
// archive proves it: one of the events is behind an event with a higher number.
func (r *run) lateHole(ctx context.Context, f *finding.Finding) (h hole, late bool, err error) {
	if f.Kind != finding.DataFault || f.Rule != "feed.gap" && f.Rule != "feed.late" {
		return h, false, nil
	}
	h.at = int64(f.At)
	if _, err := fmt.Sscanf(f.Subject, "range:%d-%d", &h.from, &h.to); err != nil {
		return h, false, nil
	}
	late, err = r.store.ArrivedLate(ctx, r.Property, f.TableID, h.from, h.to)
	return h, late, err
}

// explains reports whether a finding of a table may follow from its hole: it was made after the hole, rests on an event
// after it, or states that events are missing, as at a wager from before the hole whose payment was in it.
func (h hole) explains(f *finding.Finding) bool {
	return h.to > 0 && (int64(f.At) >= h.at || f.Verdict == finding.Unauditable ||
		slices.ContainsFunc(f.Evidence.Seqs, func(seq uint64) bool { return seq >= h.from }))
}

func (h hole) String() string {
	if h.from == h.to {
		return fmt.Sprintf("event %d", h.from)
	}
	return fmt.Sprintf("events of %d to %d", h.from, h.to)
}

func idsOf(list []finding.Finding) map[string]bool {
	ids := make(map[string]bool, len(list))
	for i := range list {
		ids[list[i].ID] = true
	}
	return ids
}

// withdraw withdraws the findings of the day that this run does not find: findings that an earlier run added, and
// findings of the live audit that follow from events that arrived late. It restores what it finds again, and what no
// run could have withdrawn. It changes no row of a finding.
func (r *run) withdraw(ctx context.Context, w window, n *Night, late map[string]string, live []finding.Finding) error {
	stored, err := r.store.Findings(ctx, clickhouse.Filter{
		PropertyID: r.Property, GamingDay: w.day, Shift: r.Shift, Withdrawn: true,
	})
	if err != nil {
		return err
	}
	was, err := r.store.Withdrawals(ctx, r.Property)
	if err != nil {
		return err
	}
	found, lived := idsOf(n.Findings), idsOf(live)
	var list []clickhouse.Withdrawal
	for i := range stored {
		f := &stored[i]
		before := was[f.ID]
		gone := before.Action == clickhouse.Withdraw
		mine := !lived[f.ID] && r.makes(f)
		why, action := "", clickhouse.Withdraw
		switch {
		case found[f.ID] && gone:
			action, why = clickhouse.Restore, "this run finds it again"
		case found[f.ID]:
		case late[f.ID] != "" && !gone:
			why = late[f.ID]
		case late[f.ID] != "":
		case mine && !gone:
			why = r.superseded(&n.Run)
		case gone && (lived[f.ID] || !adds(f)):
			action, why = clickhouse.Restore, "no run has a reason to withdraw it"
		}
		if why == "" || slices.ContainsFunc(list, func(x clickhouse.Withdrawal) bool { return x.Finding == f.ID }) {
			continue
		}
		list = append(list, clickhouse.Withdrawal{
			Property: r.Property, Finding: f.ID, At: max(r.Now().UnixNano(), before.At+1), Action: action, Reason: why,
			Run: n.Run.ID, GamingDay: f.GamingDay, Shift: f.Shift, Rule: f.Rule,
		})
	}
	slices.SortFunc(list, func(a, b clickhouse.Withdrawal) int { return cmp.Compare(a.Finding, b.Finding) })
	n.Withdrawn = list
	return Withdraw(ctx, r.log, r.Property, list, r.Now)
}

// Withdraw gives withdrawals of a property their hashes, appends these to the console log, and stores the rows. A run
// that was interrupted in between leaves entries without a row: the next one names them.
func Withdraw(ctx context.Context, s *store.Store, property string, list []clickhouse.Withdrawal,
	now func() time.Time,
) error {
	logged, err := s.WithdrawalLog(ctx, property)
	if err != nil {
		return err
	}
	var entries []store.Entry
	add := func(action, object, detail string) {
		entries = append(entries, entry(property, action, object, detail, now()))
	}
	if logged.Begin != "" {
		add(rows.WithdrawalsBegin, "", logged.Begin)
	}
	for i := range list {
		w := &list[i]
		w.Hash = w.Sum()
		add(rows.WithdrawalAction+w.Action, w.Finding, w.LogText(logged.Unstored[w.Finding]))
	}
	if len(entries) > 0 {
		if err := s.Log(ctx, entries...); err != nil {
			return fmt.Errorf("log the withdrawals: %w", err)
		}
	}
	ctx = context.WithoutCancel(ctx)
	return s.Locked(ctx, store.TriageLease, rand.Text(), store.TriageWait, func() error {
		return s.WriteWithdrawals(ctx, property, list)
	})
}

// entry is a line of the console log that a run writes.
func entry(property, action, object, detail string, at time.Time) store.Entry {
	return store.Entry{
		PropertyID: property, At: at.UTC(), Actor: "audit run", Action: action, Object: object, Detail: detail,
		Who: store.Who{Issuer: "system", Subject: "audit run", Method: "command", Program: true},
	}
}

// adds reports whether nightly runs add and withdraw such a finding. Findings of audit watch, and records of the
// console that do not follow from each other, stay until a person closes them.
func adds(f *finding.Finding) bool {
	return f.Rule != "console.records" && (f.Kind != finding.Anomaly || statistical(f))
}

// makes reports whether this run would make such a finding again. A run of one shift makes no statistics, and reports
// offsets of its own span.
func (r *run) makes(f *finding.Finding) bool {
	switch {
	case !adds(f):
		return false
	case statistical(f):
		return r.Shift == "" && len(r.Statistics) > 0
	case f.Rule == "feed.journal" || f.Rule == "feed.dead-letters":
		return r.Shift == ""
	}
	return true
}

// statistical reports whether a finding is the result of a Statistic.
func statistical(f *finding.Finding) bool {
	return f.Kind == finding.Anomaly && slices.ContainsFunc([]string{"review.", "hold.", "runs."},
		func(prefix string) bool { return strings.HasPrefix(f.Rule, prefix) })
}

// superseded is why a run does not find what an earlier one found.
func (r *run) superseded(run *clickhouse.AuditRun) string {
	why := "run " + run.ID + " does not find it"
	if run.Supersedes != "" {
		why += ", and supersedes run " + run.Supersedes
	}
	return why
}
