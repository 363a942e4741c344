package exact_test

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
)

// The odds of a full shoe of eight decks, and after all nines have left it.
func ExampleKernel_Odds() {
	books, err := rules.Shipped()
	if err != nil {
		fmt.Println(err)
		return
	}
	l, _ := books["nj-19-47"].Law(baccarat.Minibaccarat)
	kernel := exact.New(&l.Drawing)
	player := kernel.Terms(l, &law.Config{Mode: baccarat.Commission, Percent: 5}, baccarat.SpotPlayer)
	tie := kernel.Event(func(c *baccarat.Coup) bool { return c.Result() == baccarat.Tie })

	left := exact.Full(8)
	var odds exact.Odds
	if kernel.Odds(&left, &odds) {
		fmt.Printf("tie %.6f, expectation of the Player wager %.6f\n", odds.Chance(tie), player.EV(&odds))
	}
	for card := range left {
		if baccarat.Card(card).Rank() == 9 {
			left[card] = 0
		}
	}
	if kernel.Odds(&left, &odds) {
		fmt.Printf("tie %.6f, expectation of the Player wager %.6f\n", odds.Chance(tie), player.EV(&odds))
	}
	// Output:
	// tie 0.095156, expectation of the Player wager -0.012351
	// tie 0.098716, expectation of the Player wager -0.011299
}
