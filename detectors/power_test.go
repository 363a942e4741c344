package detectors

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// delay plays up to a number of shoes, until an alarm about a key. It returns the number of factors, 0 without an
// alarm.
func delay(tb *table, d *Detector, key Key, shoes int) int {
	w := newWatch(d)
	tb.hook = w.take
	for range shoes {
		tb.play(w.host)
		for _, a := range w.alarms {
			if a.Key == key {
				return a.Rounds
			}
		}
	}
	return 0
}

// Each cheat is detected by its detector, within a delay near the theoretical limit.
func TestPower(t *testing.T) {
	patron := Key{OfPatron, "p0"}
	counts := func(spot baccarat.Spot) func(*table) { return func(tb *table) { count(tb, spot) } }
	dealer := Key{OfDealer, "d1"}
	// TestSlugPower, TestWeakShufflePower and TestTray test these; d18 raises no alarm.
	shown := []*Detector{d04, d05, d14, d18}
	for _, c := range []struct {
		name   string
		d      *Detector
		key    Key
		shoes  int // patience
		within float64
		cheat  func(*table)
	}{
		{"first card known, always", d06, patron, 4, 94, func(tb *table) { firstCard(tb, 1) }},
		{"first card known, half", d06, patron, 20, 318, func(tb *table) { firstCard(tb, .5) }},
		{"stake by the first card, always on one side", d06, patron, 8, 42, stakeByFirstCard},
		{"first card flashed to a new patron every 20 rounds", d06, dealer, 60, 75, flashed},
		{"winner known to a new patron every 20 rounds", d07, dealer, 60, 75, known},
		{"four nines removed from fresh cards", d02, Key{OfTable, "t1"}, 40, 9, fourOfARank},
		{"foreknowledge, half", d07, patron, 20, 230, func(tb *table) { foreknow(tb, .5) }},
		{"foreknowledge, a fifth", d07, patron, 60, 1267, func(tb *table) { foreknow(tb, .2) }},
		{"results of a patron who knows", d09, patron, 40, 400, func(tb *table) { foreknow(tb, 1) }},
		{"Blazing 7s counted", d08, Key{OfPatron, "p0/BLAZING_7S"}, 80, 28.25, counts(baccarat.SpotBlazing7s)},
		{"Fortune 7 counted", d08, Key{OfPatron, "p0/FORTUNE_7"}, 80, 28.25, counts(baccarat.SpotFortune7)},
		{"losing stakes not taken from one patron", d10, Key{OfDealerPatron, "d1+p0"}, 200, 6000, overpay(.02)},
		{"overpaid, one settlement in a hundred", d11, dealer, 60, 1470, overpay(.01)},
		{"vigorish missed, one in ten", d12, dealer, 40, 124, missVig(.1)},
		{"vigorish missed, one in fifty", d12, dealer, 200, 1614 * 1.25, missVig(.02)},
		{"a round in a hundred out of order", d13, dealer, 60, 900, disorder(.01)},
		{"opposite bets", d15, Key{OfPair, "p0+p1"}, 4, 31, opposite},
		{"opposite bets on changing sides", d15, Key{OfPair, "p0+p1"}, 4, 45, offsetting2(1, 1, 0)},
		{
			"opposite bets, stakes of 0.85, in 85 % of rounds", d15,
			Key{OfPair, "p0+p1"},
			8, 110,
			offsetting2(.85, .85, 0),
		},
		{"opposite bets after an honest hour", d15, Key{OfPair, "p0+p1"}, 8, 115, offsetting2(1, 1, 80)},
		{"opposite bets, one against two", d15, Key{OfPair, "p0+p1+p2"}, 8, 60, oneAgainstTwo},
		{
			"opposite bets, two against two", d15,
			Key{OfPair, "p0+p1+p2+p3"},
			8, 60,
			group(0, 600_00, 400_00, -700_00, -300_00),
		},
		{
			"opposite bets, two against three, every fifth round honest", d15,
			Key{OfPair, "p0+p1+p2+p3+p4"},
			8, 110,
			group(.2, 600_00, 500_00, -700_00, -250_00, -150_00),
		},
		{"late bets that know", d16, patron, 20, 100, pastPost},
		{"capping", d20, patron, 20, 38, capStakes(1)},
		{"capping, nine in ten", d20, patron, 20, 70, capStakes(.9)},
		{"outcomes lean to the banker", d03, Key{OfTable, "t1"}, 60, 3000, func(tb *table) { lean(tb) }},
		{"a card missing", d02, Key{OfBatch, "t1/b1"}, 60, 26, otherCards(1, 0)},
		{"a card replaced", d02, Key{OfBatch, "t1/b1"}, 60, 26, otherCards(1, 2)},
		{"a card too many", d01, Key{OfShoe, "s1"}, 1, 1, otherCards(0, 2)},
		{"a reader that fails", d19, Key{OfDevice, "r1"}, 10, 300, unread},
		{"rounds that take twice as long", d17, dealer, 40, 3200, slow},
	} {
		shown = append(shown, c.d)
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			runs := testkit.Soak(4, 20)
			sum, met := 0, 0
			for seed := range uint64(runs) {
				tb := newTable(t, 3000+seed)
				c.cheat(tb)
				if n := delay(tb, c.d, c.key, c.shoes); n > 0 {
					sum += n
					met++
				}
			}
			mean := float64(sum) / float64(max(met, 1))
			t.Logf("%s: met %d of %d, mean delay %.1f, want %.1f", c.d.ID, met, runs, mean, c.within)
			if c.d == d01 {
				if met < runs/3 { // seen only if all nine copies are: 0.64
					t.Errorf("met %d of %d", met, runs)
				}
				return
			}
			if met < runs*9/10 || mean > c.within {
				t.Errorf("met %d of %d, mean delay %.1f, want at most %.1f", met, runs, mean, c.within)
			}
		})
	}
	for _, d := range All() {
		if !slices.Contains(shown, d) {
			t.Errorf("no row shows what %s, %s, meets", d.ID, d.Name)
		}
	}
}

func firstCard(tb *table, part float64) {
	tb.bets = func(r *Round, next []baccarat.Card) {
		tb.honest(r, next)
		if tb.rng.Float64() < part {
			r.Wagers[0].Spot = baccarat.SpotBanker
			if next[0].Value() >= 6 {
				r.Wagers[0].Spot = baccarat.SpotPlayer
			}
		}
	}
}

// stakeByFirstCard bets on one side always, much if the first card helps it.
func stakeByFirstCard(tb *table) {
	tb.bets = func(r *Round, next []baccarat.Card) {
		tb.honest(r, next)
		r.Wagers[0].Spot, r.Wagers[0].Stake = baccarat.SpotPlayer, 50_00
		if next[0].Value() >= 6 {
			r.Wagers[0].Stake = 1000_00
		}
	}
}

// flashed shows the first card to another patron every 20 rounds.
func flashed(tb *table) {
	firstCard(tb, 1)
	renamed(tb)
}

func known(tb *table) {
	foreknow(tb, 1)
	renamed(tb)
}

// renamed gives the first patron another name every 20 rounds.
func renamed(tb *table) {
	bets := tb.bets
	tb.bets = func(r *Round, next []baccarat.Card) {
		bets(r, next)
		for i := range r.Wagers {
			if w := &r.Wagers[i]; w.Patron == "p0" {
				w.Patron += fmt.Sprint(r.Shoe, "-", r.Round/20)
			}
		}
	}
}

func fourOfARank(tb *table) {
	tb.pack = func(all []baccarat.Card) []baccarat.Card {
		for suit := range 4 {
			at := slices.Index(all, baccarat.Card(9+13*suit))
			all = slices.Delete(all, at, at+1)
		}
		return all
	}
}

func foreknow(tb *table, part float64) {
	tb.bets = func(r *Round, next []baccarat.Card) {
		tb.honest(r, next)
		if tb.rng.Float64() < part {
			r.Wagers[0].Spot = tb.winner(next)
		}
	}
}

// count bets on a spot only when its expectation is positive.
func count(tb *table, spot baccarat.Spot) {
	tb.bets = func(r *Round, next []baccarat.Card) {
		tb.honest(r, next)
		r.Wagers = slices.DeleteFunc(r.Wagers, func(w Wager) bool {
			return w.Patron == "p0" && w.Spot != baccarat.SpotBanker && w.Spot != baccarat.SpotPlayer
		})
		if r.Odds != nil && tb.offer.Terms[spot].EV(r.Odds) > 0 {
			r.Wagers = append(r.Wagers, Wager{ID: "c", Patron: "p0", Seat: 1, Spot: spot, Stake: 100_00, Placed: r.At})
		}
	}
}

func overpay(part float64) func(*table) {
	return func(tb *table) {
		tb.settle = func(r *Round) {
			tb.misread(r)
			for i := range r.Wagers {
				if w := &r.Wagers[i]; w.Ruled == baccarat.Collect && (part < .02 || w.Patron == "p0") &&
					tb.rng.Float64() < 2*part {
					w.Done = baccarat.Return
				}
			}
		}
	}
}

func missVig(part float64) func(*table) {
	return func(tb *table) {
		tb.settle = func(r *Round) {
			for i := range r.Wagers {
				if w := &r.Wagers[i]; w.VigDue > 0 && tb.rng.Float64() < part {
					w.VigTaken = 0
				}
			}
		}
	}
}

func disorder(part float64) func(*table) {
	return func(tb *table) {
		tb.settle = func(r *Round) {
			if tb.rng.Float64() < part {
				r.Breaches++
			}
		}
	}
}

func opposite(tb *table) {
	tb.bets = func(r *Round, next []baccarat.Card) {
		tb.honest(r, next)
		r.Wagers = slices.DeleteFunc(r.Wagers, func(w Wager) bool {
			return w.Spot != baccarat.SpotBanker && w.Spot != baccarat.SpotPlayer
		})
		r.Wagers[0].Spot, r.Wagers[0].Stake = baccarat.SpotBanker, 500_00
		r.Wagers[1].Spot, r.Wagers[1].Stake = baccarat.SpotPlayer, 500_00
	}
}

// offsetting2 makes two patrons bet against each other in a part of rounds, on changing sides, with a ratio of stakes.
func offsetting2(part, ratio float64, honest int) func(*table) {
	return func(tb *table) {
		n := 0
		tb.bets = func(r *Round, next []baccarat.Card) {
			tb.honest(r, next)
			r.Wagers = slices.DeleteFunc(r.Wagers, func(w Wager) bool {
				return w.Spot != baccarat.SpotBanker && w.Spot != baccarat.SpotPlayer
			})
			if n++; n <= honest || tb.rng.Float64() >= part {
				return
			}
			r.Wagers[1].Spot = baccarat.SpotBanker
			if r.Wagers[0].Spot == baccarat.SpotBanker {
				r.Wagers[1].Spot = baccarat.SpotPlayer
			}
			r.Wagers[0].Stake, r.Wagers[1].Stake = 500_00, int64(ratio*500_00)
		}
	}
}

// group makes patrons bet stakes that offset in all, on sides that change, except in a part of rounds.
func group(honest float64, stakes ...int64) func(*table) {
	return func(tb *table) {
		tb.bets = func(r *Round, next []baccarat.Card) {
			tb.honest(r, next)
			r.Wagers = slices.DeleteFunc(r.Wagers, func(w Wager) bool {
				return w.Spot != baccarat.SpotBanker && w.Spot != baccarat.SpotPlayer
			})
			if tb.rng.Float64() < honest {
				return
			}
			r.Wagers = r.Wagers[:0]
			sign := int64(1 - 2*tb.rng.IntN(2))
			for i, stake := range stakes {
				w := Wager{
					ID: fmt.Sprint("g", i), Patron: fmt.Sprint("p", i), Seat: uint32(i + 1), Spot: baccarat.SpotPlayer,
				}
				if w.Stake = stake * sign; w.Stake < 0 {
					w.Stake, w.Spot = -w.Stake, baccarat.SpotBanker
				}
				r.Wagers = append(r.Wagers, w)
			}
		}
	}
}

func oneAgainstTwo(tb *table) {
	tb.bets = func(r *Round, next []baccarat.Card) {
		tb.honest(r, next)
		r.Wagers = slices.DeleteFunc(r.Wagers, func(w Wager) bool {
			return w.Spot != baccarat.SpotBanker && w.Spot != baccarat.SpotPlayer
		})
		other := baccarat.SpotBanker
		if r.Wagers[0].Spot == baccarat.SpotBanker {
			other = baccarat.SpotPlayer
		}
		r.Wagers[0].Stake = 1000_00
		r.Wagers[1].Spot, r.Wagers[1].Stake, r.Wagers[2].Spot, r.Wagers[2].Stake = other, 600_00, other, 400_00
	}
}

func pastPost(tb *table) {
	tb.bets = func(r *Round, next []baccarat.Card) {
		tb.honest(r, next)
		r.Wagers[0].Placed, r.Wagers[0].Late = r.First+1e9, true
		if tb.rng.IntN(4) > 0 {
			r.Wagers[0].Spot = tb.winner(next)
		}
	}
}

func capStakes(part float64) func(*table) {
	return func(tb *table) {
		tb.settle = func(r *Round) {
			w := &r.Wagers[0]
			if w.Ruled == baccarat.Return {
				return
			}
			w.HasReads, w.AtLock, w.AtSettlement = true, w.Stake, w.Stake+50_00
			if (w.Ruled == baccarat.Pay) != (tb.rng.Float64() < part) {
				w.AtSettlement = w.Stake - 50_00
			}
		}
	}
}

// A device that reads stakes after the settlement, the winnings beside the stake and nothing of a stake that was taken,
// is no evidence against patrons.
func TestStakesReadAfterSettlement(t *testing.T) {
	for _, net := range []bool{false, true} {
		tb := newTable(t, 5)
		w := newWatch(d20)
		tb.hook = w.take
		tb.settle = func(r *Round) {
			for i := range r.Wagers {
				x := &r.Wagers[i]
				x.HasReads, x.AtLock, x.AtSettlement = true, x.Stake, x.Stake+x.Paid
				switch {
				case x.Done == baccarat.Collect:
					x.AtSettlement = 0
				case net:
					x.AtSettlement -= x.VigTaken
				}
			}
		}
		for range 4 {
			tb.play(w.host)
		}
		for i := range w.alarms {
			t.Errorf("net of vigorish %t: alarm about %v", net, w.alarms[i].Key)
		}
	}
}

// lean deals rounds again, so that the banker wins half of them.
func lean(tb *table) {
	tb.retake = func(r *Round) bool { return r.Coup.Result() != baccarat.BankerWon && tb.rng.IntN(4) == 0 }
}

// otherCards removes the first card from a pack, or adds the second, or both.
func otherCards(fewer, more baccarat.Card) func(*table) {
	return func(tb *table) { tb.pack = otherCardsPack(fewer, more) }
}

func otherCardsPack(fewer, more baccarat.Card) func([]baccarat.Card) []baccarat.Card {
	return func(pack []baccarat.Card) []baccarat.Card {
		if fewer != 0 {
			pack = slices.Delete(pack, slices.Index(pack, fewer), slices.Index(pack, fewer)+1)
		}
		if more != 0 {
			pack = append(pack, more)
		}
		return pack
	}
}

func unread(tb *table) {
	tb.settle = func(r *Round) {
		for i := range r.Cards {
			if tb.rng.IntN(50) == 0 {
				r.Cards[i].Card = baccarat.Unread
			}
		}
	}
}

func slow(tb *table) {
	n := 0
	tb.settle = func(r *Round) {
		tb.misread(r)
		if n++; n > 1500 {
			r.Ended += 60e9
		}
	}
}

// A dealer who moves between two tables of different pace raises no alarm.
func TestPaceOfTwoTables(t *testing.T) {
	tb := newTable(t, 9)
	n := 0
	tb.settle = func(r *Round) {
		tb.misread(r)
		if n++; n/160%2 == 1 {
			r.Table = "t2"
			r.Ended += 30e9
		}
	}
	if rounds := delay(tb, d17, Key{OfDealer, "d1"}, 20); rounds > 0 {
		t.Errorf("an alarm after %d rounds", rounds)
	}
}

// The bound of the statistic: sampled under the alternative, the probability of an alarm under honest play is the
// mean of 1/M, at most 1/A, also for A of a billion.
func TestRareAlarms(t *testing.T) {
	runs := 300
	rate := func(a float64) float64 {
		sum := 0.0
		for seed := range uint64(runs) {
			tb := newTable(t, 7000+seed)
			m := newMixture(len(knownParts))
			ln, theta := 0.0, knownParts[tb.rng.IntN(len(knownParts))]
			for ln < math.Log(a) {
				// A bet at even odds of one half, won as the drawn alternative has it.
				won := tb.rng.Float64() < theta+(1-theta)/2
				var e [len(knownParts)]float64
				for i, eps := range knownParts {
					e[i] = 1 - eps
					if won {
						e[i] += 2 * eps
					}
				}
				ln += m.update(0, e[:])
			}
			sum += math.Exp(-ln)
		}
		return sum / float64(runs)
	}
	for _, a := range []float64{1e2, 1e6, 1e9} {
		got := rate(a) * a
		t.Logf("at %g: %.3f of the bound", a, got)
		if got > 1 || got < .5 {
			t.Errorf("at %g the chance of an alarm is %.3f of the bound", a, got)
		}
	}
}
