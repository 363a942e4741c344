package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// dealOn takes the player's third card out of the last round, which is void, and deals it in a further round. The
// banker hand draws whatever the player's third card is, so that the cards were too few.
func dealOn(sc *scene) error {
	sc.number = len(sc.plan.Rounds)
	round := sc.roundEvents(func(*schema.Event) bool { return true })
	at := slices.IndexFunc(round, func(ev *schema.Event) bool {
		p, ok := ev.Payload.(*schema.CardDealt)
		return ok && p.Hand == schema.HandPlayer && p.Index == 3
	})
	if at < 0 || sc.plan.Rounds[sc.number-1].Coup.First(shoe.Banker) > 2 {
		return errNotOffered
	}
	third := *round[at]
	c := *third.Payload.(*schema.CardDealt)
	c.Index = 1
	if sc.table.Writer().House.Bucket {
		c.PlacedAt = schema.CardPlaceDealerFront
	}
	third.Payload = &c
	var next []schema.Event
	for i, ev := range round {
		switch p := ev.Payload.(type) {
		case *schema.RoundStarted, *schema.Announced:
			if i < at && !isCount(ev) {
				next = append(next, *ev)
			}
		case *schema.DiscardPlaced:
			p.CardSeqs = slices.DeleteFunc(p.CardSeqs, func(seq uint32) bool { return seq == c.CardSeq })
		case *schema.RoundEnded:
			first := sc.plan.Rounds[sc.number-1].Coup.First(shoe.Player)
			p.PlayerCount, p.CardsDealt = uint32(first), p.CardsDealt-1
		}
	}
	end := *round[len(round)-1]
	next = append(next, third)
	for _, p := range []schema.Payload{
		&schema.RoundVoided{Cause: schema.VoidCauseInsufficientCards},
		&schema.RoundEnded{Result: schema.ResultVoid, PlayerCount: c.ReportedValue, CardsDealt: 1},
		&schema.DiscardPlaced{
			CardSeqs: []uint32{c.CardSeq}, Destination: end.Payload.(*schema.DiscardPlaced).Destination,
			OrderPreserved: true,
		},
	} {
		next = append(next, schema.Event{Payload: p})
	}
	sc.findingRound = uint32(sc.number + 1)
	for i := range next {
		ev := end
		ev.Round, ev.Payload = sc.findingRound, next[i].Payload
		if next[i].Actor.Role != schema.RoleUnspecified {
			ev.Actor = next[i].Actor
		}
		ev.EventID = shoe.EventID(ev.At, shoe.Mix(ev.Seq), uint64(i))
		next[i] = ev
	}
	sc.splice(round[at].Seq, end.Seq, next)
	return nil
}

func isCount(ev *schema.Event) bool {
	p, ok := ev.Payload.(*schema.Announced)
	return ok && p.Code == schema.CallPointCount
}

// splice removes an event, inserts others after a second one, and numbers all again.
func (sc *scene) splice(remove, after uint64, insert []schema.Event) {
	first := sc.events[0].Seq
	var out []schema.Event
	for i := range sc.events {
		if sc.events[i].Seq != remove {
			out = append(out, sc.events[i])
		}
		if sc.events[i].Seq == after {
			out = append(out, insert...)
		}
	}
	for i := range out {
		out[i].Seq = first + uint64(i)
	}
	sc.events = out
}
