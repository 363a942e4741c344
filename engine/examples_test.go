package engine_test

import (
	"fmt"
	"slices"
	"testing"


	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// exampleBook is a rulebook that is a file alone.
type exampleBook struct {
	*law.Rulebook
	law  *law.Law
	opt  engine.Options
	game *deal.Game
}

// readExample reads an example of a rulebook, which has one game.
func readExample(t *testing.T, name string) *exampleBook {
	t.Helper()
	text, err := law.Example(name)
	if err != nil {
		t.Fatal(err)
	}
	b := &exampleBook{opt: enginetest.Options()}
	if b.opt.Books, err = rules.ShippedWith(map[string][]byte{"own.yaml": text}); err != nil {
		t.Fatal(err)
	}
	b.Rulebook = b.opt.Books["example-"+name]
	games := b.Games()
	if len(games) != 1 {
		t.Fatalf("%s has games %v, want one", name, games)
	}
	b.law, _ = b.Law(games[0])
	if b.game, err = deal.ReadGame(b.Canonical(), schema.Game(games[0])); err != nil {
		t.Fatal(err)
	}
	return b
}

// table is a kind of table with a kind of vigorish.
type table struct{ kind, mode string }

// tables are those that are legal under the book: of a kind that plays its game in the manner of its base, with side
// bets and a kind of vigorish that it permits. One with a commission may elect a kind of the book instead.
func (b *exampleBook) tables(t *testing.T) (legal []table) {
	for _, kind := range deal.Kinds() {
		c, err := deal.Config(kind, 1)
		if err != nil {
			t.Fatal(err)
		}
		forbidden := slices.ContainsFunc(c.SideBets, func(s schema.SideBet) bool {
			return !slices.Contains(b.law.SideBets, baccarat.SideBet(s))
		})
		mode := c.Vigorish.Mode.String()
		if forbidden || baccarat.Game(c.Game) != b.law.Game || b.opt.Books[c.Ruleset].Base != b.Base ||
			!b.law.Allows(law.ParseKind(mode)) {
			continue
		}
		legal = append(legal, table{kind, mode})
		for _, named := range b.law.NamedModes {
			if mode == "COMMISSION" {
				legal = append(legal, table{kind, named})
			}
		}
	}
	return legal
}

// playing is the game with one kind of vigorish, and the side bet with a number first.
func (b *exampleBook) playing(mode string, bet int) *deal.Game {
	game := *b.game
	game.Modes, game.Bets = []string{mode}, slices.Clone(game.Bets)
	if bet > 0 {
		game.Bets[0], game.Bets[bet] = game.Bets[bet], game.Bets[0]
	}
	return &game
}

func TestExploreExamples(t *testing.T) {
	for _, name := range []string{"macau", "great-britain", "pennsylvania"} {
		b := readExample(t, name)
		t.Log(name, b.tables(t), b.game.Modes)
		for i, f := range fault.All() {
			_, cited := b.law.Cited(f.Rule)
			if !cited {
				continue
			}
			var at []table
			for _, x := range b.tables(t) {
				if slices.Contains(f.Kinds, x.kind) {
					at = append(at, x)
				}
			}
			if len(at) == 0 {
				t.Log(name, f.Rule, "elsewhere")
				at = b.tables(t)
			}
			for _, x := range at {
				for _, seed := range enginetest.Seeds(i, 1, 24) {
					one := f
					one.Kinds = []string{x.kind}
					events, want, err := fault.Plant(deal.Options{Game: b.playing(x.mode, 0)}, one, seed)
					if err != nil {
						t.Logf("%s %s %s: %v", name, f.Rule, x, err)
						continue
					}
					t.Run(fmt.Sprintf("%s/%s-%s/%s", name, x.kind, x.mode, f.Rule), func(t *testing.T) {
						compareFindings(t, seed, replayWith(t, b.opt, events).Findings, want)
					})
				}
			}
		}
	}
}
