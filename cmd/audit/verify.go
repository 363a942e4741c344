package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/cmd/internal/program"
	"github.com/shoeproof/shoeproof/cmd/internal/report"
	"github.com/shoeproof/shoeproof/export"
)

type verifyFlags struct {
	policy, last        string
	json, replay, begin bool
}

func verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify BUNDLE --policy FILE",
		Short: "check a bundle of an export: who signed it, that nothing was changed, and that it is the next one",
		Long: `Verify checks a bundle, a zip or a folder, in a fixed order and stops at the first check that fails. It needs
no network, no database and no key but the public ones of the policy, which the casino gave you in person.

With --last FILE it also tells whether the bundle follows the last one that you accepted, and remembers it
there if all is well. With --replay it runs the rules of the bundle on its evidence again.

Exit codes: 0 good, 1 tampered with, 2 wrong usage: nothing was judged, 3 it cannot be decided: a key or
your record is missing, 4 genuine, but not the export that follows the last one you accepted.`,
		Example: `  audit verify ac-1_2026-11-19_000412.zip --policy policy.txt --last accepted.json
  audit verify bundle.zip --policy policy.txt --last accepted.json --replay --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.policy, "policy", "", "file that says whose signatures are trusted")
	fs.StringVar(&f.last, "last", "", "file that remembers the exports that you accepted; made by the first")
	fs.BoolVar(&f.begin, "begin", false, "accept a bundle from the middle of a log as the first that you receive")
	fs.BoolVar(&f.replay, "replay", false, "run the rules again on the evidence")
	fs.BoolVar(&f.json, "json", false, "print the verdict as JSON")
	return cmd
}

func (f *verifyFlags) run(cmd *cobra.Command, path string) error {
	if f.policy == "" {
		return program.WrongUsage(errors.New("--policy: none, want the file that the casino gave you"))
	}
	if f.begin && f.last == "" {
		return program.WrongUsage(errors.New("--begin needs --last"))
	}
	text, err := os.ReadFile(f.policy)
	if err != nil {
		return program.WrongUsage(fmt.Errorf("read the policy: %w", err))
	}
	policy, err := export.ParsePolicy(text)
	if err != nil {
		return program.WrongUsage(fmt.Errorf("policy %s: %w", f.policy, err))
	}
	v, err := export.Verify(cmd.Context(), path, export.VerifyOptions{
		Policy: policy, Last: f.last, Begin: f.begin, Replay: f.replay, Engine: program.Engine(version),
	})
	if err != nil {
		return program.WrongUsage(err)
	}
	if err := f.print(cmd.OutOrStdout(), v); err != nil {
		return err
	}
	if v.Code != export.Good {
		return program.WithCode(v.Code, program.ErrFound)
	}
	return nil
}

func (f *verifyFlags) print(out io.Writer, v *export.Verdict) error {
	if f.json {
		enc := json.NewEncoder(out)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	for i, c := range v.Checks {
		word := "ok  "
		if !c.Passed {
			word = "FAIL"
		}
		if _, err := fmt.Fprintf(out, "%2d %-10s %s  %s\n", i+1, c.Name, word, report.Plain(c.Detail)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "\n%s: %s\n", v.Verdict, report.Plain(v.Message))
	return err
}
