package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
)

// The exact numbers of ordered six-card sequences, of all that a shoe of six or eight decks can give,
// behind each outcome. Computed outside this project.
type exactCounts struct {
	Counts map[string]int64 `json:"counts"`
	Total  int64            `json:"total"`
}

func loadExact(t *testing.T) map[string]exactCounts {
	t.Helper()
	data, err := os.ReadFile("../testdata/baccarat_exact.json")
	if err != nil {
		t.Fatal(err)
	}
	var exact map[string]exactCounts
	if err := json.Unmarshal(data, &exact); err != nil {
		t.Fatal(err)
	}
	return exact
}

// Every sequence of card values is dealt by the rules and counted with the number of ways in which
// real cards give it: the drawing table, the counts, the results and every event of a side bet come
// out integer for integer.
func TestExactEnumeration(t *testing.T) {
	exact := loadExact(t)
	books, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nj-19-47", "ny-5324-21"} {
		law, _ := books[name].Law(baccarat.Minibaccarat)
		for _, decks := range []int64{6, 8} {
			t.Run(fmt.Sprintf("%s/%d", name, decks), func(t *testing.T) {
				want := exact[fmt.Sprintf("decks_%d", decks)]
				e := enumeration{law: law, decks: decks, counts: map[string]int64{}}
				e.values()
				e.pairs()
				if e.total != want.Total {
					t.Errorf("total %d, want %d", e.total, want.Total)
				}
				for key, n := range want.Counts {
					if e.counts[key] != n {
						t.Errorf("%s: %d, want %d", key, e.counts[key], n)
					}
				}
			})
		}
	}
}

type enumeration struct {
	law    *law.Law
	decks  int64
	counts map[string]int64
	total  int64
}

// cardOf is a card of each value; ways is how many cards of the shoe have it.
func cardOf(value int) baccarat.Card {
	if value == 0 {
		return baccarat.NewCard(13, 0)
	}
	return baccarat.NewCard(uint8(value), 0)
}

func (e *enumeration) ways(value int) int64 {
	if value == 0 {
		return 16 * e.decks
	}
	return 4 * e.decks
}

// values walks all value sequences of P1 B1 P2 B2 and what follows.
func (e *enumeration) values() {
	var left [10]int64
	for v := range left {
		left[v] = e.ways(v)
	}
	n := 52 * e.decks
	var player, banker [3]baccarat.Card
	for p1 := range 10 {
		for b1 := range 10 {
			for p2 := range 10 {
				for b2 := range 10 {
					w := take(&left, p1) * take(&left, b1) * take(&left, p2) * take(&left, b2)
					player[0], player[1], banker[0], banker[1] = cardOf(p1), cardOf(p2), cardOf(b1), cardOf(b2)
					e.draw(&left, w, n-4, player[:2], banker[:2])
					left[p1]++
					left[b1]++
					left[p2]++
					left[b2]++
				}
			}
		}
	}
}

func take(left *[10]int64, v int) int64 {
	n := left[v]
	left[v]--
	return n
}

// draw deals on as the law calls for, then counts the coup with all ways to fill up to six cards.
func (e *enumeration) draw(left *[10]int64, w, rest int64, player, banker []baccarat.Card) {
	c := baccarat.NewCoup(player, banker)
	draws := 0
	if len(player) == 2 && e.law.Drawing.PlayerDraws(c.P2, c.B2) {
		draws = 1
	} else if len(banker) == 2 && e.law.Drawing.BankerDraws(c.P2, c.B2, c.Third) {
		draws = 2
	}
	if draws == 0 {
		if e.law.CardsDue(&c) > 0 {
			panic("a finished coup is due a card")
		}
		for i := c.Cards(); i < 6; i++ {
			w *= rest
			rest--
		}
		e.count(&c, w)
		return
	}
	for v := range 10 {
		n := take(left, v)
		if draws == 1 {
			e.draw(left, w*n, rest-1, append(player[:2:2], cardOf(v)), banker)
		} else {
			e.draw(left, w*n, rest-1, player, append(banker[:2:2], cardOf(v)))
		}
		left[v]++
	}
}

func (e *enumeration) count(c *baccarat.Coup, w int64) {
	e.total += w
	add := func(key string, when bool) {
		if when {
			e.counts[key] += w
		}
	}
	r := c.Result()
	add("player", r == baccarat.PlayerWon)
	add("banker", r == baccarat.BankerWon)
	add("tie", r == baccarat.Tie)
	add(fmt.Sprintf("tie_on_%d", c.P), r == baccarat.Tie)
	add(fmt.Sprintf("banker_wins_on_%d", c.B), r == baccarat.BankerWon)
	add("banker_wins_not_on_6", r == baccarat.BankerWon && c.B != 6)
	add(fmt.Sprintf("banker_wins_on_6_with_%d_cards", c.NB), r == baccarat.BankerWon && c.B == 6)
	add("banker_wins_not_dragon7", r == baccarat.BankerWon && !c.Dragon7())
	add(fmt.Sprintf("cards_%d", c.Cards()), true)
	add("natural_any", c.Natural())
	add("dragon7_fortune7", c.Dragon7())
	add("panda8_golden8", c.Panda8())
	treasure := c.Treasure()
	add("heavenly9_both", treasure == baccarat.Heavenly9Both)
	add("heavenly9_exactly_one", treasure == baccarat.Heavenly9One)
	add("blazing7_2card", treasure == baccarat.Blazing7sTwo)
	add("blazing7_3card", treasure == baccarat.Blazing7sThree)
	add("cover_all", treasure != baccarat.NoTreasure)
	e.bonus(c, "player", baccarat.Player, r == baccarat.BankerWon, add)
	e.bonus(c, "banker", baccarat.Banker, r == baccarat.PlayerWon, add)
}

func (e *enumeration) bonus(c *baccarat.Coup, name string, h baccarat.Hand, lost bool, add func(string, bool)) {
	count, _, _ := c.Hand(h)
	other, _, _ := c.Hand(h.Other())
	row := c.DragonBonus(h)
	tie := count == other
	add("db_"+name+"_natural_win", row == baccarat.BonusNatural)
	add("db_"+name+"_natural_tie", row == baccarat.BonusPush)
	add("db_"+name+"_nonnatural_tie", tie && row == baccarat.BonusLost)
	add("db_"+name+"_loss", lost)
	if row != baccarat.BonusNatural && row != baccarat.BonusPush && !tie && !lost {
		margin := count - other
		add(
			fmt.Sprintf("db_%s_margin_%d", name, margin),
			(margin < 4) == (row == baccarat.BonusLost) && (margin < 4 || row == baccarat.BonusRow(margin)),
		)
	}
}

// pairs walks the first four cards by rank and suit.
func (e *enumeration) pairs() {
	n := 52 * e.decks
	var out [53]int64
	left := func(c baccarat.Card) int64 { return e.decks - out[c] }
	for p1 := baccarat.Card(1); p1 <= 52; p1++ {
		w1 := left(p1)
		out[p1]++
		for p2 := baccarat.Card(1); p2 <= 52; p2++ {
			w2 := w1 * left(p2)
			out[p2]++
			for b1 := baccarat.Card(1); b1 <= 52; b1++ {
				w3 := w2 * left(b1)
				out[b1]++
				for b2 := baccarat.Card(1); b2 <= 52; b2++ {
					e.countPairs([2]baccarat.Card{p1, p2}, [2]baccarat.Card{b1, b2}, w3*left(b2)*(n-4)*(n-5))
				}
				out[b1]--
			}
			out[p2]--
		}
		out[p1]--
	}
}

func (e *enumeration) countPairs(player, banker [2]baccarat.Card, w int64) {
	if player[0].Rank() != player[1].Rank() && banker[0].Rank() != banker[1].Rank() {
		return
	}
	c := baccarat.NewCoup(player[:], banker[:])
	suitedP, suitedB := player[0] == player[1], banker[0] == banker[1]
	for key, when := range map[string]bool{
		"player_pair": c.PlayerPair, "banker_pair": c.BankerPair, "either_pair": c.PlayerPair || c.BankerPair,
		"both_pairs": c.PlayerPair && c.BankerPair, "player_suited_pair": suitedP,
		"both_suited_pairs": suitedP && suitedB, "exactly_one_suited_pair": suitedP != suitedB,
	} {
		if when {
			e.counts[key] += w
		}
	}
}
