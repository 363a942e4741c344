package fault

import (
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func lastHandFaults() []Fault {
	sighted := func(sc *scene) { sc.findingRound = uint32(len(sc.plan.Rounds)) - 1 }
	return []Fault{
		{
			Rule: "lasthand.cutcard-seen", Doc: "the cutting card is passed and not reported", Kinds: punto(),
			notInRound: true,
			edit: editing("set cutcard_placed which=1: cards_behind+=20\ndelete cutcard_seen\n" +
				"delete announced code=LAST_HAND"),
		},
		{
			Rule: "lasthand.cutcard-aside", Doc: "the cutting card is put back", Kinds: punto(),
			edit: func(sc *scene) string { sighted(sc); return "set cutcard_seen: set_aside=false" },
		},
		{
			Rule: "lasthand.announced", Doc: "the last hand is not announced", Kinds: punto(),
			edit: func(sc *scene) string { sighted(sc); sc.findingRound++; return "delete announced code=LAST_HAND" },
		},
		{
			Rule: "lasthand.one-more-only", Doc: "a round more than the last hand", Kinds: punto(),
			late: func(sc *scene) error {
				r := sc.plan.Rounds[len(sc.plan.Rounds)-1]
				sc.plan.AddRound()
				last := &sc.plan.Rounds[len(sc.plan.Rounds)-1]
				last.Coup = shoe.DealCoup(sc.plan.Rest)
				last.Void = r.Void
				sc.findingRound = uint32(len(sc.plan.Rounds))
				return nil
			},
		},
		{
			Rule: "lasthand.final-hand-skipped", Doc: "the cards are shuffled without the last hand", Kinds: punto(),
			late: func(sc *scene) error {
				sighted(sc)
				if len(sc.plan.Rounds[len(sc.plan.Rounds)-1].Seating) > 0 {
					return errNotOffered
				}
				sc.plan.Rounds = sc.plan.Rounds[:len(sc.plan.Rounds)-1]
				return nil
			},
			// The announced hand is never dealt.
			edit: editing("insert before shoe_ended: announced code=LAST_HAND"),
		},
	}
}
