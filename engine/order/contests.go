package order

import (
	"cmp"
	"iter"
	"slices"
)

// Contests are events with the number of an earlier event, which they contest. An audit of the archive takes the events
// by number, but each of these where it arrived: what was judged before is not disputed by it. An event that disputes
// another one, by Arrivals, is none of these.
type Contests[E any] struct{ waiting []contest[E] }

type contest[E any] struct {
	arrived int64
	event   E
}

// Add keeps an event that arrived at a position.
func (c *Contests[E]) Add(arrived int64, event E) {
	at, _ := slices.BinarySearchFunc(c.waiting, arrived, func(w contest[E], arrived int64) int {
		return cmp.Compare(w.arrived, arrived)
	})
	c.waiting = slices.Insert(c.waiting, at, contest[E]{arrived, event})
}

// Wait reports whether an event waits that arrived before a position.
func (c *Contests[E]) Wait(position int64) bool {
	return len(c.waiting) > 0 && c.waiting[0].arrived < position
}

// Before takes out the events that arrived before a position, and yields them in the order of their arrival.
func (c *Contests[E]) Before(position int64) iter.Seq[E] {
	return func(yield func(E) bool) {
		for c.Wait(position) {
			event := c.waiting[0].event
			if c.waiting = c.waiting[1:]; !yield(event) {
				return
			}
		}
	}
}
