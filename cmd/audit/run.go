package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/nightly"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

type runFlags struct {
	dayChoice
	worker                string
	output, failOn, least string
	whole                 bool
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "audit a gaming day again from the archive, and compare with what was found live",
		Long: `Run replays the archived events of a gaming day, table by table, through the rules; compares the findings
with those of the live audit, each difference being a finding (feed.reconcile); checks that the journal
accounts for every record; asks the rules that compare tables, the review queue of the detectors and, in the night of a
month's last day, the hold tests; and keeps one row of the run with its digests. It may be killed and started again, and gives the same whenever the archive is the same.

With --worker i/n, i from 0, this process takes one of n shares of the tables. The one that finds all shares
done puts them together and prints the findings; the others print nothing.`,
		Example: `  audit run --property ac-1 --gaming-day last
  audit run --property ac-1 --gaming-day 2026-11-19 --shift night -o ndjson --fail-on major > findings.ndjson
  audit run --property ac-1 --from 2025-01-01 --to 2025-12-31 --worker 3/8`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	f.flags(fs)
	fs.StringVar(&f.worker, "worker", "0/1", "share of the tables, i of n, i from 0")
	fs.BoolVar(&f.whole, "whole", false, "read each table from its first archived event on, not from where it was remembered before the day")
	fs.StringVarP(&f.output, "output", "o", "table", "table, ndjson or csv")
	fs.StringVar(&f.failOn, "fail-on", "", "exit with 3 if there is a finding of this severity or above: info, minor, major or critical")
	fs.StringVar(&f.least, "min-severity", "info", "print findings of this severity and above")
	settings.AddFlags(fs, auditDefaults(), "clickhouse", "calendar", "rulebooks", "log")
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command) error {
	min, err := severity("min-severity", f.least)
	if err != nil {
		return err
	}
	failOn, err := severity("fail-on", f.failOn)
	if err != nil && f.failOn != "" {
		return err
	}
	o := nightly.Options{Property: f.property, Shift: f.shift, Whole: f.whole, Now: time.Now, Holder: holder()}
	if o.Worker, o.Workers, err = share(f.worker); err != nil {
		return cli.WrongUsage(err)
	}
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	if o.Engine, err = config.Law.Options(version); err != nil {
		return cli.WrongUsage(err)
	}
	o.Statistics = nightly.Statistics(&o.Engine)
	if o.Days, err = f.days(&o.Engine.Calendar); err != nil {
		return cli.WrongUsage(err)
	}
	printer, err := output.NewPrinter(cmd.OutOrStdout(), f.output)
	if err != nil {
		return cli.WrongUsage(err)
	}
	printer.Min = min
	store, err := openStore(cmd, &config, o.Engine.Books)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	stderr := cmd.ErrOrStderr()
	progress, clear := runProgress(stderr)
	o.Progress = progress
	began := time.Now()
	res, err := nightly.Run(cmd.Context(), store, o)
	clear()
	switch {
	case errors.Is(err, nightly.ErrNothing):
		return cli.WrongUsage(err)
	case err != nil:
		return storeTrouble(err)
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
		summary(stderr, &res.Nights[i])
	}
	for _, day := range res.Nothing {
		fmt.Fprintf(stderr, "%s  no events\n", day)
	}
	fmt.Fprintf(stderr, "findings    %s\nfolded      %d events in %.1f s\n", printer.Counts(), res.Replayed, time.Since(began).Seconds())
	if f.failOn != "" && printer.Any(failOn) {
		return cli.WithCode(cli.Found, cli.ErrFound)
	}
	return nil
}

// share reads i/n.
func share(text string) (i, n int, err error) {
	first, second, ok := strings.Cut(text, "/")
	i, bad := strconv.Atoi(first)
	n, worse := strconv.Atoi(second)
	if !ok || bad != nil || worse != nil || i < 0 || i >= n || n > 1000 {
		return 0, 0, fmt.Errorf("--worker %q, want a share such as 3/8, the first being 0/8", text)
	}
	return i, n, nil
}

// summary says for people what the audit of a day did.
func summary(out io.Writer, n *nightly.Night) {
	r := &n.Run
	fmt.Fprintf(out, "%s  run %s\n", strings.TrimSpace(r.GamingDay+" "+r.Shift), r.ID)
	fmt.Fprintf(out, "replayed    %d tables, %d shoes, %d rounds, %d events; %d findings\n", r.Tables, r.Shoes, r.Rounds, r.Events, r.Findings)
	if r.Missing+r.Extra+r.Changed == 0 {
		fmt.Fprintln(out, "live        agrees")
	} else {
		fmt.Fprintf(out, "live        DIFFERS: %d not found live, %d found live alone, %d found otherwise\n", r.Missing, r.Extra, r.Changed)
	}
	fmt.Fprintf(out, "feed        %d holes, %d unreadable records\n", r.Gaps, r.DeadLetters)
	for _, o := range n.Open {
		fmt.Fprintf(out, "still open  table %s, shoe %s, round %d: the rules of the end of a shoe were not evaluated\n",
			output.Plain(o.Table), output.Plain(o.Shoe), o.Round)
	}
	fmt.Fprintf(out, "digests     events %s\n            findings %s\n            live %s\n", r.EventsSHA256, r.FindingsSHA256, r.LiveSHA256)
	if r.Supersedes != "" {
		fmt.Fprintf(out, "supersedes  %s\n", r.Supersedes)
	}
}

// holder names this process to others.
func holder() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return fmt.Sprintf("%s, process %d, since %s", host, os.Getpid(), time.Now().UTC().Format(time.RFC3339Nano))
}

// runProgress tells a person at a terminal how far it is, and a log every 10 s.
func runProgress(stderr io.Writer) (progress func(done, tables int, events uint64), clear func()) {
	terminal := settings.IsTerminal(stderr)
	every := 10 * time.Second
	if terminal {
		every = 300 * time.Millisecond
	}
	began := time.Now()
	last := began
	progress = func(done, tables int, events uint64) {
		now := time.Now()
		if now.Sub(last) < every {
			return
		}
		last = now
		line := fmt.Sprintf("%d of %d tables, %d events, %.0f a second", done, tables, events, float64(events)/now.Sub(began).Seconds())
		if terminal {
			fmt.Fprintf(stderr, "\r%s ", line)
			return
		}
		fmt.Fprintln(stderr, line)
	}
	clear = func() {
		if terminal {
			fmt.Fprint(stderr, "\r\x1b[K")
		}
	}
	return progress, clear
}

// storeTrouble gives what only people can mend the exit code of wrong configuration.
func storeTrouble(err error) error {
	for _, e := range []error{clickhouse.ErrLogin, clickhouse.ErrGrant, clickhouse.ErrSchema} {
		if errors.Is(err, e) {
			return cli.WrongUsage(err)
		}
	}
	return err
}
