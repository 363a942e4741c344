package deal

import (
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Scheme acts at a table while it plays: it may order the cards, bet with knowledge and settle wrongly. Package cheat
// has implementations. A scheme draws its chance from a generator of its own, so that the table's is the same without
// it.
type Scheme interface {
	// Seated follows the arrival of the first patrons, before the table opens.
	Seated(t *Table)
	// BeforeShoe precedes the plan of each shoe.
	BeforeShoe()
	// Stack returns the cards of a shoe in the order in which they are dealt.
	Stack(shoe string, deck []shoe.Card) []shoe.Card
	// Bet may change the wagers of a round, and the order of the cards that are next.
	Bet(r *shoe.Round, deck []shoe.Card)
	// Settle may force the settlement of the wagers of the round with index k.
	Settle(s *shoe.Plan, r *shoe.Round, k int)
	// EndShoe may change what the tray receives and loses.
	EndShoe(s *shoe.Plan)
	// ReadErrors returns the shares of cards that are misread and not read at present.
	ReadErrors() (misread, unread float64)
}
