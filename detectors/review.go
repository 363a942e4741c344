package detectors

import (
	"cmp"
	"math"
	"slices"
)

// Evidence is the evidence about a key at one time, for the review of a day.
type Evidence struct {
	Detector string
	Key      Key
	LnE      float64
}

// Review selects from the keys of one day those to review, strongest first. Of the keys of that day that it selects, an
// expected part of at most alpha is false; a day on which only false ones are selected counts as a whole, so that on at
// most a part alpha of days of honest play any is selected. That holds for each day, not for the union of the days:
// without cheats all that is selected is false. It is e-BH (Wang and Ramdas, J. R. Statist. Soc. B 84, 2022), valid
// under any dependence, for values at one common time: not for maxima over time.
func Review(all []Evidence, alpha float64) []Evidence {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b Evidence) int {
		return cmp.Or(
			cmp.Compare(b.LnE, a.LnE), cmp.Compare(a.Detector, b.Detector), cmp.Compare(a.Key.String(), b.Key.String()))
	})
	for k := len(sorted); k > 0; k-- {
		if sorted[k-1].LnE >= math.Log(float64(len(all))/(float64(k)*alpha)) {
			return sorted[:k]
		}
	}
	return nil
}
