package detectors

import "github.com/shoeproof/shoeproof/baccarat"

// PickUp is an order in which the cards of a finished round come into the discards. The next shoe may repeat that
// order, forwards or backwards.
type PickUp uint8

// Orders.
const (
	// AsDealt keeps the order of dealing.
	AsDealt PickUp = iota
	// PlayerFirst lays the player hand on the discards, then the banker hand; BankerFirst the other way round.
	PlayerFirst
	BankerFirst
)

// Discards are the cards of a shoe, given as dealt, in the order of the discards. Unread cards are left out.
func (p PickUp) Discards(dealt []Card) []baccarat.Card {
	out := make([]baccarat.Card, 0, len(dealt))
	for from := 0; from < len(dealt); {
		to := from + 1
		for to < len(dealt) && !dealt[to].first() {
			to++
		}
		first := baccarat.Player
		if p == BankerFirst {
			first = baccarat.Banker
		}
		for pass := range 3 {
			for _, c := range dealt[from:to] {
				var take bool
				switch {
				case p == AsDealt:
					take = pass == 0
				case c.Hand == baccarat.NoHand:
					take = pass == 2
				default:
					take = (c.Hand == first) == (pass == 0) && pass < 2
				}
				if take && c.Card != baccarat.Unread {
					out = append(out, c.Card)
				}
			}
		}
		from = to
	}
	return out
}

// first says that a card begins a round.
func (c Card) first() bool { return c.Hand == baccarat.Player && c.Index == 1 }
