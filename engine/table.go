package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Events out of order are put in order up to this distance in positions or in event time; a hole
// that is still open beyond both is a gap. Beyond maxHeld positions it is one whatever the times say.
const (
	reorderPositions = 64
	reorderTime      = int64(5 * time.Second)
	maxHeld          = 4096
	// wildJump is a hole that more than one event must vouch for: a table takes weeks to make so many.
	wildJump = 1 << 20
	maxGaps  = 1024
)

// arrival is an event on its way in.
type arrival struct {
	event     *schema.Event
	record    *Record
	sum       [32]byte
	partition int32
}

// held is an event that waits for earlier ones.
type held struct {
	event schema.Event
	sum   [32]byte
	// contested says that another event claimed the same seq.
	contested bool
}

// span is a range of seqs, both inclusive.
type span struct{ from, to uint64 }

// table is one table's state.
type table struct {
	engine       *Engine `memory:"-"`
	property, id string  `memory:"-"`
	clock        clock   `memory:"-"`
	pit          string
	log          tableLog

	started, holed bool
	// joined says that the record of the table began after its first event; joining that the first
	// of its events is not yet known, since earlier ones may come out of order.
	joined, joining bool
	first           string // id of the event with seq 1
	begin           uint64 // seq of the first event of a table that was joined
	earlier         bool   // one from before it came, and that was said
	held            []held
	gaps            []span
	doubts          doubts
	odd             [][16]byte // hashes of what came late or in conflict
	resetAt         int64      // event time of the latest feed.reset

	law     *law.Law
	config  *law.Config
	memory  record.Table
	kept    map[uint64]string // ids of table events that findings may name later
	dealer  string
	curator uint32 // seat of the curator, or of the Banker; 0 if none
	dealtBy uint32 // seat that drew the last card
	carry   carry
	patrons map[uint32]string
	isOpen  bool

	suspects   suspects
	shoe, prev *shoe
	spare      []*shoe         `memory:"-"`
	rounds     []*record.Round `memory:"-"` // spare
	used       []string        // shoe ids
	// lastAt is the event time against which the next event is held, newest the latest received.
	lastAt, newest int64
	clockSaid      bool
	remembering
	now   *schema.Event `memory:"-"` // the event that is being folded
	pass  rules.Pass    `memory:"-"`
	cards []byte        `memory:"-"` // scratch
}

func newTable(e *Engine, property, id string) *table {
	return &table{
		engine: e, property: property, id: id, clock: clock{calendar: &e.opt.Calendar},
		kept: map[uint64]string{}, patrons: map[uint32]string{},
		memory: record.Table{Attested: map[string]record.Attested{}}, remembering: remembering{until: -1},
	}
}

// receive archives an event and takes it in when its turn has come.
func (t *table) receive(in *arrival, b *rows.Set) {
	ev := in.event
	if !t.started {
		t.start(ev.Seq)
	}
	next := t.log.next()
	switch {
	case ev.Seq == next && len(t.held) == 0:
		t.archive(in, b)
		t.take(ev, in.sum, b)
	case ev.Seq >= next:
		t.hold(in, b)
	default:
		t.again(in, b)
	}
	t.newest = max(t.newest, ev.At)
}

// start decides where the table's record begins: at 1 when the first event is near enough to be one
// of those that came out of order.
func (t *table) start(seq uint64) {
	t.started = true
	if seq <= reorderPositions+1 {
		t.log.reset(1)
		return
	}
	t.joined, t.joining = true, true
	t.doubts = doubts{begin: true, start: true, prepare: true, memory: true, seating: true}
	t.log.reset(seq - reorderPositions)
}

func (t *table) conflict(ev *schema.Event, with uint64, b *rows.Set) {
	t.feed(b, ev, feedFault{
		rule: "feed.conflict", subject: finding.OfRange(with, ev.Seq),
		expected: "the same bytes for the same event", observed: fmt.Sprintf("event %s at seq %d with other bytes", ev.EventID, ev.Seq),
		seqs: []uint64{with, ev.Seq}, ids: []string{t.log.id(with), ev.EventID},
	})
}

// hold keeps an event until those before it have come, or are given up.
func (t *table) hold(in *arrival, b *rows.Set) {
	if t.resetAt != 0 && in.event.At < t.resetAt-reorderTime {
		t.engine.Counts.Duplicates++ // of the numbering before the reset
		return
	}
	at, found := slices.BinarySearchFunc(t.held, in.event.Seq, func(h held, seq uint64) int { return cmp.Compare(h.event.Seq, seq) })
	if found {
		if t.held[at].sum == in.sum || t.disputed(in.sum) {
			t.engine.Counts.Duplicates++
			return
		}
		t.archive(in, b)
		t.held[at].contested = true
		t.feed(b, in.event, feedFault{
			rule: "feed.conflict", subject: finding.OfRange(in.event.Seq, in.event.Seq),
			expected: "the same bytes for the same seq", observed: fmt.Sprintf("event %s with other bytes", in.event.EventID),
			seqs: []uint64{in.event.Seq}, ids: []string{in.event.EventID},
		})
		return
	}
	t.archive(in, b)
	t.held = slices.Insert(t.held, at, held{event: in.event.Clone(), sum: in.sum})
	t.release(b, false)
}

// release takes held events in: those whose turn has come, and after giving up a hole those behind
// it. At the end of the input every hole is given up.
func (t *table) release(b *rows.Set, end bool) {
	done := 0
	for done < len(t.held) {
		h := &t.held[done]
		if next := t.log.next(); h.event.Seq > next {
			if !end && !t.beyondReorder(t.held[done:], next) {
				break
			}
			t.giveUp(next, &h.event, b)
		}
		if h.contested {
			t.lost(1, &h.event)
		}
		t.take(&h.event, h.sum, b)
		done++
	}
	t.held = slices.Delete(t.held, 0, done)
	if n := len(t.held); n > 0 {
		t.evict(&t.held[n-1], b)
	}
	if len(t.held) == 0 && cap(t.held) > 2*reorderPositions {
		t.held = nil
	}
}

// beyondReorder says whether a hole that begins at next can be given up: newer events are further
// away than both limits.
func (t *table) beyondReorder(waiting []held, next uint64) bool {
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

// evict gives up a held event whose number cannot be right: the table went on far below it for longer
// than events may be out of order. It would hold the replay of the partition for ever.
func (t *table) evict(h *held, b *rows.Set) {
	next := t.log.next()
	if t.joining || h.event.Seq-next <= maxHeld || t.lastAt-h.event.At <= reorderTime {
		return
	}
	t.feed(b, &h.event, feedFault{
		rule: "feed.conflict", subject: finding.OfRange(h.event.Seq, h.event.Seq),
		expected: "numbers that rise by one", observed: fmt.Sprintf("event %s at seq %d while the table went on below it", h.event.EventID, h.event.Seq),
		seqs: []uint64{h.event.Seq}, ids: []string{h.event.EventID},
	})
	t.held = t.held[:len(t.held)-1]
}

// giveUp ends the wait for what is missing before ev. What is missing before a table that was joined
// is no gap.
func (t *table) giveUp(from uint64, ev *schema.Event, b *rows.Set) {
	if t.joining {
		t.log.reset(ev.Seq)
		return
	}
	to := ev.Seq - 1
	if len(t.gaps) >= maxGaps {
		t.gaps = slices.Delete(t.gaps, 0, 1)
	}
	t.gaps = append(t.gaps, span{from, to})
	t.log.skip(ev.Seq)
	t.lost(ev.Seq-from, ev)
	t.feed(b, ev, feedFault{
		rule: "feed.gap", subject: finding.OfRange(from, to),
		expected: fmt.Sprintf("events %d to %d", from, to), observed: "missing",
		seqs: []uint64{from, to},
	})
}

// again judges an event whose number has passed: repeated, conflicting, late, or a restarted count.
func (t *table) again(in *arrival, b *rows.Set) {
	ev := in.event
	var sum [16]byte
	copy(sum[:], in.sum[:])
	restarted := ev.Seq == 1 && ev.EventID != t.first && (t.first != "" || ev.At > t.newest)
	switch {
	case t.log.has(ev.Seq) && t.log.sum(ev.Seq) == sum:
		t.engine.Counts.Duplicates++
	case restarted:
		t.restart(in, b)
	case t.log.has(ev.Seq) && t.log.id(ev.Seq) != "":
		if t.disputed(in.sum) {
			t.engine.Counts.Duplicates++
			return
		}
		t.archive(in, b)
		t.lost(1, ev)
		t.conflict(ev, ev.Seq, b)
	case ev.Seq < t.begin && !t.disputed(in.sum):
		t.archive(in, b)
		if t.earlier {
			return
		}
		t.earlier = true
		t.feed(b, ev, feedFault{
			rule: "feed.late", subject: finding.OfRange(1, t.begin-1),
			expected: fmt.Sprintf("events before %d before it", t.begin), observed: fmt.Sprintf("event %d came after it: kept, but not judged, like all that are as old", ev.Seq),
			seqs: []uint64{ev.Seq, t.begin}, ids: []string{ev.EventID},
		})
	case t.inGap(ev.Seq) && !t.disputed(in.sum):
		t.archive(in, b)
		t.feed(b, ev, feedFault{
			rule: "feed.late", subject: finding.OfRange(ev.Seq, ev.Seq),
			expected: fmt.Sprintf("event %d in its place", ev.Seq), observed: "came later than it can be put in order",
			seqs: []uint64{ev.Seq}, ids: []string{ev.EventID},
		})
	default:
		t.engine.Counts.Duplicates++
	}
}

func (t *table) inGap(seq uint64) bool {
	return slices.ContainsFunc(t.gaps, func(g span) bool { return seq >= g.from && seq <= g.to })
}

// restart begins a table anew whose numbering started over. What was open stays unproved, and what
// the table remembered by its old numbers is forgotten.
func (t *table) restart(in *arrival, b *rows.Set) {
	t.now = in.event
	t.lost(wildJump, &schema.Event{Seq: t.log.next()})
	t.feed(b, in.event, feedFault{
		rule: "feed.reset", subject: finding.OfRange(t.log.next(), in.event.Seq),
		expected: fmt.Sprintf("event %d", t.log.next()), observed: "event 1 again",
		seqs: []uint64{in.event.Seq}, ids: []string{in.event.EventID},
	})
	t.closeShoe(b)
	t.law, t.config, t.isOpen = nil, nil, false
	t.memory = record.Table{Attested: map[string]record.Attested{}}
	clear(t.kept)
	t.held, t.gaps, t.odd = nil, nil, nil
	t.doubts = doubts{begin: true, start: true, prepare: true, memory: true, seating: true}
	t.joined, t.joining, t.resetAt = true, false, in.event.At
	t.begin, t.earlier = 0, false
	t.log.reset(1)
	t.archive(in, b)
	t.take(in.event, in.sum, b)
}

// take folds an event in its turn.
func (t *table) take(ev *schema.Event, sum [32]byte, b *rows.Set) {
	if t.joining {
		t.joining, t.begin = false, ev.Seq
	}
	t.pit, t.now = ev.PitID, ev
	if seq, ok := t.log.seqOf(ev.EventID); ok {
		t.log.append("", [16]byte(sum[:16]), ev.At)
		t.lost(1, ev)
		t.conflict(ev, seq, b)
		t.now = nil
		return
	}
	t.log.append(ev.EventID, [16]byte(sum[:16]), ev.At)
	if ev.Seq == 1 {
		t.first = strings.Clone(ev.EventID)
	}
	t.tick(ev, b)
	t.fold(ev, b)
	t.overhear(ev, b)
	t.settleDoubts(ev)
	t.now = nil
}

// tick notes times that go backwards, once a shoe: each step is held against the event before it.
func (t *table) tick(ev *schema.Event, b *rows.Set) {
	back := t.lastAt - ev.At
	if t.lastAt == 0 || back <= reorderTime {
		t.lastAt = max(t.lastAt, ev.At)
		return
	}
	t.lastAt = ev.At
	if t.clockSaid {
		return
	}
	t.clockSaid = true
	t.feed(b, ev, feedFault{
		rule: "feed.clock", subject: finding.OfRange(ev.Seq, ev.Seq),
		expected: "event times that follow the order of the table",
		observed: fmt.Sprintf("%d ms before an earlier event", back/int64(time.Millisecond)),
		seqs:     []uint64{ev.Seq}, ids: []string{ev.EventID},
	})
}
