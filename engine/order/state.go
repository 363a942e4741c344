package order

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
)

// State is the order of a snapshot.
type State struct {
	Log              LogState
	Started, Joining bool
	First            string
	Begin            uint64
	Firsts           []string `cbor:",omitempty"`
	Earlier          bool
	Held             []HeldState
	Gaps             []Span
	Odd              [][16]byte
	Late             []Late `cbor:",omitempty"`
	ResetAt          int64
	LastAt, Newest   int64
}

// HeldState is an event in the reorder buffer, as Protobuf.
type HeldState struct {
	Event     []byte
	Sum       [32]byte
	Contested bool
}

// State is the state of the queue. It shares memory with it.
func (q *Queue) State() State {
	st := State{
		Log: q.Log.LogState, Started: q.started, Joining: q.joining, First: q.first, Firsts: q.firsts, Begin: q.begin,
		Earlier: q.earlier, Gaps: q.gaps, Odd: q.odd, Late: q.late, ResetAt: q.resetAt, LastAt: q.lastAt, Newest: q.newest,
	}
	for i := range q.held {
		h := &q.held[i]
		st.Held = append(st.Held, HeldState{schema.AppendProto(nil, &h.event), h.sum, h.contested})
	}
	return st
}

// Restore is the queue with this state, which it keeps.
func Restore(st *State) (*Queue, error) {
	l := &st.Log
	if len(l.Entries)%entrySize != 0 {
		return nil, fmt.Errorf("the log has %d bytes of entries, each has %d", len(l.Entries), entrySize)
	}
	if n := len(l.Past); n%pastSize != 0 || n > maxPast*pastSize {
		return nil, fmt.Errorf("the log has %d bytes of hashes of forgotten events, at most %d", n, maxPast*pastSize)
	}
	for i := range l.size() {
		if end := l.end(i); int(end) > len(l.IDs) || end < l.end(i-1) {
			return nil, fmt.Errorf("id %d of the log ends at %d of %d bytes", i, end, len(l.IDs))
		}
	}
	q := &Queue{
		Log: Log{LogState: *l}, started: st.Started, joining: st.Joining, first: st.First, firsts: st.Firsts, begin: st.Begin,
		earlier: st.Earlier, gaps: st.Gaps, odd: st.Odd, late: st.Late, resetAt: st.ResetAt, lastAt: st.LastAt,
		newest: st.Newest,
	}
	// A snapshot of an earlier release has no gap of what came before the event with which the table was joined.
	if q.begin > 1 && !q.earlier && !q.inGap(1) {
		q.gaps = append([]Span{{1, q.begin - 1}}, q.gaps...)
	}
	size := 64
	for size < 2*(l.size()+1) {
		size *= 2
	}
	q.Log.index(size)
	decoder := schema.NewDecoder()
	for i := range st.Held {
		h := held{sum: st.Held[i].Sum, contested: st.Held[i].Contested}
		var ev schema.Event
		if err := decoder.Decode(schema.Protobuf, st.Held[i].Event, &ev); err != nil {
			return nil, fmt.Errorf("event %d of the reorder buffer: %w", i, err)
		}
		h.event = ev.Clone()
		q.held = append(q.held, h)
	}
	return q, nil
}
