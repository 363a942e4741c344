package detectors

import (
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

// The positions of a kind are all of them in their order, also of a kind with more cards than are stored in place, and
// nothing of the order before is left.
func TestPositions(t *testing.T) {
	const few, many = baccarat.Card(1), baccarat.Card(2)
	var p positions
	p.reset(slices.Repeat([]baccarat.Card{few}, 30))
	var order []baccarat.Card
	var want [2][]int32
	for i := range int32(23) {
		card := many
		if i%5 == 0 {
			card = few
		}
		order, want[card-few] = append(order, card), append(want[card-few], i)
	}
	p.reset(order[:12])
	for i, card := range order[12:] {
		p.add(card, int32(12+i))
	}
	for _, card := range []baccarat.Card{few, many} {
		if got := p.of(card); !slices.Equal(got, want[card-few]) {
			t.Errorf("card %d at %v, want %v", card, got, want[card-few])
		}
	}
	if got := p.of(3); len(got) > 0 {
		t.Errorf("a card that is not in the order at %v", got)
	}
}
