package detectors

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// clone copies the slug detector.
func (d *slug) clone() *slug {
	c := *d
	c.factors, c.mixture = slices.Clone(d.factors), slices.Clone(d.mixture)
	c.copies = slices.Clone(d.copies)
	for i := range c.copies {
		x := &c.copies[i]
		x.Live, x.steps = slices.Clone(x.Live), &steps{}
		x.Old = slices.Clone(x.Old)
		if x.Own {
			x.at.far = maps.Clone(x.at.far)
			for card, places := range x.at.far {
				x.at.far[card] = slices.Clone(places)
			}
		}
	}
	return &c
}

// next returns the factor of a card.
func (d *slug) next(c baccarat.Card, q float64) float64 {
	for i := range d.copies {
		d.factors[i] = d.copies[i].add(c, q)
	}
	return math.Exp(d.mixture.update(0, d.factors))
}

// The copy model at odds that no simulation of honest play reaches: shoes are dealt from the model, so that runs of
// the previous shoe repeat, until the evidence exceeds a billion. At every card the mean of its factor over all
// possible cards is at most 1, exactly; the probability of this evidence under honest play, by the likelihood ratio,
// is at most one in a billion.
func TestRareSlugs(t *testing.T) {
	runs := testkit.Soak(2, 8)
	for _, a := range []float64{1e3, 1e9} {
		sum, squares, met, cards := 0.0, 0.0, 0, 0
		for seed := range uint64(runs) {
			rng := rand.New(rand.NewPCG(seed, 0x51c))
			var before []Card
			for _, c := range rng.Perm(8 * 52)[:400] {
				before = append(before, Card{Card: baccarat.Card(c%52 + 1)})
			}
			p := DefaultBudget()
			d := d04.start(&p).(*slug)
			d.Begin(&Shoe{Before: before}, nil)
			left := [53]int{}
			for c := 1; c <= 52; c++ {
				left[c] = 8
			}
			lnE, lnRatio := 0.0, 0.0
			for total := 8 * 52; total > 60 && lnE < math.Log(a); total-- {
				var law [53]float64
				mean := 0.0
				for c := range baccarat.Card(53) {
					if left[c] > 0 {
						q := float64(left[c]) / float64(total)
						law[c] = q * d.clone().next(c, q)
						mean += law[c]
					}
				}
				if cards++; mean > 1+1e-12 {
					t.Fatalf("seed %d, %d cards left, evidence of ln %.1f: the mean of the factor is %.15f", seed, total, lnE, mean)
				}
				u, card := rng.Float64()*mean, baccarat.Card(0)
				for c := range baccarat.Card(53) {
					if law[c] > 0 && u >= 0 {
						card = c
						u -= law[c]
					}
				}
				q := float64(left[card]) / float64(total)
				e := d.next(card, q)
				lnE += math.Log(e)
				lnRatio += math.Log(mean / e)
				left[card]--
			}
			if lnE >= math.Log(a) {
				met++
				sum += math.Exp(lnRatio)
				squares += math.Exp(2 * lnRatio)
			}
		}
		n := float64(runs)
		mean := sum / n
		se := math.Sqrt(max(squares/n-mean*mean, 0) / n)
		t.Logf("at %g: %d of %d shoes, %d cards; chance under honest play %.3g ± %.1g, %.2f of the bound",
			a, met, runs, cards, mean, se, mean*a)
		if met < runs/2 || mean > 1/a {
			t.Errorf("at %g: %d of %d shoes, chance %.3g", a, met, runs, mean)
		}
	}
}
