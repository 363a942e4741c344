// Package play folds the events of one table into rounds and shoes.
//
// Events go in, in order. The table changes its record (record.Round, record.Shoe, record.Table) and yields the stages
// that are reached. A stage is mostly reached before the event is folded: the first card of a round completes the round
// before it. So the caller evaluates a stage while the fold waits, and sees the record as it was at that stage.
//
// The table also knows what missing events leave open about it: see Gaps. It evaluates no rule, and writes no row.
package play

import (
	"iter"
	"slices"

	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// Apply folds an event and yields the stages that are reached, in order. The loop must not be left early.
func (t *Table) Apply(ev *schema.Event) iter.Seq[Stage] {
	return func(yield func(Stage) bool) {
		t.now, t.Pit = ev, ev.PitID
		if ev.At >= t.Behind {
			t.Behind = 0
		}
		c := &turn{record.Seq(ev.Seq), ev.At, ev.Round, yield}
		t.promote(c)
		t.fold(c)
		t.closeGaps(ev)
		t.now = nil
	}
}

// Restart closes what is open, since the sequence numbers begin again with this event, and yields the stages that this
// reaches. What the table knew by the old numbers is dropped. A shoe that was open may go on under its id.
func (t *Table) Restart(ev *schema.Event) iter.Seq[Stage] {
	return func(yield func(Stage) bool) {
		t.Used = slices.DeleteFunc(t.Used, func(id string) bool {
			return t.Shoe != nil && t.Shoe.Name == id || t.Prev != nil && t.Prev.Name == id
		})
		if !t.first() {
			t.Used = append(t.Used, "")
		}
		t.closeShoes(&turn{record.Seq(ev.Seq), ev.At, ev.Round, yield})
		t.enforce(nil, nil, 0)
		t.IsOpen, t.Queue, t.Early = false, nil, nil
		t.History = record.Table{Attested: map[string]record.Attested{}}
		clear(t.Kept)
		t.Gaps.Opened = 0
		t.MidStream()
		t.Gaps.Elections, t.Gaps.Law = t.Before != nil, t.Before != nil
	}
}

// Moved notes that the table was in play elsewhere, before the first event of its record, and that its numbers began
// again: as after a Restart, but nothing is known of before.
func (t *Table) Moved() {
	t.MidStream()
	t.Before = &Before{}
	t.Gaps.Elections, t.Gaps.Law = true, true
}

// EndOfNumbers notes that the numbers begin again where event next should have come: what was to follow does not come.
func (t *Table) EndOfNumbers(next uint64) {
	t.Before = t.before()
	t.Lost(2, &schema.Event{Seq: next})
}

// before is what is known of the table, nil if it is closed.
func (t *Table) before() *Before {
	if t.Closing.Seq != 0 || !t.IsOpen && t.Shoe == nil && t.Prev == nil {
		return nil
	}
	b := &Before{Seated: !t.Gaps.Seating, Occupied: t.History.Occupied}
	if !t.Gaps.Law {
		b.Law = t.LawName
	}
	if !t.Gaps.Elections && len(t.Queue) == 0 {
		b.Terms = terms(t.Config)
	}
	return b
}

// EndsClosing reports whether an event shows that nothing more is settled of a table that closed while money was due.
func (t *Table) EndsClosing(ev *schema.Event) bool {
	if t.Closing.Seq == 0 {
		return false
	}
	switch p := ev.Payload.(type) {
	case *schema.TableOpened, *schema.TableClosed:
		return true
	case *schema.BatchReported:
		return p.State == schema.BatchStateInShuffler && t.Shoe.Batch() == p.BatchID
	default:
		next := t.Shoe.ahead(ev.Round) || t.Prev.awaitsMoney() && ev.Round != 0
		return t.Shoe.Name == ev.ShoeID && next || ev.ShoeID != "" && t.begins(ev)
	}
}

// EndClosing closes the shoes of a table that closed while money was due, and yields the stages that this reaches.
func (t *Table) EndClosing() iter.Seq[Stage] {
	return func(yield func(Stage) bool) {
		if t.Closing.Seq != 0 {
			t.endPlay(&turn{t.Closing.Seq, t.Closing.At, 0, yield})
		}
	}
}
