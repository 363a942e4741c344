package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

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
		Short: "run scenarios: a legal shoe, edits that change it, and the findings that must follow",
		Long: `Test runs scenarios of your own with the rules of this release. A scenario is a text file with the
sections shoe, edits and findings; docs/scenarios.md describes it. A folder stands for the scenarios in it,
and - for standard input. It passes if the audit of the edited shoe reports exactly the expected findings, and,
if it is named after a rule, no other finding of severity minor or above.

For a scenario that fails, test prints the expected and the reported findings and the rounds that the
edits change: lines with - are events of the legal shoe, lines with + replace them.

Exit codes: 0 all pass, 1 one or more fail, 2 a file cannot be run.`,
		Example: `  audit test short-pay.txtar
  audit test --rulebooks house.yaml scenarios/*.txtar
  audit test --update short-pay.txtar
  audit test scenarios`,
		Args: cobra.MinimumNArgs(1),
		RunE: f.run,
	}
	cmd.Flags().BoolVar(&f.update, "update", false, "write the reported findings into the files as the expected ones")
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "also print the changed rounds of scenarios that pass")
	settings.AddFlags(cmd.Flags(), auditDefaults(), "calendar", "rulebooks")
	return cmd
}

func (f *testFlags) run(cmd *cobra.Command, paths []string) error {
	config, opt, err := configureLaw(cmd)
	if err != nil {
		return err
	}
	if paths, err = scenarios(paths); err != nil {
		return cli.WrongUsage(err)
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	var failed int
	var unusable error
	for i, path := range paths {
		if cmd.Context().Err() != nil {
			return fmt.Errorf("interrupted after %d of %d scenarios", i, len(paths))
		}
		var pass bool
		s, err := read(cmd.InOrStdin(), path)
		if err == nil {
			pass, err = f.test(out, s, opt, config.Law.BooksWith)
		}
		switch {
		case err != nil:
			unusable = errors.Join(unusable, err)
		case !pass:
			failed++
		}
		if err := out.Flush(); err != nil {
			return fmt.Errorf("print the results: %w", err)
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

// scenarios replaces folders by the scenarios in them and below them.
func scenarios(paths []string) ([]string, error) {
	var out []string
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() {
			out = append(out, path)
			continue
		}
		before := len(out)
		err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && filepath.Ext(name) == ".txtar" {
				out = append(out, name)
			}
			return err
		})
		if err == nil && len(out) == before {
			err = errors.New("no scenario (*.txtar) in it")
		}
		if err != nil {
			return nil, fmt.Errorf("folder %s: %w", path, err)
		}
	}
	return out, nil
}

// read reads a scenario from a file, or from standard input.
func read(stdin io.Reader, path string) (*scenario.Scenario, error) {
	if path != "-" {
		return scenario.Read(path)
	}
	text, err := io.ReadAll(stdin)
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	return scenario.Parse(path, text)
}

// test runs one scenario and prints its result.
func (f *testFlags) test(
	out io.Writer, s *scenario.Scenario, opt engine.Options, load scenario.Loader,
) (bool, error) {
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
