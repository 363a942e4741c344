package detectors

import (
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/numeric"
)

// slip sums the wagers of one patron, or of the table, on a round. Wagers on pairs are left out: their outcome does
// not follow from the outcome class.
type slip struct {
	bettor string
	stake  int64
	late   bool
	profit [exact.Classes]float64 // minor units
	most   float64                // the largest absolute profit
	won    float64                // the profit by the law
	net    int64                  // the same in minor units, with vigorish
	wagers int
	tilts  [thetas]float64 // see tilted; computed at the first use
	side   baccarat.Spot   // the main spot with the largest stake
	sides  [4]int64        // stakes by main spot
}

// slips are the slips of a round by patron, in the order of the first wager of each. The first is that of the table.
// Several detectors need them: they are summed up once.
type slips struct {
	list   []slip
	used   int
	summed bool
}

// eachSlip scores the slip of each patron, of each pair of dealer and patron, and of a table with several patrons.
func eachSlip(r *Round, patrons []slip, table *slip, score func(Key, *slip)) {
	for i := range patrons {
		x := &patrons[i]
		score(Key{OfPatron, x.bettor}, x)
		if r.Dealer != "" {
			score(Key{OfDealerPatron, r.with(x.bettor)}, x)
		}
	}
	if len(patrons) > 1 {
		score(Key{OfTable, r.Table}, table)
	}
}

// bySlip returns the slips of the round, nil for a round without odds.
func (r *Round) bySlip(policy *Policy) (patrons []slip, table *slip) {
	s := r.slips
	if !s.summed {
		s.sum(r, policy)
	}
	if s.used == 0 {
		return nil, nil
	}
	return s.list[1:s.used], &s.list[0]
}

// sum sums up the wagers of a round.
func (s *slips) sum(r *Round, policy *Policy) {
	s.used, s.summed = 0, true
	if !r.playable() {
		return
	}
	s.list = slices.Grow(s.list[:0], len(r.Wagers)+1)
	s.next("")
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Spot > baccarat.SpotOther {
			continue
		}
		terms := &r.Offer.Terms[w.Spot]
		if !terms.Offered || terms.OnPair || w.Late || w.Stake <= 0 {
			continue
		}
		late := r.First != 0 && r.First-w.Placed <= policy.LateWindow
		patron := s.patron(bettor(r, w))
		for _, x := range [2]*slip{patron, &s.list[0]} {
			x.add(w, terms, r.Offer.Kernel)
			x.late = x.late || late
		}
	}
	for i := range s.used {
		s.list[i].finish(r)
	}
}

// patron finds or adds the slip of a bettor.
func (s *slips) patron(name string) *slip {
	for j := 1; j < s.used; j++ {
		if s.list[j].bettor == name {
			return &s.list[j]
		}
	}
	return s.next(name)
}

func (s *slips) next(name string) *slip {
	s.list = s.list[:s.used+1]
	s.list[s.used] = slip{bettor: name}
	s.used++
	return &s.list[s.used-1]
}

func (x *slip) add(w *Wager, terms *exact.Terms, k *exact.Kernel) {
	stake := float64(w.Stake)
	for _, class := range k.Classes() {
		x.profit[class] += float64(stake * terms.Profit[class])
	}
	x.stake += w.Stake
	x.net += w.net()
	x.wagers++
	if w.Spot <= baccarat.SpotTie {
		x.sides[w.Spot] += w.Stake
	}
}

func (x *slip) finish(r *Round) {
	for _, class := range r.Offer.Kernel.Classes() {
		x.most = max(x.most, math.Abs(x.profit[class]))
	}
	x.won = x.profit[exact.Class(r.Coup.P, r.Coup.B, r.Coup.NP, r.Coup.NB)]
	for spot := baccarat.SpotBanker; spot <= baccarat.SpotTie; spot++ {
		if x.sides[spot] > x.sides[x.side] {
			x.side = spot
		}
	}
}

// tilted returns exp(theta x)/E exp(theta x) for each theta, where x is the profit over the largest absolute profit.
func (x *slip) tilted(r *Round) [thetas]float64 {
	if x.tilts[0] != 0 {
		return x.tilts
	}
	// Wagers have few distinct profits: one exponential for each of them, squared for each next theta.
	var profits, weights [exact.Classes]float64
	n := 0
	for _, class := range r.Offer.Kernel.Classes() {
		at := slices.Index(profits[:n], x.profit[class])
		if at < 0 {
			at = n
			profits[at], weights[at] = x.profit[class], 0
			n++
		}
		weights[at] += r.Odds.P[class]
	}
	var mean [thetas]float64
	for i := range n {
		e := numeric.Exp(thetaFirst * profits[i] / x.most)
		for k := range mean {
			mean[k] += float64(weights[i] * e)
			e *= e
		}
	}
	e := numeric.Exp(thetaFirst * x.won / x.most)
	for k := range mean {
		x.tilts[k] = e / mean[k]
		e *= e
	}
	return x.tilts
}
