package fault

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// vigAfterPay is the edit that inserts a vigorish of the wager at issue after the last payment of the round.
func (sc *scene) vigAfterPay(amount int64) string {
	return "insert after last " +
		sc.inRound("wager_paid: vigorish_collected seat=%d amount=%d kind=ROUND wager_ids=%s", sc.stake.Seat, amount,
			sc.stake.ID)
}

// vigAfterReturn is the edit that inserts a vigorish of the wager at issue after the return of its stake.
func (sc *scene) vigAfterReturn(amount int64) string {
	return "insert after " +
		sc.inRound("wager_returned wager_id=%s: vigorish_collected seat=%d amount=%d kind=ROUND wager_ids=%s",
			sc.stake.ID, sc.stake.Seat, amount, sc.stake.ID)
}

// onlyBanker makes the wager at issue the only one on the banker hand.
func onlyBanker(sc *scene) {
	sc.stake = sc.addStake(schema.SpotBanker, 10000)
	sc.round.Stakes = slices.DeleteFunc(sc.round.Stakes, func(st shoe.Stake) bool {
		return st.Spot == schema.SpotBanker && st.Seat != sc.stake.Seat
	})
}

func vigorishModeFaults() []Fault {
	banker10k := staking(schema.SpotBanker, 10000)
	tieVig := func(sc *scene) string { return sc.inRound("vigorish_collected kind=TIE25 wager_ids=%s", sc.stake.ID) }
	return []Fault{
		{
			Rule: "vig.tie25.exclusive", Doc: "a commission beside the tie charge", Kinds: tie25s(), wagers: banker10k,
			accept: bankerWon,
			tune:   func(c *schema.TableConfig) { c.PaymentProcedure = 1 },
			edit:   func(sc *scene) string { return sc.vigAfterPay(500) },
		},
		{
			Rule: "vig.tie25.amount", Doc: "a tie charge of twenty percent", Kinds: tie25s(), wagers: banker10k,
			accept: tied,
			edit:   func(sc *scene) string { return "set " + tieVig(sc) + ": amount=2000" },
		},
		{
			Rule: "vig.tie25.timing", Doc: "the tie charge deferred", Kinds: tie25s(), wagers: banker10k, accept: tied,
			edit: func(sc *scene) string {
				return fmt.Sprintf("move %s after round=%d card_dealt nth=1", tieVig(sc), sc.number+1)
			},
		},
		{
			Rule: "vig.tie25.all-players", Doc: "one player is spared the tie charge", Kinds: tie25s(),
			wagers: banker10k, accept: tied,
			edit: func(sc *scene) string { return "delete " + tieVig(sc) },
		},
		{
			Rule: "vig.tie25.not-authorised", Doc: "a tie charge at a punto banco table", Kinds: punto(),
			wagers: banker10k, accept: tied, notInRound: true,
			tune: func(c *schema.TableConfig) { c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeTie25} },
		},
		{
			Rule: "vig.ez.none", Doc: "commission at an EZ table", Kinds: only("ny-ez"), wagers: banker10k,
			accept: bankerWon,
			edit:   func(sc *scene) string { return sc.vigAfterPay(500) },
		},
		{
			Rule: "vig.ez.dragon-7-charge", Doc: "a quarter charged on a dragon 7", Kinds: only("ny-ez"),
			wagers: banker10k, accept: dragon,
			edit: func(sc *scene) string { return sc.vigAfterReturn(2500) },
		},
		{
			Rule: "vig.novig6.none", Doc: "commission on top of the reduced six", Kinds: only("ny-novig6"),
			wagers: banker10k, accept: bankerWon,
			tune: func(c *schema.TableConfig) { c.PaymentProcedure = 1 },
			edit: func(sc *scene) string { return sc.vigAfterPay(500) },
		},
		{
			Rule: "vig.mode-mutually-exclusive", Doc: "the way of charging switched within a round", Kinds: minis(),
			accept: playerWon,
			alter:  switchMode,
		},
	}
}

// chargeFaults are about a charge that the table does not declare, and the lammers that mark one.
func chargeFaults() []Fault {
	return []Fault{
		{
			Rule: "vig.elected-charge", Doc: "nothing is taken at a table that declares no charge",
			Kinds: only("nj-punto", "nj-mini"), tune: timing(schema.VigorishTimingImmediate),
			wagers: staking(schema.SpotBanker, 10000), accept: bankerWon,
			edit: func(sc *scene) string {
				return "set table_opened: config.vigorish.mode=NONE\n" +
					"delete " + sc.inRound("vigorish_collected wager_ids=%s", sc.stake.ID)
			},
		},
		{
			Rule: "vig.lammer-storage", Doc: "loose lammers, for the charge on a dragon 7", Kinds: only("ny-ez"),
			Beside: []string{"vig.ez.dragon-7-charge"}, wagers: onlyBanker, accept: dragon,
			edit: func(sc *scene) string {
				marked := "insert after " + sc.inRound("wager_returned wager_id=%s: ", sc.stake.ID) + fmt.Sprintf(
					"vigorish_marked wager_id=%s seat=%d amount=2500 marker=LAMMER area=%[2]d", sc.stake.ID, sc.stake.Seat)
				after := "insert after " + sc.inRound("vigorish_marked: ")
				return negative("lammer-storage")(sc) + "\n" + marked + "\n" +
					after + fmt.Sprintf("vigorish_marker_removed seat=%d amount=2500\n", sc.stake.Seat) +
					after + fmt.Sprintf("vigorish_collected seat=%d amount=2500 kind=OUTSTANDING", sc.stake.Seat)
			},
		},
	}
}

// switchMode puts a tie charge into force after the fourth card of the round and the commission again after the
// round, with all notices given before.
func switchMode(sc *scene) error {
	fourth := sc.roundEvents(func(ev *schema.Event) bool { return ev.Payload.Kind() == schema.KindCardDealt })[3].Seq
	all := sc.roundEvents(func(*schema.Event) bool { return true })
	start, end := all[0].Seq, all[len(all)-1].Seq
	other := sc.table.Writer().Config
	first := sc.events[0]
	for i := range sc.events {
		if p, ok := sc.events[i].Payload.(*schema.TableOpened); ok {
			other = p.Config
		}
	}
	back := other
	other.ConfigID, back.ConfigID = other.ConfigID+"+", back.ConfigID+"-"
	other.Vigorish.Mode = schema.VigorishModeTie25
	var out []schema.Event
	add := func(after *schema.Event, p schema.Payload) {
		ev := *after
		ev.EventID = shoe.EventID(ev.At, shoe.Mix(after.Seq), uint64(len(out)))
		ev.Actor = schema.Actor{Role: schema.RoleFloorperson, ID: sc.table.Writer().Floorperson}
		ev.Source, ev.Video, ev.Payload = sc.table.Writer().Devices[schema.SourceKindPit], schema.Video{}, p
		out = append(out, ev)
	}
	for i := range sc.events {
		ev := &sc.events[i]
		if ev.Seq == start {
			before := &sc.events[i-1]
			to := []schema.Recipient{schema.RecipientCommission, schema.RecipientSurveillance}
			for _, at := range []int64{all[0].At, ev.At + 1} {
				add(before, &schema.NoticeFiled{
					Topic: schema.NoticeTopicVigorishType, FiledAt: before.At, EffectiveAt: at, Recipients: to,
					Written: true,
				})
				add(before, &schema.NoticePosted{
					Topic: schema.NoticeTopicVigorishType, Medium: schema.NoticeMediumSign, PostedAt: before.At,
					EffectiveAt: at,
				})
			}
		}
		out = append(out, *ev)
		switch ev.Seq {
		case fourth:
			add(ev, &schema.TableConfigured{Config: other, EffectiveAt: ev.At})
		case end:
			add(ev, &schema.TableConfigured{Config: back, EffectiveAt: ev.At})
			out[len(out)-1].Round = 0
		}
	}
	for i := range out {
		out[i].Seq = first.Seq + uint64(i)
	}
	sc.events = out
	return nil
}
