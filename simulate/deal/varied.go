package deal

import (
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// take returns the events that were written. A varied table plays them with the lawful acts that are rare.
func (t *Table) take() []schema.Event {
	events := t.w.Take()
	if t.variety == nil || len(events) == 0 {
		return events
	}
	v := varying{
		Table: t, in: events, out: make([]schema.Event, 0, len(events)*5/4), first: events[0].Seq,
		stakes: map[string]int64{}, batches: map[string]bool{},
	}
	for i := range events {
		v.at = i
		v.play(&events[i])
	}
	t.w.Seq = v.first + uint64(len(v.out)) - 1
	return v.out
}

// oneIn is how often an act that a rare lawful act can take the place of is so varied.
const oneIn = 15

// varying plays events with acts between them.
type varying struct {
	*Table
	in, out []schema.Event
	at      int // index of the event that is played
	first   uint64
	// stakes are the stakes of the round by wager.
	stakes map[string]int64
	// mistaken: the round has its mistaken take. batches have been reported in the discard rack.
	mistaken bool
	batches  map[string]bool
	number   uint64
}

func (v *varying) rarely() bool { return v.variety.IntN(oneIn) == 0 }

func (v *varying) put(ev schema.Event) {
	ev.Seq = v.first + uint64(len(v.out))
	v.out = append(v.out, ev)
}

// add adds an act by the actor of an event, with another payload, just before that event's time.
func (v *varying) add(like *schema.Event, p schema.Payload) {
	ev := *like
	ev.Payload = p
	if n := len(v.out); n > 0 {
		ev.At = max(v.out[n-1].At, ev.At-1_000_000)
	}
	v.number++
	ev.EventID = shoe.EventID(ev.At, shoe.Mix(v.o.Seed), ev.Seq<<16+v.number)
	v.put(ev)
}

// again adds an act a second time.
func (v *varying) again(ev *schema.Event) { v.add(ev, ev.Clone().Payload) }

func (v *varying) play(ev *schema.Event) {
	switch p := ev.Payload.(type) {
	case *schema.RoundStarted:
		v.mistaken = !v.rarely()
		clear(v.stakes)
	case *schema.WagerPlaced:
		v.stakes[p.WagerID] = p.Amount
		if !v.w.House.Chemin && v.rarely() {
			v.bet(ev, p)
		}
	case *schema.WagerChanged:
		switch delta := max(p.Delta, -p.Delta); p.Change {
		case schema.WagerChangeRaised:
			v.stakes[p.WagerID] += delta
		case schema.WagerChangeLowered:
			v.stakes[p.WagerID] -= delta
		}
	case *schema.WagerCollected, *schema.WagerPaid, *schema.WagerReturned:
		v.takeByMistake(ev)
		v.settle(ev)
		return
	case *schema.VigorishMarked:
		v.halve(ev, &p.Amount)
	case *schema.VigorishCollected:
		v.halve(ev, &p.Amount)
	default:
		v.call(ev)
	}
	v.put(*ev)
	if p, ok := ev.Payload.(*schema.DiscardPlaced); ok && v.o.Config.AutomatedShuffler {
		v.discard(ev, p)
	}
}

// halve makes an act in two motions, at times.
func (v *varying) halve(ev *schema.Event, amount *int64) {
	if *amount > 1 && v.rarely() {
		v.part(ev, amount, *amount/2)
	}
}

// part makes the first part of an act, and leaves the rest to the act itself.
func (v *varying) part(ev *schema.Event, amount *int64, first int64) {
	rest := *amount - first
	*amount = first
	v.again(ev)
	*amount = rest
}

// bet places another wager before a wager and withdraws it, or raises and lowers it.
func (v *varying) bet(ev *schema.Event, p *schema.WagerPlaced) {
	first := *p
	first.WagerID += "x"
	if first.Medium == schema.WagerMediumVerbalCash {
		return
	}
	v.add(ev, &first)
	if v.variety.IntN(2) == 0 {
		v.add(ev, &schema.WagerChanged{WagerID: first.WagerID, Change: schema.WagerChangeRaised, Delta: 1000})
		v.add(ev, &schema.WagerChanged{WagerID: first.WagerID, Change: schema.WagerChangeLowered, Delta: 500})
	}
	v.add(ev, &schema.WagerChanged{WagerID: first.WagerID, Change: schema.WagerChangeWithdrawn, Delta: first.Amount})
}

// takeByMistake takes a wager that won or pushes before the first settlement of the round, and puts it back.
func (v *varying) takeByMistake(ev *schema.Event) {
	if v.mistaken {
		return
	}
	v.mistaken = true
	for _, later := range v.in[v.at:] {
		if later.Round != ev.Round || later.ShoeID != ev.ShoeID {
			return
		}
		if p, ok := later.Payload.(*schema.WagerPaid); ok && v.stakes[p.WagerID] > 0 {
			stake := v.stakes[p.WagerID]
			v.add(ev, &schema.WagerCollected{WagerID: p.WagerID, Seat: p.Seat, Amount: stake})
			v.add(ev, &schema.WagerReturned{WagerID: p.WagerID, Seat: p.Seat, Amount: stake})
			return
		}
	}
}

// settle settles a wager, at times in two motions or with a payment that is put right.
func (v *varying) settle(ev *schema.Event) {
	var amount *int64
	switch p := ev.Payload.(type) {
	case *schema.WagerCollected:
		amount = &p.Amount
	case *schema.WagerReturned:
		amount = &p.Amount
	case *schema.WagerPaid:
		amount = &p.Amount
		if v.rarely() {
			v.put(*ev)
			v.putRight(ev, p)
			return
		}
	}
	if *amount > 1 && v.rarely() {
		v.part(ev, amount, 1+v.variety.Int64N(*amount-1))
	}
	v.put(*ev)
}

// putRight takes back what was paid by mistake at the seat that was just paid: to a wager that lost, or too much.
func (v *varying) putRight(ev *schema.Event, p *schema.WagerPaid) {
	id, amount := p.WagerID, int64(100)
	for i := len(v.out) - 1; i >= 0 && v.out[i].Round == ev.Round; i-- {
		if c, ok := v.out[i].Payload.(*schema.WagerCollected); ok && c.Seat == p.Seat && v.variety.IntN(2) == 0 {
			id, amount = c.WagerID, c.Amount
			break
		}
	}
	v.add(ev, &schema.WagerPaid{WagerID: id, Seat: p.Seat, Amount: amount})
	v.add(ev, &schema.WagerCollected{WagerID: id, Seat: p.Seat, Amount: amount})
}

// call repeats a call, an offer or a report, or precedes it by a mistaken one.
func (v *varying) call(ev *schema.Event) {
	if !v.rarely() {
		return
	}
	if v.variety.IntN(3) == 0 {
		if first := v.mistake(ev.Payload); first != nil {
			v.add(ev, first)
			return
		}
	}
	switch ev.Payload.(type) {
	case *schema.Announced, *schema.RoundEnded, *schema.DealInstructed, *schema.CutOffered, *schema.CuratorOffered,
		*schema.CuratorAssigned, *schema.SqueezeOffered, *schema.CardRevealed, *schema.LayoutAttested,
		*schema.VerbalConfirmed, *schema.BatchReported, *schema.NoticeFiled, *schema.NoticePosted:
		v.again(ev)
	default:
	}
}

// mistake is a mistaken form of a call, which the right one corrects; nil for other acts.
func (v *varying) mistake(of schema.Payload) schema.Payload {
	another := func(count uint32) uint32 { return (count + 1 + v.variety.Uint32N(9)) % 10 }
	switch p := of.(type) {
	case *schema.Announced:
		if p.Code == schema.CallPointCount || p.Code == schema.CallFinalCount {
			wrong := *p
			wrong.Value = another(p.Value)
			return &wrong
		}
	case *schema.RoundEnded:
		wrong := *p
		wrong.PlayerCount = another(p.PlayerCount)
		return &wrong
	case *schema.DealInstructed:
		wrong := *p
		wrong.Instruction = schema.InstructionDraw + schema.InstructionStay - p.Instruction
		return &wrong
	}
	return nil
}

// discard reports the batch in play in the discard rack, when its first cards lie there.
func (v *varying) discard(ev *schema.Event, p *schema.DiscardPlaced) {
	if v.batches[ev.ShoeID] || len(p.CardSeqs) == 0 {
		return
	}
	v.batches[ev.ShoeID] = true
	after := *ev
	after.ShoeID, after.Round = "", 0
	after.Actor, after.Source, after.Video = schema.Actor{Role: schema.RoleFloorperson, ID: v.w.Floorperson},
		v.w.Devices[schema.SourceKindPit], schema.Video{}
	v.add(&after, &schema.BatchReported{
		BatchID: v.w.Batch, DeckCount: v.o.Config.Decks, BackColor: v.w.BackColor,
		State: schema.BatchStateInDiscardRack,
	})
}
