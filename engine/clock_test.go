package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// otherClock are the events of a table whose clock moves with event k. If all, the times in the events move with it, as
// of a system that has one clock.
func otherClock(events []schema.Event, k int, by int64, all bool) []schema.Event {
	events = slices.Clone(events)
	for i := k; i < len(events); i++ {
		events[i] = events[i].Clone()
		events[i].At += by
		if !all {
			continue
		}
		switch p := events[i].Payload.(type) {
		case *schema.TableConfigured:
			p.EffectiveAt += by
		case *schema.NoticeFiled:
			p.EffectiveAt, p.FiledAt = p.EffectiveAt+by, p.FiledAt+by
		case *schema.NoticePosted:
			p.EffectiveAt, p.PostedAt = p.EffectiveAt+by, p.PostedAt+by
		default: // has no times
		}
	}
	return events
}

// A clock that moves by hours, and back over the border of the gaming day, accuses no one.
func TestOtherClock(t *testing.T) {
	for i, kind := range deal.Kinds() {
		for _, seed := range enginetest.Seeds(i, 1, 4) {
			t.Run(fmt.Sprintf("%s %d", kind, seed), func(t *testing.T) {
				t.Parallel()
				events, step := twoShoes(t, kind, seed, 25, 8), enginetest.Stride(97, 5)
				for k := 1; k < len(events); k += step {
					for _, by := range []time.Duration{-9 * time.Hour, 9 * time.Hour} {
						for _, all := range []bool{false, true} {
							f := accusation(findingsOf(enginetest.Encode(otherClock(events, k, int64(by), all))))
							if f != nil {
								t.Errorf("%v at event %d of %d, all %v: %s", by, k+1, len(events), all, line(f))
							}
						}
					}
				}
			})
		}
	}
}
