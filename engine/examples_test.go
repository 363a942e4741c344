package engine_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
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

// withoutFault are faults that cannot be planted at tables of an example book although the rule is in force, and why.
var withoutFault = []struct {
	book, mode string // empty for each
	why        string
	rules      []string
}{
	{"example-macau", "NO_COMMISSION", "under NO_COMMISSION nothing is taken of what is won", []string{
		"payout.banker.odds", "vig.percent-allowed", "vig.amount.under", "vig.amount.over", "vig.rounding.invalid",
		"vig.collection-sum", "vig.not-charged", "vig.mark.required", "vig.mark.area", "vig.outstanding-at-reshuffle",
		"vig.elected-charge",
	}},
	{"example-macau", "", "another percentage is itself a breach", percentages},
	{"example-macau", "", "no tie charge is permitted", []string{
		"vig.tie25.exclusive", "vig.tie25.amount", "vig.tie25.timing", "vig.tie25.all-players",
	}},
	{"example-macau", "", "one dealer inspects and deals", []string{"open.inspector-calls"}},
	{"example-great-britain", "", "another percentage is itself a breach", percentages},
	{"example-great-britain", "", "the odds of the tie are no minimum", []string{"payout.matches-posted"}},
	{"example-pennsylvania", "", "one burned card is shown", []string{"shoe.composition.no-excess-copies"}},
	{"example-pennsylvania", "", "it breaks the rule on no vigorish too", []string{"vig.elected-charge"}},
	{"", "", "no treasures; a side bet or the tie is posted instead", []string{"payout.posted-odds"}},
}

var percentages = []string{"vig.uniform-table", "vig.notice.increase"}

// unplanted is why a fault cannot be planted at a table of the book, empty if it can.
func (b *exampleBook) unplanted(f *fault.Fault, at table) string {
	for _, x := range withoutFault {
		if (x.book == "" || x.book == b.Name) && (x.mode == "" || x.mode == at.mode) && slices.Contains(x.rules, f.Rule) {
			return x.why
		}
	}
	return ""
}

// lacks is why the book does not have a rule, empty if it is in force.
func (b *exampleBook) lacks(rule string) string {
	if _, ok := b.law.Cited(rule); ok {
		return ""
	}
	if base, _ := b.opt.Books[b.Base].Law(b.law.Game); base != nil {
		if _, ok := base.Cited(rule); ok {
			return "the book cites no clause"
		}
	}
	return fmt.Sprintf("no rule of %s for %v", b.Base, b.law.Game)
}

// Under each example book legal shoes are silent at each kind of table, and each fault of simulate/fault whose rule is
// in force gives exactly its finding, at each kind of table where it can be planted. Those that cannot, and the rules
// that the book does not have, are listed in testdata/examples.txt with the reason; -update writes it.
func TestExampleBooks(t *testing.T) {
	var page strings.Builder
	for _, name := range []string{"macau", "great-britain", "pennsylvania"} {
		b := readExample(t, name)
		found, without := map[string]bool{}, map[string][]string{}
		tables := b.tables(t)
		for _, at := range tables {
			t.Run(fmt.Sprintf("%s/%s/%s", name, at.kind, at.mode), func(t *testing.T) {
				t.Parallel()
				b.playLegally(t, at)
			})
			for bet := range max(len(b.game.Bets), 1) {
				game := b.playing(at.mode, bet)
				for i, f := range fault.OfRulebook(game) {
					found[f.Rule] = true
					b.plant(t, game, f, at, i+bet, "")
				}
			}
		}
		for i, f := range fault.All() {
			if why := b.lacks(f.Rule); why != "" {
				without[why] = append(without[why], f.Rule)
				continue
			}
			for _, at := range b.among(tables, &f) {
				why := b.unplanted(&f, at)
				if why == "" {
					found[f.Rule] = true
				} else if !slices.Contains(without[why], f.Rule) {
					without[why] = append(without[why], f.Rule)
				}
				b.plant(t, b.playing(at.mode, 0), f, at, i, why)
			}
		}
		fmt.Fprintf(&page, "%s %v: the faults of %d rules are found, at the tables %v\n",
			b.Name, b.law.Game, len(found), tables)
		for _, why := range slices.Sorted(maps.Keys(without)) {
			fmt.Fprintf(&page, "  not planted, %s: %s\n", why, strings.Join(without[why], " "))
		}
	}
	compareFile(t, "testdata/examples.txt", page.String())
}

// among are the tables of the kinds of a fault, all if there are none.
func (b *exampleBook) among(tables []table, f *fault.Fault) []table {
	kind := func(at table) bool { return !slices.Contains(f.Kinds, at.kind) }
	if own := slices.DeleteFunc(slices.Clone(tables), kind); len(own) > 0 {
		return own
	}
	return tables
}

func (b *exampleBook) playLegally(t *testing.T, at table) {
	t.Helper()
	for seed := range uint64(enginetest.Soak(3, 100)) {
		config, err := deal.Config(at.kind, seed)
		if err != nil {
			t.Fatal(err)
		}
		game := b.playing(at.mode, 0)
		deal.Offer(&config, game, seed)
		table := deal.NewTable(deal.Options{Config: config, Seed: seed, Game: game})
		set := audited(t, b.opt, slices.Concat(table.Open(), table.Shoe(), table.Shoe(), table.Close()))
		if found := above(set); len(found) > 0 {
			t.Errorf("seed %d: a legal shoe has findings: %q", seed, found[:min(len(found), 5)])
		}
	}
}

// plant plants a fault at a table and wants exactly its finding, or if there is a reason why it cannot be planted, not.
func (b *exampleBook) plant(t *testing.T, game *deal.Game, f fault.Fault, at table, i int, why string) {
	t.Run(fmt.Sprintf("%s/%s/%s/%s", b.Name, at.kind, at.mode, f.Rule), func(t *testing.T) {
		t.Parallel()
		f.Kinds = []string{at.kind}
		for _, seed := range enginetest.Seeds(i, 1, 24) {
			events, want, err := fault.Plant(deal.Options{Game: game}, f, seed)
			wrong := []string{fmt.Sprint(err)}
			if err == nil {
				found := audited(t, b.opt, events).Findings
				if wrong = unlike(found, want); b.withoutWitness(&f) && len(wrong) > 0 && readerAlone(found, want[0].Round) {
					continue
				}
			}
			if (len(wrong) > 0) != (why != "") {
				t.Fatalf("seed %d: %s: not planted because %q, %q", seed, f.Doc, why, wrong[:min(len(wrong), 3)])
			}
		}
	})
}

// withoutWitness reports whether a payment for a pair is the only event that contradicts the cards: where pairs are not
// called, the card may have been misread as well.
func (b *exampleBook) withoutWitness(f *fault.Fault) bool {
	_, called := b.law.Cited("announce.pair")
	return f.Rule == "outcome.pair-wager" && !called
}

// readerAlone reports whether all that is found is that a card of a round may have been misread.
func readerAlone(found []finding.Finding, round uint32) bool {
	found = slices.DeleteFunc(slices.Clone(found), func(f finding.Finding) bool { return f.Severity == finding.Info })
	return len(found) == 1 && found[0].Rule == "count.reader-suspected" && found[0].Round == round &&
		found[0].Verdict == finding.Suspect
}

func compareFile(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s is not up to date, run it with -update (-want +got):\n%s", file, d)
	}
}
