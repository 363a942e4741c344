package exact

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
)

type golden struct {
	Counts map[string]int64  `json:"counts"`
	EV     map[string]string `json:"player_ev"`
	Total  int64             `json:"total"`
}

func loadGolden(t *testing.T) map[string]golden {
	t.Helper()
	data, err := os.ReadFile("../../testdata/baccarat_exact.json")
	if err != nil {
		t.Fatal(err)
	}
	var g map[string]golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// shipped are the rulebooks, loaded once.
var shipped = sync.OnceValues(rules.Shipped)

func book(t testing.TB, name string, game baccarat.Game) *law.Law {
	t.Helper()
	books, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	l, ok := books[name].Law(game)
	if !ok {
		t.Fatalf("%s has no %v", name, game)
	}
	return l
}

// events are the events of card values by their names in the golden file.
func events() map[string]func(c *baccarat.Coup) bool {
	won := func(r baccarat.Result) func(*baccarat.Coup) bool {
		return func(c *baccarat.Coup) bool { return c.Result() == r }
	}
	banker := func(and func(*baccarat.Coup) bool) func(*baccarat.Coup) bool {
		return func(c *baccarat.Coup) bool { return c.Result() == baccarat.BankerWon && and(c) }
	}
	treasure := func(t baccarat.Treasure) func(*baccarat.Coup) bool {
		return func(c *baccarat.Coup) bool { return c.Treasure() == t }
	}
	m := map[string]func(*baccarat.Coup) bool{
		"banker": won(baccarat.BankerWon), "player": won(baccarat.PlayerWon), "tie": won(baccarat.Tie),
		"natural_any":                   (*baccarat.Coup).Natural,
		"dragon7_fortune7":              (*baccarat.Coup).Dragon7,
		"panda8_golden8":                (*baccarat.Coup).Panda8,
		"banker_wins_not_dragon7":       banker(func(c *baccarat.Coup) bool { return !c.Dragon7() }),
		"banker_wins_not_on_6":          banker(func(c *baccarat.Coup) bool { return c.B != 6 }),
		"banker_wins_on_6_with_2_cards": banker(func(c *baccarat.Coup) bool { return c.B == 6 && c.NB == 2 }),
		"banker_wins_on_6_with_3_cards": banker(func(c *baccarat.Coup) bool { return c.B == 6 && c.NB == 3 }),
		"heavenly9_both":                treasure(baccarat.Heavenly9Both),
		"heavenly9_exactly_one":         treasure(baccarat.Heavenly9One),
		"blazing7_2card":                treasure(baccarat.Blazing7sTwo),
		"blazing7_3card":                treasure(baccarat.Blazing7sThree),
		"cover_all":                     func(c *baccarat.Coup) bool { return c.Treasure() != baccarat.NoTreasure },
		"db_player_loss":                won(baccarat.BankerWon),
		"db_banker_loss":                won(baccarat.PlayerWon),
	}
	for n := 4; n <= 6; n++ {
		m["cards_"+strconv.Itoa(n)] = func(c *baccarat.Coup) bool { return c.Cards() == n }
	}
	for n := range uint8(10) {
		m[fmt.Sprintf("tie_on_%d", n)] = func(c *baccarat.Coup) bool { return c.Result() == baccarat.Tie && c.B == n }
		if n > 0 {
			m[fmt.Sprintf("banker_wins_on_%d", n)] = banker(func(c *baccarat.Coup) bool { return c.B == n })
		}
	}
	for _, h := range []baccarat.Hand{baccarat.Player, baccarat.Banker} {
		name := "db_" + map[baccarat.Hand]string{baccarat.Player: "player", baccarat.Banker: "banker"}[h]
		row := func(r baccarat.BonusRow) func(*baccarat.Coup) bool {
			return func(c *baccarat.Coup) bool { return c.DragonBonus(h) == r }
		}
		m[name+"_natural_win"], m[name+"_natural_tie"] = row(baccarat.BonusNatural), row(baccarat.BonusPush)
		m[name+"_nonnatural_tie"] = func(c *baccarat.Coup) bool {
			return c.Result() == baccarat.Tie && c.DragonBonus(h) == baccarat.BonusLost
		}
		for margin := range uint8(9) {
			m[fmt.Sprintf("%s_margin_%d", name, margin+1)] = func(c *baccarat.Coup) bool {
				mine, other := c.P, c.B
				if h == baccarat.Banker {
					mine, other = other, mine
				}
				natural := c.P2 >= 8 || c.B2 >= 8
				return !natural && mine == other+margin+1
			}
		}
	}
	return m
}

// All counts equal the counts of the golden file.
func TestGoldenCounts(t *testing.T) {
	k := New(&book(t, "nj-19-47", baccarat.Minibaccarat).Drawing)
	for _, decks := range []int{6, 8} {
		want := loadGolden(t)[fmt.Sprintf("decks_%d", decks)]
		left := Full(decks)
		n := left.Values()
		var c Counts
		k.Count(&n, &c)
		if c.Total != want.Total {
			t.Errorf("%d decks: total %d, want %d", decks, c.Total, want.Total)
		}
		got := map[string]int64{}
		for name, holds := range events() {
			for _, class := range k.Event(holds) {
				got[name] += c.Ways[class]
			}
		}
		p := countPairs(&left)
		rest := (n.Total() - 4) * (n.Total() - 5)
		for name, ways := range map[string]int64{
			"player_pair": p.One, "banker_pair": p.One, "either_pair": p.Either, "both_pairs": p.Both,
			"player_suited_pair": p.Suited, "exactly_one_suited_pair": p.SuitedOne, "both_suited_pairs": p.SuitedBoth,
		} {
			got[name] = ways * rest
		}
		for name, ways := range want.Counts {
			if got[name] != ways {
				t.Errorf("%d decks, %s: %d, want %d", decks, name, got[name], ways)
			}
		}
	}
}

// All counts equal brute force over every sequence of values, for shoes at random depths, also nearly empty.
func TestEqualsEnumeration(t *testing.T) {
	states := 1000
	if testing.Short() {
		states = 100
	}
	l := book(t, "nj-19-47", baccarat.Minibaccarat)
	k := New(&l.Drawing)
	rng := rand.New(rand.NewPCG(5, 1))
	for i := range states {
		n := Values{128, 32, 32, 32, 32, 32, 32, 32, 32, 32}
		out := rng.IntN(411)
		if i%5 == 0 {
			out = 400 + rng.IntN(11)
		}
		for range out {
			at := rng.Int64N(n.Total())
			for v := range n {
				if at < n[v] {
					n[v]--
					break
				}
				at -= n[v]
			}
		}
		var got, want Counts
		k.Count(&n, &got)
		enumerate(&l.Drawing, n, &want)
		if got != want {
			t.Fatalf("state %d, %v: counts differ", i, n)
		}
	}
}

// The expectation of every wager equals that of the golden file to its last digit, under the terms of rulebooks or
// under changed odds.
func TestGoldenEV(t *testing.T) {
	mini := book(t, "nj-19-47", baccarat.Minibaccarat)
	ny := book(t, "ny-5324-21", baccarat.Minibaccarat)
	pair := book(t, "nj-19-47-pair", baccarat.Minibaccarat)
	five := book(t, "nj-13-69f", baccarat.Minibaccarat)
	odds := func(l *law.Law, spot baccarat.Spot, o string) *law.Law {
		changed := *l
		parsed, err := baccarat.ParseOdds(o)
		if err != nil {
			t.Fatal(err)
		}
		changed.Odds[spot] = law.SpotOdds{Odds: parsed}
		return &changed
	}
	for _, c := range []struct {
		name   string
		law    *law.Law
		config law.Config
		spot   baccarat.Spot
	}{
		{"Banker, 5% commission", mini, law.Config{Mode: baccarat.Commission, Percent: 5}, baccarat.SpotBanker},
		{"Banker, 4% commission", mini, law.Config{Mode: baccarat.Commission, Percent: 4}, baccarat.SpotBanker},
		{"Banker, no commission, 6 pays half", ny, law.Config{Mode: baccarat.NoVig6}, baccarat.SpotBanker},
		{"Banker, EZ (3-card 7 win pushes)", ny, law.Config{Mode: baccarat.EZ}, baccarat.SpotBanker},
		{"Player 1:1", mini, law.Config{Mode: baccarat.Commission}, baccarat.SpotPlayer},
		{"Tie 8:1", mini, law.Config{}, baccarat.SpotTie},
		{"Tie 9:1", odds(mini, baccarat.SpotTie, "9:1"), law.Config{}, baccarat.SpotTie},
		{"Player Pair 11:1", pair, law.Config{}, baccarat.SpotPlayerPair},
		{"Banker Pair 11:1", pair, law.Config{}, baccarat.SpotBankerPair},
		{"Dragon 7 / Fortune 7 40:1", ny, law.Config{}, baccarat.SpotDragon7},
		{"Panda 8 / Golden 8 25:1", ny, law.Config{}, baccarat.SpotPanda8},
		{"Dragon Bonus A Player", ny, law.Config{BonusTable: "A"}, baccarat.SpotDragonBonusPlayer},
		{"Dragon Bonus A Banker", ny, law.Config{BonusTable: "A"}, baccarat.SpotDragonBonusBanker},
		{"Dragon Bonus B Player", ny, law.Config{BonusTable: "B"}, baccarat.SpotDragonBonusPlayer},
		{"Dragon Bonus B Banker", ny, law.Config{BonusTable: "B"}, baccarat.SpotDragonBonusBanker},
		{"Dragon Bonus C Player", ny, law.Config{BonusTable: "C"}, baccarat.SpotDragonBonusPlayer},
		{"Dragon Bonus C Banker", ny, law.Config{BonusTable: "C"}, baccarat.SpotDragonBonusBanker},
		{"Dragon 7 / Fortune 7 40:1", five, law.Config{TreasuresTable: "1"}, baccarat.SpotFortune7},
		{"Panda 8 / Golden 8 25:1", five, law.Config{TreasuresTable: "1"}, baccarat.SpotGolden8},
		{"Heavenly 9 75:1 / 10:1", five, law.Config{TreasuresTable: "1"}, baccarat.SpotHeavenly9},
		{"Blazing 7s 200:1 / 50:1", five, law.Config{TreasuresTable: "2"}, baccarat.SpotBlazing7s},
		{"Cover All 6:1", five, law.Config{TreasuresTable: "2"}, baccarat.SpotCoverAll},
	} {
		k := New(&c.law.Drawing)
		terms := k.Terms(c.law, &c.config, c.spot)
		if !terms.Offered {
			t.Errorf("%s: not on offer", c.name)
			continue
		}
		for _, decks := range []int{6, 8} {
			want, ok := new(big.Rat).SetString(loadGolden(t)[fmt.Sprintf("decks_%d", decks)].EV[c.name])
			if !ok {
				t.Fatalf("%s: no value in the golden file", c.name)
			}
			exactly, _ := want.Float64()
			var o Odds
			left := Full(decks)
			if !k.Odds(&left, &o) {
				t.Fatal("no odds for a full shoe")
			}
			if got := terms.EV(&o); math.Abs(got-exactly) > 1e-15*40 {
				t.Errorf("%s, %d decks: %.18f, want %.18f", c.name, decks, got, exactly)
			}
		}
	}
}

// Standard deviations for eight decks equal independent results.
func TestVariance(t *testing.T) {
	for _, c := range []struct {
		book   string
		config law.Config
		spot   baccarat.Spot
		want   float64
	}{
		{"nj-19-47", law.Config{Mode: baccarat.Commission, Percent: 5}, baccarat.SpotBanker, 0.92737202},
		{"nj-19-47", law.Config{}, baccarat.SpotTie, 2.64087222},
		{"nj-19-47-pair", law.Config{}, baccarat.SpotPlayerPair, 3.15485649},
		{"ny-5324-21", law.Config{}, baccarat.SpotDragon7, 6.08488178},
		{"nj-13-69f", law.Config{TreasuresTable: "2"}, baccarat.SpotBlazing7s, 10.76508148},
	} {
		l := book(t, c.book, baccarat.Minibaccarat)
		k := New(&l.Drawing)
		terms := k.Terms(l, &c.config, c.spot)
		var o Odds
		left := Full(8)
		k.Odds(&left, &o)
		if got := math.Sqrt(terms.Variance(&o)); math.Abs(got-c.want) > 5e-9 {
			t.Errorf("%s, %v: %.9f, want %.8f", c.book, c.spot, got, c.want)
		}
	}
}

// The 25 percent tie charge: P(B) - P(P) - P(T)/4.
func TestTieCharge(t *testing.T) {
	l := book(t, "nj-19-47", baccarat.Minibaccarat)
	k := New(&l.Drawing)
	terms := k.Terms(l, &law.Config{Mode: baccarat.Tie25}, baccarat.SpotBanker)
	var o Odds
	for decks, want := range map[int]float64{8: -0.0114381787, 6: -0.0113930288} {
		left := Full(decks)
		k.Odds(&left, &o)
		if got := terms.EV(&o); math.Abs(got-want) > 5e-11 {
			t.Errorf("%d decks: %.12f, want %.10f", decks, got, want)
		}
	}
}

// A shoe that cannot give a round has no odds.
func TestNoOdds(t *testing.T) {
	k := New(&book(t, "nj-19-47", baccarat.Minibaccarat).Drawing)
	var o Odds
	if left := (Composition{1: 3, 20: 2, 30: -1}); k.Odds(&left, &o) {
		t.Error("odds with five cards left")
	}
	if left := Full(30); k.Odds(&left, &o) {
		t.Error("odds of a shoe beyond what is counted exactly")
	}
	left := Composition{1: 3, 20: 2, 30: 1}
	if !k.Odds(&left, &o) {
		t.Fatal("no odds with six cards left")
	}
	if sum := o.Chance(k.Classes()); math.Abs(sum-1) > 1e-12 {
		t.Errorf("probabilities sum to %v", sum)
	}
}

func BenchmarkCount(b *testing.B) {
	k := New(&book(b, "nj-19-47", baccarat.Minibaccarat).Drawing)
	n := Values{101, 20, 25, 31, 22, 20, 29, 24, 27, 25}
	var c Counts
	for b.Loop() {
		k.Count(&n, &c)
	}
}

func BenchmarkOdds(b *testing.B) {
	k := New(&book(b, "nj-19-47", baccarat.Minibaccarat).Drawing)
	left := Full(8)
	var o Odds
	for b.Loop() {
		k.Odds(&left, &o)
	}
}
