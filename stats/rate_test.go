package stats

import (
	"fmt"
	"math"
	"testing"
)

// Newcombe (1998), Statistics in Medicine 17:857, table I, method 3.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      uint64
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662},
		{15, 148, 0.0624, 0.1605},
		{0, 20, 0, 0.1611},
		{1, 29, 0.0061, 0.1718},
		{0, 0, 0, 1},
		{30, 20, 0.8389, 1}, // k is limited to n
	} {
		if low, high := Wilson(c.k, c.n); math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}

func ExampleWilson() {
	low, high := Wilson(0, MinRounds)
	fmt.Printf("0 errors in %d rounds: %.1f to %.1f in 1000\n", MinRounds, 1000*low, 1000*high)
	// Output: 0 errors in 500 rounds: 0.0 to 7.6 in 1000
}
