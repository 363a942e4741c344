package rules

import (
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
)

func TestShippedRulebooksLoad(t *testing.T) {
	books, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"nj-19-47", "nj-19-47-pair", "nj-13-69f", "ny-5324-21"} {
		b := books[name]
		if b == nil {
			t.Fatalf("rulebook %s is not there", name)
		}
		for _, g := range b.Games() {
			l, _ := b.Law(g)
			n := len(NewSet(l).Rules())
			t.Logf("%s %v: %d rules", b.Ref(), g, n)
			if n < 10 {
				t.Errorf("%s %v has %d rules", name, g, n)
			}
		}
	}
}

// The problems of a rulebook are reported with file, line and key, all at once.
func TestRulebookComplaints(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unknown key", "name: h\nextends: nj-19-47\ncolour: red\n", "h.yaml:3: colour: unknown key"},
		{
			"kind of value", "name: h\nextends: nj-19-47\nnotes: [a]\ngames: 3\n",
			"h.yaml:3: a list, want text\nh.yaml:4: `3`, want keys and values",
		},
		{
			"number", "name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    min_decks: many\n",
			"h.yaml:5: `many`, want a whole number",
		},
		{"syntax", "name: h\n extends: nj-19-47\n", "h.yaml:2: mapping values are not allowed in this context"},
		{"nothing", "", "h.yaml: the file is empty"},
		{"two documents", "name: h\nextends: nj-19-47\n---\nname: i\n", "h.yaml:3: more than one document"},
		{"no base", "name: h\nextends: nj-1\n", `h.yaml:2: extends: "nj-1": there is no such rulebook`},
		{
			"nearly a base", "name: h\nextends: nj-19-48\n",
			`h.yaml:2: extends: "nj-19-48": there is no such rulebook, did you mean nj-19-47?`,
		},
		{
			"a percentage", "name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    vigorish: {units: {five: 5}}\n",
			`h.yaml:5: games.PUNTO_BANCO.vigorish.units.five: "five": want a percentage such as '5'`,
		},
		{
			"who deals", "name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    dealt_by: PATRON\n",
			`h.yaml:5: games.PUNTO_BANCO.dealt_by: "PATRON": want one of [DEALER CURATOR BANKER]`,
		},
		{
			"an option", "name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    options: {vig_fractin: up_only}\n",
			"h.yaml:5: games.PUNTO_BANCO.options.vig_fractin: there is no such option, did you mean vig_fraction?",
		},
		{"itself", "name: h\nextends: h\n", "h.yaml:2: extends: a cycle: h, h"},
		{
			"all at once", "name: h\nextends: nj-19-47\ntitl: x\nin_force: {from: today}\n",
			"h.yaml:3: titl: unknown key, did you mean title?\nh.yaml:4: in_force.from: \"today\": want a date",
		},
		{"no line", "name: h\nextends: *base\nnotes: x\n", "h.yaml:2: unknown anchor 'base' referenced"},
		{"control", "name: h\n\nnotes: \x01\ntitle: x\n", "h.yaml:3: control characters are not allowed"},
		{
			"number as a key", "name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    vigorish: {units: {5: 5}}\n",
			"h.yaml:5: 5: want the key in quotes",
		},
		{"name taken", "name: nj-19-47\n", "both have the name nj-19-47"},
		{"no name", "title: h\n", "h.yaml:1: want a name"},
		{
			"game", "name: h\nextends: nj-19-47\ngames:\n  FARO: {min_decks: 6}\n",
			"h.yaml:4: games.FARO: want one of PUNTO_BANCO",
		},
		{
			"odds",
			"name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    spots:\n      TIE: {odds: nine, relation: " +
				"floor}\n",
			"h.yaml:6: games.PUNTO_BANCO.spots.TIE: odds \"nine\": want two whole numbers",
		},
		{
			"relation",
			"name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    spots:\n      TIE: {odds: '9:1', relation: " +
				"about}\n",
			"h.yaml:6: games.PUNTO_BANCO.spots.TIE: relation \"about\": want exact or floor",
		},
		{
			"rule", "name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    rules:\n      draw.better: {cite: [x]}\n",
			"h.yaml:6: games.PUNTO_BANCO.rules.draw.better: there is no such rule",
		},
		{
			"citation",
			"name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    rules:\n      draw.player.must-stay: {cite: []}\n",
			"h.yaml:6: games.PUNTO_BANCO.rules.draw.player.must-stay: want a citation",
		},
		{
			"removed game", "name: h\nextends: nj-19-47\ngames:\n  CHEMIN: null\n  MINIBACCARAT: null\n",
			"h.yaml:4: games.CHEMIN: null removes nothing: there is no such word, did you mean CHEMIN_DE_FER?",
		},
		{
			"removed rule",
			"name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    rules: {draw.player.must-sty: ~}\n",
			"h.yaml:5: games.PUNTO_BANCO.rules.draw.player.must-sty: null removes nothing: there is no such word, did you " +
				"mean draw.player.must-stay?",
		},
		{
			"removed percentage",
			"name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    vigorish: {units: {'40': null}}\n",
			"h.yaml:5: games.PUNTO_BANCO.vigorish.units.40: null removes nothing: there is no such word, did you mean 4?",
		},
		{
			"removed option",
			"name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    options: {vig_fractin: null, posted_odds: null}\n",
			"h.yaml:5: games.PUNTO_BANCO.options.vig_fractin: null removes nothing: there is no such word, did you mean " +
				"vig_fraction?",
		},
		{
			"removed wager",
			"name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    wagers: {DRAGON7: null, PANDA_8: null}\n",
			"h.yaml:5: games.PUNTO_BANCO.wagers.DRAGON7: null removes nothing: there is no such word, did you mean DRAGON_7?",
		},
		{
			"removed citations", "name: h\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    cite: {external.: null}\n",
			"h.yaml:5: games.PUNTO_BANCO.cite.external.: want a citation",
		},
		{
			"drawing", "name: h\nextends: nj-19-47\ndrawing:\n  banker:\n    '3': DDDDDDDDSD\n",
			"h.yaml:5: drawing.banker.3: \"DDDDDDDDSD\": want eleven letters",
		},
		{
			"row", "name: h\nextends: nj-19-47\ndrawing:\n  banker:\n    '03': DDDDDDDDDDD\n",
			"h.yaml:5: drawing.banker.03: there is no such row: want a point count, 0 to 9",
		},
		{
			"row above 9", "name: h\nextends: nj-19-47\ndrawing:\n  banker:\n    '10': SSSSSSSSSSS\n",
			"h.yaml:5: drawing.banker.10: there is no such row",
		},
		{
			"cell", "name: h\nextends: nj-19-47\ndrawing:\n  player: DDDDDDSSSX\n",
			"h.yaml:4: drawing.player: cell 'X': want D or S",
		},
	}
	for _, tt := range tests {
		_, err := ShippedWith(map[string][]byte{"h.yaml": []byte(tt.text)})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v\nwant %s", tt.name, err, tt.want)
		}
	}
}

// A house overrides the terms of a regulation without touching Go.
func TestHouseRulebook(t *testing.T) {
	house := "name: ac-1\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    min_decks: 8\n    spots:\n      TIE: " +
		"{odds: '9:1', relation: exact}\n" +
		"    rules:\n      external.table-limits: {off: false}\n      lasthand.announced: null\n  MINIBACCARAT: null\n"
	books, err := ShippedWith(map[string][]byte{"house.yaml": []byte(house)})
	if err != nil {
		t.Fatal(err)
	}
	l, ok := books["ac-1"].Law(baccarat.PuntoBanco)
	base, _ := books["nj-19-47"].Law(baccarat.PuntoBanco)
	if !ok || l.MinDecks != 8 || l.Odds[baccarat.SpotTie] != (law.SpotOdds{Odds: baccarat.Odds{To: 9, For: 1}}) ||
		base.MinDecks != 6 {
		t.Errorf("house law %+v", l)
	}
	if _, ok := l.Cited("external.table-limits"); !ok {
		t.Error("a rule that ships switched off was not switched on")
	}
	if _, ok := l.Cited("lasthand.announced"); ok {
		t.Error("a rule set to null is still there")
	}
	if _, ok := books["ac-1"].Law(baccarat.Minibaccarat); ok {
		t.Error("a game set to null is still there")
	}
}

// A word that no rule reads would be a reading that was never elected.
func TestUnknownOptionsAreRefused(t *testing.T) {
	const book = "name: house\nextends: nj-19-47\ngames:\n  PUNTO_BANCO:\n    options: {vig_fraction: ceil, recut: " +
		"'true', mine: 'off'}\n" +
		"    house_options: [mine]\n    rules:\n      draw.player.third-card: {cite: [x], assumed: mine}\n"
	_, err := ShippedWith(map[string][]byte{"house.yaml": []byte(book)})
	const want = `house.yaml:6: games.PUNTO_BANCO.house_options: "mine": there is no such option`
	if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "\n") != 2 ||
		!strings.Contains(err.Error(), `options.vig_fraction: "ceil": want one of ["up_only" "ceil_minor"]`) ||
		!strings.Contains(err.Error(), "options.recut: there is no such option") {
		t.Errorf("%v", err)
	}
}
