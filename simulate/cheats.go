package simulate

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/schema"
)

// Cheats lists what can be played: the cheats, weakest last in each scenario, then the honest oddities.
func Cheats() []Cheat {
	return slices.Concat(knowing(), stacking(), counting(), tardy(), settling(), rigged(), ledgers(), oddities())
}

func strong(scenario string, strength float64) string {
	return scenario + "-" + strconv.FormatFloat(strength, 'g', -1, 64)
}

// knowing are patrons who know what is to come.
func knowing() []Cheat {
	var out []Cheat
	for _, x := range []float64{1, .5, .35, .2, .1} {
		out = append(out, Cheat{
			Name: strong("s1", x), Scenario: "S1", Strength: x, Kind: "nj-mini", Key: "patron", Detectors: []string{"d07", "d06", "d09", "d10"},
			Doc: fmt.Sprintf("a patron knows the winner of %g %% of rounds", 100*x),
			bets: func(c *crook, r *roundPlan, deck []card) {
				u, spot := c.rng.Float64(), c.coin()
				if c.cheats(u < x) {
					spot = winner(deck, spot)
				}
				c.lay(r, 0, spot, cheatUnit, false)
			},
		})
	}
	for _, x := range []float64{1, .5, .25, .1} {
		out = append(out, Cheat{
			Name: strong("s2", x), Scenario: "S2", Strength: x, Kind: "nj-mini", Key: "patron", Detectors: []string{"d06", "d07", "d09", "d10"},
			Doc: fmt.Sprintf("a patron knows in %g %% of rounds whether the first card is a 6, 7, 8 or 9", 100*x),
			bets: func(c *crook, r *roundPlan, deck []card) {
				u, spot := c.rng.Float64(), c.coin()
				if c.cheats(u < x) {
					spot = schema.SpotBanker
					if deck[0].value() >= 6 {
						spot = schema.SpotPlayer
					}
				}
				c.lay(r, 0, spot, cheatUnit, false)
			},
		})
	}
	return out
}

// stacking are cards of the last shoe that come again in their order.
func stacking() []Cheat {
	var out []Cheat
	for _, foreign := range []float64{0, .1, .25} {
		for _, n := range []int{8, 10, 12, 20, 40} {
			c := Cheat{
				Name: strong("s3", float64(n)), Scenario: "S3", Strength: float64(n), Kind: "nj-mini", Key: "shoe", Detectors: []string{"d04", "d05", "d07"},
				Doc:   fmt.Sprintf("%d cards of the last shoe come again in their order", n),
				stack: func(c *crook, deck []card) []card { return c.slip(deck, n, foreign) },
				bets:  betSlug,
			}
			if foreign > 0 {
				c.Name += fmt.Sprintf("-d%g", 100*foreign)
				c.Doc += fmt.Sprintf(", %g %% of them disturbed", 100*foreign)
			}
			out = append(out, c)
		}
	}
	for k := 1; k <= 6; k++ {
		out = append(out, Cheat{
			Name: strong("s4", float64(k)), Scenario: "S4", Strength: float64(k), Kind: "nj-mini", Key: "shoe", Detectors: []string{"d05", "d04"},
			Doc:   fmt.Sprintf("the pack is riffled %d times and cut, no more", k),
			stack: func(c *crook, deck []card) []card { return c.riffles(deck, k) },
		})
	}
	return out
}

// slip puts a run of the last shoe somewhere into a shuffled pack, where it will be dealt.
func (c *crook) slip(deck []card, n int, foreign float64) []card {
	from, at := 12+c.rng.IntN(318-n), 20+c.rng.IntN(320-n)
	run := slices.Clone(deck[:n])
	if c.before != nil {
		run = slices.Clone(c.before[from : from+n])
	}
	for _, x := range run {
		i := slices.Index(deck, x)
		deck = slices.Delete(deck, i, i+1)
	}
	deck = slices.Insert(deck, at, run...)
	for i := at; i < at+n; i++ {
		if u, j := c.rng.Float64(), c.rng.IntN(len(deck)); u < foreign {
			deck[i], deck[j] = deck[j], deck[i]
		}
	}
	c.slug = [2]int{len(deck) - at, len(deck) - at - n}
	return deck
}

// betSlug bets on the winner of a round whose cards are all of the slug's, once four of those have been seen.
func betSlug(c *crook, r *roundPlan, deck []card) {
	spot := c.coin()
	amount := int64(cheatUnit / 10)
	coup := dealCoup(deck)
	first, last := c.slug[0]-len(deck), len(deck)-coup.cards()
	if c.cheats(first >= 4 && last >= c.slug[1]) {
		spot, amount = winner(deck, spot), cheatUnit
	}
	c.lay(r, 0, spot, amount, false)
}

// riffles shuffles the last shoe badly. It is cut at a hand's breadth from either end at least.
func (c *crook) riffles(deck []card, k int) []card {
	pack := deck
	if c.before != nil {
		pack = slices.Clone(c.before)
	}
	for range k {
		pack = riffle(c.rng, pack)
	}
	n := 20 + c.rng.IntN(len(pack)-40)
	return slices.Concat(pack[n:], pack[:n])
}

// counting are patrons who bet on the side when the count is good.
func counting() []Cheat {
	var out []Cheat
	for _, bet := range []struct {
		name, kind, doc string
		spot            schema.Spot
		good            func(*crook, int) bool
	}{
		{"s5-d7", "ny-ez", "dragon 7", schema.SpotDragon7, goodDragon},
		{"s5-b7", "treasures-mini", "Blazing 7s", schema.SpotBlazing7s, goodSevens},
	} {
		for _, how := range []struct {
			name, doc       string
			signals, covers float64
		}{
			{"full", "all signals", 1, 0}, {"cover", "all signals and 5 % of other rounds", 1, .05}, {"half", "half of the signals and 5 % of other rounds", .5, .05},
		} {
			out = append(out, Cheat{
				Name: bet.name + "-" + how.name, Scenario: "S5", Strength: how.signals, Kind: bet.kind, Key: "patron", Detectors: []string{"d08", "d09", "d07"},
				Doc: "a patron counts cards for " + bet.doc + ": " + how.doc,
				tune: func(c *schema.TableConfig) {
					if c.PayTables != nil {
						c.PayTables["treasures"] = "2"
					}
				},
				bets: func(c *crook, r *roundPlan, deck []card) {
					u, good := c.rng.Float64(), bet.good(c, len(deck))
					c.lay(r, 0, c.coin(), cheatUnit/100, false)
					bets := u < how.covers
					if c.cheats(good && u < how.signals) || !c.on && u < .1 || c.twin && c.on && u < .1 {
						bets = true
					}
					if bets {
						c.lay(r, 0, bet.spot, cheatUnit/10, true)
					}
				},
			})
		}
	}
	return out
}

// goodDragon is Jacobson's count for dragon 7: a true count of 4 or more.
func goodDragon(c *crook, left int) bool {
	tags := [10]int{4: -1, 5: -1, 6: -1, 7: -1, 8: 2, 9: 2}
	sum := 0
	for v, n := range c.seen {
		sum += tags[v] * n
	}
	return 52*sum >= 4*left
}

// sevensEffect is what taking one card of each value out of eight decks changes in the value of a Blazing 7s wager.
var sevensEffect = [10]float64{.002497, .001607, -.000838, -.001455, -.001714, -.001407, -.000825, -.013851, .004241, .004255}

// goodSevens is a count for Blazing 7s (200:1, 50:1) by what each card takes away.
func goodSevens(c *crook, left int) bool {
	ev := -0.0777970098
	for v, n := range c.seen {
		ev += sevensEffect[v] * float64(n) * 416 / float64(left)
	}
	return ev > 0
}

// late are patrons who bet when no more bets are called.
func tardy() []Cheat {
	var out []Cheat
	for _, x := range []float64{.5, .25, .1} {
		out = append(out, Cheat{
			Name: strong("s6", x), Scenario: "S6", Strength: x, Kind: "nj-mini", Key: "patron", Detectors: []string{"d07", "d16", "d06", "d09", "d10"},
			Doc: fmt.Sprintf("a patron bets late in half of the rounds, and knows the winner for %g %% of the late bets", 100*x),
			bets: func(c *crook, r *roundPlan, deck []card) {
				u, v, spot := c.rng.Float64(), c.rng.IntN(2) == 0, c.coin()
				if c.cheats(v && u < x) {
					spot = winner(deck, spot)
				}
				c.lay(r, 0, spot, cheatUnit, false).late = v
			},
		})
	}
	for _, x := range []float64{1, .9, .7} {
		out = append(out, Cheat{
			Name: strong("s7", x), Scenario: "S7", Strength: x, Kind: "nj-mini", Key: "patron", Detectors: []string{"d20", "d11"}, Breach: true, Reads: true,
			Doc: fmt.Sprintf("a patron changes the stake after the deal in a fifth of rounds, %g %% of the changes to his favour", 100*x),
			settle: func(c *crook, r *roundPlan) {
				u, v := c.rng.Float64(), c.rng.Float64()
				for i := range r.stakes {
					st := &r.stakes[i]
					if st.patron != c.ref[0] || st.withdrawn || st.spot > schema.SpotPlayer {
						continue
					}
					out, pays := c.t.Writer().house.settle(st, &r.coup)
					if out == pushed {
						return
					}
					up := (out == won) == (v < x)
					if c.cheats(u < .2) {
						moved(st, up, out, pays)
					}
					return
				}
			},
		})
	}
	return out
}

// moved raises or lowers a stake by half after the deal: it is paid as it then lies.
func moved(st *stake, up bool, out outcome, pays int64) {
	st.forced, st.out, st.pays = true, out, pays
	st.atSettlement = st.amount + st.amount/2
	if !up {
		st.atSettlement = st.amount / 2
	}
	if out == won {
		st.pays = pays * st.atSettlement / st.amount
	}
}

// settling are dealers who pay too much or take too little.
func settling() []Cheat {
	var out []Cheat
	for _, x := range []float64{.1, .02} {
		out = append(out, Cheat{
			Name: strong("s8", x), Scenario: "S8", Strength: x, Kind: "nj-mini", Key: "dealer", Detectors: []string{"d12"}, Breach: true,
			Doc: fmt.Sprintf("a dealer forgets %g %% of vigorish", 100*x),
			settle: func(c *crook, r *roundPlan) {
				for i := range r.stakes {
					st := &r.stakes[i]
					if u := c.rng.Float64(); st.spot == schema.SpotBanker && r.coup.result() == schema.ResultBanker && c.cheats(c.dealing() && u < x) {
						st.charge = -1
					}
				}
			},
		})
	}
	out = append(
		out,
		Cheat{
			Name: "s9-0.01", Scenario: "S9", Strength: .01, Kind: "nj-mini", Key: "dealer", Detectors: []string{"d11"}, Breach: true,
			Doc: "a dealer overpays 1 % of wagers", settle: overpay(.01, false),
		},
		Cheat{
			Name: "s15-0.05", Scenario: "S15", Strength: .05, Kind: "nj-mini", Key: "dealer+patron", Detectors: []string{"d11", "d10"}, Breach: true,
			Doc: "a dealer overpays 5 % of one patron's wagers", settle: overpay(.05, true),
		},
	)
	return out
}

// dealing says that the dealer in the know is at the table.
func (c *crook) dealing() bool { return c.t.Dealer() == c.dealer }

// overpay returns losing wagers and pays winning ones twice.
func overpay(rate float64, friend bool) func(*crook, *roundPlan) {
	return func(c *crook, r *roundPlan) {
		for i := range r.stakes {
			st := &r.stakes[i]
			u := c.rng.Float64()
			if st.withdrawn || friend && st.patron != c.ref[0] || !c.cheats(c.dealing() && u < rate) {
				continue
			}
			out, pays := c.t.Writer().house.settle(st, &r.coup)
			st.forced, st.out, st.pays = true, won, 2*pays
			switch out {
			case lost:
				st.out = pushed
			case pushed:
				st.pays = st.amount
			case won:
			}
		}
	}
}

// cards are packs that are not what they should be, and hands that are not left to chance.
func rigged() []Cheat {
	ace, nine := card(40), card(48) // of spades
	one := func(what, doc string, change func(*crook, []card) []card) Cheat {
		c := Cheat{
			Name: "s10-" + what, Scenario: "S10", Strength: 1, Kind: "nj-mini", Key: "batch", Detectors: []string{"d02", "d01"}, Doc: doc, stack: change,
		}
		if what != "missing" { // the ninth copy of a card is a finding of rules too
			c.Breach, c.Detectors = true, []string{"d01", "d02"}
		}
		return c
	}
	missing := func(deck []card, x card) []card {
		i := slices.Index(deck, x)
		return slices.Delete(deck, i, i+1)
	}
	extra := func(c *crook, deck []card, x card) []card { return slices.Insert(deck, c.rng.IntN(len(deck)+1), x) }
	out := []Cheat{
		one("missing", "an ace of spades is missing", func(_ *crook, deck []card) []card { return missing(deck, ace) }),
		one("extra", "a nine of spades too many", func(c *crook, deck []card) []card { return extra(c, deck, nine) }),
		one("extra2", "two nines of spades too many", func(c *crook, deck []card) []card { return extra(c, extra(c, deck, nine), nine) }),
		one("swapped", "an ace of spades exchanged for a nine", func(c *crook, deck []card) []card {
			return extra(c, missing(deck, ace), nine)
		}),
	}
	for _, x := range []struct {
		name   string
		chance float64
		result schema.Result
	}{{"banker", .5, schema.ResultBanker}, {"tie", .12, schema.ResultTie}} {
		honest := map[schema.Result]float64{schema.ResultBanker: .4586, schema.ResultTie: .0952}[x.result]
		out = append(out, Cheat{
			Name: "s12-" + x.name, Scenario: "S12", Strength: x.chance, Kind: "nj-mini", Key: "table", Detectors: []string{"d03", "d07", "d09"},
			Doc: fmt.Sprintf("the shoe gives %g %% %s", 100*x.chance, x.result),
			rig: func(c *crook, deck []card) {
				u, seed := c.rng.Float64(), c.rng.Uint64()
				if !c.cheats(u < (x.chance-honest)/(1-honest)) {
					return
				}
				for range wishTries {
					coup := dealCoup(deck)
					if coup.result() == x.result {
						return
					}
					for i := range 6 {
						seed = mix(seed)
						j := i + int(seed%uint64(len(deck)-i))
						deck[i], deck[j] = deck[j], deck[i]
					}
				}
			},
		})
	}
	return out
}

// ledgers are patrons and trays whose money goes in circles or away.
func ledgers() []Cheat {
	var out []Cheat
	for _, x := range []float64{1, .95} {
		out = append(out, Cheat{
			Name: strong("s11", x), Scenario: "S11", Strength: x, Kind: "nj-mini", Key: "pair", Detectors: []string{"d15"}, pair: true,
			Doc: fmt.Sprintf("two patrons bet the same against each other in %g %% of rounds", 100*x), bets: offset(x),
		})
	}
	return append(
		out,
		Cheat{
			Name: "s13", Scenario: "S13", Strength: 1, Kind: "nj-mini", Key: "table", Detectors: []string{"d14"}, Trays: true,
			Doc: "chips leave the tray unseen in one shoe of two", tray: func(c *crook) (fill, gone int64) { return 0, 250_000 * c.rng.Int64N(2) },
		},
		Cheat{
			Name: "s14", Scenario: "S14", Strength: 1, Kind: "nj-mini", Key: "table", Detectors: []string{"d14"}, Trays: true,
			Doc: "a fill is signed for that never came to the table", tray: func(*crook) (fill, gone int64) { return 1_000_000, 1_000_000 },
		},
	)
}

// offset lets two patrons bet equal stakes on opposite sides, in a part of rounds.
func offset(x float64) func(*crook, *roundPlan, []card) {
	return func(c *crook, r *roundPlan, _ []card) {
		u, a, b := c.rng.Float64(), c.coin(), c.coin()
		if c.cheats(u < x) {
			b = schema.SpotBanker + schema.SpotPlayer - a
		}
		c.lay(r, 0, a, cheatUnit, false)
		c.lay(r, 1, b, cheatUnit, false)
	}
}

// oddities are honest.
func oddities() []Cheat {
	honest := func(name, doc string, c Cheat) Cheat {
		c.Name, c.Scenario, c.Doc, c.Honest, c.Kind, c.Key, c.regulars = name, "N"+name[1:], doc, true, "nj-mini", "patron", true
		return c
	}
	return []Cheat{
		honest("n1", "every patron chases the trend", Cheat{habits: func(c *crook) {
			for _, p := range c.t.Patrons() {
				p.follows, p.chops, p.idle = true, false, 0
			}
		}}),
		honest("n2", "a whale raises tenfold when lucky", Cheat{
			bets: func(c *crook, r *roundPlan, _ []card) {
				amount := int64(cheatUnit)
				if c.streak > 1 {
					amount *= 10
				}
				c.lay(r, 0, c.coin(), amount, false)
			},
			settle: func(c *crook, r *roundPlan) {
				for i := range r.stakes {
					if st := &r.stakes[i]; st.patron == c.ref[0] {
						switch out, _ := c.t.Writer().house.settle(st, &r.coup); out {
						case won:
							c.streak++
						case lost:
							c.streak = 0
						case pushed:
						}
					}
				}
			},
		}),
		honest("n3", "the vigorish changes to 4 percent", Cheat{reform: func(c *crook) {
			config := *c.t.Config()
			config.Vigorish.Percent = 4
			c.t.Writer().notify(schema.NoticeTopicVigorishPercent)
			c.t.Configure(config)
		}}),
		honest("n4", "a camera reads one card of 100 wrongly, and one of 20 not at all", Cheat{Misread: .01, Drop: .05, Breach: true}),
		honest("n5", "the pack is riffled seven times and cut", Cheat{stack: func(c *crook, deck []card) []card { return c.riffles(deck, 7) }}),
		honest("n6", "patrons cover each other at a table with a differential", Cheat{pair: true, bets: offset(.97)}),
	}
}
