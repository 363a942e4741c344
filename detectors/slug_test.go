package detectors

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

// rest are the cards of a pack of eight decks that are not in the list.
func rest(used []baccarat.Card) []baccarat.Card {
	var copies [53]int
	for _, c := range used {
		copies[c]++
	}
	var out []baccarat.Card
	for c := baccarat.Card(1); c <= 52; c++ {
		for range 8 - copies[c] {
			out = append(out, c)
		}
	}
	return out
}

func cardsOf(dealt []Card) []baccarat.Card {
	var out []baccarat.Card
	for _, c := range dealt {
		out = append(out, c.Card)
	}
	return out
}

// A repeated run of the previous shoe is detected within the run.
func TestSlugPower(t *testing.T) {
	runs := 60
	p := DefaultBudget()
	for _, c := range []struct {
		length int
		back   bool
		order  PickUp
		power  float64
	}{{8, false, AsDealt, 0.85}, {12, false, AsDealt, 0.97}, {20, true, AsDealt, 0.97}, {20, false, BankerFirst, 0.97}} {
		met := 0
		for seed := range uint64(runs) {
			tb := newTable(t, 500+seed)
			w := newWatch(d04)
			tb.play(w.host)
			tb.shuffle = func(before []Card) []baccarat.Card {
				old := c.order.discards(before)
				from := tb.rng.IntN(len(old) - c.length)
				slug := slices.Clone(old[from : from+c.length])
				if c.back {
					slices.Reverse(slug)
				}
				others := rest(slug)
				tb.rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
				return slices.Insert(others, 20+tb.rng.IntN(300), slug...)
			}
			tb.hook = w.take
			tb.play(w.host)
			met += min(len(w.alarms), 1)
		}
		power := float64(met) / float64(runs)
		t.Logf("%d cards, backwards %v, picked up %v: power %.2f at ln %.1f",
			c.length, c.back, c.order, power, p.LnThreshold(d04, OfShoe))
		if power < c.power {
			t.Errorf("%d cards: power %.2f, want %.2f", c.length, power, c.power)
		}
	}
}

// The first weights of the copy models sum to 1, for any number of orders.
func TestSlugWeights(t *testing.T) {
	orders := []PickUp{AsDealt, PlayerFirst, BankerFirst}
	for n := range len(orders) + 1 {
		p := DefaultBudget()
		p.Policy.PickUps = orders[:n]
		d := d04.start(&p).(*slug)
		d.Begin(&Shoe{}, nil)
		sum := 0.0
		for _, w := range d.mixture {
			sum += w
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%d orders: the weights sum to %g", n, sum)
		}
	}
}

// riffle is a Gilbert-Shannon-Reeds riffle.
func riffle(tb *table, pack []baccarat.Card) []baccarat.Card {
	cut := 0
	for range pack {
		cut += tb.rng.IntN(2)
	}
	a, b := pack[:cut], pack[cut:]
	out := make([]baccarat.Card, 0, len(pack))
	for len(a)+len(b) > 0 {
		if tb.rng.IntN(len(a)+len(b)) < len(a) {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return out
}

// The order that a few riffles leave is detected in one shoe.
func TestWeakShufflePower(t *testing.T) {
	for k, want := range []float64{300, 250, 200, 100, 40} {
		var lns []float64
		for seed := range uint64(15) {
			tb := newTable(t, 900+seed)
			w := newWatch(d05)
			tb.play(w.host)
			tb.shuffle = func(before []Card) []baccarat.Card {
				pack := cardsOf(before)
				pack = append(pack, rest(pack)...)
				for range k {
					pack = riffle(tb, pack)
				}
				cut := tb.rng.IntN(len(pack))
				return append(slices.Clone(pack[cut:]), pack[:cut]...)
			}
			ln, top := 0.0, 0.0
			tb.hook = func() {
				for _, f := range w.host.Factors {
					if f.Key.Kind == OfShoe {
						ln += f.LnE
						top = math.Max(top, ln)
					}
				}
			}
			tb.play(w.host)
			lns = append(lns, top)
		}
		slices.Sort(lns)
		t.Logf("%d riffles: median of the largest ln e %.1f", k, lns[len(lns)/2])
		if lns[len(lns)/2] < want {
			t.Errorf("%d riffles: median of the largest ln e %.1f, want %.0f", k, lns[len(lns)/2], want)
		}
	}
}

// A set of cards is compared with its own last shoe, also if others were dealt since.
func TestOrdersBySet(t *testing.T) {
	card := func(c baccarat.Card) []Card { return []Card{{Card: c}} }
	var o Orders
	if o.Of("a") != nil {
		t.Error("an order of no shoe")
	}
	for i, batch := range []string{"a", "b", "a", "b", "", "c", "d"} {
		o = o.Add(batch, card(baccarat.Card(i+1)))
	}
	for batch, want := range map[string]baccarat.Card{"b": 4, "c": 6, "d": 7, "new": 7, "": 7} {
		if got := o.Of(batch); len(got) != 1 || got[0].Card != want {
			t.Errorf("set %q: %v, want %v", batch, got, want)
		}
	}
	if len(o) != maxOrders {
		t.Errorf("%d orders", len(o))
	}
}

// The order in which the house picks up cards is a policy: third cards may come first.
func TestPickUpOrders(t *testing.T) {
	p, b := baccarat.Player, baccarat.Banker
	dealt := []Card{{1, p, 1}, {2, b, 1}, {3, p, 2}, {4, b, 2}, {5, p, 3}, {6, b, 3}, {7, baccarat.NoHand, 0}, {8, p, 1}}
	for order, want := range map[PickUp][]baccarat.Card{
		AsDealt: {1, 2, 3, 4, 5, 6, 7, 8}, PlayerFirst: {1, 3, 5, 2, 4, 6, 7, 8}, BankerFirst: {2, 4, 6, 1, 3, 5, 7, 8},
		ThirdsPlayerFirst: {5, 6, 1, 3, 2, 4, 7, 8}, ThirdsBankerFirst: {5, 6, 2, 4, 1, 3, 7, 8},
	} {
		if got := order.discards(dealt); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", PickUpNames[order], got, want)
		}
	}
}

// The encoding of an order is that of its struct by reflection, in any length.
func TestOrderCBOR(t *testing.T) {
	type plain Order // without the method
	mode, err := encoding()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 23, 24, 300} {
		o := Order{Batch: strings.Repeat("b", n)}
		for i := range n {
			o.Cards = append(o.Cards, Card{baccarat.Card(i % 53), baccarat.Hand(i % 3), uint8(i % 256)})
		}
		got, err := mode.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		want, err := mode.Marshal(plain(o))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%d cards: %x, want %x", n, got, want)
		}
	}
}
