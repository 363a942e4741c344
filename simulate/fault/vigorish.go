package fault

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// owing returns a seat that pays outstanding vigorish at the end of the shoe, for the wager at issue if there is one.
func (sc *scene) owing() uint32 {
	ended := false
	for i := range sc.events {
		ev := &sc.events[i]
		ended = ended || ev.ShoeID == sc.plan.ID && ev.Payload.Kind() == schema.KindShoeEnded
		p, ok := ev.Payload.(*schema.VigorishCollected)
		if ended && ok && ev.ShoeID == sc.plan.ID && (sc.stake == nil || slices.Contains(p.WagerIDs, sc.stake.ID)) {
			sc.seat = p.Seat
			return p.Seat
		}
	}
	return 0
}

// final returns the selectors of the last collection from a seat and of the removal of its markers.
func final(seat uint32) (collected, lifted string) {
	return fmt.Sprintf("last vigorish_collected kind=OUTSTANDING seat=%d", seat),
		fmt.Sprintf("last vigorish_marker_removed seat=%d", seat)
}

// owed is an edit about a seat that owes vigorish at the end of the shoe.
func owed(text func(seat uint32) string) func(*scene) string {
	return func(sc *scene) string {
		if seat := sc.owing(); seat > 0 {
			return text(seat)
		}
		return ""
	}
}

func vigorishFaults() []Fault { return append(vigorishAmountFaults(), vigorishMarkFaults()...) }

func vigorishAmountFaults() []Fault {
	return append(amountOfVigorishFaults(), chargedVigorishFaults()...)
}

func amountOfVigorishFaults() []Fault {
	kinds := commissions()
	banker10k, odd := staking(schema.SpotBanker, 10000), staking(schema.SpotBanker, 12345)
	deferred := timing(schema.VigorishTimingDeferred)
	return []Fault{
		{
			Rule: "vig.percent-allowed", Doc: "six percent", Kinds: kinds, notInRound: true,
			tune: func(c *schema.TableConfig) { c.Vigorish.Percent = 6 },
		},
		{
			Rule: "vig.amount.under", Doc: "vigorish rounded down", Kinds: kinds, wagers: odd, accept: bankerWon,
			bend: charging(func(_ *shoe.House, due int64) int64 { return due - 20 }),
		},
		{
			Rule: "vig.amount.over", Doc: "a unit too much", Kinds: kinds, wagers: odd, accept: bankerWon,
			bend: charging(func(h *shoe.House, due int64) int64 { return due + h.Unit }),
		},
		{
			Rule: "vig.rounding.invalid", Doc: "rounded to a unit that the rule does not allow", Kinds: kinds,
			wagers: odd, accept: bankerWon,
			bend: charging(func(_ *shoe.House, due int64) int64 { return due - 1 }),
		},
		{
			Rule: "vig.collection-sum", Doc: "less collected than marked", Kinds: kinds, tune: deferred,
			wagers: banker10k, accept: bankerWon, notInRound: true,
			edit: owed(func(seat uint32) string {
				collected, _ := final(seat)
				return "set " + collected + ": amount-=100"
			}),
		},
	}
}

func chargedVigorishFaults() []Fault {
	kinds := commissions()
	banker10k, immediate := staking(schema.SpotBanker, 10000), timing(schema.VigorishTimingImmediate)
	return []Fault{
		{
			Rule: "vig.only-on-banker-win", Doc: "vigorish from a winning player wager", Kinds: kinds,
			tune:   procedure(1),
			wagers: staking(schema.SpotPlayer, 5000), accept: playerWon,
			edit: func(sc *scene) string { return sc.vigAfterPay(250) },
		},
		{
			Rule: "vig.not-charged", Doc: "vigorish forgotten", Kinds: kinds, tune: immediate, wagers: banker10k,
			accept: bankerWon,
			bend:   charging(func(*shoe.House, int64) int64 { return -1 }),
		},
		{
			Rule: "vig.uniform-table", Doc: "one seat pays the other percentage", Kinds: kinds, wagers: rivals,
			accept: rivalsWon,
			bend: func(sc *scene) error {
				sc.stake.Charged = sc.stake.Amount / 100 * (9 - sc.table.Writer().House.Percent)
				return nil
			},
		},
		{
			Rule: "vig.notice.increase", Doc: "four percent become five without notice", Kinds: kinds, notInRound: true,
			tune: func(c *schema.TableConfig) { c.Vigorish.Percent = 4; shoe.FitUnit(c) },
			betweenShoes: func(sc *scene) error {
				c := *sc.table.Config()
				c.Vigorish.Percent = 5
				shoe.FitUnit(&c)
				sc.table.Configure(c)
				return nil
			},
		},
	}
}

func vigorishMarkFaults() []Fault { return append(markFaults(), outstandingFaults()...) }

func markFaults() []Fault {
	kinds := commissions()
	deferred, banker10k := timing(schema.VigorishTimingDeferred), staking(schema.SpotBanker, 10000)
	return []Fault{
		{
			Rule: "vig.notice.type-change", Doc: "the commission becomes a tie charge without notice", Kinds: minis(),
			notInRound: true,
			betweenShoes: func(sc *scene) error {
				c := *sc.table.Config()
				c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeTie25}
				sc.table.Configure(c)
				return nil
			},
		},
		{
			Rule: "vig.mark.required", Doc: "a debt kept in the dealer's head", Kinds: kinds, tune: deferred,
			wagers: banker10k, accept: bankerWon,
			edit: func(sc *scene) string {
				if sc.owing() == 0 {
					return ""
				}
				return "delete " + sc.inRound("vigorish_marked wager_id=%s", sc.stake.ID)
			},
		},
		{
			Rule: "vig.mark.area", Doc: "the marker put on the neighbour", Kinds: kinds, tune: deferred,
			wagers: banker10k, accept: bankerWon,
			edit: func(sc *scene) string {
				area := sc.stake.Seat + 1
				if sc.stake.Seat > 1 {
					area = sc.stake.Seat - 1
				}
				return "set " + sc.inRound("vigorish_marked wager_id=%s: area=%d", sc.stake.ID, area)
			},
		},
	}
}

func outstandingFaults() []Fault {
	kinds := commissions()
	deferred, banker10k := timing(schema.VigorishTimingDeferred), staking(schema.SpotBanker, 10000)
	return []Fault{
		{
			Rule: "vig.outstanding-at-reshuffle", Doc: "shuffled while commission was owed", Kinds: kinds,
			tune: deferred, wagers: banker10k, accept: bankerWon, notInRound: true,
			edit: owed(func(seat uint32) string {
				collected, lifted := final(seat)
				return "move " + lifted + " after shoe=2 shoe_shuffled nth=1\nmove " + collected +
					" after shoe=2 shoe_shuffled nth=1"
			}),
		},
		{
			Rule: "vig.marker-removed-uncollected", Doc: "the marker taken off first", Kinds: ny(), tune: deferred,
			wagers: banker10k, accept: bankerWon, notInRound: true,
			edit: owed(func(seat uint32) string {
				collected, lifted := final(seat)
				return "swap " + collected + " with " + lifted
			}),
		},
		{
			Rule: "vig.play-resumed-outstanding", Doc: "a new shoe dealt against an open debt", Kinds: ny(),
			tune: deferred, wagers: banker10k, accept: bankerWon, notInRound: true,
			edit: owed(func(seat uint32) string {
				collected, lifted := final(seat)
				return "move " + lifted + " after shoe=2 card_dealt nth=1\nmove " + collected +
					" after shoe=2 card_dealt nth=1"
			}),
		},
	}
}
