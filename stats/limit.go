package stats

import (
	"math"

	"github.com/shoeproof/shoeproof/numeric"
)

// UpperLimit returns the smallest count that at most a share alpha of binomial samples reach: n trials with the chance
// p. A control chart of many divides alpha by their number (Bonferroni), so that with the chance alpha at most any of
// them is at the limit or above by luck.
func UpperLimit(n uint64, p, alpha float64) uint64 {
	if p <= 0 {
		return 1
	}
	low, high := uint64(math.Ceil(min(p, 1)*float64(n))), n+1 // n+1 is never reached
	for low < high {
		if k := low + (high-low)/2; UpperTail(n, k, p) <= alpha {
			high = k
		} else {
			low = k + 1
		}
	}
	return low
}

// UpperTail is the chance of k or more successes in n trials with the chance p.
func UpperTail(n, k uint64, p float64) float64 {
	switch {
	case k == 0 || p >= 1 && k <= n:
		return 1
	case k > n:
		return 0
	}
	term := numeric.Exp(numeric.LnFactorial(n) - numeric.LnFactorial(k) - numeric.LnFactorial(n-k) +
		float64(float64(k)*numeric.Log(p)) + float64(float64(n-k)*numeric.Log1p(-p)))
	sum := 0.0
	for ; k <= n && (float64(k) <= float64(n)*p || term > sum*1e-16); k++ {
		sum += term
		term *= float64(n-k) / float64(k+1) * p / (1 - p)
	}
	return min(1, sum)
}
