package detectors

import (
	"math"
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
)

// slip is all that one patron, or a whole table, has on a round's outcome. Wagers on pairs are apart: their
// outcome does not follow from the class.
type slip struct {
	who    string
	stake  int64
	late   bool
	profit [exact.Classes]float64 // minor units
	most   float64                // largest gain or loss
	won    float64                // as it came out, by the law
	net    int64                  // the same in money, as the law has it
	wagers int
	ev     float64         // expected profit
	tilts  [thetas]float64 // see tilted; the first is 0 until it is asked for
	side   baccarat.Spot
	sides  [4]int64 // stakes by main spot
}

// slips are a round's wagers by patron, in the order of the first wager of each, and the sum over the table last.
type slips struct {
	list []slip
	used int
}

// who names a bettor: the patron, or the seat of an unknown one.
func who(r *Round, w *Wager) string {
	if w.Patron != "" {
		return w.Patron
	}
	return r.Table + "/" + strconv.FormatUint(uint64(w.Seat), 10)
}

// of sorts a round's wagers. It gives none for a round without odds.
func (s *slips) of(r *Round, policy *Policy) (patrons []slip, table *slip) {
	s.used = 0
	if r.Odds == nil || r.Offer == nil || !r.Played {
		return nil, nil
	}
	s.list = slices.Grow(s.list[:0], len(r.Wagers)+1)
	table = s.next("")
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Spot > baccarat.SpotOther {
			continue
		}
		terms := &r.Offer.Terms[w.Spot]
		if !terms.Offered || terms.OnPair || w.Late || w.Stake <= 0 {
			continue
		}
		name := who(r, w)
		mine := (*slip)(nil)
		for j := 1; j < s.used; j++ {
			if s.list[j].who == name {
				mine = &s.list[j]
			}
		}
		if mine == nil {
			mine = s.next(name)
			table = &s.list[0]
		}
		for _, x := range [2]*slip{mine, table} {
			x.add(w, terms, r.Offer.Kernel)
			x.late = x.late || r.First != 0 && r.First-w.Placed <= policy.LateWindow
		}
	}
	for i := range s.used {
		s.list[i].finish(r)
	}
	return s.list[1:s.used], &s.list[0]
}

func (s *slips) next(name string) *slip {
	s.list = s.list[:s.used+1]
	s.list[s.used] = slip{who: name}
	s.used++
	return &s.list[s.used-1]
}

func (x *slip) add(w *Wager, terms *exact.Terms, k *exact.Kernel) {
	stake := float64(w.Stake)
	for _, class := range k.Classes() {
		x.profit[class] += stake * terms.Profit[class]
	}
	x.stake += w.Stake
	x.net += w.net()
	x.wagers++
	if w.Spot <= baccarat.SpotTie {
		x.sides[w.Spot] += w.Stake
	}
}

// net is what the law gives or takes on a wager.
func (w *Wager) net() int64 {
	switch w.Ruled {
	case baccarat.Pay:
		return w.Due - w.VigDue
	case baccarat.Collect:
		return -w.Stake
	}
	return -w.VigDue
}

func (x *slip) finish(r *Round) {
	for _, class := range r.Offer.Kernel.Classes() {
		x.most = max(x.most, math.Abs(x.profit[class]))
		x.ev += r.Odds.P[class] * x.profit[class]
	}
	x.won = x.profit[exact.Class(r.Coup.P, r.Coup.B, r.Coup.NP, r.Coup.NB)]
	for spot := baccarat.SpotBanker; spot <= baccarat.SpotTie; spot++ {
		if x.sides[spot] > x.sides[x.side] {
			x.side = spot
		}
	}
}

// tilted is, for each theta, exp(theta x)/E exp(theta x), where x is the profit by the largest: several keys ask for it.
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
		e := math.Exp(thetaFirst * profits[i] / x.most)
		for k := range mean {
			mean[k] += weights[i] * e
			e *= e
		}
	}
	e := math.Exp(thetaFirst * x.won / x.most)
	for k := range mean {
		x.tilts[k] = e / mean[k]
		e *= e
	}
	return x.tilts
}

// chances are the probabilities that the slip wins and loses.
func (x *slip) chances(r *Round) (win, lose float64) {
	for _, class := range r.Offer.Kernel.Classes() {
		switch p := x.profit[class]; {
		case p > 0:
			win += r.Odds.P[class]
		case p < 0:
			lose += r.Odds.P[class]
		}
	}
	return win, lose
}

// session tells when a key's visit begins, and what a start weighs: half at the beginning of a visit and half
// spread over its rounds, so that a cheat that begins at once and one that begins late are both met in time.
type session struct {
	last int64
}

// visitEnds is how long a key must be away for its next round to begin a visit; ns.
const visitEnds = int64(4 * 3600 * 1e9)

// start is the weight of a start at a round, when a visit has some rounds on average.
func (s *session) start(at int64, rounds float64) float64 {
	w := 0.5 / rounds
	if s.last == 0 || at-s.last > visitEnds {
		w += 0.5
	}
	s.last = at
	return w
}
