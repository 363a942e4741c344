//go:build unix

package nightly

import (
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// The last hand of the day was paid too little, and the next shoe has not begun: what is missing may still come. The
// live audit waits for it. The run finds the breach, names the shoe as open, and has no difference.
func TestLastHandWaits(t *testing.T) {
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{
		Property: property, Pit: "p-000", Table: "t-000", Seed: 1, Config: config, Start: opens,
	})
	events := slices.Concat(table.Open(), table.ShoeOf(6), table.ShoeOf(6))
	paid, ended := 0, 0
	for i := range events {
		switch events[i].Payload.(type) {
		case *schema.WagerPaid:
			paid = i
		case *schema.ShoeEnded:
			ended = i
		}
	}
	events = events[:ended+1]
	if p := events[paid].Payload.(*schema.WagerPaid); events[paid].Round != 6 {
		t.Fatalf("the last payment is of round %d", events[paid].Round)
	} else {
		p.Amount /= 2
	}
	for name, more := range map[string][]schema.Event{"open": nil, "closed": table.Close()} {
		t.Run(name, func(t *testing.T) {
			events := slices.Concat(events, more)
			for i := range events {
				events[i].Seq = uint64(i) + 1
			}
			store := database(t)
			var l log
			l.append(events...)
			ingestOpen(t, store, &l, uint64(len(events)))
			got := night(t, store, nil)
			breaches := 0
			for i := range got.Findings {
				switch f := &got.Findings[i]; {
				case f.Verdict == finding.Breach:
					breaches++
				case f.Severity != finding.Info:
					t.Errorf("%s %s: %s; %s", f.Verdict, f.Rule, f.Expected, f.Observed)
				}
			}
			if breaches != 1 || got.Run.Missing != 0 || len(got.Open) != 1 || len(got.Facts) != 0 {
				t.Errorf("%d breaches, open %v, facts %q, %+v", breaches, got.Open, got.Facts, got.Run)
			}
		})
	}
}
