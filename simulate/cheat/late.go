package cheat

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// lateBets are patrons who bet, or change their stake, when no more bets are called.
func lateBets() []Cheat {
	var out []Cheat
	for _, x := range []float64{.5, .25, .1} {
		out = append(out, Cheat{
			Name: nameOf("s6", x), Scenario: "S6", Strength: x, Kind: "nj-mini", Key: "patron",
			Detectors: []string{"d07", "d16", "d06", "d09", "d10"},
			Doc: fmt.Sprintf("a patron bets late in half of the rounds, "+
				"and knows the winner for %g %% of the late bets", 100*x),
			bets: func(c *crook, r *shoe.Round, deck []shoe.Card) {
				u, v, spot := c.rng.Float64(), c.rng.IntN(2) == 0, c.coin()
				if c.acts(v && u < x) {
					spot = winner(deck, spot)
				}
				c.bet(r, 0, spot, cheatUnit, false).Late = v
			},
		})
	}
	for _, x := range []float64{1, .9, .7} {
		out = append(out, Cheat{
			Name: nameOf("s7", x), Scenario: "S7", Strength: x, Kind: "nj-mini", Key: "patron",
			Detectors: []string{"d20", "d11"}, Breach: true, Reads: true,
			Doc: fmt.Sprintf("a patron changes the stake after the deal in a fifth of rounds, "+
				"%g %% of the changes to his favour", 100*x),
			settle: func(c *crook, r *shoe.Round) {
				u, v := c.rng.Float64(), c.rng.Float64()
				for i := range r.Stakes {
					st := &r.Stakes[i]
					if st.Patron != c.patrons[0] || st.Withdrawn || st.Spot > schema.SpotPlayer {
						continue
					}
					out, pays := c.table.Writer().House.Settle(st, &r.Coup)
					if out == shoe.Pushed {
						return
					}
					up := (out == shoe.Won) == (v < x)
					if c.acts(u < .2) {
						moved(st, up, out, pays)
					}
					return
				}
			},
		})
	}
	return out
}

// moved raises or lowers a stake by half after the deal; it is settled at the new amount.
func moved(st *shoe.Stake, up bool, out shoe.Outcome, pays int64) {
	st.Forced, st.Outcome, st.Winnings = true, out, pays
	st.AtSettlement = st.Amount + st.Amount/2
	if !up {
		st.AtSettlement = st.Amount / 2
	}
	if out == shoe.Won {
		st.Winnings = pays * st.AtSettlement / st.Amount
	}
}
