package detectors

// visitGap is the minimum absence that ends a visit; ns.
const visitGap = int64(4 * 3600 * 1e9)

// visit detects when a visit of a key begins, and gives the weight of a start: half at the beginning of a visit and
// half spread over its rounds, so that irregular play is detected in time whether it begins at once or late.
type visit struct {
	Last int64 // ns
}

// start is the weight of a start at a round, for visits of some rounds on average.
func (v *visit) start(at int64, rounds float64) float64 {
	w := 0.5 / rounds
	if v.Last == 0 || at-v.Last > visitGap {
		w += 0.5
	}
	v.Last = at
	return w
}
