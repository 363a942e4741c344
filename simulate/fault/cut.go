package fault

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func cutFaults() []Fault { return append(cutOfferFaults(), recutFaults()...) }

func cutOfferFaults() []Fault {
	nj := njAll()
	return []Fault{
		{
			Rule: "cut.offer-start", Doc: "the cut offered past the entitled participant", Kinds: nj, notInRound: true,
			bend: cut(2, nil),
			edit: func(sc *scene) string {
				return fmt.Sprintf("delete cut_offered seat=%d", sc.plan.CutOffers[0].Seat)
			},
		},
		{
			Rule: "cut.offer-order", Doc: "a participant skipped", Kinds: nj, notInRound: true, bend: cut(3, nil),
			edit: func(sc *scene) string {
				return fmt.Sprintf("delete cut_offered seat=%d", sc.plan.CutOffers[1].Seat)
			},
		},
		{
			Rule: "cut.dealer-only-if-declined", Doc: "the dealer cuts though a participant accepted", Kinds: nj,
			notInRound: true, bend: cut(1, nil),
			edit: editing("set shoe_cut: by_role=DEALER seat=0"),
		},
		{
			Rule: "cut.backs-away-from-dealer", Doc: "the faces turned to the participant who cuts", Kinds: nj,
			notInRound: true, bend: cut(1, nil),
			edit: func(sc *scene) string {
				sc.seat = sc.plan.CutBy
				return "set last cut_offered: backs_away_from_dealer=false"
			},
		},
		{
			Rule: "cut.min-depth", Doc: "cut nine cards from the front", Kinds: nj, notInRound: true,
			bend: func(sc *scene) error { sc.plan.CutDepth = 9; return nil },
		},
		{
			Rule: "cut.front-to-back", Doc: "part of the cut left in front", Kinds: nj, notInRound: true,
			edit: editing("set shoe_transposed: moved_count-=5"),
		},
	}
}

func recutFaults() []Fault {
	nj := njAll()
	plainCut := func(c *schema.TableConfig) { c.Options = nil }
	// recut cuts the stack a second time, by a seat.
	recut := func(seat func(*scene) uint32) func(*scene) error {
		return func(sc *scene) error {
			sc.plan.Recut = &shoe.Recut{Seat: seat(sc), Depth: 77}
			return nil
		}
	}
	return []Fault{
		{
			Rule: "cut.cutcard-depth", Doc: "thirteen cards behind the cutting card", Kinds: nj, notInRound: true,
			cardsBehind: 13,
		},
		{
			Rule: "cut.second-cutcard-at-end", Doc: "three cards behind the second cutting card", Kinds: nj,
			notInRound: true,
			edit:       editing("set cutcard_placed which=2: cards_behind=3"),
		},
		{
			Rule: "cut.cutting-cards-placed", Doc: "no cutting card at the end of the stack", Kinds: nj,
			notInRound: true,
			edit:       editing("delete cutcard_placed which=2"),
		},
		{
			Rule: "cut.recut-made", Doc: "a recut ordered and not made", Kinds: nj, notInRound: true, tune: plainCut,
			edit: editing("insert after shoe_transposed: recut_ordered by_role=SUPERVISOR reason=\"cut not square\""),
		},
		{
			Rule: "cut.recut-window", Doc: "a recut after the first card", Kinds: nj, notInRound: true, tune: plainCut,
			bend: cut(1, nil),
			edit: func(sc *scene) string {
				at := "insert after round=1 card_dealt nth=1: "
				return fmt.Sprintf("%sshoe_cut by_role=PATRON seat=%d depth_from_front=60 stack_size=%d\n"+
					"%srecut_ordered by_role=SUPERVISOR reason=\"cut not square\"",
					at, sc.plan.CutBy, 52*sc.table.Config().Decks, at)
			},
		},
		{
			Rule: "cut.recut-authority", Doc: "a recut ordered by the dealer", Kinds: nj, notInRound: true,
			tune: plainCut,
			bend: cut(1, recut(func(sc *scene) uint32 { return sc.plan.CutBy })),
			edit: editing("set recut_ordered: by_role=DEALER"),
		},
		{
			Rule: "cut.recut-person", Doc: "recut by one who had declined", Kinds: nj, notInRound: true, tune: plainCut,
			// Not the first in turn, with whom the turn may begin again.
			bend: cut(3, recut(func(sc *scene) uint32 { return sc.plan.CutOffers[1].Seat })),
		},
	}
}

// cut demands that a patron cuts after at least so many offers, then bends the plan.
func cut(offers int, bend func(*scene) error) func(*scene) error {
	return func(sc *scene) error {
		switch {
		case sc.plan.CutBy == 0 || len(sc.plan.CutOffers) < offers:
			return errNotOffered
		case bend == nil:
			return nil
		}
		return bend(sc)
	}
}
