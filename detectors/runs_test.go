package detectors

import (
	"math/rand/v2"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

// A run of an earlier shoe is found with its length, in the order of picking up and in both directions; shoes that are
// shuffled share no run as long as Length.
func TestRuns(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 1))
	shoe := func() (dealt []Card) {
		var order []baccarat.Card
		for c := baccarat.Card(1); c <= 52; c++ {
			for range 8 {
				order = append(order, c)
			}
		}
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for i, c := range order[:400] {
			hand, index := baccarat.Player, uint8(i%4/2+1)
			if i%2 == 1 {
				hand = baccarat.Banker
			}
			dealt = append(dealt, Card{Card: c, Hand: hand, Index: index})
		}
		return dealt
	}
	old, orders := shoe(), []PickUp{AsDealt, PlayerFirst, BankerFirst}
	discards := PlayerFirst.discards(old)
	for _, back := range []bool{false, true} {
		made := shoe()
		for i := range 15 {
			made[100+i].Card = discards[200+i]
			if back {
				made[100+i].Card = discards[200-i]
			}
		}
		x := NewRuns()
		x.Add(shoe(), 8)
		x.Add(made, 8)
		var best Run
		for range 200 {
			x.Match(shoe(), -1, orders, func(r Run) { t.Errorf("honest shoes share %+v", r) })
		}
		x.Match(made, 1, orders, func(r Run) { t.Errorf("a shoe matches itself: %+v", r) })
		x.Match(old, -1, orders, func(r Run) {
			if r.Cards > best.Cards {
				best = r
			}
		})
		if best.Shoe != 1 || best.At > 100 || best.Cards < 15 || best.Order != PlayerFirst || best.Backwards != back {
			t.Errorf("backwards %t: %+v, want 15 cards at 100 of shoe 1", back, best)
		}
		if n := x.Length(1e-6); n != runWindow || best.Cards < n {
			t.Errorf("%d cards needed for one in a million", n)
		}
	}
}

// A year of a hundred tables needs a run of so many cards.
func TestRunLength(t *testing.T) {
	x := NewRuns()
	x.windows, x.compared, x.decks = 1_700*400, 615_000*400*6, 8
	if n := x.Length(1e-5); n != 12 {
		t.Errorf("%d cards, want 12", n)
	}
}
