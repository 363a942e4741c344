package detectors

// rates are the multiples of the tolerated rate of errors that the alternatives assume.
var rates = [...]float64{2, 5, 10, 20, 100}

// rateRatio is the likelihood ratio of a Bernoulli observation at a multiple of the tolerated rate. Its mean is at
// most 1 for every rate up to the tolerated one.
func rateRatio(tolerated, times float64, failed bool) float64 {
	p := min(tolerated*times, 0.5)
	if failed {
		return p / tolerated
	}
	return (1 - p) / (1 - tolerated)
}

// knownParts are the parts of rounds whose outcome a cheat may know or bring about.
var knownParts = [...]float64{.07, .2, .5, .95}

// addContaminated tests an event, which has probability f.Expected, against alternatives in which a cheat brings it
// about in some part of rounds.
func (k *keyed) addContaminated(f Factor, at int64, happened bool, out *factors) {
	var experts [len(knownParts)]float64
	for i, eps := range knownParts {
		experts[i] = 1 - eps
		if happened {
			experts[i] += eps / f.Expected
		}
	}
	if happened {
		f.Observed = 1
	}
	k.add(f, at, experts[:], out)
}
