package deal

import (
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Scheme acts at a table while it plays: it may order the cards, bet on them and settle wrongly. Package cheat has
// implementations. A scheme draws its chance from a generator of its own, so that the table's is not disturbed.
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
	// ReadErrors are the shares of cards that are now read wrongly and not at all.
	ReadErrors() (misread, unread float64)
}
