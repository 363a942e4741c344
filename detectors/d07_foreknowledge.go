package detectors

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
)

var d07 = &Detector{
	ID: "d07", Name: "foreknowledge", Tier: Exact,
	Observes: "the wins of wagers, with their exact probabilities: in all rounds, in those with at least five times " +
		"the usual stake, and in those with late wagers",
	Null:    "undealt cards are a uniform draw from the cards not seen, and bets are made without knowledge of them",
	Reports: "wins and their exact expectation",
	Keys:    []KeyKind{OfPatron, OfTable, OfDealerPatron, OfDealer},
	Starts:  visits,
	start: func(b *Budget) process {
		return &foreknowledge{
			budget: b, keyedStates: keyedStates[foreknowledgeState]{keys: map[Key]*foreknowledgeState{}},
			dealers: newAccomplices(b, newMixture(dealerExperts)),
		}
	},
}

// The exponential tilts of the profit of a slip over its largest profit: their number, and the first. Each is twice
// the one before.
const (
	thetas     = 5
	thetaFirst = .5
)

const (
	foreknowledgeExperts = 3*len(knownParts) + thetas
	dealerExperts        = 2 * len(knownParts)
)

// foreknowledgePrior is the first weight of each expert: all rounds, big stakes and late wagers by part, then the
// tilts.
var foreknowledgePrior = [foreknowledgeExperts]float64{
	.15, .15, .15, .15, .04, .04, .04, .04, .035, .035, .035, .035, .02, .02, .02, .02, .02,
}

// foreknowledge is d07.
type foreknowledge struct {
	inert
	budget *Budget
	keyedStates[foreknowledgeState]
	factors [foreknowledgeExperts]float64
	// big reports that the stake of the slip that was scored last is at least five times the usual one.
	big bool
	// dealers are tested by the factors of all rounds of a patron and of those with big stakes.
	dealers accomplices
}

// foreknowledgeState is the state of one key.
type foreknowledgeState struct {
	Visit   visit
	Mixture mixture
	// Usual are the latest stakes; nil for a dealer and a patron, who have the stakes of the patron.
	Usual *median
}

func (s *foreknowledgeState) visited() int64 { return s.Visit.Last }

func (s *foreknowledgeState) check() error {
	return s.Mixture.check(foreknowledgeExperts)
}

func (d *foreknowledge) Round(r *Round, out *factors) {
	patrons, table := r.bySlip(&d.budget.Policy)
	if table == nil || table.wagers == 0 {
		return
	}
	d.dealers.begin()
	eachSlip(r, patrons, table, func(key Key, x *slip) { d.score(key, r, x, out) })
	d.dealers.score(r, out)
}

func (d *foreknowledge) forget(stale func(Key, int64) bool) {
	d.keyedStates.forget(stale)
	d.dealers.forget(stale)
}

func (d *foreknowledge) streams() []stream {
	own := byKey(d.keys, (*foreknowledgeState).check)
	own.ready = func(key Key, s *foreknowledgeState) {
		if key.Kind == OfDealerPatron {
			s.Usual = nil
		}
	}
	return append([]stream{own}, d.dealers.streams()...)
}

func (d *foreknowledge) score(key Key, r *Round, x *slip, out *factors) {
	if !out.wants(key.Kind) || x.most == 0 {
		return
	}
	s := d.keys[key]
	if s == nil {
		s = &foreknowledgeState{Mixture: newMixture(foreknowledgeExperts)}
		copy(s.Mixture, foreknowledgePrior[:])
		d.keys[key] = s
	}
	start := s.Visit.start(r.At, roundsPerVisit(d.budget.Volume, key.Kind))
	if key.Kind != OfDealerPatron { // which follows that of the patron
		if s.Usual == nil {
			s.Usual = &median{}
		}
		d.big = s.Usual.N >= 5 && x.stake >= 5*s.Usual.value()
		s.Usual.add(x.stake)
	}
	won, chance := x.outcome(r)
	if chance == 0 {
		return
	}
	hit := 0.0
	if won > 0 {
		hit = 1
	}
	n := 0
	for _, counts := range [...]bool{true, d.big, x.late} {
		for _, part := range knownParts {
			d.factors[n] = 1
			if counts && won != 0 {
				d.factors[n] = 1 - part + part*hit/chance
			}
			n++
		}
	}
	if key.Kind == OfPatron {
		d.dealers.add(key.ID, d.factors[:dealerExperts])
	}
	for i, e := range x.tilted(r) {
		d.factors[n+i] = e
	}
	f := Factor{Key: key, LnE: s.Mixture.update(0.0005, d.factors[:]), Start: start, Money: x.net}
	if key.Kind == OfTable {
		f.LnE = d.dealers.beside(r, f.LnE)
	}
	if won != 0 {
		f.Observed, f.Expected = hit, chance
	}
	out.add(f)
}

// outcome returns the profit of a slip and its probability of winning unless it ties; 0 if it cannot win, or cannot
// lose. The main wager stands for the slip if there is one: a cheat knows which side wins.
func (x *slip) outcome(r *Round) (won, chance float64) {
	var win, lose float64
	if x.side == baccarat.NoSpot {
		won = x.won
		win, lose = split(r, &x.profit)
	} else {
		won = r.Offer.Terms[x.side].Of(&r.Coup)
		win, lose = chances(r, x.side)
	}
	if win <= 0 || lose <= 0 {
		return won, 0
	}
	return won, win / (win + lose)
}

// median is the median of the latest stakes of a key.
type median struct {
	Last [25]int64
	N    int
}

func (m *median) add(v int64) {
	m.Last[m.N%len(m.Last)] = v
	m.N++
}

func (m *median) value() int64 {
	sorted := m.Last
	k := min(m.N, len(sorted))
	slices.Sort(sorted[:k])
	return sorted[k/2]
}

// stakeSize is the size of a stake beside the latest ones of its key.
type stakeSize uint8

const (
	usualStake stakeSize = iota
	smallStake
	bigStake
)

// size compares a stake with the latest ones, not with itself: big is twice the smallest, small is at most half of the
// largest; a stake that is both belongs to the nearer one, by their ratio.
func (m *median) size(v int64) stakeSize {
	n := min(m.N, len(m.Last))
	if n == 0 {
		return usualStake
	}
	least, most := slices.Min(m.Last[:n]), slices.Max(m.Last[:n])
	big, small := v >= 2*least, 2*v <= most
	switch {
	case big && (!small || float64(v)*float64(v) >= float64(least)*float64(most)):
		return bigStake
	case small:
		return smallStake
	}
	return usualStake
}

// far reports whether a stake is twice the median of the latest ones, or more.
func (m *median) far(v int64) bool { return m.N >= 5 && v >= 2*m.value() }
