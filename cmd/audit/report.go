package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/engine"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/gamingday"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/internal/report"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

type reportFlags struct {
	gamingday.Choice
	month, output string
}

func reportCommand() *cobra.Command {
	var f reportFlags
	cmd := &cobra.Command{
		Use:   "report NAME",
		Short: "print a report of gaming days, such as exceptions, not-auditable, dealers, vigorish or hold",
		Long: `Report prints a report for auditors and regulators from the tables of ClickHouse:

  exceptions     findings of severity minor and above, numbered without a gap, with their explanations
  not-auditable  what could not be audited, by the sensor that is missing
  dealers        rounds in error of each dealer, with a 95 % interval
  vigorish       vigorish due, marked and collected, by table and shift
  hold           drop, win and win percentage by table and shift, with the formulas
  hold-tests     the monthly tests of COMAR 36.05.03.25 and K.A.R. 112-108-51, by table
  log            the surveillance log of 9 NYCRR 5314.3
  month-end      the exceptions of a month, N.J.A.C. 13:69D-1.5

Title, formulas and notes are part of the table; with csv and ndjson they go to standard error.`,
		Example: `  audit report exceptions --property ac-1 --gaming-day last
  audit report hold --property ac-1 --gaming-day 2026-11-19 --shift night -o csv > hold.csv
  audit report month-end --property ac-1 --month 2026-10 -o csv > october.csv`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: report.Names(),
		RunE:      func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fs := cmd.Flags()
	dayFlags(fs, &f.Choice)
	fs.StringVar(&f.month, "month", "", "all gaming days of a month, such as 2026-10")
	f.HasMonth = true
	fs.StringVarP(&f.output, "output", "o", "table", "table, ndjson, csv, or a file such as report.csv")
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
		if err := f.Month(f.month); err != nil {
			return cli.WrongUsage(err)
		}
	}
	if name == "hold-tests" && f.month == "" {
		return cli.WrongUsage(errors.New("hold-tests: want --month, such as 2026-10"))
	}
	if name == "hold-tests" && f.Shift != "" {
		return cli.WrongUsage(errors.New("hold-tests: no --shift: the tests compare whole months"))
	}
	days, err := f.Days(&engine.Calendar, time.Now())
	if err != nil {
		return cli.WrongUsage(err)
	}
	store, err := openProperty(cmd, &config, nil, f.Property)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	scope := report.Scope{Days: clickhouse.Days{
		Property: f.Property, From: days[0], To: days[len(days)-1],
		Shift: f.Shift,
	}, Calendar: &engine.Calendar}
	if name == "hold-tests" {
		return f.holdTests(cmd, store, &engine, scope)
	}
	sheet, err := report.Read(cmd.Context(), store, scope, name)
	if err != nil {
		return storeError(err)
	}
	return sheet.Write(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.output)
}

// holdTests prints the tests of a month.
func (f *reportFlags) holdTests(cmd *cobra.Command, store *clickhouse.Store, engine *engine.Options,
	scope report.Scope,
) error {
	tests, err := report.RunHoldTests(cmd.Context(), store, engine, f.Property, f.month)
	if err != nil {
		return storeError(err)
	}
	return report.HoldTests(scope, f.month, tests).Write(cmd.OutOrStdout(), cmd.ErrOrStderr(), f.output)
}
