package law

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

// coups yields every combination of two hands of two or three cards by value, pairs and legality aside.
func coups(yield func(*baccarat.Coup) bool) {
	for class := range 40000 {
		c := baccarat.Coup{
			Complete: true, P: uint8(class % 10), B: uint8(class / 10 % 10), NP: uint8(2 + class/100%2),
			NB: uint8(2 + class/200%2), P2: uint8(class / 400 % 10), B2: uint8(class / 4000 % 10), Third: baccarat.NoThird,
		}
		if c.NP == 2 {
			c.P2 = c.P
		}
		if c.NB == 2 {
			c.B2 = c.B
		}
		if !yield(&c) {
			return
		}
	}
}

func shippedLaw(t *testing.T, book string, game baccarat.Game) *Law {
	t.Helper()
	files, err := ShippedFiles()
	if err != nil {
		t.Fatal(err)
	}
	books, err := Parse(files, ruleNames(t, files))
	if err != nil {
		t.Fatal(err)
	}
	l, ok := books[book].Law(game)
	if !ok {
		t.Fatalf("%s has no %v", book, game)
	}
	return l
}

// ruleNames are all names of rules that the shipped books cite.
func ruleNames(t *testing.T, files map[string][]byte) (names []string) {
	t.Helper()
	for _, data := range files {
		for line := range strings.Lines(string(data)) {
			if name, rest, ok := strings.Cut(strings.TrimSpace(line), ": {"); ok && strings.Contains(name, ".") &&
				(strings.Contains(rest, "cite") || strings.Contains(rest, "by_reference")) {
				names = append(names, name)
			}
		}
	}
	return names
}

// The lines of the shipped side bets are the definitions in Go of the game's package, on every pair of hands.
func TestLinesOfShippedWagers(t *testing.T) {
	ny := shippedLaw(t, "ny-5324-21", baccarat.Minibaccarat)
	for c := range coups {
		for _, spot := range []baccarat.Spot{baccarat.SpotDragonBonusPlayer, baccarat.SpotDragonBonusBanker} {
			row := c.DragonBonus(baccarat.BonusHand(spot))
			want := baccarat.Pay
			switch row {
			case baccarat.BonusLost:
				want = baccarat.Collect
			case baccarat.BonusPush:
				want = baccarat.Return
			}
			d, odds := ny.Terms(&Config{BonusTable: "B"}, spot, c)
			paid := map[baccarat.BonusRow]int64{baccarat.BonusNatural: 1, 4: 1, 5: 3, 6: 4, 7: 7, 8: 8, 9: 20}[row]
			if d != want || odds.To != paid {
				t.Fatalf("%v at %+v: %v %v, want %v %d:1", spot, *c, d, odds, want, paid)
			}
		}
		for spot, won := range map[baccarat.Spot]bool{
			baccarat.SpotDragon7: c.Dragon7(), baccarat.SpotPanda8: c.Panda8(),
		} {
			if d := ny.Disposition(&Config{}, spot, c); d != baccarat.PayIf(won) {
				t.Fatalf("%v at %+v: %v", spot, *c, d)
			}
		}
	}
}

// The pay table of 5 Treasures decides which events win; under an unknown pay table nothing is known.
func TestLinesOfTreasures(t *testing.T) {
	nj := shippedLaw(t, "nj-13-69f", baccarat.Minibaccarat)
	rows := map[string]map[baccarat.Treasure]int64{
		"1": {
			baccarat.Fortune7: 40, baccarat.Golden8: 25, baccarat.Heavenly9Both: 75, baccarat.Heavenly9One: 10,
			baccarat.Blazing7sThree: 400,
		},
		"2": {
			baccarat.Fortune7: 40, baccarat.Golden8: 25, baccarat.Heavenly9Both: 75, baccarat.Heavenly9One: 10,
			baccarat.Blazing7sThree: 200, baccarat.Blazing7sTwo: 50,
		},
	}
	spots := map[baccarat.Spot][]baccarat.Treasure{
		baccarat.SpotFortune7: {baccarat.Fortune7}, baccarat.SpotGolden8: {baccarat.Golden8},
		baccarat.SpotHeavenly9: {baccarat.Heavenly9Both, baccarat.Heavenly9One},
		baccarat.SpotBlazing7s: {baccarat.Blazing7sThree, baccarat.Blazing7sTwo},
	}
	for c := range coups {
		event := c.Treasure()
		for table, odds := range rows {
			config := &Config{TreasuresTable: table}
			for spot, events := range spots {
				want := int64(0)
				for _, e := range events {
					if e == event {
						want = odds[event]
					}
				}
				d, paid := nj.Terms(config, spot, c)
				if d != baccarat.PayIf(want > 0) || paid.To != want {
					t.Fatalf("%v under %s at %+v: %v %v, want %d:1", spot, table, *c, d, paid, want)
				}
			}
			if d, paid := nj.Terms(config, baccarat.SpotCoverAll, c); d != baccarat.PayIf(odds[event] > 0) ||
				(paid.To == 6) != (odds[event] > 0) {
				t.Fatalf("cover all under %s at %+v: %v %v", table, *c, d, paid)
			}
		}
		if d := nj.Disposition(&Config{TreasuresTable: "3"}, baccarat.SpotFortune7, c); d != baccarat.Undetermined {
			t.Fatalf("under an unknown pay table: %v", d)
		}
	}
}

const wagersBook = `name: own
games:
  MINIBACCARAT:
    min_decks: 6
    dealt_by: DEALER
    spots:
      PLAYER: {odds: '1:1', relation: exact}
    side_bets: [LUCKY_6, PERFECT_PAIR]
    wagers:
      LUCKY_6:
        lines:
          - {name: two, when: {winner: BANKER, banker: {total: 6, cards: 2}}, pays: '12:1'}
          - {name: three, when: {winner: BANKER, banker: {total: 6, cards: 3}}, pays: '20:1'}
      PERFECT_PAIR:
        choice: highest
        lines:
          - {name: push, when: {winner: TIE}, returns: true}
          - {name: one, when: {either: {pair: true, suited: true}}, pays: '25:1'}
          - {name: both, when: {both: {pair: true, suited: true}}, pays: '200:1'}
drawing:
  player: DDDDDDSSSS
  banker: {'0': DDDDDDDDDDD, '1': DDDDDDDDDDD, '2': DDDDDDDDDDD, '3': DDDDDDDDDSD, '4': DSSDDDDDDSS, '5': DSSSSDDDDSS,
    '6': SSSSSSSDDSS, '7': SSSSSSSSSSS, '8': SSSSSSSSSSS, '9': SSSSSSSSSSS}
`

func hands(t *testing.T, player, banker string) *baccarat.Coup {
	t.Helper()
	read := func(text string) (hand []baccarat.Card) {
		for word := range strings.FieldsSeq(text) {
			c, err := baccarat.ParseCard(word)
			if err != nil {
				t.Fatal(err)
			}
			hand = append(hand, c)
		}
		return hand
	}
	c := baccarat.NewCoup(read(player), read(banker))
	return &c
}

// A word of the rulebook alone is a wager like any other.
func TestWagersOfTheRulebook(t *testing.T) {
	books, err := Parse(map[string][]byte{"own.yaml": []byte(wagersBook)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l, _ := books["own"].Law(baccarat.Minibaccarat)
	for _, x := range []struct{ wager, player, banker, want string }{
		{"LUCKY_6", "2c 3d", "Kc 6d", "12:1"},
		{"LUCKY_6", "2c 3d Kd", "Kc 4d 2h", "20:1"},
		{"LUCKY_6", "2c 5d", "Kc 6d", "collected"},
		{"PERFECT_PAIR", "4c 4c", "Kc 6d", "25:1"},
		{"PERFECT_PAIR", "4c 4c", "3h 3h", "200:1"},
		{"PERFECT_PAIR", "4c 4d", "3h 3d", "collected"},
		{"PERFECT_PAIR", "4c 4c", "Kc 8d", "25:1"},
		{"PERFECT_PAIR", "4c 4d", "Kc 8d", "returned"},
	} {
		w := l.Wager(baccarat.SpotOther, x.wager)
		if w == nil {
			t.Fatalf("no wager %s", x.wager)
		}
		c := hands(t, x.player, x.banker)
		got := l.Settle(&Config{}, w, c).String()
		if got == "paid" {
			got = l.Paid(&Config{}, w, c).String()
		}
		if got != x.want {
			t.Errorf("%s at %s against %s: %s, want %s", x.wager, x.player, x.banker, got, x.want)
		}
	}
	if l.Wager(baccarat.SpotOther, "UNKNOWN") != nil {
		t.Error("a wager that no rulebook has")
	}
}

// What is wrong in a wager is named with its file and line, and the word that was meant.
func TestWrongWagers(t *testing.T) {
	const two = "winner: BANKER, banker: {total: 6, cards: 2}"
	const at = "own.yaml:12: games.MINIBACCARAT.wagers.LUCKY_6.lines.0."
	for _, x := range []struct{ was, is, want string }{
		{two, "winer: BANKER", "own.yaml:12: winer: unknown key, did you mean winner?"},
		{two, "total: 6", "own.yaml:12: total: unknown key at this place"},
		{
			"    side_bets:", "    cite: {outcom.: {cite: [x 1]}}\n    side_bets:",
			"own.yaml:8: games.MINIBACCARAT.cite.outcom.: no rule has a name that begins so",
		},
		{two, "winner: []", at + "when.winner: an empty list: want at least one"},
		{two, "banker: {total: []}", at + "when.banker.total: an empty list: want at least one"},
		{two, "any: []", at + "when.any: an empty list: want at least one"},
		{two, "winner: BANKR", at + `when.winner: "BANKR": did you mean BANKER?`},
		{"total: 6, cards: 2", "total: 12", at + `when.banker.total: "12": want a number up to 9`},
		{"pays: '12:1'", "pays: twelve", at + `pays: odds "twelve": want two whole numbers`},
		{"[LUCKY_6, PERFECT_PAIR]", "[LUCKY_7]", `own.yaml:8: games.MINIBACCARAT.side_bets: "LUCKY_7": did you mean LUCKY_6`},
		{"name: three", "name: two", `own.yaml:13: games.MINIBACCARAT.wagers.LUCKY_6.lines.1: a second line "two"`},
		{"choice: highest", "choice: best", `PERFECT_PAIR.choice: "best": want one of [first highest]`},
	} {
		_, err := Parse(map[string][]byte{"own.yaml": []byte(strings.Replace(wagersBook, x.was, x.is, 1))}, nil)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.is, err, x.want)
		}
	}
}

// A citation that is not filled in is no law: the rule is assumed, and no adoption makes it more. One without a letter
// or a digit is refused.
func TestCitationsNotFilledIn(t *testing.T) {
	const adopting = "rules:\n      draw.x: {cite: [%s], assumed: %s}\nadopts: [%s]\ndrawing:"
	parse := func(cite, assumed, adopts string) (Cited, error) {
		text := strings.Replace(wagersBook, "drawing:", fmt.Sprintf("    "+adopting, cite, assumed, adopts), 1)
		books, err := Parse(map[string][]byte{"own.yaml": []byte(text)}, []string{"draw.x"})
		if err != nil {
			return Cited{}, err
		}
		l, _ := books["own"].Law(baccarat.Minibaccarat)
		c, _ := l.Cited("draw.x")
		return c, nil
	}
	if c, err := parse("'Rules 3'", "other", "other"); err != nil || !c.Adopted || c.Assumed != "other" {
		t.Errorf("a citation: %+v, %v", c, err)
	}
	for _, x := range []struct{ cite, assumed, want string }{
		{"'<section>'", "other", `adopts: "other": no rule in force`},
		{"'Rules 3', '‹section›'", NotFilledIn, `adopts: "not-filled-in": no rule in force`},
		{"''", "other", "rules.draw.x: want a citation"},
		{"'Rules 3', '...'", "other", "rules.draw.x: want a citation"},
	} {
		if _, err := parse(x.cite, x.assumed, x.assumed); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, want %s", x.cite, err, x.want)
		}
	}
}

// A value of another kind hides no other error of its book, and no error of another book. What follows from it is not
// reported beside it, nor in a book that extends it.
func TestOtherKindsHideNothing(t *testing.T) {
	const wrong = `:12: games.MINIBACCARAT.wagers.LUCKY_6.lines.0.when.winner: "BANKR": did you mean BANKER? ` +
		"Want one of [PLAYER BANKER TIE]"
	book := strings.Replace(wagersBook, "winner: BANKER, banker: {total: 6, cards: 2}", "winner: BANKR", 1)
	for _, x := range []struct{ was, is, want string }{
		{"name: own\n", "name: own # a book\n", ""},
		{"min_decks: 6", "min_decks: 6.5", "own.yaml:4: 6.5, want a whole number\n"},
		{"min_decks: 6", "vigorish: {units: {'5': 2.5}}", "own.yaml:4: 2.5, want a whole number\n"},
		{"min_decks: 6", "min_decks: eight", "own.yaml:4: `eight`, want a whole number from 0 to 4294967295\n"},
		{"min_decks: 6", "min_decks: 4294967296", "own.yaml:4: `4294967296`, want a whole number from 0 to 4294967295\n"},
		{"min_decks: 6", "\"decks\\e[2J\": 6", `own.yaml:4: "decks\x1b[2J": unknown key` + "\n"},
		{"dealt_by: DEALER", "dealt_by: [DEALER]", "own.yaml:5: a list, want text\n"},
		{"PLAYER: {odds: '1:1', relation: exact}", "PLAYER: [exact]", "own.yaml:7: a list, want keys and values\n"},
		{"player: DDDDDDSSSS", "player: [D]", "own.yaml:21: a list, want text\n"},
		{"pays: '20:1'", "pays: ['20:1']", "own.yaml:13: a list, want keys and values\n"},
	} {
		_, err := Parse(map[string][]byte{
			"own.yaml":  []byte(strings.Replace(book, x.was, x.is, 1)),
			"over.yaml": []byte("name: over\nextends: own\nadopts: [x]\n"),
			"two.yaml":  []byte(strings.Replace(book, "name: own", "name: two", 1)),
		}, nil)
		if want := x.want + "own.yaml" + wrong + "\ntwo.yaml" + wrong; err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", x.is, err, want)
		}
	}
}

// The name of a book is printed and stored in findings: a terminal must not act on it.
func TestNameIsPrintable(t *testing.T) {
	for name, want := range map[string]string{
		"own": "", "zürich 6": "", `"own\e[2J"`: `own.yaml:1: name: "own\x1b[2J": want printable characters`,
		`"own\u202e"`: `own.yaml:1: name: "own\u202e": want printable characters`,
	} {
		book := strings.Replace(wagersBook, "name: own\n", "name: "+name+"\n", 1)
		_, err := Parse(map[string][]byte{"own.yaml": []byte(book)}, nil)
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}
