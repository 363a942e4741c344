package order

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// passed takes an event whose number has passed: it is a repetition, a conflict, late, or the numbers begin again.
func (q *Queue) passed(ev *schema.Event, sum [32]byte, yield func(Item) bool) {
	again := ev.Seq == 1 && slices.Contains(q.firsts, ev.EventID)
	restarted := ev.Seq == 1 && !again && ev.EventID != q.first && (q.first != "" || ev.At > q.newest)
	switch {
	case q.Log.has(ev.Seq) && q.Log.sum(ev.Seq) == [16]byte(sum[:16]):
		yield(Item{Kind: Duplicate, Event: ev})
	case restarted:
		q.restart(ev, sum, yield)
	case again || q.beforeRestart(ev):
		yield(Item{Kind: Forgotten, Event: ev})
	case q.Log.has(ev.Seq) && q.Log.ID(ev.Seq) != "":
		if q.repeated(sum) {
			yield(Item{Kind: Duplicate, Event: ev})
			return
		}
		yield(Item{Kind: Archive, Event: ev})
		yield(Item{Kind: Lost, N: 1, Event: ev})
		q.conflict(ev, ev.Seq, yield)
	case q.inGap(ev.Seq):
		q.fill(ev.Seq)
		if len(q.late) >= maxOdd {
			q.late = slices.Delete(q.late, 0, maxOdd/2)
		}
		q.late = append(q.late, Late{ev.Seq, [pastSize]byte(sum[:])})
		q.repeated(sum)
		yield(Item{Kind: Archive, Event: ev})
		if ev.Seq < q.begin {
			q.beforeBegin(ev, yield)
			return
		}
		yield(Item{Kind: Fault, Event: ev, Fault: &FeedFault{
			Rule: "feed.late", Subject: finding.OfRange(ev.Seq, ev.Seq),
			Expected: fmt.Sprintf("event %d in its place", ev.Seq), Observed: "came later than it can be put in order",
			Seqs: []uint64{ev.Seq}, EventIDs: []string{ev.EventID},
		}})
	case q.differs(ev.Seq, sum) && !q.repeated(sum):
		yield(Item{Kind: Archive, Event: ev})
		q.conflict(ev, ev.Seq, yield) // its shoe is gone, or it came late: nothing that is open rests on it
	case q.was(ev.Seq) == nil && !slices.Contains(q.odd, [16]byte(sum[:16])):
		yield(Item{Kind: Forgotten, Event: ev})
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

// was is the beginning of the hash of an event whose number has passed, nil if it is not known.
func (q *Queue) was(seq uint64) []byte {
	if i := slices.IndexFunc(q.late, func(l Late) bool { return l.Seq == seq }); i >= 0 {
		return q.late[i].Sum[:]
	}
	return q.Log.past(seq)
}

func (q *Queue) differs(seq uint64, sum [32]byte) bool {
	was := q.was(seq)
	return was != nil && !bytes.Equal(was, sum[:pastSize])
}

func (q *Queue) inGap(seq uint64) bool { return slices.ContainsFunc(q.gaps, holds(seq)) }

// fill takes the event of a gap out of it: what comes again under its number is no longer new.
func (q *Queue) fill(seq uint64) {
	i := slices.IndexFunc(q.gaps, holds(seq))
	parts := slices.DeleteFunc([]Span{{q.gaps[i].From, seq - 1}, {seq + 1, q.gaps[i].To}}, func(g Span) bool {
		return g.From > g.To
	})
	q.gaps = slices.Replace(q.gaps, i, i+1, parts...)
	q.boundGaps()
}

func holds(seq uint64) func(Span) bool {
	return func(g Span) bool { return seq >= g.From && seq <= g.To }
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
	q.held, q.gaps, q.odd, q.late = nil, nil, nil, nil
	q.joining, q.resetAt = false, ev.At
	q.begin, q.earlier = 0, false
	if q.first != "" {
		q.firsts = append(q.firsts[max(len(q.firsts)+1-maxFirsts, 0):], q.first)
	}
	q.Log.reset(1)
	yield(Item{Kind: Archive, Event: ev})
	q.take(ev, sum, yield)
}
