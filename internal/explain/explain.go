// Package explain lists and explains the rules for audit rules: what each requires, when it is evaluated, and in which
// rulebooks it is in force. It also checks rulebook files.
package explain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// Filter selects rules.
type Filter struct {
	Rulebook, Game string // empty for all
	Min            finding.Severity
	Name           string // a rule, or the first part of the names of several
}

// Run prints the rules that match the filter, by rulebook, or in full if the filter has a name.
func Run(out io.Writer, books law.Books, f Filter, format string) error {
	laws, err := f.laws(books)
	if err != nil {
		return cli.WrongUsage(err)
	}
	if err := f.known(); err != nil {
		return cli.WrongUsage(err)
	}
	var found []Rule
	for _, r := range rules.All() {
		if r.Severity >= f.Min && strings.HasPrefix(r.Name, f.Name) {
			if e := explain(r, laws); len(e.InForce) > 0 {
				found = append(found, e)
			}
		}
	}
	if len(found) == 0 {
		return cli.WrongUsage(f.nowhere())
	}
	if i := slices.IndexFunc(found, func(e Rule) bool { return e.Rule == f.Name }); i >= 0 {
		found = found[i : i+1]
	}
	switch {
	case format == "json":
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(found)
	case f.Name != "":
		return printExplained(out, found)
	}
	return printLaws(out, laws, found)
}

// Lint loads rulebook files as a program does, and prints their games and the number of rules.
func Lint(out io.Writer, paths []string) error {
	shipped, err := rules.Shipped()
	if err != nil {
		return err
	}
	books, err := (&settings.Law{Rulebooks: paths}).Books()
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("read rulebook: %w", err)
	}
	if err != nil {
		return cli.WrongUsage(err)
	}
	for _, name := range slices.Sorted(maps.Keys(books)) {
		if _, ok := shipped[name]; ok {
			continue
		}
		for _, g := range books[name].Games() {
			law, _ := books[name].Law(g)
			set := rules.NewSet(law)
			fmt.Fprintf(out, "%s: %v, %s in force\n", books[name].Ref(), g, countRules(len(set.Rules())))
			warn(out, set)
			lintBlanks(out, set)
			lintCharges(out, law)
			lintWagers(out, set)
		}
	}
	return nil
}

// warn prints what a game permits or prices and no rule judges, which texts its rules cite, and what is assumed.
func warn(out io.Writer, set *rules.Set) {
	for s := baccarat.SpotBanker; s < baccarat.Spots; s++ {
		permitted, priced := slices.Contains(set.Law.SideBets, s.SideBet()), set.Law.Odds[s].Known()
		switch {
		case set.Judges(s) || set.Law.Game == baccarat.CheminDeFer:
		case s == baccarat.SpotBanker || s == baccarat.SpotPlayer || s == baccarat.SpotTie:
			fmt.Fprintf(out, "  warning: %v is permitted but not judged: no rule in force for its payment\n", s)
		case s.SideBet() != baccarat.NoSideBet && permitted:
			fmt.Fprintf(out, "  warning: %v is permitted but not judged: no rule in force for its payment\n", s)
		case priced:
			fmt.Fprintf(out, "  warning: %v is priced but not judged: no rule in force for its payment\n", s)
		}
	}
	texts, bases := map[string]int{}, map[finding.Basis]int{}
	for _, r := range set.Rules() {
		cited, _ := set.Law.Cited(r.Name)
		if basis := rules.BasisOf(cited); basis != finding.Text && cited.Assumed != law.NotFilledIn {
			bases[basis]++
		}
		texts[textOf(cited.Citations[0])]++
	}
	if len(texts) > 1 {
		for _, text := range slices.Sorted(maps.Keys(texts)) {
			fmt.Fprintf(out, "  cites %s: %s\n", text, countRules(texts[text]))
		}
	}
	for _, basis := range slices.Sorted(maps.Keys(bases)) {
		fmt.Fprintf(out, "  basis %s: %s of another text\n", basis, countRules(bases[basis]))
	}
}

// lintBlanks warns of what was left to be filled in: in the title and the notes, and in the citations of rules.
func lintBlanks(out io.Writer, set *rules.Set) {
	found := map[string]int{}
	for _, left := range law.Blanks(set.Law.Book.Title, set.Law.Book.Notes) {
		found[left] += 0
	}
	for _, r := range set.Rules() {
		cited, _ := set.Law.Cited(r.Name)
		for _, left := range law.Blanks(cited.Citations...) {
			found[left]++
		}
	}
	for _, left := range slices.Sorted(maps.Keys(found)) {
		fmt.Fprintf(out, "  warning: %s is not filled in", left)
		if n := found[left]; n > 0 {
			fmt.Fprintf(out, ": findings of %s cite it, and are SUSPECT", countRules(n))
		}
		fmt.Fprintln(out)
	}
}

func countRules(n int) string { return schema.Count(n, "rule") }

// textOf is the text of a citation: what precedes its section and paragraphs.
func textOf(citation string) string {
	citation, _, _ = strings.Cut(citation, "(")
	citation = strings.TrimSpace(citation)
	at := strings.IndexByte(citation, '-')
	if at < 1 || unicode.IsLower(rune(citation[at-1])) {
		return citation
	}
	return citation[:at]
}

// Rule is a rule with its laws; its JSON is the output of audit rules -o json.
type Rule struct {
	Rule      string   `json:"rule"`
	Severity  string   `json:"severity"`
	Requires  string   `json:"requires"`
	Breach    string   `json:"breach,omitempty"`
	Evaluated string   `json:"evaluated"`
	Feeds     []string `json:"feeds"`
	Covers    []string `json:"covers"`
	InForce   []clause `json:"in_force"`
}

type clause struct {
	Rulebook  string   `json:"rulebook"`
	Game      string   `json:"game"`
	Citations []string `json:"citations"`
	Assumed   string   `json:"assumed,omitempty"`
	Basis     string   `json:"basis"`
}

// nowhere is the error of a filter whose rules exist and are in force in no selected rulebook and game.
func (f *Filter) nowhere() error {
	what := "no rule"
	if f.Name != "" {
		what = "rule " + f.Name
	}
	if f.Min > finding.Info {
		what += " of severity " + f.Min.String() + " and above"
	}
	return fmt.Errorf("%s is not in force in the selected rulebooks and games: leave out --rulebook, --game or --severity",
		what)
}

// known returns an error if no rule has the name or begins with it.
func (f *Filter) known() error {
	names := rules.Names()
	if slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, f.Name) }) {
		return nil
	}
	if near := law.Nearest(f.Name, names); near != "" {
		return fmt.Errorf("no rule is named %q or begins with it, did you mean %s?", f.Name, near)
	}
	return fmt.Errorf("no rule is named %q or begins with it: audit rules lists the rules", f.Name)
}

// laws returns the laws that match the filters.
func (f *Filter) laws(books law.Books) ([]*law.Law, error) {
	var out []*law.Law
	games := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(books)) {
		for _, g := range books[name].Games() {
			games[g.String()] = true
			law, _ := books[name].Law(g)
			if (f.Rulebook == "" || f.Rulebook == name) && (f.Game == "" || strings.EqualFold(f.Game, g.String())) {
				out = append(out, law)
			}
		}
	}
	switch {
	case f.Rulebook != "" && books[f.Rulebook] == nil:
		return nil, fmt.Errorf("--rulebook %q, want one of %s", f.Rulebook,
			strings.Join(slices.Sorted(maps.Keys(books)), ", "))
	case f.Game != "" && !games[strings.ToUpper(f.Game)]:
		return nil, fmt.Errorf("--game %q, want one of %s", f.Game, strings.Join(slices.Sorted(maps.Keys(games)), ", "))
	case len(out) == 0:
		return nil, errors.New("the rulebook does not have the game")
	}
	return out, nil
}

func explain(r *rules.Rule, laws []*law.Law) Rule {
	e := Rule{
		Rule: r.Name, Severity: r.Severity.String(), Requires: r.Doc, Breach: r.Breach, Evaluated: when(r.At),
		Covers: append([]string{}, r.Covers...),
	}
	e.Feeds = strings.FieldsFunc(r.Needs.String(), func(c rune) bool { return c == '+' })
	for _, law := range laws {
		if c, ok := law.Cited(r.Name); ok {
			e.InForce = append(e.InForce, clause{
				law.Book.Name, law.Game.String(), c.Citations, c.Assumed, string(rules.BasisOf(c)),
			})
		}
	}
	return e
}

// when describes a stage.
func when(s rules.Stage) string {
	switch s {
	case rules.Changed:
		return "at the first card after a configuration came into force"
	case rules.Prepared:
		return "at the first card of a shoe"
	case rules.Betting:
		return "at no more bets"
	case rules.Dealt:
		return "when a result is announced, or else at the first settlement or the recorded end of the round"
	case rules.Settled:
		return "at the next round's first card, or at the end of the shoe"
	case rules.Closed:
		return "when the next shoe is shuffled, or the table closes"
	}
	return "when a configuration comes into force, against the other tables"
}

func printLaws(out io.Writer, laws []*law.Law, found []Rule) error {
	for _, law := range laws {
		w := output.NewTabs(out)
		n := 0
		for i := range found {
			for j := range found[i].InForce {
				c := &found[i].InForce[j]
				if c.Rulebook != law.Book.Name || c.Game != law.Game.String() {
					continue
				}
				n++
				fmt.Fprintf(w, "  %s\t%s\t%s%s\n", found[i].Severity, found[i].Rule, strings.Join(c.Citations, "; "),
					c.note())
			}
		}
		if n == 0 {
			continue
		}
		fmt.Fprintf(out, "%s %s: %s\n", law.Book.Name, law.Game, countRules(n))
		if err := w.Flush(); err != nil {
			return fmt.Errorf("print rules: %w", err)
		}
	}
	return nil
}

// note is what the entry rests on, unless it is the text itself.
func (c *clause) note() string {
	switch {
	case c.Basis == string(finding.ByReference):
		return " (by reference of the text)"
	case c.Assumed == "":
		return ""
	case c.Basis == string(finding.Adopted(c.Assumed)):
		return " (assumed under option " + c.Assumed + ", adopted)"
	}
	return " (assumed under option " + c.Assumed + ")"
}

func printExplained(out io.Writer, found []Rule) error {
	for i := range found {
		e := &found[i]
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s (%s)\n", e.Rule, e.Severity)
		fmt.Fprintf(out, "  requires    %s\n", e.Requires)
		if e.Breach != "" {
			fmt.Fprintf(out, "  breach      %s\n", e.Breach)
		}
		fmt.Fprintf(out, "  evaluated   %s\n", e.Evaluated)
		if len(e.Feeds) > 0 {
			fmt.Fprintf(out, "  needs       %s\n", strings.Join(e.Feeds, ", "))
		}
		if len(e.Covers) > 0 {
			fmt.Fprintf(out, "  covers      %s\n", strings.Join(e.Covers, ", "))
		}
		for j := range e.InForce {
			c := &e.InForce[j]
			if _, err := fmt.Fprintf(out, "  in force    %s %s: %s%s\n", c.Rulebook, c.Game, strings.Join(c.Citations, "; "),
				c.note()); err != nil {
				return fmt.Errorf("print rules: %w", err)
			}
		}
	}
	return nil
}
