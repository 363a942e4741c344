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

// positions lists where the cards of each kind lie in an order, ascending. As many as a shoe usually has of a kind are
// stored in place: when the table comes round again they are no longer in the cache of the processor, and a list takes
// one more access.
type positions struct {
	near [53]struct {
		n  int32
		at [8]int32
	}
	// far has all positions of a kind that has more.
	far map[baccarat.Card][]int32
}

func (p *positions) reset(order []baccarat.Card) {
	for i := range p.near {
		p.near[i].n = 0
	}
	p.far = nil
	for i, card := range order {
		p.add(card, int32(i))
	}
}

func (p *positions) add(card baccarat.Card, at int32) {
	k := &p.near[card]
	n := int(k.n)
	k.n++
	if n < len(k.at) {
		k.at[n] = at
		return
	}
	if p.far == nil {
		p.far = map[baccarat.Card][]int32{}
	}
	if n == len(k.at) {
		p.far[card] = slices.Clone(k.at[:])
	}
	p.far[card] = append(p.far[card], at)
}

// of are the positions of a kind.
func (p *positions) of(card baccarat.Card) []int32 {
	k := &p.near[card]
	if int(k.n) > len(k.at) {
		return p.far[card]
	}
	return k.at[:k.n]
}
