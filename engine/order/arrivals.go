package order

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/schema"
)

// Arrivals are the events of a table in the order in which they arrived, as the live audit received them. For an audit
// that takes the events by number they show which of them came late, and which contests came before the turn of the
// event that they contest. Nothing was judged by such an event.
type Arrivals struct {
	queue Queue
	// turned has the numbers that came, true if the turn of the event has come.
	turned map[uint64]bool
}

// Receive takes an event. It reports whether the event came late, and of another event with a number that came before,
// whether it disputes that: its turn has not come.
func (a *Arrivals) Receive(seq uint64, at int64) (late, disputes bool) {
	if a.turned == nil {
		a.turned = map[uint64]bool{}
	}
	if turned, came := a.turned[seq]; came {
		return false, !turned
	}
	a.turned[seq] = false
	var sum [32]byte
	binary.LittleEndian.PutUint64(sum[:], seq)
	ev := schema.Event{EventID: strconv.FormatUint(seq, 10), Seq: seq, At: at}
	for item := range a.queue.Receive(&ev, sum, false) {
		a.turn(&item)
	}
	return !a.turned[seq] && seq < a.queue.Log.Next(), false
}

// Release gives up what is missing, as the live audit did at this place.
func (a *Arrivals) Release() {
	for item := range a.queue.Release() {
		a.turn(&item)
	}
}

func (a *Arrivals) turn(item *Item) {
	if item.Kind == Event {
		a.turned[item.Event.Seq] = true
	}
}

// InTurn puts the events of a partition after those of another that began before it, by the time of the first event of
// each: where a table moved from one to the other they are as they arrived. The events of a partition come in order.
func InTurn[E any](all []E, of func(*E) (partition int32, at int64)) {
	began := map[int32]int64{}
	for i := range all {
		partition, at := of(&all[i])
		if _, known := began[partition]; !known {
			began[partition] = at
		}
	}
	if len(began) < 2 {
		return
	}
	slices.SortStableFunc(all, func(a, b E) int {
		pa, _ := of(&a)
		pb, _ := of(&b)
		return cmp.Or(cmp.Compare(began[pa], began[pb]), cmp.Compare(pa, pb))
	})
}
