package simulate

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// owing finds a seat that pays outstanding vigorish at the end of the shoe; the wager at issue must
// be among what it owes, when there is one.
func (sc *scene) owing() uint32 {
	ended := false
	for i := range sc.events {
		ev := &sc.events[i]
		ended = ended || ev.ShoeID == sc.s.id && ev.Payload.Kind() == schema.KindShoeEnded
		p, ok := ev.Payload.(*schema.VigorishCollected)
		if ended && ok && ev.ShoeID == sc.s.id && (sc.st == nil || slices.Contains(p.WagerIDs, sc.st.id)) {
			sc.seat = p.Seat
			return p.Seat
		}
	}
	return 0
}

// final are selectors of the last collection from a seat and of the markers lifted after it.
func final(seat uint32) (collected, lifted string) {
	return fmt.Sprintf("last vigorish_collected kind=OUTSTANDING seat=%d", seat), fmt.Sprintf("last vigorish_marker_removed seat=%d", seat)
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

func vigorishFaults() []Fault {
	kinds := commissions()
	banker10k, odd := staking(schema.SpotBanker, 10000), staking(schema.SpotBanker, 12345)
	deferred, immediate := timing(schema.VigorishTimingDeferred), timing(schema.VigorishTimingImmediate)
	return []Fault{
		{
			Rule: "vig.percent-allowed", Doc: "six percent", Kinds: kinds, wide: true, alone: true,
			tune: func(c *schema.TableConfig) { c.Vigorish.Percent = 6 },
		},
		{
			Rule: "vig.amount.under", Doc: "vigorish rounded down", Kinds: kinds, bets: odd, accept: bankerWon,
			bend: charging(func(_ *house, due int64) int64 { return due - 20 }),
		},
		{
			Rule: "vig.amount.over", Doc: "a unit too much", Kinds: kinds, bets: odd, accept: bankerWon,
			bend: charging(func(h *house, due int64) int64 { return due + h.unit }),
		},
		{
			Rule: "vig.rounding.invalid", Doc: "rounded to a unit that the rule does not allow", Kinds: kinds, bets: odd, accept: bankerWon,
			bend: charging(func(_ *house, due int64) int64 { return due - 1 }),
		},
		{
			Rule: "vig.collection-sum", Doc: "less collected than marked", Kinds: kinds, tune: deferred, bets: banker10k, accept: bankerWon, wide: true,
			edit: owed(func(seat uint32) string {
				collected, _ := final(seat)
				return "set " + collected + ": amount-=100"
			}),
		},
		{
			Rule: "vig.only-on-banker-win", Doc: "vigorish from a winning player wager", Kinds: kinds, tune: procedure(1),
			bets: staking(schema.SpotPlayer, 5000), accept: playerWon,
			edit: func(sc *scene) string { return sc.vigAfterPay(250) },
		},
		{
			Rule: "vig.not-charged", Doc: "vigorish forgotten", Kinds: kinds, tune: immediate, bets: banker10k, accept: bankerWon,
			bend: charging(func(*house, int64) int64 { return -1 }),
		},
		{
			Rule: "vig.uniform-table", Doc: "one seat pays the other percentage", Kinds: kinds, bets: rivals, accept: rivalsWon,
			bend: func(sc *scene) error {
				sc.st.charge = sc.st.amount / 100 * (9 - sc.t.Writer().house.percent)
				return nil
			},
		},
		{
			Rule: "vig.notice.increase", Doc: "four percent become five without notice", Kinds: kinds, wide: true,
			tune: func(c *schema.TableConfig) { c.Vigorish.Percent = 4; fitUnit(c) },
			between: func(sc *scene) error {
				c := *sc.t.Config()
				c.Vigorish.Percent = 5
				fitUnit(&c)
				sc.t.Configure(c)
				return nil
			},
		},
		{
			Rule: "vig.notice.type-change", Doc: "the commission becomes a tie charge without notice", Kinds: minis(), wide: true,
			between: func(sc *scene) error {
				c := *sc.t.Config()
				c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeTie25}
				sc.t.Configure(c)
				return nil
			},
		},
		{
			Rule: "vig.mark.required", Doc: "a debt kept in the dealer's head", Kinds: kinds, tune: deferred, bets: banker10k, accept: bankerWon,
			edit: func(sc *scene) string {
				if sc.owing() == 0 {
					return ""
				}
				return "delete " + sc.on("vigorish_marked wager_id=%s", sc.st.id)
			},
		},
		{
			Rule: "vig.mark.area", Doc: "the marker put on the neighbour", Kinds: kinds, tune: deferred, bets: banker10k, accept: bankerWon,
			edit: func(sc *scene) string {
				area := sc.st.seat + 1
				if sc.st.seat > 1 {
					area = sc.st.seat - 1
				}
				return "set " + sc.on("vigorish_marked wager_id=%s: area=%d", sc.st.id, area)
			},
		},
		{
			Rule: "vig.outstanding-at-reshuffle", Doc: "shuffled while commission was owed", Kinds: kinds, tune: deferred, bets: banker10k, accept: bankerWon, wide: true,
			edit: owed(func(seat uint32) string {
				collected, lifted := final(seat)
				return "move " + lifted + " after shoe=2 shoe_shuffled nth=1\nmove " + collected + " after shoe=2 shoe_shuffled nth=1"
			}),
		},
		{
			Rule: "vig.marker-removed-uncollected", Doc: "the marker taken off first", Kinds: ny(), tune: deferred, bets: banker10k, accept: bankerWon, wide: true,
			edit: owed(func(seat uint32) string {
				collected, lifted := final(seat)
				return "swap " + collected + " with " + lifted
			}),
		},
		{
			Rule: "vig.play-resumed-outstanding", Doc: "a new shoe dealt against an open debt", Kinds: ny(), tune: deferred, bets: banker10k, accept: bankerWon, wide: true,
			edit: owed(func(seat uint32) string {
				collected, lifted := final(seat)
				return "move " + lifted + " after shoe=2 card_dealt nth=1\nmove " + collected + " after shoe=2 card_dealt nth=1"
			}),
		},
	}
}

// fitUnit keeps a rounding unit in step with the percentage, unless the house takes exact amounts.
func fitUnit(c *schema.TableConfig) {
	if c.Vigorish.Unit > 0 {
		c.Vigorish.Unit = lawUnit(c.Game, int64(c.Vigorish.Percent))
	}
}

// vigAfterPay inserts a vigorish for the wager at issue after the last payment of the round.
func (sc *scene) vigAfterPay(amount int64) string {
	return "insert after last " + sc.on("wager_paid: vigorish_collected seat=%d amount=%d kind=ROUND wager_ids=%s", sc.st.seat, amount, sc.st.id)
}

// vigAfterReturn inserts a vigorish for the wager at issue after its stake went back.
func (sc *scene) vigAfterReturn(amount int64) string {
	return "insert after " + sc.on("wager_returned wager_id=%s: vigorish_collected seat=%d amount=%d kind=ROUND wager_ids=%s", sc.st.id, sc.st.seat, amount, sc.st.id)
}

func vigorishModeFaults() []Fault {
	banker10k := staking(schema.SpotBanker, 10000)
	tieVig := func(sc *scene) string { return sc.on("vigorish_collected kind=TIE25 wager_ids=%s", sc.st.id) }
	return []Fault{
		{
			Rule: "vig.tie25.exclusive", Doc: "a commission beside the tie charge", Kinds: tie25s(), bets: banker10k, accept: bankerWon,
			tune: func(c *schema.TableConfig) { c.PaymentProcedure = 1 },
			edit: func(sc *scene) string { return sc.vigAfterPay(500) },
		},
		{
			Rule: "vig.tie25.amount", Doc: "a tie charge of twenty percent", Kinds: tie25s(), bets: banker10k, accept: tied,
			edit: func(sc *scene) string { return "set " + tieVig(sc) + ": amount=2000" },
		},
		{
			Rule: "vig.tie25.timing", Doc: "the tie charge deferred", Kinds: tie25s(), bets: banker10k, accept: tied,
			edit: func(sc *scene) string {
				return fmt.Sprintf("move %s after round=%d card_dealt nth=1", tieVig(sc), sc.n+1)
			},
		},
		{
			Rule: "vig.tie25.all-players", Doc: "one player is spared the tie charge", Kinds: tie25s(), bets: banker10k, accept: tied,
			edit: func(sc *scene) string { return "delete " + tieVig(sc) },
		},
		{
			Rule: "vig.tie25.not-authorised", Doc: "a tie charge at a punto banco table", Kinds: punto(), bets: banker10k, accept: tied, wide: true, alone: true,
			tune: func(c *schema.TableConfig) { c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeTie25} },
		},
		{
			Rule: "vig.ez.none", Doc: "commission at an EZ table", Kinds: only("ny-ez"), bets: banker10k, accept: bankerWon,
			edit: func(sc *scene) string { return sc.vigAfterPay(500) },
		},
		{
			Rule: "vig.ez.dragon-7-charge", Doc: "a quarter charged on a dragon 7", Kinds: only("ny-ez"), bets: banker10k, accept: dragon,
			edit: func(sc *scene) string { return sc.vigAfterReturn(2500) },
		},
		{
			Rule: "vig.novig6.none", Doc: "commission on top of the reduced six", Kinds: only("ny-novig6"), bets: banker10k, accept: bankerWon,
			tune: func(c *schema.TableConfig) { c.PaymentProcedure = 1 },
			edit: func(sc *scene) string { return sc.vigAfterPay(500) },
		},
		{
			Rule: "vig.mode-mutually-exclusive", Doc: "the way of charging switched within a round", Kinds: minis(), accept: playerWon,
			alter: switchMode,
		},
		{
			Rule: "vig.lammer-storage", Doc: "loose lammers", Kinds: nyAll(), wide: true, alone: true,
			edit: editing("set layout_attested item=lammer-storage: present=false"),
		},
	}
}

// switchMode puts a tie charge in force after the fourth card of the round and the commission again
// after the round, with all notices given before.
func switchMode(sc *scene) error {
	fourth := sc.steps(func(ev *schema.Event) bool { return ev.Payload.Kind() == schema.KindCardDealt })[3].Seq
	all := sc.steps(func(*schema.Event) bool { return true })
	start, end := all[0].Seq, all[len(all)-1].Seq
	other := sc.t.Writer().cfg
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
		ev.EventID = eventID(ev.At, mix(after.Seq), uint64(len(out)))
		ev.Actor = schema.Actor{Role: schema.RoleFloorperson, ID: sc.t.Writer().floor}
		ev.Source, ev.Video, ev.Payload = sc.t.Writer().devices[schema.SourceKindPit], schema.Video{}, p
		out = append(out, ev)
	}
	for i := range sc.events {
		ev := &sc.events[i]
		if ev.Seq == start {
			before := &sc.events[i-1]
			to := []schema.Recipient{schema.RecipientCommission, schema.RecipientSurveillance}
			for _, at := range []int64{all[0].At, ev.At + 1} {
				add(before, &schema.NoticeFiled{
					Topic: schema.NoticeTopicVigorishType, FiledAt: before.At, EffectiveAt: at, Recipients: to, Written: true,
				})
				add(before, &schema.NoticePosted{
					Topic: schema.NoticeTopicVigorishType, Medium: schema.NoticeMediumSign, PostedAt: before.At, EffectiveAt: at,
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
