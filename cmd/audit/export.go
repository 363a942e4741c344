package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/export/archive"
	"github.com/shoeproof/shoeproof/export/s3"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/report"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

type exportFlags struct {
	choice  dayChoice
	out, by string
	folder  bool
}

func exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export",
		Short: "make the bundle of a gaming day that a regulator can verify",
		Long: `Export writes the findings of a gaming day, what proves them, and reports for people into one bundle, signs
the log that it continues, and remembers where the log ends. What changed in gaming days that were exported
before comes as amendments. A day that was exported and in which nothing changed makes no bundle.

Run it after audit run. Keep export.log: without it the log cannot be continued.`,
		Example: `  audit export --property ac-1 --gaming-day 2026-11-19 -o bundles --export-licensee 'Example Casino LLC' \
      --export-log /var/lib/shoeproof/log --export-key-file /etc/shoeproof/log.key
  audit export --property ac-1 --gaming-day last -o bundles --folder
  SHOEPROOF_EXPORT_S3_SECRET_KEY_FILE=secret.key audit export --property ac-1 --gaming-day last --export-log s3://audit/ac-1 \
      --export-s3-endpoint https://s3.example --export-s3-access-key audit --export-key-file log.key`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.choice.property, "property", "", "property, as its events name it")
	fs.StringVar(&f.choice.day, "gaming-day", "", "gaming day, such as 2026-11-19; last is the last one that is over")
	fs.StringVarP(&f.out, "out", "o", ".", "folder for the bundle")
	fs.BoolVar(&f.folder, "folder", false, "write a folder instead of a zip")
	fs.StringVar(&f.by, "by", "", "who makes it, for the list of exports; the user of the system unless given")
	settings.AddFlags(fs, auditDefaults(), "export", "retention.exports", "clickhouse", "calendar", "rulebooks", "patron_key_file", "log")
	return cmd
}

func (f *exportFlags) run(cmd *cobra.Command) error {
	config, err := configure(cmd)
	if err != nil {
		return err
	}
	opt, err := config.Law.Options(version)
	if err != nil {
		return cli.WrongUsage(err)
	}
	days, err := f.choice.days(&opt.Calendar)
	if err != nil {
		return cli.WrongUsage(err)
	}
	var missing error
	for _, s := range []struct{ key, have string }{
		{"export.licensee", config.Export.Licensee},
		{"export.log", config.Export.Log},
		{"export.key_file", string(config.Export.Key)},
		{"patron_key_file", string(config.Law.PatronKey)},
	} {
		if s.have == "" {
			missing = errors.Join(missing, fmt.Errorf("%s: none, and an export needs it", s.key))
		}
	}
	if missing != nil {
		return cli.WrongUsage(missing)
	}
	if config.Export.Stored() && (f.folder || cmd.Flags().Changed("out")) {
		return cli.WrongUsage(fmt.Errorf("--out and --folder: export.log is %s, and the bundle goes there as a zip", config.Export.Log))
	}
	signer, err := export.ParseKey(string(config.Export.Key))
	if err != nil {
		return cli.WrongUsage(fmt.Errorf("export.key_file: %w", err))
	}
	day := &export.Day{
		Books: opt.Books, Engine: opt.Version, Cluster: config.Export.Cluster, Licensee: config.Export.Licensee, Form: config.Export.Form,
		Mask: func(ref string) string { return engine.Pseudonym(opt.PatronKey, ref) }, MaskKey: keyID(opt.PatronKey),
		Retention: export.Retention{Years: config.Retention.Exports, Until: keptUntil(days[0], config.Retention.Exports)},
	}
	if day.Binary, err = binarySum(); err != nil {
		return err
	}
	store, err := openStore(cmd, &config, opt.Books)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	reader := archive.Reader{Store: store, Property: f.choice.property, GamingDay: days[0], Calendar: opt.Calendar, Topic: config.Kafka.Topic}
	if err := reader.Fill(cmd.Context(), day); err != nil {
		return storeTrouble(err)
	}
	if day.Sections, err = sections(cmd.Context(), store, &opt.Calendar, f.choice.property, days[0]); err != nil {
		return storeTrouble(err)
	}
	log, err := openLog(cmd.Context(), &config.Export)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	// The row of the last export, if a crash or ClickHouse kept it from being written.
	if err := f.list(cmd.Context(), store, signer.Name(), log.Last()); err != nil {
		return storeTrouble(err)
	}
	done, err := log.Export(cmd.Context(), day, signer, export.Target{Dir: f.out, Folder: f.folder})
	out := cmd.OutOrStdout()
	switch {
	case errors.Is(err, export.ErrNothing):
		_, err = fmt.Fprintf(out, "gaming day %s: exported before, no changes since\n", day.GamingDay)
		return err
	case err != nil:
		return storeTrouble(err)
	}
	m := &done.Manifest
	if config.Export.Stored() {
		done.Path = strings.TrimSuffix(config.Export.Log, "/") + "/" + done.Path
	}
	_, err = fmt.Fprintf(out, "%s\nexport %d of %s: %d findings, %d amendments, %d of them not shown by a replay of one table's events\n\n%s",
		done.Path, m.Export, m.Origin, m.Findings, m.Amendments, len(m.Unreplayed), done.Checkpoint)
	if err == nil {
		err = f.list(cmd.Context(), store, signer.Name(), log.Last())
	}
	if err != nil {
		return storeTrouble(fmt.Errorf("the bundle is made and whole; the next export enters it in the table exports: %w", err))
	}
	return nil
}

func openLog(ctx context.Context, config *settings.Export) (*export.Log, error) {
	if !config.Stored() {
		return export.OpenLog(config.Log)
	}
	c, err := config.Objects()
	if err != nil {
		return nil, cli.WrongUsage(err)
	}
	objects, err := s3.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	return export.OpenStored(ctx, objects)
}

// list enters the last export of a log in the table exports, unless it stands there. A table that knows a later
// one says that the log is not the newest, and to sign on from it would be a second history.
func (f *exportFlags) list(ctx context.Context, store *clickhouse.Store, origin string, r *export.Receipt) error {
	all, err := store.Exports(ctx, f.choice.property)
	if err != nil {
		return err
	}
	var last int64
	listed := r == nil
	if r != nil {
		last = r.Export
	}
	for i := range all {
		e := &all[i]
		if e.Origin == origin && e.Number > last {
			return cli.WrongUsage(fmt.Errorf("export.log: it ends at export %d of %s, and export %d was made on %s: "+
				"give the newest log, for two exports from one would be two histories", last, origin, e.Number, e.At.UTC().Format(time.DateOnly)))
		}
		listed = listed || e.Origin == r.Origin && e.Number == r.Export && e.SHA256 == r.Manifest
	}
	if listed {
		return nil
	}
	return store.WriteExport(ctx, &clickhouse.Export{
		Property: r.Property, GamingDay: r.GamingDay, Origin: r.Origin, Number: r.Export, At: time.Now(), Actor: f.actor(), Name: r.Name, Files: r.Files,
		Bytes: r.Bytes, SHA256: r.Manifest, LogSize: r.Size, LogRoot: r.Root, Findings: r.Findings, Amendments: r.Amendments, Engine: r.Engine,
	})
}

// actor is the value of --by, or else the user who runs this program: a number if the system has no name for it,
// as in a container.
func (f *exportFlags) actor() string {
	if f.by != "" {
		return f.by
	}
	u, err := user.Current()
	if err != nil {
		return fmt.Sprint("user ", os.Getuid())
	}
	return u.Username
}

// sections are the reports that a bundle carries; its exceptions are the bundle's own.
func sections(ctx context.Context, store *clickhouse.Store, calendar *engine.Calendar, property, day string) ([]export.Section, error) {
	var all []export.Section
	for _, name := range []string{"hold", "vigorish", "dealers", "log"} {
		scope := report.Scope{Days: clickhouse.Days{Property: property, From: day, To: day}, Calendar: calendar}
		s, err := sheet(ctx, store, scope, name)
		if err != nil {
			return nil, fmt.Errorf("report %s: %w", name, err)
		}
		all = append(all, export.Section{Title: s.Title, Columns: s.Columns, Rows: s.Rows, Formulas: s.Notes})
	}
	return all, nil
}

// keyID names a key without giving it away.
func keyID(key []byte) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("name of this key"))
	return hex.EncodeToString(mac.Sum(nil)[:8])
}

func keptUntil(day string, years int) string {
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return ""
	}
	return date.AddDate(years, 0, 1).Format(time.DateOnly)
}

// binarySum is the SHA-256 of this program.
func binarySum() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read this program: %w", err)
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("read this program: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func keygenCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "keygen ORIGIN FILE",
		Short: "make the signing key of a property's log, and print the policy for the regulator",
		Long: `Keygen writes a new signing key into FILE, which must not exist, and prints the policy text that the
regulator needs to verify exports: its lines name the log and its public key. Hand it over in person.
ORIGIN names the log for ever, such as audit.example/ac-1/findings.`,
		Example: "  audit keygen audit.example/ac-1/findings log.key > policy.txt",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			vkey, err := export.NewKey(args[0], args[1])
			if err != nil {
				return cli.WrongUsage(err)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), export.PolicyText(vkey))
			return err
		},
	}
}
