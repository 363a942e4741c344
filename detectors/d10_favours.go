package detectors

import (
	"math"
	"slices"
)

var d10 = &Detector{
	ID: "d10", Name: "dealer and patron", Tier: Exact,
	Observes: "settlement errors in favour of one patron at one dealer, and in favour of the dealer's other patrons",
	Null:     "the dealer errs in favour of all patrons at the same rate, whatever it is",
	Reports:  "both rates",
	Keys:     []KeyKind{OfDealerPatron},
	Starts:   visits,
	start:    func(b *Budget) process { return &favours{budget: b, keys: map[Key]*favourState{}} },
}

// favourRounds is the minimum number of common rounds of a dealer and a patron.
const favourRounds = 50

// favours is d10.
type favours struct {
	inert
	budget  *Budget
	keys    map[Key]*favourState
	bettors []favoured // of a round
}

// favourState compares the rate of a pair (In) with that of other patrons (Out) in blocks of one observation of each:
// the e-value of Turner, Ly and Gruenwald for two by two tables (J. Statist. Plann. Inference, 2024), with rates
// learned from past blocks.
type favourState struct {
	Visit         visit
	Rounds        int
	Blocks        float64
	InSum, OutSum float64
}

func (d *favours) Round(r *Round, out *factors) {
	if r.Dealer == "" || !out.wants(OfDealerPatron) {
		return
	}
	d.group(r)
	if len(d.bettors) < 2 {
		return
	}
	for i := range d.bettors {
		in, other := &d.bettors[i], &d.bettors[(i+1)%len(d.bettors)]
		key := Key{OfDealerPatron, r.Dealer + "+" + in.bettor}
		s := d.keys[key]
		if s == nil {
			s = &favourState{}
			d.keys[key] = s
		}
		s.Rounds++
		// More wagers have more errors: the same number of both is compared.
		n := min(len(in.wagers), len(other.wagers))
		favoured := slices.Contains(in.wagers[:n], true)
		e := s.block(favoured, slices.Contains(other.wagers[:n], true))
		if s.Rounds < favourRounds {
			continue
		}
		start := s.Visit.start(r.At, roundsPerVisit(d.budget.Volume, OfDealerPatron))
		f := Factor{Key: key, LnE: math.Log(e), Start: start, Expected: (s.OutSum + .5) / (s.Blocks + 1)}
		if favoured {
			f.Observed = 1
		}
		out.add(f)
	}
}

// favoured lists for each wager of a bettor whether an error favoured the bettor.
type favoured struct {
	bettor string
	wagers []bool
}

// group lists the bettors in the order of their first wager.
func (d *favours) group(r *Round) {
	d.bettors = d.bettors[:0]
	for i := range r.Wagers {
		w := &r.Wagers[i]
		name := bettor(r, w)
		at := slices.IndexFunc(d.bettors, func(f favoured) bool { return f.bettor == name })
		if at < 0 {
			at = len(d.bettors)
			d.bettors = slices.Grow(d.bettors, 1)[:at+1]
			d.bettors[at].bettor, d.bettors[at].wagers = name, d.bettors[at].wagers[:0]
		}
		_, gain := w.error()
		d.bettors[at].wagers = append(d.bettors[at].wagers, gain > 0)
	}
}

// block returns the factor of one observation of each kind.
func (s *favourState) block(in, out bool) float64 {
	a, b := (s.InSum+.1)/(s.Blocks+10), (s.OutSum+.1)/(s.Blocks+10)
	p := (a + b) / 2
	e := 1.0
	if a > b {
		e = likelihoodRatio(in, a, p) * likelihoodRatio(out, b, p)
	}
	s.Blocks++
	if in {
		s.InSum++
	}
	if out {
		s.OutSum++
	}
	return e
}

func likelihoodRatio(y bool, p, p0 float64) float64 {
	if y {
		return p / p0
	}
	return (1 - p) / (1 - p0)
}
