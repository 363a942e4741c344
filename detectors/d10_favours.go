package detectors

import (
	"slices"

	"github.com/shoeproof/shoeproof/numeric"
)

var d10 = &Detector{
	ID: "d10", Name: "dealer and patron", Tier: Exact,
	Observes: "settlement errors in favour of one patron at one dealer, and in favour of the dealer's other patrons",
	Null:     "the dealer errs in favour of all patrons at the same rate, whatever it is",
	Reports:  "both rates",
	Keys:     []KeyKind{OfDealerPatron},
	Starts:   visits,
	start: func(b *Budget) process {
		return &favours{budget: b, keyedStates: keyedStates[favourState]{keys: map[Key]*favourState{}}}
	},
}

const (
	// favourRounds is the minimum number of common rounds of a dealer and a patron.
	favourRounds = 50
	// favourSingles is the number of errors over which the half of the start weight is spread: about the number of
	// honest errors in a hundred visits, so that the sum of the starts stays below one a visit.
	favourSingles = 10
)

// favours is d10.
type favours struct {
	inert
	budget *Budget
	keyedStates[favourState]
	bettors []favoured // of a round
}

// favourState compares a pair with another patron of the dealer in rounds in which an error favours exactly one of them
// (Single): under honest play each is as likely, whatever the dependence between the wagers of a round. In counts the
// rounds in which it favours the patron.
type favourState struct {
	Visit      visit
	Last       int64 // ns
	Rounds     int
	Single, In float64
}

func (s *favourState) visited() int64 { return s.Last }

func (*favourState) check() error { return nil }

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
		key := Key{OfDealerPatron, r.with(in.bettor)}
		s := d.keys[key]
		if s == nil {
			s = &favourState{}
			d.keys[key] = s
		}
		s.Rounds++
		s.Last = r.At
		// More wagers have more errors: the same number of both is compared.
		n := min(len(in.wagers), len(other.wagers))
		favoured, others := slices.Contains(in.wagers[:n], true), slices.Contains(other.wagers[:n], true)
		if favoured == others {
			continue
		}
		e := s.single(favoured)
		if s.Rounds < favourRounds {
			continue
		}
		start := s.Visit.start(r.At, favourSingles)
		f := Factor{Key: key, LnE: numeric.Log(e), Start: start, Expected: 0.5}
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

// single returns the factor of a round in which an error favours the patron (in) or the other, and learns from it.
func (s *favourState) single(in bool) float64 {
	part := max((s.In+.5)/(s.Single+1), .5)
	s.Single++
	if !in {
		return 2 * (1 - part)
	}
	s.In++
	return 2 * part
}
