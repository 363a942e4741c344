package baccarat

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The amounts of a vigorish: W won, percent, unit, the legal ones. 5 percent of 103.00 may be 5.15 or
// 5.25 in punto banco, 5.15 only in minibaccarat.
func TestVigorishVectors(t *testing.T) {
	tests := []struct {
		won, percent, unit int64
		legal              []int64
	}{
		{100, 5, 25, []int64{5, 25}},
		{500, 5, 25, []int64{25}},
		{700, 5, 25, []int64{35, 50}},
		{2500, 5, 25, []int64{125}},
		{10000, 5, 25, []int64{500}},
		{10300, 5, 25, []int64{515, 525}},
		{10300, 4, 20, []int64{412, 420}},
		{500, 4, 20, []int64{20}},
		{2600, 4, 20, []int64{104, 120}},
		{10300, 5, 5, []int64{515}},
		{250, 5, 5, []int64{15}},
		{250, 4, 5, []int64{10}},
		{12345, 5, 5, []int64{620}},
	}
	for _, tt := range tests {
		v := Vig{Percent: tt.percent, Unit: tt.unit}
		up := tt.legal[len(tt.legal)-1]
		for amount := int64(0); amount <= up+60; amount++ {
			want := VigLegal
			switch {
			case 100*amount < tt.won*tt.percent:
				want = VigUnder
			case amount > up:
				want = VigOver
			case !slices.Contains(tt.legal, amount):
				want = VigBetween
			}
			if got := v.Judge(amount, tt.won); got != want {
				t.Errorf("%d percent of %d, unit %d: %d is %d, want %d", tt.percent, tt.won, tt.unit, amount, got, want)
			}
		}
	}
}

// A charge for several wagers is legal when each could have been rounded by itself.
func TestVigorishOfSeveralWagers(t *testing.T) {
	v := Vig{Percent: 5, Unit: 25}
	for amount, want := range map[int64]VigVerdict{
		1029: VigUnder, 1030: VigLegal, 1031: VigBetween, 1040: VigLegal, 1050: VigLegal, 1051: VigOver,
	} {
		if got := v.Judge(amount, 10300, 10300); got != want {
			t.Errorf("%d for two wagers of 10300: %d, want %d", amount, got, want)
		}
	}
}

// Against arithmetic without bounds: nothing legal is below the exact value or a unit above it, and
// odds compare as fractions do, up to the largest amounts.
func TestMoneyIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		won := rapid.Int64Range(0, 1<<62).Draw(t, "won")
		stake := rapid.Int64Range(0, 1<<62).Draw(t, "stake")
		o := Odds{rapid.Int64Range(0, 500).Draw(t, "to"), rapid.Int64Range(1, 10).Draw(t, "for")}
		if near := o.Winnings(stake); near < 1<<62 && rapid.Bool().Draw(t, "near") {
			won = max(near+rapid.Int64Range(-2, 2).Draw(t, "by"), 0)
		}
		left := new(big.Int).Mul(big.NewInt(won), big.NewInt(o.For))
		right := new(big.Int).Mul(big.NewInt(stake), big.NewInt(o.To))
		if got := o.Compare(won, stake); got != left.Cmp(right) {
			t.Fatalf("%v of %d beside %d: %d, want %d", o, stake, won, got, left.Cmp(right))
		}
		exact, rest := new(big.Int).DivMod(right, big.NewInt(o.For), new(big.Int))
		low := exact.Cmp(big.NewInt(won)) == 0
		high := rest.Sign() != 0 && exact.Cmp(big.NewInt(won-1)) == 0
		if got := o.Pays(won, stake); got != (low || high) {
			t.Fatalf("%v of %d pays %d: %v", o, stake, won, got)
		}
		v := Vig{
			Percent: rapid.SampledFrom([]int64{4, 5}).Draw(t, "percent"),
			Unit:    rapid.SampledFrom([]int64{5, 20, 25}).Draw(t, "unit"),
		}
		up := v.Up(won)
		exact = new(big.Int).Mul(big.NewInt(won), big.NewInt(v.Percent))
		if up%v.Unit != 0 || new(big.Int).Mul(big.NewInt(up), big.NewInt(100)).Cmp(exact) < 0 ||
			new(big.Int).Mul(big.NewInt(up-v.Unit), big.NewInt(100)).Cmp(exact) >= 0 && won > 0 {
			t.Fatalf("%d percent of %d, unit %d: up %d", v.Percent, won, v.Unit, up)
		}
	})
}

// Under a kind of vigorish of a rulebook an amount is legal if it is the exact one, where that can be paid, or the
// rounded one, each the minimum at least.
func TestVigRoundingAndMinimum(t *testing.T) {
	for _, x := range []struct {
		rounding       Rounding
		unit, minimum  int64
		won            int64
		rounded, exact int64 // exact is -1 where it cannot be paid
	}{
		{RoundedDown, 50, 0, 12_345, 350, -1},
		{RoundedDown, 50, 0, 12_300, 350, 369},
		{RoundedDown, 50, 100, 1_000, 100, 100},
		{RoundedDown, 50, 100, 4_000, 100, 120},
		{RoundedNearest, 50, 0, 12_300, 350, 369},
		{RoundedNearest, 50, 0, 12_500, 400, 375},
		{RoundedNearest, 50, 0, 12_510, 400, -1},
		{RoundedUp, 25, 500, 12_345, 500, 500},
		{RoundedUp, 25, 100, 12_300, 375, 369},
		{RoundedUp, 1, 0, 12_345, 371, -1},
	} {
		v := Vig{Percent: 3, Unit: x.unit, Rounding: x.rounding, Minimum: x.minimum}
		low, high := x.rounded, x.rounded
		if x.exact >= 0 {
			low, high = min(low, x.exact), max(high, x.exact)
		}
		for amount := range int64(700) {
			want := VigBetween
			switch {
			case amount == x.rounded || amount == x.exact:
				want = VigLegal
			case amount < low && (x.exact >= 0 || x.rounding != RoundedUp || 100*amount < 3*x.won):
				want = VigUnder
			case amount > high:
				want = VigOver
			}
			if got := v.Judge(amount, x.won); got != want {
				t.Errorf("%+v: %d of %d won: %v, want %v", v, amount, x.won, got, want)
				break
			}
		}
		if got := v.Rounded(x.won); got != x.rounded {
			t.Errorf("%+v: %d won is rounded to %d, want %d", v, x.won, got, x.rounded)
		}
	}
}

// Amounts whose sum is no int64 are MaxAmount together, never negative.
func TestAddSaturates(t *testing.T) {
	for _, c := range [][3]int64{
		{1, 2, 3}, {5, -5, 0}, {MaxAmount, 1, MaxAmount}, {MaxAmount, -1, MaxAmount - 1}, {7, MaxAmount, MaxAmount},
	} {
		if got := Add(c[0], c[1]); got != c[2] {
			t.Errorf("Add(%d, %d) = %d, want %d", c[0], c[1], got, c[2])
		}
	}
	v := Vig{Percent: 5, Unit: 5}
	if got := v.Judge(5, MaxAmount, MaxAmount); got != VigUnder {
		t.Errorf("5 on twice the largest amount: %v, want under", got)
	}
}
