package detectors

import (
	"iter"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
)

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
	// ThirdsPlayerFirst puts down the third cards, then the player hand and the banker hand; ThirdsBankerFirst the
	// third cards, then the banker hand.
	ThirdsPlayerFirst
	ThirdsBankerFirst
)

// PickUpNames are the names of the orders, in settings.
var PickUpNames = [...]string{
	AsDealt: "as_dealt", PlayerFirst: "player_first", BankerFirst: "banker_first",
	ThirdsPlayerFirst: "thirds_player_first", ThirdsBankerFirst: "thirds_banker_first",
}

// ParsePickUp returns the order with a name.
func ParsePickUp(name string) (PickUp, bool) {
	at := slices.Index(PickUpNames[:], name)
	return PickUp(max(at, 0)), at >= 0
}

// discards puts the cards of a shoe, given in the order of dealing, in the order of the discards. Unread cards are
// left out.
func (p PickUp) discards(dealt []Card) []baccarat.Card { return p.appendDiscards(nil, dealt) }

// appendDiscards appends the discards to a list.
func (p PickUp) appendDiscards(out []baccarat.Card, dealt []Card) []baccarat.Card {
	out = slices.Grow(out, len(dealt))
	for i := range p.Places(dealt) {
		if c := dealt[i].Card; c != baccarat.Unread {
			out = append(out, c)
		}
	}
	return out
}

// Places are the indexes of the cards of a shoe, given in the order of dealing, in the order of the discards.
func (p PickUp) Places(dealt []Card) iter.Seq[int] {
	return func(yield func(int) bool) {
		for from := 0; from < len(dealt); {
			to := from + 1
			for to < len(dealt) && !dealt[to].isFirst() {
				to++
			}
			for pass := range 4 {
				for i := from; i < to; i++ {
					if p.pass(dealt[i]) == pass && !yield(i) {
						return
					}
				}
			}
			from = to
		}
	}
}

// pass returns when a card is put down: third cards first where the house has it so, then the first hand, the second
// one, and burned cards.
func (p PickUp) pass(c Card) int {
	first := baccarat.Player
	if p == BankerFirst || p == ThirdsBankerFirst {
		first = baccarat.Banker
	}
	switch {
	case p == AsDealt, p >= ThirdsPlayerFirst && c.Hand != baccarat.NoHand && c.Index == 3:
		return 0
	case c.Hand == first:
		return 1
	case c.Hand == baccarat.NoHand:
		return 3
	}
	return 2
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
