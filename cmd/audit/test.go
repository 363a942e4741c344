package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/internal/settings"
)

type testFlags struct {
	update, verbose bool
}

func testCommand() *cobra.Command {
	var f testFlags
	cmd := &cobra.Command{
		Use:   "test FILE.txtar...",
		Short: "run scenarios: a legal shoe, edits that bend it, and the findings that must follow",
		Long: `Test runs scenarios of your own with the rules of this release. A scenario is a text file with the
sections shoe, edits and findings; docs/scenarios.md describes it. It passes if the audit of the edited
shoe reports exactly the expected findings, and, if it is named after a rule, nothing beside that rule.

Of a scenario that fails, test prints the expected and the reported findings and the rounds that the
edits bend: lines with - are events of the legal shoe, lines with + are those in their place.

Exit codes: 0 all pass, 1 one or more fail, 2 a file cannot be run.`,
		Example: `  audit test short-pay.txtar
  audit test --rulebooks house.yaml scenarios/*.txtar
  audit test --update short-pay.txtar`,
		Args: cobra.MinimumNArgs(1),
		RunE: f.run,
	}
	cmd.Flags().BoolVar(&f.update, "update", false, "write the reported findings into the files as the expected ones")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print the bent rounds of scenarios that pass too")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "calendar", "rulebooks")
	return cmd
}

func (f *testFlags) run(cmd *cobra.Command, paths []string) error {
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	opt, err := config.Law.Options(version)
	if err != nil {
		return err
	}
	var failed int
	var unusable error
	for _, path := range paths {
		pass, err := f.test(cmd.OutOrStdout(), path, opt, config.Law.BooksWith)
		switch {
		case err != nil:
			unusable = errors.Join(unusable, err)
		case !pass:
			failed++
		}
	}
	switch {
	case unusable != nil:
		return cli.WrongUsage(unusable)
	case failed > 0:
		return fmt.Errorf("scenarios that fail: %d of %d", failed, len(paths))
	}
	return nil
}

// test runs one scenario and prints its result.
func (f *testFlags) test(out io.Writer, path string, opt engine.Options, load scenario.Loader) (bool, error) {
	s, err := scenario.Read(path)
	if err != nil {
		return false, err
	}
	r, err := s.Run(opt, load)
	if err != nil {
		return false, err
	}
	if f.update {
		if err := s.Update(r.Findings); err != nil {
			return false, err
		}
	}
	return s.Print(out, r, f.verbose), nil
}
