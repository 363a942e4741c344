package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// Apply makes the edits in their order, each on what the ones before left, and numbers the events of
// each table anew. The events given are not changed.
func (e Edits) Apply(events []schema.Event) ([]schema.Event, error) {
	tables := byTable(events)
	for i := range e.list {
		d := &e.list[i]
		at, err := d.table(tables)
		if err == nil {
			tables[at], err = d.apply(tables[at])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", d.line, err)
		}
	}
	for _, t := range tables {
		for i := range t {
			if i > 0 {
				t[i].Seq = t[i-1].Seq + 1
				t[i].At = max(t[i].At, t[i-1].At)
			}
		}
	}
	return Interleave(tables...), nil
}

// byTable copies the events of each table, in the order in which the tables appear.
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

// Interleave merges the events of tables by their time; those of one table keep their order.
func Interleave(tables ...[]schema.Event) []schema.Event {
	if len(tables) == 1 {
		return tables[0]
	}
	var out []schema.Event
	heads := slices.Clone(tables)
	for {
		next := -1
		for i, t := range heads {
			if len(t) > 0 && (next < 0 || t[0].At < heads[next][0].At) {
				next = i
			}
		}
		if next < 0 {
			return out
		}
		out = append(out, heads[next][0])
		heads[next] = heads[next][1:]
	}
}

// table is the index of the table that an edit is about.
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
		return 0, fmt.Errorf("%s: there are no events", e.verb)
	}
	return 0, fmt.Errorf("%s: there is no table %s", e.verb, id)
}

func (e *edit) apply(events []schema.Event) ([]schema.Event, error) {
	switch e.verb {
	case "deal", "stake", "burn", "recompute":
		return e.recompute(events)
	case "insert":
		i, err := one(events, &e.target)
		if err != nil {
			return nil, err
		}
		return e.insert(events, i)
	case "configure":
		i, err := one(events, &e.target)
		if err != nil {
			return nil, err
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
			for _, a := range e.set {
				if err := assign(&events[i], a); err != nil {
					return nil, fmt.Errorf("set %s: %w", e.what.text, err)
				}
			}
		}
	case "delete":
		for _, i := range slices.Backward(found) {
			events = slices.Delete(events, i, i+1)
		}
	case "move":
		ev := events[found[0]]
		first := events[0].Seq
		if _, err := one(events, &e.target); err != nil {
			return nil, err
		}
		events = slices.Delete(events, found[0], found[0]+1)
		to, err := one(events, &e.target)
		if err != nil {
			return nil, err
		}
		ev.At = events[to].At
		if e.after {
			to++
		}
		events = slices.Insert(events, to, ev)
		events[0].Seq = first
	case "swap":
		to, err := one(events, &e.target)
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

func (e *edit) insert(events []schema.Event, at int) ([]schema.Event, error) {
	beside := &events[at]
	p, _ := blank(e.kind)
	ev := *beside
	ev.Payload = p
	role, source, _, _ := manner(p.Kind())
	if ev.Actor.Role != role {
		ev.Actor = schema.Actor{Role: role}
	}
	if ev.Source.Kind != source {
		ev.Source = schema.Source{DeviceID: "edit-" + ev.TableID, Kind: source}
	}
	ev.EventID = eventID(ev.At, e.seed(beside), uint64(len(events)))
	for _, a := range e.set {
		if err := assign(&ev, a); err != nil {
			return nil, fmt.Errorf("insert %s: %w", e.kind, err)
		}
	}
	if e.after {
		at++
	}
	return slices.Insert(events, at, ev), nil
}

// configure inserts a copy of the configuration in force with other values.
func (e *edit) configure(events []schema.Event, at int) ([]schema.Event, error) {
	if e.after {
		at++
	}
	now := -1
	for i := range events[:at] {
		switch events[i].Payload.(type) {
		case *schema.TableOpened, *schema.TableConfigured:
			now = i
		}
	}
	if now < 0 {
		return nil, fmt.Errorf("configure: no configuration is in force there")
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
		EventID: eventID(beside.At, e.seed(&beside), uint64(len(events))),
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

// seed makes the id of an event put beside another.
func (e *edit) seed(beside *schema.Event) uint64 {
	seed := uint64(e.line)
	for _, c := range beside.EventID {
		seed = seed*131 + uint64(c)
	}
	return seed
}

func one(events []schema.Event, s *selector) (int, error) {
	found, err := find(events, s)
	if err != nil {
		return 0, err
	}
	return found[0], nil
}

// find returns the events that a selector names: one, or all of them after "each".
func find(events []schema.Event, s *selector) ([]int, error) {
	wagers := map[string]*schema.WagerPlaced{}
	var found []int
	shoes := map[string]int{}
	for i := range events {
		ev := &events[i]
		shoe := ordinal(shoes, ev.ShoeID)
		if p, ok := ev.Payload.(*schema.WagerPlaced); ok {
			wagers[p.WagerID] = p
		}
		switch {
		case s.kind != "" && ev.Payload.Kind().String() != s.kind:
		case s.shoe > 0 && (ev.ShoeID == "" || shoe != s.shoe):
		case s.shoe == 0 && ev.ShoeID != "" && shoe > 1:
		case matches(ev, s.fields, wagers):
			found = append(found, i)
		}
	}
	switch n := len(found); {
	case n == 0:
		return nil, fmt.Errorf("%q: there is no such event", s.text)
	case s.each:
		return found, nil
	case s.nth < 0:
		return found[n-1:], nil
	case s.nth > n:
		return nil, fmt.Errorf("%q: there are %d such events", s.text, n)
	case s.nth > 0:
		return found[s.nth-1 : s.nth], nil
	case n > 1:
		return nil, fmt.Errorf("%q: there are %d such events, the first two with seq %d and %d", s.text, n, events[found[0]].Seq, events[found[1]].Seq)
	}
	return found, nil
}

// ordinal is the number of a shoe, 1 for the first that appears.
func ordinal(shoes map[string]int, id string) int {
	if _, ok := shoes[id]; id != "" && !ok {
		shoes[id] = len(shoes) + 1
	}
	return shoes[id]
}

func matches(ev *schema.Event, fields []assignment, wagers map[string]*schema.WagerPlaced) bool {
	for _, f := range fields {
		got, ok := text(ev, f.field)
		if !ok && (f.field == "spot" || f.field == "seat") {
			if w := wagers[wagerOf(ev)]; w != nil {
				got, ok = w.Spot.String(), true
				if f.field == "seat" {
					got = strconv.FormatUint(uint64(w.Seat), 10)
				}
			}
		}
		if !ok || got != f.value {
			return false
		}
	}
	return true
}

// wagerOf is the wager that an event names, the first of several.
func wagerOf(ev *schema.Event) string {
	if id, ok := text(ev, "wager_id"); ok {
		return id
	}
	if p, ok := ev.Payload.(*schema.VigorishCollected); ok && len(p.WagerIDs) > 0 {
		return p.WagerIDs[0]
	}
	return ""
}

// recompute writes a shoe anew from its plan, changed as the edit says.
func (e *edit) recompute(events []schema.Event) ([]schema.Event, error) {
	r, err := reread(events, max(e.what.shoe, 1))
	if err != nil {
		return nil, err
	}
	s, n := r.plan, e.what.round()
	switch e.verb {
	case "burn":
		err = burnOther(s, e.words)
	case "deal":
		if n == len(s.rounds)+1 {
			s.AddRound()
		}
		if n < 1 || n > len(s.rounds) {
			return nil, fmt.Errorf("deal round=%d: the shoe has %d rounds", n, len(s.rounds))
		}
		s.rounds[n-1].bankerFirst = false
		s.rounds[n-1].coup, err = parseHands(e.words)
	case "stake":
		if n < 1 || n > len(s.rounds) {
			return nil, fmt.Errorf("stake round=%d: the shoe has %d rounds", n, len(s.rounds))
		}
		err = addStake(&s.rounds[n-1], e.set, n)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.verb, err)
	}
	anew := r.write()
	return slices.Concat(events[:r.from], anew, events[r.to:]), nil
}

// parseHands reads "P 2c 3h 4c B 8d Ks".
func parseHands(words []string) (coup, error) {
	var c coup
	h := -1
	for _, word := range words {
		switch {
		case word == "P":
			h = player
		case word == "B":
			h = banker
		case h < 0:
			return c, fmt.Errorf("%q: want P or B before the cards", word)
		default:
			x, err := parseCard(word)
			if err != nil {
				return c, err
			}
			c.hands[h] = append(c.hands[h], x)
		}
	}
	for h := range 2 {
		if n := len(c.hands[h]); n < 2 {
			return c, fmt.Errorf("hand %s has %d cards: want two or more", handWord(h), n)
		}
	}
	return c, nil
}

func burnOther(s *shoePlan, words []string) error {
	cards, err := parseCards(words)
	if err != nil {
		return err
	}
	for i := range s.prep {
		if p, ok := s.prep[i].Payload.(*schema.ShoeBurned); ok {
			b := *p
			b.Indicator, b.Count, b.Cards = words[0], uint32(len(words)-1), slices.Clone(words[1:])
			if b.Shown == schema.BurnShownFirstOnly {
				for k := range b.Cards {
					b.Cards[k] = "??"
				}
			}
			s.prep[i].Payload, s.burn = &b, cards
			return nil
		}
	}
	return fmt.Errorf("the shoe has no burn")
}

// AddRound appends a round with the wagers of the last one.
func (s *shoePlan) AddRound() {
	last := &s.rounds[len(s.rounds)-1]
	next := *last
	next.seating, next.relief, next.pass, next.collect, next.news, next.bets = nil, "", false, nil, nil, nil
	next.change, next.found, next.slip, next.carried, next.void = nil, nil, nil, false, schema.VoidCauseUnspecified
	next.stakes = slices.Clone(last.stakes)
	for i := range next.stakes {
		next.stakes[i].id += "+"
		next.stakes[i].taken = 0
	}
	s.rounds = append(s.rounds, next)
}

func addStake(r *roundPlan, set []assignment, n int) error {
	p := &schema.WagerPlaced{
		WagerID: fmt.Sprintf("w%d+%d", n, len(r.stakes)+1), Medium: schema.WagerMediumChips, AreaOK: true,
	}
	ev := schema.Event{Payload: p, Round: uint32(n)}
	for _, a := range set {
		if err := assign(&ev, a); err != nil {
			return err
		}
	}
	if p.Spot == schema.SpotUnspecified || p.Amount <= 0 || p.Seat == 0 {
		return fmt.Errorf("want seat, spot and amount")
	}
	if r.bets != nil {
		last := r.bets[len(r.bets)-1]
		ev.EventID, ev.At, ev.Source, ev.Video = last.EventID+"+", last.At, last.Source, last.Video
		ev.Actor = schema.Actor{Role: schema.RolePatron, ID: p.PatronRef}
		r.bets = append(r.bets, ev)
	}
	r.stakes = append(r.stakes, stake{
		id: p.WagerID, seat: p.Seat, patron: p.PatronRef, spot: p.Spot, name: p.SpotName, amount: p.Amount,
		coupon: p.Coupon, medium: p.Medium,
	})
	return nil
}
