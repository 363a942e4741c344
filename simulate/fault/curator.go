package fault

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
)

// dealingSeat returns the seat that deals the round at issue.
func (sc *scene) dealingSeat() uint32 {
	cards := sc.roundEvents(func(ev *schema.Event) bool { return ev.Payload.Kind() == schema.KindCardDealt })
	return cards[0].Payload.(*schema.CardDealt).BySeat
}

// otherSeat returns a seat with a wager in the round at issue, other than the seat given.
func (sc *scene) otherSeat(seat uint32) uint32 {
	for i := range sc.round.Stakes {
		if s := sc.round.Stakes[i].Seat; s != seat {
			return s
		}
	}
	return 0
}

// strangeHand is the edit that lets another seat draw a card of the round at issue.
func strangeHand(sc *scene) string {
	if sc.seat = sc.otherSeat(sc.dealingSeat()); sc.seat == 0 {
		return ""
	}
	return "set " + sc.inRound("card_dealt hand=PLAYER index=2: by_seat=%d", sc.seat)
}

// skipped deletes the first offer of the shoe that was declined, at the start or after a release. An event between
// two rounds belongs to the round before, an event before the first round to the first.
func skipped(released bool) func(*scene) string {
	return func(sc *scene) string {
		after := false
		for i := range sc.events {
			ev := &sc.events[i]
			switch p := ev.Payload.(type) {
			case *schema.CuratorPassed:
				after = true
			case *schema.CuratorOffered:
				if !p.Accepted && after == released && ev.ShoeID == sc.plan.ID &&
					(!released || upcoming(sc.events[i:]) > 1) {
					next := sc.events[i+1].Payload.(*schema.CuratorOffered)
					sc.seat, sc.findingRound = next.Seat, max(upcoming(sc.events[i:])-1, 1)
					return fmt.Sprintf("delete seq=%d curator_offered", ev.Seq)
				}
				if !released {
					return ""
				}
				after = false
			}
		}
		return ""
	}
}

// upcoming returns the number of the next round.
func upcoming(events []schema.Event) uint32 {
	for i := range events {
		if events[i].Payload.Kind() == schema.KindRoundStarted {
			return events[i].Round
		}
	}
	return 0
}

func curatorFaults() []Fault {
	kinds := punto()
	return []Fault{
		{
			Rule: "curator.initial-offer", Doc: "the shoe offered past the first seat", Kinds: kinds,
			edit: skipped(false),
		},
		{Rule: "curator.only-curator-deals", Doc: "another patron draws", Kinds: kinds, edit: strangeHand},
		{
			Rule: "curator.must-pass", Doc: "the shoe kept after the banker hand lost", Kinds: kinds, accept: playerWon,
			bend: func(sc *scene) error {
				next := &sc.plan.Rounds[sc.index+1]
				if next.PassesShoe || len(next.Seating) > 0 {
					return errNotOffered
				}
				sc.round.KeepsShoe = true
				return nil
			},
			alter: func(sc *scene) error { sc.seat = sc.dealingSeat(); return nil },
		},
		{
			Rule: "curator.ordered-pass-grounds", Doc: "a curator removed without a ground", Kinds: kinds,
			bend: func(sc *scene) error { sc.round.PassesShoe = true; return nil },
			edit: func(sc *scene) string {
				var pass *schema.Event
				for i := range sc.events {
					ev := &sc.events[i]
					p, ok := ev.Payload.(*schema.CuratorPassed)
					if ok && ev.ShoeID == sc.plan.ID && p.Cause == schema.PassCauseVoluntary &&
						upcoming(sc.events[i:]) == uint32(sc.number) {
						pass, sc.seat = ev, p.Seat
					}
				}
				if pass == nil {
					return ""
				}
				sc.findingRound = uint32(sc.number) - 1
				return fmt.Sprintf("set seq=%d curator_passed: cause=ORDERED ordered_by_role=FLOORPERSON", pass.Seq)
			},
		},
		{
			Rule: "curator.pass-between-rounds", Doc: "the shoe passed after the second card", Kinds: kinds,
			bend:  func(sc *scene) error { sc.round.PassAt = 2; return nil },
			alter: func(sc *scene) error { sc.seat = sc.dealingSeat(); return nil },
		},
		{
			Rule: "curator.next-offer", Doc: "the right-hand neighbour skipped", Kinds: kinds,
			bend: func(sc *scene) error { sc.round.PassesShoe = true; return nil },
			edit: skipped(true),
		},
	}
}
