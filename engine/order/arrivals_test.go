package order

import (
	"slices"
	"testing"
	"time"
)

// An audit by number knows from the order of arrival what the live audit had judged when an event was contested.
func TestArrivals(t *testing.T) {
	behind := func(from, to uint64) (all []uint64) {
		for seq := from; seq <= to; seq++ {
			all = append(all, seq)
		}
		return all
	}
	const release = 0
	for name, c := range map[string]struct {
		seqs           []uint64
		late, disputes []int // positions
	}{
		"judged":          {seqs: []uint64{1, 2, 3, 2}},
		"before its turn": {seqs: []uint64{1, 3, 3, 2, 3}, disputes: []int{2}},
		"behind an event that is missing": {
			seqs: slices.Concat([]uint64{1, 3, 3}, behind(4, 90), []uint64{3}), disputes: []int{2},
		},
		"late": {
			seqs: slices.Concat([]uint64{1}, behind(3, 90), []uint64{2, 2, 3}), late: []int{89}, disputes: []int{90},
		},
		"in order after all":          {seqs: []uint64{1, 3, 4, 2, 2}},
		"late, since it was given up": {seqs: []uint64{1, 3, 4, release, 2, 2}, late: []int{4}, disputes: []int{5}},
		"in mid-stream": {
			seqs: slices.Concat(behind(1000, 1090), []uint64{1050, 999, 999}), late: []int{92}, disputes: []int{93},
		},
	} {
		var a Arrivals
		var late, disputes []int
		for i, seq := range c.seqs {
			if seq == release {
				a.Release()
				continue
			}
			l, d := a.Receive(seq, int64(i)*int64(time.Second))
			if l {
				late = append(late, i)
			}
			if d {
				disputes = append(disputes, i)
			}
		}
		if !slices.Equal(late, c.late) || !slices.Equal(disputes, c.disputes) {
			t.Errorf("%s: late %v, disputes %v, want %v and %v", name, late, disputes, c.late, c.disputes)
		}
	}
}
