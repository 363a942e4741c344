package detectors

import (
	"fmt"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
)

// lnMillion is the threshold of detectors outside the promise: one in a million if their calibration holds.
var lnMillion = math.Log(1e6)

var d17 = &Detector{
	ID: "d17", Name: "pace", Tier: Calibrated,
	Looks:   "how long rounds take, by their number of cards, beside the key's latest rounds",
	Null:    "the next round's duration ranks anywhere among the latest: calibrated on the past, outside the promise",
	Shows:   "a change of pace",
	Keys:    []KeyKind{OfDealer, OfTable},
	LnFixed: lnMillion,
	New:     func(*Promise) Process { return &pace{keys: map[Key]*durations{}} },
}

// kappas are the calibrators k p^(k-1) of p-values.
var kappas = [...]float64{.1, .3, .5}

const paceRounds = 200

type pace struct {
	nothing
	keys map[Key]*durations
}

type durations struct {
	mixture mixture
	// mean and n are of the logarithm by number of cards; last are the latest residuals.
	mean, n [9]float64
	last    []float64
}

func (d *pace) Round(r *Round, out *Factors) {
	if r.First == 0 || r.Ended <= r.First || len(r.Cards) > 8 {
		return
	}
	for _, key := range [...]Key{{OfDealer, r.Dealer}, {OfTable, r.Table}} {
		if key.ID == "" || !out.wants(key.Kind) {
			continue
		}
		s := d.keys[key]
		if s == nil {
			s = &durations{mixture: newMixture(len(kappas), 0)}
			d.keys[key] = s
		}
		if p := s.take(len(r.Cards), math.Log(float64(r.Ended-r.First)), uniform(key, r.Place)); p > 0 {
			var experts [len(kappas)]float64
			for i, k := range kappas {
				experts[i] = k * math.Pow(p, k-1)
			}
			out.Add(Factor{Key: key, LnE: s.mixture.take(experts[:]), Start: 1.0 / paceRounds})
		}
	}
}

// take returns the p-value of a duration among the latest ones, 0 while there are too few of them.
func (s *durations) take(cards int, ln, u float64) float64 {
	p := 0.0
	if s.n[cards] >= 20 {
		x := ln - s.mean[cards]
		if len(s.last) == paceRounds {
			above, same := 0, 1
			for _, o := range s.last {
				switch {
				case o > x:
					above++
				case o == x:
					same++
				}
			}
			p = (float64(above) + u*float64(same)) / (paceRounds + 1)
			p = min(2*min(p, 1-p), 1)
			s.last = slices.Delete(s.last, 0, 1)
		}
		s.last = append(s.last, x)
	}
	s.n[cards]++
	s.mean[cards] += (ln - s.mean[cards]) / s.n[cards]
	return p
}

var d18 = &Detector{
	ID: "d18", Name: "hold", Tier: Calibrated,
	Looks: "the profit of patrons beside its expectation, in standard deviations of the game: a control chart, no alarm",
	Null:  "a normal approximation; an edge of one point takes some 356,000 wagers to show at one in a billion",
	Shows: "where a day's hold lies; Hold gives the tests of COMAR 36.05.03.25 and K.A.R. 112-108-51 by name",
	Keys:  []KeyKind{OfTable, OfPit},
	New:   func(p *Promise) Process { return &holdChart{} },
}

type holdChart struct{ nothing }

func (holdChart) Round(r *Round, out *Factors) {
	if r.Odds == nil || r.Offer == nil || !r.Played {
		return
	}
	var x result
	for i := range r.Wagers {
		if w := &r.Wagers[i]; r.weighable(w) {
			x.add(r, w)
		}
	}
	if x.most <= x.least {
		return
	}
	width := x.most - x.least
	for _, key := range [...]Key{{OfTable, r.Table}, {OfPit, r.Pit}} {
		if key.ID != "" {
			out.Add(Factor{Key: key, Money: x.net, Seen: (x.profit - x.least) / width, Due: (x.mean - x.least) / width})
		}
	}
}

var d19 = &Detector{
	ID: "d19", Name: "readers", Tier: Calibrated, Feed: true,
	Looks:   "cards that a reader did not read, and rounds of a number of cards that no round has",
	Null:    "at most one card in five hundred unread: a tolerance, outside the promise",
	Shows:   "which device reads badly; what rests on its readings waits",
	Keys:    []KeyKind{OfShoe, OfDevice},
	LnFixed: lnMillion,
	New:     func(p *Promise) Process { return &readers{keyed: newKeyed(p, len(rates))} },
}

// unreadTolerated is the rate of unread cards that says nothing.
const unreadTolerated = 0.002

type readers struct {
	nothing
	keyed keyed
}

func (d *readers) Begin(*Shoe, *Factors) { d.keyed.begin() }

func (d *readers) Round(r *Round, out *Factors) {
	for _, c := range r.Cards {
		d.weigh(r, c.Card == baccarat.Unread, out)
	}
	if n := len(r.Cards); n > 0 && r.Played && n < 4 {
		d.weigh(r, true, out)
	}
}

func (d *readers) weigh(r *Round, bad bool, out *Factors) {
	var experts [len(rates)]float64
	for k, times := range rates {
		experts[k] = rate(unreadTolerated, times, bad)
	}
	f := Factor{Due: unreadTolerated}
	if bad {
		f.Seen = 1
	}
	for _, key := range [...]Key{{OfShoe, r.Shoe}, {OfDevice, r.Reader}} {
		if key.ID != "" {
			f.Key = key
			d.keyed.take(f, r.At, experts[:], out)
		}
	}
}

// Explain says that it is about reading.
func (d *readers) Explain(key Key) string {
	return fmt.Sprintf("%v reads worse than one card in %d unread", key, int(1/unreadTolerated))
}
