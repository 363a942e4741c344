package clickhouse

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/schema/rows"
)

// A withdrawal is its entry in the log. What a run logged and did not store is reported until a later run names it.
func TestWithdrawalProof(t *testing.T) {
	row := func(reason string) *Withdrawal {
		w := &Withdrawal{Property: "ac-1", Finding: "f", At: 1, Action: Withdraw, Reason: reason, GamingDay: "2026-11-19"}
		w.Hash = w.Sum()
		return w
	}
	entry := func(w *Withdrawal, replaces ...string) *rows.Entry {
		return &rows.Entry{Action: rows.WithdrawalAction + w.Action, Object: w.Finding, Detail: w.LogText(replaces)}
	}
	first, second := row("run a: does not find it"), row("run b: does not find it")
	changed := *second
	changed.Reason = "other"
	restored := *second
	restored.Action = Restore
	for name, c := range map[string]struct {
		logged   []*rows.Entry
		stored   []*Withdrawal
		wrong    string
		unstored int
	}{
		"as written":    {[]*rows.Entry{entry(first)}, []*Withdrawal{first}, "", 0},
		"deleted":       {[]*rows.Entry{entry(first)}, nil, "", 1},
		"interrupted":   {[]*rows.Entry{entry(first), entry(second, first.Hash)}, []*Withdrawal{second}, "", 0},
		"not logged":    {nil, []*Withdrawal{first}, "not in the log", 0},
		"twice":         {[]*rows.Entry{entry(first)}, []*Withdrawal{first, first}, "there twice", 0},
		"changed":       {[]*rows.Entry{entry(second)}, []*Withdrawal{&changed}, "changed after", 0},
		"turned around": {[]*rows.Entry{entry(second)}, []*Withdrawal{&restored}, "changed after", 0},
	} {
		var p withdrawalProof
		for _, e := range c.logged {
			p.entry(e)
		}
		wrong := ""
		for _, w := range c.stored {
			wrong += p.row(w)
		}
		if !strings.Contains(wrong, c.wrong) || (wrong == "") != (c.wrong == "") || len(p.unstored()) != c.unstored {
			t.Errorf("%s: %q, %v", name, wrong, p.unstored())
		}
	}
}
