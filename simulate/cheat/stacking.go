package cheat

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// stacking are cards of the last shoe that come again in their order.
func stacking() []Cheat {
	var out []Cheat
	for _, foreign := range []float64{0, .1, .25} {
		for _, n := range []int{8, 10, 12, 20, 40} {
			c := Cheat{
				Name: nameOf("s3", float64(n)), Scenario: "S3", Strength: float64(n), Kind: "nj-mini", Key: "shoe",
				Detectors: []string{"d04", "d05", "d07"},
				Doc:       fmt.Sprintf("%d cards of the last shoe come again in their order", n),
				stack:     func(c *crook, deck []shoe.Card) []shoe.Card { return c.slip(deck, n, foreign) },
				bets:      betSlug,
			}
			if foreign > 0 {
				c.Name += fmt.Sprintf("-d%g", 100*foreign)
				c.Doc += fmt.Sprintf(", %g %% of them disturbed", 100*foreign)
			}
			out = append(out, c)
		}
	}
	for k := 1; k <= 6; k++ {
		out = append(out, Cheat{
			Name: nameOf("s4", float64(k)), Scenario: "S4", Strength: float64(k), Kind: "nj-mini", Key: "shoe",
			Detectors: []string{"d05", "d04"},
			Doc:       fmt.Sprintf("the pack is riffled %s and cut, no more", schema.Count(k, "time")),
			stack:     func(c *crook, deck []shoe.Card) []shoe.Card { return c.riffles(deck, k) },
		})
	}
	return out
}

// slip puts a run of the last shoe into a shuffled pack, where it will be dealt. foreign is the share of its cards
// that are exchanged.
func (c *crook) slip(deck []shoe.Card, n int, foreign float64) []shoe.Card {
	from, at := 12+c.rng.IntN(318-n), 20+c.rng.IntN(320-n)
	run := slices.Clone(deck[:n])
	if c.before != nil {
		run = slices.Clone(c.before[from : from+n])
	}
	for _, x := range run {
		i := slices.Index(deck, x)
		deck = slices.Delete(deck, i, i+1)
	}
	deck = slices.Insert(deck, at, run...)
	for i := at; i < at+n; i++ {
		if u, j := c.rng.Float64(), c.rng.IntN(len(deck)); u < foreign {
			deck[i], deck[j] = deck[j], deck[i]
		}
	}
	c.slug = [2]int{len(deck) - at, len(deck) - at - n}
	return deck
}

// betSlug bets on the winner of a round whose cards all belong to the slug, after four cards of the slug were dealt.
func betSlug(c *crook, r *shoe.Round, deck []shoe.Card) {
	spot := c.coin()
	amount := int64(cheatUnit / 10)
	coup := shoe.DealCoup(deck)
	first, last := c.slug[0]-len(deck), len(deck)-coup.Cards()
	if c.acts(first >= 4 && last >= c.slug[1]) {
		spot, amount = winner(deck, spot), cheatUnit
	}
	c.bet(r, 0, spot, amount, false)
}

// riffles shuffles the last shoe with k riffles and a cut at least 20 cards from either end.
func (c *crook) riffles(deck []shoe.Card, k int) []shoe.Card {
	pack := deck
	if c.before != nil {
		pack = slices.Clone(c.before)
	}
	for range k {
		pack = riffle(c.rng, pack)
	}
	n := 20 + c.rng.IntN(len(pack)-40)
	return slices.Concat(pack[n:], pack[:n])
}

// riffle returns the cards after one riffle by the model of Gilbert, Shannon and Reeds.
func riffle(rng *rand.Rand, cards []shoe.Card) []shoe.Card {
	n := 0
	for range cards {
		n += rng.IntN(2)
	}
	a, b := cards[:n], cards[n:]
	out := make([]shoe.Card, 0, len(cards))
	for len(a)+len(b) > 0 {
		if rng.IntN(len(a)+len(b)) < len(a) {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return out
}
