package order

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// passed takes an event whose number has passed: it is a repetition, a conflict, late, or the numbers begin again.
func (q *Queue) passed(ev *schema.Event, sum [32]byte, yield func(Item) bool) {
	restarted := ev.Seq == 1 && ev.EventID != q.first && (q.first != "" || ev.At > q.newest)
	switch {
	case q.Log.has(ev.Seq) && q.Log.sum(ev.Seq) == [16]byte(sum[:16]):
		yield(Item{Kind: Duplicate, Event: ev})
	case restarted:
		q.restart(ev, sum, yield)
	case q.Log.has(ev.Seq) && q.Log.ID(ev.Seq) != "":
		if q.repeated(sum) {
			yield(Item{Kind: Duplicate, Event: ev})
			return
		}
		yield(Item{Kind: Archive, Event: ev})
		yield(Item{Kind: Lost, N: 1, Event: ev})
		q.conflict(ev, ev.Seq, yield)
	case ev.Seq < q.begin && !q.repeated(sum):
		yield(Item{Kind: Archive, Event: ev})
		q.beforeBegin(ev, yield)
	case q.inGap(ev.Seq) && !q.repeated(sum):
		yield(Item{Kind: Archive, Event: ev})
		yield(Item{Kind: Fault, Event: ev, Fault: &FeedFault{
			Rule: "feed.late", Subject: finding.OfRange(ev.Seq, ev.Seq),
			Expected: fmt.Sprintf("event %d in its place", ev.Seq), Observed: "came later than it can be put in order",
			Seqs: []uint64{ev.Seq}, EventIDs: []string{ev.EventID},
		}})
	case q.Log.differs(ev.Seq, sum[:]) && !q.repeated(sum):
		yield(Item{Kind: Archive, Event: ev})
		q.conflict(ev, ev.Seq, yield) // its shoe is gone: nothing that is open rests on it
	default:
		yield(Item{Kind: Duplicate, Event: ev})
	}
}

// beforeBegin reports, once, that events came from before the one with which the table was joined.
func (q *Queue) beforeBegin(ev *schema.Event, yield func(Item) bool) {
	if q.earlier {
		return
	}
	q.earlier = true
	yield(Item{Kind: Fault, Event: ev, Fault: &FeedFault{
		Rule: "feed.late", Subject: finding.OfRange(1, q.begin-1),
		Expected: fmt.Sprintf("events before %d before it", q.begin),
		Observed: fmt.Sprintf("event %d came after it: kept, but not judged, like all that are as old", ev.Seq),
		Seqs:     []uint64{ev.Seq, q.begin}, EventIDs: []string{ev.EventID},
	}})
}

func (q *Queue) inGap(seq uint64) bool {
	return slices.ContainsFunc(q.gaps, func(g Span) bool { return seq >= g.From && seq <= g.To })
}

// restart begins a new sequence epoch with this event. The waiting events of the old epoch are taken: what is missing
// before them does not come any more. Then whatever was known by the old numbers is dropped.
func (q *Queue) restart(ev *schema.Event, sum [32]byte, yield func(Item) bool) {
	q.release(anyGap, yield)
	next := q.Log.Next()
	yield(Item{Kind: Fault, Event: ev, Fault: &FeedFault{
		Rule: "feed.reset", Subject: finding.OfRange(next, ev.Seq), Expected: fmt.Sprintf("event %d", next),
		Observed: "event 1 again",
		Seqs:     []uint64{ev.Seq}, EventIDs: []string{ev.EventID},
	}})
	yield(Item{Kind: Restart, N: next, Event: ev})
	q.held, q.gaps, q.odd = nil, nil, nil
	q.joining, q.resetAt = false, ev.At
	q.begin, q.earlier = 0, false
	q.Log.reset(1)
	yield(Item{Kind: Archive, Event: ev})
	q.take(ev, sum, yield)
}
