package fault

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func dealFaults() []Fault {
	return slices.Concat(orderOfDealFaults(), thirdCardFaults(), touchFaults())
}

func orderOfDealFaults() []Fault {
	every := anyTable()
	minis := append(append(njMini(), nyAll()...), "nj-mini-tie25")
	up := func(c *schema.TableConfig) { c.DealingStyle = schema.DealingStyleFaceUp }
	return []Fault{
		{
			Rule: "deal.dealer-duties", Doc: "a patron announces no more bets", Kinds: anyTable(),
			edit: func(sc *scene) string {
				return "set " + sc.inRound("announced code=NO_MORE_BETS: actor.role=PATRON")
			},
		},
		{
			Rule: "deal.no-more-bets-first", Doc: "a silent deal", Kinds: every,
			edit: func(sc *scene) string { return "delete " + sc.inRound("announced code=NO_MORE_BETS") },
		},
		{
			Rule: "deal.cards-command", Doc: "the curator deals without the command", Kinds: punto(),
			edit: func(sc *scene) string { return "delete " + sc.inRound("announced code=CARDS") },
		},
		{
			Rule: "deal.initial-order", Doc: "two cards in a row to one hand", Kinds: every,
			bend: func(sc *scene) error { sc.round.InRow = true; return nil },
		},
		{
			Rule: "deal.place-face-up", Doc: "a card left face down", Kinds: punto(),
			edit: func(sc *scene) string { return "set " + sc.inRound("card_dealt hand=BANKER index=2: face=DOWN") },
		},
		{
			Rule: "deal.style-consistent", Doc: "a banker card turned before the player's hand is called", Kinds: minis,
			tune: func(c *schema.TableConfig) { c.DealingStyle = schema.DealingStyleFaceDown },
			edit: func(sc *scene) string {
				cards := sc.roundEvents(func(ev *schema.Event) bool {
					p, ok := ev.Payload.(*schema.CardDealt)
					return ok && p.Hand == schema.HandBanker && p.Index == 2
				})
				return "move " +
					sc.inRound("card_revealed card_seq=%d before ", cards[0].Payload.(*schema.CardDealt).CardSeq) +
					sc.inRound("announced code=POINT_COUNT hand=PLAYER")
			},
		},
		{
			Rule: "deal.left-hand-draw", Doc: "a card drawn with the right hand", Kinds: minis, tune: up,
			edit: func(sc *scene) string {
				return "set " + sc.inRound("card_dealt hand=PLAYER index=1: drawing_hand=RIGHT")
			},
		},
	}
}

func thirdCardFaults() []Fault {
	minis := append(append(njMini(), nyAll()...), "nj-mini-tie25")
	return []Fault{
		{
			Rule: "deal.by-dealer", Doc: "a patron draws from the shoe", Kinds: minis,
			edit: func(sc *scene) string {
				return "set " + sc.inRound("card_dealt hand=PLAYER index=2: by_role=PATRON")
			},
		},
		{
			Rule: "deal.third-card-face", Doc: "a third card put face down and turned at once",
			Kinds:  append(punto(), nyAll()...),
			accept: func(_ *scene, c *shoe.Coup) bool { return c.Size(shoe.Player) == 3 },
			edit: func(sc *scene) string {
				cards := sc.roundEvents(func(ev *schema.Event) bool {
					p, ok := ev.Payload.(*schema.CardDealt)
					return ok && p.Hand == schema.HandPlayer && p.Index == 3
				})
				third := sc.inRound("card_dealt hand=PLAYER index=3")
				return fmt.Sprintf("set %s: face=DOWN\ninsert after %s: card_revealed card_seq=%d by_role=DEALER",
					third, third, cards[0].Payload.(*schema.CardDealt).CardSeq)
			},
		},
		{
			Rule: "deal.third-card-order", Doc: "the banker's third card comes first",
			Kinds:  append(punto(), nyAll()...),
			accept: bothDrew,
			bend:   func(sc *scene) error { sc.round.BankerFirst = true; return nil },
		},
		{
			Rule: "deal.max-one-extra", Doc: "a fourth card", Kinds: anyTable(),
			accept: bothDrew,
			bend:   extra(shoe.Player, func(_ *shoe.Coup, x shoe.Card) bool { return x.Value() == 0 }),
		},
		{
			Rule: "deal.instruction-conformity", Doc: "the wrong call and the right cards", Kinds: punto(),
			accept: bankerDrew,
			edit: func(sc *scene) string {
				return "set " + sc.inRound("deal_instructed hand=BANKER: instruction=STAY")
			},
		},
		{
			Rule: "deal.instruction-followed", Doc: "the curator draws unasked", Kinds: punto(), accept: bankerDrew,
			edit: func(sc *scene) string { return "delete " + sc.inRound("deal_instructed hand=BANKER") },
		},
	}
}

func touchFaults() []Fault {
	return []Fault{
		{
			Rule: "deal.participant-touched-cards", Doc: "a patron lifts a card", Kinds: nyAll(),
			edit: func(sc *scene) string {
				sc.seat = sc.round.Stakes[0].Seat
				return "insert after " +
					sc.inRound("card_dealt hand=PLAYER index=2: card_touched by_role=PATRON seat=%d", sc.seat)
			},
		},
		{
			Rule: "deal.touch-permitted", Doc: "the dealer lets a patron lift a card", Kinds: nyAll(),
			Beside: []string{"deal.participant-touched-cards"},
			edit: func(sc *scene) string {
				sc.seat = sc.round.Stakes[0].Seat
				return "insert after " + sc.inRound("card_dealt hand=PLAYER index=2: ") +
					fmt.Sprintf("card_touched by_role=PATRON seat=%d permitted_by=DEALER", sc.seat)
			},
		},
	}
}
