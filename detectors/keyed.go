package detectors

// keyed keeps a mixture and the visits of each key.
type keyed struct {
	promise *Promise
	experts int
	share   float64
	states  map[Key]*state
	prior   []float64 // nil for even weights
}

type state struct {
	session session
	mixture mixture
}

func newKeyed(p *Promise, experts int) keyed {
	return keyed{promise: p, experts: experts, share: 0.001, states: map[Key]*state{}}
}

// take weighs the experts' factors for a key and adds what comes of them.
func (k *keyed) take(f Factor, at int64, experts []float64, out *Factors) {
	if !out.wants(f.Key.Kind) {
		return
	}
	s := k.states[f.Key]
	if s == nil {
		s = &state{mixture: newMixture(k.experts, k.share)}
		copy(s.mixture.weights, k.prior)
		k.states[f.Key] = s
	}
	f.Start = s.session.start(at, roundsPer(k.promise.Volume, f.Key.Kind))
	f.LnE = s.mixture.take(experts)
	out.Add(f)
}

// begin forgets what ends with the shoe.
func (k *keyed) begin() {
	for key := range k.states {
		if key.Kind.Ends() {
			delete(k.states, key)
		}
	}
}
