package engine_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// giving8 is a side bet that was written from its rules card: 200 to 1 if the banker hand starts with 3 and the player
// hand draws an 8.
const giving8 = `name: giving8
extends: nj-19-47
games:
  MINIBACCARAT:
    side_bets: [THREE_GIVING_8, TIGER_PAIR]
    wagers:
      THREE_GIVING_8:
        lines: [{when: {banker: {first_two_total: 3}, player: {third_card: 8}}, pays: '200:1'}]
      TIGER_PAIR:
        choice: highest
        lines:
          - {name: ONE, when: {either: {pair: true}}, pays: {A: '4:1', B: '3:1'}}
          - {name: BOTH, when: {both: {pair: true}}, pays: {A: '20:1', B: '30:1'}}
          - {name: RED, when: {either: {pair: true, same_color: true}}, pays: {A: '7:1', B: '9:1'}}
    rules:
      outcome.side-bet: {cite: ['rules card 1']}
      payout.side-bet.odds: {cite: ['rules card 2']}
`

// counted has side bets on the cards of both hands together, and on suits.
const counted = `name: counted
extends: nj-19-47
games:
  MINIBACCARAT:
    side_bets: [ALL_RED, FLUSH, MATCH_8, QUIK, SUM, TWIN, THIRD_SPADE]
    wagers:
      ALL_RED:
        lines:
          - {name: RED, when: {count: [{suits: BLACK, is: 0}]}, pays: '22:1'}
          - {name: HAND, when: {either: {count: [{suits: red, is: 0}]}}, pays: '2:1'}
      FLUSH:
        lines:
          - {name: ALL, when: {all_one_suit: true}, pays: '200:1'}
          - {name: HEARTS, when: {all_one_suit: false, count: [{suits: [HEARTS, SPADES], is: 4-6}]}, pays: '2:1'}
      MATCH_8:
        lines:
          - {name: TWO, when: {count: [{ranks: 8, is: 2-6}]}, pays: '3:1'}
          - {name: ONE, when: {count: [{ranks: 8, is: 1}]}, pays: '1:1'}
      QUIK: {lines: [{when: {points: [0, 18]}, pays: '25:1'}, {when: {points: [1-3, 15-17]}, pays: '1:1'}]}
      SUM: {lines: [{when: {card_points: 25-54}, pays: '2:1'}, {when: {card_points: 0-9}, pays: '3:1'}]}
      TWIN:
        lines:
          - {when: {same_pair: true}, pays: '100:1'}
          - {when: {both: {pair: true}, same_pair: false}, pays: '20:1'}
      THIRD_SPADE:
        lines:
          - when: {winner: null, banker: {count: [{suits: SPADES, first_two: true, is: 0}, {suits: SPADES, is: 1}]}}
            pays: '6:1'
    rules:
      outcome.side-bet: {cite: ['rules card 1']}
      payout.side-bet.odds: {cite: ['rules card 2']}
`

// gameOf are the books with a rulebook, and legal shoes under it with all its side bets.
func gameOf(t *testing.T, text, kind string, seed uint64) (engine.Options, []schema.Event) {
	t.Helper()
	books, err := rules.ShippedWith(map[string][]byte{"own.yaml": []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	opt := enginetest.Options()
	opt.Books = books
	config, err := deal.Config(kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(text[strings.Index(text, "name: ")+len("name: "):], "\n")
	game, err := deal.ReadGame(books[name].Canonical(), config.Game)
	if err != nil {
		t.Fatal(err)
	}
	deal.Offer(&config, game, seed)
	table := deal.NewTable(deal.Options{Config: config, Seed: seed, Game: game})
	return opt, slices.Concat(table.Open(), table.Shoe(), table.Shoe(), table.Close())
}

// above are the findings above info.
func above(set *rows.Set) (list []string) {
	for i := range set.Findings {
		if f := &set.Findings[i]; f.Severity > finding.Info {
			list = append(list, f.Rule+": "+f.Expected+"; "+f.Observed)
		}
	}
	return list
}

func audited(t *testing.T, opt engine.Options, events []schema.Event) *rows.Set {
	t.Helper()
	set, err := scenario.Audit(opt, events)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// Under a rulebook that is a file alone, legal shoes with its side bets are silent, wherever the simulator's reading of
// the lines and the audit's agree; a wrong payment of each kind is found, and a wager that no one offers too.
func TestGamesAreFiles(t *testing.T) {
	books := map[string][2]string{"giving8": {giving8, "nj-mini"}, "counted": {counted, "nj-mini"}}
	for name, kind := range map[string]string{
		"macau": "nj-mini", "great-britain": "nj-punto", "pennsylvania": "ny-ez", "new": "nj-mini",
	} {
		text, err := law.Example(name)
		if err != nil {
			t.Fatal(err)
		}
		books[name] = [2]string{strings.Replace(string(text), "name: NAME", "name: island", 1), kind}
	}
	for _, name := range []string{"macau-7s", "golden-frog", "lucky-nines"} {
		text, err := os.ReadFile("../testdata/rulebooks/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		books[name] = [2]string{string(text), "nj-mini"}
	}
	for name, book := range books {
		t.Run(name, func(t *testing.T) {
			paid, spots := 0, map[string]bool{}
			for seed := range uint64(3) {
				opt, events := gameOf(t, book[0], book[1], seed)
				set := audited(t, opt, events)
				if found := above(set); len(found) > 0 {
					t.Errorf(
						"seed %d: a legal shoe has findings:\n%s", seed, strings.Join(found[:min(len(found), 5)], "\n"),
					)
				}
				for _, spot := range set.Wagers.Spot {
					spots[spot] = true
				}
				paid += planted(t, opt, events)
			}
			if name != "pennsylvania" && paid == 0 {
				t.Error("no side bet of the rulebook won: the test shows nothing")
			}
			if spots["OTHER"] {
				t.Error("the facts of a wager of the rulebook do not have its word")
			}
		})
	}
}

// planted pays the first winning wager of the rulebook wrongly and wants one finding of it.
func planted(t *testing.T, opt engine.Options, events []schema.Event) int {
	t.Helper()
	named := map[string]bool{}
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.WagerPlaced:
			if p.Spot == schema.SpotOther {
				named[p.WagerID] = true
			}
		case *schema.WagerPaid:
			if named[p.WagerID] {
				bent := slices.Clone(events)
				wrong := *p
				wrong.Amount += 100
				bent[i].Payload = &wrong
				found := above(audited(t, opt, bent))
				if len(found) != 1 || !strings.HasPrefix(found[0], "payout.side-bet.odds: ") {
					t.Errorf("a side bet paid 1.00 too much: %q", found)
				}
				return 1
			}
		}
	}
	return 0
}

// In JSON a word of a rulebook stands where a word of the contract does; without the rulebook it is a dead letter.
func TestWordsOfTheRulebook(t *testing.T) {
	opt, events := gameOf(t, giving8, "nj-mini", 1)
	i := slices.IndexFunc(events, func(ev schema.Event) bool {
		p, ok := ev.Payload.(*schema.WagerPlaced)
		return ok && p.Spot == schema.SpotOther
	})
	text := string(schema.AppendJSON(nil, &events[i]))
	word := events[i].Payload.(*schema.WagerPlaced).SpotName
	text = strings.Replace(text, `"spot":"OTHER"`, `"spot":"`+word+`"`, 1)
	text = strings.Replace(text, `,"spot_name":"`+word+`"`, "", 1)
	for _, x := range []struct {
		opt  engine.Options
		dead int
	}{{opt, 0}, {enginetest.Options(), 1}} {
		e, out := engine.New(x.opt), &rows.Set{}
		e.Apply(&engine.Record{Format: schema.JSON, Value: []byte(text)}, "t", 0, out)
		if len(out.DeadLetters) != x.dead {
			t.Errorf("%s: %d dead letters, want %d", text, len(out.DeadLetters), x.dead)
		}
	}
}

// Odds that are posted for a side bet of the rulebook are compared with its lines.
func TestPostedOddsOfTheRulebook(t *testing.T) {
	opt, events := gameOf(t, giving8, "nj-mini", 1)
	opened, ok := events[slices.IndexFunc(events, func(ev schema.Event) bool {
		_, is := ev.Payload.(*schema.TableOpened)
		return is
	})].Payload.(*schema.TableOpened)
	if !ok {
		t.Fatal("no table_opened")
	}
	opened.Config.PostedRows = map[string]string{"THREE_GIVING_8/1": "150:1"}
	found := above(audited(t, opt, events))
	if len(found) != 1 ||
		!strings.HasPrefix(found[0], "payout.posted-odds: THREE_GIVING_8/1 200:1; THREE_GIVING_8/1 posted 150:1") {
		t.Errorf("posted 150:1 for 200:1: %q", found)
	}
}

// kinds is a rulebook with kinds of vigorish by names of its own: half pay on a 6, a push on a three-card 7, three
// percent rounded down with a minimum and nothing on a 6, a tie charge of ten percent, the elected percentage but half
// pay on 9.
const kinds = `name: kinds
extends: nj-19-47
games:
  MINIBACCARAT:
    side_bets: [DRAGON]
    wagers:
      DRAGON: {lines: [{when: {winner: BANKER, banker: {total: 7, cards: 3}}, pays: '40:1'}]}
    vigorish:
      modes: [SUPER_6, FREE_7, THREE, TENTH, NINES]
      charges:
        SUPER_6: {lines: [{name: SIX, when: {winner: BANKER, banker: {total: 6}}, pays: '1:2'}]}
        FREE_7: {lines: [{name: DRAGON, when: {winner: BANKER, banker: {total: 7, cards: 3}}, returns: true}]}
        THREE:
          lines:
            - {name: SIX, when: {winner: BANKER, banker: {total: 6}}, commission: none}
            - {name: WIN, when: {winner: BANKER}, commission: 3, unit: 50, round: down, minimum: 100}
        TENTH: {lines: [{name: TIE, when: {winner: TIE}, tie_charge: 10}]}
        NINES:
          lines:
            - {name: NINE, when: {winner: BANKER, banker: {total: 9}}, pays: '1:2', commission: elected}
            - {name: WIN, when: {winner: BANKER}, commission: elected}
    rules:
      outcome.side-bet: {cite: ['rules card 1']}
      payout.side-bet.odds: {cite: ['rules card 2']}
`

// kindOf are the books with kinds, and its game with one of them to elect.
func kindOf(t *testing.T, kind string) (engine.Options, *deal.Game) {
	t.Helper()
	books, err := rules.ShippedWith(map[string][]byte{"own.yaml": []byte(kinds)})
	if err != nil {
		t.Fatal(err)
	}
	opt := enginetest.Options()
	opt.Books = books
	game, err := deal.ReadGame(books["kinds"].Canonical(), schema.GameMinibaccarat)
	if err != nil {
		t.Fatal(err)
	}
	game.Modes = []string{kind}
	return opt, game
}

// Legal shoes under the kinds of vigorish of a rulebook are silent, wherever the simulator's reading of the lines and
// the audit's agree, and what breaks their lines is found by the rules on the kinds of the contract.
func TestKindsOfVigorishAreFiles(t *testing.T) {
	faults := map[string][]string{
		"SUPER_6": {"payout.banker.odds", "vig.only-on-banker-win", "payout.side-bet.odds", "outcome.side-bet"},
		"FREE_7":  {"outcome.banker-wager", "vig.only-on-banker-win"},
		"THREE": {
			"vig.amount.under", "vig.amount.over", "vig.not-charged", "vig.mark.required", "vig.only-on-banker-win",
		},
		"TENTH": {"vig.tie25.amount", "vig.tie25.all-players", "vig.tie25.timing", "vig.only-on-banker-win"},
		"NINES": {"payout.banker.odds", "vig.amount.under", "vig.percent-allowed", "vig.uniform-table"},
	}
	for kind, rules := range faults {
		t.Run(kind, func(t *testing.T) {
			opt, game := kindOf(t, kind)
			for seed := range uint64(6) {
				config, err := deal.Config("nj-mini", seed)
				if err != nil {
					t.Fatal(err)
				}
				deal.Offer(&config, game, seed)
				table := deal.NewTable(deal.Options{Config: config, Seed: seed, Game: game, Flawless: true})
				set := audited(t, opt, slices.Concat(table.Open(), table.Shoe(), table.Shoe(), table.Close()))
				if found := above(set); len(found) > 0 {
					t.Errorf(
						"seed %d: a legal shoe has findings:\n%s", seed, strings.Join(found[:min(len(found), 5)], "\n"),
					)
				}
				if mode := set.Configs[0].Mode; mode != kind {
					t.Errorf("the configuration is stored with the kind %q, want %q", mode, kind)
				}
			}
			for _, rule := range rules {
				plantKind(t, opt, game, rule)
			}
		})
	}
}

// plantKind plants a fault at a table with the first kind of vigorish of a game and wants its finding and no other.
func plantKind(t *testing.T, opt engine.Options, game *deal.Game, rule string) {
	t.Helper()
	all := slices.Concat(fault.OfRulebook(game), fault.All())
	f := all[slices.IndexFunc(all, func(f fault.Fault) bool { return f.Rule == rule })]
	f.Kinds = []string{"nj-mini"}
	for seed := range uint64(3) {
		events, want, err := fault.Plant(deal.Options{Game: game}, f, seed)
		if err != nil {
			t.Fatal(err)
		}
		found := above(audited(t, opt, events))
		if len(found) != 1 || !strings.HasPrefix(found[0], want[0].Rule+": ") {
			t.Errorf("%s, seed %d: %s: found %q", rule, seed, f.Doc, found)
		}
	}
}

// A table that elects a kind of vigorish which the rulebook has not, or names it without the word, is not judged by it;
// a change between two kinds wants the notice that any change of kind wants. In JSON the word stands in mode.
func TestKindOfVigorishIsElected(t *testing.T) {
	opt, game := kindOf(t, "SUPER_6")
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	deal.Offer(&config, game, 1)
	play := func(change func(*schema.TableConfig)) *rows.Set {
		table := deal.NewTable(deal.Options{Config: config, Seed: 1, Game: game, Flawless: true})
		events := slices.Concat(table.Open(), table.Shoe())
		next := *table.Config()
		change(&next)
		table.Configure(next)
		return audited(t, opt, slices.Concat(events, table.Shoe(), table.Close()))
	}
	found := above(play(func(c *schema.TableConfig) { c.Vigorish.ModeName = "FREE_7" }))
	if len(found) != 1 || !strings.HasPrefix(found[0], "vig.notice.type-change: ") ||
		!strings.Contains(found[0], "SUPER_6 to FREE_7") {
		t.Errorf("SUPER_6 became FREE_7 without notice: %q", found)
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: 1, Game: game, Flawless: true})
	opened := table.Open()
	i := slices.IndexFunc(opened, func(ev schema.Event) bool { return ev.Payload.Kind() == schema.KindTableOpened })
	text := string(schema.AppendJSON(nil, &opened[i]))
	text = strings.Replace(text, `"mode":"OTHER"`, `"mode":"SUPER_6"`, 1)
	text = strings.Replace(text, `,"mode_name":"SUPER_6"`, "", 1)
	for _, x := range []struct {
		opt  engine.Options
		dead int
	}{{opt, 0}, {enginetest.Options(), 1}} {
		e, out := engine.New(x.opt), &rows.Set{}
		e.Apply(&engine.Record{Format: schema.JSON, Value: []byte(text)}, "t", 0, out)
		if len(out.DeadLetters) != x.dead {
			t.Errorf("%s: %d dead letters, want %d", text, len(out.DeadLetters), x.dead)
		}
	}
}
