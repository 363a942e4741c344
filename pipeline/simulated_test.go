package pipeline_test

import (
	"fmt"
	"testing"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate"
)

// legalShoes is how many simulated shoes must be silent; `make soak` asks for more.
func legalShoes() int { return soak(20_000, 1_000_000) }

func TestLegalShoesAreSilent(t *testing.T) {
	kinds := simulate.Kinds()
	per := legalShoes() / len(kinds)
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			for i := range per / 2 {
				seed := uint64(i)
				config, err := simulate.Config(kind, seed)
				if err != nil {
					t.Fatal(err)
				}
				table := simulate.NewTable(simulate.Options{Config: config, Seed: seed})
				var events []schema.Event
				events = append(events, table.Open()...)
				events = append(events, table.Shoe()...)
				events = append(events, table.Shoe()...)
				events = append(events, table.Close()...)
				b := replay(t, events)
				for _, f := range b.Findings {
					if f.Rule == "irreg.error-remedied" {
						continue // an irregularity that was handled rightly
					}
					t.Errorf("seed %d: %s", seed, line(&f))
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

func line(f *schema.Finding) string {
	return fmt.Sprintf("%s %s %s round %d seat %d %s: want %s, got %s (seqs %v)",
		f.Severity, f.Verdict, f.Rule, f.Round, f.Seat, f.Subject, f.Expected, f.Observed, f.Evidence.Seqs)
}
