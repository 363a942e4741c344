package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// partial are sets of feeds that a table may not have: a shoe that reports cards alone, a bet reader without payments.
var partial = [][]schema.Feed{
	{schema.FeedWagers, schema.FeedSettlement, schema.FeedVigorish, schema.FeedBurn},
	{schema.FeedWagers, schema.FeedSettlement, schema.FeedVigorish},
	{schema.FeedSettlement, schema.FeedVigorish},
	{schema.FeedWagers},
	{schema.FeedSettlement},
	{schema.FeedVigorish},
	{schema.FeedBurn},
}

// A legal table that does not report wagers, settlement, vigorish or burns is accused of nothing and not passed over in
// silence: what cannot be judged is UNAUDITABLE. No row has a false difference.
func TestPartialFeeds(t *testing.T) {
	for _, absent := range partial {
		for i, kind := range deal.Kinds() {
			t.Run(fmt.Sprint(absent, " ", kind), func(t *testing.T) {
				t.Parallel()
				for _, seed := range enginetest.Seeds(i, 1, 200) {
					playPartial(t, kind, seed, absent)
				}
			})
		}
	}
}

func playPartial(t *testing.T, kind string, seed uint64, absent []schema.Feed) {
	config, err := deal.Config(kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: seed})
	events := slices.Concat(table.Open(), table.ShoeOf(8), table.ShoeOf(8), table.Close())
	b := &rows.Set{}
	replayInto(t, enginetest.Options(), deal.WithoutFeeds(events, absent), b)
	silent := true
	for i := range b.Findings {
		f := &b.Findings[i]
		silent = silent && f.Verdict != finding.Unauditable
		if f.Severity != finding.Info {
			t.Errorf("seed %d: %s", seed, line(f))
		}
	}
	// No rule of chemin de fer needs vigorish.
	if silent && !(kind == "nj-chemin" && slices.Equal(absent, []schema.Feed{schema.FeedVigorish})) {
		t.Errorf("seed %d: nothing is UNAUDITABLE", seed)
	}
	reports := func(f schema.Feed) bool { return !slices.Contains(absent, f) }
	for i := range b.Wagers.Stake {
		if !reports(schema.FeedSettlement) && (b.Wagers.ExpectedPaid[i] != b.Wagers.Paid[i] ||
			b.Wagers.Expected[i] != b.Wagers.Disposition[i]) {
			t.Errorf("seed %d: a wager has %s for %s", seed, b.Wagers.Disposition[i], b.Wagers.Expected[i])
		}
	}
	for i := range b.Vigorish {
		if v := &b.Vigorish[i]; !reports(schema.FeedVigorish) && v.Least > 0 {
			t.Errorf("seed %d: at least %d of vigorish expected at a table that reports none", seed, v.Least)
		}
	}
}

// What a table reports is judged whatever it does not report: a fault of a rule that needs none of the absent feeds is
// found, any other is not, and no bystander is accused.
func TestFaultsAtPartialFeeds(t *testing.T) {
	for i, broken := range fault.All() {
		if broken.Off {
			continue
		}
		t.Run(broken.Rule, func(t *testing.T) {
			t.Parallel()
			for _, seed := range enginetest.Seeds(i, 1, 100) {
				events, want, err := fault.Plant(deal.Options{}, broken, seed)
				if err != nil {
					t.Fatal(err)
				}
				for _, absent := range partial {
					var missing baccarat.Feeds
					for _, f := range absent {
						missing |= 1 << f
					}
					planted := ruleNamed(broken.Rule)
					judged, found, unauditable := planted.Needs&missing == 0, false, false
					for _, f := range replay(t, deal.WithoutFeeds(events, absent)).Findings {
						is := f.Rule == want[0].Rule && (f.Round == want[0].Round || f.Verdict == finding.Unauditable) ||
							isMisread(&f, broken.Rule)
						found = found || is && f.Verdict != finding.Unauditable
						unauditable = unauditable || is && f.Verdict == finding.Unauditable
						// What explains a finding is not known.
						explained := slices.Contains(planted.Covers, f.Rule) || isMisread(&f, broken.Rule)
						other := f.Kind == finding.Anomaly || explained || slices.ContainsFunc(want, func(w fault.Want) bool {
							return w.Rule == f.Rule && w.Round == f.Round
						})
						if !other && f.Severity != finding.Info && f.Verdict != finding.Unauditable {
							t.Errorf("%v seed %d: bystander: %s", absent, seed, line(&f))
						}
					}
					// Without burns a card that leaves its hand, or that came before, may be a burned one.
					if found != judged && !(unauditable && missing&baccarat.FeedBurn != 0) {
						t.Errorf("%v seed %d: round %d found %v, want %v", absent, seed, want[0].Round, found, judged)
					}
				}
			}
		})
	}
}

// isMisread reports whether a finding about a card that may be misread covers a finding of a rule: a wrong
// call alone looks the same as one misread card.
func isMisread(f *finding.Finding, rule string) bool {
	return f.Rule == "count.reader-suspected" && slices.ContainsFunc(f.Covers, func(name string) bool {
		return strings.HasPrefix(name, rule+" ")
	})
}
