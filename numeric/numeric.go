// Package numeric has the functions of math whose results differ between processors, written so that they do not: the
// same events give the same findings to the last digit on amd64, arm64 and WebAssembly.
//
// math uses machine code or fused instructions where the processor has them, and a compiler may fuse a product and a
// sum. An explicit conversion forbids that (The Go Programming Language Specification, Floating-point operators):
// float64(a*b) + c. TestFloatsArePortable holds the packages that judge to both. Compared with values of 60 digits, the
// errors are below 1 ulp for Exp and Log, and below 3 for Log1p and Expm1.
package numeric

import "math"

// ln2High has 32 bits, so that its product with an exponent is exact. The sum of both is ln 2.
const (
	ln2High = 0x1.62e42feep-1
	ln2Low  = math.Ln2 - ln2High
)

// Log is the natural logarithm. x is 2^k (1+f) with 1+f between the roots of 1/2 and 2, and s is f/(2+f). The series is
// that of ln(1+f) = ln((1+s)/(1-s)) = 2s + s (2/3 s^2 + 2/5 s^4 + ...), where 2s = f - f^2/2 + s f^2/2 loses nothing.
func Log(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	f, exponent := math.Frexp(x)
	if f < math.Sqrt2/2 {
		f *= 2
		exponent--
	}
	f--
	k, s, half := float64(exponent), f/(2+f), float64(0.5*f*f)
	z := s * s
	w := z * z
	odd := float64(w * (2.0/5 + float64(w*(2.0/9+float64(w*(2.0/13+float64(w*(2.0/17+float64(w*(2.0/21))))))))))
	even := float64(z * (2.0/3 + float64(w*(2.0/7+float64(w*(2.0/11+float64(w*(2.0/15+float64(w*(2.0/19))))))))))
	return float64(k*ln2High) - ((half - (float64(s*(half+(even+odd))) + float64(k*ln2Low))) - f)
}

// Exp is e^x. x is k ln 2 + r with r at most ln 2 / 2, and e^r is 1 + r + r c / (2-c), where r - c is the series of
// r coth(r/2) - 2 = r^2/6 - r^4/360 + ..., with the Bernoulli numbers.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	k := math.Round(x / math.Ln2)
	high, low := x-float64(k*ln2High), float64(k*ln2Low)
	r := high - low
	z := r * r
	c := r - float64(z*(1.0/6+float64(z*(-1.0/360+float64(z*(1.0/15120+float64(z*(-1.0/604800+
		float64(z*(1.0/23950080+float64(z*(-691.0/653837184000))))))))))))
	return math.Ldexp(1-((low-float64(r*c)/(2-c))-high), int(k))
}

// Log1p is ln(1+x), exact for small x: what 1+x rounds away is put right by the quotient (Kahan).
func Log1p(x float64) float64 {
	u := 1 + x
	if u == 1 || math.IsInf(u, 1) {
		return x
	}
	return float64(Log(u)*x) / (u - 1)
}

// Expm1 is e^x - 1, exact for small x (Kahan).
func Expm1(x float64) float64 {
	u := Exp(x)
	switch {
	case u == 1:
		return x
	case u-1 == -1 || math.IsInf(u, 1):
		return u - 1
	}
	return float64((u-1)*x) / Log(u)
}

// Pow is x^y for positive x.
func Pow(x, y float64) float64 { return Exp(y * Log(x)) }

// LnFactorial is ln n!, by the series of Stirling where n! is no exact float64.
func LnFactorial(n uint64) float64 {
	const exact = 18
	x := float64(n)
	if n <= exact {
		product := 1.0
		for ; x > 1; x-- {
			product *= x
		}
		return Log(product)
	}
	z := 1 / x
	w := z * z
	series := float64(z * (1.0/12 - float64(w*(1.0/360-float64(w*(1.0/1260-float64(w*(1.0/1680))))))))
	return float64(x*Log(x)) - x + float64(0.5*Log(2*math.Pi*x)) + series
}
