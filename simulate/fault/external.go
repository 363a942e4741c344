package fault

import (
	"github.com/shoeproof/shoeproof/schema"
)

func externalFaults() []Fault {
	ny := append(nyAll(), midi()...)
	nj := append(punto(), njMini()...)
	limits := func(c *schema.TableConfig) { c.MinWager = 100 }
	return []Fault{
		{
			Rule: "external.table-limits", Doc: "a wager below the minimum", Kinds: punto(), Off: true, tune: limits,
			wagers: staking(schema.SpotTie, 50), accept: playerWon,
		},
		{
			Rule: "external.limit-change-notice", Doc: "limits changed without a sign", Kinds: nj, Off: true,
			notInRound: true,
			betweenShoes: func(sc *scene) error {
				c := *sc.table.Config()
				c.MaxWager *= 2
				sc.table.Configure(c)
				return nil
			},
		},
		{
			Rule: "external.match-play.one-per-round", Doc: "two coupons in a round", Kinds: nj, Off: true,
			wagers: staking(schema.SpotPlayer, 5000), accept: playerWon,
			bend: func(sc *scene) error {
				sc.stake.Medium, sc.stake.Coupon = schema.WagerMediumChipsAndCoupon, 1000
				second := *sc.stake
				second.ID += "c"
				sc.round.Stakes = append(sc.round.Stakes, second)
				return nil
			},
		},
		{
			Rule: "external.ny.table-inspection", Doc: "inspected without sorting", Kinds: ny, notInRound: true,
			edit: editing("set cards_inspected: new_deck_order=false"),
		},
		{
			Rule: "external.ny.unsuitable-deck", Doc: "a deck with an extra card kept in use", Kinds: ny,
			notInRound: true,
			edit:       editing("set cards_inspected: extra=Ks"),
		},
		{
			Rule: "external.nj.preshuffled-cards", Doc: "pre-shuffled cards without a receipt",
			Kinds: only("treasures-punto", "treasures-mini"), Off: true, notInRound: true,
			edit: editing("set deck_received: pre_shuffled=true"),
		},
	}
}
