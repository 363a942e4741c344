package detectors

import "math"

// effectAlpha is the chance, over all moments at which one may look, that the interval of an effect misses.
const effectAlpha = 0.001

// Effect is how far what was seen lies from honest play, as a mean per observation, with a confidence sequence: valid at
// every moment at once, so also at the one at which an alarm was raised. It is the predictable plug-in empirical Bernstein
// sequence of Waudby-Smith and Ramdas (J. R. Statist. Soc. B 86, 2024), for differences in [-1, 1].
type Effect struct {
	// N is the number of rounds, Times that of observations; Seen and Due are sums over these.
	N, Times  int
	Seen, Due float64
	// the sequence, on differences mapped to [0, 1]
	weights, weighted, spread, squares, sum float64
}

// Take adds a round: what was seen in it, summed over so many observations in [0, 1], and its mean given the past.
func (e *Effect) Take(seen, due float64, times int) {
	if seen == due {
		return
	}
	e.Times += times
	x := ((seen-due)/float64(times) + 1) / 2
	mean := (0.5 + e.sum) / float64(e.N+1)
	variance := (0.25 + e.squares) / float64(e.N+1)
	t := float64(e.N + 1)
	lambda := min(math.Sqrt(2*math.Log(2/effectAlpha)/(variance*t*math.Log(1+t))), 0.5)
	e.weights += lambda
	e.weighted += lambda * x
	e.spread += (x - mean) * (x - mean) * (-math.Log1p(-lambda) - lambda)
	e.N++
	e.Seen += seen
	e.Due += due
	e.sum += x
	d := x - (0.5+e.sum)/float64(e.N+1)
	e.squares += d * d
}

// Interval bounds the mean of seen minus due: it is missed, ever, with a chance of at most one in a thousand.
func (e *Effect) Interval() (low, high float64) {
	if e.N == 0 {
		return -1, 1
	}
	centre := e.weighted / e.weights
	half := (math.Log(2/effectAlpha) + e.spread) / e.weights
	return max(2*(centre-half)-1, -1), min(2*(centre+half)-1, 1)
}
