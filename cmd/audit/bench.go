package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/bench"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/settings"
)

func benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "measure the detectors",
		Example: "  audit bench detectors --runs 40 --only s1,s3",
	}
	cmd.AddCommand(benchDetectorsCommand())
	return cmd
}

func benchDetectorsCommand() *cobra.Command {
	o := bench.Options{Runs: 400, Seed: 1, Rounds: 1_000_000}
	var csv string
	cmd := &cobra.Command{
		Use:   "detectors",
		Short: "play cheats, oddities and honest rounds, and tell how soon and how rightly the detectors speak",
		Long: `Detectors plays the cheats of audit simulate --list at so many tables each, the honest oddities, and honest rounds, without
events, straight into the detectors, and prints what came of it as Markdown. The same seed gives the
same figures, but for section cost, which takes time and memory. With 400 runs it takes hours.`,
		Example: `  audit bench detectors --runs 40 --only s1,s3
  audit bench detectors --only honest --rounds 10000000 --csv honest.csv`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Runs < 1 || o.Rounds < 1 {
				return cli.WrongUsage(fmt.Errorf("--runs %d, --rounds %d: want 1 or more", o.Runs, o.Rounds))
			}
			o.Progress = doneOn(cmd.ErrOrStderr())
			sheet, err := bench.Run(cmd.Context(), o)
			if err != nil {
				return err
			}
			if csv != "" {
				if err := writeSheet(csv, sheet); err != nil {
					return err
				}
			}
			_, err = io.WriteString(cmd.OutOrStdout(), sheet.Markdown())
			return err
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&o.Runs, "runs", o.Runs, "tables for each cheat; a twentieth as many for each oddity")
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "what all chance follows from")
	fs.IntVar(&o.Rounds, "rounds", o.Rounds, "honest rounds")
	fs.StringSliceVar(&o.Only, "only", nil, "scenarios, cheats or sections to measure, such as s1,s3-20,n2,honest,importance,cost")
	fs.StringVar(&o.Keep, "keep", "", "file that remembers what was played: when stopped, the same measurement by the same program goes on from it")
	fs.StringVar(&csv, "csv", "", "file to write the figures to as well, one a line")
	return cmd
}

// doneOn tells a person at a terminal what was done.
func doneOn(stderr io.Writer) func(string) {
	if !settings.IsTerminal(stderr) {
		return nil
	}
	began := time.Now()
	return func(done string) {
		fmt.Fprintf(stderr, "%6.0f s  %s\n", time.Since(began).Seconds(), done)
	}
}

func writeSheet(path string, sheet bench.Sheet) error {
	file, err := os.Create(path)
	if err != nil {
		return cli.WrongUsage(fmt.Errorf("write CSV: %w", err))
	}
	if err := sheet.WriteCSV(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
