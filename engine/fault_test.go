package engine_test

import (
	"fmt"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/finding"

	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// failed are seeds of faults that gave another finding once: a misread card explained late wagers of a stand-off,
// and the Banker wagered from the seat of a banco suivi.
var failed = map[string][]uint64{"chemin.banker.wager-before-deal": {97}, "chemin.against.not-banker": {10}}

// Each fault gives exactly its finding, whatever the seed: no other of level minor or above.
func TestFaultsAreFound(t *testing.T) {
	for i, broken := range fault.All() {
		if enginetest.Skips(i) {
			continue
		}
		t.Run(broken.Rule, func(t *testing.T) {
			t.Parallel()
			for _, seed := range append(enginetest.Seeds(i, 4, 200), failed[broken.Rule]...) {
				events, want, err := fault.Plant(deal.Options{}, broken, seed)
				if err != nil {
					t.Fatal(err)
				}
				options := enginetest.Options()
				if broken.Off {
					options = allRules()
				}
				compareFindings(t, seed, replayWith(t, options, events).Findings, want)
				if t.Failed() {
					return
				}
			}
		})
	}
}

func compareFindings(t *testing.T, seed uint64, findings []finding.Finding, want []fault.Want) {
	t.Helper()
	for _, wrong := range unlike(findings, want) {
		t.Errorf("seed %d: %s", seed, wrong)
	}
}

// unlike is what is wrong with findings that should be those wanted, and no other of level minor or above.
func unlike(findings []finding.Finding, want []fault.Want) (wrong []string) {
	found := make([]int, len(want))
	for i := range findings {
		f := &findings[i]
		expected := false
		for j, w := range want {
			if f.Rule == w.Rule && f.Verdict != "UNAUDITABLE" && f.Round == w.Round &&
				(f.Seat == w.Seat || f.Seat == 0) {
				found[j]++
				expected = true
			}
		}
		// Cards that were not shuffled are rightly suspected besides.
		unshuffled := f.Kind == "anomaly" && want[0].Rule == "shuffle.random-order"
		if !expected && !unshuffled && f.Severity != finding.Info {
			wrong = append(wrong, "bystander: "+line(f))
		}
	}
	for j, w := range want {
		if found[j] != 1 {
			wrong = append(wrong, fmt.Sprintf("%s round %d seat %d found %d times, want once",
				w.Rule, w.Round, w.Seat, found[j]))
		}
	}
	return wrong
}
