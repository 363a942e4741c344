package fault

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/simulate/deal"
)

func TestPlantEveryFault(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range All() {
		t.Run(f.Rule, func(t *testing.T) {
			if seen[f.Rule] {
				t.Fatal("named twice")
			}
			seen[f.Rule] = true
			for seed := range uint64(len(f.Kinds) + 2) {
				a, want, err := Plant(deal.Options{}, f, seed)
				if err != nil {
					t.Fatal(err)
				}
				if len(want) != 1+len(f.Beside) || want[0].Rule != f.Rule {
					t.Fatalf("wants %v", want)
				}
				seqs := map[string]uint64{}
				for i := range a {
					if seqs[a[i].TableID]++; a[i].Seq != seqs[a[i].TableID] || i > 0 && a[i].At < a[i-1].At {
						t.Fatalf("seed %d event %d: seq %d or its time is out of order", seed, i, a[i].Seq)
					}
				}
				if seed > 0 {
					continue
				}
				if b, _, _ := Plant(deal.Options{}, f, seed); !cmp.Equal(a, b) {
					t.Fatal("two plants from one seed differ")
				}
			}
		})
	}
}
