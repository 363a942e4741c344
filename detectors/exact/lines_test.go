package exact_test

import (
	"encoding/json"
	"fmt"
	"math"
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
}

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

// The house edge of a side bet, from its lines alone, is the published one.
func TestPublishedHouseEdges(t *testing.T) {
	wagers := map[string]string{}
	for _, x := range published {
		if x.lines != "" {
			wagers[x.name] = x.lines
		}
	}
	l := bookOf(t, wagers)
	kernel, full := exact.New(&l.Drawing), exact.Full(8)
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
		t.Logf("%-20s %9.4f percent, published %v (%s)", x.name, got, x.edge, x.source)
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
