package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/bench"
	"github.com/shoeproof/shoeproof/internal/cli"
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
		Short: "play cheats, oddities and honest rounds, and print the delay, power and errors of the detectors",
		Long: `Detectors plays the cheats of audit simulate --list at a number of tables each, the honest oddities, and honest
rounds, straight into the detectors without events, and prints the results as Markdown. The same seed gives the
same figures, except section cost, which measures time and memory. With 400 runs it takes hours.`,
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
	fs.Uint64Var(&o.Seed, "seed", o.Seed, "seed of all random numbers")
	fs.IntVar(&o.Rounds, "rounds", o.Rounds, "honest rounds")
	fs.StringSliceVar(&o.Only, "only", nil, "scenarios, cheats or sections to measure, such as "+
		"s1,s3-20,n2,honest,importance,cost")
	fs.StringVar(&o.Keep, "keep", "", "file of results: after an interruption the same measurement by the same program "+
		"resumes from it")
	fs.StringVar(&csv, "csv", "", "file for the figures as CSV, one per line")
	return cmd
}

// doneOn prints to a terminal what was done.
func doneOn(stderr io.Writer) func(string) {
	if !cli.IsTerminal(stderr) {
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
