package detectors

import (
	"fmt"
	"math"

	"github.com/shoeproof/shoeproof/schema"
)

// Hold is the result of a table in a period, as the tests of regulators take it. Amounts are minor units.
type Hold struct {
	Property, Table, Period string
	// Currency formats Drop; empty if unknown.
	Currency string
	// Drop is the sum of stakes if no drop box is counted; Win is the part that the house won.
	Drop, Win int64
	// Expected is the exact expectation of the house given the cards of every round. Variance is the sum of the
	// variances of the wagers, in squared minor units.
	Expected, Variance float64
	Rounds             int
}

// HoldReport is the result of one test.
type HoldReport struct {
	Name, Citation string
	// Statistic is in Unit. Beyond Limit, in either direction, an investigation is required.
	Statistic, Limit float64
	Unit             string
	Investigate      bool
	Text             string
}

// Percent is the hold in per cent of the drop; 0 without a drop.
func (h *Hold) Percent() float64 {
	if h.Drop == 0 {
		return 0
	}
	return 100 * float64(h.Win) / float64(h.Drop)
}

// Z is the difference between the win and its expectation, in standard deviations.
func (h *Hold) Z() float64 {
	if h.Variance <= 0 {
		return 0
	}
	return (float64(h.Win) - h.Expected) / math.Sqrt(h.Variance)
}

// COMAR is the monthly test of COMAR 36.05.03.25(B)(2): a win-to-drop percentage outside the 95 per cent confidence
// interval around the base level is investigated. Under honest play one table in twenty is outside, in any month.
func COMAR(h *Hold, before []Hold) HoldReport {
	r := HoldReport{
		Name: "hold.confidence-interval", Citation: "COMAR 36.05.03.25(B)(2)",
		Unit: "percentage points", Limit: 1.959964 * h.points(),
	}
	r.compare(h, before)
	r.Investigate = r.Limit > 0 && math.Abs(r.Statistic) > r.Limit
	r.Text += "; under honest play one table in twenty is outside in any month: a reason for a review, not evidence"
	return r
}

// KAR is the monthly test of K.A.R. 112-108-51(b) and (c): a win-to-drop percentage that differs from the base level
// by more than the standard deviation, or by more than three points, is investigated.
func KAR(h *Hold, before []Hold) HoldReport {
	r := HoldReport{
		Name: "hold.standard-deviation", Citation: "K.A.R. 112-108-51(b),(c)", Unit: "percentage points", Limit: 3,
	}
	if sd := h.points(); sd > 0 {
		r.Limit = min(r.Limit, sd)
	}
	r.compare(h, before)
	r.Investigate = math.Abs(r.Statistic) > r.Limit
	r.Text += "; under honest play one table in three is beyond one standard deviation in any month: " +
		"a reason for a review, not evidence"
	return r
}

// base is the win-to-drop percentage that both regulations compare with: that of the previous business year, or of the
// previous month in the first year.
func base(periods []Hold) (percent float64, ok bool) {
	all := Hold{}
	for i := range periods {
		all.Drop += periods[i].Drop
		all.Win += periods[i].Win
	}
	return all.Percent(), all.Drop != 0
}

// points is one standard deviation of the hold in percentage points, exact given the wagers.
func (h *Hold) points() float64 {
	if h.Drop == 0 {
		return 0
	}
	return 100 * math.Sqrt(h.Variance) / float64(h.Drop)
}

func (r *HoldReport) compare(h *Hold, before []Hold) {
	level, ok := base(before)
	r.Text = fmt.Sprintf("table %s of %s, %s: hold %.2f %% of %s in %s",
		h.Table, h.Property, h.Period, h.Percent(), schema.Money(h.Drop, h.Currency), schema.Count(h.Rounds, "round"))
	if !ok {
		r.Limit = math.Inf(1)
		r.Text += "; no base period to compare with"
		return
	}
	r.Statistic = h.Percent() - level
	r.Text += fmt.Sprintf(", %+.2f points from the base level of %.2f %%; limit %.2f points; %+.2f standard deviations "+
		"from the expectation given the cards", r.Statistic, level, r.Limit, h.Z())
}
