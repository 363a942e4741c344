package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/explain"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
)

type rulesFlags struct {
	rulebook, game, min, output string
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
		RunE: f.run,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return rules.Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&f.rulebook, "rulebook", "", "only this rulebook")
	cmd.Flags().StringVar(&f.game, "game", "", "only this game, such as PUNTO_BANCO")
	cmd.Flags().StringVar(&f.min, "severity", "info", "only rules of this severity and above")
	cmd.Flags().StringVarP(&f.output, "output", "o", "table", "table, json, or a file such as rules.json")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "rulebooks")
	cmd.AddCommand(lintCommand(), newRulesCommand(), wagersCommand())
	return cmd
}

func lintCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "lint FILE...",
		Short:   "check rulebook files, which may extend the shipped ones and each other",
		Example: "  audit rules lint house.yaml",
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return explain.Lint(cmd.OutOrStdout(), args) },
	}
}

func newRulesCommand() *cobra.Command {
	var like, output string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "write a commented rulebook to fill in, or an example of one",
		Long: `New writes a rulebook with a comment on each key, to be filled in and checked with audit rules lint;
docs/new-jurisdiction.md explains each step. With --example it writes one of the examples, which are not a
statement of law: their notes name the sources, and what was not found.`,
		Example: `  audit rules new island-mini -o island.yaml
  audit rules new island-mini --example macau -o island.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := law.Example(like)
			if err != nil {
				return cli.WrongUsage(fmt.Errorf("--example: %w", err))
			}
			text, err = named(text, args[0])
			if err != nil {
				return cli.WrongUsage(err)
			}
			if output == "" || output == "yaml" {
				_, err = cmd.OutOrStdout().Write(text)
				return err
			}
			file, err := os.OpenFile(output, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if err != nil {
				return cli.WrongUsage(fmt.Errorf("write a rulebook: %w", err))
			}
			_, err = file.Write(text)
			return errors.Join(err, file.Close())
		},
	}
	cmd.Flags().StringVar(&like, "example", "new", strings.Join(law.Examples(), ", "))
	cmd.Flags().StringVarP(&output, "output", "o", "",
		"file to write, which must not exist; yaml, the default, is standard output")
	return cmd
}

// named is the text of a rulebook with another name.
func named(text []byte, name string) ([]byte, error) {
	if !ruleName.MatchString(name) {
		return nil, fmt.Errorf("name %q, want small letters, digits and hyphens", name)
	}
	return nameLine.ReplaceAll(text, []byte("name: "+name)), nil
}

var (
	ruleName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,62}$`)
	nameLine = regexp.MustCompile(`(?m)^name: .*$`)
)

func wagersCommand() *cobra.Command {
	var f rulesFlags
	var decks int
	cmd := &cobra.Command{
		Use:   "wagers [NAME]",
		Short: "print the permitted side bets in words, with the exact probability of each line and the house edge",
		Example: `  audit rules wagers --rulebook ny-5324-21
  audit rules wagers LUCKY_6 --rulebooks house.yaml --decks 6`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if decks < 1 || decks > 8 {
				return cli.WrongUsage(fmt.Errorf("--decks %d, want 1 to 8", decks))
			}
			_, opt, err := configureLaw(cmd)
			if err != nil {
				return err
			}
			filter := explain.Filter{Rulebook: f.rulebook, Game: f.game, Name: strings.Join(args, "")}
			return explain.Wagers(cmd.OutOrStdout(), opt.Books, filter, decks)
		},
	}
	cmd.Flags().StringVar(&f.rulebook, "rulebook", "", "only this rulebook")
	cmd.Flags().StringVar(&f.game, "game", "", "only this game, such as PUNTO_BANCO")
	cmd.Flags().IntVar(&decks, "decks", 8, "decks of the full shoe")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "rulebooks")
	return cmd
}

func (f *rulesFlags) run(cmd *cobra.Command, args []string) error {
	min, err := severity("severity", f.min)
	if err != nil {
		return err
	}
	if f.output != "table" && f.output != "json" {
		return cli.WrongUsage(fmt.Errorf("output format %q, want table or json", f.output))
	}
	_, opt, err := configureLaw(cmd)
	if err != nil {
		return err
	}
	filter := explain.Filter{Rulebook: f.rulebook, Game: f.game, Min: min, Name: strings.Join(args, "")}
	return explain.Run(cmd.OutOrStdout(), opt.Books, filter, f.output)
}
