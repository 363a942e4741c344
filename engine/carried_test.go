package engine_test

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// A card that is kept for the next hand waits for a round that is dealt: a round that is void before its first card
// does not use it.
func TestKeptCardWaitsForARoundThatIsDealt(t *testing.T) {
	var carried atomic.Int32
	t.Cleanup(func() {
		if carried.Load() == 0 {
			t.Error("no fixture keeps a card for the next hand")
		}
	})
	eachFixture(t, func(t *testing.T, legal []schema.Event) {
		at := slices.IndexFunc(legal, func(e schema.Event) bool { return e.Payload.Kind() == schema.KindCardCarriedOver })
		if at < 0 {
			return
		}
		carried.Add(1)
		shoe, round := legal[at].ShoeID, legal[at].Round
		next := at + slices.IndexFunc(legal[at:], func(e schema.Event) bool { return e.Round == round+1 })
		void := [2]schema.Event{legal[next], legal[next]}
		void[0].Payload, void[1].Payload = &schema.RoundStarted{}, &schema.RoundVoided{Cause: schema.VoidCauseOther}
		events := slices.Clone(legal)
		for i := next; i < len(events); i++ {
			if events[i].ShoeID == shoe && events[i].Round > round {
				events[i].Round++
			}
		}
		void[0].EventID, void[1].EventID = "void-begins", "void-ends"
		events = slices.Insert(events, next, void[:]...)
		for i := range events {
			events[i].Seq = uint64(i) + 1
		}
		for _, f := range replayWith(t, enginetest.Options(), events).Findings {
			if f.Severity != finding.Info && f.Rule != "outcome.void-ground" {
				t.Error(line(&f))
			}
		}
	})
}
