package fault

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func outcomeFaults() []Fault { return append(mainOutcomeFaults(), sideOutcomeFaults()...) }

func mainOutcomeFaults() []Fault {
	every := anyTable()
	pairs := only("pair-punto", "pair-mini")
	return []Fault{
		{
			Rule: "outcome.banker-wager", Doc: "a losing banker wager goes back", Kinds: every,
			wagers: staking(schema.SpotBanker, 10000), accept: playerWon, bend: forcing(shoe.Pushed, 0),
		},
		{
			Rule: "outcome.player-wager", Doc: "a player wager taken on a tie", Kinds: every,
			wagers: staking(schema.SpotPlayer, 10000), accept: tied, bend: forcing(shoe.Lost, 0),
		},
		{
			Rule: "outcome.tie-wager", Doc: "a tie bet goes back without a tie", Kinds: every,
			wagers: staking(schema.SpotTie, 1000), accept: playerWon, bend: forcing(shoe.Pushed, 0),
		},
		{
			Rule: "outcome.pair-wager", Doc: "king and queen paid as a pair", Kinds: pairs,
			wagers: staking(schema.SpotBankerPair, 500),
			accept: func(_ *scene, c *shoe.Coup) bool {
				h := c.Hands[shoe.Banker]
				return !c.Pair(shoe.Banker) && h[0].Value() == 0 && h[1].Value() == 0
			},
			bend: forcing(shoe.Won, 11),
		},
		{
			Rule: "outcome.ez-dragon-7-push", Doc: "a banker wager paid on a dragon 7", Kinds: only("ny-ez"),
			wagers: staking(schema.SpotBanker, 10000), accept: dragon, bend: forcing(shoe.Won, 1),
		},
	}
}

func sideOutcomeFaults() []Fault {
	return []Fault{
		{
			Rule: "outcome.dragon-bonus", Doc: "a dragon bonus goes back on a tie that is no natural",
			Kinds:  only("ny-dragon-bonus"),
			wagers: staking(schema.SpotDragonBonusPlayer, 500),
			accept: func(_ *scene, c *shoe.Coup) bool { return c.Result() == schema.ResultTie && noNatural(c) },
			bend:   forcing(shoe.Pushed, 0),
		},
		{
			Rule: "outcome.dragon-7-insurance", Doc: "a two-card banker 7 paid as a dragon 7", Kinds: only("ny-ez"),
			wagers: staking(schema.SpotDragon7, 500),
			accept: func(_ *scene, c *shoe.Coup) bool {
				return c.Result() == schema.ResultBanker && c.Count(shoe.Banker) == 7 && c.Size(shoe.Banker) == 2
			},
			bend: forcing(shoe.Won, 40),
		},
		{
			Rule: "outcome.panda-8-insurance", Doc: "a winning panda 8 wager is taken", Kinds: only("ny-ez"),
			wagers: staking(schema.SpotPanda8, 500), accept: panda, bend: forcing(shoe.Lost, 0),
		},
		{
			Rule: "outcome.treasures", Doc: "a Heavenly 9 taken because the round was a tie",
			Kinds:  only("treasures-punto", "treasures-mini"),
			wagers: staking(schema.SpotHeavenly9, 500),
			accept: func(_ *scene, c *shoe.Coup) bool { return c.Treasure() == schema.TreasureHeavenly9Both },
			bend:   forcing(shoe.Lost, 0),
		},
		{
			Rule: "outcome.void-round", Doc: "a void round is settled for one seat", Kinds: append(punto(), nyAll()...),
			bend: (*scene).exhaust,
			edit: func(sc *scene) string {
				stakes := sc.plan.Rounds[len(sc.plan.Rounds)-1].Stakes
				at := slices.IndexFunc(stakes, func(st shoe.Stake) bool { return !st.Withdrawn })
				if at < 0 {
					return ""
				}
				st := &stakes[at]
				sc.seat = st.Seat
				old := fmt.Sprintf("round=%d wager_returned wager_id=%s", sc.findingRound, st.ID)
				return fmt.Sprintf("insert after %s: wager_collected wager_id=%s seat=%d amount=%d\ndelete %s",
					old, st.ID, st.Seat, st.Amount, old)
			},
		},
		{
			Rule: "outcome.void-ground", Doc: "a complete round is declared a misdeal", Kinds: append(punto(), nyAll()...),
			wagers: staking(schema.SpotPlayer, 10000), accept: playerWon,
			bend: func(sc *scene) error {
				sc.round.Void, sc.stake = schema.VoidCauseMisdeal, nil
				return nil
			},
		},
	}
}
