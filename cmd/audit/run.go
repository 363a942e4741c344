package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/cmd/internal/nightly"
	"github.com/shoeproof/shoeproof/cmd/internal/program"
	"github.com/shoeproof/shoeproof/cmd/internal/report"
	"github.com/shoeproof/shoeproof/cmd/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

type runFlags struct {
	property, day, shift, worker string
	output, failOn, least        string
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "audit a gaming day again from the archive, and compare with what was found live",
		Long: `Run replays the archived events of a gaming day, table by table, through the rules; compares the findings
with those of the live audit, each difference being a finding (feed.reconcile); checks that the journal
accounts for every record; asks the rules that compare tables; and keeps one row of the run with its
digests. It may be killed and started again, and gives the same whenever the archive is the same.

With --worker i/n this process takes one of n shares of the tables. The one that finds all shares done
puts them together and prints the findings; the others print nothing.`,
		Example: `  audit run --property ac-1 --gaming-day 2026-11-19
  audit run --property ac-1 --gaming-day 2026-11-19 --shift night -o ndjson --fail-on major > findings.ndjson
  audit run --property ac-1 --gaming-day 2025-03-02 --worker 3/8`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	dayFlags(fs, &f.property, &f.day, &f.shift)
	fs.StringVar(&f.worker, "worker", "1/1", "share of the tables, i of n")
	fs.StringVarP(&f.output, "output", "o", "table", "table, ndjson or csv")
	fs.StringVar(&f.failOn, "fail-on", "", "exit with 3 if there is a finding of this severity or above: info, minor, major or critical")
	fs.StringVar(&f.least, "min-severity", "info", "print findings of this severity and above")
	settings.AddFlags(fs, auditDefaults(), "clickhouse", "calendar", "rulebooks", "log")
	return cmd
}

func (f *runFlags) run(cmd *cobra.Command) error {
	least, err := severity("min-severity", f.least)
	if err != nil {
		return err
	}
	failOn, err := severity("fail-on", f.failOn)
	if err != nil && f.failOn != "" {
		return err
	}
	o := nightly.Options{Property: f.property, GamingDay: f.day, Shift: f.shift, Now: time.Now, Holder: holder()}
	if _, err := fmt.Sscanf(f.worker+" ", "%d/%d ", &o.Worker, &o.Workers); err != nil || o.Worker < 1 || o.Worker > o.Workers || o.Workers > 1000 {
		return program.WrongUsage(fmt.Errorf("--worker %q, want a share such as 3/8", f.worker))
	}
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	if o.Engine, err = config.Law.Options(version); err != nil {
		return program.WrongUsage(err)
	}
	if err := isOver(&o.Engine.Calendar, f.property, f.day, f.shift); err != nil {
		return program.WrongUsage(err)
	}
	printer, err := report.NewPrinter(cmd.OutOrStdout(), f.output)
	if err != nil {
		return program.WrongUsage(err)
	}
	printer.Least = least
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
		return program.WrongUsage(err)
	case err != nil:
		return storeTrouble(err)
	case !res.Merged:
		fmt.Fprintf(stderr, "share %s is done; waiting for %s\n", f.worker, strings.Join(res.Waiting, ", "))
		return nil
	}
	for i := range res.Findings {
		if err := printer.Print(&res.Findings[i]); err != nil {
			return fmt.Errorf("print findings: %w", err)
		}
	}
	if err := printer.Close(); err != nil {
		return err
	}
	summary(stderr, &res, printer.Counts(), time.Since(began))
	if f.failOn != "" && printer.Any(failOn) {
		return program.WithCode(program.Found, program.ErrFound)
	}
	return nil
}

// summary says for people what a run did.
func summary(out io.Writer, res *nightly.Result, findings string, took time.Duration) {
	r := &res.Run
	fmt.Fprintf(out, "run         %s\n", r.ID)
	fmt.Fprintf(out, "replayed    %d tables, %d shoes, %d rounds, %d events of the day; %d events folded in %.1f s\n",
		r.Tables, r.Shoes, r.Rounds, r.Events, res.Replayed, took.Seconds())
	fmt.Fprintf(out, "findings    %s\n", findings)
	if r.Missing+r.Extra+r.Changed == 0 {
		fmt.Fprintln(out, "live        agrees")
	} else {
		fmt.Fprintf(out, "live        DIFFERS: %d not found live, %d found live alone, %d found otherwise\n", r.Missing, r.Extra, r.Changed)
	}
	fmt.Fprintf(out, "feed        %d holes, %d unreadable records\n", r.Gaps, r.DeadLetters)
	for _, o := range res.Open {
		fmt.Fprintf(out, "still open  table %s, shoe %s, round %d: what is asked at the end of a shoe was not asked\n",
			report.Plain(o.Table), report.Plain(o.Shoe), o.Round)
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
			return program.WrongUsage(err)
		}
	}
	return err
}
