package simulate

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

func drawFaults() []Fault {
	kinds := append(punto(), minis()...)
	return []Fault{
		{
			Rule: "draw.natural.no-more-cards", Doc: "the player draws against a banker natural", Kinds: kinds,
			accept: func(_ *scene, c *coup) bool {
				return c.natural(banker) && !c.natural(player) && playerDraws(c.first(player))
			},
			bend: extra(player, nil),
		},
		{
			Rule: "draw.player.third-card", Doc: "the player stands on 5 or less", Kinds: kinds,
			accept: func(_ *scene, c *coup) bool { return noNatural(c) && playerDraws(c.first(player)) },
			bend: func(sc *scene) error {
				for h := range 2 {
					sc.r.coup.hands[h] = sc.r.coup.hands[h][:2]
				}
				return nil
			},
		},
		{
			Rule: "draw.player.must-stay", Doc: "the player draws on 6 or 7", Kinds: kinds,
			accept: func(_ *scene, c *coup) bool { return c.cards() == 4 && noNatural(c) },
			bend: extra(player, func(c *coup, x card) bool {
				return !bankerDraws(c.first(banker), x.value())
			}),
		},
		{
			Rule: "draw.banker.no-third", Doc: "the banker stands on 5 or less beside a standing player", Kinds: kinds,
			accept: func(_ *scene, c *coup) bool { return c.size(player) == 2 && c.size(banker) == 3 },
			bend:   drop(banker),
		},
		{
			Rule: "draw.banker.must-draw", Doc: "the banker stands where the table says draw", Kinds: kinds,
			accept: func(_ *scene, c *coup) bool { return c.cards() == 6 }, bend: drop(banker),
		},
		{
			Rule: "draw.banker.must-stay", Doc: "the banker draws where the table says stay", Kinds: kinds,
			accept: func(_ *scene, c *coup) bool { return c.size(player) == 3 && c.size(banker) == 2 },
			bend:   extra(banker, nil),
		},
	}
}

// extra gives a hand one more card, from those that stay in the shoe. The round is then settled for
// the cards as dealt.
func extra(h int, ok func(*coup, card) bool) func(*scene) error {
	return func(sc *scene) error {
		c := &sc.r.coup
		x, err := sc.takeRest(func(x card) bool {
			if ok != nil && !ok(c, x) {
				return false
			}
			after := *c
			after.hands[h] = append(slices.Clip(after.hands[h]), x)
			return plain(&after)
		})
		c.hands[h] = append(c.hands[h], x)
		return err
	}
}

// drop leaves a hand its first two cards.
func drop(h int) func(*scene) error {
	return func(sc *scene) error {
		sc.r.coup.hands[h] = sc.r.coup.hands[h][:2]
		return nil
	}
}

func bothDrew(_ *scene, c *coup) bool { return c.cards() == 6 && plain(c) }

func bankerDrew(_ *scene, c *coup) bool { return c.size(banker) == 3 }

func dealFaults() []Fault {
	every := append(append(punto(), njMini()...), append(nyAll(), "nj-mini-tie25")...)
	minis := append(append(njMini(), nyAll()...), "nj-mini-tie25")
	up := func(c *schema.TableConfig) { c.DealingStyle = schema.DealingStyleFaceUp }
	return []Fault{
		{
			Rule: "deal.no-more-bets-first", Doc: "a silent deal", Kinds: every,
			edit: func(sc *scene) string { return "delete " + sc.on("announced code=NO_MORE_BETS") },
		},
		{
			Rule: "deal.cards-command", Doc: "the curator deals without the command", Kinds: punto(),
			edit: func(sc *scene) string { return "delete " + sc.on("announced code=CARDS") },
		},
		{
			Rule: "deal.initial-order", Doc: "two cards in a row to one hand", Kinds: every,
			bend: func(sc *scene) error { sc.r.inRow = true; return nil },
		},
		{
			Rule: "deal.place-face-up", Doc: "a card left face down", Kinds: punto(),
			edit: func(sc *scene) string { return "set " + sc.on("card_dealt hand=BANKER index=2: face=DOWN") },
		},
		{
			Rule: "deal.style-consistent", Doc: "a banker card turned before the player's hand is called", Kinds: minis,
			tune: func(c *schema.TableConfig) { c.DealingStyle = schema.DealingStyleFaceDown },
			edit: func(sc *scene) string {
				cards := sc.steps(func(ev *schema.Event) bool {
					p, ok := ev.Payload.(*schema.CardDealt)
					return ok && p.Hand == schema.HandBanker && p.Index == 2
				})
				return "move " + sc.on("card_revealed card_seq=%d before ", cards[0].Payload.(*schema.CardDealt).CardSeq) +
					sc.on("announced code=POINT_COUNT hand=PLAYER")
			},
		},
		{
			Rule: "deal.left-hand-draw", Doc: "a card drawn with the right hand", Kinds: minis, tune: up,
			edit: func(sc *scene) string {
				return "set " + sc.on("card_dealt hand=PLAYER index=1: drawing_hand=RIGHT")
			},
		},
		{
			Rule: "deal.by-dealer", Doc: "a patron draws from the shoe", Kinds: minis,
			edit: func(sc *scene) string { return "set " + sc.on("card_dealt hand=PLAYER index=2: by_role=PATRON") },
		},
		{
			Rule: "deal.third-card-face", Doc: "a third card put face down and turned at once", Kinds: append(punto(), nyAll()...),
			accept: func(_ *scene, c *coup) bool { return c.size(player) == 3 },
			edit: func(sc *scene) string {
				cards := sc.steps(func(ev *schema.Event) bool {
					p, ok := ev.Payload.(*schema.CardDealt)
					return ok && p.Hand == schema.HandPlayer && p.Index == 3
				})
				third := sc.on("card_dealt hand=PLAYER index=3")
				return fmt.Sprintf("set %s: face=DOWN\ninsert after %s: card_revealed card_seq=%d by_role=DEALER",
					third, third, cards[0].Payload.(*schema.CardDealt).CardSeq)
			},
		},
		{
			Rule: "deal.third-card-order", Doc: "the banker's third card comes first", Kinds: append(punto(), nyAll()...),
			accept: bothDrew,
			bend:   func(sc *scene) error { sc.r.bankerFirst = true; return nil },
		},
		{
			Rule: "deal.max-one-extra", Doc: "a fourth card", Kinds: every,
			accept: bothDrew,
			bend:   extra(player, func(_ *coup, x card) bool { return x.value() == 0 }),
		},
		{
			Rule: "deal.instruction-conformity", Doc: "the wrong call and the right cards", Kinds: punto(), accept: bankerDrew,
			edit: func(sc *scene) string { return "set " + sc.on("deal_instructed hand=BANKER: instruction=STAY") },
		},
		{
			Rule: "deal.instruction-followed", Doc: "the curator draws unasked", Kinds: punto(), accept: bankerDrew,
			edit: func(sc *scene) string { return "delete " + sc.on("deal_instructed hand=BANKER") },
		},
		{
			Rule: "deal.participant-touched-cards", Doc: "a patron lifts a card", Kinds: nyAll(),
			edit: func(sc *scene) string {
				sc.seat = sc.r.stakes[0].seat
				return "insert after " + sc.on("card_dealt hand=PLAYER index=2: card_touched by_role=PATRON seat=%d", sc.seat)
			},
		},
	}
}

func countFaults() []Fault {
	every := append(append(punto(), njMini()...), append(nyAll(), "nj-mini-tie25")...)
	return []Fault{
		{
			Rule: "count.card-values", Doc: "a face card or ten reported as 10", Kinds: every,
			accept: func(_ *scene, c *coup) bool { return c.hands[player][0].value() == 0 },
			edit: func(sc *scene) string {
				return "set " + sc.on("card_dealt hand=PLAYER index=1: reported_value=10")
			},
		},
		{
			Rule: "count.point-count", Doc: "the system of record stores the sum instead of the count", Kinds: every,
			edit: func(sc *scene) string { return "set " + sc.on("round_ended: banker_count+=10") },
		},
	}
}

func lastHandFaults() []Fault {
	sighted := func(sc *scene) { sc.round = uint32(len(sc.s.rounds)) - 1 }
	return []Fault{
		{
			Rule: "lasthand.cutcard-aside", Doc: "the cutting card is put back", Kinds: punto(),
			edit: func(sc *scene) string { sighted(sc); return "set cutcard_seen: set_aside=false" },
		},
		{
			Rule: "lasthand.announced", Doc: "the last hand is not announced", Kinds: punto(),
			edit: func(sc *scene) string { sighted(sc); sc.round++; return "delete announced code=LAST_HAND" },
		},
		{
			Rule: "lasthand.one-more-only", Doc: "a round more than the last hand", Kinds: punto(),
			late: func(sc *scene) error {
				r := sc.s.rounds[len(sc.s.rounds)-1]
				sc.s.AddRound()
				last := &sc.s.rounds[len(sc.s.rounds)-1]
				last.coup = dealCoup(sc.s.rest)
				last.void = r.void
				sc.round = uint32(len(sc.s.rounds))
				return nil
			},
		},
		{
			Rule: "lasthand.final-hand-skipped", Doc: "the cards are shuffled without the last hand", Kinds: punto(),
			late: func(sc *scene) error {
				sighted(sc)
				if len(sc.s.rounds[len(sc.s.rounds)-1].seating) > 0 {
					return errElsewhere
				}
				sc.s.rounds = sc.s.rounds[:len(sc.s.rounds)-1]
				return nil
			},
			// The announcement of the hand that is never dealt.
			edit: editing("insert before shoe_ended: announced code=LAST_HAND"),
		},
	}
}
