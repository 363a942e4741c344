package simulate

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

func outcomeFaults() []Fault {
	every := append(append(punto(), njMini()...), append(nyAll(), "nj-mini-tie25")...)
	pairs := only("pair-punto", "pair-mini")
	return []Fault{
		{
			Rule: "outcome.banker-wager", Doc: "a losing banker wager goes back", Kinds: every,
			bets: staking(schema.SpotBanker, 10000), accept: playerWon, bend: forcing(pushed, 0),
		},
		{
			Rule: "outcome.player-wager", Doc: "a player wager taken on a tie", Kinds: every,
			bets: staking(schema.SpotPlayer, 10000), accept: tied, bend: forcing(lost, 0),
		},
		{
			Rule: "outcome.tie-wager", Doc: "a tie bet goes back without a tie", Kinds: every,
			bets: staking(schema.SpotTie, 1000), accept: playerWon, bend: forcing(pushed, 0),
		},
		{
			Rule: "outcome.pair-wager", Doc: "king and queen paid as a pair", Kinds: pairs, bets: staking(schema.SpotBankerPair, 500),
			accept: func(_ *scene, c *coup) bool {
				h := c.hands[banker]
				return !c.pair(banker) && h[0].value() == 0 && h[1].value() == 0
			},
			bend: forcing(won, 11),
		},
		{
			Rule: "outcome.ez-dragon-7-push", Doc: "a banker wager paid on a dragon 7", Kinds: only("ny-ez"),
			bets: staking(schema.SpotBanker, 10000), accept: dragon, bend: forcing(won, 1),
		},
		{
			Rule: "outcome.dragon-bonus", Doc: "a dragon bonus goes back on a tie that is no natural", Kinds: only("ny-dragon-bonus"),
			bets:   staking(schema.SpotDragonBonusPlayer, 500),
			accept: func(_ *scene, c *coup) bool { return c.result() == schema.ResultTie && noNatural(c) },
			bend:   forcing(pushed, 0),
		},
		{
			Rule: "outcome.dragon-7-insurance", Doc: "a two-card banker 7 paid as a dragon 7", Kinds: only("ny-ez"),
			bets: staking(schema.SpotDragon7, 500),
			accept: func(_ *scene, c *coup) bool {
				return c.result() == schema.ResultBanker && c.count(banker) == 7 && c.size(banker) == 2
			},
			bend: forcing(won, 40),
		},
		{
			Rule: "outcome.panda-8-insurance", Doc: "a winning panda 8 wager is taken", Kinds: only("ny-ez"),
			bets: staking(schema.SpotPanda8, 500), accept: panda, bend: forcing(lost, 0),
		},
		{
			Rule: "outcome.treasures", Doc: "a Heavenly 9 taken because the round was a tie", Kinds: only("treasures-punto", "treasures-mini"),
			bets:   staking(schema.SpotHeavenly9, 500),
			accept: func(_ *scene, c *coup) bool { return c.treasure() == schema.TreasureHeavenly9Both },
			bend:   forcing(lost, 0),
		},
		{
			Rule: "outcome.void-round", Doc: "a void round is settled for one seat", Kinds: append(punto(), nyAll()...),
			bets: staking(schema.SpotPlayer, 10000),
			bend: func(sc *scene) error {
				for h := range 2 {
					sc.r.coup.hands[h] = sc.r.coup.hands[h][:2]
				}
				sc.r.void = schema.VoidCauseMisdeal
				return nil
			},
			edit: func(sc *scene) string {
				old := sc.on("wager_returned wager_id=%s", sc.st.id)
				return fmt.Sprintf("insert after %s: wager_collected wager_id=%s seat=%d amount=%d\ndelete %s",
					old, sc.st.id, sc.st.seat, sc.st.amount, old)
			},
		},
	}
}

// paying pays the wager at issue so many times the stake.
func paying(times int64) func(*scene) string {
	return func(sc *scene) string { return sc.amount("wager_paid", sc.st.amount*times) }
}

func payoutFaults() []Fault {
	every := append(append(punto(), njMini()...), append(nyAll(), "nj-mini-tie25")...)
	pairs := only("pair-punto", "pair-mini")
	posted := append(append(pairs, "treasures-punto", "treasures-mini"), nyAll()...)
	return []Fault{
		{
			Rule: "payout.player.odds", Doc: "a winning player wager paid short", Kinds: every,
			bets: staking(schema.SpotPlayer, 5000), accept: playerWon,
			edit: func(sc *scene) string { return sc.amount("wager_paid", sc.st.amount*9/10) },
		},
		{
			Rule: "payout.banker.odds", Doc: "paid net of the vigorish, which is taken again", Kinds: commissions(),
			bets: staking(schema.SpotBanker, 10000), accept: bankerWon,
			edit: func(sc *scene) string {
				return sc.amount("wager_paid", sc.st.amount-sc.t.Writer().house.vigorish(sc.st.amount, false))
			},
		},
		{
			Rule: "payout.tie.min-odds", Doc: "a tie bet paid seven to one", Kinds: every,
			bets: staking(schema.SpotTie, 1000), accept: tied, edit: paying(7),
		},
		{
			Rule: "payout.banker-six.min-odds", Doc: "a banker six paid less than half", Kinds: only("ny-novig6"), bets: staking(schema.SpotBanker, 10000),
			accept: func(_ *scene, c *coup) bool { return c.result() == schema.ResultBanker && c.count(banker) == 6 },
			edit:   func(sc *scene) string { return sc.amount("wager_paid", sc.st.amount*4/10) },
		},
		{
			Rule: "payout.pair.odds", Doc: "a pair paid ten to one", Kinds: pairs, bets: staking(schema.SpotPlayerPair, 500),
			accept: func(_ *scene, c *coup) bool { return c.pair(player) }, edit: paying(10),
		},
		{
			Rule: "payout.dragon-bonus.table", Doc: "a natural paid by its margin", Kinds: only("ny-dragon-bonus"),
			bets:   staking(schema.SpotDragonBonusPlayer, 500),
			accept: func(_ *scene, c *coup) bool { return c.natural(player) && c.count(player)-c.count(banker) >= 5 },
			edit: func(sc *scene) string {
				return sc.amount("wager_paid", sc.st.amount*sc.t.Writer().house.bonus[sc.r.coup.count(player)-sc.r.coup.count(banker)])
			},
		},
		{
			Rule: "payout.dragon-7.min-odds", Doc: "a dragon 7 paid thirty to one", Kinds: only("ny-ez"),
			bets: staking(schema.SpotDragon7, 500), accept: dragon, edit: paying(30),
		},
		{
			Rule: "payout.panda-8.odds", Doc: "a panda 8 paid thirty to one", Kinds: only("ny-ez"),
			bets: staking(schema.SpotPanda8, 500), accept: panda, edit: paying(30),
		},
		{
			Rule: "payout.matches-posted", Doc: "a tie posted at nine to one and paid eight to one", Kinds: posted,
			tune: func(c *schema.TableConfig) { c.PostedOdds["TIE"] = "9:1" },
			bets: staking(schema.SpotTie, 1000), accept: tied, edit: paying(8),
		},
		{
			Rule: "payout.unsettled", Doc: "a winning wager forgotten", Kinds: every,
			bets: staking(schema.SpotPlayer, 5000), accept: playerWon,
			edit: func(sc *scene) string { return "delete " + sc.on("wager_paid wager_id=%s", sc.st.id) },
		},
		{
			Rule: "payout.return-intact", Doc: "a stake returned short", Kinds: every,
			bets: staking(schema.SpotPlayer, 10300), accept: tied,
			edit: func(sc *scene) string { return sc.amount("wager_returned", sc.st.amount-300) },
		},
		{
			Rule: "payout.collect-intact", Doc: "part of a losing bet left on the layout", Kinds: every,
			bets: staking(schema.SpotBanker, 10000), accept: playerWon,
			edit: func(sc *scene) string { return sc.amount("wager_collected", sc.st.amount-1000) },
		},
	}
}

// rivals lays banker wagers at two seats: the wager at issue at the higher one.
func rivals(sc *scene) {
	a := sc.lay(schema.SpotBanker, 10000)
	b := sc.lay(schema.SpotBanker, 20000, a.seat)
	if b == nil {
		return
	}
	if a.seat < b.seat {
		a, b = b, a
	}
	// Nobody who also wins sits between the two.
	for i := len(sc.r.stakes) - 1; i >= 0; i-- {
		st := &sc.r.stakes[i]
		if st.seat < a.seat && st.seat > b.seat && st.spot == schema.SpotBanker {
			st.spot = schema.SpotPlayer
		}
	}
	sc.st, sc.other = a, b
}

func rivalsWon(sc *scene, c *coup) bool { return sc.other != nil && bankerWon(sc, c) }

func orderFaults() []Fault {
	kinds := append(punto(), ny()...)
	// vig addresses the vigorish of a wager taken at once; paid its payment.
	vig := func(sc *scene, st *stake) string { return sc.on("vigorish_collected wager_ids=%s", st.id) }
	paid := func(sc *scene, st *stake) string { return sc.on("wager_paid wager_id=%s", st.id) }
	return []Fault{
		{
			Rule: "order.losing-first", Doc: "paid before the losing wagers were taken", Kinds: kinds,
			bets: func(sc *scene) {
				sc.st = sc.lay(schema.SpotPlayer, 6000)
				sc.lay(schema.SpotBanker, 10000)
			},
			accept: bankerWon,
			edit: func(sc *scene) string {
				return "move " + sc.on("wager_collected wager_id=%s after last ", sc.st.id) + sc.on("wager_paid")
			},
		},
		{
			Rule: "order.procedure-1.pay-then-vig", Doc: "vigorish taken between two payments", Kinds: kinds,
			tune: procedure(1), bets: rivals, accept: rivalsWon,
			edit: func(sc *scene) string { return "move " + vig(sc, sc.st) + " before " + paid(sc, sc.other) },
		},
		{
			Rule: "order.procedure-2.vig-then-pay", Doc: "paid before all vigorish was taken", Kinds: kinds,
			tune: procedure(2), bets: rivals, accept: rivalsWon,
			edit: func(sc *scene) string { return "move " + paid(sc, sc.st) + " before " + vig(sc, sc.other) },
		},
		{
			Rule: "order.procedure-3.seat-pay-then-vig", Doc: "a seat's vigorish taken after the next was paid", Kinds: kinds,
			tune: procedure(3), bets: rivals, accept: rivalsWon,
			edit: func(sc *scene) string { return "swap " + vig(sc, sc.st) + " with " + paid(sc, sc.other) },
		},
		{
			Rule: "order.procedure-4.seat-vig-then-pay", Doc: "a seat paid after the next one's vigorish was taken", Kinds: kinds,
			tune: procedure(4), bets: rivals, accept: rivalsWon,
			edit: func(sc *scene) string { return "swap " + paid(sc, sc.st) + " with " + vig(sc, sc.other) },
		},
		{
			Rule: "order.descending-seats", Doc: "the low seat served first", Kinds: kinds, bets: rivals, accept: rivalsWon,
			bend: func(sc *scene) error { sc.r.upward = true; return nil },
		},
		{
			Rule: "order.procedure-notice", Doc: "the procedure's notice late, oral or to one recipient only", Kinds: punto(), wide: true,
			edit: func(sc *scene) string {
				how := []string{"recipients=SURVEILLANCE", "recipients=COMMISSION", "filed_at+=31m", "written=false"}
				return "set notice_filed topic=PAYMENT_PROCEDURE: " + how[sc.t.Rand().IntN(len(how))]
			},
		},
		{
			Rule: "order.one-player-at-a-time", Doc: "pairs paid in a pass of their own", Kinds: only("pair-punto", "pair-mini"),
			tune: procedure(1),
			bets: func(sc *scene) {
				rivals(sc)
				sc.r.stakes = slices.DeleteFunc(sc.r.stakes, func(st stake) bool { return isPair(st.spot) })
				if sc.st != nil {
					sc.layAt(sc.st, schema.SpotPlayerPair, 500)
				}
			},
			accept: func(sc *scene, c *coup) bool { return rivalsWon(sc, c) && c.pair(player) },
			bend:   func(sc *scene) error { sc.r.apart = true; return nil },
		},
	}
}
