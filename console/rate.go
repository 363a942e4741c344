package console

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/stats"
)

// rate is a rate of findings per round with its 95 % interval, and its position in a drawing of 200 units.
type rate struct {
	store.Tally
	Rate, Low, High float64
	// TooFew reports fewer rounds than stats.MinRounds: the rate is not shown.
	TooFew bool
	// X and W are the start and the width of the interval, M is the position of the rate.
	X, W, M          int
	Property, Dealer string
	// AboveHouse reports that the whole interval is above the rate of the house.
	AboveHouse bool
	// Limit is the number of findings that is at the limit of the control chart, AtLimit that the dealer reaches it.
	Limit   uint64
	AtLimit bool
}

func rateOf(t store.Tally, scale, house float64) rate {
	r := rate{Tally: t, TooFew: t.Rounds < stats.MinRounds}
	if t.Rounds > 0 {
		r.Rate = float64(t.Findings) / float64(t.Rounds)
	}
	r.Low, r.High = stats.Wilson(t.Findings, t.Rounds)
	r.X, r.M = drawn(r.Low, scale), drawn(r.Rate, scale)
	r.W = max(1, drawn(r.High, scale)-r.X)
	r.AboveHouse = !r.TooFew && r.Low > house
	r.Property, r.Dealer, _ = strings.Cut(t.Name, "/")
	return r
}

// drawn is the position of a value in the drawing; scale is the value at its right edge.
func drawn(value, scale float64) int { return int(200 * min(1, value/scale)) }

// ratesOf returns the rate of each dealer, the rate of the house, and the scale of the drawing. Rates come first, the
// highest lower bound at the top; dealers without a rate follow.
func ratesOf(tallies []store.Tally) (rates []rate, house, scale float64) {
	var found, all uint64
	for _, t := range tallies {
		found += t.Findings
		all += t.Rounds
	}
	if all > 0 {
		house = float64(found) / float64(all)
	}
	scale = scaleOf(tallies)
	rates = make([]rate, len(tallies))
	for i, t := range tallies {
		rates[i] = rateOf(t, scale, house)
	}
	slices.SortStableFunc(rates, func(a, b rate) int {
		switch {
		case a.TooFew != b.TooFew:
			if a.TooFew {
				return 1
			}
			return -1
		case a.TooFew:
			return 0
		}
		return cmp.Compare(b.Low, a.Low)
	})
	return rates, house, scale
}

// scaleOf returns a scale that fits each interval.
func scaleOf(tallies []store.Tally) float64 {
	scale := 0.01
	for _, t := range tallies {
		if t.Rounds >= stats.MinRounds {
			_, high := stats.Wilson(t.Findings, t.Rounds)
			scale = max(scale, high*1.1)
		}
	}
	return scale
}
