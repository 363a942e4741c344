package fault

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// rulebookStake is the stake of the wager at issue. No patron places it by chance.
const rulebookStake = 12_300

// OfRulebook returns the faults of what a game of a rulebook defines: side bets by lines, kinds of vigorish that it
// names, and odds to post. They are planted with deal.Options.Game.
func OfRulebook(g *deal.Game) []Fault {
	return slices.DeleteFunc(rulebookFaults(), func(f Fault) bool {
		if f.modes == nil {
			return f.wagers != nil && len(g.Bets) == 0
		}
		return len(f.modes(g)) == 0
	})
}

func rulebookFaults() []Fault {
	return []Fault{
		{
			Rule: "payout.side-bet.odds", Doc: "a side bet of the rulebook paid too much", Kinds: deal.Kinds(),
			wagers: stakingSide, accept: sideWins,
			edit: func(sc *scene) string {
				return "set " + sc.inRound("wager_paid wager_id=%s: amount+=100", sc.stake.ID)
			},
		},
		{
			Rule: "outcome.side-bet", Doc: "a side bet of the rulebook that wins is collected", Kinds: deal.Kinds(),
			wagers: stakingSide, accept: sideWins, bend: forcing(shoe.Lost, 0),
		},
		{
			Rule: "payout.posted-odds", Doc: "a side bet of the rulebook, or a tie, posted below its odds",
			Kinds: deal.Kinds(), notInRound: true,
			edit: func(sc *scene) string {
				if bets := sc.table.Writer().House.Bets; len(bets) > 0 {
					return fmt.Sprintf("set table_opened: config.posted_rows.%s=1:100", bets[0].Row())
				}
				return "set table_opened: config.posted_odds.TIE=1:100"
			},
		},
		{
			Rule: "payout.banker.odds", Doc: "a banker wager paid 1 to 1 where the kind of vigorish sets other odds",
			Kinds: deal.Kinds(), wagers: staking(schema.SpotBanker, 10_000),
			modes: func(g *deal.Game) []string { return g.KindsWith(false) },
			accept: func(sc *scene, c *shoe.Coup) bool {
				odds, _ := sc.table.Writer().House.Sets(c)
				return odds
			},
			bend: forcing(shoe.Won, 1),
		},
		{
			Rule: "outcome.banker-wager", Doc: "a banker wager paid where the kind of vigorish returns it",
			Kinds: deal.Kinds(), wagers: staking(schema.SpotBanker, 10_000),
			modes: func(g *deal.Game) []string { return g.KindsWith(true) },
			accept: func(sc *scene, c *shoe.Coup) bool {
				_, push := sc.table.Writer().House.Sets(c)
				return push
			},
			bend: forcing(shoe.Won, 1),
		},
	}
}

// stakingSide adds a wager on the first side bet of the rulebook that the table offers.
func stakingSide(sc *scene) {
	if bets := sc.table.Writer().House.Bets; len(bets) > 0 {
		sc.stake = sc.addStake(schema.SpotOther, rulebookStake)
		sc.round.Stakes[len(sc.round.Stakes)-1].Name = bets[0].Name
	}
}

// sideWins reports whether the cards let that wager win.
func sideWins(sc *scene, c *shoe.Coup) bool {
	h := &sc.table.Writer().House
	if len(h.Bets) == 0 {
		return false
	}
	outcome, _ := h.Settle(&shoe.Stake{Spot: schema.SpotOther, Name: h.Bets[0].Name, Amount: rulebookStake}, c)
	return outcome == shoe.Won
}
