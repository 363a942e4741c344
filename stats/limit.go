package stats

import "math"

// UpperLimit returns the smallest count that at most a share alpha of binomial samples reach: n trials with the chance
// p. A control chart of many divides alpha by their number (Bonferroni), so that with the chance alpha at most any of
// them is at the limit or above by luck.
func UpperLimit(n uint64, p, alpha float64) uint64 {
	if p <= 0 {
		return 1
	}
	low, high := uint64(math.Ceil(min(p, 1)*float64(n))), n+1 // n+1 is never reached
	for low < high {
		if k := low + (high-low)/2; upperTail(n, k, p) <= alpha {
			high = k
		} else {
			low = k + 1
		}
	}
	return low
}

// upperTail is the chance of k or more successes, for k of at least n p: the terms fall from there.
func upperTail(n, k uint64, p float64) float64 {
	if k > n {
		return 0
	}
	if p >= 1 {
		return 1
	}
	gamma := func(v uint64) float64 { l, _ := math.Lgamma(float64(v) + 1); return l }
	term := math.Exp(gamma(n) - gamma(k) - gamma(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	sum := 0.0
	for ; k <= n && term > sum*1e-16; k++ {
		sum += term
		term *= float64(n-k) / float64(k+1) * p / (1 - p)
	}
	return min(1, sum)
}
