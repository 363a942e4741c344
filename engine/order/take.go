package order

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// take enters an event whose turn has come into the log. An id that the table has used is a conflict: what the event
// claims is disputed.
func (q *Queue) take(ev *schema.Event, sum [32]byte, yield func(Item) bool) {
	if q.joining {
		q.joining, q.begin = false, ev.Seq
		q.gaps = append(q.gaps, Span{1, ev.Seq - 1})
	}
	if seq, used := q.Log.enter(ev.EventID, [16]byte(sum[:16]), ev.At); used {
		yield(Item{Kind: Lost, N: 1, Event: ev})
		q.conflict(ev, seq, yield)
		return
	}
	if ev.Seq == 1 {
		q.first = strings.Clone(ev.EventID)
	}
	q.checkClock(ev, yield)
	yield(Item{Kind: Event, Event: ev})
}

func (q *Queue) conflict(ev *schema.Event, with uint64, yield func(Item) bool) {
	seqs, ids := []uint64{with, ev.Seq}, []string{q.Log.ID(with), ev.EventID}
	if ids[0] == "" { // forgotten
		seqs, ids = seqs[1:], ids[1:]
	}
	yield(Item{Kind: Fault, Event: ev, Fault: &FeedFault{
		Rule: "feed.conflict", Subject: finding.OfRange(with, ev.Seq), Expected: "the same bytes for the same event",
		Observed: fmt.Sprintf("event %s at seq %d with other bytes", ev.EventID, ev.Seq), Seqs: seqs, EventIDs: ids,
	}})
}

// checkClock reports event times that go backwards. Each event is compared with the one before it.
func (q *Queue) checkClock(ev *schema.Event, yield func(Item) bool) {
	back := q.lastAt - ev.At
	if q.lastAt == 0 || back <= reorderTime {
		q.lastAt = max(q.lastAt, ev.At)
		return
	}
	q.lastAt = ev.At
	q.resetAt = min(q.resetAt, ev.At) // the clock of event 1 was ahead: what follows is not from before it
	yield(Item{Kind: ClockBack, N: uint64(back), Event: ev})
	yield(Item{Kind: Fault, Event: ev, Fault: &FeedFault{
		Rule: "feed.clock", Subject: finding.OfRange(ev.Seq, ev.Seq),
		Expected: "event times that follow the order of the table",
		Observed: fmt.Sprintf("%d ms before an earlier event", back/int64(time.Millisecond)),
		Seqs:     []uint64{ev.Seq}, EventIDs: []string{ev.EventID},
	}})
}

// repeated is true if a late or conflicting record came before, and enters it.
func (q *Queue) repeated(sum [32]byte) bool {
	short := [16]byte(sum[:16])
	if slices.Contains(q.odd, short) {
		return true
	}
	if len(q.odd) >= maxOdd {
		q.odd = slices.Delete(q.odd, 0, maxOdd/2)
	}
	q.odd = append(q.odd, short)
	return false
}
