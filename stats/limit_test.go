package stats_test

import (
	"testing"

	"github.com/shoeproof/shoeproof/stats"
)

// The limits are the quantiles of binomial tables: of 20 trials at 1 in 2, the share that reaches 15 is 0.0207 and 16
// is
// 0.0059; of 10 at 1 in 10, 4 is 0.0128 and 5 is 0.0016.
func TestUpperLimit(t *testing.T) {
	for _, c := range []struct {
		n        uint64
		p, alpha float64
		want     uint64
	}{
		{20, 0.5, 0.021, 15},
		{20, 0.5, 0.0206, 16},
		{20, 0.5, 0.0059, 17},
		{10, 0.1, 0.013, 4},
		{10, 0.1, 0.012, 5},
		{10, 0, 0.05, 1},
		{10, 1, 0.05, 11},
		{0, 0.5, 0.05, 1},
	} {
		if got := stats.UpperLimit(c.n, c.p, c.alpha); got != c.want {
			t.Errorf("n %d, p %v, alpha %v: %d, want %d", c.n, c.p, c.alpha, got, c.want)
		}
	}
	// A large sample: the normal quantile of 1 in 1,000 is 3.09.
	if got := stats.UpperLimit(100_000, 0.005, 0.001); got < 568 || got > 573 {
		t.Errorf("of 100,000 at 5 in 1,000: %d", got)
	}
}
