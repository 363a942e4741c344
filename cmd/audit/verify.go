package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/exporter"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

type verifyFlags struct {
	policy, last, checkpoint     string
	json, replay, begin, against bool
}

// maxText bounds the text files that a recipient names.
const maxText = 1 << 20

func verifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify BUNDLE --policy FILE",
		Short: "verify a bundle: its signature, its content, and that it follows the last accepted one",
		Long: `Verify runs checks on a bundle, a zip or a folder, in a fixed order and stops at the first failure. It needs no
network, no database and no keys but the public ones of the policy, which the casino gave you in person.

With --last FILE it also checks that the bundle follows the last one that you accepted, and records it there if
all checks pass. With --checkpoint FILE it checks that the bundle ends at a checkpoint that you have from another
source, or begins there. With --replay it evaluates the rules of the bundle on its evidence.

With --against-db, for the casino's own auditors, it also compares the bundle with the database: the row in
exports, each event of the evidence with its offset, where the live audit gave up missing events, the records
received, the findings and the rounds.

Exit codes: 0 good, 1 tampered with, 2 wrong usage, no verdict, 3 undecided: a key or your record is missing,
4 genuine, but not the export after the last accepted one, 5 genuine, and the database differs today.`,
		Example: `  audit verify ac-1_2026-11-19_000412.zip --policy policy.txt --last accepted.json
  audit verify bundle.zip --policy policy.txt --last accepted.json --replay --json
  audit verify bundle.zip --policy policy.txt --against-db --clickhouse-addrs clickhouse:9440 \
    --clickhouse-tls-enabled --patron-key-file patron.key`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.policy, "policy", "", "file of trusted keys")
	fs.StringVar(&f.last, "last", "", "file of the exports that you accepted; the first one creates it")
	fs.StringVar(&f.checkpoint, "checkpoint", "", "file of a checkpoint of the log from another source, which the bundle "+
		"must contain")
	fs.BoolVar(&f.begin, "begin", false, "accept an export that is not the first of its log as the first of a new "+
		"--last file")
	fs.BoolVar(&f.replay, "replay", false, "evaluate the rules on the evidence")
	fs.BoolVar(&f.against, "against-db", false, "compare with the current database; implies --replay")
	fs.BoolVar(&f.json, "json", false, "print the verdict as JSON")
	settings.AddFlags(fs, auditDefaults(), "clickhouse", "calendar", "rulebooks", "patron_key_file", "log")
	return cmd
}

func (f *verifyFlags) run(cmd *cobra.Command, path string) error {
	if f.policy == "" {
		return cli.WrongUsage(errors.New("--policy: not set, want the policy file of the casino"))
	}
	if f.begin && f.last == "" {
		return cli.WrongUsage(errors.New("--begin needs --last"))
	}
	text, err := export.ReadFile(f.policy, maxText)
	if err != nil {
		return cli.WrongUsage(fmt.Errorf("read the policy: %w", err))
	}
	policy, err := export.ParsePolicy(text)
	if err != nil {
		return cli.WrongUsage(fmt.Errorf("policy %s: %w", f.policy, err))
	}
	opt := export.VerifyOptions{
		Policy: policy, Last: f.last, Begin: f.begin, Replay: f.replay,
		Engine: cli.Engine(version),
	}
	if f.checkpoint != "" {
		if opt.Checkpoint, err = export.ReadFile(f.checkpoint, maxText); err != nil {
			return cli.WrongUsage(fmt.Errorf("read the checkpoint: %w", err))
		}
	}
	if f.against {
		store, err := database(cmd, &opt)
		if err != nil {
			return err
		}
		defer func() { _ = store.Close() }()
	}
	v, err := export.Verify(cmd.Context(), path, opt)
	if err != nil {
		return cli.WrongUsage(err)
	}
	if err := exporter.Print(cmd.OutOrStdout(), v, f.json); err != nil {
		return err
	}
	if !f.json && !policy.Witnessed() {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: quorum none: no witness had to sign, and only --last shows a second history\n", f.policy)
	}
	if v.Code != export.Good {
		return cli.WithCode(v.Code, cli.ErrFound)
	}
	return nil
}

// database opens the database that a bundle is compared with.
func database(cmd *cobra.Command, opt *export.VerifyOptions) (*clickhouse.Store, error) {
	config, err := configure(cmd)
	if err != nil {
		return nil, err
	}
	law, err := config.Law.Options(version)
	if err != nil {
		return nil, cli.WrongUsage(err)
	}
	if config.Law.PatronKey == "" {
		return nil, cli.WrongUsage(errors.New("patron_key_file: not set; without it the evidence cannot be compared"))
	}
	store, err := openStore(cmd, &config, law.Books)
	if err == nil {
		opt.Database = exporter.Database(store, &law, config.Kafka.Topic)
	}
	return store, err
}
