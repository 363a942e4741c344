package detectors

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/numeric"
)

// runWindow is the number of cards of a window of Runs: six bits each fit in 64.
const runWindow = 10

// Runs is an index of the cards of some shoes, by the windows of ten cards in their orders of dealing. It finds the
// longest run that an earlier shoe shares with one of them.
type Runs struct {
	shoes [][]baccarat.Card
	at    map[uint64]runAt
	// windows counts the windows of the shoes, compared the windows of earlier shoes in all orders and both directions.
	windows, compared float64
	decks             int
}

// runAt is the first window with some cards.
type runAt struct{ shoe, card uint32 }

// Run is a run of cards of a shoe of an index that an earlier shoe had.
type Run struct {
	// Shoe is the index of the shoe, At the position of the first card in the order of dealing.
	Shoe, At, Cards int
	Order           PickUp
	Backwards       bool
}

// NewRuns returns an index of no shoe.
func NewRuns() *Runs { return &Runs{at: map[uint64]runAt{}} }

// Add takes the cards of a shoe, in the order of dealing, and returns its index.
func (x *Runs) Add(dealt []Card, decks int) int {
	cards, shoe := AsDealt.discards(dealt), len(x.shoes)
	x.shoes = append(x.shoes, cards)
	if x.decks == 0 || decks < x.decks {
		x.decks = decks
	}
	for i := range windows(cards) {
		key := windowOf(cards[i:], 1)
		if _, known := x.at[key]; !known {
			x.at[key] = runAt{uint32(shoe), uint32(i)}
		}
		x.windows++
	}
	return shoe
}

// Match yields the runs of ten cards or more that an earlier shoe shares with shoes of the index: in the orders of
// picking up, forwards and backwards. Own is the index of that shoe if it is in the index, else -1.
func (x *Runs) Match(dealt []Card, own int, orders []PickUp, yield func(Run)) {
	for _, order := range orders {
		old := order.discards(dealt)
		for _, step := range [...]int{1, -1} {
			for i := 0; i < windows(old); {
				x.compared++
				from := i
				if step < 0 {
					from = i + runWindow - 1
				}
				at, ok := x.at[windowOf(old[i:], step)]
				if !ok || int(at.shoe) == own {
					i++
					continue
				}
				r := Run{Shoe: int(at.shoe), At: int(at.card), Order: order, Backwards: step < 0}
				r.Cards = x.extend(&r, old, from, step)
				yield(r)
				i++
			}
		}
	}
}

// extend moves the beginning of a run to its first card and returns its length. From is the position of its first card
// in the earlier order.
func (x *Runs) extend(r *Run, old []baccarat.Card, from, step int) (n int) {
	cards := x.shoes[r.Shoe]
	for r.At > 0 && from-step >= 0 && from-step < len(old) && cards[r.At-1] == old[from-step] {
		r.At--
		from -= step
	}
	for r.At+n < len(cards) && from+n*step >= 0 && from+n*step < len(old) && cards[r.At+n] == old[from+n*step] {
		n++
	}
	return n
}

// Length is the minimum number of cards of a run whose expected number in all comparisons so far, under uniform
// shuffles, is at most a chance. A run of n cards at given places has a probability of at most the product of
// decks/(52 decks-i) for i < n, whatever the cards.
func (x *Runs) Length(chance float64) int {
	ln := numeric.Log(x.windows) + numeric.Log(x.compared) - numeric.Log(chance)
	n := 0
	for ; ln > 0 && n < 52; n++ {
		ln += numeric.Log(float64(x.decks)) - numeric.Log(float64(52*x.decks-n))
	}
	return max(n, runWindow)
}

// windows is the number of windows of a list of cards.
func windows(cards []baccarat.Card) int { return max(len(cards)-runWindow+1, 0) }

// windowOf is the key of the first window of a list, forwards or backwards.
func windowOf(cards []baccarat.Card, step int) (key uint64) {
	for i := range runWindow {
		at := i
		if step < 0 {
			at = runWindow - 1 - i
		}
		key = key<<6 | uint64(cards[at])
	}
	return key
}
