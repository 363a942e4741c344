package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/internal/report"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// reports are what can be asked for.
var reports = []string{"exceptions", "dealers", "vigorish", "hold", "hold-tests", "log", "month-end"}

type reportFlags struct {
	dayChoice
	month, output string
}

func reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report NAME",
		Short: "print a report of gaming days: exceptions, dealers, vigorish, hold, hold-tests, log or month-end",
		Long: `Report prints what auditors and regulators ask for, from what ClickHouse keeps:

  exceptions  findings of minor and above, numbered without a gap, with what people explained
  dealers     rounds in error of each dealer, with a 95 % interval
  vigorish    what was due, marked and collected, by table and shift
  hold        drop, win and hold by table and shift, with the formulas
  hold-tests  a month's tests of COMAR 36.05.03.25 and K.A.R. 112-108-51, by table
  log         the surveillance log of 9 NYCRR 5314.3
  month-end   the exceptions of a month, N.J.A.C. 13:69D-1.5

Title, formulas and notes are part of the table; with csv and ndjson they go to standard error.`,
		Example: `  audit report exceptions --property ac-1 --gaming-day last
  audit report hold --property ac-1 --gaming-day 2026-11-19 --shift night -o csv > hold.csv
  audit report month-end --property ac-1 --month 2026-10 -o csv > october.csv`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: reports,
		RunE:      func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fs := cmd.Flags()
	f.flags(fs)
	fs.StringVar(&f.month, "month", "", "all gaming days of a month, such as 2026-10")
	fs.StringVarP(&f.output, "output", "o", "table", "table, ndjson or csv")
	settings.AddFlags(fs, auditDefaults(), "clickhouse", "calendar", "rulebooks", "log")
	return cmd
}

func (f *reportFlags) run(cmd *cobra.Command, name string) error {
	if !slices.Contains(output.Formats(), f.output) {
		return cli.WrongUsage(fmt.Errorf("output format %q, want one of %s", f.output, strings.Join(output.Formats(), ", ")))
	}
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	engine, err := config.Law.Options(version)
	if err != nil {
		return cli.WrongUsage(err)
	}
	if f.month != "" {
		first, err := time.Parse("2006-01", f.month)
		if err != nil || f.day+f.from+f.to != "" {
			return cli.WrongUsage(fmt.Errorf("--month %q, want a month such as 2026-10, and no other days", f.month))
		}
		f.from, f.to = first.Format(time.DateOnly), first.AddDate(0, 1, -1).Format(time.DateOnly)
	}
	if name == "hold-tests" && f.month == "" {
		return cli.WrongUsage(errors.New("hold-tests: want --month, such as 2026-10"))
	}
	days, err := f.days(&engine.Calendar)
	if err != nil {
		return cli.WrongUsage(err)
	}
	store, err := openStore(cmd, &config, nil)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	scope := report.Scope{Days: clickhouse.Days{Property: f.property, From: days[0], To: days[len(days)-1], Shift: f.shift}, Calendar: &engine.Calendar}
	if name == "hold-tests" {
		return f.holdTests(cmd, store, &engine, scope)
	}
	sheet, err := sheet(cmd.Context(), store, scope, name)
	if err != nil {
		return storeTrouble(err)
	}
	return sheet.Write(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.output)
}

// holdTests prints the tests of a month.
func (f *reportFlags) holdTests(cmd *cobra.Command, store *clickhouse.Store, engine *engine.Options, scope report.Scope) error {
	tests, err := report.RunHoldTests(cmd.Context(), store, engine, f.property, f.month)
	if err != nil {
		return storeTrouble(err)
	}
	return report.HoldTests(scope, f.month, tests).Write(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.output)
}

// sheet reads what a report needs and makes it.
func sheet(ctx context.Context, store *clickhouse.Store, s report.Scope, name string) (*output.Sheet, error) {
	first, _, err := s.Calendar.Bounds(s.From, "")
	if err != nil {
		return nil, err
	}
	_, until, err := s.Calendar.Bounds(s.To, "")
	if err != nil {
		return nil, err
	}
	if name == "vigorish" || name == "hold" {
		return money(ctx, store, s, name, first, until)
	}
	asked := s.Days
	if name == "exceptions" || name == "month-end" {
		asked.Shift = "" // numbers are of the whole day
	}
	findings, err := store.FindingsOf(ctx, asked)
	if err != nil {
		return nil, err
	}
	if name == "dealers" {
		dealt, err := store.DealtBy(ctx, s.Days)
		if err != nil {
			return nil, err
		}
		return report.Dealers(s, findings, dealt), nil
	}
	steps, err := store.Steps(ctx, asked)
	if err != nil {
		return nil, err
	}
	switch name {
	case "log":
		return report.Log(s, findings, steps), nil
	case "month-end":
		return report.MonthEnd(s, findings, steps), nil
	}
	return report.Exceptions(s, findings, steps), nil
}

// money makes the reports of money, from the first moment of the days to before the end.
func money(ctx context.Context, store *clickhouse.Store, s report.Scope, name string, first, until int64) (*output.Sheet, error) {
	configs, err := store.Configs(ctx, s.Property, until)
	if err != nil {
		return nil, err
	}
	s.Currency = currency(configs)
	events, err := store.MoneyEvents(ctx, s.Property, first, until)
	if err != nil {
		return nil, err
	}
	if name == "vigorish" {
		due, err := store.VigorishDue(ctx, s.Days)
		return report.Vigorish(s, due, events), err
	}
	played, err := store.Played(ctx, s.Days)
	return report.Hold(s, played, events), err
}

// currency is that of the newest configuration; a property has one.
func currency(configs []rows.Config) string {
	newest, found := int64(0), ""
	for i := range configs {
		var c struct {
			Currency string `json:"currency"`
		}
		if configs[i].At >= newest && json.Unmarshal([]byte(configs[i].Config), &c) == nil && c.Currency != "" {
			newest, found = configs[i].At, c.Currency
		}
	}
	return found
}
