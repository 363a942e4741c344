package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// What a person repeats accuses no one: each event of each legal fixture but the acts, published again after itself: a
// call, a count, an offer, an attestation, a card.
func TestRepeatedActsAccuseNoOne(t *testing.T) {
	// Each of them is one act: two cuts, burns, payments or marks are two.
	acts := []schema.Kind{
		schema.KindShoeCut, schema.KindShoeLaced, schema.KindShoeBurned, schema.KindWagerPaid, schema.KindWagerCollected,
		schema.KindWagerReturned, schema.KindVigorishMarked, schema.KindVigorishCollected,
		schema.KindVigorishMarkerRemoved,
	}
	eachFixture(t, func(t *testing.T, legal []schema.Event) {
		times := map[schema.Kind]int{}
		for i := range legal {
			kind := legal[i].Payload.Kind()
			if slices.Contains(acts, kind) {
				continue
			}
			if times[kind]++; times[kind]%enginetest.Stride(9, 1) != 1%enginetest.Stride(9, 1) {
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
