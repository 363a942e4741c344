package detectors

import (
	"math"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

// The tags mark a round as good approximately when its expectation is positive; for pairs, exactly then.
func TestTags(t *testing.T) {
	tb := newTable(t, 21)
	w := newWatch(d08)
	d := w.host.processes[0].(*counting)
	var rounds, good, agree [len(countable)]int
	tb.settle = func(r *Round) {
		now := newTally(r.Offer.countSystem(8), d.spots, &r.Left)
		var path goodRounds
		now.mark(r.Offer.countSystem(8), d.spots, 0, &path)
		for _, i := range d.spots {
			pays := r.Offer.Terms[countable[i]].EV(r.Odds) > 0
			rounds[i]++
			good[i] += int(path[i][0][0])
			if pays == (path[i][0][0] == 1) {
				agree[i]++
			}
		}
	}
	for range 60 {
		tb.play(w.host)
	}
	for _, i := range d.spots {
		part := float64(agree[i]) / float64(rounds[i])
		t.Logf("%v: good %d of %d rounds, correct %.4f", countable[i], good[i], rounds[i], part)
		minimum := .94
		if r := tb.offer.Terms[countable[i]]; r.OnPair {
			minimum = 1
		}
		if part < minimum {
			t.Errorf("%v: correct in %.4f, want %.2f", countable[i], part, minimum)
		}
	}
}

// A shoe has as many good rounds as the shoes of its library, early and late, and each shoe has another library.
func TestLibrary(t *testing.T) {
	shoes := 300
	if testing.Short() {
		shoes = 40
	}
	tb := newTable(t, 22)
	w := newWatch(d08)
	d := w.host.processes[0].(*counting)
	honest := tb.bets
	tb.bets = func(r *Round, next []baccarat.Card) {
		honest(r, next)
		for _, i := range d.spots {
			r.Wagers = append(r.Wagers, Wager{ID: "x", Patron: "p0", Seat: 1, Spot: countable[i], Stake: 100, Placed: r.At})
		}
	}
	var off, variance [len(countable)][2]float64
	var last library
	for range shoes {
		d.dealt = false
		tb.play(w.host)
		if !d.dealt {
			t.Fatal("no library")
		}
		if d.library == last {
			t.Fatal("the library of the previous shoe")
		}
		last = d.library
		for _, i := range d.spots {
			for part := range 2 {
				mask := firstRounds(40)
				if part == 1 {
					mask = firstRounds(d.library.rounds)
					mask[0] &^= firstRounds(40)[0]
				}
				mean, squares := 0.0, 0.0
				for k := range d.library.shoes {
					n := float64(d.library.shoes[k][i][0].and(mask).size())
					mean += n / libraryShoes
					squares += n * n / libraryShoes
				}
				off[i][part] += float64(d.good[i][0].and(mask).size()) - mean
				variance[i][part] += squares - mean*mean
			}
		}
	}
	for _, i := range d.spots {
		for part := range 2 {
			if se := math.Sqrt(variance[i][part]); math.Abs(off[i][part]) > 4*se {
				t.Errorf("%v, part %d: %.1f good rounds more than the library in %d shoes, standard error %.1f",
					countable[i], part, off[i][part], shoes, se)
			}
		}
	}
}
