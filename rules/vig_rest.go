package rules

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
)

// mixedRates reports whether the marks of a collection are of rounds with different percentages.
func mixedRates(c *record.Collection) bool {
	return slices.ContainsFunc(c.Whole, func(m record.Mark) bool { return m.Percent != 0 && m.Percent != c.Percent })
}

// roundedByRate is the amount of a collection with the marks of each percentage rounded as one sum: "the amount of a
// five percent vigorish to 25 cents ... and the amount of a four percent vigorish to 20 cents". N.J.A.C. 19:47-3.3(c).
func (p *Pass) roundedByRate(v baccarat.Vig, c *record.Collection) int64 {
	if p.option("vig_rounding_stage") == "per_wager" || !mixedRates(c) {
		return c.Open
	}
	of := func(percent int64) (sum int64) {
		for _, m := range c.Whole {
			if m.Percent == percent {
				sum = baccarat.Add(sum, m.Marked)
			}
		}
		return sum
	}
	var marked, rounded int64
	for i, m := range c.Whole {
		if slices.ContainsFunc(c.Whole[:i], func(before record.Mark) bool { return before.Percent == m.Percent }) {
			continue
		}
		marked = baccarat.Add(marked, of(m.Percent))
		rounded = baccarat.Add(rounded, p.rateOf(c, m.Percent, v).RoundUp(of(m.Percent)))
	}
	if marked != c.Open {
		return c.Open // a part of a mark was taken before
	}
	return rounded
}
