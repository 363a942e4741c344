package fault

import (
	"bytes"
	"runtime"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// duet plants two faults through one scene. Each has a scene of its own over the same table, plan and round.
type duet struct {
	faults [2]*Fault
	parts  [2]scene
	ids    [2][2]string
	// changed is what each fault changed: wagers, events, and parts of the plan of a round.
	changed [2]map[string]bool
	coup    *shoe.Coup
}

// fault is both faults as one.
func (d *duet) fault() *Fault {
	f, g := d.faults[0], d.faults[1]
	return &Fault{
		Rule: f.Rule + " and " + g.Rule, tune: d.tune, wagers: d.wagers,
		accept:          func(_ *scene, c *shoe.Coup) bool { return d.suits(0, c) && d.suits(1, c) },
		bend:            d.bend,
		late:            func(*scene) error { return d.each(f.late, g.late) },
		betweenShoes:    func(*scene) error { return d.each(f.betweenShoes, g.betweenShoes) },
		alter:           d.edit,
		cardsBehind:     max(f.cardsBehind, g.cardsBehind),
		legalShoeBefore: f.legalShoeBefore || g.legalShoeBefore,
	}
}

func (d *duet) suits(i int, c *shoe.Coup) bool {
	return d.faults[i].accept == nil || d.faults[i].accept(&d.parts[i], c)
}

// tune applies both configurations. Where the second undoes the first, the faults cannot be played together; the first
// scene reports it.
func (d *duet) tune(c *schema.TableConfig) {
	for i := range d.faults {
		d.changed[i] = map[string]bool{}
		if d.faults[i].tune != nil {
			d.faults[i].tune(c)
		}
	}
	if d.faults[0].isUndone(c) {
		d.both("terms")
	}
}

// isUndone reports whether a configuration is no longer as the fault tuned it.
func (f *Fault) isUndone(c *schema.TableConfig) bool {
	if f.tune == nil {
		return false
	}
	again := (&schema.Event{Payload: &schema.TableOpened{Config: *c}}).Clone().Payload.(*schema.TableOpened).Config
	f.tune(&again)
	return !bytes.Equal(schema.AppendConfigJSON(nil, c), schema.AppendConfigJSON(nil, &again))
}

// wagers adds the wagers of both faults: the second fault uses the seat of the first where possible.
func (d *duet) wagers(sc *scene) {
	for i := range d.parts {
		p := &d.parts[i]
		*p = *sc
		if i == 1 && d.parts[0].stake != nil {
			sc.round.Stakes = seatFirst(sc.round.Stakes, d.parts[0].stake.Seat)
		}
		if d.faults[i].wagers != nil {
			before := map[string]string{}
			roundParts(before, sc.round, sc.index)
			d.faults[i].wagers(p)
			after := map[string]string{}
			roundParts(after, sc.round, sc.index)
			d.note(i, before, after)
		}
	}
	// The second may have laid a wager on the same spot: then both faults are about that one.
	for _, st := range []**shoe.Stake{&d.parts[0].stake, &d.parts[0].otherStake} {
		if *st == nil {
			continue
		}
		for k := range sc.round.Stakes {
			other, old := sc.round.Stakes[k], *st
			if other.Seat == old.Seat && other.Spot == old.Spot && other.Patron == old.Patron {
				*st = &other
			}
		}
	}
}

// seatFirst puts the wagers of a seat before all others: a fault takes the first that suits it.
func seatFirst(stakes []shoe.Stake, seat uint32) []shoe.Stake {
	var first, others []shoe.Stake
	for _, st := range stakes {
		if st.Seat == seat {
			first = append(first, st)
		} else {
			others = append(others, st)
		}
	}
	return append(first, others...)
}

// both notes a part of the round that both faults change.
func (d *duet) both(part string) { d.changed[0][part], d.changed[1][part] = true, true }

// bend finds the wagers again in the plan as it was made, and bends it for both.
func (d *duet) bend(sc *scene) error {
	if d.changed[0]["terms"] {
		return &ApartError{TermsExclude}
	}
	for i := range d.parts {
		p := &d.parts[i]
		unwanted := func(st shoe.Stake) bool { return st.Spot == p.emptySpot }
		if p.emptySpot != 0 && slices.ContainsFunc(p.round.Stakes, unwanted) {
			return &ApartError{WagerAdded}
		}
		for k, st := range []*shoe.Stake{p.stake, p.otherStake} {
			if st == nil {
				continue
			}
			if d.ids[i][k] = p.stakeID(p.round, st); d.ids[i][k] == "" {
				return &ApartError{WagerReplaced}
			}
		}
		p.plan = sc.plan
	}
	return d.each(d.faults[0].bend, d.faults[1].bend)
}

// each runs a step of both faults over the plan and notes what it changed.
func (d *duet) each(steps ...func(*scene) error) error {
	for i, step := range steps {
		p := &d.parts[i]
		p.round = &p.plan.Rounds[p.index]
		p.stake, p.otherStake = p.stakeByID(d.ids[i][0]), p.stakeByID(d.ids[i][1])
		d.coup = &p.round.Coup
		if step == nil {
			continue
		}
		before := planParts(p.plan, p.index)
		if err := attempt(func() error { return step(p) }); err != nil {
			return err
		}
		d.note(i, before, planParts(p.plan, p.index))
		d.parts[1-i].plan = p.plan
	}
	return nil
}

// attempt runs a step of a fault. A fault is written for a round that is otherwise legal: beside another it may find an
// empty list where it expects a card or a wager. Then the round does not offer what it needs.
func attempt(step func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(runtime.Error); !ok {
				panic(r)
			}
			err = errNotOffered
		}
	}()
	return step()
}

// edit edits the events for the first, then for the second.
func (d *duet) edit(sc *scene) error {
	for i := range d.parts {
		p := &d.parts[i]
		p.events = sc.events
		if d.faults[i].edit == nil && d.faults[i].alter == nil {
			continue
		}
		before := p.eventParts()
		if err := attempt(func() error { return p.edit(d.faults[i]) }); err != nil {
			if i == 1 && d.changedEvents(0) {
				return &ApartError{EventsGone}
			}
			return errNotOffered
		}
		d.note(i, before, p.eventParts())
		sc.events = p.events
		for k := range sc.events {
			opened, ok := sc.events[k].Payload.(*schema.TableOpened)
			if ok && d.faults[1-i].isUndone(&opened.Config) {
				d.both("terms")
			}
		}
	}
	return nil
}

func (d *duet) want(i int) Want {
	p := &d.parts[i]
	w := Want{Rule: d.faults[i].Rule, Round: uint32(p.number), Seat: p.seat}
	if p.stake != nil && w.Seat == 0 {
		w.Seat = p.stake.Seat
	}
	if p.findingRound > 0 {
		w.Round = p.findingRound
	}
	return w
}
