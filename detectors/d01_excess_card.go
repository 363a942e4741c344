package detectors

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/schema"
)

var d01 = &Detector{
	ID: "d01", Name: "a card too many", Tier: Certain,
	Observes: "the number of copies of each of the 52 cards seen in the shoe",
	Null:     "a shoe of d decks has d copies of each card; one more copy is impossible, or a card was misread",
	Reports:  "the card and the number of copies",
	Keys:     []KeyKind{OfShoe},
	start:    func(*Budget) process { return &excessCard{} },
}

// excessCard is d01. Each card is reported once in a shoe.
type excessCard struct {
	inert
	excessCardState
}

type excessCardState struct {
	Reported [53]bool // by card
}

func (d *excessCard) Begin(*Shoe, *factors) { d.Reported = [53]bool{} }

func (d *excessCard) Round(r *Round, out *factors) {
	if r.Decks == 0 {
		return // a shoe that was joined before its decks were known
	}
	left := r.Left
	for _, c := range r.Cards {
		left[c.Card]--
	}
	for c := 1; c < len(left); c++ {
		if left[c] < 0 && !d.Reported[c] {
			d.Reported[c] = true
			out.add(Factor{
				Key: Key{OfShoe, r.Shoe}, Certain: true,
				Note: fmt.Sprintf("%d copies of %v in a shoe of %s: an excess card, or a misread card",
					r.Decks-int(left[c]), baccarat.Card(c), schema.Count(r.Decks, "deck")),
			})
		}
	}
}

func (d *excessCard) save() any { return &d.excessCardState }

func (d *excessCard) load(decode func(any) error) error { return decode(&d.excessCardState) }
