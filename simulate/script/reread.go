package script

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// rereading is the plan of a shoe that was found in events, and a writer in the state before it.
type rereading struct {
	w        *shoe.Writer
	plan     *shoe.Plan
	from, to int
}

// reread reads the plan of the n-th shoe, counted from 1, back from its events, so that it can be changed and written
// again.
func reread(events []schema.Event, n int) (*rereading, error) {
	shoes := map[string]int{}
	r := &rereading{from: -1}
	for i := range events {
		if ordinal(shoes, events[i].ShoeID) != n || shuffledEarly(events, i) {
			continue
		}
		if r.from < 0 {
			r.from = i
		}
		r.to = i + 1
	}
	if r.from < 0 {
		return nil, fmt.Errorf("shoe %d: the events have %d", n, len(shoes))
	}
	first := &events[r.from]
	for i := range events[r.from:r.to] {
		if id := events[r.from+i].ShoeID; id != "" && id != first.ShoeID && !shuffledEarly(events, r.from+i) {
			return nil, fmt.Errorf("shoe %s: events of shoe %s among its events", first.ShoeID, id)
		}
	}
	o := shoe.Origin{Property: first.PropertyID, Pit: first.PitID, Table: first.TableID, Seed: first.Seq}
	for _, c := range first.EventID {
		o.Seed = o.Seed*131 + uint64(c)
	}
	opened := false
	var before []schema.Event
	for i := range events[:r.from] {
		switch p := events[i].Payload.(type) {
		case *schema.TableOpened:
			o.Config, opened = p.Config, true
		case *schema.TableConfigured:
			if p.EffectiveAt <= first.At {
				o.Config = p.Config
			}
		}
		before = append(before, events[i])
	}
	if !opened {
		return nil, fmt.Errorf("shoe %s: no table_opened before it", first.ShoeID)
	}
	r.w = shoe.NewWriter(&o)
	r.w.Now, r.w.Seq = first.At-1, first.Seq-1
	r.w.FollowTo(before, patronRefs(events))
	r.plan = &shoe.Plan{ID: first.ShoeID}
	return r, r.read(events[r.from:r.to])
}

// shuffledEarly reports whether an event shuffles the batch of a shoe that begins later: the next event is one of
// another shoe.
func shuffledEarly(events []schema.Event, i int) bool {
	if events[i].Payload.Kind() != schema.KindShoeShuffled {
		return false
	}
	for _, ev := range events[i+1:] {
		if ev.ShoeID != "" {
			return ev.ShoeID != events[i].ShoeID
		}
	}
	return false
}

// patronRefs returns the patrons by seat, from their first wagers.
func patronRefs(events []schema.Event) map[uint32]string {
	out := map[uint32]string{}
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.WagerPlaced:
			if out[p.Seat] == "" {
				out[p.Seat] = p.PatronRef
			}
		case *schema.BankerWagered:
			out[p.Seat] = events[i].Actor.ID
		}
	}
	return out
}

func (r *rereading) read(events []schema.Event) error {
	s := r.plan
	start := slices.IndexFunc(events, func(ev schema.Event) bool {
		return ev.Payload.Kind() == schema.KindRoundStarted
	})
	if start < 0 {
		return fmt.Errorf("shoe %s: no round_started", s.ID)
	}
	s.Preparation = slices.Clone(events[:start])
	for i := range s.Preparation {
		if err := r.readPrep(&s.Preparation[i]); err != nil {
			return err
		}
	}
	habits := readHabits(events)
	var cur *roundReader
	next := &roundReader{Round: &shoe.Round{}}
	var marked []shoe.Marker
	for i := start; i < len(events); i++ {
		ev := &events[i]
		switch {
		case ev.Payload.Kind() == schema.KindRoundStarted:
			if n := len(s.Rounds); n > 0 && s.Rounds[n-1].Misdraw != nil {
				next.Carried = s.Rounds[n-1].Misdraw.Remedy == shoe.CarriedOver
			}
			s.Rounds = append(s.Rounds, *next.Round)
			next = &roundReader{Round: &shoe.Round{}}
			cur = &roundReader{Round: &s.Rounds[len(s.Rounds)-1]}
			n := slices.IndexFunc(events[i:], isNoMoreBets)
			if n < 0 {
				return fmt.Errorf("shoe %s round %d: no NO_MORE_BETS", s.ID, ev.Round)
			}
			cur.Bets = slices.Clone(events[i : i+n])
			cur.readBets(habits)
			i += n
		case ev.ShoeID != "" && ev.ShoeID != s.ID:
			next.Shuffled = append(next.Shuffled, *ev)
		case ev.Round > 0:
			if err := cur.readRound(ev); err != nil {
				return fmt.Errorf("shoe %s round %d: %w", s.ID, ev.Round, err)
			}
			if p, ok := ev.Payload.(*schema.VigorishMarked); ok {
				marked = append(marked, shoe.Marker{Wager: p.WagerID, Seat: p.Seat, Amount: p.Amount})
			}
		default:
			if err := next.readBetween(ev, s, &marked); err != nil {
				return fmt.Errorf("shoe %s after round %d: %w", s.ID, len(s.Rounds), err)
			}
		}
	}
	return nil
}

func isNoMoreBets(ev schema.Event) bool {
	p, ok := ev.Payload.(*schema.Announced)
	return ok && p.Code == schema.CallNoMoreBets
}

func (r *rereading) readPrep(ev *schema.Event) error {
	s := r.plan
	switch p := ev.Payload.(type) {
	case *schema.CutcardPlaced:
		if p.Which == 1 {
			s.Behind = int(p.CardsBehind)
		}
	case *schema.ShoeBurned:
		cards, err := shoe.ParseCards(append([]string{p.Indicator}, p.Cards...))
		s.Burn = cards
		return err
	case *schema.CuratorOffered:
		if !p.Accepted {
			s.Declining = append(s.Declining, p.Seat)
		}
	}
	return nil
}

// write writes the shoe from its plan.
func (r *rereading) write() []schema.Event {
	r.w.Prepare(r.plan)
	for i := range r.plan.Rounds {
		r.w.Round(r.plan, i)
	}
	r.w.Finish(r.plan)
	return r.w.Take()
}
