package simulate

import (
	"github.com/shoeproof/shoeproof/schema"
)

func shoeFaults() []Fault {
	nj := append(append(punto(), njMini()...), "nj-mini-tie25")
	every := append(nj, nyAll()...)
	plainDecks := append(only("nj-punto", "pair-punto", "nj-mini", "pair-mini", "nj-mini-tie25"), nyAll()...)
	decks := func(n uint32) func(*schema.TableConfig) { return func(c *schema.TableConfig) { c.Decks = n } }
	return []Fault{
		{Rule: "shoe.decks.min", Doc: "five decks", Kinds: plainDecks, tune: decks(5), wide: true, alone: true},
		{
			Rule: "shoe.decks.royal-eight", Doc: "the royal bonus is offered over six decks", Kinds: only("treasures-punto", "treasures-mini"), wide: true, alone: true,
			tune: func(c *schema.TableConfig) {
				c.Decks, c.SideBets, c.PayTables = 6, []schema.SideBet{schema.SideBetRoyal}, nil
				for _, spot := range []string{"FORTUNE_7", "GOLDEN_8", "COVER_ALL"} {
					delete(c.PostedOdds, spot)
				}
			},
		},
		{
			Rule: "shoe.decks.treasures-six-or-eight", Doc: "5 Treasures over seven decks", Kinds: only("treasures-punto", "treasures-mini"),
			tune: decks(7), wide: true, alone: true,
		},
		{
			Rule: "shoe.cutting-cards.count", Doc: "one cutting card loaded", Kinds: every, wide: true,
			edit: editing("set shoe_loaded: cutting_cards=1"),
		},
		{
			Rule: "shoe.cutting-cards.appearance", Doc: "a cutting card of the wrong look", wide: true, alone: true,
			Kinds: append(append(punto(), "treasures-mini"), nyAll()...),
			edit:  editing("set layout_attested item=cutting-card-appearance: present=false"),
		},
		{
			Rule: "shoe.backs.uniform", Doc: "a card with a foreign back", Kinds: every,
			edit: func(sc *scene) string { return "set " + sc.on("card_dealt hand=BANKER index=1: back_color=blue") },
		},
		{
			Rule: "shoe.device.dealing-shoe", Doc: "dealt from the hand", Kinds: every, wide: true,
			edit: editing("set shoe_loaded: device=OTHER"),
		},
		{
			Rule: "shoe.location.left-of-dealer", Doc: "the shoe on the wrong side", Kinds: append(njMini(), "nj-mini-tie25"), wide: true,
			edit: editing("set shoe_loaded: location=dealer-right"),
		},
		{
			Rule: "shoe.composition.no-excess-copies", Doc: "one more king of spades than there are decks", Kinds: nj, wide: true,
			bend: func(sc *scene) error {
				n := int(sc.t.Config().Decks)
				// The indicator is a ten, so that ten more are shown.
				indicator, err := sc.takeRest(func(c card) bool { return c.rank() == 10 })
				if err != nil {
					return err
				}
				king := card(52)
				sc.s.burn = []card{indicator}
				for len(sc.s.burn) < n+2 {
					sc.s.burn = append(sc.s.burn, king)
				}
				for len(sc.s.burn) < 11 {
					c, err := sc.takeRest(func(c card) bool { return c != king })
					if err != nil {
						return err
					}
					sc.s.burn = append(sc.s.burn, c)
				}
				return nil
			},
		},
		{
			Rule: "shoe.count.conservation", Doc: "the shoe comes up one card short", Kinds: every, wide: true,
			edit: editing("set shoe_ended: remaining-=1"),
		},
		{
			Rule: "shoe.burn.count", Doc: "one card too few burned", Kinds: every, wide: true,
			bend: func(sc *scene) error {
				sc.s.burn = sc.s.burn[:len(sc.s.burn)-1]
				return nil
			},
		},
		{
			Rule: "shoe.burn.once-before-play", Doc: "no burn", Kinds: every, wide: true,
			bend: func(sc *scene) error { sc.s.burn = nil; return nil },
		},
		{
			Rule: "shoe.burn.shown", Doc: "burned cards not shown", Kinds: every, wide: true,
			edit: func(sc *scene) string {
				if sc.t.Writer().house.ny {
					return "set shoe_burned: shown=NONE"
				}
				return "set shoe_burned: shown=FIRST_ONLY"
			},
		},
		{
			Rule: "shoe.burn.destination", Doc: "burned cards in the wrong place", Kinds: nj, wide: true,
			edit: func(sc *scene) string {
				if sc.t.Writer().house.punto {
					return "set shoe_burned: destination=RACK"
				}
				return "set shoe_burned: destination=BUCKET"
			},
		},
	}
}

func wagerFaults() []Fault {
	nj := append(append(punto(), njMini()...), "nj-mini-tie25")
	every := append(nj, nyAll()...)
	cash := func(sc *scene) error { sc.st.medium = schema.WagerMediumVerbalCash; return nil }
	return []Fault{
		{
			Rule: "wager.type-permitted", Doc: "a side bet that is not offered", Kinds: every,
			bets: func(sc *scene) {
				sc.st = sc.lay(schema.SpotOther, 500)
				sc.r.stakes[len(sc.r.stakes)-1].name = "small"
			},
		},
		{
			Rule: "wager.after-no-more-bets", Doc: "a late bet", Kinds: every, bets: staking(schema.SpotPlayer, 6000), accept: playerWon,
			edit: func(sc *scene) string {
				return "move " + sc.on("wager_placed wager_id=%s after ", sc.st.id) + sc.on("card_dealt nth=2")
			},
		},
		{
			Rule: "wager.touched-after-first-card", Doc: "a patron touches his chips mid-round", Kinds: append(append(njMini(), "nj-mini-tie25"), nyAll()...),
			bets: staking(schema.SpotPlayer, 6000),
			edit: func(sc *scene) string {
				return "insert after " + sc.on("card_dealt nth=3: wager_handled wager_id=%s by_role=PATRON", sc.st.id)
			},
		},
		{
			Rule: "wager.medium", Doc: "cash plays", Kinds: every, bets: staking(schema.SpotPlayer, 6000),
			bend: func(sc *scene) error {
				sc.st.medium = schema.WagerMediumCash
				if sc.t.Writer().house.ny {
					return cash(sc)
				}
				return nil
			},
		},
		{
			Rule: "wager.area", Doc: "chips between two boxes", Kinds: every, bets: staking(schema.SpotTie, 1000),
			edit: func(sc *scene) string { return "set " + sc.on("wager_placed wager_id=%s: area_ok=false", sc.st.id) },
		},
		{
			Rule: "wager.verbal-cash.confirmed", Doc: "confirmed by the dealer alone", Kinds: nj, bets: staking(schema.SpotPlayer, 20000), bend: cash,
			edit: func(sc *scene) string {
				return "delete " + sc.on("verbal_confirmed wager_id=%s by_role=SUPERVISOR", sc.st.id)
			},
		},
		{
			Rule: "wager.verbal-cash.converted", Doc: "the cash is never exchanged", Kinds: nj, bets: staking(schema.SpotPlayer, 20000), bend: cash,
			edit: func(sc *scene) string { return "delete " + sc.on("cash_converted wager_id=%s", sc.st.id) },
		},
		{
			Rule: "wager.ez-insurance-at-ez-only", Doc: "a dragon 7 wager where nothing is EZ", Kinds: append(ny(), "ny-tie25", "ny-novig6"),
			bets: staking(schema.SpotDragon7, 500), accept: func(_ *scene, c *coup) bool { return !c.dragon7() },
		},
		{
			Rule: "wager.dragon-bonus-hand", Doc: "a dragon bonus on the hand that is not offered", Kinds: only("ny-dragon-bonus"),
			tune: func(c *schema.TableConfig) { c.Options = map[string]string{"dragon_bonus_hands": "[player]"} },
			bets: staking(schema.SpotDragonBonusBanker, 500), accept: playerWon,
		},
	}
}
