package explain

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// lintCharges prints what is wrong with the kinds of vigorish that a game permits: lines that no hand reaches, lines
// behind others, lines of hands that the banker wager does not win, and the house edge of the banker wager.
func lintCharges(out io.Writer, l *law.Law) {
	kernel, full := exact.New(&l.Drawing), exact.Full(8)
	var odds exact.Odds
	if !kernel.Odds(&full, &odds) {
		return
	}
	set := rules.NewSet(l)
	for _, kind := range l.Kinds() {
		w := l.Charge(kind)
		if w != nil {
			lintChargeLines(out, l, kernel, w)
			lintChargeRules(out, set, kind, w)
		}
		configs := electable(l, kind)
		if len(configs) == 0 {
			fmt.Fprintf(out, "  warning: BANKER under %v: no percentage may be elected\n", kind)
		}
		for _, config := range configs {
			name := kind.String()
			if config.Percent != 0 {
				name += fmt.Sprintf(" of %d percent", config.Percent)
			}
			terms := kernel.Terms(l, &config, baccarat.SpotBanker)
			if !terms.Offered {
				fmt.Fprintf(out, "  warning: BANKER under %s: no odds\n", name)
				continue
			}
			ev := terms.EV(&odds)
			fmt.Fprintf(out, "  BANKER under %s: house edge %.4f percent with 8 decks\n", name, 100*-ev)
			if ev > 0 {
				fmt.Fprintf(out, "  warning: BANKER under %s gives the patron an advantage\n", name)
			}
		}
	}
}

// electable are the configurations of a kind of vigorish: one of each percentage that a table may elect.
func electable(l *law.Law, kind law.Kind) []law.Config {
	config := law.Config{Mode: kind.Mode, ModeName: kind.Name}
	if takes := l.TakesEver(&config); !takes.Elected {
		return []law.Config{config}
	}
	var all []law.Config
	for _, percent := range slices.Sorted(maps.Keys(l.Units)) {
		config.Percent = percent
		all = append(all, config)
	}
	return all
}

// lintChargeRules prints what a kind of vigorish that the rulebook names takes and no rule in force judges.
func lintChargeRules(out io.Writer, set *rules.Set, kind law.Kind, w *law.Wager) {
	if !kind.Named() {
		return
	}
	takes := set.TakesEver(&law.Config{Mode: kind.Mode, ModeName: kind.Name})
	for _, x := range []struct {
		rule string
		due  bool
	}{
		{"vig.amount.under", takes.Won},
		{"vig.not-charged", takes.Won},
		{"vig.tie25.amount", takes.Tie > 0},
		{"vig.tie25.all-players", takes.Tie > 0},
		{"vig.only-on-banker-win", true},
		{"outcome.banker-wager", true},
	} {
		if _, ok := set.Cited(x.rule); x.due && !ok {
			fmt.Fprintf(out, "  warning: BANKER under %s: %s is not in force\n", w.Name, x.rule)
		}
	}
}

// printCharges prints the kinds of vigorish of a game in words, with the exact probability of each line and the house
// edge of the banker wager in a full shoe.
func printCharges(out io.Writer, l *law.Law, name string, decks int) error {
	kernel, full := exact.New(&l.Drawing), exact.Full(decks)
	var odds exact.Odds
	known := kernel.Odds(&full, &odds)
	for _, kind := range l.Kinds() {
		w := l.Charge(kind)
		if w == nil || name != "" && w.Name != name {
			continue
		}
		fmt.Fprintf(out, "%s %v BANKER under %s", l.Book.Name, l.Game, w.Name)
		if w.Title != "" {
			fmt.Fprintf(out, ", %s", w.Title)
		}
		fmt.Fprintln(out)
		lines, _, ok := kernel.Wager(l, &law.Config{}, w, &full)
		tab := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		for i := range w.Lines {
			line, chance := &w.Lines[i], ""
			if ok {
				chance = fmt.Sprintf("%.6f", lines[i].Chance)
			}
			fmt.Fprintf(tab, "    %s\t%s\t%s\t%s\n", line.Name, Condition(&line.When), chargeWords(l, line), chance)
		}
		if err := tab.Flush(); err != nil {
			return fmt.Errorf("print a kind of vigorish: %w", err)
		}
		for _, config := range electable(l, kind) {
			terms := kernel.Terms(l, &config, baccarat.SpotBanker)
			if !known || !terms.Offered {
				continue
			}
			of := ""
			if config.Percent != 0 {
				of = fmt.Sprintf(", %d percent", config.Percent)
			}
			fmt.Fprintf(out, "    house edge %.4f percent with %s%s\n", 100*-terms.EV(&odds), schema.Count(decks, "deck"), of)
		}
	}
	return nil
}

// chargeWords is what a line of a kind of vigorish does, in words.
func chargeWords(l *law.Law, line *law.Line) string {
	if line.Returns {
		return "returned"
	}
	var parts []string
	if line.Odds.Known() {
		least := ""
		if line.Odds.Floor {
			least = "at least "
		}
		parts = append(parts, "pays "+least+line.Odds.String())
	}
	switch t := line.Takes; {
	case t.Tie > 0:
		parts = append(parts, fmt.Sprintf("returned, %d percent of the stake taken", t.Tie))
	case t.Elected:
		parts = append(parts, fmt.Sprintf("commission of one of %v percent", slices.Sorted(maps.Keys(l.Units))))
	case t.Won:
		parts = append(parts, commissionWords(&t.Vig))
	default:
		parts = append(parts, "nothing taken")
	}
	return strings.Join(parts, ", ")
}

// commissionWords is a commission in words; its amounts are in minor units.
func commissionWords(v *baccarat.Vig) string {
	text := fmt.Sprintf("commission of %d percent", v.Percent)
	if v.Unit > 1 {
		text += fmt.Sprintf(" rounded %s to %d", [...]string{"up", "down", "to the nearest"}[v.Rounding], v.Unit)
	}
	if v.Minimum > 0 {
		text += fmt.Sprintf(", at least %d", v.Minimum)
	}
	return text
}

func lintChargeLines(out io.Writer, l *law.Law, kernel *exact.Kernel, w *law.Wager) {
	full := exact.Full(8)
	lines, _, ok := kernel.Wager(l, &law.Config{}, w, &full)
	if !ok {
		return
	}
	name := "BANKER under " + w.Name
	for i := range lines {
		lintLine(out, w, &lines[i], true, name) // a line without odds pays what the wager pays
		if w.Lines[i].Takes.Tie > 0 {
			continue
		}
		when := &w.Lines[i].When
		beyond := kernel.Event(func(c *baccarat.Coup) bool { return when.Holds(c) && c.Result() != baccarat.BankerWon })
		if len(beyond) > 0 {
			fmt.Fprintf(out, "  warning: %s, line %s: it applies to hands that the banker wager does not win\n",
				name, lines[i].Name)
		}
	}
}
