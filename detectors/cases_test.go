package detectors

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

// A cause is one case in a visit, about its subject. A dealer is named only where the dealer explains more than a
// patron.
func TestOneCase(t *testing.T) {
	patron, dealer := Key{OfPatron, "p0"}, Key{OfDealer, "d2"}
	rota := func(r *Round) { r.Dealer = fmt.Sprint("d", r.Round/20%4) }
	for _, c := range []struct {
		name  string
		want  Key
		shoes int
		cheat func(*table)
	}{
		{"a patron who knows the winner", patron, 3, func(tb *table) { foreknow(tb, 1) }},
		{"a patron who knows half of the winners", patron, 8, func(tb *table) { foreknow(tb, .5) }},
		{"a patron who knows the first card", patron, 4, func(tb *table) { firstCard(tb, 1) }},
		{"a patron who bets if the first card helps", patron, 16, betIfItHelps},
		{"a new patron every 20 rounds who knows the first card, whoever deals", Key{OfTable, "t1"}, 6, flashed},
		{"a new patron every 20 rounds who knows the winner, whoever deals", Key{OfTable, "t1"}, 6, known},
		{"a patron who bets late and knows", patron, 6, pastPost},
		{"a patron who changes stakes", patron, 6, capStakes(1)},
		{"two accounts that offset", Key{OfPair, "p0+p1"}, 3, offsetting2(1, 1, 0)},
		{"one account that offsets two", Key{OfPair, "p0+p1+p2"}, 3, oneAgainstTwo},
		{"a dealer who takes no vigorish", dealer, 20, func(tb *table) {
			tb.settle = func(r *Round) {
				for i := range r.Wagers {
					if r.Dealer == dealer.ID && tb.rng.IntN(5) == 0 {
						r.Wagers[i].VigTaken = 0
					}
				}
			}
		}},
		{"a dealer who overpays all", dealer, 20, func(tb *table) {
			tb.settle = func(r *Round) {
				for i := range r.Wagers {
					if w := &r.Wagers[i]; r.Dealer == dealer.ID && w.Ruled == baccarat.Collect && tb.rng.IntN(20) == 0 {
						w.Done = baccarat.Return
					}
				}
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				tb := newTable(t, 400+seed)
				h := oneStored(DefaultBudget())
				c.cheat(tb)
				bets := tb.bets
				tb.bets = func(r *Round, next []baccarat.Card) {
					bets(r, next)
					rota(r)
				}
				var cases []Alarm
				tb.hook = func() {
					for i := range h.Alarms {
						if a := &h.Alarms[i]; a.Detector.Starts != nil || a.Key.Kind == OfPair && !a.Certain {
							cases = append(cases, *a)
						}
					}
				}
				for range c.shoes {
					tb.play(h)
				}
				if len(cases) == 0 {
					t.Errorf("seed %d: no case", seed)
				}
				for i := range cases {
					if a := &cases[i]; a.Key != c.want || i > 0 {
						t.Errorf(
							"seed %d: case %d of %s is about %v: %s", seed, i+1, a.Detector.ID, a.Key, a.Observed(""),
						)
					}
				}
			}
		})
	}
}

// A patron who knows is named, also one of many who come one after the other, and no dealer with them.
func TestNoDealerBesidePatrons(t *testing.T) {
	for every, first := range map[int]KeyKind{20: OfTable, 50: OfPatron} {
		for seed := range uint64(3) {
			tb := newTable(t, 900+seed)
			h := oneStored(DefaultBudget())
			firstCard(tb, 1)
			bets, n := tb.bets, 0
			tb.bets = func(r *Round, next []baccarat.Card) {
				bets(r, next)
				r.Dealer = fmt.Sprint("d", r.Round/20%4)
				for i := range r.Wagers {
					if w := &r.Wagers[i]; w.Patron == "p0" {
						w.Patron += fmt.Sprint("-", n/every)
					}
				}
				n++
			}
			var cases []Key
			tb.hook = func() {
				for i := range h.Alarms {
					if a := &h.Alarms[i]; a.Detector.Starts != nil {
						cases = append(cases, a.Key)
					}
				}
			}
			for range 8 {
				tb.play(h)
			}
			if len(cases) == 0 || cases[0].Kind != first {
				t.Errorf("another patron every %d rounds, seed %d: cases about %v, want the first about a %v", every, seed,
					cases, first)
			}
			for _, key := range cases {
				if key.Kind != OfTable && (key.Kind != OfPatron || !strings.HasPrefix(key.ID, "p0-")) {
					t.Errorf("another patron every %d rounds, seed %d: a case about %v", every, seed, key)
				}
			}
		}
	}
}

// betIfItHelps has a patron bet on the player spot if the first card helps it, and sit out otherwise.
func betIfItHelps(tb *table) {
	tb.bets = func(r *Round, next []baccarat.Card) {
		tb.honest(r, next)
		helps := groupings[0][next[0].Value()] == 1
		r.Wagers = slices.DeleteFunc(r.Wagers, func(w Wager) bool { return w.Patron == "p0" && !helps })
		for i := range r.Wagers {
			if w := &r.Wagers[i]; w.Patron == "p0" && w.Spot <= baccarat.SpotPlayer {
				w.Spot, w.Stake = baccarat.SpotPlayer, 1000_00
			}
		}
	}
}
