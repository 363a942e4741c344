package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// crowds are rounds with very many events, by what these are: the events before the call of no more bets, and those
// after the settlement. Half of n, or all, are of the kind.
var crowds = map[string]func(n int) (before, after []schema.Payload){
	"wagers": func(n int) (before, after []schema.Payload) {
		for i := range n / 2 {
			before = append(before, crowdWager(i, uint32(i%14)+1))
			after = append(after, &schema.WagerCollected{WagerID: crowdID(i), Seat: uint32(i%14) + 1, Amount: 100})
		}
		return before, after
	},
	"banker wagers paid": func(n int) (before, after []schema.Payload) {
		for i := range n / 3 {
			w, seat := crowdWager(i, uint32(14-i*14/n)), uint32(14-i*14/n)
			w.Spot = schema.SpotBanker
			before = append(before, w)
			after = append(after, &schema.WagerPaid{WagerID: w.WagerID, Seat: seat, Amount: 100})
		}
		for i := range n / 3 {
			after = append(after, &schema.VigorishMarked{WagerID: crowdID(i), Seat: uint32(14 - i*14/n), Amount: 5})
		}
		return before, after
	},
	"one seat": func(n int) (before, after []schema.Payload) {
		for i := range n / 4 {
			before = append(before, crowdBanker(i))
			after = append(after, &schema.WagerPaid{WagerID: crowdID(i), Seat: 1, Amount: 100},
				&schema.VigorishMarked{WagerID: crowdID(i), Seat: 1, Amount: 5},
				&schema.VigorishMarkerRemoved{Seat: 1, Amount: 5})
		}
		return before, after
	},
	"payments of one wager": func(n int) (before, after []schema.Payload) {
		before = append(before, crowdWager(0, 1))
		for range n {
			after = append(after, &schema.WagerPaid{WagerID: crowdID(0), Seat: 1, Amount: 1})
		}
		return before, after
	},
	"changes": func(n int) (before, after []schema.Payload) {
		before = append(before, crowdWager(0, 1))
		for range n {
			before = append(before, &schema.WagerChanged{
				WagerID: crowdID(0), Change: schema.WagerChangeRaised, Delta: 100,
			})
		}
		return before, append(after, &schema.WagerCollected{WagerID: crowdID(0), Seat: 1, Amount: int64(100 * (n + 1))})
	},
	"collections of paid wagers": func(n int) (before, after []schema.Payload) {
		for i := range n / 3 {
			before = append(before, crowdBanker(i))
			after = append(after, &schema.WagerPaid{WagerID: crowdID(i), Seat: 1, Amount: 100})
		}
		for range n / 3 {
			after = append(after, &schema.VigorishCollected{Seat: 1, Amount: 5, VigorishKind: schema.VigorishKindRound})
		}
		return before, after
	},
	"collections before payments": func(n int) (before, after []schema.Payload) {
		for i := range n / 3 {
			before = append(before, crowdBanker(i))
			after = append(after, &schema.VigorishCollected{Seat: 1, Amount: 5, VigorishKind: schema.VigorishKindRound})
		}
		for i := range n / 3 {
			after = append(after, &schema.WagerPaid{WagerID: crowdID(i), Seat: 1, Amount: 100})
		}
		return before, after
	},
	"marks lifted and collected": func(n int) (before, after []schema.Payload) {
		for i := range n / 4 {
			before = append(before, crowdBanker(i))
			after = append(after,
				&schema.VigorishMarked{WagerID: crowdID(0), Seat: 1, Amount: 5}, &schema.VigorishMarkerRemoved{Seat: 1, Amount: 5})
		}
		for range n / 4 {
			after = append(after, &schema.VigorishCollected{Seat: 1, Amount: 5, VigorishKind: schema.VigorishKindRound})
		}
		return before, after
	},
	"ledger": func(n int) (before, after []schema.Payload) {
		for i := range n / 5 {
			before = append(before, crowdBanker(i))
			after = append(after, &schema.WagerPaid{WagerID: crowdID(i), Seat: 1, Amount: 100},
				&schema.VigorishMarked{WagerID: crowdID(i), Seat: 1, Amount: 5})
		}
		for i := range n / 5 {
			after = append(after, &schema.VigorishCollected{
				Seat: 1, Amount: 5, VigorishKind: schema.VigorishKindOutstanding, WagerIDs: []string{crowdID(i)},
			}, &schema.VigorishMarkerRemoved{Seat: 1, Amount: 5})
		}
		return before, after
	},
	"wrong marks": func(n int) (before, after []schema.Payload) {
		for i := range n / 3 {
			before = append(before, crowdBanker(i))
			after = append(after, &schema.WagerPaid{WagerID: crowdID(i), Seat: 1, Amount: 100})
		}
		for i := range n / 3 {
			after = append(after, &schema.VigorishMarked{WagerID: crowdID(i), Seat: 1, Amount: 3})
		}
		return before, after
	},
	"collections": func(n int) (before, after []schema.Payload) {
		for i := range n / 2 {
			before = append(before, crowdBanker(i))
			after = append(after, &schema.VigorishCollected{
				Seat: 1, Amount: 5, VigorishKind: schema.VigorishKindRound,
			})
		}
		return before, after
	},
	"marks of one wager": func(n int) (before, after []schema.Payload) {
		before = append(before, crowdBanker(0))
		for range n {
			after = append(after, &schema.VigorishMarked{WagerID: crowdID(0), Seat: 1, Amount: 5})
		}
		return before, after
	},
	"marks taken off": func(n int) (before, after []schema.Payload) {
		before = append(before, crowdBanker(0))
		for range n / 2 {
			after = append(after, &schema.VigorishMarked{WagerID: crowdID(0), Seat: 1, Amount: 5},
				&schema.VigorishMarkerRemoved{Seat: 1, Amount: 5})
		}
		return before, after
	},
	"outstanding": func(n int) (before, after []schema.Payload) {
		for i := range n / 4 {
			before = append(before, crowdBanker(i))
			after = append(after, &schema.WagerPaid{WagerID: crowdID(i), Seat: 1, Amount: 100},
				&schema.VigorishMarked{WagerID: crowdID(i), Seat: 1, Amount: 5},
				&schema.VigorishCollected{Seat: 1, Amount: 5, VigorishKind: schema.VigorishKindOutstanding})
		}
		return before, after
	},
	"calls": func(n int) (before, after []schema.Payload) {
		for range n {
			before = append(before, &schema.Announced{Code: schema.CallNoMoreBets})
		}
		return before, after
	},
	"cards": func(n int) (before, after []schema.Payload) {
		for i := range n {
			after = append(after, &schema.CardDealt{
				Hand: schema.HandPlayer, Index: uint32(i) + 4, Card: "7d", CardSeq: uint32(i) + 1000, Face: schema.FaceUp,
			})
		}
		return before, after
	},
	"squeezes": func(n int) (before, after []schema.Payload) {
		for i := range n {
			after = append(after, &schema.CardsHanded{Hand: schema.HandPlayer, Seat: uint32(i%2) + 1, CardSeqs: []uint32{1, 2}})
		}
		return before, after
	},
	"discards": func(n int) (before, after []schema.Payload) {
		for i := range n {
			after = append(after, &schema.DiscardPlaced{CardSeqs: []uint32{uint32(i)}, Destination: "bucket"})
		}
		return before, after
	},
	"burns": func(n int) (before, after []schema.Payload) {
		for range n {
			after = append(after, &schema.ShoeBurned{Reason: schema.BurnReasonIrregularity, Indicator: "2d", Count: 2})
		}
		return before, after
	},
	"face up": func(n int) (before, after []schema.Payload) {
		for i := range n {
			after = append(after, &schema.CardFoundFaceup{CardSeq: uint32(i) + 1000, Card: "2d", Destination: "bucket"})
		}
		return before, after
	},
}

func crowdID(i int) string { return fmt.Sprintf("c%d", i) }

func crowdWager(i int, seat uint32) *schema.WagerPlaced {
	return &schema.WagerPlaced{
		WagerID: crowdID(i), Seat: seat, Spot: schema.SpotPlayer, Amount: 100, Medium: schema.WagerMediumChips,
		AreaOK: true, PatronRef: fmt.Sprint("p", i),
	}
}

func crowdBanker(i int) *schema.WagerPlaced {
	w := crowdWager(i, 1)
	w.Spot = schema.SpotBanker
	return w
}

// crowded is a legal shoe with very many more events in its first round.
func crowded(tb testing.TB, before, after []schema.Payload) []schema.Event {
	tb.Helper()
	return crowdedOf(tb, "S-PB", before, after)
}

// crowdedOf is the same of another fixture.
func crowdedOf(tb testing.TB, fixture string, before, after []schema.Payload) []schema.Event {
	tb.Helper()
	events, err := script.Fixture(fixture)
	if err != nil {
		tb.Fatal(err)
	}
	put := func(at int, payloads []schema.Payload) {
		added := make([]schema.Event, len(payloads))
		for i, p := range payloads {
			added[i] = events[at]
			added[i].Payload, added[i].EventID = p, fmt.Sprintf("crowd-%d-%d", at, i)
			added[i].Round, added[i].Actor = 1, schema.Actor{Role: schema.RoleDealer, ID: "d114"}
			added[i].At += int64(i) // events of one moment and content may be one event, published again
		}
		events = slices.Insert(events, at, added...)
	}
	put(slices.IndexFunc(events, func(ev schema.Event) bool {
		return ev.Round == 1 && ev.Payload.Kind() == schema.KindRoundEnded
	}), after)
	put(slices.IndexFunc(events, func(ev schema.Event) bool {
		return ev.Round == 1 && ev.Payload.Kind() == schema.KindWagerPlaced
	}), before)
	for i := range events {
		events[i].Seq = uint64(i) + 1
	}
	return events
}

// BenchmarkCrowdedRound is a shoe in which one round has very many events, and the time of each of them.
func BenchmarkCrowdedRound(b *testing.B) {
	for name, of := range crowds {
		for _, n := range []int{1000, 2000, 4000, 8000} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				before, after := of(n)
				events := crowded(b, before, after)
				for b.Loop() {
					replayInto(b, enginetest.Options(), events, &rows.Set{})
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "us/event")
			})
		}
	}
}

// A round with more facts than it may have has one finding, which names the limit. Nothing of it is judged, the rest of
// the shoe is judged as before, and an engine that is restored in the middle of it gives the same findings.
func TestCrowdedRound(t *testing.T) {
	for _, name := range []string{
		"wagers", "banker wagers paid", "one seat", "payments of one wager", "changes", "collections", "calls", "cards",
		"squeezes", "discards",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := record.MaxFacts * 3 / 2
			if name == "cards" {
				n = 2 * record.MaxDealt
			}
			before, after := crowds[name](n)
			events := crowded(t, before, after)
			found := replay(t, events).Findings
			limits, rest := 0, 0
			for _, f := range found {
				switch {
				case strings.HasPrefix(f.Rule, "shoe."): // the cards are counted, and are too many
				case f.Rule == "feed.limit" && f.Round == 1 && strings.Contains(f.Expected, fmt.Sprint(record.MaxFacts)):
					limits++
				case f.Verdict == finding.Breach || f.Verdict == finding.Suspect:
					t.Errorf("round %d: %s %s: want %s, got %s", f.Round, f.Verdict, f.Rule, f.Expected, f.Observed)
				case f.Round != 1 && f.Round != 0:
					rest++
				case f.Rule == "wager.area": // of seats that the table does not have
				case f.Rule != "feed.inconsistent" && f.Rule != "vig.collection-sum":
					t.Errorf("round %d: %s: %s", f.Round, f.Rule, f.Observed)
				}
			}
			if limits != 1 {
				t.Errorf("%d findings of feed.limit, want 1", limits)
			}
			if d := cmp.Diff(found, restarted(t, events, 512)); d != "" {
				t.Errorf("after restarts (-want +got):\n%s", d)
			}
		})
	}
}

// The record of a shoe is bounded, and the next shoe is judged.
func TestCrowdedShoe(t *testing.T) {
	before, after := crowds["burns"](record.MaxEntries + 100)
	events := crowded(t, before, after)
	limits := 0
	for _, f := range replay(t, events).Findings {
		switch {
		case f.Rule == "feed.limit" && strings.Contains(f.Expected, fmt.Sprint(record.MaxEntries)):
			limits++
		case f.Verdict == finding.Breach:
			t.Errorf("round %d: %s: want %s, got %s", f.Round, f.Rule, f.Expected, f.Observed)
		}
	}
	if limits != 1 {
		t.Errorf("%d findings of feed.limit, want 1", limits)
	}
}

// The amounts of all events of a shoe have a sum below 2^63.
const _ = uint64(baccarat.MaxAmount - schema.MaxAmount*record.MaxSpan)

// No sum of the largest amounts overflows: of rows, of findings, of what is owed.
func TestLargestAmounts(t *testing.T) {
	for _, name := range []string{
		"one seat", "wrong marks", "ledger", "payments of one wager", "collections of paid wagers",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := crowds[name](record.MaxFacts * 3 / 4)
			b, wagers := &rows.Set{}, int64(0)
			for _, p := range slices.Concat(before, after) {
				switch p := p.(type) {
				case *schema.WagerPlaced:
					p.Amount = schema.MaxAmount
					wagers++
				case *schema.WagerPaid:
					p.Amount = schema.MaxAmount
				case *schema.VigorishMarked:
					p.Amount = schema.MaxAmount
				case *schema.VigorishCollected:
					p.Amount = schema.MaxAmount
				case *schema.VigorishMarkerRemoved:
					p.Amount = schema.MaxAmount
				}
			}
			replayInto(t, enginetest.Options(), crowded(t, before, after), b)
			for _, f := range b.Findings {
				if f.Amount < 0 || f.Round == 1 && f.Rule == "vig.amount.under" {
					t.Errorf("%s seat %d amount %d: want %s, got %s", f.Rule, f.Seat, f.Amount, f.Expected, f.Observed)
				}
			}
			r := &b.Rounds
			if least := wagers * schema.MaxAmount; r.Staked[0] < least {
				t.Errorf("%d staked, want %d at least", r.Staked[0], least)
			}
			if low := min(r.Paid[0], r.ExpectedPay[0], r.Vigorish[0], r.Collected[0], r.Returned[0]); low < 0 {
				t.Errorf("a sum of the round is %d", low)
			}
			for i := range b.Vigorish {
				if v := &b.Vigorish[i]; min(v.Won, v.Least, v.Most, v.Marked, v.Collected) < 0 {
					t.Errorf("vigorish: %+v", *v)
				}
			}
		})
	}
}
