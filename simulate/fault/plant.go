package fault

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

const maxScenes = 60

// errNotOffered: the scene does not offer what the fault needs. Another scene is tried.
var errNotOffered = errors.New("the scene does not offer it")

// Plant plays a short shoe with the breach and a legal shoe after it, at a table of a kind that the fault allows, and
// closes the table. The same fault and seed give the same events. Options.Config is used if it names a ruleset, else
// the seed chooses among the kinds, and the table offers what Options.Game has.
func Plant(o deal.Options, f Fault, seed uint64) ([]schema.Event, []Want, error) {
	for try := range uint64(maxScenes) {
		events, want, err := plantOnce(o, &f, shoe.Mix(seed+try<<40), f.Kinds[seed%uint64(len(f.Kinds))])
		if errors.Is(err, errNotOffered) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("plant %s, seed %d: %w", f.Rule, seed, err)
		}
		return events, want, nil
	}
	return nil, nil, fmt.Errorf("plant %s, seed %d: no scene for it in %d", f.Rule, seed, maxScenes)
}

func plantOnce(o deal.Options, f *Fault, seed uint64, kind string) ([]schema.Event, []Want, error) {
	if o.Config.Ruleset == "" {
		if err := configure(&o, f, seed, kind); err != nil {
			return nil, nil, err
		}
	}
	o.Config.PostedOdds, o.Config.Options = maps.Clone(o.Config.PostedOdds), maps.Clone(o.Config.Options)
	if f.tune != nil {
		f.tune(&o.Config)
	}
	o.Seed, o.Flawless = seed, true
	rng := rand.New(rand.NewPCG(seed, 0xfa17))
	rounds := 8 + rng.IntN(9)
	sc := &scene{table: deal.NewTable(o), index: 2 + rng.IntN(rounds-5)}
	sc.number = sc.index + 1
	opening := sc.table.Open()
	var lead []schema.Event
	if f.legalShoeBefore {
		lead = sc.table.ShoeOf(rounds + 3)
		sc.previousCards = dealtCards(lead)
	}
	if err := sc.play(f, rounds); err != nil {
		return nil, nil, err
	}
	if f.betweenShoes != nil {
		if err := f.betweenShoes(sc); err != nil {
			return nil, nil, err
		}
	}
	shoe := sc.table.Writer().Take()
	var next []schema.Event
	if f.everyShoe {
		next = sc.table.Shuffle()
	} else {
		next = sc.table.ShoeOf(4)
	}
	sc.events = slices.Concat(opening, lead, shoe, next, sc.table.Close())
	if err := sc.edit(f); err != nil {
		return nil, nil, err
	}
	if f.secondTable != nil {
		sc.events = deal.Interleave(sc.events, playSecondTable(o, f, sc.events))
	}
	want := Want{Rule: f.Rule, Round: uint32(sc.number), Seat: sc.seat}
	if sc.stake != nil && want.Seat == 0 {
		want.Seat = sc.stake.Seat
	}
	switch {
	case sc.findingRound > 0:
		want.Round = sc.findingRound
	case f.notInRound:
		want.Round = 0
	}
	wants := []Want{want}
	for _, rule := range f.Beside {
		want.Rule = rule
		wants = append(wants, want)
	}
	return sc.events, wants, nil
}

// configure chooses the configuration of a kind of table, with what a game of a rulebook offers.
func configure(o *deal.Options, f *Fault, seed uint64, kind string) (err error) {
	if o.Config, err = deal.Config(kind, seed); err != nil || o.Game == nil {
		return err
	}
	if f.modes != nil {
		game := *o.Game
		game.Modes = f.modes(o.Game)
		o.Game = &game
	}
	deal.Offer(&o.Config, o.Game, seed)
	return nil
}

// playSecondTable plays a second table of the same pit, which opens five minutes earlier.
func playSecondTable(o deal.Options, f *Fault, events []schema.Event) []schema.Event {
	opened := &schema.Event{Payload: &schema.TableOpened{Config: o.Config}}
	o.Config = opened.Clone().Payload.(*schema.TableOpened).Config
	f.secondTable(&o.Config)
	o.Config.ConfigID += "-beside"
	o.Seed = shoe.Mix(o.Seed)
	o.Property, o.Pit, o.Table = events[0].PropertyID, events[0].PitID, "beside"
	o.Start = time.Unix(0, events[0].At-5*shoe.Minute).UTC()
	t := deal.NewTable(o)
	second := t.Open()
	if !f.idleBeside {
		second = append(second, t.ShoeOf(5)...)
	}
	t.Writer().Now = max(t.Writer().Now, events[len(events)-1].At)
	return append(second, t.Close()...)
}

// dealtCards returns the cards of a shoe in the order in which they left it.
func dealtCards(events []schema.Event) []shoe.Card {
	var names []string
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.ShoeBurned:
			names = append(append(names, p.Indicator), p.Cards...)
		case *schema.CardDealt:
			names = append(names, p.Card)
		}
	}
	cards, _ := shoe.ParseCards(names)
	return cards
}
