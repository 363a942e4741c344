package detectors

import (
	"cmp"
	"slices"

	"github.com/shoeproof/shoeproof/numeric"
)

// Evidence is the evidence about a key at one time, for the review of a day.
type Evidence struct {
	Detector string
	Key      Key
	LnE      float64
}

// Reviews are the days of a month in which keys are selected for review, and how many were selected so far.
type Reviews struct {
	// Alpha is the maximum expected part of false ones among all that is selected in the month, at any time.
	Alpha    float64
	Selected int
}

// ReviewDays is the number of days between which a month divides its error.
const ReviewDays = 31

// LnLimit is the natural logarithm of the e-value that k of n keys of a day must reach.
func (r *Reviews) LnLimit(n, k int) float64 {
	return numeric.Log(float64(n) * ReviewDays / (r.Alpha * float64(r.Selected+k)))
}

// Day selects from the keys of a day those to review, strongest first, and counts them. It is e-LOND (Xu and Ramdas,
// Online multiple testing with e-values, AISTATS 2024), applied to the keys of a day at once, as e-BH does (Wang and
// Ramdas, J. R. Statist. Soc. B 84, 2022): the hypotheses of a day have equal weights, the days of a month too.
//
// A selected key has an e-value of at least n ReviewDays / (Alpha S), and S is at most the number of all keys that are
// selected in the month. The expected part of false ones is thus at most the sum of Alpha e / (n ReviewDays) over the
// honest keys, which is at most Alpha, under any dependence and after each day. The number of keys of a day is taken as
// given. Values are those at the end of the day: not maxima over time.
func (r *Reviews) Day(all []Evidence) []Evidence {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b Evidence) int {
		return cmp.Or(
			cmp.Compare(b.LnE, a.LnE), cmp.Compare(a.Detector, b.Detector), cmp.Compare(a.Key.String(), b.Key.String()))
	})
	for k := len(sorted); k > 0; k-- {
		if sorted[k-1].LnE >= r.LnLimit(len(all), k) {
			r.Selected += k
			return sorted[:k]
		}
	}
	return nil
}
