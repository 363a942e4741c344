package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/conform"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/file"
)

func conformCommand() *cobra.Command {
	var format string
	var rules bool
	cmd := &cobra.Command{
		Use:   "conform FILE...",
		Short: "check whether recorded events keep the contract, without any service",
		Long: `Conform reads the events that a table system recorded, and prints a report to hand back to its vendor:

  records that cannot be decoded, with the reason and what they resemble
  for each table its numbers, order, repeated and missing events, ids and clocks
  for each configuration the rules that the audit can judge with its feeds, and the feeds without any content
  the findings about the play, to be compared with the video

FILE is as for audit replay: a file, a folder or -. The exit code is 0 if the events keep the contract, 3 if they do
not, and 2 if a file cannot be opened. Findings about the play do not change it.`,
		Example: `  audit conform shoe.ndjson
  audit conform --rules shoe.ndjson.gz
  audit conform -o json shoe.pb > report.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			if format != "text" && format != "json" {
				return cli.WrongUsage(fmt.Errorf("output format %q, want text or json", format))
			}
			config, err := configure(cmd)
			if err != nil {
				return err
			}
			opt, err := config.Law.Options(version)
			if err != nil {
				return err
			}
			src, err := file.Open(paths, file.Options{Stdin: cmd.InOrStdin()})
			if err != nil {
				return cli.WrongUsage(err)
			}
			report, err := conform.Files(cmd.Context(), src, opt)
			if err != nil {
				return cli.WrongUsageIf(err, file.ErrNoEvents)
			}
			if format == "json" {
				err = report.WriteJSON(cmd.OutOrStdout())
			} else {
				err = report.WriteText(cmd.OutOrStdout(), rules)
			}
			if err == nil && !report.Conforms {
				err = cli.WithCode(cli.Found, cli.ErrFound)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "text", "text, json, or a file such as report.json")
	cmd.Flags().BoolVar(&rules, "rules", false, "name the rules of each feed")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "calendar", "rulebooks")
	return cmd
}
