package cheat

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// money are patrons who offset each other and trays that lose chips.
func money() []Cheat {
	var out []Cheat
	for _, x := range []float64{1, .95} {
		out = append(out, Cheat{
			Name: nameOf("s11", x), Scenario: "S11", Strength: x, Kind: "nj-mini", Key: "pair",
			Detectors: []string{"d15"}, twoPatrons: true,
			Doc: fmt.Sprintf("two patrons bet the same against each other in %g %% of rounds", 100*x), bets: offset(x),
		})
	}
	return append(
		out,
		Cheat{
			Name: "s13", Scenario: "S13", Strength: 1, Kind: "nj-mini", Key: "table", Detectors: []string{"d14"},
			Trays: true,
			Doc:   "chips leave the tray unseen in one shoe of two", tray: func(c *crook) (fill, missing int64) {
				return 0, 250_000 * c.rng.Int64N(2)
			},
		},
		Cheat{
			Name: "s14", Scenario: "S14", Strength: 1, Kind: "nj-mini", Key: "table", Detectors: []string{"d14"},
			Trays: true,
			Doc:   "a fill is signed for that never came to the table", tray: func(*crook) (fill, missing int64) {
				return 1_000_000, 1_000_000
			},
		},
	)
}

// offset makes two patrons bet equal stakes on opposite spots in a share of rounds.
func offset(x float64) func(*crook, *shoe.Round, []shoe.Card) {
	return func(c *crook, r *shoe.Round, _ []shoe.Card) {
		u, a, b := c.rng.Float64(), c.coin(), c.coin()
		if c.acts(u < x) {
			b = schema.SpotBanker + schema.SpotPlayer - a
		}
		c.bet(r, 0, a, cheatUnit, false)
		c.bet(r, 1, b, cheatUnit, false)
	}
}
