// Package order puts the events of one table in order.
//
// Records go in as they arrive. Out come items: an event whose turn has come, events that are missing before it, a
// fault of the feed. Events that arrive out of order wait in a reorder buffer; a gap that stays open too long is given
// up, so that the table goes on. Repeated, conflicting and late records, clocks that run backwards and sequence numbers
// that begin again are recognized here.
//
// The package knows numbers, times, ids and hashes. It does not know what an event means, and keeps no event that was
// in order.
package order

import (
	"iter"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// Events are put in order up to this distance in positions or in event time. A gap that is still open beyond both is
// given up; beyond maxHeld positions it is given up in any case.
const (
	reorderPositions = 64
	reorderTime      = int64(5 * time.Second)
	// straggling is how much later than all events received an event from before a restart of the numbers may be.
	straggling = int64(5 * time.Minute)
	maxHeld    = 4096
	// wildJump is a gap that more than one event must confirm: a table takes weeks to number so many events.
	wildJump = 1 << 20
	maxGaps  = 1024
	// maxOdd is the number of hashes of late and conflicting records: a record that is archived a second time takes the
	// place of its row.
	maxOdd = 4096
	// maxFirsts is the number of restarts whose event 1 is known when it comes again.
	maxFirsts = 64
)

// Queue is the order of the events of one table. Its zero value has received nothing.
type Queue struct {
	Log Log

	started bool
	// joining is true for a table that was joined mid-stream until its first event is known, since earlier ones may
	// come out of order.
	joining bool
	first   string   // id of the event with seq 1
	firsts  []string // the ids of earlier events 1, at most maxFirsts, the latest
	begin   uint64   // seq of the first event of a table that was joined mid-stream
	earlier bool     // an event from before it came, and was reported
	held    []held   // the reorder buffer, by seq
	gaps    []Span
	odd     [][16]byte // hashes of what came late or in conflict
	late    []Late     // at most maxOdd, the latest
	resetAt int64      // event time of the latest restart of the numbers
	// lastAt is the event time with which the next event is compared, newest the latest time received.
	lastAt, newest int64
}

// held is an event that waits for earlier ones.
type held struct {
	event schema.Event
	sum   [32]byte
	// contested is true if another event has the same seq.
	contested bool
}

// Late is an event that came late: its number, and the beginning of its hash. The log has a place for it only while its
// shoe is open, but nothing was judged by it: what contests it later must be known as such.
type Late struct {
	Seq uint64
	Sum [pastSize]byte
}

// Span is a range of seqs, both inclusive.
type Span struct{ From, To uint64 }

// Receive takes a record and yields its items in order. The sum is the SHA-256 of the record. The event waits for the
// next record if that contests it. The loop must not be left early.
func (q *Queue) Receive(ev *schema.Event, sum [32]byte, contested bool) iter.Seq[Item] {
	return func(yield func(Item) bool) { q.receive(ev, sum, contested, yield) }
}

// Finish yields the items of the events that still wait: the stream has ended, and gaps are given up.
func (q *Queue) Finish() iter.Seq[Item] {
	return func(yield func(Item) bool) { q.release(anyGap, yield) }
}

// Release yields the items of the events that have waited too long: gaps are given up, but for a wild jump.
func (q *Queue) Release() iter.Seq[Item] {
	return func(yield func(Item) bool) { q.release(noWildJump, yield) }
}

// Held is how many events wait behind a gap that Release gives up, and the first missing seq.
func (q *Queue) Held() (events int, missing uint64) {
	next := q.Log.Next()
	if len(q.held) == 0 || !noWildJump(q.held, next) {
		return 0, 0
	}
	return len(q.held), next
}

// Waits is true if an event for which the condition holds waits behind a gap.
func (q *Queue) Waits(holds func(*schema.Event) bool) bool {
	return slices.ContainsFunc(q.held, func(h held) bool { return holds(&h.event) })
}

// Restarted is the event time of the latest restart of the numbers, 0 without one.
func (q *Queue) Restarted() int64 { return q.resetAt }

// FromFirst reports whether the record begins with event 1, or is near enough to it.
func (q *Queue) FromFirst() bool { return !q.joining && q.begin == 0 }

// Apart reports whether an event is not of the numbering of which an event with a number was the last at a time: that
// number was received here as well, or the two numbers are far from the order of the times.
func (q *Queue) Apart(ev *schema.Event, at int64, seq uint64) bool {
	if seq < q.Log.Next() && seq >= max(q.begin, 1) && !q.inGap(seq) {
		return true
	}
	if ev.At > at {
		return ev.Seq+reorderPositions < seq
	}
	return ev.Seq > seq+reorderPositions
}

// Newest is the latest event time received.
func (q *Queue) Newest() int64 { return q.newest }

func (q *Queue) receive(ev *schema.Event, sum [32]byte, contested bool, yield func(Item) bool) {
	if !q.started {
		q.start(ev.Seq, yield)
	}
	next := q.Log.Next()
	switch {
	case ev.Seq == next && len(q.held) == 0 && !contested:
		yield(Item{Kind: Archive, Event: ev})
		q.take(ev, sum, yield)
	case ev.Seq >= next:
		if q.hold(ev, sum, yield); !contested {
			q.release(beyondReorder, yield)
		}
	default:
		q.passed(ev, sum, yield)
	}
	if q.isTime(ev) {
		q.newest = max(q.newest, ev.At)
	}
}

// isTime reports whether the time of an event is one of the table: it is neither from before a restart of the numbers
// nor event 1 of a restart that is far ahead, whose clock no other event has confirmed.
func (q *Queue) isTime(ev *schema.Event) bool {
	first := ev.Seq == 1 && ev.At == q.resetAt && ev.At > q.newest+straggling
	return q.resetAt == 0 || !first && ev.At >= q.resetAt-reorderTime
}

// start decides where the record of the table begins: at 1 if the first event is near enough to have come out of
// order.
func (q *Queue) start(seq uint64, yield func(Item) bool) {
	q.started = true
	if seq <= reorderPositions+1 {
		q.Log.reset(1)
		return
	}
	q.joining = true
	yield(Item{Kind: MidStream})
	q.Log.reset(seq - reorderPositions)
}
