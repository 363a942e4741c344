package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/exporter"
	"github.com/shoeproof/shoeproof/internal/gamingday"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/schema"
)

type exportFlags struct {
	choice  gamingday.Choice
	out, by string
	accept  string
	folder  bool
}

func exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export",
		Short: "export a gaming day as a signed bundle for the regulator",
		Long: `Export writes the findings of a gaming day, the events that prove them, and reports for people to one bundle,
extends and signs the log, and stores its new head. Changes in gaming days that were exported before
become amendments. A day that was exported before and has no changes gives no bundle.

It first proves the journal, the archive since the gaming day, and the chains of triage and of the console log, as
"audit coverage --archive" and "audit run" do, and refuses to export what is not proven (exit code 1). After the
incident is investigated, --accept-unproven REASON exports nevertheless; the bundle states the reason and what is
missing.

It needs the patron key of ingest (patron_key_file), and a finished "audit run" of the day, begun after its last event
arrived and under the rulebooks that are loaded, and puts its id and digests into the manifest. With --gaming-day
missing it exports each day of the last five weeks that such a run covers and that was not exported since. Back up
export.log: without it the log cannot be continued.`,
		Example: `  audit export --property ac-1 --gaming-day 2026-11-19 -o bundles --export-licensee 'Example Casino LLC' \
      --export-log /var/lib/shoeproof/log --export-key-file /etc/shoeproof/log.key \
      --patron-key-file patron.key
  audit export --property ac-1 --gaming-day last -o bundles --folder --config shoeproof.yaml
  SHOEPROOF_EXPORT_S3_SECRET_KEY_FILE=secret.key audit export --property ac-1 --gaming-day last --export-log s3://audit/ac-1 \
      --export-s3-endpoint https://s3.example --export-s3-access-key audit --export-key-file log.key \
      --patron-key-file patron.key`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	oneDayFlags(fs, &f.choice)
	missingFlag(fs, &f.choice, "days that a run covers and that were not exported since")
	fs.StringVarP(&f.out, "out", "o", ".", "folder for the bundle")
	fs.BoolVar(&f.folder, "folder", false, "write a folder instead of a zip")
	fs.StringVar(&f.by, "by", "", "name for the list of exports; by default the user of the system")
	fs.StringVar(&f.accept, "accept-unproven", "", "export although records are missing or differ, for this reason, "+
		"which the bundle states")
	settings.AddFlags(fs, auditDefaults(), "export", "retention.exports", "clickhouse", "calendar", "rulebooks",
		"patron_key_file", "log", "tracing")
	return cmd
}

func (f *exportFlags) run(cmd *cobra.Command) (failed error) {
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	opt, err := config.Law.Options(version)
	if err != nil {
		return cli.WrongUsage(err)
	}
	if f.choice.Property != "" && f.choice.Day == "" {
		return cli.WrongUsage(errors.New("--gaming-day: none, want a date such as 2026-11-19, last or missing"))
	}
	days, err := f.choice.Days(&opt.Calendar, time.Now())
	if err != nil {
		return cli.WrongUsage(err)
	}
	if err := exporter.Check(&config); err != nil {
		return cli.WrongUsage(err)
	}
	if config.Export.Stored() && (f.folder || cmd.Flags().Changed("out")) {
		return cli.WrongUsage(fmt.Errorf("--out and --folder: export.log is %s, which stores the bundle as a zip",
			config.Export.Log))
	}
	end, err := traced(cmd, &config, f.choice.Property)
	if err != nil {
		return err
	}
	defer func() { end(failed) }()
	store, err := openProperty(cmd, &config, opt.Books, f.choice.Property)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	if f.choice.Day == gamingday.Missing {
		days, err = exporter.Missing(cmd.Context(), store, &opt.Calendar, f.choice.Property, time.Now())
		if err != nil || len(days) == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), noneMissing)
			return storeError(err)
		}
	}
	for _, day := range days {
		if err := f.export(cmd, &config, exporter.Options{
			Property: f.choice.Property, GamingDay: day, Out: f.out, Folder: f.folder, Actor: f.by, Engine: opt, Store: store,
			Accept: f.accept, Verifiers: parseVerifiers(verifiers), Warnings: cmd.ErrOrStderr(),
		}); errors.Is(err, exporter.ErrUncovered) { // a day that is refused does not hold up the others
			failed = errors.Join(failed, err)
		} else if err != nil {
			return errors.Join(failed, err)
		}
	}
	return failed
}

// parseVerifiers reads the verifiers of the release.
func parseVerifiers(text string) []export.Verifier {
	var all []export.Verifier
	for word := range strings.FieldsSeq(text) {
		name, sum, _ := strings.Cut(word, "=")
		all = append(all, export.Verifier{Name: name, SHA256: sum})
	}
	return all
}

// export exports a day and prints what was made.
func (f *exportFlags) export(cmd *cobra.Command, config *settings.Audit, o exporter.Options) error {
	done, err := exporter.Run(cmd.Context(), config, o)
	if err == nil && done == nil {
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "gaming day %s: %v\n", o.GamingDay, export.ErrNothing)
		return err
	}
	if done != nil {
		m := &done.Manifest
		_, printErr := fmt.Fprintf(cmd.OutOrStdout(), "%s\nexport %d of %s: %s, %s, "+
			"%d of them not confirmed by a replay of one table's events\n\n%s",
			done.Path, m.Export, m.Origin, schema.Count(m.Findings, "finding"),
			schema.Count(m.Amendments, "amendment"), len(m.Unreplayed), done.Checkpoint)
		err = errors.Join(err, printErr)
	}
	return storeError(err)
}

func keygenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "keygen ORIGIN FILE",
		Short: "create the signing key of a property's log, and print the policy for the regulator",
		Long: `Keygen writes a new signing key to FILE, which must not exist, and prints the policy with which the regulator
verifies exports: the log and its public key. Hand it over in person. ORIGIN is the permanent name of the log,
such as audit.example/ac-1/findings.`,
		Example: "  audit keygen audit.example/ac-1/findings log.key > policy.txt",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			vkey, err := export.NewKey(args[0], args[1])
			switch {
			case errors.Is(err, export.ErrNotWritten):
				return err
			case err != nil:
				return cli.WrongUsage(err)
			}
			if _, err = fmt.Fprint(cmd.OutOrStdout(), export.PolicyText(vkey)); err != nil {
				// Nothing else prints the public key. Without the file the command can be repeated.
				return errors.Join(fmt.Errorf("print the policy: %w: the key is removed", err), os.Remove(args[1]))
			}
			return nil
		},
	}
}
