package rules

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// restOf is the most that a seat still owes of vigorish that was taken with the payment and was too little: of the
// wagers that a collection names, or of all of the seat, less what its earlier collections took beyond the marks. The
// round reports that too little was taken.
func (p *Pass) restOf(collection int) (rest int64) {
	c := &p.Shoe.Collections[collection]
	for i := range p.Shoe.Dues {
		d := &p.Shoe.Dues[i]
		of := d.Seat == c.Seat && d.CollectedAt < c.Seq
		if c.Named {
			of = d.CollectedAt == c.Seq
		}
		if low, high := p.owes(d); of && d.Marked == 0 && d.Took > 0 && d.Took < low {
			rest += high - d.Took
		}
	}
	for i := 0; i < collection && !c.Named; i++ {
		if before := &p.Shoe.Collections[i]; before.Seat == c.Seat {
			rest -= max(before.Amount-before.Open, 0)
		}
	}
	return max(rest, 0)
}

// owes is the range of the vigorish of a wager, 0 if it is not known.
func (p *Pass) owes(d *record.Due) (low, high int64) {
	if d.Unproved {
		return 0, 0
	}
	if d.Tie {
		return law.TieCharge(p.Law.TiePercent(d.Kind), d.Stake)
	}
	if v, ok := p.Law.Rate(d.Kind, d.Percent); ok {
		return v.Low(d.Won), v.Up(d.Won)
	}
	return 0, 0
}

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
