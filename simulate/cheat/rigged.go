package cheat

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// rigged are packs with wrong cards and hands that are chosen.
func rigged() []Cheat {
	ace, nine := shoe.Card(40), shoe.Card(48) // of spades
	one := func(what, doc string, change func(*crook, []shoe.Card) []shoe.Card) Cheat {
		c := Cheat{
			Name: "s10-" + what, Scenario: "S10", Strength: 1, Kind: "nj-mini", Key: "batch",
			Detectors: []string{"d02", "d01"}, Doc: doc, stack: change,
		}
		if what != "missing" { // the ninth copy of a card breaks a rule
			c.Breach, c.Detectors = true, []string{"d01", "d02"}
		}
		return c
	}
	missing := func(deck []shoe.Card, x shoe.Card) []shoe.Card {
		i := slices.Index(deck, x)
		return slices.Delete(deck, i, i+1)
	}
	extra := func(c *crook, deck []shoe.Card, x shoe.Card) []shoe.Card {
		return slices.Insert(deck, c.rng.IntN(len(deck)+1), x)
	}
	return append([]Cheat{
		one("missing", "an ace of spades is missing", func(_ *crook, deck []shoe.Card) []shoe.Card {
			return missing(deck, ace)
		}),
		one("extra", "a nine of spades too many", func(c *crook, deck []shoe.Card) []shoe.Card {
			return extra(c, deck, nine)
		}),
		one("extra2", "two nines of spades too many", func(c *crook, deck []shoe.Card) []shoe.Card {
			return extra(c, extra(c, deck, nine), nine)
		}),
		one("swapped", "an ace of spades exchanged for a nine", func(c *crook, deck []shoe.Card) []shoe.Card {
			return extra(c, missing(deck, ace), nine)
		}),
	}, chosenHands()...)
}

// chosenHands are shoes whose hands give one result too often.
func chosenHands() []Cheat {
	var out []Cheat
	for _, x := range []struct {
		name   string
		chance float64
		result schema.Result
	}{{"banker", .5, schema.ResultBanker}, {"tie", .12, schema.ResultTie}} {
		honest := map[schema.Result]float64{schema.ResultBanker: .4586, schema.ResultTie: .0952}[x.result]
		out = append(out, Cheat{
			Name: "s12-" + x.name, Scenario: "S12", Strength: x.chance, Kind: "nj-mini", Key: "table",
			Detectors: []string{"d03", "d07", "d09"},
			Doc:       fmt.Sprintf("the shoe gives %g %% %s", 100*x.chance, x.result),
			rig: func(c *crook, deck []shoe.Card) {
				u, seed := c.rng.Float64(), c.rng.Uint64()
				if !c.acts(u < (x.chance-honest)/(1-honest)) {
					return
				}
				for range deal.Trials {
					coup := shoe.DealCoup(deck)
					if coup.Result() == x.result {
						return
					}
					for i := range 6 {
						seed = shoe.Mix(seed)
						j := i + int(seed%uint64(len(deck)-i))
						deck[i], deck[j] = deck[j], deck[i]
					}
				}
			},
		})
	}
	return out
}
