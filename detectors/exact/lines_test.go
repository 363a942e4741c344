package exact_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
)

// published are the house edges of side bets with eight decks, in percent, as others published them.
// WoO: wizardofodds.com/games/baccarat/side-bets and its appendix 5; WoO6, WoOEZ, WoOP1 and WoOP2: its pages on Lucky
// 6, EZ baccarat and the two versions of perfect pairs; AAP: advancedadvantageplay.com/side-bets/baccarat-side-bets;
// WoO3, WoO99, WoOP9, WoOQ, WoOGF and WoOLN: its pages on 3-card win, Lucky 99, Perfect 9 bonus, Quik, Golden Frog and
// Lucky Nines;
// GGR: a note of an analyst, quoted by macaudailytimes.com.mo of 17 July 2024; SB: totosite.live/side-bets; IPL:
// iplwin.uk/baccarat-odds.
var published = []struct {
	name, lines string
	edge        float64
	source      string
}{
	{"DRAGON_BONUS_PLAYER", "", 2.6517, "WoO"},
	{"DRAGON_BONUS_BANKER", "", 9.3731, "WoO"},
	{"CARDS_4", "{when: {cards: 4}, pays: '3:2'}", 5.283, "WoO"},
	{"CARDS_5", "{when: {cards: 5}, pays: '2:1'}", 8.9668, "WoO"},
	{"CARDS_6", "{when: {cards: 6}, pays: '2:1'}", 4.694, "WoO"},
	{
		"LUCKY_6", "{when: {winner: BANKER, banker: {total: 6, cards: 2}}, pays: '12:1'}, " +
			"{when: {winner: BANKER, banker: {total: 6, cards: 3}}, pays: '20:1'}", 16.6836, "WoO6",
	},
	{
		"LUCKY_6_LIBERAL", "{when: {winner: BANKER, banker: {total: 6, cards: 2}}, pays: '12:1'}, " +
			"{when: {winner: BANKER, banker: {total: 6, cards: 3}}, pays: '23:1'}", 11.6985, "WoO6",
	},
	{"SMALL_6", "{when: {winner: BANKER, banker: {total: 6, cards: 2}}, pays: '22:1'}", 14.33, "GGR"},
	{"BIG_6", "{when: {winner: BANKER, banker: {total: 6, cards: 3}}, pays: '50:1'}", 15.253, "AAP"},
	{
		"THREE_GIVING_8", "{when: {banker: {first_two_total: 3}, player: {third_card: '8'}}, pays: '200:1'}", 8.682,
		"AAP",
	},
	{"EIGHTS_AND_NINES", "{when: {both: {total: 8-9}}, pays: '20:1'}", 7.372, "AAP"},
	{
		"NINE_OVER_7", "{when: {player: {natural: true, total: 9}, banker: {total: 7}}, pays: '50:1'}, " +
			"{when: {banker: {natural: true, total: 9}, player: {total: 7}}, pays: '50:1'}", 8.103, "AAP",
	},
	{"ANY_8_OVER_6", "{when: {points: 14, margin: 2}, pays: '25:1'}", 21.7887, "WoOGF"},
	{"THREE_CARD_9_OVER_1", "{when: {cards: 6, points: 10, margin: 8}, pays: '150:1'}", 13.8686, "WoOGF"},
	{"THREE_CARD_9_OVER_7", "{when: {cards: 6, points: 16, margin: 2}, pays: '200:1'}", 11.89, "WoOGF"},
	{
		"BAD_BEAT", "{when: {both: {natural: true}, margin: 1}, pays: '50:1'}", 8.46, "AAP",
	},
	{"DRAGON_7", "", 7.6113, "WoOEZ"},
	{"PANDA_8", "", 10.1876, "WoOEZ"},
	{"PAIR", "{when: {player: {pair: true}}, pays: '11:1'}", 10.36, "IPL"},
	{
		"THREE_CARD_SIX", "{when: {both: {cards: 3, total: 6}}, pays: '100:1'}, " +
			"{when: {either: {cards: 3, total: 6}}, pays: '8:1'}", 13.37, "SB",
	},
	{"SUPER_6", "{when: {winner: BANKER, banker: {total: 6}}, pays: '12:1'}", 29.98, "SB"},
	{"LUCKY_BONUS", "{when: {winner: BANKER, banker: {total: 6}}, pays: '18:1'}", -2.34, "SB"},
	{"PERFECT_PAIR", "{when: {either: {pair: true, suited: true}}, pays: '25:1'}", 13.0294, "WoOP1"},
	{
		"PERFECT_PAIR_2", "{when: {both: {pair: true, suited: true}}, pays: '250:1'}, " +
			"{when: {either: {pair: true, suited: true}}, pays: '25:1'}", 6.6235, "WoOP2",
	},
	{"EITHER_PAIR", "{when: {either: {pair: true}}, pays: '5:1'}", 13.71, "IPL"},
	{"PLAYER_3_CARD_WIN", "{when: {winner: PLAYER, player: {cards: 3}}, pays: '4:1'}", 5.686, "WoO3"},
	{"BANKER_3_CARD_WIN", "{when: {winner: BANKER, banker: {cards: 3}}, pays: '5:1'}", 8.3044, "WoO3"},
	{
		"LUCKY_99", "{when: {both: {natural: true, total: 9}}, pays: '24:1'}, " +
			"{when: {banker: {natural: true, total: 9}}, pays: '4:1'}, " +
			"{when: {player: {natural: true, total: 9}}, pays: '1:1'}", 17.421, "WoO99",
	},
	{
		"QUIK", "{when: {points: 0}, pays: '50:1'}, {when: {points: 18}, pays: '25:1'}, " +
			"{when: {points: [1-3, 15-17]}, pays: '1:1'}", 8.155, "WoOQ",
	},
	{
		"PERFECT_9", "{when: {player: {first_two_total: 9, suited: true}, not: " + nineAndTen + "}, pays: '20:1'}, " +
			"{when: {player: {first_two_total: 9}, not: " + nineAndTen + "}, pays: '10:1'}, " +
			"{when: {player: {first_two_total: 9}}, pays: '5:1'}", 7.4699, "WoOP9",
	},
	{
		"LUCKY_NINES", "{when: {count: [{ranks: 9, first_two: true, is: 4}]}, pays: '1000:1'}, " +
			"{when: {any: [" + ninesOfASuit(3) + "]}, pays: '500:1'}, " +
			"{when: {count: [{ranks: 9, first_two: true, is: 3}]}, pays: '35:1'}, " +
			"{when: {any: [" + ninesOfASuit(2) + "]}, pays: '16:1'}, " +
			"{when: {count: [{ranks: 9, first_two: true, is: 2}]}, pays: '5:1'}, " +
			"{when: {count: [{ranks: 9, suits: DIAMONDS, first_two: true, is: 1}]}, pays: '2:1'}, " +
			"{when: {count: [{ranks: 9, first_two: true, is: 1}]}, pays: '1:1'}", 8.27, "WoOLN",
	},
}

// ninesOfASuit are conditions of n nines of one suit among the first four cards.
func ninesOfASuit(n int) string {
	var suits []string
	for _, suit := range []string{"CLUBS", "DIAMONDS", "HEARTS", "SPADES"} {
		suits = append(suits, fmt.Sprintf("{count: [{ranks: 9, suits: %s, first_two: true, is: %d}]}", suit, n))
	}
	return strings.Join(suits, ", ")
}

// nineAndTen is a 9 with a card of no value.
const nineAndTen = "{any: [{player: {first_two_ranks: [9, T]}}, {player: {first_two_ranks: [9, J]}}, " +
	"{player: {first_two_ranks: [9, Q]}}, {player: {first_two_ranks: [9, K]}}]}"

// bookOf is a house rulebook with wagers, by lines.
func bookOf(t *testing.T, wagers map[string]string) *law.Law {
	t.Helper()
	text := "name: own\nextends: ny-5324-21\ngames:\n  MINIBACCARAT:\n    wagers:\n"
	for name, lines := range wagers {
		text += fmt.Sprintf("      %s: {lines: [%s]}\n", name, lines)
	}
	books, err := rules.ShippedWith(map[string][]byte{"own.yaml": []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	l, _ := books["own"].Law(baccarat.Minibaccarat)
	return l
}

// The house edge of a side bet, from its lines alone, is the published one, and docs/rulebooks.md has both.
func TestPublishedHouseEdges(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine counts for a minute under the race detector")
	}
	wagers := map[string]string{}
	for _, x := range published {
		if x.lines != "" {
			wagers[x.name] = x.lines
		}
	}
	l := bookOf(t, wagers)
	kernel, full := exact.New(&l.Drawing), exact.Full(8)
	doc, err := os.ReadFile("../../docs/rulebooks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range published {
		w := l.Wager(baccarat.ParseSpot(x.name), "")
		if x.lines != "" {
			w = l.Wager(baccarat.SpotOther, x.name)
		}
		if w == nil {
			t.Errorf("no wager %s", x.name)
			continue
		}
		_, ev, ok := kernel.Wager(l, &law.Config{BonusTable: "A"}, w, &full)
		decimals := 2
		if _, after, found := strings.Cut(fmt.Sprint(x.edge), "."); found {
			decimals = len(after)
		}
		got := -100 * ev
		if row := fmt.Sprintf("| `%s` | %.4f | %v | %s |", x.name, got, x.edge, x.source); !strings.Contains(string(doc), row) {
			t.Errorf("docs/rulebooks.md does not have the row\n%s", row)
		}
		if !ok || math.Abs(got-x.edge) > 0.51*math.Pow10(-decimals) {
			t.Errorf("%s: house edge %.4f percent, published %v (%s)", x.name, got, x.edge, x.source)
		}
	}
}

// The chances of lines on pairs and suits are the counts of an enumeration outside this project.
func TestLinesAreCounted(t *testing.T) {
	l := bookOf(t, map[string]string{
		"PLAYER_PAIR_2": "{when: {player: {pair: true}}, pays: '1:1'}",
		"EITHER":        "{when: {either: {pair: true}}, pays: '1:1'}",
		"BOTH":          "{when: {both: {pair: true}}, pays: '1:1'}",
		"SUITED":        "{when: {player: {pair: true, suited: true}}, pays: '1:1'}",
		"BOTH_SUITED":   "{when: {both: {pair: true, suited: true}}, pays: '1:1'}",
		"ONE_SUITED":    "{when: {either: {pair: true, suited: true}, not: {both: {pair: true, suited: true}}}, pays: '1:1'}",
		"DRAGON": "{when: {winner: BANKER, banker: {total: 7, cards: 3, suited: true}}, pays: '1:1'}, " +
			"{when: {winner: BANKER, banker: {total: 7, cards: 3}}, pays: '2:1'}",
	})
	data, err := os.ReadFile("../../testdata/baccarat_exact.json")
	if err != nil {
		t.Fatal(err)
	}
	var counted map[string]struct{ Counts map[string]int64 }
	if err := json.Unmarshal(data, &counted); err != nil {
		t.Fatal(err)
	}
	kernel := exact.New(&l.Drawing)
	for _, decks := range []int{6, 8} {
		full, want := exact.Full(decks), counted[fmt.Sprintf("decks_%d", decks)].Counts
		for name, key := range map[string]string{
			"PLAYER_PAIR_2": "player_pair", "EITHER": "either_pair", "BOTH": "both_pairs",
			"SUITED":      "player_suited_pair",
			"BOTH_SUITED": "both_suited_pairs", "ONE_SUITED": "exactly_one_suited_pair", "DRAGON": "dragon7_fortune7",
		} {
			lines, _, ok := kernel.Wager(l, &law.Config{}, l.Wager(baccarat.SpotOther, name), &full)
			got := int64(0)
			for i := range lines {
				got += lines[i].Ways
			}
			if !ok || got != want[key] {
				t.Errorf("%s with %d decks: %d draws, want %d of %s", name, decks, got, want[key], key)
			}
		}
	}
}

// The draws of Matching Dragon in eight decks are those that wizardofodds.com/games/baccarat/matching-dragon published.
func TestMatchingCardsAreCounted(t *testing.T) {
	lines := func(rank string) (text string) {
		for n := 2; n <= 6; n++ {
			text += fmt.Sprintf("{when: {count: [{ranks: %s, is: %d}]}, pays: '%d:1'}, ", rank, n, n)
		}
		return text
	}
	published := map[string][]int64{
		"A": {227334747041792, 20748232028160, 1174231511040, 40210759680, 652458240},
		"3": {233294440835072, 20047474974720, 840162535680, 0, 0},
	}
	wagers := map[string]string{}
	for rank := range published {
		wagers["MATCH_"+rank] = lines(rank)
	}
	l, full := bookOf(t, wagers), exact.Full(8)
	kernel := exact.New(&l.Drawing)
	for rank, want := range published {
		got, _, ok := kernel.Wager(l, &law.Config{}, l.Wager(baccarat.SpotOther, "MATCH_"+rank), &full)
		for i := range want {
			if !ok || got[i].Ways != want[i] {
				t.Errorf("%d cards of %s: %d draws, published %d", i+2, rank, got[i].Ways, want[i])
			}
		}
	}
}

// The draws of lines on the suits of third cards equal an enumeration card by card, with a few cards of all kinds.
func TestSuitsAreCounted(t *testing.T) {
	l := bookOf(t, map[string]string{
		"FLUSHES": "{name: BOTH, when: {both: {all_one_suit: true, cards: 3}}, pays: '50:1'}, " +
			"{name: THREE, when: {either: {all_one_suit: true, cards: 3}}, pays: '8:1'}, " +
			"{name: PLAYER, when: {player: {all_one_suit: true}}, pays: '3:1'}, " +
			"{name: BANKER, when: {banker: {all_one_suit: true, total: 6-9}, winner: BANKER}, pays: '2:1'}",
		"MIXED": "{name: A, when: {banker: {suited: true, all_one_suit: false, third_card: [3, 7]}}, pays: '5:1'}, " +
			"{name: B, when: {player: {same_color: true, all_one_suit: false, pair: true}}, pays: '9:1'}, " +
			"{name: C, when: {not: {either: {all_one_suit: true}}, cards: 6}, pays: '1:1'}",
		"COLORS": "{name: RED, when: {count: [{suits: BLACK, is: 0}]}, pays: '30:1'}, " +
			"{name: BLACK, when: {count: [{suits: [RED], is: 0}]}, pays: '20:1'}, " +
			"{name: PLAYER, when: {player: {count: [{suits: RED, is: 2-3}]}, " +
			"banker: {count: [{suits: RED, is: 0}]}}, pays: '9:1'}, " +
			"{name: THIRD, when: {banker: {cards: 3, count: [{suits: SPADES, first_two: true, is: 0}, " +
			"{suits: SPADES, is: 1}]}}, pays: '2:1'}",
		"ONE_SUIT": "{name: ALL, when: {all_one_suit: true, cards: 5-6}, pays: '99:1'}, " +
			"{name: FOUR, when: {all_one_suit: true}, pays: '50:1'}, " +
			"{name: HEARTS, when: {all_one_suit: false, count: [{suits: HEARTS, ranks: [A, 2, 3, K], is: 1-6}]}, " +
			"pays: '2:1'}",
		"RANKS": "{name: TWIN, when: {same_pair: true}, pays: '100:1'}, " +
			"{name: LOW, when: {card_points: 0-14}, pays: '5:1'}, " +
			"{name: SEVENS, when: {count: [{ranks: [7, 8], is: 2-6}, {ranks: K, first_two: true, is: 0}]}, pays: '4:1'}, " +
			"{name: POINTS, when: {points: [3, 12-18], same_pair: false}, pays: '1:1'}",
		"SUMS": "{name: LOW, when: {card_points: 10-20}, pays: '5:1'}, " +
			"{name: FIRST, when: {both: {count: [{ranks: [T, J, Q, K], first_two: true, is: 1}]}}, pays: '4:1'}",
		"NINES": "{name: TWO, when: {any: [" + ninesOfASuit(2) + "]}, pays: '9:1'}, " +
			"{name: PAIR, when: {player: {pair: true}, count: [{ranks: [9, K], suits: RED, first_two: true, is: 0}]}, " +
			"pays: '5:1'}, " +
			"{name: THIRD, when: {banker: {third_card: [4, 9], count: [{ranks: 9, suits: HEARTS, is: 0-1}]}}, pays: '3:1'}, " +
			"{name: RANKS, when: {player: {first_two_ranks: [9, T]}, count: [{suits: BLACK, is: 2-6}]}, pays: '2:1'}",
		"BOTH": "{name: A, when: {player: {all_one_suit: true}, count: [{suits: [CLUBS, HEARTS], is: 3-6}]}, " +
			"pays: '3:1'}, " +
			"{name: B, when: {either: {count: [{suits: DIAMONDS, is: 3}]}, card_points: 0-25}, pays: '2:1'}",
	})
	kernel, r := exact.New(&l.Drawing), rand.New(rand.NewPCG(22, 5))
	for range 3 {
		// Three suits are common, so that suited hands are.
		var left exact.Composition
		cards := make([]baccarat.Card, 11)
		for i := range cards {
			cards[i] = baccarat.NewCard(1+uint8(r.IntN(13)), uint8(r.IntN(2+i%3)))
			left[cards[i]]++
		}
		for _, w := range l.Wagers {
			if w.Spot != baccarat.SpotOther {
				continue
			}
			lines, _, ok := kernel.Wager(l, &law.Config{}, w, &left)
			if !ok {
				t.Fatalf("%s: no chances", w.Name)
			}
			want := dealAll(l, w, cards)
			for i := range lines {
				if lines[i].Ways != want[&w.Lines[i]] {
					t.Errorf("%s, line %s of %v: %d draws, want %d", w.Name, lines[i].Name, cards, lines[i].Ways,
						want[&w.Lines[i]])
				}
			}
		}
	}
}

// dealAll deals every order of six of the cards and counts the orders in which each line applies.
func dealAll(l *law.Law, w *law.Wager, cards []baccarat.Card) map[*law.Line]int64 {
	counts := map[*law.Line]int64{}
	var drawn [6]baccarat.Card
	var deal func(n int, used uint)
	deal = func(n int, used uint) {
		if n < len(drawn) {
			for i, card := range cards {
				if used>>i&1 == 0 {
					drawn[n] = card
					deal(n+1, used|1<<i)
				}
			}
			return
		}
		player, banker := []baccarat.Card{drawn[0], drawn[2]}, []baccarat.Card{drawn[1], drawn[3]}
		c, next := baccarat.NewCoup(player, banker), 4
		if c.P2 < 8 && c.B2 < 8 {
			third := baccarat.NoThird
			if l.Drawing.PlayerDraws(c.P2, c.B2) {
				player, third, next = append(player, drawn[4]), drawn[4].Value(), 5
			}
			if l.Drawing.BankerDraws(c.P2, c.B2, third) {
				banker = append(banker, drawn[next])
			}
		}
		c = baccarat.NewCoup(player, banker)
		counts[l.Line(&law.Config{}, w, &c)]++
	}
	deal(0, 0)
	return counts
}
