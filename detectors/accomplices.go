package detectors

import (
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/numeric"
)

const (
	// accompliceShare is the part of the weight that a round moves to all patrons: a dealer may turn to another one.
	accompliceShare = 0.01
	// accompliceAway is the part of the weight that a patron keeps who does not bet, accompliceLeast the least that is
	// stored.
	accompliceAway, accompliceLeast = 0.25, 1e-4
	// accompliceNew is the part of the divided weight for patrons who have come, if there are some and others stay: a
	// dealer who has lost an accomplice turns to somebody.
	accompliceNew = 0.5
)

// accomplices tests whether some patron of a dealer, or of a table, knows what comes: now one, now another. It is a
// mixture over the patrons who bet and the experts about each. The factors of a patron have a mean of at most 1 given
// the past, and so has the factor of the mixture, whatever the dependence between the patrons of a round.
type accomplices struct {
	budget *Budget
	prior  []float64
	keyedStates[accompliceState]
	// shown are the factors of the patrons of the round.
	shown []accomplice
}

// newAccomplices makes the mixtures of dealers, with the first weight of each expert.
func newAccomplices(b *Budget, prior []float64) accomplices {
	return accomplices{
		budget: b, prior: prior, keyedStates: keyedStates[accompliceState]{keys: map[Key]*accompliceState{}},
	}
}

// accompliceState is the state of a dealer, or of a table. Experts are the weights of the experts for a patron without
// a weight of his own. Beside, of a table, weighs its other factor and that of the mixture.
type accompliceState struct {
	Visit   visit
	Experts mixture
	Patrons []accomplice
	Beside  mixture
}

// accomplice has a weight for each expert about a patron.
type accomplice struct {
	Patron string
	By     []float64
}

func (s *accompliceState) visited() int64 { return s.Visit.Last }

func (s *accompliceState) check() error {
	if len(s.Beside) > 0 {
		if err := s.Beside.check(2); err != nil {
			return err
		}
	}
	for i := range s.Patrons {
		if err := mixture(s.Patrons[i].By).check(len(s.Experts)); err != nil {
			return err
		}
	}
	return nil
}

// begin is called before the patrons of a round are added.
func (a *accomplices) begin() { a.shown = a.shown[:0] }

// add takes the factors of the experts about a patron.
func (a *accomplices) add(patron string, factors []float64) {
	n := len(a.shown)
	a.shown = slices.Grow(a.shown, 1)[:n+1]
	a.shown[n] = accomplice{patron, append(a.shown[n].By[:0], factors...)}
}

// score adds the factor of the dealer of a round.
func (a *accomplices) score(r *Round, out *factors) {
	key := Key{OfDealer, r.Dealer}
	if r.Dealer == "" || len(a.shown) == 0 || !out.wants(OfDealer) {
		return
	}
	s := a.of(key)
	f := Factor{Key: key, Start: s.Visit.start(r.At, roundsPerVisit(a.budget.Volume, OfDealer))}
	f.LnE = s.update(a.shown)
	out.add(f)
}

// beside mixes the factor of a table with that of its patrons, whoever deals: what comes may be known from the cards.
func (a *accomplices) beside(r *Round, lnE float64) float64 {
	if len(a.shown) == 0 {
		return lnE
	}
	s := a.of(Key{OfTable, r.Table})
	if len(s.Beside) == 0 {
		s.Beside = newMixture(2)
	}
	s.Visit.Last = r.At
	return s.Beside.update(0.001, []float64{numeric.Exp(lnE), numeric.Exp(s.update(a.shown))})
}

// of returns the state of a key.
func (a *accomplices) of(key Key) *accompliceState {
	s := a.keys[key]
	if s == nil {
		s = &accompliceState{Experts: slices.Clone(a.prior)}
		a.keys[key] = s
	}
	return s
}

// update takes the factors of the patrons of a round, and returns that of the mixture.
func (s *accompliceState) update(shown []accomplice) (lnE float64) {
	s.share(shown)
	total, all := 0.0, 0.0
	for i := range shown {
		for k, w := range s.of(shown[i].Patron) {
			all += w
			total += float64(w * shown[i].By[k])
		}
	}
	if total <= 0 {
		return math.Inf(-1)
	}
	for i := range shown {
		weights := s.of(shown[i].Patron)
		for k := range weights {
			weights[k] *= shown[i].By[k] * all / total
		}
	}
	s.learn()
	return numeric.Log(total / all)
}

// share divides weight among the patrons who bet, before their cards: what the others lose, and a part of all.
func (s *accompliceState) share(shown []accomplice) {
	free, stay := 1.0, 0
	for i := range s.Patrons {
		p, keeps := &s.Patrons[i], accompliceAway
		if slices.ContainsFunc(shown, func(x accomplice) bool { return x.Patron == p.Patron }) {
			keeps = 1 - accompliceShare
			stay++
		}
		for k := range p.By {
			p.By[k] *= keeps
			free -= p.By[k]
		}
	}
	known, came := len(s.Patrons), len(shown)-stay
	for i := range shown {
		part := 1 / float64(len(shown))
		if came > 0 && stay > 0 {
			part *= 1 - accompliceNew
		}
		weights := s.of(shown[i].Patron)
		if n := len(s.Patrons); n > known && stay > 0 {
			part, known = part+accompliceNew/float64(came), n
		}
		for k := range weights {
			weights[k] += float64(max(free, 0) * part * s.Experts[k])
		}
	}
}

// of returns the weights of a patron, 0 for one who is new.
func (s *accompliceState) of(patron string) []float64 {
	at := slices.IndexFunc(s.Patrons, func(p accomplice) bool { return p.Patron == patron })
	if at < 0 {
		at = len(s.Patrons)
		s.Patrons = append(s.Patrons, accomplice{patron, make([]float64, len(s.Experts))})
	}
	return s.Patrons[at].By
}

// learn sets the weights of the experts to their sums over the patrons, and drops patrons with little weight.
func (s *accompliceState) learn() {
	all := 0.0
	clear(s.Experts)
	for i := range s.Patrons {
		for k, w := range s.Patrons[i].By {
			s.Experts[k] += w
			all += w
		}
	}
	const share = 0.001
	for k := range s.Experts {
		s.Experts[k] = (1-share)*s.Experts[k]/all + share/float64(len(s.Experts))
	}
	s.Patrons = slices.DeleteFunc(s.Patrons, func(p accomplice) bool {
		sum := 0.0
		for _, w := range p.By {
			sum += w
		}
		return sum < accompliceLeast
	})
}
