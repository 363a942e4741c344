package detectors

import (
	"fmt"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

// What a supplier delivers to three tables reaches the threshold of the supplier: cards of which four of a rank are
// missing, and shufflers that riffle five times. The case about the cards names the supplier, not a table or a dealer;
// the other supplier of the tables is not named. One machine that riffles five times has a case of its own.
func TestSupplierPower(t *testing.T) {
	const runs, tables, patience = 4, 3, 20
	for _, c := range []struct {
		name, supplier string
		d              *Detector
		within         float64 // shoes of all tables
		cheat          func(*table)
		named          bool
	}{
		{"four nines removed", "cards", d02, 7, fourOfARank, true},
		{"five riffles", "machines", d05, 9, fiveRiffles, false},
	} {
		budget, key, sum, met := DefaultBudget(), Key{OfSupplier, c.supplier}, 0, 0
		budget.Policy.Suppliers = []Supplier{{"b", "cards"}, {"m", "machines"}}
		for seed := range uint64(runs) {
			h, first := NewHost(budget, []*Detector{c.d}), Key{}
			all := make([]*table, tables)
			for i := range all {
				tb := newTable(t, 4000+10*seed+uint64(i))
				tb.name, tb.dealer, tb.shuffler = fmt.Sprint("t", i), fmt.Sprint("d", i), fmt.Sprint("m", i)
				c.cheat(tb)
				tb.hook = func() {
					for _, a := range h.Alarms {
						if a.Key.Kind != OfShoe && first == (Key{}) {
							first = a.Key
						}
						if a.Key.Kind == OfSupplier && a.Key.ID != c.supplier {
							t.Errorf("%s: %v is named", c.name, a.Key)
						}
					}
				}
				all[i] = tb
			}
			for n := range tables * patience {
				all[n%tables].play(h)
				if a := h.ledger.find(c.d, key); a != nil && a.resting {
					sum, met = sum+n+1, met+1
					break
				}
			}
			if c.named && first != (Key{OfSupplier, c.supplier}) {
				t.Errorf("%s: the case names %v", c.name, first)
			}
		}
		mean := float64(sum) / float64(max(met, 1))
		t.Logf("%s: met %d of %d, mean delay %.1f shoes of %d tables", c.name, met, runs, mean, tables)
		if met < runs || mean > c.within {
			t.Errorf("%s: met %d of %d, mean delay %.1f shoes, want at most %.1f", c.name, met, runs, mean, c.within)
		}
	}
}

func fiveRiffles(tb *table) {
	tb.shuffle = func(before []Card) []baccarat.Card {
		pack := cardsOf(before)
		pack = append(pack, rest(pack)...)
		for range 5 {
			pack = riffle(tb, pack)
		}
		return pack
	}
}
