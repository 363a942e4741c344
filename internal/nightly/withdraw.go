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

func idsOf(list []finding.Finding) map[string]bool {
	ids := make(map[string]bool, len(list))
	for i := range list {
		ids[list[i].ID] = true
	}
	return ids
}

// withdraw withdraws the findings of the day that this run does not find: findings that an earlier run added, and
// findings of the live audit that follow from events that arrived late, or in another partition. It restores what it
// finds again, also with other contents, and what no run could have withdrawn. It changes no row of a finding.
func (r *run) withdraw(ctx context.Context, w window, n *Night, d *differences, live []finding.Finding) error {
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
	found, lived, late := idsOf(n.Findings), idsOf(live), d.Late
	replace, replaced := idsOf(d.Replace), idsOf(n.Changed)
	var list []clickhouse.Withdrawal
	for i := range stored {
		f := &stored[i]
		before := was[f.ID]
		gone := before.Action == clickhouse.Withdraw
		mine := !lived[f.ID] && r.makes(f)
		why, action := "", clickhouse.Withdraw
		switch {
		case replaced[f.ID], replace[f.ID] && !strings.HasPrefix(before.Reason, late[f.ID]): // as if a run was interrupted
			action, why = clickhouse.Restore, late[f.ID]
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
