package detectors

import (
	"math"
	"testing"

	"github.com/shoeproof/shoeproof/detectors/exact"
)

// A single wager has the variance of its terms. Stakes on player and banker in one round offset each other, two on
// player add up, and a spot without known chances counts nothing.
func TestSpread(t *testing.T) {
	of, err := lawOnce()
	if err != nil {
		t.Fatal(err)
	}
	o := of.offer
	full, odds := exact.Full(8), exact.Odds{}
	if !o.Kernel.Odds(&full, &odds) {
		t.Fatal("no odds")
	}
	spread := func(stakes ...Stake) (mean, variance float64) { return o.Spread(&odds, stakes) }
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	player, banker := Stake{Spot: "PLAYER", Amount: 1000}, Stake{Spot: "BANKER", Amount: 1000}
	mean, one := spread(player)
	if math.Abs(mean+12.35) > 0.01 {
		t.Errorf("mean of a player wager of 1000: %v", mean)
	}
	near("an unknown spot", func() float64 { _, v := spread(player, Stake{Spot: "nonsense", Amount: 9}); return v }(),
		one)
	_, two := spread(player, player)
	near("two stakes on player", two, 4*one)
	_, hedged := spread(player, banker)
	if hedged > one/100 {
		t.Errorf("player and banker together have the variance %v, one of them %v", hedged, one)
	}
	if o.Known("nonsense") || !o.Known("TIE") {
		t.Error("the known spots")
	}
}
