package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// acts are the kinds of event that are an act each time they are published, with the reason; docs/coverage.md has them.
var acts = map[schema.Kind]string{
	schema.KindShoeCut:               "there is one cut, 19:47-3.5(b); `recut_ordered` comes before a further one, 3.5(e)",
	schema.KindShoeLaced:             "the cards are laced once, 19:47-3.5(b)",
	schema.KindShoeBurned:            "more cards leave the shoe: each burn takes numbers of its cards",
	schema.KindWagerPaid:             "money moves: payments in parts add up",
	schema.KindWagerCollected:        "money moves: a stake that is taken twice is taken twice",
	schema.KindWagerReturned:         "money moves: a stake that is returned twice is returned twice",
	schema.KindVigorishMarked:        "a second marker: vigorish that is marked in parts adds up",
	schema.KindVigorishCollected:     "money moves: vigorish that is collected in parts adds up",
	schema.KindVigorishMarkerRemoved: "a second marker is taken off, for which nothing was collected",
}

// What a person repeats accuses no one: each event of each legal fixture but the acts, published again after itself: a
// call, a count, an offer, an attestation, a card.
func TestRepeatedActsAccuseNoOne(t *testing.T) {
	eachFixture(t, func(t *testing.T, legal []schema.Event) {
		times := map[schema.Kind]int{}
		for i := range legal {
			kind := legal[i].Payload.Kind()
			if acts[kind] != "" {
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
