package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// What a person repeats accuses no one: each call, instruction, offer and turned card of each legal fixture, published
// again after itself.
func TestRepeatedActsAccuseNoOne(t *testing.T) {
	repeatable := []schema.Kind{
		schema.KindAnnounced, schema.KindDealInstructed, schema.KindCuratorOffered, schema.KindCuratorAssigned,
		schema.KindSqueezeOffered, schema.KindCardRevealed,
	}
	for _, name := range script.Fixtures() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			legal, err := script.Fixture(name)
			if err != nil {
				t.Fatal(err)
			}
			for i := range legal {
				kind := legal[i].Payload.Kind()
				if !slices.Contains(repeatable, kind) {
					continue
				}
				again := legal[i]
				again.EventID += "-again"
				events := slices.Insert(slices.Clone(legal), i+1, again)
				for k := range events {
					events[k].Seq = uint64(k) + 1
				}
				for _, f := range replayWith(t, enginetest.Options(), events).Findings {
					if f.Severity != finding.Info {
						t.Error(fmt.Sprintf("event %d, %v, repeated: ", legal[i].Seq, kind) + line(&f))
					}
				}
			}
		})
	}
}
