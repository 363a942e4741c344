package engine_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Legal shoes of every kind of table give no finding, with all the lawful acts that are rare; the long form deals a
// million. SHOEPROOF_SEED is the first seed, so that another run deals other shoes.
func TestLegalShoesAreSilent(t *testing.T) {
	const perTable = 2
	kinds := deal.Kinds()
	tables := enginetest.Soak(600, 1_000_000)/(perTable*len(kinds)) + 1
	first, _ := strconv.ParseUint(os.Getenv("SHOEPROOF_SEED"), 10, 64)
	options := enginetest.Options()
	options.NoArchive = true
	var shoes, rounds, handled atomic.Int64
	t.Cleanup(func() {
		t.Logf(
			"%d shoes, %d rounds from seed %d, %d irregularities and mistakes put right as the law demands",
			shoes.Load(), rounds.Load(),
			first, handled.Load(),
		)
	})
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			b, events := &rows.Set{}, []schema.Event(nil)
			for seed := first; seed < first+uint64(tables) && !t.Failed(); seed++ {
				config, err := deal.Config(kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				table := deal.NewTable(deal.Options{Config: config, Seed: seed, Varied: true})
				events = append(events[:0], table.Open()...)
				for range perTable {
					events = append(events, table.Shoe()...)
				}
				events = append(events, table.Close()...)
				b.Reset()
				replayInto(t, options, events, b)
				for i := range b.Findings {
					if lawful(&b.Findings[i]) {
						handled.Add(1)
						continue
					}
					t.Errorf("seed %d: %s", seed, line(&b.Findings[i]))
				}
				addUp(t, seed, b)
				shoes.Add(int64(len(b.Shoes)))
				rounds.Add(int64(len(b.Rounds.Round)))
			}
		})
	}
}

// lawful reports whether a finding is about lawful conduct: information about a mistake that was put right.
func lawful(f *finding.Finding) bool {
	return f.Rule == "irreg.error-remedied" || f.Rule == "payout.corrected" ||
		f.Verdict == finding.Information && strings.Contains(f.Observed, "put right")
}

// addUp compares what was paid with what was due, and what the rounds staked with their wagers: a withdrawn wager
// counts nowhere. What chemin de fer pays is not in the texts: nothing is due there.
func addUp(t *testing.T, seed uint64, b *rows.Set) {
	t.Helper()
	var due, paid, staked, stakes int64
	for i := range b.Rounds.Round {
		due, paid = due+b.Rounds.ExpectedPay[i], paid+b.Rounds.Paid[i]
		staked += b.Rounds.Staked[i]
	}
	for i := range b.Wagers.Stake {
		stakes += b.Wagers.Stake[i]
		withdrawn := b.Wagers.Disposition[i] == "withdrawn"
		if withdrawn && b.Wagers.Stake[i]+b.Wagers.ExpectedPaid[i]+b.Wagers.Paid[i]+b.Wagers.Collected[i] != 0 {
			t.Errorf("seed %d: a withdrawn wager counts", seed)
		}
	}
	if due != paid && !slices.Contains(b.Wagers.Spot, "AGAINST_BANKER") || staked != stakes {
		t.Errorf("seed %d: %d was due and %d paid; rounds staked %d, wagers %d", seed, due, paid, staked, stakes)
	}
}

func line(f *finding.Finding) string {
	return fmt.Sprintf("%s %s %s round %d seat %d %s: want %s, got %s (seqs %v)",
		f.Severity, f.Verdict, f.Rule, f.Round, f.Seat, f.Subject, f.Expected, f.Observed, f.Evidence.Seqs)
}

// The vigorish collected by the facts equals that of the events, shoe by shoe.
func TestVigorishAddsUp(t *testing.T) {
	for _, kind := range deal.Kinds() {
		config, err := deal.Config(kind, 3)
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{Config: config, Seed: 3})
		events := append(append(table.Open(), table.Shoe()...), table.Shoe()...)
		events = append(events, table.Close()...)
		b := &rows.Set{}
		replayInto(t, enginetest.Options(), events, b)
		marked, kept := map[string]int64{}, map[string]int64{}
		for i := range events {
			if v, ok := events[i].Payload.(*schema.VigorishCollected); ok {
				marked[events[i].ShoeID] += v.Amount
			}
		}
		for i := range b.Vigorish {
			kept[b.Vigorish[i].ShoeID] += b.Vigorish[i].Collected
		}
		for shoe, amount := range marked {
			if kept[shoe] != amount {
				t.Errorf("%s, shoe %s: the facts have %d collected, the events %d", kind, shoe, kept[shoe], amount)
			}
		}
	}
}
