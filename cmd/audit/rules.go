package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
)

type rulesFlags struct {
	rulebook, game, least, output string
}

func rulesCommand() *cobra.Command {
	var f rulesFlags
	cmd := &cobra.Command{
		Use:   "rules [NAME]",
		Short: "list the rules by rulebook and game, or explain those whose name begins with NAME",
		Example: `  audit rules --rulebook nj-19-47 --game MINIBACCARAT
  audit rules vig.outstanding-at-reshuffle
  audit rules draw. -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.Flags().StringVar(&f.rulebook, "rulebook", "", "only this rulebook")
	cmd.Flags().StringVar(&f.game, "game", "", "only this game, such as PUNTO_BANCO")
	cmd.Flags().StringVar(&f.least, "severity", "info", "only rules of this severity and above")
	cmd.Flags().StringVarP(&f.output, "output", "o", "table", "table or json")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "rulebooks")
	cmd.AddCommand(lintCommand())
	return cmd
}

func lintCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "lint FILE...",
		Short:   "check rulebook files, which may extend the shipped ones and each other",
		Example: "  audit rules lint house.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return lint(cmd.OutOrStdout(), args) },
	}
}

// lint loads files as a program would and says what they hold.
func lint(out io.Writer, paths []string) error {
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
			fmt.Fprintf(out, "%s: %v, %d rules in force\n", books[name].Ref(), g, len(rules.NewSet(law).Rules()))
		}
	}
	return nil
}

// explained is a rule with all that a person may ask about it; its JSON is what -o json prints.
type explained struct {
	Rule     string   `json:"rule"`
	Severity string   `json:"severity"`
	Demands  string   `json:"demands"`
	Breach   string   `json:"breach,omitempty"`
	Asked    string   `json:"asked"`
	Feeds    []string `json:"feeds"`
	Covers   []string `json:"suppresses"` // the name of the first release
	InForce  []clause `json:"in_force"`
}

type clause struct {
	Rulebook  string   `json:"rulebook"`
	Game      string   `json:"game"`
	Citations []string `json:"citations"`
	Assumed   string   `json:"assumed,omitempty"`
}

func (f *rulesFlags) run(cmd *cobra.Command, args []string) error {
	min, err := severity("severity", f.least)
	if err != nil {
		return err
	}
	if f.output != "table" && f.output != "json" {
		return cli.WrongUsage(fmt.Errorf("output format %q, want table or json", f.output))
	}
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	opt, err := config.Law.Options(version)
	if err != nil {
		return err
	}
	laws, err := f.laws(opt.Books)
	if err != nil {
		return cli.WrongUsage(err)
	}
	name := strings.Join(args, "")
	var found []explained
	for _, r := range rules.All() {
		if finding.Severity(r.Severity) >= min && strings.HasPrefix(r.Name, name) {
			if e := explain(r, laws); len(e.InForce) > 0 {
				found = append(found, e)
			}
		}
	}
	if len(found) == 0 {
		return cli.WrongUsage(fmt.Errorf("no rule %q is in force there, see audit rules", name))
	}
	if i := slices.IndexFunc(found, func(e explained) bool { return e.Rule == name }); i >= 0 {
		found = found[i : i+1]
	}
	out := cmd.OutOrStdout()
	switch {
	case f.output == "json":
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(found)
	case name != "":
		return printExplained(out, found)
	}
	return printLaws(out, laws, found)
}

// laws are what the filters leave of the rulebooks.
func (f *rulesFlags) laws(books law.Books) ([]*law.Law, error) {
	var out []*law.Law
	games := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(books)) {
		for _, g := range books[name].Games() {
			games[g.String()] = true
			law, _ := books[name].Law(g)
			if (f.rulebook == "" || f.rulebook == name) && (f.game == "" || strings.EqualFold(f.game, g.String())) {
				out = append(out, law)
			}
		}
	}
	switch {
	case f.rulebook != "" && books[f.rulebook] == nil:
		return nil, fmt.Errorf("--rulebook %q, want one of %s", f.rulebook, strings.Join(slices.Sorted(maps.Keys(books)), ", "))
	case f.game != "" && !games[strings.ToUpper(f.game)]:
		return nil, fmt.Errorf("--game %q, want one of %s", f.game, strings.Join(slices.Sorted(maps.Keys(games)), ", "))
	case len(out) == 0:
		return nil, errors.New("that rulebook does not know that game")
	}
	return out, nil
}

func explain(r *rules.Rule, laws []*law.Law) explained {
	e := explained{Rule: r.Name, Severity: r.Severity.String(), Demands: r.Doc, Breach: r.Breach, Asked: when(r.At), Covers: append([]string{}, r.Covers...)}
	e.Feeds = strings.FieldsFunc(r.Needs.String(), func(c rune) bool { return c == '+' })
	for _, law := range laws {
		if c, ok := law.Cited(r.Name); ok {
			e.InForce = append(e.InForce, clause{law.Book.Name, law.Game.String(), c.Citations, c.Assumed})
		}
	}
	return e
}

// when is a stage in words.
func when(s rules.Stage) string {
	switch s {
	case rules.Changed:
		return "at the first card after a configuration came into force"
	case rules.Prepared:
		return "at the first card of a shoe"
	case rules.Betting:
		return "at no more bets"
	case rules.Dealt:
		return "when a result is announced, or else at the first settlement or the round's recorded end"
	case rules.Settled:
		return "at the next round's first card, or at the end of the shoe"
	case rules.Closed:
		return "when the next shoe is shuffled, or the table closes"
	}
	return "when a configuration comes into force, against the other tables"
}

func printLaws(out io.Writer, laws []*law.Law, found []explained) error {
	for _, law := range laws {
		w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
		n := 0
		for i := range found {
			for _, c := range found[i].InForce {
				if c.Rulebook != law.Book.Name || c.Game != law.Game.String() {
					continue
				}
				n++
				fmt.Fprintf(w, "  %s\t%s\t%s%s\n", found[i].Severity, found[i].Rule, strings.Join(c.Citations, "; "), assumed(c.Assumed))
			}
		}
		if n == 0 {
			continue
		}
		fmt.Fprintf(out, "%s %s: %d rules\n", law.Book.Name, law.Game, n)
		if err := w.Flush(); err != nil {
			return fmt.Errorf("print rules: %w", err)
		}
	}
	return nil
}

func assumed(option string) string {
	if option == "" {
		return ""
	}
	return " (assumed under option " + option + ")"
}

func printExplained(out io.Writer, found []explained) error {
	for i := range found {
		e := &found[i]
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s (%s)\n", e.Rule, e.Severity)
		fmt.Fprintf(out, "  demands     %s\n", e.Demands)
		if e.Breach != "" {
			fmt.Fprintf(out, "  breach      %s\n", e.Breach)
		}
		fmt.Fprintf(out, "  asked       %s\n", e.Asked)
		if len(e.Feeds) > 0 {
			fmt.Fprintf(out, "  needs       %s\n", strings.Join(e.Feeds, ", "))
		}
		if len(e.Covers) > 0 {
			fmt.Fprintf(out, "  covers      %s\n", strings.Join(e.Covers, ", "))
		}
		for _, c := range e.InForce {
			if _, err := fmt.Fprintf(out, "  in force    %s %s: %s%s\n", c.Rulebook, c.Game, strings.Join(c.Citations, "; "), assumed(c.Assumed)); err != nil {
				return fmt.Errorf("print rules: %w", err)
			}
		}
	}
	return nil
}
