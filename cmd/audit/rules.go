package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/explain"
	"github.com/shoeproof/shoeproof/internal/settings"
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
	}
	cmd.Flags().StringVar(&f.rulebook, "rulebook", "", "only this rulebook")
	cmd.Flags().StringVar(&f.game, "game", "", "only this game, such as PUNTO_BANCO")
	cmd.Flags().StringVar(&f.min, "severity", "info", "only rules of this severity and above")
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
		RunE:    func(cmd *cobra.Command, args []string) error { return explain.Lint(cmd.OutOrStdout(), args) },
	}
}

func (f *rulesFlags) run(cmd *cobra.Command, args []string) error {
	min, err := severity("severity", f.min)
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
	filter := explain.Filter{Rulebook: f.rulebook, Game: f.game, Min: min, Name: strings.Join(args, "")}
	return explain.Run(cmd.OutOrStdout(), opt.Books, filter, f.output)
}
