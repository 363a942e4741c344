package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/gamingday"
	"github.com/shoeproof/shoeproof/internal/nightly"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
)

type runFlags struct {
	gamingday.Choice
	printFlags
	worker  string
	workers int
	whole   bool
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "audit a gaming day again from the archive, and compare the result with the live audit",
		Long: `Run replays the archived events of a gaming day, table by table, through the rules. It compares the findings,
and the rounds, wagers, vigorish, shoes, configurations and notices, with those of the live audit (each difference is
a finding, feed.reconcile; of facts also exit code 3), checks that the journal accounts for every record and the
records of the console for each other (a difference is a finding, console.records, and exit code 3), evaluates the
rules that compare tables, the review queue of the detectors and, on the last day of a month, the hold tests, and
stores one row of the run with its digests. It may be interrupted and started again. The same archive gives the same
result. It needs the patron key of ingest (patron_key_file), because stored wagers name patrons under it. With another
key it stores nothing and ends with exit code 2.

With --gaming-day missing it audits each day of the last five weeks that has events and that no finished run covers,
or whose events arrived after the run began.

With --worker i/n, i from 0, this process takes one of n shares of the tables. The process that finds all shares
done merges them and prints the findings; the others print nothing. A process replays --workers tables at once. Neither
changes the result.`,
		Example: `  audit run --property ac-1 --gaming-day last --patron-key-file patron.key
  SHOEPROOF_PATRON_KEY_FILE=patron.key audit run --property ac-1 --gaming-day missing
  audit run --property ac-1 --gaming-day 2026-11-19 --shift night -o ndjson --fail-on major \
      --patron-key-file patron.key > findings.ndjson
  audit run --property ac-1 --from 2025-01-01 --to 2025-12-31 --worker 3/8 --patron-key-file patron.key`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	dayFlags(fs, &f.Choice)
	missingFlag(fs, &f.Choice, "days with events that no finished run covers")
	fs.StringVar(&f.worker, "worker", "0/1", "share of the tables, i of n, i from 0")
	fs.IntVar(&f.workers, "workers", 0, "tables that this process replays at once; 0 is two for each processor")
	fs.BoolVar(&f.whole, "whole", false, "read each table from its first archived event, not from its last snapshot "+
		"before the day")
	f.add(fs)
	settings.AddFlags(fs, auditDefaults(), "clickhouse", "calendar", "rulebooks", "patron_key_file", "log", "tracing")
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command) (failed error) {
	printer, err := f.printer(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	o, err := f.options(&config)
	if err != nil {
		return cli.WrongUsage(err)
	}
	end, err := traced(cmd, &config, f.Property)
	if err != nil {
		return err
	}
	defer func() { end(failed) }()
	store, err := openProperty(cmd, &config, o.Engine.Books, f.Property)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	if f.Day == gamingday.Missing {
		if f.Shift != "" {
			return cli.WrongUsage(errors.New("--gaming-day missing and --shift: missing days are whole days"))
		}
		o.Days, err = nightly.Missing(cmd.Context(), store, &o.Engine.Calendar, f.Property, time.Now())
		if err != nil || len(o.Days) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), noneMissing)
			return storeError(err)
		}
	}
	if err := f.audit(cmd, store, o, printer); err != nil {
		return err
	}
	if f.fails(printer) {
		return cli.WithCode(cli.Found, cli.ErrFound)
	}
	return nil
}

// options reads the flags and settings. It needs no database.
func (f *runFlags) options(config *settings.Audit) (o nightly.Options, err error) {
	o = nightly.Options{
		Property: f.Property, Shift: f.Shift, Parallel: f.workers, Whole: f.whole, Now: time.Now, Holder: lockHolder(),
		Limit: nightly.NewLimit(),
	}
	if f.workers < 0 {
		return o, fmt.Errorf("--workers %d, want 0 or more", f.workers)
	}
	if o.Worker, o.Workers, err = nightly.ParseShare(f.worker); err != nil {
		return o, err
	}
	if o.Engine, err = config.Law.Options(version); err != nil {
		return o, err
	}
	if o.Access, err = config.Console.Access(); err != nil {
		return o, err
	}
	o.Score, o.Statistics = true, nightly.Statistics(&o.Engine)
	if o.Days, err = f.Days(&o.Engine.Calendar, time.Now()); err == nil && config.Law.PatronKey == "" {
		err = errors.New("patron_key_file: not set, want the key of ingest: under another key each stored wager differs " +
			"from the replay")
	}
	return o, err
}

// audit audits the days and prints the result.
func (f *runFlags) audit(
	cmd *cobra.Command, store *clickhouse.Store, o nightly.Options, printer *output.Printer,
) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // the live heap is a few MiB, and would be collected many times a second
	}
	stderr := cmd.ErrOrStderr()
	progress := cli.NewProgress(stderr)
	o.Progress = func(done, tables int, events uint64) {
		progress.Show(fmt.Sprintf("%d of %s, ", done, schema.Count(tables, "table")), events)
	}
	res, err := nightly.Run(cmd.Context(), store, o)
	progress.Clear()
	switch {
	case errors.Is(err, nightly.ErrNothing), errors.Is(err, nightly.ErrPatronKey):
		return cli.WrongUsage(err)
	case err != nil:
		return storeError(err)
	case len(res.Waiting) > 0:
		fmt.Fprintf(stderr, "share %s is done; waiting for %s\n", f.worker, strings.Join(res.Waiting, ", "))
		return nil
	}
	for i := range res.Nights {
		printer.Add(res.Nights[i].Findings...)
	}
	if err := printer.Close(); err != nil {
		return err
	}
	for i := range res.Nights {
		res.Nights[i].Print(stderr)
	}
	unproven := slices.ContainsFunc(res.Nights, func(n nightly.Night) bool { return len(n.Records)+len(n.Facts) > 0 })
	for _, day := range res.Nothing {
		fmt.Fprintf(stderr, "%s  no events\n", day)
	}
	fmt.Fprintf(stderr, "findings    %s\nreplayed    %s in %.1f s\n", printer.Counts(),
		schema.Count(res.Replayed, "event"), progress.Took().Seconds())
	if unproven {
		return cli.WithCode(cli.Found, errRecords)
	}
	return nil
}

var errRecords = errors.New("records of the console do not follow from each other, or stored facts differ from the " +
	"archive: see the findings console.records and feed.reconcile")
