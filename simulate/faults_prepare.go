package simulate

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

func midi() []string { return []string{"ny-midi", "ny-midi-ez", "ny-midi-bonus"} }

// njAll are the New Jersey tables with a Banker or curator or dealer, chemin de fer included.
func njAll() []string {
	return slices.Concat(punto(), njMini(), only("nj-mini-tie25", "nj-chemin"))
}

// negative attests that something is not on the layout.
func negative(item string) func(*scene) string {
	return editing("set layout_attested item=" + item + ": present=false")
}

func batchFaults() []Fault {
	kinds := only("ny-shuffler")
	second := func(set string) func(*scene) string {
		return func(sc *scene) string {
			id := sc.t.Writer().table + "-b2: "
			return "set deck_received batch_id=" + id + set + "\nset each batch_state batch_id=" + id + set
		}
	}
	return []Fault{
		{Rule: "batch.two-equal", Doc: "batches of unequal size", Kinds: kinds, wide: true, alone: true, edit: second("deck_count+=1")},
		{Rule: "batch.back-colors-differ", Doc: "both batches red", Kinds: kinds, wide: true, alone: true, edit: second("back_color=red")},
		{
			Rule: "batch.alternate-every-shoe", Doc: "one batch for two shoes running", Kinds: kinds, wide: true,
			between: func(sc *scene) error {
				sc.t.Writer().batch, sc.t.Writer().back = sc.t.Writer().table+"-b2", "blue"
				return nil
			},
		},
		{
			Rule: "batch.discard-single", Doc: "cards of both batches in the rack", Kinds: kinds, wide: true,
			edit: func(sc *scene) string {
				return "insert after " + sc.on("round_ended: batch_state shoe_id= round=0 batch_id=%s-b2 deck_count=%d back_color=blue state=IN_DISCARD_RACK",
					sc.t.Writer().table, sc.t.Config().Decks)
			},
		},
	}
}

func openFaults() []Fault {
	nj := njAll()
	return []Fault{
		{
			Rule: "open.inspection-before-play", Doc: "new cards shuffled without inspection", Kinds: slices.Concat(nj, nyAll(), midi()), wide: true,
			edit: editing("delete cards_inspected"),
		},
		{
			Rule: "open.floor-verification", Doc: "the inspection confirmed by a dealer", Kinds: nj, wide: true,
			edit: editing("set cards_verified: verifier_role=DEALER"),
		},
		{
			Rule: "open.spread-for-first-participant", Doc: "the cards spread face down", Kinds: nj, wide: true,
			edit: editing("set cards_spread: face=DOWN"),
		},
		{
			Rule: "open.spread-arrangement", Doc: "spread in the arrangement of another game", Kinds: nj, wide: true,
			edit: func(sc *scene) string {
				if sc.t.Writer().house.bucket {
					return "set cards_spread: arrangement=ROWS"
				}
				return "set cards_spread: arrangement=COLUMNS"
			},
		},
		{
			Rule: "open.wash-face-down-and-stack", Doc: "no wash", Kinds: nj, wide: true,
			edit: editing("delete cards_washed"),
		},
		{
			Rule: "open.step-order", Doc: "stacked before the wash", Kinds: nj, wide: true,
			edit: editing("swap cards_stacked with cards_washed"),
		},
	}
}

func shuffleFaults() []Fault {
	nj := njAll()
	return []Fault{
		{
			Rule: "shuffle.required", Doc: "used cards loaded again without a shuffle", Kinds: nj, wide: true,
			tune: reshuffling(false),
			edit: editing("delete shoe=2 shoe_shuffled"),
		},
		{
			Rule: "shuffle.random-order", Doc: "the cards come in new-deck order, or in that of the shoe before", Kinds: nj, wide: true, lead: true,
			bend: func(sc *scene) error {
				order := sc.before
				if sc.t.Rand().IntN(2) == 0 {
					order = fullSet(sc.t.Config().Decks)
				}
				sc.stack(order)
				if at := sc.s.seqs(); at[len(at)-1] < 60 {
					return errElsewhere // too few cards to tell
				}
				return nil
			},
		},
		{Rule: "shuffle.lacing", Doc: "no lacing", Kinds: nj, wide: true, tune: reshuffling(false), edit: editing("delete shoe_laced")},
		{
			Rule: "shuffle.option-pit-uniform", Doc: "one table of the pit reshuffles after lacing and its neighbour does not", Kinds: nj, wide: true,
			tune: reshuffling(false), beside: func(*schema.TableConfig) {},
			edit: func(sc *scene) string {
				return "insert after shoe_laced: shoe_shuffled batch_id=" + sc.t.Writer().batch + " phase=AFTER_LACING method=MANUAL"
			},
		},
		{
			Rule: "shuffle.option-notice", Doc: "the notice of reshuffling late, oral or to one recipient only", Kinds: nj, wide: true,
			tune: reshuffling(true),
			edit: func(sc *scene) string {
				how := []string{"recipients=SURVEILLANCE", "recipients=COMMISSION", "filed_at+=31m", "written=false"}
				return "set notice_filed topic=RESHUFFLE_OPTION: " + how[sc.t.Rand().IntN(len(how))]
			},
		},
		{
			Rule: "shuffle.step-order", Doc: "laced after the cut", Kinds: nj, wide: true, tune: reshuffling(false),
			edit: editing("move shoe_laced after shoe_transposed"),
		},
	}
}

func reshuffling(on bool) func(*schema.TableConfig) {
	return func(c *schema.TableConfig) { c.ReshuffleAfterLacing = on }
}

// stack deals the shoe again from cards in a given order, and then from the rest of the set.
func (sc *scene) stack(order []card) {
	rest := fullSet(sc.t.Config().Decks)
	for _, c := range order {
		if i := slices.Index(rest, c); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
		}
	}
	shuffle(sc.t.Rand(), rest)
	deck := slices.Concat(order, rest)
	n := 1 + deck[0].burns()
	sc.s.burn, deck = deck[:n:n], deck[n:]
	for i := range sc.s.rounds {
		r := &sc.s.rounds[i]
		r.coup = dealCoup(deck)
		deck = deck[r.coup.cards():]
		if r.bank != nil {
			r.bank.calls = nil // they hang on results
		}
	}
	sc.s.rest = deck
}

func cutFaults() []Fault {
	nj := njAll()
	plainCut := func(c *schema.TableConfig) { c.Options = nil }
	// cut wants a patron who cuts after so many offers.
	cut := func(offers int, then func(*scene) error) func(*scene) error {
		return func(sc *scene) error {
			if sc.s.cutBy == 0 || len(sc.s.offers) < offers {
				return errElsewhere
			}
			if then == nil {
				return nil
			}
			return then(sc)
		}
	}
	again := func(seat func(*scene) uint32) func(*scene) error {
		return func(sc *scene) error {
			sc.s.again = &recut{seat: seat(sc), depth: 77}
			return nil
		}
	}
	return []Fault{
		{
			Rule: "cut.offer-start", Doc: "the cut offered past the one who is entitled", Kinds: nj, wide: true, bend: cut(2, nil),
			edit: func(sc *scene) string { return fmt.Sprintf("delete cut_offered seat=%d", sc.s.offers[0].seat) },
		},
		{
			Rule: "cut.offer-order", Doc: "a participant skipped", Kinds: nj, wide: true, bend: cut(3, nil),
			edit: func(sc *scene) string { return fmt.Sprintf("delete cut_offered seat=%d", sc.s.offers[1].seat) },
		},
		{
			Rule: "cut.dealer-only-if-declined", Doc: "the dealer cuts though a participant accepted", Kinds: nj, wide: true, bend: cut(1, nil),
			edit: editing("set shoe_cut: by_role=DEALER seat=0"),
		},
		{
			Rule: "cut.backs-away-from-dealer", Doc: "the faces turned to the one who cuts", Kinds: nj, wide: true, bend: cut(1, nil),
			edit: func(sc *scene) string {
				sc.seat = sc.s.cutBy
				return "set last cut_offered: backs_away_from_dealer=false"
			},
		},
		{
			Rule: "cut.min-depth", Doc: "cut nine cards from the front", Kinds: nj, wide: true,
			bend: func(sc *scene) error { sc.s.depth = 9; return nil },
		},
		{
			Rule: "cut.front-to-back", Doc: "part of the cut left in front", Kinds: nj, wide: true,
			edit: editing("set shoe_transposed: moved_count-=5"),
		},
		{Rule: "cut.cutcard-depth", Doc: "thirteen cards behind the cutting card", Kinds: nj, wide: true, behind: 13},
		{
			Rule: "cut.second-cutcard-at-end", Doc: "three cards behind the second cutting card", Kinds: nj, wide: true,
			edit: editing("set cutcard_placed which=2: cards_behind=3"),
		},
		{
			Rule: "cut.recut-window", Doc: "a recut after the first card", Kinds: nj, wide: true, tune: plainCut, bend: cut(1, nil),
			edit: func(sc *scene) string {
				at := "insert after round=1 card_dealt nth=1: "
				return fmt.Sprintf("%sshoe_cut by_role=PATRON seat=%d depth_from_front=60 stack_size=%d\n%srecut_ordered by_role=SUPERVISOR reason=\"cut not square\"",
					at, sc.s.cutBy, 52*sc.t.Config().Decks, at)
			},
		},
		{
			Rule: "cut.recut-authority", Doc: "a recut ordered by the dealer", Kinds: nj, wide: true, tune: plainCut,
			bend: cut(1, again(func(sc *scene) uint32 { return sc.s.cutBy })), edit: editing("set recut_ordered: by_role=DEALER"),
		},
		{
			Rule: "cut.recut-person", Doc: "recut by one who had declined", Kinds: nj, wide: true, tune: plainCut,
			bend: cut(2, again(func(sc *scene) uint32 { return sc.s.offers[0].seat })),
		},
	}
}

func layoutFaults() []Fault {
	pairs, treasures := only("pair-punto", "pair-mini"), only("treasures-punto", "treasures-mini")
	totals := only("total-punto", "total-mini")
	nyMidi := append(nyAll(), midi()...)
	bonus := func(c *schema.TableConfig) { c.SideBets = []schema.SideBet{schema.SideBetBonus} }
	list := []struct {
		rule, item, doc string
		kinds           []string
		tune            func(*schema.TableConfig)
	}{
		{"layout.vig-numbered-areas", "vig-areas", "no numbered areas for the vigorish", slices.Concat(punto(), njMini(), nyMidi), nil},
		{"layout.ny.minimum", "ny-minimum", "no name, card areas or wager areas", nyMidi, nil},
		{"layout.ny.payout-odds", "payout-odds", "odds neither inscribed nor posted", nyMidi, nil},
		{"layout.ny.dragon-bonus-area", "dragon-bonus-area", "no area for the dragon bonus", only("ny-dragon-bonus", "ny-midi-bonus"), nil},
		{"layout.ny.ez-areas", "ez-areas", "no areas for dragon 7 and panda 8", only("ny-ez", "ny-midi-ez"), nil},
		{"layout.ny.ez-push-notice", "ez-push-notice", "patrons are not told that a dragon 7 pushes", only("ny-ez", "ny-midi-ez"), nil},
		{"layout.ny.novig-notice", "novig-notice", "no notice of the no-vigorish variation", only("ny-novig6"), nil},
		{"layout.midi-discard-rack", "midi-discard-rack", "no discard rack", midi(), nil},
		{"layout.nj.total-card-odds", "total-card-odds", "total card odds not inscribed", totals, nil},
		{"layout.nj.bonus-odds", "bonus-odds", "bonus odds not inscribed", totals, bonus},
		{"layout.nj.pair-areas", "pair-areas", "no pair areas", pairs, nil},
		{"layout.nj.treasures-areas", "treasures-areas", "fewer than five treasure areas", treasures, nil},
		{"layout.nj.treasures-odds", "treasures-odds", "treasure odds not inscribed", treasures, nil},
		{"layout.nj.approved", "layout-approval", "a layout without approval", slices.Concat(pairs, totals, treasures), nil},
	}
	var out []Fault
	for _, x := range list {
		out = append(out, Fault{Rule: x.rule, Doc: x.doc, Kinds: x.kinds, tune: x.tune, edit: negative(x.item), wide: true, alone: true})
	}
	return out
}

// otherTable is an elected pay table other than the one in force.
func otherTable(c *schema.TableConfig, name string) string {
	if name == "treasures" {
		return string('1' + '2' - c.PayTables[name][0])
	}
	return string("ABC"[(c.PayTables[name][0]-'A'+1)%3])
}

// switchTable puts another pay table in force within the round and the old one again after it.
func switchTable(name string, card int) func(*scene) string {
	return func(sc *scene) string {
		c := sc.t.Config()
		return "insert before " + sc.on("round_started: notice_filed round=0 topic=PAY_TABLE recipients=COMMISSION,SURVEILLANCE written=true\n") +
			"configure after " + sc.on("card_dealt nth=%d: pay_tables.%s=%s\n", card, name, otherTable(c, name)) +
			"configure after " + sc.on("discard_placed: pay_tables.%s=%s", name, c.PayTables[name])
	}
}

func paytableFaults() []Fault {
	kinds := only("ny-dragon-bonus", "ny-midi-bonus")
	return []Fault{
		{
			Rule: "paytable.dragon-bonus.change-window", Doc: "the pay table switched within a round", Kinds: kinds,
			edit: switchTable("dragon_bonus", 2),
		},
		{
			Rule: "paytable.dragon-bonus.notice", Doc: "the pay table changed without notice", Kinds: kinds, wide: true,
			bend: func(sc *scene) error {
				c := *sc.t.Config()
				c.PayTables = map[string]string{"dragon_bonus": otherTable(&c, "dragon_bonus")}
				c.ConfigID += "+"
				sc.r.change, *sc.t.Config() = &c, c
				return nil
			},
		},
	}
}

func externalFaults() []Fault {
	ny := append(nyAll(), midi()...)
	nj := append(punto(), njMini()...)
	limits := func(c *schema.TableConfig) { c.MinWager = 100 }
	return []Fault{
		{
			Rule: "external.table-limits", Doc: "a wager below the minimum", Kinds: punto(), Off: true, tune: limits,
			bets: staking(schema.SpotTie, 50), accept: playerWon,
		},
		{
			Rule: "external.limit-change-notice", Doc: "limits changed without a sign", Kinds: nj, Off: true, wide: true,
			between: func(sc *scene) error {
				c := *sc.t.Config()
				c.MaxWager *= 2
				sc.t.Configure(c)
				return nil
			},
		},
		{
			Rule: "external.match-play.one-per-round", Doc: "two coupons in a round", Kinds: nj, Off: true,
			bets: staking(schema.SpotPlayer, 5000), accept: playerWon,
			bend: func(sc *scene) error {
				sc.st.medium, sc.st.coupon = schema.WagerMediumChipsAndCoupon, 1000
				second := *sc.st
				second.id += "c"
				sc.r.stakes = append(sc.r.stakes, second)
				return nil
			},
		},
		{
			Rule: "external.ny.table-inspection", Doc: "inspected without sorting", Kinds: ny, wide: true,
			edit: editing("set cards_inspected: new_deck_order=false"),
		},
		{
			Rule: "external.ny.unsuitable-deck", Doc: "a deck with an extra card kept in use", Kinds: ny, wide: true,
			edit: editing("set cards_inspected: extra=Ks"),
		},
		{
			Rule: "external.nj.preshuffled-cards", Doc: "pre-shuffled cards without a receipt", Kinds: only("treasures-punto", "treasures-mini"), Off: true, wide: true,
			edit: editing("set deck_received: pre_shuffled=true"),
		},
	}
}
