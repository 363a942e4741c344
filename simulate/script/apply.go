package script

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Apply makes the edits in order, each on the result of the edits before it, and renumbers the events of each table.
// The events given are not changed.
func (e Edits) Apply(events []schema.Event) ([]schema.Event, error) {
	tables, lost := byTable(events), map[string]bool{}
	for i := range e.list {
		d := &e.list[i]
		at, err := d.table(tables)
		if err == nil {
			tables[at], err = d.apply(tables[at], lost)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", d.line, err)
		}
	}
	for k, t := range tables {
		for i := range t {
			if i > 0 {
				t[i].Seq = t[i-1].Seq + 1
				t[i].At = max(t[i].At, t[i-1].At)
			}
		}
		tables[k] = slices.DeleteFunc(t, func(ev schema.Event) bool { return lost[ev.EventID] })
	}
	return deal.Interleave(tables...), nil
}

// byTable copies the events by table, in the order in which the tables appear.
func byTable(events []schema.Event) [][]schema.Event {
	var out [][]schema.Event
	places := map[string]int{}
	for i := range events {
		at, ok := places[events[i].TableID]
		if !ok {
			at = len(out)
			places[events[i].TableID] = at
			out = append(out, nil)
		}
		out[at] = append(out[at], events[i].Clone())
	}
	return out
}

// table returns the index of the table that an edit is about.
func (e *edit) table(tables [][]schema.Event) (int, error) {
	id := e.what.table
	switch {
	case id == "":
		id = e.target.table
	case e.target.table != "" && e.target.table != id:
		return 0, fmt.Errorf("%s: tables %s and %s: want one table", e.verb, id, e.target.table)
	}
	for i, t := range tables {
		if id == "" || len(t) > 0 && t[0].TableID == id {
			return i, nil
		}
	}
	if id == "" {
		return 0, fmt.Errorf("%s: no events to edit", e.verb)
	}
	return 0, fmt.Errorf("%s: table %s not found", e.verb, id)
}

// apply makes an edit, and notes the ids of events that are lost.
func (e *edit) apply(events []schema.Event, lost map[string]bool) ([]schema.Event, error) {
	switch e.verb {
	case "deal", "stake", "burn", "recompute":
		return e.recompute(events)
	case "insert", "configure":
		i, err := findOne(events, &e.target)
		switch {
		case err != nil:
			return nil, err
		case e.verb == "insert":
			return e.insert(events, i)
		}
		return e.configure(events, i)
	}
	found, err := find(events, &e.what)
	if err != nil {
		return nil, err
	}
	switch e.verb {
	case "set":
		for _, i := range found {
			if err := assignAll(&events[i], e.set); err != nil {
				return nil, fmt.Errorf("set %s: %w", e.what.text, err)
			}
		}
	case "lose":
		for _, i := range found {
			lost[events[i].EventID] = true
		}
	case "delete":
		for _, i := range slices.Backward(found) {
			events = slices.Delete(events, i, i+1)
		}
	case "move":
		return e.move(events, found[0])
	case "swap":
		to, err := findOne(events, &e.target)
		if err != nil {
			return nil, err
		}
		a, b := &events[found[0]], &events[to]
		*a, *b = *b, *a
		a.At, b.At = b.At, a.At
		a.Seq, b.Seq = b.Seq, a.Seq
	}
	return events, nil
}

// move moves an event to its target and gives it the time of the target.
func (e *edit) move(events []schema.Event, from int) ([]schema.Event, error) {
	if _, err := findOne(events, &e.target); err != nil {
		return nil, err
	}
	ev, first := events[from], events[0].Seq
	events = slices.Delete(events, from, from+1)
	to, err := findOne(events, &e.target)
	if err != nil {
		return nil, err
	}
	ev.At = events[to].At
	if e.after {
		to++
	}
	events = slices.Insert(events, to, ev)
	events[0].Seq = first
	return events, nil
}

func (e *edit) insert(events []schema.Event, at int) ([]schema.Event, error) {
	beside := &events[at]
	p, _ := newPayload(e.kind)
	ev := *beside
	ev.Payload = p
	role, source, _, _ := shoe.Manner(p.Kind())
	if ev.Actor.Role != role {
		ev.Actor = schema.Actor{Role: role}
	}
	if ev.Source.Kind != source {
		ev.Source = schema.Source{DeviceID: "edit-" + ev.TableID, Kind: source}
	}
	ev.EventID = shoe.EventID(ev.At, e.seed(beside), uint64(len(events)))
	if err := assignAll(&ev, e.set); err != nil {
		return nil, fmt.Errorf("insert %s: %w", e.kind, err)
	}
	if e.after {
		at++
	}
	return slices.Insert(events, at, ev), nil
}

// configure inserts a copy of the configuration in force with changes.
func (e *edit) configure(events []schema.Event, at int) ([]schema.Event, error) {
	if e.after {
		at++
	}
	now := -1
	for i := range events[:at] {
		switch p := events[i].Payload.(type) {
		case *schema.TableOpened:
			now = i
		case *schema.TableConfigured:
			if p.EffectiveAt <= events[at-1].At {
				now = i
			}
		}
	}
	if now < 0 {
		return nil, fmt.Errorf("configure: no configuration in force at this place")
	}
	next := &schema.TableConfigured{}
	switch p := events[now].Clone().Payload.(type) {
	case *schema.TableOpened:
		next.Config = p.Config
	case *schema.TableConfigured:
		next.Config = p.Config
	}
	next.Config.ConfigID += "+"
	next.EffectiveAt = events[at-1].At
	beside := events[at-1]
	ev := schema.Event{
		PropertyID: beside.PropertyID, PitID: beside.PitID, TableID: beside.TableID, Seq: beside.Seq + 1, At: beside.At,
		Actor:  schema.Actor{Role: schema.RoleFloorperson},
		Source: schema.Source{DeviceID: "edit-" + beside.TableID, Kind: schema.SourceKindPit}, Payload: next,
		EventID: shoe.EventID(beside.At, e.seed(&beside), uint64(len(events))),
	}
	if at < len(events) && events[at].ShoeID == beside.ShoeID {
		ev.ShoeID = beside.ShoeID
		if events[at].Round == beside.Round {
			ev.Round = beside.Round
		}
	}
	for _, a := range e.set {
		if deep := "config." + a.field; !strings.HasPrefix(a.field, "effective") {
			a.field = deep
		}
		if err := assign(&ev, a); err != nil {
			return nil, fmt.Errorf("configure: %w", err)
		}
	}
	return slices.Insert(events, at, ev), nil
}

// seed returns the seed of the id of an event inserted beside another.
func (e *edit) seed(beside *schema.Event) uint64 {
	seed := uint64(e.line)
	for _, c := range beside.EventID {
		seed = seed*131 + uint64(c)
	}
	return seed
}
