package detectors

import "github.com/shoeproof/shoeproof/baccarat"

// PickUp is the order in which the cards of a finished round are put into the discards. The next shoe may repeat that
// order, forwards or backwards.
type PickUp uint8

// Orders.
const (
	// AsDealt keeps the order of dealing.
	AsDealt PickUp = iota
	// PlayerFirst puts down the player hand, then the banker hand; BankerFirst the reverse.
	PlayerFirst
	BankerFirst
)

// discards puts the cards of a shoe, given in the order of dealing, in the order of the discards. Unread cards are
// left out.
func (p PickUp) discards(dealt []Card) []baccarat.Card {
	out := make([]baccarat.Card, 0, len(dealt))
	for from := 0; from < len(dealt); {
		to := from + 1
		for to < len(dealt) && !dealt[to].isFirst() {
			to++
		}
		for pass := range 3 {
			for _, c := range dealt[from:to] {
				if c.Card != baccarat.Unread && p.pass(c.Hand) == pass {
					out = append(out, c.Card)
				}
			}
		}
		from = to
	}
	return out
}

// pass returns when a card of a hand is put down: first, second, or third for burned cards.
func (p PickUp) pass(hand baccarat.Hand) int {
	first := baccarat.Player
	if p == BankerFirst {
		first = baccarat.Banker
	}
	switch {
	case p == AsDealt, hand == first:
		return 0
	case hand == baccarat.NoHand:
		return 2
	}
	return 1
}

// positions lists where each card lies in an order.
type positions [53][]int32

func (p *positions) reset(order []baccarat.Card) {
	const usual = 8 // cards of a kind in a shoe
	if p[0] == nil {
		all := make([]int32, usual*len(p))
		for i := range p {
			p[i] = all[usual*i : usual*i : usual*(i+1)]
		}
	}
	for i := range p {
		p[i] = p[i][:0]
	}
	for i, card := range order {
		p[card] = append(p[card], int32(i))
	}
}
