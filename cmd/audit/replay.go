package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/replay"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/file"
)

// showProgressFrom is the size of the files from which a terminal shows the progress.
const showProgressFrom = 4 << 20

type replayFlags struct{ printFlags }

func replayCommand() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE...",
		Short: "audit files of events, without any service, and print the findings",
		Long: `Replay reads events from files, in the order given, and prints the findings. Files are *.ndjson (one JSON event
per line) or *.pb (Protobuf events with length prefixes), also compressed as .gz or .zst. A folder stands for the event
files in it, in the order of their names; - is standard input, whose first bytes decide its format, as for a pipe.

Findings go to standard output, the summary to standard error. A record that cannot be decoded is listed there;
the other records are audited, and the exit code is 2.`,
		Example: `  audit replay floor.ndjson.gz
  audit replay -o ndjson --fail-on major mon.pb.zst tue.pb.zst > findings.ndjson
  audit replay -o csv --min-severity minor floor.ndjson > findings.csv
  audit replay recorded/2026-11-19
  ssh table-7 cat events.ndjson | audit replay -`,
		Args: cobra.MinimumNArgs(1),
		RunE: f.run,
	}
	f.add(cmd.Flags())
	settings.AddFlags(cmd.Flags(), auditDefaults(), "calendar", "rulebooks")
	return cmd
}

func (f *replayFlags) run(cmd *cobra.Command, paths []string) error {
	printer, err := f.printer(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	_, opt, err := configureLaw(cmd)
	if err != nil {
		return err
	}
	src, err := file.Open(paths, file.Options{Stdin: cmd.InOrStdin()})
	if err != nil {
		return cli.WrongUsage(err)
	}
	if err := cli.KeepInputs(cmd.OutOrStdout(), src.Paths()); err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	progress := cli.NewProgress(stderr)
	var show func(uint64)
	if cli.IsTerminal(stderr) && replay.Size(src.Paths()) >= showProgressFrom {
		show = func(events uint64) { progress.Show("", events) }
	}
	sum, err := replay.Files(cmd.Context(), src, opt, printer, show)
	progress.Clear()
	err = cli.WrongUsageIf(err, file.ErrNoEvents)
	if sum.Counts.Records == 0 && err != nil {
		return err
	}
	err = errors.Join(err, printer.Close())
	sum.Print(stderr, printer.Counts())
	switch {
	case err != nil:
		return err
	case f.fails(printer):
		return cli.WithCode(cli.Found, cli.ErrFound)
	case sum.Counts.DeadLetters > 0:
		return cli.WrongUsage(fmt.Errorf("records that cannot be decoded: %d", sum.Counts.DeadLetters))
	}
	return nil
}
