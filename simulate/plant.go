package simulate

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// Fault breaks exactly one requirement of the catalogue.
type Fault struct {
	// Rule is the requirement, Doc the breach in a few words.
	Rule, Doc string
	// Kinds are the kinds of table at which it can be planted, see Kinds.
	Kinds []string
	// Off says that the rulebooks do not enforce the requirement unless a house asks for it.
	Off bool

	// tune changes the configuration before the table opens.
	tune func(*schema.TableConfig)
	// bets adds the wagers that the round at issue needs, accept says which cards will do.
	bets   func(*scene)
	accept func(*scene, *coup) bool
	// bend changes the plan before the cutting card is placed, late after it; between acts after the
	// shoe and before the next.
	bend, late, between func(*scene) error
	// edit returns edits, in the language of ParseEdits, to what was written.
	edit func(*scene) string
	// alter changes what was written directly.
	alter func(*scene) error
	// beside configures a second table of the pit, which plays legally; idle only opens it.
	beside func(*schema.TableConfig)
	idle   bool
	// behind plays the shoe through, with so many cards behind the cutting card. lead plays a legal shoe
	// of the same length before.
	behind int
	lead   bool
	// wide says that the finding is about the shoe or the table, not about the round. alone says that
	// every shoe of the table has it: the next one is only shuffled.
	wide, alone bool
}

// Want is the finding that a planted fault must lead to, and no other of level minor or above.
// Round is 0 for a finding about a shoe or a table; Seat is 0 where no single seat is concerned.
type Want struct {
	Rule  string
	Round uint32
	Seat  uint32
}

// scene is the shoe and the round in which a fault is planted.
type scene struct {
	t *Table
	s *shoePlan
	r *roundPlan
	k int // the round's index
	n int // its number
	// st is the wager at issue, if the fault has one; other is a second one.
	st, other *stake
	events    []schema.Event
	round     uint32 // of the finding, when it is not n
	seat      uint32
	before    []card // those of the shoe before, in order
}

// errElsewhere says that a scene does not offer what a fault needs; another one is tried.
var errElsewhere = errors.New("the scene does not offer it")

const scenes = 60

// Plant plays a short shoe with one breach in it and a legal one after it, at a table of a kind that
// the fault allows, and closes the table. The same fault and seed always give the same events.
// Options.Config is used when it names a ruleset.
func Plant(o Options, f Fault, seed uint64) ([]schema.Event, []Want, error) {
	for try := range uint64(scenes) {
		events, want, err := plantOnce(o, &f, mix(seed+try<<40), f.Kinds[seed%uint64(len(f.Kinds))])
		if errors.Is(err, errElsewhere) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("plant %s, seed %d: %w", f.Rule, seed, err)
		}
		return events, want, nil
	}
	return nil, nil, fmt.Errorf("plant %s, seed %d: no scene for it in %d", f.Rule, seed, scenes)
}

func plantOnce(o Options, f *Fault, seed uint64, kind string) ([]schema.Event, []Want, error) {
	if o.Config.Ruleset == "" {
		c, err := Config(kind, seed)
		if err != nil {
			return nil, nil, err
		}
		o.Config = c
	}
	o.Config.PostedOdds, o.Config.Options = maps.Clone(o.Config.PostedOdds), maps.Clone(o.Config.Options)
	if f.tune != nil {
		f.tune(&o.Config)
	}
	o.Seed, o.Flawless = seed, true
	rng := rand.New(rand.NewPCG(seed, 0xfa17))
	rounds := 8 + rng.IntN(9)
	sc := &scene{t: NewTable(o), k: 2 + rng.IntN(rounds-5)}
	sc.n = sc.k + 1
	events := sc.t.Open()
	if f.lead {
		lead := sc.t.ShoeOf(rounds + 3)
		sc.before = dealtCards(lead)
		events = append(events, lead...)
	}
	if err := sc.play(f, rounds); err != nil {
		return nil, nil, err
	}
	if f.between != nil {
		if err := f.between(sc); err != nil {
			return nil, nil, err
		}
	}
	events = append(events, sc.t.Writer().take()...)
	if f.alone {
		events = append(events, sc.t.Shuffle()...)
	} else {
		events = append(events, sc.t.ShoeOf(4)...)
	}
	sc.events = append(events, sc.t.Close()...)
	if err := sc.write(f); err != nil {
		return nil, nil, err
	}
	if f.beside != nil {
		sc.events = Interleave(sc.events, besides(o, f, sc.events))
	}
	want := Want{Rule: f.Rule, Round: uint32(sc.n), Seat: sc.seat}
	if sc.st != nil && want.Seat == 0 {
		want.Seat = sc.st.seat
	}
	switch {
	case sc.round > 0:
		want.Round = sc.round
	case f.wide:
		want.Round = 0
	}
	return sc.events, []Want{want}, nil
}

// besides plays a second table of the same pit, which opens a little earlier.
func besides(o Options, f *Fault, events []schema.Event) []schema.Event {
	o.Config = (&schema.Event{Payload: &schema.TableOpened{Config: o.Config}}).Clone().Payload.(*schema.TableOpened).Config
	f.beside(&o.Config)
	o.Config.ConfigID += "-beside"
	o.Seed = mix(o.Seed)
	o.Property, o.Pit, o.Table = events[0].PropertyID, events[0].PitID, "beside"
	o.Start = time.Unix(0, events[0].At-5*minute).UTC()
	t := NewTable(o)
	second := t.Open()
	if !f.idle {
		second = append(second, t.ShoeOf(5)...)
	}
	t.Writer().at = max(t.Writer().at, events[len(events)-1].At)
	return append(second, t.Close()...)
}

// dealtCards are the cards of a shoe in the order in which they left it.
func dealtCards(events []schema.Event) []card {
	var names []string
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.ShoeBurned:
			names = append(append(names, p.Indicator), p.Cards...)
		case *schema.CardDealt:
			names = append(names, p.Card)
		}
	}
	cards, _ := parseCards(names)
	return cards
}

// play plans the shoe around the fault and writes it.
func (sc *scene) play(f *Fault, rounds int) error {
	var ids [2]string
	wish := &wish{round: sc.k, behind: f.behind}
	wish.bets = func(r *roundPlan) {
		sc.r = r
		if f.bets != nil {
			f.bets(sc)
		}
	}
	wish.accept = func(r *roundPlan) bool { return f.accept == nil || f.accept(sc, &r.coup) }
	if f.behind > 0 {
		rounds = 0
	}
	var err error
	if sc.s, err = sc.t.Plan(rounds, wish); err != nil {
		return errElsewhere
	}
	// The plan keeps copies of what the wish saw.
	old := sc.r
	sc.r = &sc.s.rounds[sc.k]
	for i, st := range []*stake{sc.st, sc.other} {
		if st != nil {
			ids[i] = sc.idOf(old, st)
		}
	}
	sc.st, sc.other = sc.wager(ids[0]), sc.wager(ids[1])
	sc.s.ceilEnd, sc.r.together = false, false
	if f.bend != nil {
		if err := f.bend(sc); err != nil {
			return err
		}
	}
	sc.r = &sc.s.rounds[sc.k]
	if total := int(sc.t.Config().Decks) * 52; f.behind == 0 {
		sc.s.hideCut(total, sc.t.Rand().IntN(5))
	}
	if f.late != nil {
		if err := f.late(sc); err != nil {
			return err
		}
	}
	sc.t.Write(sc.s)
	return nil
}

func (sc *scene) idOf(r *roundPlan, st *stake) string {
	for i := range r.stakes {
		if a := &r.stakes[i]; a.seat == st.seat && a.spot == st.spot && a.amount == st.amount && a.patron == st.patron {
			return a.id
		}
	}
	return ""
}

func (sc *scene) wager(id string) *stake {
	for i := range sc.r.stakes {
		if sc.r.stakes[i].id == id && id != "" {
			return &sc.r.stakes[i]
		}
	}
	return nil
}

func (sc *scene) write(f *Fault) error {
	if f.alter != nil {
		if err := f.alter(sc); err != nil {
			return err
		}
	}
	if f.edit == nil {
		return nil
	}
	text := f.edit(sc)
	if text == "" {
		return errElsewhere
	}
	edits, err := ParseEdits(text)
	if err != nil {
		return fmt.Errorf("edit %q: %w", text, err)
	}
	if sc.events, err = edits.Apply(sc.events); err != nil {
		return fmt.Errorf("edit %q: %w", text, err)
	}
	return nil
}

// lay adds a wager of an exact amount for a patron who has a main wager, other than those at the
// seats named; nil if there is nobody.
func (sc *scene) lay(spot schema.Spot, amount int64, not ...uint32) *stake {
	for i := range sc.r.stakes {
		st := &sc.r.stakes[i]
		main := st.spot == schema.SpotBanker || st.spot == schema.SpotPlayer
		if !main || st.withdrawn || slices.Contains(not, st.seat) || strings.HasSuffix(st.patron, "b") {
			continue
		}
		return sc.layAt(st, spot, amount)
	}
	for _, p := range sc.t.Patrons() {
		if !slices.Contains(not, p.seat) {
			st := &stake{seat: p.seat, patron: p.ref, exact: p.exact, marks: p.defers}
			if sc.t.Config().SupplementalRequiresMain && spot > schema.SpotTie {
				sc.layAt(st, schema.SpotPlayer, 5100)
			}
			return sc.layAt(st, spot, amount)
		}
	}
	return nil
}

// layAt adds a wager for the patron of another, and takes that patron's wagers off the same spot.
func (sc *scene) layAt(st *stake, spot schema.Spot, amount int64) *stake {
	c := sc.t.Config().Vigorish
	marks := c.Timing == schema.VigorishTimingDeferred || c.Timing == schema.VigorishTimingMixed && st.marks
	next := stake{
		seat: st.seat, patron: st.patron, spot: spot, amount: amount, medium: schema.WagerMediumChips, marks: marks,
		exact: c.Unit == 0 || st.exact,
	}
	sc.r.stakes = slices.DeleteFunc(sc.r.stakes, func(x stake) bool { return x.seat == next.seat && x.spot == spot })
	sc.r.stakes = append(sc.r.stakes, next)
	return &next
}

// takeRest takes a card that stays in the shoe and meets a condition.
func (sc *scene) takeRest(ok func(card) bool) (card, error) {
	for i, c := range sc.s.rest {
		if ok(c) {
			sc.s.rest = slices.Delete(slices.Clone(sc.s.rest), i, i+1)
			return c, nil
		}
	}
	return 0, errElsewhere
}

// steps are the events of the round at issue that meet a condition.
func (sc *scene) steps(ok func(*schema.Event) bool) []*schema.Event {
	var out []*schema.Event
	for i := range sc.events {
		if ev := &sc.events[i]; ev.ShoeID == sc.s.id && ev.Round == uint32(sc.n) && ok(ev) {
			out = append(out, ev)
		}
	}
	return out
}

// on addresses events of the round at issue, with a format for the rest of the selector.
func (sc *scene) on(format string, args ...any) string {
	return fmt.Sprintf("round=%d ", sc.n) + fmt.Sprintf(format, args...)
}
