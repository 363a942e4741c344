package engine_test

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// partial yields the sets of feeds that a table may lack: each set of those on by default, as of a shoe that reports
// cards alone, each feed and each two of all, and all but one. Without `make soak` it is one set of many, others for the
// next case.
func partial(of int) iter.Seq[[]schema.Feed] {
	var all, basic []schema.Feed
	var sets [][]schema.Feed
	for f := schema.FeedPreparation; f <= schema.FeedBurn; f++ {
		for _, other := range all {
			sets = append(sets, []schema.Feed{other, f})
		}
		all, sets = append(all, f), append(sets, []schema.Feed{f})
		if f >= schema.FeedWagers {
			basic = append(basic, f)
		}
	}
	for i := range all {
		sets = append(sets, slices.Delete(slices.Clone(all), i, i+1))
	}
	for members := range 1 << len(basic) {
		var set []schema.Feed
		for i, f := range basic {
			if members>>i&1 != 0 {
				set = append(set, f)
			}
		}
		if len(set) > 2 {
			sets = append(sets, set)
		}
	}
	return func(yield func([]schema.Feed) bool) {
		for i := of % enginetest.Stride(29, 1); i < len(sets); i += enginetest.Stride(29, 1) {
			if !yield(sets[i]) {
				return
			}
		}
	}
}

// lacking is a table that lacks feeds, with the events that come from them alone.
func lacking(events []schema.Event, absent []schema.Feed) []schema.Event {
	return deal.WithoutFeeds(slices.DeleteFunc(slices.Clone(events), func(ev schema.Event) bool {
		return slices.ContainsFunc(absent, func(f schema.Feed) bool { return slices.Contains(reports[f], ev.Payload.Kind()) })
	}), absent)
}

// A legal table that lacks some of the feeds is accused of nothing and not passed over in silence: what cannot be
// judged is UNAUDITABLE. No row has a false difference.
func TestPartialFeeds(t *testing.T) {
	for i, kind := range deal.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for absent := range partial(i) {
				for _, seed := range enginetest.Seeds(i, 1, 4) {
					playPartial(t, kind, seed, absent)
				}
			}
		})
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
	replayInto(t, enginetest.Options(), lacking(events, absent), b)
	silent := true
	for i := range b.Findings {
		f := &b.Findings[i]
		silent = silent && f.Verdict != finding.Unauditable
		if f.Severity != finding.Info {
			t.Errorf("%v, seed %d: %s", absent, seed, line(f))
		}
	}
	missing := feeds(absent)
	needed := slices.ContainsFunc(rules.NewSet(lawOf(t, events)).Rules(), func(r *rules.Rule) bool {
		return (r.Needs|r.Reads)&missing != 0
	})
	if silent && needed {
		t.Errorf("%v, seed %d: nothing is UNAUDITABLE", absent, seed)
	}
	lacks := func(f schema.Feed) bool { return slices.Contains(absent, f) }
	for i := range b.Wagers.Stake {
		if lacks(schema.FeedSettlement) && (b.Wagers.ExpectedPaid[i] != b.Wagers.Paid[i] ||
			b.Wagers.Expected[i] != b.Wagers.Disposition[i]) {
			t.Errorf("seed %d: a wager has %s for %s", seed, b.Wagers.Disposition[i], b.Wagers.Expected[i])
		}
	}
	for i := range b.Vigorish {
		if v := &b.Vigorish[i]; lacks(schema.FeedVigorish) && v.Least > 0 {
			t.Errorf("seed %d: at least %d of vigorish expected at a table that reports none", seed, v.Least)
		}
	}
}

// feeds is a set of feeds.
func feeds(list []schema.Feed) (set baccarat.Feeds) {
	for _, f := range list {
		set |= 1 << f
	}
	return set
}

// What a table reports is judged whatever it does not report: a fault is found, or its rule is UNAUDITABLE, which it is
// if it needs an absent feed. It is never silent, and no bystander is accused.
func TestFaultsAtPartialFeeds(t *testing.T) {
	for i, broken := range fault.All() {
		if broken.Off || enginetest.Skips(i) {
			continue
		}
		t.Run(broken.Rule, func(t *testing.T) {
			t.Parallel()
			for _, seed := range enginetest.Seeds(i, 1, 2) {
				events, want, err := fault.Plant(deal.Options{}, broken, seed)
				if err != nil {
					t.Fatal(err)
				}
				for absent := range partial(i) {
					lackingFault{broken.Rule, want, absent}.judge(t, seed, events)
				}
			}
		})
	}
}

// lackingFault is a fault at a table that lacks feeds.
type lackingFault struct {
	rule   string
	want   []fault.Want
	absent []schema.Feed
}

func (l lackingFault) judge(t *testing.T, seed uint64, events []schema.Event) {
	t.Helper()
	planted, found, unauditable, otherwise := ruleNamed(l.rule), false, false, false
	for _, f := range replay(t, lacking(events, l.absent)).Findings {
		is := f.Rule == l.want[0].Rule && (f.Round == l.want[0].Round || f.Verdict == finding.Unauditable) ||
			isMisread(&f, l.rule)
		found = found || is && f.Verdict != finding.Unauditable
		unauditable = unauditable || is && f.Verdict == finding.Unauditable
		// What explains a finding is not known.
		explained := slices.Contains(planted.Covers, f.Rule) || isMisread(&f, l.rule)
		otherwise = otherwise || explained && f.Severity != finding.Info
		other := f.Kind == finding.Anomaly || explained || slices.ContainsFunc(l.want, func(w fault.Want) bool {
			return w.Rule == f.Rule && w.Round == f.Round
		})
		if !other && f.Severity != finding.Info && f.Verdict != finding.Unauditable {
			t.Errorf("%v seed %d: bystander: %s", l.absent, seed, line(&f))
		}
	}
	if judged := planted.Needs&feeds(l.absent) == 0; found && !judged || !found && !unauditable && !otherwise {
		t.Errorf("%v seed %d: round %d found %v, UNAUDITABLE %v", l.absent, seed, l.want[0].Round, found, unauditable)
	}
}

// isMisread reports whether a finding about a card that may be misread covers a finding of a rule: a wrong
// call alone looks the same as one misread card.
func isMisread(f *finding.Finding, rule string) bool {
	return f.Rule == "count.reader-suspected" && slices.ContainsFunc(f.Covers, func(name string) bool {
		return strings.HasPrefix(name, rule+" ")
	})
}
