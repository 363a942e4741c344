package detectors

import (
	"math"

	"github.com/shoeproof/shoeproof/numeric"
)

// effectAlpha is the probability that the interval of an effect misses it at any time.
const effectAlpha = 0.001

// effect is the mean difference between observation and expectation, with a confidence sequence: an interval that is
// valid at all times at once, so also at the time of an alarm. It is the predictable plug-in empirical Bernstein
// sequence of Waudby-Smith and Ramdas (J. R. Statist. Soc. B 86, 2024), for differences in [-1, 1].
type effect struct {
	// N is the number of rounds, Times the number of observations. Observed and Expected are sums over the observations.
	N, Times           int32
	Observed, Expected float64
	// The confidence sequence, for differences mapped to [0, 1]: the sums of the weights, of the weighted differences, of
	// the spread, of the squared deviations and of the differences.
	Weights, Weighted, Spread, Squares, Sum float64
}

// add takes a round: the sum of a number of observations in [0, 1], and its mean given the past.
func (e *effect) add(observed, expected float64, times int) {
	if observed == expected {
		return
	}
	e.Times += int32(times)
	x := float64(((observed-expected)/float64(times) + 1) / 2)
	mean := (0.5 + e.Sum) / float64(e.N+1)
	variance := (0.25 + e.Squares) / float64(e.N+1)
	t := float64(e.N + 1)
	lambda := min(math.Sqrt(2*numeric.Log(2/effectAlpha)/(variance*t*numeric.Log(1+t))), 0.5)
	e.Weights += lambda
	e.Weighted += float64(lambda * x)
	e.Spread += float64((x - mean) * (x - mean) * (-numeric.Log1p(-lambda) - lambda))
	e.N++
	e.Observed += observed
	e.Expected += expected
	e.Sum += x
	d := x - (0.5+e.Sum)/float64(e.N+1)
	e.Squares += float64(d * d)
}

// interval bounds the mean of observed minus expected. It misses the mean, at any time, with a probability of at most
// 0.001.
func (e *effect) interval() (low, high float64) {
	if e.N == 0 {
		return -1, 1
	}
	centre := e.Weighted / e.Weights
	half := (numeric.Log(2/effectAlpha) + e.Spread) / e.Weights
	return max(2*(centre-half)-1, -1), min(2*(centre+half)-1, 1)
}
