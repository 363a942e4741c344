package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// Wagers prints the side bets and the kinds of vigorish of each game in words, with the exact probability of each
// line and the house edge in a full shoe.
func Wagers(out io.Writer, books law.Books, f Filter, decks int) error {
	laws, err := f.laws(books)
	if err != nil {
		return cli.WrongUsage(err)
	}
	if err := f.knownWager(books); err != nil {
		return cli.WrongUsage(err)
	}
	for _, l := range laws {
		set := rules.NewSet(l)
		for _, w := range l.Wagers {
			if !l.Permits(w) || f.Name != "" && w.Name != f.Name {
				continue
			}
			fmt.Fprintf(out, "%s %v %s", l.Book.Name, l.Game, w.Name)
			if w.Title != "" {
				fmt.Fprintf(out, ", %s", w.Title)
			}
			fmt.Fprintln(out)
			if w.Posted {
				fmt.Fprintln(out, "  the text does not have the odds: a payment is judged by the posted lines")
				continue
			}
			if !set.JudgesWager(w) {
				fmt.Fprintln(out, "  warning: no rule in force judges it")
			}
			for _, table := range tablesOf(l, w) {
				if err := printWager(out, l, w, table, decks); err != nil {
					return err
				}
			}
		}
		if err := printCharges(out, l, f.Name, decks); err != nil {
			return err
		}
	}
	return nil
}

// knownWager returns an error if no rulebook has the wager or the kind of vigorish.
func (f *Filter) knownWager(books law.Books) error {
	var names []string
	for _, book := range books {
		for _, g := range book.Games() {
			l, _ := book.Law(g)
			for _, w := range l.Wagers {
				names = append(names, w.Name)
			}
			for _, kind := range l.Kinds() {
				names = append(names, kind.String())
			}
		}
	}
	if f.Name == "" || slices.Contains(names, f.Name) {
		return nil
	}
	slices.Sort(names)
	hint := "want one of " + strings.Join(slices.Compact(names), ", ")
	if near := law.Nearest(strings.ToUpper(f.Name), names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return fmt.Errorf("no rulebook has a wager %q, %s", f.Name, hint)
}

// tablesOf are the pay tables of a wager, one without a name if it has none.
func tablesOf(l *law.Law, w *law.Wager) []string {
	if tables := l.Tables(w.PayTable); w.PayTable != "" && len(tables) > 0 {
		return tables
	}
	return []string{""}
}

// electing is a configuration that elects a pay table for a wager.
func electing(w *law.Wager, table string) *law.Config {
	return &law.Config{
		BonusTable: table, TreasuresTable: table, PayTables: map[string]string{w.PayTable: table},
	}
}

func printWager(out io.Writer, l *law.Law, w *law.Wager, table string, decks int) error {
	config := electing(w, table)
	if table != "" {
		fmt.Fprintf(out, "  pay table %s\n", table)
	}
	full := exact.Full(decks)
	lines, ev, ok := exact.New(&l.Drawing).Wager(l, config, w, &full)
	tab := output.NewTabs(out)
	for i := range w.Lines {
		line := &w.Lines[i]
		pays, chance := "returned", ""
		if odds := l.LineOdds(config, w, line); !line.Returns {
			pays = "odds unknown"
			if odds.Known() {
				pays = "pays " + odds.String()
			}
			if odds.Floor {
				pays = "pays at least " + odds.String()
			}
		}
		if ok {
			chance = fmt.Sprintf("%.6f", lines[i].Chance)
			if lines[i].Ways == 0 {
				pays, chance = "not in this pay table", ""
			}
		}
		fmt.Fprintf(tab, "    %s\t%s\t%s\t%s\n", line.Name, Condition(&line.When), pays, chance)
	}
	if err := tab.Flush(); err != nil {
		return fmt.Errorf("print a wager: %w", err)
	}
	if !ok {
		_, err := fmt.Fprintln(out, "    house edge not computed: too few cards, or too many")
		return err
	}
	_, err := fmt.Fprintf(out, "    house edge %.4f percent with %s\n", 100*-ev, schema.Count(decks, "deck"))
	return err
}

// Condition is a condition in words.
func Condition(q *baccarat.Condition) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if q.Winner != 0 {
		var results []string
		for _, r := range q.Winner.All() {
			results = append(results, map[baccarat.Result]string{
				baccarat.PlayerWon: "the player hand wins", baccarat.BankerWon: "the banker hand wins",
				baccarat.Tie: "tie",
			}[baccarat.Result(r)])
		}
		add(strings.Join(results, " or "))
	}
	add(numbers("margin", q.Margin))
	add(numbers("sum of the point counts", q.Points))
	add(numbers("cards of both hands", q.Cards))
	add(numbers("sum of the values of all cards", q.CardPoints))
	add(demanded(q.OneSuit, "all cards of one suit", "not all cards of one suit"))
	add(demanded(q.SamePair, "both hands begin with a pair of one rank", "the hands do not begin with pairs of one rank"))
	add(counts(q.Count))
	add(hand("player hand", q.Player))
	add(hand("banker hand", q.Banker))
	add(hand("one hand or both", q.Either))
	add(hand("each hand", q.Both))
	if q.Not != nil {
		add("not (" + Condition(q.Not) + ")")
	}
	if len(q.Any) > 0 {
		var any []string
		for i := range q.Any {
			any = append(any, Condition(&q.Any[i]))
		}
		add("(" + strings.Join(any, " or ") + ")")
	}
	if len(parts) == 0 {
		return "always"
	}
	return strings.Join(parts, ", ")
}

func hand(which string, q *baccarat.HandCondition) string {
	if q == nil {
		return ""
	}
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	add(numbers("total", q.Total))
	add(numbers("cards", q.Cards))
	add(numbers("total of the first two", q.TwoCards))
	add(demanded(q.Natural, "natural", "no natural"))
	add(demanded(q.Pair, "first two a pair", "first two no pair"))
	add(demanded(q.Suited, "first two suited", "first two not suited"))
	add(demanded(q.SameColor, "first two of one color", "first two of two colors"))
	if q.Ranks != [2]uint8{} {
		add("first two " + ranks(q.Ranks[0]) + " and " + ranks(q.Ranks[1]))
	}
	if q.Third != 0 {
		add("third card " + ranks(q.Third.All()...))
	}
	add(demanded(q.OneRank, "all of one rank", "not of one rank"))
	add(demanded(q.OneSuit, "all of one suit", "not of one suit"))
	if q.Only != 0 {
		add("only " + ranks(q.Only.All()...))
	}
	add(counts(q.Count))
	return which + ": " + strings.Join(parts, ", ")
}

// counts are counts of cards in words.
func counts(x *baccarat.CardCount) string {
	var parts []string
	for ; x != nil; x = x.And {
		var suits []string
		for suit, name := range []string{"clubs", "diamonds", "hearts", "spades"} {
			if x.Suits>>suit&1 != 0 {
				suits = append(suits, name)
			}
		}
		what := strings.Join(suits, " or ")
		if x.Ranks != 0 {
			what = strings.TrimSuffix(ranks(x.Ranks.All()...)+" of "+what, " of ")
		}
		if x.FirstTwo {
			what += " in the first two"
		}
		parts = append(parts, numbers("cards that are "+what+":", x.Is))
	}
	return strings.Join(parts, ", ")
}

func numbers(what string, set baccarat.Numbers) string {
	if set == 0 {
		return ""
	}
	var parts []string
	for all := set.All(); len(all) > 0; {
		n := 1
		for n < len(all) && all[n] == all[0]+uint8(n) {
			n++
		}
		if n < 4 {
			parts, all = append(parts, fmt.Sprint(all[0])), all[1:]
			continue
		}
		parts, all = append(parts, fmt.Sprintf("%d to %d", all[0], all[n-1])), all[n:]
	}
	return what + " " + strings.Join(parts, " or ")
}

func ranks(all ...uint8) string {
	var words []string
	for _, r := range all {
		words = append(words, baccarat.NewCard(r, 0).String()[:1])
	}
	return strings.Join(words, " or ")
}

func demanded(d baccarat.Demand, yes, no string) string {
	return map[baccarat.Demand]string{baccarat.Wanted: yes, baccarat.Unwanted: no}[d]
}

// lintWagers prints what is wrong with the side bets that a game permits: lines that no hand reaches, lines behind
// others, missing odds, wagers that nothing judges, and the house edge.
func lintWagers(out io.Writer, set *rules.Set) {
	l := set.Law
	kernel, full := exact.New(&l.Drawing), exact.Full(8)
	for _, w := range l.Wagers {
		priced := func(x law.Line) bool { return x.ByTable != nil || x.Odds.Known() }
		if w.Spot != baccarat.SpotOther && (w.Posted || !w.Odds.Known() && !slices.ContainsFunc(w.Lines, priced)) {
			continue // judged by posted rows, or reported as not judged
		}
		if !l.Permits(w) {
			if w.Spot == baccarat.SpotOther {
				fmt.Fprintf(
					out, "  warning: %s is defined but not permitted: side_bets does not have %s\n", w.Name, w.SideBet,
				)
			}
			continue
		}
		if w.Spot == baccarat.SpotOther && !set.JudgesWager(w) {
			fmt.Fprintf(out, "  warning: %s is permitted but not judged: no rule in force for its payment\n", w.Name)
		}
		if w.Posted {
			fmt.Fprintf(out, "  %s: no odds in the rulebook, payments are judged by the posted lines\n", w.Name)
			continue
		}
		for _, table := range tablesOf(l, w) {
			config := electing(w, table)
			lines, ev, ok := kernel.Wager(l, config, w, &full)
			name := w.Name
			if table != "" {
				name += " under pay table " + table
			}
			if !ok {
				continue // never of a full shoe
			}
			for i := range lines {
				lintLine(out, w, &lines[i], l.LineOdds(config, w, lines[i].Line).Known(), name)
			}
			fmt.Fprintf(out, "  %s: house edge %.4f percent with 8 decks\n", name, 100*-ev)
			if ev > 0 {
				fmt.Fprintf(out, "  warning: %s gives the patron an advantage\n", name)
			}
		}
	}
}

func lintLine(out io.Writer, w *law.Wager, x *exact.LineOdds, priced bool, name string) {
	switch {
	case x.Held == 0:
		fmt.Fprintf(out, "  warning: %s, line %s: no hand reaches it\n", name, x.Name)
	case w.RowsDecide && !priced:
	case x.Ways == 0:
		fmt.Fprintf(out, "  warning: %s, line %s: other lines apply to each hand that reaches it\n", name, x.Name)
	case x.Ways < x.Held && w.Choice == law.First:
		fmt.Fprintf(out, "  %s, line %s: lines before it apply to %.1f percent of its hands\n", name, x.Name,
			100*float64(x.Held-x.Ways)/float64(x.Held))
	case !x.Returns && !priced:
		fmt.Fprintf(out, "  warning: %s, line %s: no odds\n", name, x.Name)
	}
}
