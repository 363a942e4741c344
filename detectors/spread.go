package detectors

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
)

// Stake is what is staked on one spot in a round: a word of the contract, or of the rulebook.
type Stake struct {
	Spot   string
	Amount int64
}

// terms returns the terms of a spot by its word; nil if they are not known.
func (o *Offer) terms(word string) *exact.Terms {
	t := o.Further[word]
	if spot := baccarat.ParseSpot(word); t == nil && spot <= baccarat.SpotOther {
		t = &o.Terms[spot]
	}
	if t == nil || !t.Offered {
		return nil
	}
	return t
}

// Known reports whether the exact chances of a spot are known.
func (o *Offer) Known(word string) bool { return o.terms(word) != nil }

// Spread returns the expected profit of the stakes of one round, and its variance, in minor units and their square.
// Wagers of one round win and lose together: the variance is that of their sum over the outcomes. A wager on a pair
// counts as independent of the outcome, which is exact but for the few outcomes that a pair makes more likely. Spots
// that are not Known are left out.
func (o *Offer) Spread(odds *exact.Odds, stakes []Stake) (mean, variance float64) {
	var profit [exact.Classes]float64
	for _, s := range stakes {
		t, amount := o.terms(s.Spot), float64(s.Amount)
		switch {
		case t == nil:
		case t.OnPair:
			mean += float64(amount * t.EV(odds))
			variance += float64(amount * amount * t.Variance(odds))
		default:
			for class, unit := range t.Profit {
				profit[class] += float64(amount * unit)
			}
		}
	}
	var sum, squares float64
	for _, class := range o.Kernel.Classes() {
		p := profit[class]
		sum += float64(odds.P[class] * p)
		squares += float64(odds.P[class] * p * p)
	}
	return mean + sum, variance + max(0, squares-float64(sum*sum))
}
