package fault

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// rivals adds banker wagers at two seats; the wager at the higher seat is the wager at issue.
func rivals(sc *scene) {
	a := sc.addStake(schema.SpotBanker, 10000)
	b := sc.addStake(schema.SpotBanker, 20000, a.Seat)
	if b == nil {
		return
	}
	if a.Seat < b.Seat {
		a, b = b, a
	}
	// No seat between the two wins as well.
	for i := len(sc.round.Stakes) - 1; i >= 0; i-- {
		st := &sc.round.Stakes[i]
		if st.Seat < a.Seat && st.Seat > b.Seat && st.Spot == schema.SpotBanker {
			st.Spot = schema.SpotPlayer
		}
	}
	sc.stake, sc.otherStake = a, b
}

func rivalsWon(sc *scene, c *shoe.Coup) bool { return sc.otherStake != nil && bankerWon(sc, c) }

func orderFaults() []Fault { return append(procedureFaults(), seatOrderFaults()...) }

func procedureFaults() []Fault {
	kinds := append(punto(), ny()...)
	// vig selects the collection of a wager's vigorish, paid its payment.
	vig := func(sc *scene, st *shoe.Stake) string { return sc.inRound("vigorish_collected wager_ids=%s", st.ID) }
	paid := func(sc *scene, st *shoe.Stake) string { return sc.inRound("wager_paid wager_id=%s", st.ID) }
	return []Fault{
		{
			Rule: "order.losing-first", Doc: "paid before the losing wagers were taken", Kinds: kinds,
			wagers: func(sc *scene) {
				sc.stake = sc.addStake(schema.SpotPlayer, 6000)
				sc.addStake(schema.SpotBanker, 10000)
			},
			accept: bankerWon,
			edit: func(sc *scene) string {
				return "move " + sc.inRound("wager_collected wager_id=%s after last ", sc.stake.ID) +
					sc.inRound("wager_paid")
			},
		},
		{
			Rule: "order.procedure-1.pay-then-vig", Doc: "vigorish taken between two payments", Kinds: kinds,
			tune: procedure(1), wagers: rivals, accept: rivalsWon,
			edit: func(sc *scene) string { return "move " + vig(sc, sc.stake) + " before " + paid(sc, sc.otherStake) },
		},
		{
			Rule: "order.procedure-2.vig-then-pay", Doc: "paid before all vigorish was taken", Kinds: kinds,
			tune: procedure(2), wagers: rivals, accept: rivalsWon,
			edit: func(sc *scene) string { return "move " + paid(sc, sc.stake) + " before " + vig(sc, sc.otherStake) },
		},
		{
			Rule: "order.procedure-3.seat-pay-then-vig", Doc: "a seat's vigorish taken after the next was paid",
			Kinds: kinds,
			tune:  procedure(3), wagers: rivals, accept: rivalsWon,
			edit: func(sc *scene) string { return "swap " + vig(sc, sc.stake) + " with " + paid(sc, sc.otherStake) },
		},
		{
			Rule: "order.procedure-4.seat-vig-then-pay", Doc: "a seat paid after the next one's vigorish was taken",
			Kinds: kinds,
			tune:  procedure(4), wagers: rivals, accept: rivalsWon,
			edit: func(sc *scene) string { return "swap " + paid(sc, sc.stake) + " with " + vig(sc, sc.otherStake) },
		},
		{
			Rule: "order.procedure-elected", Doc: "no procedure declared, and none of the four followed", Kinds: kinds,
			tune: procedure(3), wagers: rivals, accept: rivalsWon, edit: mixedProcedures(vig, paid), settled: true,
		},
	}
}

// mixedProcedures pays the higher seat and takes its vigorish, then takes the vigorish of the lower seat and pays it,
// at a table that declares no procedure.
func mixedProcedures(vig, paid func(*scene, *shoe.Stake) string) func(*scene) string {
	return func(sc *scene) string {
		return "set table_opened: config.payment_procedure=0\n" +
			"swap " + paid(sc, sc.otherStake) + " with " + vig(sc, sc.otherStake)
	}
}

func seatOrderFaults() []Fault {
	kinds := append(punto(), ny()...)
	return []Fault{
		{
			Rule: "order.descending-seats", Doc: "the low seat served first", Kinds: kinds, wagers: rivals,
			accept: rivalsWon,
			bend:   func(sc *scene) error { sc.round.Ascending = true; return nil },
		},
		{
			Rule: "order.procedure-notice", Doc: "the procedure's notice late, oral or to one recipient only",
			Kinds: punto(), notInRound: true,
			edit: func(sc *scene) string {
				how := []string{"recipients=SURVEILLANCE", "recipients=COMMISSION", "filed_at+=31m", "written=false"}
				return "set notice_filed topic=PAYMENT_PROCEDURE: " + how[sc.table.Rand().IntN(len(how))]
			},
		},
		{
			Rule: "order.one-player-at-a-time", Doc: "pairs paid in a pass of their own",
			Kinds: only("pair-mini"), // punto banco prescribes the order of seats, which such a pass breaks too
			tune:  procedure(1),
			wagers: func(sc *scene) {
				rivals(sc)
				sc.round.Stakes = slices.DeleteFunc(sc.round.Stakes, func(st shoe.Stake) bool {
					return shoe.IsPairSpot(st.Spot)
				})
				if sc.stake != nil {
					sc.addStakeFor(sc.stake, schema.SpotPlayerPair, 500)
				}
			},
			accept: func(sc *scene, c *shoe.Coup) bool { return rivalsWon(sc, c) && c.Pair(shoe.Player) },
			bend:   func(sc *scene) error { sc.round.PairsApart = true; return nil },
		},
	}
}
