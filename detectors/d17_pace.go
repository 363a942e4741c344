package detectors

import (
	"fmt"
	"math"

	"github.com/shoeproof/shoeproof/numeric"
)

var d17 = &Detector{
	ID: "d17", Name: "pace", Tier: Calibrated,
	Observes: "the duration of rounds, by number of cards, and that of the earlier rounds of the visit at the table",
	Null: "the next duration has any rank among the durations of the visit at the table with as many cards: calibrated " +
		"on the history of the key, outside the budget",
	Reports: "a change of pace",
	Keys:    []KeyKind{OfDealer, OfTable},
	lnFixed: lnMillion,
	start: func(*Budget) process {
		return &pace{keyedStates: keyedStates[paceState]{keys: map[Key]*paceState{}}}
	},
}

// kappas are the calibrators k p^(k-1) of p-values.
var kappas = [...]float64{.1, .3, .5}

const (
	// paceRounds is the number of rounds over which a start is spread: the odds of an alarm are for so many rounds.
	paceRounds = 200
	// paceCards is the maximum number of cards of a round.
	paceCards = 8
	// pacePrior is the minimum number of rounds with the same number of cards.
	pacePrior = 20
	// Durations are counted in steps of a part of their logarithm, from the shortest.
	paceStep     = 0.05
	paceSteps    = 128
	paceShortest = 20 // ln of 0.5 s in ns
)

// pace is d17.
type pace struct {
	inert
	keyedStates[paceState]
}

// paceState is the state of one key in a visit, of a dealer at one table: tables differ in pace. Seen counts durations
// by number of cards and by step, up to 65,535.
type paceState struct {
	Visit   visit
	Mixture mixture
	Seen    [paceCards + 1][]uint16
}

func (s *paceState) visited() int64 { return s.Visit.Last }

func (s *paceState) check() error {
	for _, seen := range s.Seen {
		if len(seen) != 0 && len(seen) != paceSteps {
			return fmt.Errorf("%d steps, want %d", len(seen), paceSteps)
		}
	}
	return s.Mixture.check(len(kappas))
}

// Round scores the dealer, or the table if the dealer is not known: the dealers of a table differ in pace.
func (d *pace) Round(r *Round, out *factors) {
	if r.First == 0 || r.Ended <= r.First || len(r.Cards) > paceCards {
		return
	}
	key := Key{OfDealer, r.Dealer}
	if key.ID == "" {
		key = Key{OfTable, r.Table}
	}
	if !out.wants(key.Kind) {
		return
	}
	at := key
	if key.Kind == OfDealer {
		at.ID += "/" + r.Table
	}
	s := d.keys[at]
	if s == nil || r.At-s.Visit.Last > visitGap {
		s = &paceState{Mixture: newMixture(len(kappas))}
		d.keys[at] = s
	}
	s.Visit.Last = r.At
	p := s.add(len(r.Cards), numeric.Log(float64(r.Ended-r.First)), uniform(key, r.Location))
	if p > 0 {
		var experts [len(kappas)]float64
		for i, k := range kappas {
			experts[i] = k * numeric.Pow(p, k-1)
		}
		out.add(Factor{Key: key, LnE: s.Mixture.update(0, experts[:]), Start: 1.0 / paceRounds})
	}
}

// add returns the p-value of a duration among all of the visit and itself, 0 while there are too few of them. Ties are
// broken by u. While the durations are exchangeable, the p-values are independent and uniform (Vovk, Gammerman and
// Shafer, Algorithmic Learning in a Random World, 2005); a window of the latest ones would not give that.
func (s *paceState) add(cards int, ln, u float64) float64 {
	at := min(max(int((ln-paceShortest)/paceStep), 0), paceSteps-1)
	if len(s.Seen[cards]) == 0 {
		s.Seen[cards] = make([]uint16, paceSteps)
	}
	seen := s.Seen[cards]
	var above, all uint32
	for i, n := range seen {
		if all += uint32(n); i > at {
			above += uint32(n)
		}
	}
	same := uint32(seen[at]) + 1
	if seen[at] < math.MaxUint16 {
		seen[at]++
	}
	if all < pacePrior {
		return 0
	}
	p := (float64(above) + float64(u*float64(same))) / float64(all+1)
	return min(2*min(p, 1-p), 1)
}
