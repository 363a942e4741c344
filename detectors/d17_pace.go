package detectors

import (
	"math"
	"slices"
)

var d17 = &Detector{
	ID: "d17", Name: "pace", Tier: Calibrated,
	Observes: "the duration of rounds, by number of cards, and that of the latest rounds of the key",
	Null:     "the next duration has any rank among the latest: calibrated on the history of the key, outside the budget",
	Reports:  "a change of pace",
	Keys:     []KeyKind{OfDealer, OfTable},
	lnFixed:  lnMillion,
	start:    func(*Budget) process { return &pace{keys: map[Key]*paceState{}} },
}

// kappas are the calibrators k p^(k-1) of p-values.
var kappas = [...]float64{.1, .3, .5}

const (
	// paceRounds is the number of latest rounds that a duration is compared with.
	paceRounds = 200
	// paceCards is the maximum number of cards of a round.
	paceCards = 8
	// pacePrior is the minimum number of rounds with the same number of cards.
	pacePrior = 20
)

// pace is d17.
type pace struct {
	inert
	keys map[Key]*paceState
}

// paceState is the state of one key. Mean and N are of the logarithm of durations, by number of cards; Last are the
// latest differences from the mean.
type paceState struct {
	Mixture mixture
	Mean, N [paceCards + 1]float64
	Last    []float64
}

func (d *pace) Round(r *Round, out *factors) {
	if r.First == 0 || r.Ended <= r.First || len(r.Cards) > paceCards {
		return
	}
	for _, key := range [...]Key{{OfDealer, r.Dealer}, {OfTable, r.Table}} {
		if key.ID == "" || !out.wants(key.Kind) {
			continue
		}
		s := d.keys[key]
		if s == nil {
			s = &paceState{Mixture: newMixture(len(kappas))}
			d.keys[key] = s
		}
		p := s.add(len(r.Cards), math.Log(float64(r.Ended-r.First)), uniform(key, r.Location))
		if p > 0 {
			var experts [len(kappas)]float64
			for i, k := range kappas {
				experts[i] = k * math.Pow(p, k-1)
			}
			out.add(Factor{Key: key, LnE: s.Mixture.update(0, experts[:]), Start: 1.0 / paceRounds})
		}
	}
}

// add returns the p-value of a duration among the latest ones, 0 while there are too few of them. Ties are broken by u.
func (s *paceState) add(cards int, ln, u float64) float64 {
	p := 0.0
	if s.N[cards] >= pacePrior {
		x := ln - s.Mean[cards]
		if len(s.Last) == paceRounds {
			above, same := 0, 1
			for _, o := range s.Last {
				switch {
				case o > x:
					above++
				case o == x:
					same++
				}
			}
			p = (float64(above) + u*float64(same)) / (paceRounds + 1)
			p = min(2*min(p, 1-p), 1)
			s.Last = slices.Delete(s.Last, 0, 1)
		}
		s.Last = append(s.Last, x)
	}
	s.N[cards]++
	s.Mean[cards] += (ln - s.Mean[cards]) / s.N[cards]
	return p
}
