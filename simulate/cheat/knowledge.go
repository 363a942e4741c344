package cheat

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// knowledge are patrons who know the cards that come next.
func knowledge() []Cheat {
	var out []Cheat
	for _, x := range []float64{1, .5, .35, .2, .1} {
		out = append(out, Cheat{
			Name: nameOf("s1", x), Scenario: "S1", Strength: x, Kind: "nj-mini", Key: "patron",
			Detectors: []string{"d07", "d06", "d09", "d10"},
			Doc:       fmt.Sprintf("a patron knows the winner of %g %% of rounds", 100*x),
			bets: func(c *crook, r *shoe.Round, deck []shoe.Card) {
				u, spot := c.rng.Float64(), c.coin()
				if c.acts(u < x) {
					spot = winner(deck, spot)
				}
				c.bet(r, 0, spot, cheatUnit, false)
			},
		})
	}
	for _, x := range []float64{1, .5, .25, .1} {
		out = append(out, Cheat{
			Name: nameOf("s2", x), Scenario: "S2", Strength: x, Kind: "nj-mini", Key: "patron",
			Detectors: []string{"d06", "d07", "d09", "d10"},
			Doc:       fmt.Sprintf("a patron knows in %g %% of rounds whether the first card is a 6, 7, 8 or 9", 100*x),
			bets: func(c *crook, r *shoe.Round, deck []shoe.Card) {
				u, spot := c.rng.Float64(), c.coin()
				if c.acts(u < x) {
					spot = schema.SpotBanker
					if deck[0].Value() >= 6 {
						spot = schema.SpotPlayer
					}
				}
				c.bet(r, 0, spot, cheatUnit, false)
			},
		})
	}
	return out
}

// winner returns the main spot that wins with the next cards; on a tie the spot given.
func winner(deck []shoe.Card, tie schema.Spot) schema.Spot {
	coup := shoe.DealCoup(deck)
	switch coup.Result() {
	case schema.ResultBanker:
		return schema.SpotBanker
	case schema.ResultPlayer:
		return schema.SpotPlayer
	}
	return tie
}
