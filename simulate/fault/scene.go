package fault

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// scene is the shoe and the round in which a fault is planted.
type scene struct {
	table  *deal.Table
	plan   *shoe.Plan
	round  *shoe.Round
	index  int // of the round in the plan
	number int // of the round, from 1
	// stake is the wager at issue, if the fault has one; otherStake is a second wager.
	stake, otherStake *shoe.Stake
	events            []schema.Event
	findingRound      uint32 // round of the finding, if it is not number
	seat              uint32
	emptySpot         schema.Spot // on which the fault needs no wager
	previousCards     []shoe.Card // cards of the shoe before, in order
}

// play plans the shoe around the fault and writes it.
func (sc *scene) play(f *Fault, rounds int) error {
	var ids [2]string
	wish := &deal.Wish{Round: sc.index, CardsBehind: f.cardsBehind}
	wish.Wagers = func(r *shoe.Round) {
		sc.round = r
		if f.wagers != nil {
			f.wagers(sc)
		}
	}
	wish.Accept = func(r *shoe.Round) bool { return f.accept == nil || f.accept(sc, &r.Coup) }
	if f.cardsBehind > 0 {
		rounds = 0
	}
	var err error
	if sc.plan, err = sc.table.Plan(rounds, wish); err != nil {
		return errNotOffered
	}
	// The plan has copies of what the wish changed.
	old := sc.round
	sc.round = &sc.plan.Rounds[sc.index]
	for i, st := range []*shoe.Stake{sc.stake, sc.otherStake} {
		if st != nil {
			ids[i] = sc.stakeID(old, st)
		}
	}
	sc.stake, sc.otherStake = sc.stakeByID(ids[0]), sc.stakeByID(ids[1])
	sc.plan.RoundsUpOutstanding, sc.round.VigorishTogether = false, false
	if f.bend != nil {
		if err := f.bend(sc); err != nil {
			return err
		}
	}
	sc.round = &sc.plan.Rounds[sc.index]
	if total := int(sc.table.Config().Decks) * 52; f.cardsBehind == 0 {
		sc.plan.PlaceCuttingCard(total, sc.table.Rand().IntN(5))
	}
	if f.late != nil {
		if err := f.late(sc); err != nil {
			return err
		}
	}
	sc.table.Write(sc.plan)
	return nil
}

func (sc *scene) stakeID(r *shoe.Round, st *shoe.Stake) string {
	for i := range r.Stakes {
		if a := &r.Stakes[i]; a.Seat == st.Seat && a.Spot == st.Spot && a.Amount == st.Amount && a.Patron == st.Patron {
			return a.ID
		}
	}
	return ""
}

func (sc *scene) stakeByID(id string) *shoe.Stake {
	for i := range sc.round.Stakes {
		if sc.round.Stakes[i].ID == id && id != "" {
			return &sc.round.Stakes[i]
		}
	}
	return nil
}

func (sc *scene) edit(f *Fault) error {
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
		return errNotOffered
	}
	edits, err := script.Parse(text)
	if err != nil {
		return fmt.Errorf("edit %q: %w", text, err)
	}
	if sc.events, err = edits.Apply(sc.events); err != nil {
		return fmt.Errorf("edit %q: %w", text, err)
	}
	return nil
}

// takeRest removes a card that meets a condition from the cards that stay in the shoe.
func (sc *scene) takeRest(ok func(shoe.Card) bool) (shoe.Card, error) {
	for i, c := range sc.plan.Rest {
		if ok(c) {
			sc.plan.Rest = slices.Delete(slices.Clone(sc.plan.Rest), i, i+1)
			return c, nil
		}
	}
	return 0, errNotOffered
}

// roundEvents returns the events of the round at issue that meet a condition.
func (sc *scene) roundEvents(ok func(*schema.Event) bool) []*schema.Event {
	var out []*schema.Event
	for i := range sc.events {
		if ev := &sc.events[i]; ev.ShoeID == sc.plan.ID && ev.Round == uint32(sc.number) && ok(ev) {
			out = append(out, ev)
		}
	}
	return out
}

// inRound returns a selector of events of the round at issue.
func (sc *scene) inRound(format string, args ...any) string {
	return fmt.Sprintf("round=%d ", sc.number) + fmt.Sprintf(format, args...)
}

// addStake adds a wager of an exact amount for a patron with a main wager, except at the seats given; nil if there is
// no such patron.
func (sc *scene) addStake(spot schema.Spot, amount int64, not ...uint32) *shoe.Stake {
	for i := range sc.round.Stakes {
		st := &sc.round.Stakes[i]
		main := st.Spot == schema.SpotBanker || st.Spot == schema.SpotPlayer
		if !main || st.Withdrawn || slices.Contains(not, st.Seat) || strings.HasSuffix(st.Patron, "b") {
			continue
		}
		return sc.addStakeFor(st, spot, amount)
	}
	for _, p := range sc.table.Patrons() {
		if !slices.Contains(not, p.Seat) {
			st := &shoe.Stake{Seat: p.Seat, Patron: p.Ref, Exact: p.ExactVigorish, Deferred: p.DefersVigorish}
			if sc.table.Config().SupplementalRequiresMain && spot > schema.SpotTie {
				sc.addStakeFor(st, schema.SpotPlayer, 5100)
			}
			return sc.addStakeFor(st, spot, amount)
		}
	}
	return nil
}

// addStakeFor adds a wager for the patron of another wager and removes that patron's wagers on the same spot.
func (sc *scene) addStakeFor(st *shoe.Stake, spot schema.Spot, amount int64) *shoe.Stake {
	c := sc.table.Config().Vigorish
	marks := c.Timing == schema.VigorishTimingDeferred || c.Timing == schema.VigorishTimingMixed && st.Deferred
	next := shoe.Stake{
		Seat: st.Seat, Patron: st.Patron, Spot: spot, Amount: amount, Medium: schema.WagerMediumChips, Deferred: marks,
		Exact: c.Unit == 0 || st.Exact,
	}
	sc.round.Stakes = slices.DeleteFunc(sc.round.Stakes, func(x shoe.Stake) bool {
		return x.Seat == next.Seat && x.Spot == spot
	})
	sc.round.Stakes = append(sc.round.Stakes, next)
	return &next
}
