package engine_test

import (
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
	books := map[string][2]string{"giving8": {giving8, "nj-mini"}}
	for name, kind := range map[string]string{
		"macau": "nj-mini", "great-britain": "nj-punto", "pennsylvania": "ny-ez", "new": "nj-mini",
	} {
		text, err := law.Example(name)
		if err != nil {
			t.Fatal(err)
		}
		books[name] = [2]string{strings.Replace(string(text), "name: NAME", "name: island", 1), kind}
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
