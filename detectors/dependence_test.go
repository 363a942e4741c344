package detectors

import (
	"fmt"
	"math"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// What happens in one round is one observation of a key: the mean of each factor is at most 1 if the seats bet alike or
// against each other, if an honest error takes all wagers of a round, and if a reader fails for a whole round. The
// rates are those that the policy tolerates.
func TestDependence(t *testing.T) {
	shoes := testkit.Soak(60, 600)
	for name, bets := range map[string]func(*table) func(*Round, []baccarat.Card){
		"alike": betAlike, "opposite": betOpposite, "by habit": betByHabit, "by the road": betByRoad,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var watches []*watch
			var hosts []*Host
			for _, d := range All() {
				if name == "opposite" && d == d15 {
					continue // it is what d15 reports
				}
				w := newWatch(d)
				watches, hosts = append(watches, w), append(hosts, w.host)
			}
			tb, calls := newTable(t, 23), 0
			tb.hook = func() { // of each host in turn
				watches[calls%len(watches)].take()
				calls++
			}
			tb.bets, tb.settle, tb.freeze = bets(tb), tb.errAtOnce, tb.failAtOnce
			for range shoes {
				tb.play(hosts...)
			}
			for _, w := range watches {
				habit := name == "by habit" || name == "by the road"
				if habit && w.host.detectors[0] == d15 && (len(w.alarms) == 0 || !w.alarms[0].Info) {
					t.Error("d15 does not report two habits that offset as a fact of severity info")
				}
				id := w.host.detectors[0].ID
				for kind, n := range w.n {
					mean := w.sum[kind] / float64(n)
					se := math.Sqrt((w.square[kind]/float64(n) - mean*mean) / float64(n))
					if mean > 1+4*se+1e-9 || mean > 2 {
						t.Errorf("%s %v: mean of %d factors is %.5f, standard error %.5f", id, kind, n, mean, se)
					}
				}
				for i := range w.alarms {
					if a := &w.alarms[i]; !a.Certain {
						t.Errorf("%s: alarm about %v, ln e %.1f: %s", id, a.Key, a.LnE, a.Observed(""))
						break
					}
				}
			}
		})
	}
}

const seats = 7

func (tb *table) bet(r *Round, seat uint32, spot baccarat.Spot, stake int64) {
	r.Wagers = append(r.Wagers, Wager{
		ID: fmt.Sprint(r.Round, seat, spot), Patron: fmt.Sprint("p", seat), Seat: seat + 1,
		Spot: spot, Stake: stake, Placed: r.First - 1e9,
	})
}

// betAlike puts all seats on one side, with the same stake and the same side wager.
func betAlike(tb *table) func(*Round, []baccarat.Card) {
	return func(r *Round, _ []baccarat.Card) {
		spot := baccarat.SpotBanker
		if tb.rng.IntN(2) == 0 {
			spot = baccarat.SpotPlayer
		}
		stake, side := 100_00*int64(1+9*tb.rng.IntN(2)), tb.rng.IntN(5) == 0
		for seat := range uint32(seats) {
			tb.bet(r, seat, spot, stake)
			if side {
				tb.bet(r, seat, baccarat.SpotBlazing7s, 25_00)
			}
		}
	}
}

// betOpposite puts every other seat on each side.
func betOpposite(tb *table) func(*Round, []baccarat.Card) {
	return func(r *Round, _ []baccarat.Card) {
		sides := [2]baccarat.Spot{baccarat.SpotPlayer, baccarat.SpotBanker}
		flip := uint32(tb.rng.IntN(2))
		for seat := range uint32(seats) {
			tb.bet(r, seat, sides[(seat+flip)%2], 100_00)
		}
	}
}

// betByHabit puts each seat always on the same side.
func betByHabit(tb *table) func(*Round, []baccarat.Card) {
	return func(r *Round, _ []baccarat.Card) {
		for seat := range uint32(seats) {
			tb.bet(r, seat, [2]baccarat.Spot{baccarat.SpotPlayer, baccarat.SpotBanker}[seat%2], 100_00)
		}
	}
}

// betByRoad puts every other seat on the side that won last, and the others on the other side.
func betByRoad(tb *table) func(*Round, []baccarat.Card) {
	sides := [2]baccarat.Spot{baccarat.SpotPlayer, baccarat.SpotBanker}
	return func(r *Round, next []baccarat.Card) {
		for seat := range uint32(seats) {
			tb.bet(r, seat, sides[seat%2], 100_00)
		}
		if tb.result(next) != baccarat.Tie && tb.winner(next) != sides[0] {
			sides[0], sides[1] = sides[1], sides[0]
		}
	}
}

// errAtOnce makes the honest errors that the policy tolerates, each for all wagers of a round: the wrong winner, the
// vigorish forgotten, the stakes misread.
func (tb *table) errAtOnce(r *Round) {
	policy := DefaultBudget().Policy
	r.Ended += int64(tb.rng.IntN(20e9))
	wrong, forgotten := tb.rng.Float64() < policy.Errors, tb.rng.Float64() < policy.Short
	change := int64(0)
	if tb.rng.IntN(100) == 0 {
		change = 5_00 * int64(1-2*tb.rng.IntN(2))
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		w.HasReads, w.AtLock, w.AtSettlement = true, w.Stake, w.Stake+change
		switch {
		case wrong && w.Ruled == baccarat.Pay:
			w.Done, w.Paid = baccarat.Collect, 0
		case wrong && w.Ruled == baccarat.Collect:
			w.Done, w.Paid = baccarat.Pay, w.Stake
		case forgotten:
			w.VigTaken = 0
		}
	}
	if tb.rng.Float64() < policy.Slips {
		r.Breaches = len(r.Cards)
	}
}

// failAtOnce leaves all cards of a round unread, at the tolerated rate.
func (tb *table) failAtOnce(r *Round) {
	if tb.rng.Float64() >= unreadTolerated {
		return
	}
	for i := range r.Cards {
		r.Cards[i].Card = baccarat.Unread
	}
}

// Honest durations raise no alarm of d17: the odds that it states hold if the durations of a visit are exchangeable. A
// window of the latest durations gave an alarm in 9,000 rounds.
func TestPaceOdds(t *testing.T) {
	tb := newTable(t, 5)
	keys, alarms, starts := 0, 0, 0.0
	for key := range 60 {
		s := paceState{Mixture: newMixture(len(kappas))}
		lnR := math.Inf(-1)
		for range testkit.Soak(4000, 20000) {
			p := s.add(4+tb.rng.IntN(3), 24+.3*tb.rng.NormFloat64(), tb.rng.Float64())
			if p == 0 {
				continue
			}
			var experts [len(kappas)]float64
			for i, k := range kappas {
				experts[i] = k * math.Pow(p, k-1)
			}
			starts += 1.0 / paceRounds
			if lnR = lnAdd(lnR, -math.Log(paceRounds)) + s.Mixture.update(0, experts[:]); lnR >= math.Log(1000) {
				alarms++
				lnR = math.Inf(-1)
			}
		}
		keys = key + 1
	}
	bound := starts / 1000
	t.Logf("%d alarms at one in a thousand over %d keys, bound %.1f", alarms, keys, bound)
	if float64(alarms) > bound+3*math.Sqrt(bound)+1 {
		t.Errorf("%d alarms at one in a thousand, bound %.1f", alarms, bound)
	}
}

// What rests on a reader that d19 suspects waits: no other detector collects evidence from its rounds in the visit.
func TestSuspectedReader(t *testing.T) {
	tb := newTable(t, 41)
	h := oneStored(DefaultBudget())
	suspected, later := false, 0
	tb.settle = func(r *Round) {
		tb.misread(r)
		r.Misread = tb.rng.IntN(10) == 0
	}
	tb.hook = func() {
		for i := range h.Factors {
			if f := &h.Factors[i]; suspected && f.Location.Round > 0 && f.Detector != d19 {
				later++
			}
		}
		for i := range h.Alarms {
			suspected = suspected || h.Alarms[i].Key == Key{OfDevice, "r1"}
		}
	}
	for range 4 {
		tb.play(h)
	}
	if !suspected || later > 0 {
		t.Errorf("the reader is suspected: %t; %d factors of its rounds later", suspected, later)
	}
}
