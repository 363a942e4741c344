package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/internal/replay"
	"github.com/shoeproof/shoeproof/internal/settings"
)

// showProgressFrom is the size of files from which a terminal sees how far it is.
const showProgressFrom = 4 << 20

type replayFlags struct {
	output, failOn, least string
}

func replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "audit files of events, without any service, and print the findings",
		Long: `Replay reads events from files, in the order given, and prints what was illegal. Files are *.ndjson
(one JSON event a line) or *.pb (Protobuf events, each after its length), alone or with .gz or .zst.

Nothing but findings goes to standard output; the summary goes to standard error. A record that
cannot be read is named there, and makes the exit code 2 once everything else was audited.`,
		Example: `  audit replay floor.ndjson.gz
  audit replay -o ndjson --fail-on major mon.pb.zst tue.pb.zst > findings.ndjson
  audit replay -o csv --min-severity minor floor.ndjson > findings.csv`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "table", "table, ndjson or csv")
	cmd.Flags().StringVar(&f.failOn, "fail-on", "", "exit with 3 if there is a finding of this severity or above: info, minor, major or critical")
	cmd.Flags().StringVar(&f.least, "min-severity", "info", "print findings of this severity and above")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "calendar", "rulebooks")
	return cmd
}

func (f *replayFlags) run(cmd *cobra.Command, paths []string) error {
	min, err := severity("min-severity", f.least)
	if err != nil {
		return err
	}
	failOn, err := severity("fail-on", f.failOn)
	if err != nil && f.failOn != "" {
		return err
	}
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	opt, err := config.Law.Options(version)
	if err != nil {
		return err
	}
	printer, err := output.NewPrinter(cmd.OutOrStdout(), f.output)
	if err != nil {
		return cli.WrongUsage(err)
	}
	printer.Min = min
	stderr := cmd.ErrOrStderr()
	progress, clear := progressOn(stderr, replay.Size(paths))
	sum, err := replay.Files(cmd.Context(), paths, opt, printer, progress)
	clear()
	if sum.Counts.Records == 0 && err != nil {
		return err
	}
	err = errors.Join(err, printer.Close())
	sum.Print(stderr, printer.Counts())
	switch {
	case err != nil:
		return err
	case f.failOn != "" && printer.Any(failOn):
		return cli.WithCode(cli.Found, cli.ErrFound)
	case sum.Counts.DeadLetters > 0:
		return cli.WrongUsage(fmt.Errorf("records that could not be read: %d", sum.Counts.DeadLetters))
	}
	return nil
}

func severity(flag, word string) (finding.Severity, error) {
	s, ok := finding.ParseSeverity(word)
	if !ok {
		return 0, cli.WrongUsage(fmt.Errorf("--%s %q, want info, minor, major or critical", flag, word))
	}
	return s, nil
}

// progressOn tells a person at a terminal how far it is, and clears the line at the end.
func progressOn(stderr io.Writer, size int64) (progress func(uint64), clear func()) {
	if !settings.IsTerminal(stderr) || size < showProgressFrom {
		return nil, func() {}
	}
	began := time.Now()
	last := began
	return func(events uint64) {
			if now := time.Now(); now.Sub(last) > 300*time.Millisecond {
				last = now
				fmt.Fprintf(stderr, "\r%d events, %.0f a second ", events, float64(events)/now.Sub(began).Seconds())
			}
		}, func() {
			fmt.Fprint(stderr, "\r\x1b[K")
		}
}
