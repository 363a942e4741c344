package baccarat

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Odds are what a winning stake is paid: To:For, "8:1" pays eight for each one staked and gives the
// stake back besides. The zero value is no odds.
type Odds struct{ To, For int64 }

// ParseOdds reads "8:1".
func ParseOdds(s string) (Odds, error) {
	to, per, ok := strings.Cut(s, ":")
	a, err1 := strconv.ParseInt(to, 10, 32)
	b, err2 := strconv.ParseInt(per, 10, 32)
	if !ok || err1 != nil || err2 != nil || a < 0 || b < 1 {
		return Odds{}, fmt.Errorf("odds %q: want two whole numbers such as 8:1", s)
	}
	return Odds{a, b}, nil
}

func (o Odds) String() string { return fmt.Sprintf("%d:%d", o.To, o.For) }

// Known reports whether there are odds at all.
func (o Odds) Known() bool { return o.For != 0 }

// Compare reports whether winnings are below (-1), at (0) or above (+1) these odds for a stake, by
// cross-multiplication in 128 bits: exact for every amount. Both amounts are minor units, not
// negative.
func (o Odds) Compare(winnings, stake int64) int {
	return compareProducts(winnings, o.For, stake, o.To)
}

// Pays reports whether winnings are what the odds pay on a stake: of no whole number of minor units, either neighbor.
func (o Odds) Pays(winnings, stake int64) bool {
	c := o.Compare(winnings, stake)
	return c == 0 || c < 0 && o.Compare(winnings+1, stake) > 0 || c > 0 && o.Compare(max(winnings-1, 0), stake) < 0
}

// MaxAmount stands for each computed amount, in minor units, that is too large for an int64.
const MaxAmount = 1<<63 - 1

// Add is the sum of two amounts, at most MaxAmount. The first one is not negative.
func Add(a, b int64) int64 {
	if b > MaxAmount-a {
		return MaxAmount
	}
	return a + b
}

// Winnings are the minor units that the odds pay on a stake, rounded down, for messages only; at most MaxAmount.
func (o Odds) Winnings(stake int64) int64 {
	hi, lo := bits.Mul64(uint64(stake), uint64(o.To))
	if hi >= uint64(o.For) {
		return MaxAmount
	}
	q, _ := bits.Div64(hi, lo, uint64(o.For))
	return int64(min(q, MaxAmount))
}

// ComparePercent reports whether an amount is below (-1), at (0) or above (+1) a percentage of a base, exact for every
// amount. None of the three is negative.
func ComparePercent(amount, percent, base int64) int {
	return compareProducts(amount, 100, base, percent)
}

// compareProducts compares a*b with c*d, none of them negative.
func compareProducts(a, b, c, d int64) int {
	h1, l1 := bits.Mul64(uint64(a), uint64(b))
	h2, l2 := bits.Mul64(uint64(c), uint64(d))
	switch {
	case h1 != h2 && h1 < h2, h1 == h2 && l1 < l2:
		return -1
	case h1 == h2 && l1 == l2:
		return 0
	}
	return 1
}

// Vig judges one vigorish: a percentage of what was won, in minor units, with the rounding that the
// regulation allows. N.J.A.C. 19:47-3.3(c), 7.3(c); 9 NYCRR 5324.21(c)(3).
//
// Legal are the exact value when it is a whole number of minor units, and the next multiple of the
// unit at or above it. Nothing in between, nothing below, no further unit.
type Vig struct {
	Percent int64
	Unit    int64
	// CeilMinor also allows the next whole minor unit above an exact value that has a fraction
	// (option vig_fraction: ceil_minor).
	CeilMinor bool
	// Rounding is the direction in which a kind of vigorish of a rulebook rounds to the unit, Minimum what it takes at
	// least for a wager.
	Rounding Rounding
	Minimum  int64
}

// Rounding is how an amount becomes a multiple of a unit.
type Rounding uint8

// Directions of rounding. A half is rounded up.
const (
	RoundedUp Rounding = iota
	RoundedDown
	RoundedNearest
)

// VigVerdict is what an amount is beside the legal ones.
type VigVerdict uint8

// Verdicts on an amount of vigorish.
const (
	VigLegal VigVerdict = iota
	VigUnder
	VigBetween
	VigOver
)

// Up is the largest legal amount for winnings: the rounded one, unless it is rounded below an exact amount that can be
// paid. Winnings above 9e16 minor units saturate.
func (v Vig) Up(won int64) int64 {
	rounded := v.Rounded(won)
	if v.Rounding == RoundedUp {
		return rounded
	}
	if exact, whole := v.Exact(won); whole {
		return max(rounded, exact)
	}
	return rounded
}

// Least is the exact amount, without the fraction of a minor unit, or the rounded one if that is less.
func (v Vig) Least(won int64) int64 {
	exact, _ := v.Exact(won)
	if v.Rounding == RoundedUp {
		return exact
	}
	return min(exact, v.Rounded(won))
}

// Low is the smallest legal amount for winnings.
func (v Vig) Low(won int64) int64 {
	rounded := v.Rounded(won)
	exact, whole := v.Exact(won)
	switch {
	case whole:
		return min(rounded, exact)
	case v.Rounding == RoundedUp:
		return min(rounded, max(exact+1, v.Minimum))
	}
	return rounded
}

// Rounded is the rounded amount for winnings, the minimum if that is more.
func (v Vig) Rounded(won int64) int64 {
	unit := max(v.Unit, 1)
	hi, lo := bits.Mul64(uint64(won), uint64(v.Percent))
	per := 100 * uint64(unit)
	if hi >= per {
		return 1<<63 - 1
	}
	q, r := bits.Div64(hi, lo, per)
	if v.Rounding == RoundedUp && r > 0 || v.Rounding == RoundedNearest && r >= per-r {
		q++
	}
	return max(int64(q)*unit, v.Minimum)
}

// Exact is the unrounded amount, the minimum if that is more, and whether it can be paid in whole minor units. With
// CeilMinor a fraction is carried up.
func (v Vig) Exact(won int64) (int64, bool) {
	hi, lo := bits.Mul64(uint64(won), uint64(v.Percent))
	if hi >= 100 {
		return 1<<63 - 1, false
	}
	q, r := bits.Div64(hi, lo, 100)
	if r > 0 && v.CeilMinor {
		q, r = q+1, 0
	}
	if int64(q) < v.Minimum {
		return v.Minimum, true
	}
	return int64(q), r == 0
}

// Judge compares one amount with what was won by several wagers that it covers, each rounded by
// itself. With one wager it is the plain rule.
func (v Vig) Judge(amount int64, won ...int64) VigVerdict {
	var total, up int64
	for _, w := range won {
		total, up = Add(total, w), Add(up, v.Up(w))
	}
	switch {
	case v.under(amount, total, won):
		return VigUnder
	case amount > up:
		return VigOver
	case amount == up || v.reachable(amount, won):
		return VigLegal
	}
	return VigBetween
}

// under reports whether an amount is below every legal one for several winnings with a total.
func (v Vig) under(amount, total int64, won []int64) bool {
	if v.Rounding == RoundedUp && v.Minimum == 0 {
		return compareProducts(amount, 100, total, v.Percent) < 0
	}
	var low int64
	for _, w := range won {
		low = Add(low, v.Low(w))
	}
	return amount < low
}

// reachable reports whether the amount is a sum of one legal amount for each wager. A seat has a
// handful of wagers; beyond sixteen the range alone is judged.
func (v Vig) reachable(amount int64, won []int64) bool {
	if len(won) == 0 || len(won) > 16 {
		return len(won) > 16 || amount == 0
	}
	first, rest := won[0], won[1:]
	if v.reachable(amount-v.Rounded(first), rest) {
		return true
	}
	exact, whole := v.Exact(first)
	return whole && v.reachable(amount-exact, rest)
}

// RoundUp is the next multiple of the unit at or above a sum of marks; the sum itself where amounts are not rounded up.
func (v Vig) RoundUp(sum int64) int64 {
	if v.Rounding != RoundedUp {
		return sum
	}
	unit := max(v.Unit, 1)
	return Add(sum, (unit-sum%unit)%unit)
}
