package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/export/archive"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/output"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

type verifyFlags struct {
	policy, last                 string
	json, replay, begin, against bool
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

With --against-db, for the casino's own auditors, it compares the bundle with the database besides: the row in
exports, each event of the evidence with its offset, what was received, the findings and the rounds.

Exit codes: 0 good, 1 tampered with, 2 wrong usage: nothing was judged, 3 it cannot be decided: a key or
your record is missing, 4 genuine, but not the export that follows the last one you accepted, 5 genuine, and
the database says otherwise today.`,
		Example: `  audit verify ac-1_2026-11-19_000412.zip --policy policy.txt --last accepted.json
  audit verify bundle.zip --policy policy.txt --last accepted.json --replay --json
  audit verify bundle.zip --policy policy.txt --against-db --clickhouse-addrs clickhouse:9000 --patron-key-file patron.key`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.policy, "policy", "", "file that says whose signatures are trusted")
	fs.StringVar(&f.last, "last", "", "file that remembers the exports that you accepted; made by the first")
	fs.BoolVar(&f.begin, "begin", false, "accept a bundle from the middle of a log as the first that you receive")
	fs.BoolVar(&f.replay, "replay", false, "run the rules again on the evidence")
	fs.BoolVar(&f.against, "against-db", false, "compare with the database as it is today; runs the rules again too")
	fs.BoolVar(&f.json, "json", false, "print the verdict as JSON")
	settings.AddFlags(fs, auditDefaults(), "clickhouse", "calendar", "rulebooks", "patron_key_file", "log")
	return cmd
}

func (f *verifyFlags) run(cmd *cobra.Command, path string) error {
	if f.policy == "" {
		return cli.WrongUsage(errors.New("--policy: none, want the file that the casino gave you"))
	}
	if f.begin && f.last == "" {
		return cli.WrongUsage(errors.New("--begin needs --last"))
	}
	text, err := os.ReadFile(f.policy)
	if err != nil {
		return cli.WrongUsage(fmt.Errorf("read the policy: %w", err))
	}
	policy, err := export.ParsePolicy(text)
	if err != nil {
		return cli.WrongUsage(fmt.Errorf("policy %s: %w", f.policy, err))
	}
	opt := export.VerifyOptions{Policy: policy, Last: f.last, Begin: f.begin, Replay: f.replay, Engine: cli.Engine(version)}
	if f.against {
		store, read, err := database(cmd)
		if err != nil {
			return err
		}
		defer func() { _ = store.Close() }()
		opt.Database = read
	}
	v, err := export.Verify(cmd.Context(), path, opt)
	if err != nil {
		return cli.WrongUsage(err)
	}
	if err := f.print(cmd.OutOrStdout(), v); err != nil {
		return err
	}
	if v.Code != export.Good {
		return cli.WithCode(v.Code, cli.ErrFound)
	}
	return nil
}

// database opens what a bundle is compared with.
func database(cmd *cobra.Command) (*clickhouse.Store, func(context.Context, *export.Manifest) (*export.Database, error), error) {
	config, err := configure(cmd)
	if err != nil {
		return nil, nil, err
	}
	law, err := config.Law.Options(version)
	if err != nil {
		return nil, nil, cli.WrongUsage(err)
	}
	if config.Law.PatronKey == "" {
		return nil, nil, cli.WrongUsage(errors.New("patron_key_file: none, and without it the evidence cannot be compared"))
	}
	store, err := openStore(cmd, &config, law.Books)
	if err != nil {
		return nil, nil, err
	}
	return store, func(ctx context.Context, m *export.Manifest) (*export.Database, error) {
		day := &export.Day{Mask: func(ref string) string { return engine.Pseudonym(law.PatronKey, ref) }, MaskKey: keyID(law.PatronKey)}
		reader := archive.Reader{Store: store, Property: m.Property, GamingDay: m.GamingDay, Calendar: law.Calendar, Topic: config.Kafka.Topic}
		if err := reader.Fill(ctx, day); err != nil {
			return nil, err
		}
		all, err := store.Exports(ctx, m.Property)
		if err != nil {
			return nil, err
		}
		db := &export.Database{Day: day}
		for _, e := range all {
			if e.Origin == m.Origin && e.Number == m.Export {
				db.Listed = &export.Receipt{Origin: e.Origin, Export: e.Number, Manifest: e.SHA256, Size: e.LogSize, Root: e.LogRoot}
			}
		}
		return db, nil
	}, nil
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
		if _, err := fmt.Fprintf(out, "%2d %-10s %s  %s\n", i+1, c.Name, word, output.Plain(c.Detail)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "\n%s: %s\n", v.Verdict, output.Plain(v.Message))
	return err
}
