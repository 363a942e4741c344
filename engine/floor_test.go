package engine_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Configurations may be noted in any order, also if two of a table with one number take effect at one moment: the
// numbers began again.
func TestFloorFollowsNoOrder(t *testing.T) {
	options := enginetest.Options()
	_, b := folded(options, enginetest.Encode(legalTable(t, "nj-punto", "a", 1, 1)))
	all := []rows.Config{b.Configs[0]}
	for i := range uint32(3) { // the last one is in force
		next := b.Configs[0]
		next.TableID, next.At, next.Procedure = "b", next.At+int64(i), 1+(next.Procedure+i)%3
		all = append(all, next)
	}
	found := func() []string {
		floor := engine.NewFloor(options)
		floor.Note(slices.Clone(all))
		var lines []string
		for _, f := range floor.Findings() {
			lines = append(lines, line(&f))
		}
		return lines
	}
	want := found()
	if len(want) == 0 {
		t.Fatal("the tables do not differ")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if diff := cmp.Diff(want, found()); diff != "" {
			t.Fatal(diff)
		}
	}
}
