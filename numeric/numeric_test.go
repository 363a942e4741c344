package numeric_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/shoeproof/shoeproof/numeric"
)

// ulps is the distance of two numbers in units of the last place.
func ulps(a, b float64) float64 {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return 0
	}
	return math.Abs(a-b) / (math.Nextafter(math.Abs(b), math.Inf(1)) - math.Abs(b))
}

// math is right within 1 ulp on every processor, so that 2 ulp of distance are 1 more.
func TestNearMath(t *testing.T) {
	inRange := rapid.Float64Range
	for name, f := range map[string]struct {
		ours, theirs func(float64) float64
		values       *rapid.Generator[float64]
		most         float64
	}{
		"Log":        {numeric.Log, math.Log, inRange(0, math.MaxFloat64), 2},
		"Log near 1": {numeric.Log, math.Log, inRange(0.5, 2), 2},
		"Exp":        {numeric.Exp, math.Exp, inRange(-708, 709), 2},
		"Exp near 0": {numeric.Exp, math.Exp, inRange(-1, 1), 2},
		"Log1p":      {numeric.Log1p, math.Log1p, inRange(-0.999, 10), 4},
		"Expm1":      {numeric.Expm1, math.Expm1, inRange(-10, 10), 6},
	} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			x := f.values.Draw(t, "x")
			if got, want := f.ours(x), f.theirs(x); ulps(got, want) > f.most {
				t.Fatalf("of %v: %v, math has %v", x, got, want)
			}
		}))
	}
	for n := range uint64(3000) {
		want, _ := math.Lgamma(float64(n) + 1)
		if got := numeric.LnFactorial(n); math.Abs(got-want) > 4e-15*max(1, want) {
			t.Errorf("ln %d!: %v, math has %v", n, got, want)
		}
	}
	if got := numeric.Pow(0.3, 2.5); ulps(got, math.Pow(0.3, 2.5)) > 4 {
		t.Errorf("0.3^2.5 is %v", got)
	}
}

func TestLimits(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Log(0)", numeric.Log(0), -inf},
		{"Log(-1)", numeric.Log(-1), nan},
		{"Log(Inf)", numeric.Log(inf), inf},
		{"Log(NaN)", numeric.Log(nan), nan},
		{"Log(1)", numeric.Log(1), 0},
		{"Log(smallest)", numeric.Log(math.SmallestNonzeroFloat64), -744.4400719213812}, // math on amd64: -709.1,
		{"Exp(0)", numeric.Exp(0), 1},
		{"Exp(-Inf)", numeric.Exp(-inf), 0},
		{"Exp(Inf)", numeric.Exp(inf), inf},
		{"Exp(NaN)", numeric.Exp(nan), nan},
		{"Exp(709.9)", numeric.Exp(709.9), inf},
		{"Exp(-745)", numeric.Exp(-745), math.SmallestNonzeroFloat64},
		{"Exp(-745.2)", numeric.Exp(-745.2), 0},
		{"Log1p(-1)", numeric.Log1p(-1), -inf},
		{"Log1p(1e-300)", numeric.Log1p(1e-300), 1e-300},
		{"Log1p(Inf)", numeric.Log1p(inf), inf},
		{"Expm1(1e-300)", numeric.Expm1(1e-300), 1e-300},
		{"Expm1(-Inf)", numeric.Expm1(-inf), -1},
		{"Expm1(Inf)", numeric.Expm1(inf), inf},
	} {
		if c.got != c.want && !(math.IsNaN(c.got) && math.IsNaN(c.want)) {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
}
