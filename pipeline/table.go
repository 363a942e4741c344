package pipeline

import (
	"fmt"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// Events out of order are put in order up to this distance in positions or in event time; a hole
// that is still open beyond both is a gap. Beyond maxHeld positions it is one whatever the times say.
const (
	reorderPositions = 64
	reorderTime      = int64(5 * time.Second)
	maxHeld          = 4096
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
	event  schema.Event
	sum    [32]byte
	offset int64
}

// span is a range of seqs, both inclusive.
type span struct{ from, to uint64 }

// table is one table's state.
type table struct {
	engine            *Engine
	property, id, pit string
	log               tableLog
	clock             clock

	started bool
	// joined says that the record of the table began after its first event.
	joined bool
	first  string // id of the event with seq 1
	held   []held
	gaps   []span
	// after says that the event that comes next follows a gap.
	after bool

	law      *rules.Law
	config   *rules.Config
	memory   rules.Table
	kept     map[uint64]string // ids of table events that findings may name later
	dealer   string
	curator  uint32 // seat of the curator, or of the Banker; 0 if none
	dealtBy  uint32 // seat that drew the last card
	carry    carry
	patrons  map[uint32]string
	openedAt int64 // offset of the event that opened the table
	isOpen   bool

	shoe, prev *shoe
	spare      []*shoe
	rounds     []*rules.Round // spare
	used       []string       // shoe ids
	lastAt     int64
	// now is the event that is being folded.
	now    *schema.Event
	offset int64
	pass   rules.Pass
	cards  []byte // scratch
}

func newTable(e *Engine, property, id string) *table {
	return &table{
		engine: e, property: property, id: id, clock: clock{calendar: &e.opt.Calendar},
		kept: map[uint64]string{}, patrons: map[uint32]string{},
		memory: rules.Table{Attested: map[string]rules.Attested{}},
	}
}

// receive archives an event and takes it in when its turn has come.
func (t *table) receive(in *arrival, b *Batch) {
	ev := in.event
	if !t.started {
		t.start(ev.Seq)
	}
	next := t.log.next()
	switch {
	case ev.Seq == next && len(t.held) == 0:
		if !t.conflictingID(in, b) {
			t.archive(in, b)
			t.take(ev, in.sum, in.record.Offset, b)
		}
	case ev.Seq >= next:
		t.hold(in, b)
	default:
		t.again(in, b)
	}
}

// start decides where the table's record begins: at 1 when the first event is near enough to be one
// of those that came out of order.
func (t *table) start(seq uint64) {
	t.started = true
	if seq > reorderPositions+1 {
		t.joined = true
		t.log.reset(seq)
		return
	}
	t.log.reset(1)
}

// conflictingID reports an event whose id was used before with other bytes.
func (t *table) conflictingID(in *arrival, b *Batch) bool {
	seq, ok := t.log.seqOf(in.event.EventID)
	if !ok {
		return false
	}
	t.archive(in, b)
	t.log.append("", [16]byte{}, in.event.At)
	t.missing()
	t.conflict(in, seq, b)
	return true
}

func (t *table) conflict(in *arrival, seq uint64, b *Batch) {
	t.feed(b, in.event, feedFault{
		rule: "feed.conflict", subject: rules.OfRange(seq, in.event.Seq),
		expected: "the same bytes for the same event", observed: fmt.Sprintf("event %s at seq %d with other bytes", in.event.EventID, in.event.Seq),
		seqs: []uint64{seq, in.event.Seq}, ids: []string{t.log.id(seq), in.event.EventID},
	})
}

// hold keeps an event until those before it have come, or are given up.
func (t *table) hold(in *arrival, b *Batch) {
	at, found := slices.BinarySearchFunc(t.held, in.event.Seq, func(h held, seq uint64) int {
		return compareSeq(h.event.Seq, seq)
	})
	if found {
		if t.held[at].sum == in.sum {
			t.engine.Counts.Duplicates++
			return
		}
		t.archive(in, b)
		t.feed(b, in.event, feedFault{
			rule: "feed.conflict", subject: rules.OfRange(in.event.Seq, in.event.Seq),
			expected: "the same bytes for the same seq", observed: fmt.Sprintf("event %s with other bytes", in.event.EventID),
			seqs: []uint64{in.event.Seq}, ids: []string{in.event.EventID},
		})
		return
	}
	t.archive(in, b)
	t.held = slices.Insert(t.held, at, held{event: in.event.Clone(), sum: in.sum, offset: in.record.Offset})
	t.held[at].event.EventID = string([]byte(in.event.EventID))
	t.release(b, false)
}

func compareSeq(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// release takes held events in: those whose turn has come, and after giving up a hole those behind
// it. At the end of the input every hole is given up.
func (t *table) release(b *Batch, end bool) {
	for len(t.held) > 0 {
		h := &t.held[0]
		if next := t.log.next(); h.event.Seq > next {
			if !end && !t.beyondReorder(next) {
				return
			}
			t.gap(next, h.event.Seq-1, &h.event, b)
		}
		ev, sum, offset := h.event, h.sum, h.offset
		t.held = slices.Delete(t.held, 0, 1)
		t.take(&ev, sum, offset, b)
	}
}

// beyondReorder says whether a hole that begins at next can be given up: newer events are further
// away than both limits.
func (t *table) beyondReorder(next uint64) bool {
	last := &t.held[len(t.held)-1]
	newest := t.held[0].event.At
	for i := range t.held {
		newest = max(newest, t.held[i].event.At)
	}
	ahead := last.event.Seq - next
	return (ahead > reorderPositions && newest-t.held[0].event.At > reorderTime) || len(t.held) > maxHeld
}

func (t *table) gap(from, to uint64, ev *schema.Event, b *Batch) {
	t.gaps = append(t.gaps, span{from, to})
	t.log.skip(to + 1)
	t.missing()
	t.feed(b, ev, feedFault{
		rule: "feed.gap", subject: rules.OfRange(from, to),
		expected: fmt.Sprintf("events %d to %d", from, to), observed: "missing",
		seqs: []uint64{from, to},
	})
}

// missing marks what a lost event may have belonged to: nothing in it can be proved.
func (t *table) missing() {
	t.after = true
	for _, s := range []*shoe{t.prev, t.shoe} {
		if s == nil {
			continue
		}
		s.Missing = true
		for _, r := range []*rules.Round{s.settling, s.round} {
			if r != nil {
				r.Missing = true
			}
		}
	}
}

// again judges an event whose number has passed: repeated, conflicting, late, or a restarted count.
func (t *table) again(in *arrival, b *Batch) {
	ev := in.event
	var sum [16]byte
	copy(sum[:], in.sum[:])
	switch {
	case t.log.has(ev.Seq) && t.log.id(ev.Seq) != "":
		if t.log.sums[ev.Seq-t.log.base] == sum {
			t.engine.Counts.Duplicates++
			return
		}
		if ev.Seq == 1 && ev.EventID != t.first {
			t.restart(in, b)
			return
		}
		t.archive(in, b)
		t.conflict(in, ev.Seq, b)
	case t.inGap(ev.Seq):
		t.archive(in, b)
		t.feed(b, ev, feedFault{
			rule: "feed.late", subject: rules.OfRange(ev.Seq, ev.Seq),
			expected: fmt.Sprintf("event %d before event %d", ev.Seq, t.log.next()-1), observed: "came later than it can be put in order",
			seqs: []uint64{ev.Seq}, ids: []string{ev.EventID},
		})
	case ev.Seq == 1 && ev.EventID != t.first:
		t.restart(in, b)
	default:
		t.engine.Counts.Duplicates++
	}
}

func (t *table) inGap(seq uint64) bool {
	for _, g := range t.gaps {
		if seq >= g.from && seq <= g.to {
			return true
		}
	}
	return false
}

// restart begins a table anew whose numbering started over. What was open stays unproved.
func (t *table) restart(in *arrival, b *Batch) {
	t.missing()
	t.feed(b, in.event, feedFault{
		rule: "feed.reset", subject: rules.OfRange(t.log.next(), in.event.Seq),
		expected: fmt.Sprintf("event %d", t.log.next()), observed: "event 1 again",
		seqs: []uint64{in.event.Seq}, ids: []string{in.event.EventID},
	})
	t.closeShoe(b)
	t.held, t.gaps = t.held[:0], nil
	t.log.reset(1)
	t.archive(in, b)
	t.take(in.event, in.sum, in.record.Offset, b)
}

// take folds an event in its turn.
func (t *table) take(ev *schema.Event, sum [32]byte, offset int64, b *Batch) {
	var short [16]byte
	copy(short[:], sum[:])
	t.log.append(ev.EventID, short, ev.At)
	if ev.Seq == 1 {
		t.first = string([]byte(ev.EventID))
	}
	t.pit, t.now, t.offset = ev.PitID, ev, offset
	if ev.At < t.lastAt-reorderTime {
		t.clockFault(ev, b)
	}
	t.lastAt = max(t.lastAt, ev.At)
	t.fold(ev, b)
	t.after = false
	t.now = nil
}

func (t *table) clockFault(ev *schema.Event, b *Batch) {
	s := t.shoe
	if s == nil || s.clockSaid {
		return
	}
	s.clockSaid = true
	t.feed(b, ev, feedFault{
		rule: "feed.clock", subject: rules.OfRange(ev.Seq, ev.Seq),
		expected: "event times that follow the order of the table",
		observed: fmt.Sprintf("%.1f s before an earlier event", float64(t.lastAt-ev.At)/1e9),
		seqs:     []uint64{ev.Seq}, ids: []string{ev.EventID},
	})
}

// low is the first offset needed to make this table's state again.
func (t *table) low() (int64, bool) {
	low, ok := int64(0), false
	note := func(offset int64) {
		if !ok || offset < low {
			low, ok = offset, true
		}
	}
	if t.isOpen {
		note(t.openedAt)
	}
	for _, s := range []*shoe{t.prev, t.shoe} {
		if s != nil && !s.closed {
			note(s.offset)
		}
	}
	for i := range t.held {
		note(t.held[i].offset)
	}
	return low, ok
}
