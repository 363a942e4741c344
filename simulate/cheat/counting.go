package cheat

import (
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// counting are patrons who place a side bet when the count favours it.
func counting() []Cheat {
	var out []Cheat
	for _, bet := range []struct {
		name, kind, doc string
		spot            schema.Spot
		good            func(*crook, int) bool
	}{
		{"s5-d7", "ny-ez", "dragon 7", schema.SpotDragon7, goodDragon},
		{"s5-b7", "treasures-mini", "Blazing 7s", schema.SpotBlazing7s, goodSevens},
	} {
		for _, how := range []struct {
			name, doc       string
			signals, covers float64
		}{
			{"full", "all signals", 1, 0},
			{"cover", "all signals and 5 % of other rounds", 1, .05},
			{"half", "half of the signals and 5 % of other rounds", .5, .05},
		} {
			out = append(out, Cheat{
				Name: bet.name + "-" + how.name, Scenario: "S5", Strength: how.signals, Kind: bet.kind, Key: "patron",
				Detectors: []string{"d08", "d09", "d07"},
				Doc:       "a patron counts cards for " + bet.doc + ": " + how.doc,
				tune: func(c *schema.TableConfig) {
					if c.PayTables != nil {
						c.PayTables["treasures"] = "2"
					}
				},
				bets: func(c *crook, r *shoe.Round, deck []shoe.Card) {
					u, good := c.rng.Float64(), bet.good(c, len(deck))
					c.bet(r, 0, c.coin(), cheatUnit/100, false)
					bets := u < how.covers
					if c.acts(good && u < how.signals) || !c.on && u < .1 || c.twin && c.on && u < .1 {
						bets = true
					}
					if bets {
						c.bet(r, 0, bet.spot, cheatUnit/10, true)
					}
				},
			})
		}
	}
	return out
}

// goodDragon reports whether Jacobson's count favours dragon 7: a true count of 4 or more.
func goodDragon(c *crook, left int) bool {
	tags := [10]int{4: -1, 5: -1, 6: -1, 7: -1, 8: 2, 9: 2}
	sum := 0
	for v, n := range c.dealt {
		sum += tags[v] * n
	}
	return 52*sum >= 4*left
}

// sevensEffect is the change in the expected value of a Blazing 7s wager when one card of each value leaves eight
// decks.
var sevensEffect = [10]float64{
	.002497, .001607, -.000838, -.001455, -.001714, -.001407, -.000825, -.013851, .004241,
	.004255,
}

// goodSevens reports whether a count by sevensEffect favours Blazing 7s (200:1, 50:1).
func goodSevens(c *crook, left int) bool {
	ev := -0.0777970098
	for v, n := range c.dealt {
		ev += sevensEffect[v] * float64(n) * 416 / float64(left)
	}
	return ev > 0
}
