package fault

import (
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func wagerFaults() []Fault { return append(wagerPlacingFaults(), wagerTypeFaults()...) }

func wagerPlacingFaults() []Fault {
	every := append(njTables(), nyAll()...)
	return []Fault{
		{
			Rule: "wager.type-permitted", Doc: "a side bet that is not offered", Kinds: every,
			wagers: func(sc *scene) {
				sc.stake = sc.addStake(schema.SpotOther, 500)
				sc.round.Stakes[len(sc.round.Stakes)-1].Name = "small"
			},
		},
		{
			Rule: "wager.after-no-more-bets", Doc: "a late bet", Kinds: every, wagers: staking(schema.SpotPlayer, 6000),
			accept: playerWon,
			edit: func(sc *scene) string {
				return "move " + sc.inRound("wager_placed wager_id=%s after ", sc.stake.ID) +
					sc.inRound("card_dealt nth=2")
			},
		},
		{
			Rule: "wager.touched-after-first-card", Doc: "a patron touches his chips mid-round",
			Kinds:  append(append(njMini(), "nj-mini-tie25"), nyAll()...),
			wagers: staking(schema.SpotPlayer, 6000),
			edit: func(sc *scene) string {
				return "insert after " +
					sc.inRound("card_dealt nth=3: wager_handled wager_id=%s by_role=PATRON", sc.stake.ID)
			},
		},
		{
			Rule: "wager.medium", Doc: "cash plays", Kinds: every, wagers: staking(schema.SpotPlayer, 6000),
			bend: func(sc *scene) error {
				sc.stake.Medium = schema.WagerMediumCash
				if sc.table.Writer().House.NewYork {
					return cash(sc)
				}
				return nil
			},
		},
		{
			Rule: "wager.area", Doc: "chips between two boxes", Kinds: every, wagers: staking(schema.SpotTie, 1000),
			edit: func(sc *scene) string {
				return "set " + sc.inRound("wager_placed wager_id=%s: area_ok=false", sc.stake.ID)
			},
		},
	}
}

func wagerTypeFaults() []Fault {
	nj := njTables()
	return []Fault{
		{
			Rule: "wager.verbal-cash.confirmed", Doc: "confirmed by the dealer alone", Kinds: nj,
			wagers: staking(schema.SpotPlayer, 20000), bend: cash,
			edit: func(sc *scene) string {
				return "delete " + sc.inRound("verbal_confirmed wager_id=%s by_role=SUPERVISOR", sc.stake.ID)
			},
		},
		{
			Rule: "wager.verbal-cash.converted", Doc: "the cash is never exchanged", Kinds: nj,
			wagers: staking(schema.SpotPlayer, 20000), bend: cash,
			edit: func(sc *scene) string { return "delete " + sc.inRound("cash_converted wager_id=%s", sc.stake.ID) },
		},
		{
			Rule: "wager.ez-insurance-at-ez-only", Doc: "a dragon 7 wager where nothing is EZ",
			Kinds:  append(ny(), "ny-tie25", "ny-novig6"),
			wagers: staking(schema.SpotDragon7, 500), accept: func(_ *scene, c *shoe.Coup) bool { return !c.Dragon7() },
		},
		{
			Rule: "wager.dragon-bonus-hand", Doc: "a dragon bonus on the hand that is not offered",
			Kinds:  only("ny-dragon-bonus"),
			tune:   func(c *schema.TableConfig) { c.Options = map[string]string{"dragon_bonus_hands": "[player]"} },
			wagers: staking(schema.SpotDragonBonusBanker, 500), accept: playerWon,
		},
	}
}

// cash makes the wager at issue a verbal cash wager.
func cash(sc *scene) error {
	sc.stake.Medium = schema.WagerMediumVerbalCash
	return nil
}
