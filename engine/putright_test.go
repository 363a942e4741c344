package engine_test

import (
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Half of a payment of the last hand comes after the end of the shoe, while the next one is prepared; or it is lost
// there, or the numbers begin again before or after it. None of that accuses.
func TestLastHandPutRight(t *testing.T) {
	for _, kind := range deal.Kinds() {
		config, err := deal.Config(kind, 1)
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{Config: config, Seed: 1})
		events := slices.Concat(table.Open(), table.ShoeOf(6), table.ShoeOf(6), table.Close())
		paid, ended := -1, -1
		for i := range events {
			switch p := events[i].Payload.(type) {
			case *schema.WagerPaid:
				if ended < 0 && events[i].Round == 6 && p.Amount%2 == 0 {
					paid = i
				}
			case *schema.ShoeEnded:
				if ended < 0 {
					ended = i
				}
			}
		}
		if paid < 0 {
			continue // no winner in the last hand
		}
		p := events[paid].Payload.(*schema.WagerPaid)
		half := *p
		half.Amount = p.Amount / 2
		p.Amount -= half.Amount
		rest := events[paid].Clone()
		rest.Payload, rest.EventID = &half, "rest"
		for _, how := range []string{"corrected", "gap", "restart", "restart late"} {
			for after := ended + 1; after < ended+8; after += 3 {
				r := rest.Clone()
				r.At = events[after-1].At
				es := slices.Insert(slices.Clone(events), after, r)
				for i := range es {
					es[i] = es[i].Clone()
					es[i].Seq = uint64(i + 1)
				}
				switch how {
				case "gap": // the correction is lost
					es = slices.Delete(es, after, after+1)
				case "restart", "restart late":
					k := after
					if how == "restart late" {
						k++
					}
					for i := k; i < len(es); i++ {
						es[i].Seq = uint64(i - k + 1)
					}
				}
				if f := accusation(replay(t, es).Findings); f != nil {
					t.Errorf("%s %s %d %T: %s", kind, how, after-ended, es[after].Payload, line(f))
				}
			}
		}
	}
}
