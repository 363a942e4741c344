package deal

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// Interleave merges the events of tables by time; the events of one table keep their order.
func Interleave(tables ...[]schema.Event) []schema.Event {
	if len(tables) == 1 {
		return tables[0]
	}
	var out []schema.Event
	heads := slices.Clone(tables)
	for {
		next := -1
		for i, t := range heads {
			if len(t) > 0 && (next < 0 || t[0].At < heads[next][0].At) {
				next = i
			}
		}
		if next < 0 {
			return out
		}
		out = append(out, heads[next][0])
		heads[next] = heads[next][1:]
	}
}
