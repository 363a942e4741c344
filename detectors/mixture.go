package detectors

import "math"

// mixture weighs experts, each a test martingale of its own: the product of what it returns is the average of their
// products. A part of the weight is shared out anew after each round, which is settled in advance and so
// changes nothing in the mean, and lets it follow a cheat that begins late.
type mixture struct {
	weights []float64
	share   float64
}

func newMixture(experts int, share float64) mixture {
	m := mixture{weights: make([]float64, experts), share: share}
	for i := range m.weights {
		m.weights[i] = 1 / float64(experts)
	}
	return m
}

// take weighs one round's factors, one for each expert, and returns the logarithm of the mixture's.
func (m *mixture) take(factors []float64) float64 {
	total := 0.0
	for i, e := range factors {
		total += m.weights[i] * e
	}
	if total <= 0 {
		return math.Inf(-1)
	}
	even := m.share / float64(len(m.weights))
	for i, e := range factors {
		m.weights[i] = (1-m.share)*m.weights[i]*e/total + even
	}
	return math.Log(total)
}
