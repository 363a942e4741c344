package deal

import (
	"fmt"
	"testing"

	"github.com/shoeproof/shoeproof/schema"
)

// A varied table plays every lawful act that is rare, and numbers its events without a gap.
func TestVariedPlayHasEveryRareAct(t *testing.T) {
	seen := map[string]int{}
	for _, kind := range []string{"nj-punto", "ny-midi", "ny-shuffler"} {
		for seed := range uint64(12) {
			config, err := Config(kind, seed)
			if err != nil {
				t.Fatal(err)
			}
			table := NewTable(Options{Config: config, Seed: seed, Varied: true})
			events := table.Open()
			for range 3 {
				events = append(events, table.Shoe()...)
			}
			countRareActs(t, append(events, table.Close()...), seen)
		}
	}
	for _, what := range []string{
		"paid in two motions", "taken by mistake", "paid by mistake", "vigorish in two parts", "marked in two parts",
		"call repeated", "call corrected", "result corrected", "instruction corrected", "second opening burn",
		"announced ahead", "announced ahead and replaced", "batch in the rack", "wager withdrawn", "offer repeated",
	} {
		if seen[what] == 0 {
			t.Errorf("never: %s", what)
		}
	}
}

func countRareActs(t *testing.T, events []schema.Event, seen map[string]int) {
	t.Helper()
	ids, acts := map[string]bool{}, map[string]int{}
	var last *schema.Event
	for i := range events {
		ev := &events[i]
		if ev.Seq != uint64(i)+1 || ids[ev.EventID] || last != nil && ev.At < last.At {
			t.Fatalf("event %d: seq %d, id %s, or its time is out of order", i, ev.Seq, ev.EventID)
		}
		ids[ev.EventID] = true
		again := func(what, subject string) {
			key := fmt.Sprint(ev.ShoeID, ev.Round, what, subject)
			if acts[key]++; acts[key] == 2 {
				seen[what]++
			}
		}
		switch p := ev.Payload.(type) {
		case *schema.WagerPaid:
			again("paid in two motions", p.WagerID)
		case *schema.WagerReturned:
			if q, ok := last.Payload.(*schema.WagerCollected); ok && q.WagerID == p.WagerID {
				seen["taken by mistake"]++
			}
		case *schema.WagerCollected:
			if q, ok := last.Payload.(*schema.WagerPaid); ok && q.WagerID == p.WagerID {
				seen["paid by mistake"]++
			}
		case *schema.VigorishCollected:
			again("vigorish in two parts", fmt.Sprint(p.Seat, p.VigorishKind, p.WagerIDs))
		case *schema.VigorishMarked:
			again("marked in two parts", p.WagerID)
		case *schema.Announced:
			if q, ok := last.Payload.(*schema.Announced); ok && q.Code == p.Code && q.Hand == p.Hand {
				seen[map[bool]string{true: "call repeated", false: "call corrected"}[*q == *p]]++
			}
		case *schema.RoundEnded:
			if q, ok := last.Payload.(*schema.RoundEnded); ok && *q != *p {
				seen["result corrected"]++
			}
		case *schema.DealInstructed:
			if q, ok := last.Payload.(*schema.DealInstructed); ok && q.Hand == p.Hand && *q != *p {
				seen["instruction corrected"]++
			}
		case *schema.CuratorOffered:
			if q, ok := last.Payload.(*schema.CuratorOffered); ok && *q == *p {
				seen["offer repeated"]++
			}
		case *schema.ShoeBurned:
			if p.Reason == schema.BurnReasonOpening {
				again("second opening burn", "")
			}
		case *schema.TableConfigured:
			if p.EffectiveAt > ev.At {
				seen["announced ahead"]++
				again("announced ahead and replaced", fmt.Sprint(p.EffectiveAt))
			}
		case *schema.BatchReported:
			if p.State == schema.BatchStateInDiscardRack {
				seen["batch in the rack"]++
			}
		case *schema.WagerChanged:
			if p.Change == schema.WagerChangeWithdrawn {
				seen["wager withdrawn"]++
			}
		}
		last = ev
	}
}
