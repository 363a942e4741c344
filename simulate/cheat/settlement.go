package cheat

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// dealerErrors are dealers who pay too much or collect too little.
func dealerErrors() []Cheat {
	var out []Cheat
	for _, x := range []float64{.1, .02} {
		out = append(out, Cheat{
			Name: nameOf("s8", x), Scenario: "S8", Strength: x, Kind: "nj-mini", Key: "dealer",
			Detectors: []string{"d12"}, Breach: true,
			Doc: fmt.Sprintf("a dealer forgets %g %% of vigorish", 100*x),
			settle: func(c *crook, r *shoe.Round) {
				for i := range r.Stakes {
					st := &r.Stakes[i]
					if u := c.rng.Float64(); st.Spot == schema.SpotBanker && r.Coup.Result() == schema.ResultBanker &&
						c.acts(c.dealing() && u < x) {
						st.Charged = -1
					}
				}
			},
		})
	}
	out = append(
		out,
		Cheat{
			Name: "s9-0.01", Scenario: "S9", Strength: .01, Kind: "nj-mini", Key: "dealer", Detectors: []string{"d11"},
			Breach: true,
			Doc:    "a dealer overpays 1 % of wagers", settle: overpay(.01, false),
		},
		Cheat{
			Name: "s15-0.05", Scenario: "S15", Strength: .05, Kind: "nj-mini", Key: "dealer+patron",
			Detectors: []string{"d11", "d10"}, Breach: true,
			Doc: "a dealer overpays 5 % of one patron's wagers", settle: overpay(.05, true),
		},
	)
	return out
}

// overpay returns losing wagers and pays winning wagers twice.
func overpay(rate float64, friend bool) func(*crook, *shoe.Round) {
	return func(c *crook, r *shoe.Round) {
		for i := range r.Stakes {
			st := &r.Stakes[i]
			u := c.rng.Float64()
			if st.Withdrawn || friend && st.Patron != c.patrons[0] || !c.acts(c.dealing() && u < rate) {
				continue
			}
			out, pays := c.table.Writer().House.Settle(st, &r.Coup)
			st.Forced, st.Outcome, st.Winnings = true, shoe.Won, 2*pays
			switch out {
			case shoe.Lost:
				st.Outcome = shoe.Pushed
			case shoe.Pushed:
				st.Winnings = st.Amount
			case shoe.Won:
			}
		}
	}
}
