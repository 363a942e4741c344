package simulate

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

func supplementalFaults() []Fault {
	pairs := only("pair-punto", "pair-mini")
	return []Fault{
		{
			Rule: "supplemental.one-of-three", Doc: "pair and total card wagers at one table", Kinds: pairs, wide: true, alone: true,
			tune: func(c *schema.TableConfig) { c.SideBets = append(c.SideBets, schema.SideBetTotalCard) },
		},
		{
			Rule: "supplemental.base-wager-required", Doc: "a pair wager alone", Kinds: pairs,
			tune: func(c *schema.TableConfig) { c.SupplementalRequiresMain = true },
			bets: func(sc *scene) {
				sc.lay(schema.SpotPlayer, 5000)
				sc.st = sc.lay(schema.SpotBankerPair, 500)
				seat := sc.st.seat
				sc.r.stakes = slices.DeleteFunc(sc.r.stakes, func(x stake) bool { return x.seat == seat && x.spot != schema.SpotBankerPair })
			},
			accept: func(_ *scene, c *coup) bool { return !c.pair(banker) },
		},
	}
}

// holder is the seat that deals the round at issue.
func (sc *scene) holder() uint32 {
	cards := sc.steps(func(ev *schema.Event) bool { return ev.Payload.Kind() == schema.KindCardDealt })
	return cards[0].Payload.(*schema.CardDealt).BySeat
}

// notAt finds a seat of the round at issue that has a wager, other than the one given.
func (sc *scene) notAt(seat uint32) uint32 {
	for i := range sc.r.stakes {
		if s := sc.r.stakes[i].seat; s != seat {
			return s
		}
	}
	return 0
}

// strangeHand has a card of the round at issue drawn by another seat.
func strangeHand(sc *scene) string {
	if sc.seat = sc.notAt(sc.holder()); sc.seat == 0 {
		return ""
	}
	return "set " + sc.on("card_dealt hand=PLAYER index=2: by_seat=%d", sc.seat)
}

// skipped deletes the first offer of a shoe after a release, or at its start, if it was declined. What
// happens between two rounds belongs to the one before, and what precedes the first to it.
func skipped(released bool) func(*scene) string {
	return func(sc *scene) string {
		after := false
		for i := range sc.events {
			ev := &sc.events[i]
			switch p := ev.Payload.(type) {
			case *schema.CuratorPassed:
				after = true
			case *schema.CuratorOffered:
				if !p.Accepted && after == released && ev.ShoeID == sc.s.id && (!released || upcoming(sc.events[i:]) > 1) {
					next := sc.events[i+1].Payload.(*schema.CuratorOffered)
					sc.seat, sc.round = next.Seat, max(upcoming(sc.events[i:])-1, 1)
					return fmt.Sprintf("delete seq=%d curator_offered", ev.Seq)
				}
				if !released {
					return ""
				}
				after = false
			}
		}
		return ""
	}
}

// upcoming is the number of the next round.
func upcoming(events []schema.Event) uint32 {
	for i := range events {
		if events[i].Payload.Kind() == schema.KindRoundStarted {
			return events[i].Round
		}
	}
	return 0
}

func curatorFaults() []Fault {
	kinds := punto()
	return []Fault{
		{Rule: "curator.initial-offer", Doc: "the shoe offered past the first seat", Kinds: kinds, edit: skipped(false)},
		{Rule: "curator.only-curator-deals", Doc: "another patron draws", Kinds: kinds, edit: strangeHand},
		{
			Rule: "curator.must-pass", Doc: "the shoe kept after the banker hand lost", Kinds: kinds, accept: playerWon,
			bend: func(sc *scene) error {
				next := &sc.s.rounds[sc.k+1]
				if next.pass || len(next.seating) > 0 {
					return errElsewhere
				}
				sc.r.clings = true
				return nil
			},
			alter: func(sc *scene) error { sc.seat = sc.holder(); return nil },
		},
		{
			Rule: "curator.ordered-pass-grounds", Doc: "a curator removed without a ground", Kinds: kinds,
			bend: func(sc *scene) error { sc.r.pass = true; return nil },
			edit: func(sc *scene) string {
				var pass *schema.Event
				for i := range sc.events {
					ev := &sc.events[i]
					p, ok := ev.Payload.(*schema.CuratorPassed)
					if ok && ev.ShoeID == sc.s.id && p.Cause == schema.PassCauseVoluntary && upcoming(sc.events[i:]) == uint32(sc.n) {
						pass, sc.seat = ev, p.Seat
					}
				}
				if pass == nil {
					return ""
				}
				sc.round = uint32(sc.n) - 1
				return fmt.Sprintf("set seq=%d curator_passed: cause=ORDERED ordered_by_role=FLOORPERSON", pass.Seq)
			},
		},
		{
			Rule: "curator.pass-between-rounds", Doc: "the shoe passed after the second card", Kinds: kinds,
			bend:  func(sc *scene) error { sc.r.passAt = 2; return nil },
			alter: func(sc *scene) error { sc.seat = sc.holder(); return nil },
		},
		{
			Rule: "curator.next-offer", Doc: "the right-hand neighbour skipped", Kinds: kinds,
			bend: func(sc *scene) error { sc.r.pass = true; return nil },
			edit: skipped(true),
		},
	}
}

// much is more than anybody stakes of his own will.
const much = 2_000_000

func midiFaults() []Fault {
	kinds := midi()
	// rivalry lays two wagers on the player's hand.
	rivalry := func(first, second int64) func(*scene) {
		return func(sc *scene) {
			sc.st = sc.lay(schema.SpotPlayer, first)
			sc.other = sc.lay(schema.SpotPlayer, second, sc.st.seat)
		}
	}
	onPlayer, onBanker := staking(schema.SpotPlayer, much), staking(schema.SpotBanker, much)
	// given lets the one entitled give up the player's hand, and the second who is asked take it.
	given := func(sc *scene) {
		onPlayer(sc)
		g := &give{seat: sc.st.seat}
		n := len(sc.t.Patrons())
		first := slices.IndexFunc(sc.t.Patrons(), func(p *patron) bool { return p.seat == g.seat })
		for i := 1; i <= 2; i++ {
			g.offers = append(g.offers, offer{sc.t.Patrons()[(first+i)%n].seat, i == 2})
		}
		sc.r.gives[player] = g
	}
	return []Fault{
		{
			Rule: "midi.squeeze.recipient", Doc: "the hand given to a lower wager", Kinds: kinds, bets: rivalry(much, 5000),
			bend: func(sc *scene) error {
				sc.seat = sc.other.seat
				sc.r.handTo[player] = sc.seat
				return nil
			},
		},
		{
			Rule: "midi.squeeze.tie-break", Doc: "of two equal wagers the farther chosen", Kinds: kinds, bets: rivalry(much, much),
			bend: func(sc *scene) error {
				sc.seat = max(sc.st.seat, sc.other.seat)
				sc.r.handTo[player] = sc.seat
				return nil
			},
		},
		{
			Rule: "midi.squeeze.faces", Doc: "cards given back face down", Kinds: kinds, bets: onPlayer,
			edit: func(sc *scene) string { return "set " + sc.on("cards_returned hand=PLAYER nth=1: face=DOWN") },
		},
		{
			Rule: "midi.squeeze.order", Doc: "both hands out at once", Kinds: kinds, bets: onBanker,
			edit: func(sc *scene) string {
				sc.st = nil
				return "move " + sc.on("cards_handed hand=BANKER nth=1 before ") + sc.on("announced code=POINT_COUNT hand=PLAYER")
			},
		},
		{
			Rule: "midi.banker-under-shoe", Doc: "the banker hand left on the layout", Kinds: kinds,
			edit: func(sc *scene) string {
				return "set " + sc.on("card_moved to=UNDER_SHOE_RIGHT nth=1: to=LAYOUT")
			},
		},
		{
			Rule: "midi.third-card-same-player", Doc: "the third card given to another patron", Kinds: kinds, bets: onBanker, accept: bankerDrew,
			edit: func(sc *scene) string {
				if sc.seat = sc.notAt(sc.st.seat); sc.seat == 0 {
					return ""
				}
				return "set last " + sc.on("cards_handed hand=BANKER: seat=%d", sc.seat) + "\nset last " + sc.on("cards_returned hand=BANKER: seat=%d", sc.seat)
			},
		},
		{
			Rule: "midi.relinquish-order", Doc: "the right-hand neighbour skipped", Kinds: kinds, bets: given,
			edit: func(sc *scene) string {
				sc.seat = sc.r.gives[player].offers[1].seat
				return "delete " + sc.on("squeeze_offered nth=1")
			},
		},
		{
			Rule: "midi.dealer-turns-when-none", Doc: "a hand given to a patron without a wager on it", Kinds: kinds,
			bets: func(sc *scene) {
				onPlayer(sc)
				sc.r.stakes = slices.DeleteFunc(sc.r.stakes, func(x stake) bool { return x.spot == schema.SpotBanker })
			},
			bend: func(sc *scene) error {
				sc.seat = sc.st.seat
				sc.r.handTo[banker] = sc.seat
				return nil
			},
		},
		{
			Rule: "midi.compulsory-relinquish-authority", Doc: "the hand withdrawn by surveillance", Kinds: kinds,
			bets: func(sc *scene) { given(sc); sc.r.gives[player].ordered = true },
			edit: func(sc *scene) string {
				return "set " + sc.on("squeeze_relinquished: ordered_by_role=SURVEILLANCE")
			},
		},
	}
}

func announceFaults() []Fault {
	full := slices.Concat(punto(), only("pair-mini", "treasures-mini"), nyAll(), midi())
	treasures := only("treasures-punto", "treasures-mini")
	delete := func(code string) func(*scene) string {
		return func(sc *scene) string { return "delete " + sc.on("announced code=%s", code) }
	}
	one := func(t schema.Treasure) condition {
		return func(_ *scene, c *coup) bool { return c.treasure() == t }
	}
	return []Fault{
		{
			Rule: "announce.initial-counts", Doc: "a wrong count called", Kinds: append(only("nj-mini"), full...),
			edit: func(sc *scene) string { return "set " + sc.on("announced code=POINT_COUNT hand=BANKER: value+=1") },
		},
		{
			Rule: "announce.count-order", Doc: "the banker's count called first", Kinds: append(punto(), ny()...),
			tune: func(c *schema.TableConfig) { c.DealingStyle = schema.DealingStyleFaceUp },
			edit: func(sc *scene) string {
				return "swap " + sc.on("announced code=POINT_COUNT hand=PLAYER with ") + sc.on("announced code=POINT_COUNT hand=BANKER")
			},
		},
		{
			Rule: "announce.final-counts", Doc: "a wrong final count called", Kinds: full,
			edit: func(sc *scene) string { return "set " + sc.on("announced code=FINAL_COUNT hand=BANKER: value+=1") },
		},
		{
			Rule: "announce.winner", Doc: "the losing hand called", Kinds: full, accept: playerWon,
			edit: func(sc *scene) string {
				return "set " + sc.on("announced code=PLAYER_WINS: code=BANKER_WINS hand=BANKER")
			},
		},
		{Rule: "announce.tie-hand", Doc: "a tie not called", Kinds: full, accept: tied, edit: delete("TIE_HAND")},
		{
			Rule: "announce.total-cards", Doc: "a wrong number of cards called", Kinds: only("total-punto", "total-mini"),
			edit: func(sc *scene) string { return "set " + sc.on("announced code=TOTAL_CARDS: value+=1") },
		},
		{
			Rule: "announce.pair", Doc: "a pair not called", Kinds: only("pair-punto", "pair-mini"),
			accept: func(_ *scene, c *coup) bool { return c.pair(player) }, edit: delete("PLAYER_PAIR"),
		},
		{Rule: "announce.dragon-7", Doc: "a dragon 7 not called", Kinds: only("ny-ez", "ny-midi-ez"), accept: dragon, edit: delete("DRAGON_7")},
		{Rule: "announce.panda-8", Doc: "a panda 8 not called", Kinds: only("ny-ez", "ny-midi-ez"), accept: panda, edit: delete("PANDA_8")},
		{
			Rule: "announce.treasures-highest", Doc: "a Heavenly 9 of both hands called as one", Kinds: treasures, accept: one(schema.TreasureHeavenly9Both),
			edit: func(sc *scene) string {
				return "set " + sc.on("announced code=TREASURE: treasure=HEAVENLY_9_ONE")
			},
		},
		{
			Rule: "announce.before-settlement", Doc: "a losing wager swept before the call", Kinds: slices.Concat(punto(), nyAll(), midi()),
			bets: staking(schema.SpotPlayer, 6000), accept: bankerWon,
			edit: func(sc *scene) string {
				text := "move " + sc.on("wager_collected wager_id=%s before ", sc.st.id) + sc.on("announced code=FINAL_COUNT hand=PLAYER")
				sc.st = nil
				return text
			},
		},
	}
}

func discardFaults() []Fault {
	return []Fault{{
		Rule: "discard.order-preserved", Doc: "the discards mixed", Kinds: append(nyAll(), midi()...),
		edit: func(sc *scene) string { return "set " + sc.on("discard_placed: order_preserved=false") },
	}}
}

func treasureFaults() []Fault {
	kinds := only("treasures-punto", "treasures-mini")
	elect := func(table string) func(*schema.TableConfig) {
		return func(c *schema.TableConfig) { c.PayTables = map[string]string{"treasures": table} }
	}
	on := func(t schema.Treasure) condition {
		return func(_ *scene, c *coup) bool { return c.treasure() == t }
	}
	both := on(schema.TreasureHeavenly9Both)
	list := []struct {
		rule, doc string
		spot      schema.Spot
		accept    condition
		table     string
		times     int64
	}{
		{"treasures.payout.fortune-7", "Fortune 7 paid thirty to one", schema.SpotFortune7, dragon, "2", 30},
		{"treasures.payout.golden-8", "Golden 8 paid twenty to one", schema.SpotGolden8, panda, "2", 20},
		{"treasures.payout.heavenly-9-both", "two three-card nines paid as one", schema.SpotHeavenly9, both, "2", 10},
		{"treasures.payout.heavenly-9-one", "one three-card nine paid as two", schema.SpotHeavenly9, on(schema.TreasureHeavenly9One), "1", 75},
		{"treasures.payout.blazing-three-card", "Blazing 7s paid by the other pay table", schema.SpotBlazing7s, on(schema.TreasureBlazing7sThree), "2", 400},
		{"treasures.payout.cover-all", "Cover All paid twice", schema.SpotCoverAll, dragon, "1", 12},
		{"treasures.highest-single", "both rows of Heavenly 9 added up", schema.SpotHeavenly9, both, "1", 85},
	}
	var out []Fault
	for _, x := range list {
		out = append(out, Fault{
			Rule: x.rule, Doc: x.doc, Kinds: kinds, tune: elect(x.table), bets: staking(x.spot, 500), accept: x.accept, edit: paying(x.times),
		})
	}
	return append(out,
		Fault{
			Rule: "treasures.payout.blazing-two-card", Doc: "two-card Blazing 7s paid though the pay table has none", Kinds: kinds, tune: elect("1"),
			bets: staking(schema.SpotBlazing7s, 500), accept: on(schema.TreasureBlazing7sTwo), bend: forcing(won, 50),
		},
		Fault{
			Rule: "treasures.paytable-preselected", Doc: "the pay table switched within a round", Kinds: kinds,
			edit: switchTable("treasures", 4),
		},
	)
}
