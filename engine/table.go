package engine

import (
	"cmp"
	"iter"
	"slices"

	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/engine/facts"
	"github.com/shoeproof/shoeproof/engine/order"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/engine/suspicion"
	"github.com/shoeproof/shoeproof/engine/verdict"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// table is the parts of one table.
type table struct {
	order     *order.Queue
	play      *play.Table
	verdict   verdict.Table
	suspicion suspicion.Table
	facts     facts.Table
	due       due
	seen      bool // a record of it was applied, or a snapshot restored
	// parted are the last shoes, each with a dot, for which it was reported that partitions number the events apart.
	parted [2]string
	// played are the partitions in which the table has played, and since is when it began here.
	played []Played
	since  int64
}

func (e *Engine) newTable(property, id string) *table {
	return e.tableOf(&order.Queue{}, play.New(property, id, e.opt.Books))
}

// tableOf connects the parts of a table.
func (e *Engine) tableOf(q *order.Queue, p *play.Table) *table {
	p.Sets, p.TimeOf = e.sets, q.Log.Time
	log, clock, version := &q.Log, calendar.Clock{Calendar: &e.opt.Calendar}, e.opt.Version
	budget := detectors.DefaultBudget()
	return &table{
		order: q, play: p, due: due{until: -1}, played: e.played[p.Property+"\x00"+p.ID],
		verdict: verdict.Table{Play: p, Log: log, Clock: clock, Version: version, Restarted: q.Restarted},
		suspicion: suspicion.Table{
			Play: p, Log: log, Clock: clock, Version: version, Budget: *cmp.Or(e.opt.Budget, &budget), Rekey: e.opt.rekey,
		},
		facts: facts.Table{Play: p, Log: log, Clock: clock, Version: version},
	}
}

// receive takes the event of a record, and those for which it makes room.
func (e *Engine) receive(t *table, out *rows.Set) {
	for item := range t.order.Receive(&e.event, e.source.SHA256, e.record.Contested) {
		e.take(t, &item, out)
	}
	e.Counts.Findings += t.verdict.Reported()
}

// take takes one item of the order.
func (e *Engine) take(t *table, item *order.Item, out *rows.Set) {
	switch item.Kind {
	case order.Event:
		e.fold(t, item.Event, out)
	case order.Archive:
		if !e.opt.NoArchive {
			t.facts.Event(item.Event, &e.source, &out.Events)
		}
	case order.Duplicate:
		e.Counts.Duplicates++
	case order.Forgotten:
		e.forgotten(item.Event, out)
	case order.Fault:
		t.verdict.Fault(item.Event, item.Fault, &out.Findings)
	case order.Lost:
		t.play.Lost(item.N, item.Event)
	case order.MidStream:
		t.play.MidStream()
	case order.ClockBack:
		t.play.ClockBack(int64(item.N), item.Event.At)
	case order.Restart:
		t.play.EndOfNumbers(item.N)
		e.endClosing(t, out)
		for stage := range t.play.Restart(item.Event) {
			e.reach(t, item.Event, &stage, out)
		}
	}
}

// fold is the loop: an event, the stages that it reaches, what comes of each.
func (e *Engine) fold(t *table, ev *schema.Event, out *rows.Set) {
	if t.play.EndsClosing(ev) {
		e.endClosing(t, out)
	}
	for stage := range t.play.Apply(ev) {
		e.reach(t, ev, &stage, out)
	}
	if t.suspicion.Observe(ev, out) {
		t.verdict.Anomalies(nil, "", t.suspicion.Alarms(), &out.Findings)
	}
}

// endClosing closes the shoes of a table that closed while money was due.
func (e *Engine) endClosing(t *table, out *rows.Set) {
	if s := t.play.Shoe; s != nil {
		e.end(t, t.asOf(s, t.play.Closing.Seq, t.play.Closing.At), t.play.EndClosing(), out)
	}
}

// endShoes settles the last rounds of shoes that have ended.
func (e *Engine) endShoes(t *table, out *rows.Set) {
	for _, s := range t.play.Shoes() {
		e.end(t, t.asOf(s, s.Ended.Seq, s.EndedAt), t.play.Finish(s), out)
	}
}

// end takes stages of a shoe that no event reached. They are as of the event that ended it.
func (e *Engine) end(t *table, ended *schema.Event, stages iter.Seq[play.Stage], out *rows.Set) {
	for stage := range stages {
		e.reach(t, ended, &stage, out)
	}
}

// asOf is the event that ended a shoe, as far as it is known.
func (t *table) asOf(s *play.Shoe, seq record.Seq, at int64) *schema.Event {
	return &schema.Event{
		PropertyID: t.play.Property, TableID: t.play.ID, PitID: s.Pit, ShoeID: s.Name, Seq: uint64(seq), At: at,
	}
}

// reach takes a stage that an event reached.
func (e *Engine) reach(t *table, ev *schema.Event, stage *play.Stage, out *rows.Set) {
	t.verdict.At(ev, stage, &out.Findings)
	switch s := stage.Shoe; stage.Kind {
	case play.Settled:
		view := t.suspicion.Round(s, stage.Round, out)
		t.facts.Round(s, stage.Round, ev.At, view, out)
		t.verdict.Anomalies(s, view.Dealer, t.suspicion.Alarms(), &out.Findings)
		e.Counts.Rounds++
	case play.Closed:
		if t.suspicion.End(s, out) {
			t.verdict.Anomalies(s, "", t.suspicion.Alarms(), &out.Findings)
		}
		tally := t.verdict.Tally(s)
		t.facts.Shoe(s, facts.Totals{Findings: tally.Findings, Unauditable: tally.Unauditable, ClosedAt: ev.At}, out)
		e.Counts.Shoes++
	case play.Gone:
		t.suspicion.Forget(s)
		t.boundary(stage.Seq)
	case play.TableClosed:
		t.facts.Closed(ev, out)
		t.boundary(stage.Seq)
	case play.Configured:
		t.facts.Config(stage.Config, out)
	case play.NoticeGiven:
		t.facts.Notice(ev, out)
	default: // no rows
	}
}

// boundary notes that no event before seq proves anything that is open: the state is small.
func (t *table) boundary(seq uint64) {
	t.due.boundary = true
	t.order.Log.Forget(seq)
}

// add keeps the tables in order.
func (e *Engine) add(t *table) {
	e.tables[t.play.Property+"\x00"+t.play.ID] = t
	at, _ := slices.BinarySearchFunc(e.inOrder, t, func(a, b *table) int {
		return cmp.Or(cmp.Compare(a.play.Property, b.play.Property), cmp.Compare(a.play.ID, b.play.ID))
	})
	e.inOrder = slices.Insert(e.inOrder, at, t)
}
