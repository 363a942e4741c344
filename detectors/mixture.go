package detectors

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/numeric"
)

// mixture holds the weights of experts, each a test martingale: the product of the returned factors is the average of
// the products of the experts.
type mixture []float64

// newMixture gives all experts the same weight.
func newMixture(experts int) mixture { return mixture(nil).reset(experts) }

// reset returns a mixture that gives all experts the same weight, in the storage of this one if it is large enough.
func (m mixture) reset(experts int) mixture {
	m = slices.Grow(m[:0], experts)[:experts]
	for i := range m {
		m[i] = 1 / float64(experts)
	}
	return m
}

// update takes one factor for each expert and returns the logarithm of the factor of the mixture. A share of the
// weight is then divided equally, which leaves the mean unchanged and lets the mixture follow irregular play that
// begins late.
func (m mixture) update(share float64, factors []float64) float64 {
	total := 0.0
	for i, e := range factors {
		total += float64(m[i] * e)
	}
	if total <= 0 {
		return math.Inf(-1)
	}
	even := share / float64(len(m))
	for i, e := range factors {
		m[i] = (1-share)*m[i]*e/total + even
	}
	return numeric.Log(total)
}

// check refuses restored weights of another number of experts.
func (m mixture) check(experts int) error {
	if len(m) != experts {
		return fmt.Errorf("mixture of %d weights, want %d", len(m), experts)
	}
	return nil
}

// keyedMixture is the state of one key: its visits and the weights of its experts.
type keyedMixture struct {
	Visit   visit
	Mixture mixture
}

// keyed keeps one mixture for each key.
type keyed struct {
	budget  *Budget
	experts int
	share   float64
	prior   []float64 // nil for equal weights
	states  map[Key]*keyedMixture
	spare   []*keyedMixture // of keys that ended with their shoe
}

func newKeyed(b *Budget, experts int) keyed {
	return keyed{budget: b, experts: experts, share: 0.001, states: map[Key]*keyedMixture{}}
}

// add updates the mixture of the key of f with one factor for each expert, and adds the result.
func (k *keyed) add(f Factor, at int64, experts []float64, out *factors) {
	if !out.wants(f.Key.Kind) {
		return
	}
	s := k.states[f.Key]
	if s == nil {
		s = k.open()
		k.states[f.Key] = s
	}
	f.Start = s.Visit.start(at, roundsPerVisit(k.budget.Volume, f.Key.Kind))
	f.LnE = s.Mixture.update(k.share, experts)
	out.add(f)
}

// open returns the state of a key that was not seen.
func (k *keyed) open() *keyedMixture {
	s := &keyedMixture{}
	if n := len(k.spare); n > 0 {
		s, k.spare = k.spare[n-1], k.spare[:n-1]
	}
	*s = keyedMixture{Mixture: s.Mixture.reset(k.experts)}
	copy(s.Mixture, k.prior)
	return s
}

// begin drops the keys that end with the shoe.
func (k *keyed) begin() {
	for key, s := range k.states {
		if key.Kind.Ends() {
			delete(k.states, key)
			k.spare = append(k.spare, s)
		}
	}
}

// forget drops the keys that are stale.
func (k *keyed) forget(stale func(Key, int64) bool) {
	maps.DeleteFunc(k.states, func(key Key, s *keyedMixture) bool { return stale(key, s.Visit.Last) })
}

func (k *keyed) streams() []stream { return []stream{byKey(k.states, k.checked)} }

func (k *keyed) checked(s *keyedMixture) error { return s.Mixture.check(k.experts) }

// save returns the state of the keys.
func (k *keyed) save() any { return k.states }

// load reads the state of the keys.
func (k *keyed) load(decode func(any) error) error {
	states := map[Key]*keyedMixture{}
	if err := decode(&states); err != nil {
		return err
	}
	for key, s := range states {
		if s == nil {
			return fmt.Errorf("key %v: no state", key)
		}
		if err := s.Mixture.check(k.experts); err != nil {
			return fmt.Errorf("key %v: %w", key, err)
		}
	}
	k.states = states
	return nil
}
