package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func supplementalFaults() []Fault {
	pairs := only("pair-punto", "pair-mini")
	return []Fault{
		{
			Rule: "supplemental.one-of-three", Doc: "pair and total card wagers at one table", Kinds: pairs,
			notInRound: true,
			tune:       func(c *schema.TableConfig) { c.SideBets = append(c.SideBets, schema.SideBetTotalCard) },
		},
		{
			Rule: "supplemental.base-wager-required", Doc: "a pair wager alone", Kinds: pairs,
			tune: func(c *schema.TableConfig) { c.SupplementalRequiresMain = true },
			wagers: func(sc *scene) {
				sc.addStake(schema.SpotPlayer, 5000)
				sc.stake = sc.addStake(schema.SpotBankerPair, 500)
				seat := sc.stake.Seat
				sc.round.Stakes = slices.DeleteFunc(sc.round.Stakes, func(x shoe.Stake) bool {
					return x.Seat == seat && x.Spot != schema.SpotBankerPair
				})
			},
			accept: func(_ *scene, c *shoe.Coup) bool { return !c.Pair(shoe.Banker) },
		},
	}
}
