package fault

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func payoutFaults() []Fault { return append(oddsFaults(), amountFaults()...) }

func oddsFaults() []Fault {
	every := anyTable()
	pairs := only("pair-punto", "pair-mini")
	return []Fault{
		{
			Rule: "payout.player.odds", Doc: "a winning player wager paid short", Kinds: every,
			wagers: staking(schema.SpotPlayer, 5000), accept: playerWon,
			edit: func(sc *scene) string { return sc.setAmount("wager_paid", sc.stake.Amount*9/10) },
		},
		{
			Rule: "payout.banker.odds", Doc: "paid net of the vigorish, which is taken again", Kinds: commissions(),
			wagers: staking(schema.SpotBanker, 10000), accept: bankerWon,
			edit: func(sc *scene) string {
				vigorish := sc.table.Writer().House.Vigorish(sc.stake.Amount, false)
				if vigorish == 0 {
					return ""
				}
				return sc.setAmount("wager_paid", sc.stake.Amount-vigorish)
			},
		},
		{
			Rule: "payout.tie.min-odds", Doc: "a tie bet paid seven to one", Kinds: every,
			wagers: staking(schema.SpotTie, 1000), accept: tied, edit: paying(7),
		},
		{
			Rule: "payout.banker-six.min-odds", Doc: "a banker six paid less than half", Kinds: only("ny-novig6"),
			wagers: staking(schema.SpotBanker, 10000),
			accept: func(_ *scene, c *shoe.Coup) bool {
				return c.Result() == schema.ResultBanker && c.Count(shoe.Banker) == 6
			},
			edit: func(sc *scene) string { return sc.setAmount("wager_paid", sc.stake.Amount*4/10) },
		},
		{
			Rule: "payout.pair.odds", Doc: "a pair paid ten to one", Kinds: pairs,
			wagers: staking(schema.SpotPlayerPair, 500),
			accept: func(_ *scene, c *shoe.Coup) bool { return c.Pair(shoe.Player) }, edit: paying(10),
		},
		{
			Rule: "payout.dragon-bonus.table", Doc: "a natural paid by its margin", Kinds: only("ny-dragon-bonus"),
			wagers: staking(schema.SpotDragonBonusPlayer, 500),
			accept: func(_ *scene, c *shoe.Coup) bool {
				return c.Natural(shoe.Player) && c.Count(shoe.Player)-c.Count(shoe.Banker) >= 5
			},
			edit: func(sc *scene) string {
				margin := sc.round.Coup.Count(shoe.Player) - sc.round.Coup.Count(shoe.Banker)
				odds := sc.table.Writer().House.DragonBonusOdds[margin]
				return sc.setAmount("wager_paid", sc.stake.Amount*odds)
			},
		},
	}
}

func amountFaults() []Fault {
	every := anyTable()
	posted := append(only("pair-punto", "pair-mini", "treasures-punto", "treasures-mini"), nyAll()...)
	return []Fault{
		{
			Rule: "payout.dragon-7.min-odds", Doc: "a dragon 7 paid thirty to one", Kinds: only("ny-ez"),
			wagers: staking(schema.SpotDragon7, 500), accept: dragon, edit: paying(30),
		},
		{
			Rule: "payout.panda-8.odds", Doc: "a panda 8 paid thirty to one", Kinds: only("ny-ez"),
			wagers: staking(schema.SpotPanda8, 500), accept: panda, edit: paying(30),
		},
		{
			Rule: "payout.matches-posted", Doc: "a tie posted at nine to one and paid eight to one", Kinds: posted,
			tune:   func(c *schema.TableConfig) { c.PostedOdds["TIE"] = "9:1" },
			wagers: staking(schema.SpotTie, 1000), accept: tied, edit: paying(8),
		},
		{
			Rule: "payout.posted-odds", Doc: "Fortune 7 posted at thirty to one",
			Kinds: only("treasures-punto", "treasures-mini"), notInRound: true,
			tune: func(c *schema.TableConfig) { c.PostedOdds["FORTUNE_7"] = "30:1" },
		},
		{
			Rule: "payout.unsettled", Doc: "a winning wager forgotten", Kinds: every,
			wagers: staking(schema.SpotPlayer, 5000), accept: playerWon,
			edit: func(sc *scene) string { return "delete " + sc.inRound("wager_paid wager_id=%s", sc.stake.ID) },
		},
		{
			Rule: "payout.corrected", Doc: "a winning stake taken by mistake, put back and paid", Kinds: every,
			wagers: staking(schema.SpotPlayer, 5000), accept: playerWon,
			edit: func(sc *scene) string {
				st, paid := sc.stake, sc.inRound("wager_paid nth=1")
				return fmt.Sprintf("insert before %s: wager_collected wager_id=%s seat=%d amount=%d\n"+
					"insert before %s: wager_returned wager_id=%s seat=%d amount=%d",
					paid, st.ID, st.Seat, st.Amount, paid, st.ID, st.Seat, st.Amount)
			},
		},
		{
			Rule: "payout.return-intact", Doc: "a stake returned short", Kinds: every,
			wagers: staking(schema.SpotPlayer, 10300), accept: tied,
			edit: func(sc *scene) string { return sc.setAmount("wager_returned", sc.stake.Amount-300) },
		},
		{
			Rule: "payout.collect-intact", Doc: "part of a losing bet left on the layout", Kinds: every,
			wagers: staking(schema.SpotBanker, 10000), accept: playerWon,
			edit: func(sc *scene) string { return sc.setAmount("wager_collected", sc.stake.Amount-1000) },
		},
	}
}
