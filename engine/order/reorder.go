package order

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// hold keeps an event until those before it have come, or are given up.
func (q *Queue) hold(ev *schema.Event, sum [32]byte, yield func(Item) bool) {
	if q.beforeRestart(ev) {
		yield(Item{Kind: Forgotten, Event: ev})
		return
	}
	at, found := slices.BinarySearchFunc(
		q.held, ev.Seq, func(h held, seq uint64) int { return cmp.Compare(h.event.Seq, seq) },
	)
	if found {
		q.contest(&q.held[at], ev, sum, yield)
		return
	}
	yield(Item{Kind: Archive, Event: ev})
	q.held = slices.Insert(q.held, at, held{event: ev.Clone(), sum: sum})
}

// beforeRestart is true for an event from before the restart of the numbers: its number is not of the numbers that
// followed. An event that is much later than all before the restart is not: the clock of event 1 was ahead, and the
// restart is as late as the event.
func (q *Queue) beforeRestart(ev *schema.Event) bool {
	if q.resetAt == 0 || ev.At >= q.resetAt-reorderTime {
		return false
	}
	if ev.At <= q.newest+straggling {
		return true
	}
	q.resetAt = ev.At
	return false
}

// contest compares an event with a waiting event of the same seq.
func (q *Queue) contest(h *held, ev *schema.Event, sum [32]byte, yield func(Item) bool) {
	if h.sum == sum || q.repeated(sum) {
		yield(Item{Kind: Duplicate, Event: ev})
		return
	}
	yield(Item{Kind: Archive, Event: ev})
	h.contested = true
	q.conflict(ev, ev.Seq, yield)
}

// anyGap and noWildJump are the gaps that are given up at the end of the input, and after a long wait.
func anyGap([]held, uint64) bool { return true }

func noWildJump(waiting []held, next uint64) bool { return waiting[0].event.Seq-next <= wildJump }

// release takes the events whose turn has come. Once a gap is given up, the events behind it follow.
func (q *Queue) release(lost func(waiting []held, next uint64) bool, yield func(Item) bool) {
	done := 0
	for done < len(q.held) {
		h := &q.held[done]
		if next := q.Log.Next(); h.event.Seq > next {
			if !lost(q.held[done:], next) {
				break
			}
			q.giveUp(next, &h.event, yield)
		}
		if h.contested {
			yield(Item{Kind: Lost, N: 1, Event: &h.event})
		}
		q.take(&h.event, h.sum, yield)
		done++
	}
	q.held = slices.Delete(q.held, 0, done)
	if n := len(q.held); n > 0 {
		q.evict(&q.held[n-1], yield)
	}
	if len(q.held) == 0 && cap(q.held) > 2*reorderPositions {
		q.held = nil
	}
}

// beyondReorder is true if a gap that begins at next can be given up: newer events are further away than both limits.
func beyondReorder(waiting []held, next uint64) bool {
	if len(waiting) > maxHeld {
		return true
	}
	first := &waiting[0]
	if first.event.Seq-next > wildJump && len(waiting) < reorderPositions {
		return false
	}
	if waiting[len(waiting)-1].event.Seq-next <= reorderPositions {
		return false
	}
	for i := range waiting {
		if waiting[i].event.At-first.event.At > reorderTime {
			return true
		}
	}
	return false
}

// evict drops a waiting event whose number cannot be right: the table went on far below it for longer than events may
// be out of order. Waiting for its turn would pin the partition forever.
func (q *Queue) evict(h *held, yield func(Item) bool) {
	next := q.Log.Next()
	if q.joining || h.event.Seq-next <= maxHeld || q.lastAt-h.event.At <= reorderTime {
		return
	}
	yield(Item{Kind: Fault, Event: &h.event, Fault: &FeedFault{
		Rule: "feed.conflict", Subject: finding.OfRange(h.event.Seq, h.event.Seq), Expected: "numbers that rise by one",
		Observed: fmt.Sprintf("event %s at seq %d while the table went on below it", h.event.EventID, h.event.Seq),
		Seqs:     []uint64{h.event.Seq}, EventIDs: []string{h.event.EventID},
	}})
	q.held = q.held[:len(q.held)-1]
}

// giveUp ends the wait for what is missing before ev. What is missing before a table that was joined mid-stream is no
// gap.
func (q *Queue) giveUp(from uint64, ev *schema.Event, yield func(Item) bool) {
	if q.joining {
		q.Log.reset(ev.Seq)
		return
	}
	to := ev.Seq - 1
	missing := fmt.Sprintf("events %d to %d", from, to)
	if from == to {
		missing = fmt.Sprintf("event %d", from)
	}
	q.gaps = append(q.gaps, Span{from, to})
	q.boundGaps()
	q.Log.skip(ev.Seq)
	yield(Item{Kind: Lost, N: ev.Seq - from, Event: ev})
	yield(Item{Kind: Fault, Event: ev, Fault: &FeedFault{
		Rule: "feed.gap", Subject: finding.OfRange(from, to), Expected: missing, Observed: "missing",
		Seqs: []uint64{from, to},
	}})
}

// boundGaps drops the oldest gap if there are too many.
func (q *Queue) boundGaps() {
	if n := len(q.gaps); n > maxGaps {
		q.gaps = slices.Delete(q.gaps, 0, n-maxGaps)
	}
}
