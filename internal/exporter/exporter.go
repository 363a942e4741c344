// Package exporter is the work of audit export and of audit verify --against-db. It reads a gaming day from ClickHouse
// (export/archive), adds the reports, calls package export, and lists the bundle in the table exports.
package exporter

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/export/archive"
	"github.com/shoeproof/shoeproof/export/s3"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/nightly"
	"github.com/shoeproof/shoeproof/internal/report"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/tracing"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// Options choose what to export.
type Options struct {
	Property, GamingDay string
	Out                 string // folder of the bundle
	Folder              bool   // write a folder instead of a zip
	Actor               string // for the list of exports; by default the user of the system
	// Accept is why records that are not proven are exported nevertheless; it is part of the bundle. Empty refuses them.
	Accept    string
	Verifiers []export.Verifier // of this release
	Engine    engine.Options
	Store     *clickhouse.Store
	// Warnings is where a warning is written, nil for nowhere.
	Warnings io.Writer
}

// Check returns an error for each setting that an export lacks.
func Check(config *settings.Audit) error {
	var missing settings.Complaints
	for _, s := range []struct{ key, have string }{
		{"export.licensee", config.Export.Licensee},
		{"export.log", config.Export.Log},
		{"export.key_file", string(config.Export.Key)},
		{"patron_key_file", string(config.Law.PatronKey)},
	} {
		if s.have == "" {
			missing = append(missing, fmt.Errorf("%s: not set; an export requires it", s.key))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return missing
}

// Run exports a gaming day and returns what was made; nil if the day was exported before and has no changes.
func Run(ctx context.Context, config *settings.Audit, o Options) (_ *export.Done, err error) {
	signer, err := export.ParseKey(string(config.Export.Key))
	if err != nil {
		return nil, cli.WrongUsage(fmt.Errorf("export.key_file %q: %w", config.Export.KeyFile, err))
	}
	of, span := tracing.Start(ctx, "read "+o.GamingDay)
	day, err := o.read(of, config)
	tracing.End(span, err)
	if err != nil {
		return nil, err
	}
	log, err := openLog(ctx, &config.Export)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if log.Last() == nil {
		if err := o.warnOfOther(ctx, signer.Name()); err != nil {
			return nil, err
		}
	}
	// The row of the last export, if a crash or ClickHouse prevented it.
	if err := o.list(ctx, signer.Name(), log.Last()); err != nil {
		return nil, err
	}
	of, span = tracing.Start(ctx, "write "+o.GamingDay)
	done, err := log.Export(of, day, signer, export.Target{Dir: o.Out, Folder: o.Folder})
	tracing.End(span, err)
	switch {
	case errors.Is(err, export.ErrNothing):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if config.Export.Stored() {
		done.Path = strings.TrimSuffix(config.Export.Log, "/") + "/" + done.Path
	}
	if err := o.list(ctx, signer.Name(), log.Last()); err != nil {
		return done, fmt.Errorf("the bundle is complete; the next export adds it to the table exports: %w", err)
	}
	return done, nil
}

// read returns the input of the export.
func (o *Options) read(ctx context.Context, config *settings.Audit) (*export.Day, error) {
	day := &export.Day{
		Books: o.Engine.Books, Engine: o.Engine.Version, Cluster: config.Export.Cluster,
		Licensee: config.Export.Licensee, Form: config.Export.Form,
		Mask: func(ref string) string { return o.Engine.Mask(ref, o.GamingDay) }, MaskKey: o.Engine.PatronKeyID(o.GamingDay),
		Plain: o.Engine.Plain(), Verifiers: o.Verifiers,
		Retention: export.Retention{
			Years: config.Retention.Exports, Until: retainedUntil(o.GamingDay, config.Retention.Exports),
		},
	}
	err := nightly.CheckPatronKey(ctx, o.Store, &o.Engine, o.Property, o.GamingDay)
	if err != nil {
		return nil, cli.WrongUsageIf(err, nightly.ErrPatronKey)
	}
	if day.Binary, err = binarySum(); err != nil {
		return nil, err
	}
	reader := archive.Reader{
		Store: o.Store, Property: o.Property, GamingDay: o.GamingDay, Calendar: o.Engine.Calendar, Topic: config.Kafka.Topic,
	}
	if err := reader.Fill(ctx, day); err != nil {
		return nil, err
	}
	if err := o.covered(ctx, day); err != nil {
		return nil, err
	}
	day.Late = func(of string) (map[string]string, error) { return o.late(ctx, of) }
	day.Records = o.records(day.From, day.Until)
	day.Sections, err = o.sections(ctx)
	return day, err
}

// ErrUncovered means that the nightly run of a gaming day is missing, or older than its events or the rulebooks.
var ErrUncovered = errors.New("not covered by a nightly run")

// covered puts the runs that cover the gaming day into the export, and refuses a day that none covers.
func (o *Options) covered(ctx context.Context, day *export.Day) error {
	runs, why, err := nightly.Covering(ctx, o.Store, &o.Engine.Calendar, o.Property, o.GamingDay)
	if why == "" {
		why = o.otherBook(runs)
	}
	switch {
	case err != nil:
		return err
	case why != "":
		return fmt.Errorf("%w, and not exported: %s (audit run --property %s --gaming-day %s)", ErrUncovered, why,
			o.Property, o.GamingDay)
	}
	for i := range runs {
		r := &runs[i]
		day.Runs = append(day.Runs, export.Run{
			ID: r.ID, Shift: r.Shift, Supersedes: r.Supersedes, Tables: r.Tables,
			Events: r.Events, Findings: r.Findings, Gaps: r.Gaps, DeadLetters: r.DeadLetters,
			EventsSHA256: r.EventsSHA256, FindingsSHA256: r.FindingsSHA256, LiveSHA256: r.LiveSHA256,
		})
	}
	return nil
}

// otherBook names a rulebook that a run applied in another version than the bundle would contain; empty if there is
// none.
func (o *Options) otherBook(runs []clickhouse.AuditRun) string {
	for i := range runs {
		for _, ref := range runs[i].Rulebooks {
			name, _, _ := strings.Cut(ref, "@")
			switch book := o.Engine.Books[name]; {
			case book == nil:
				return fmt.Sprintf("run %s applied rulebook %s, which is not loaded", runs[i].ID, ref)
			case book.Ref() != ref:
				return fmt.Sprintf("run %s applied rulebook %s, and %s is loaded", runs[i].ID, ref, book.Ref())
			}
		}
	}
	return ""
}

// beside is how far from a gaming day the events are that may change its findings: shoes reach into the days beside.
const beside = 24 * int64(time.Hour)

// late names the events of a gaming day and of the days beside, by table, that arrived after it was last exported.
func (o *Options) late(ctx context.Context, gamingDay string) (map[string]string, error) {
	all, err := o.Store.Exports(ctx, o.Property)
	if err != nil {
		return nil, err
	}
	// The newest is the first.
	last := slices.IndexFunc(all, func(e clickhouse.Export) bool { return e.GamingDay == gamingDay })
	if last < 0 {
		return nil, nil
	}
	from, until, err := o.Engine.Calendar.Bounds(gamingDay, "")
	if err != nil {
		return nil, err
	}
	list, err := o.Store.LateSince(ctx, o.Property, from-beside, until+beside, all[last].At)
	named := map[string]string{}
	for i := range list {
		named[list[i].Table] = list[i].String()
	}
	return named, err
}

// openLog opens the log of a folder or of an object store.
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

// warnOfOther warns that a log which has no export yet is not the first one of the property: a recipient who follows
// the other log does not see what is exported into this one.
func (o *Options) warnOfOther(ctx context.Context, origin string) error {
	all, err := o.Store.Exports(ctx, o.Property)
	if err != nil || o.Warnings == nil {
		return err
	}
	i := slices.IndexFunc(all, func(e clickhouse.Export) bool { return e.Origin != origin })
	if i < 0 {
		return nil
	}
	_, err = fmt.Fprintf(o.Warnings, "warning: export.log: this log of %s is new, and property %s has exports in the log "+
		"of %s: a recipient of one log does not see the exports of the other\n", origin, o.Property, all[i].Origin)
	return err
}

// list adds the last export of a log to the table exports, unless it is listed. If the table has a later export, the
// log is not the newest one: to continue it would sign a second history.
func (o *Options) list(ctx context.Context, origin string, r *export.Receipt) error {
	all, err := o.Store.Exports(ctx, o.Property)
	if err != nil {
		return err
	}
	var last uint64
	listed := r == nil
	if r != nil {
		last = uint64(r.Export)
	}
	for i := range all {
		e := &all[i]
		if e.Origin == origin && e.Number > last {
			return cli.WrongUsage(fmt.Errorf("export.log: it ends at export %d of %s, and export %d was made on %s: "+
				"use the newest log, because two exports from one log are two histories", last, origin, e.Number,
				e.At.UTC().Format(time.DateOnly)))
		}
		listed = listed || e.Origin == r.Origin && e.Number == last && e.SHA256 == r.Manifest
	}
	if listed {
		return nil
	}
	return o.Store.WriteExport(ctx, &clickhouse.Export{
		Property: r.Property, GamingDay: r.GamingDay, Origin: r.Origin, Number: uint64(r.Export),
		At: time.Now(), Actor: o.actor(), Name: r.Name, Files: uint32(r.Files), Bytes: uint64(r.Bytes),
		SHA256: r.Manifest, LogSize: uint64(r.Size),
		LogRoot: r.Root, Findings: uint64(r.Findings), Amendments: uint64(r.Amendments), Engine: r.Engine,
	})
}

// actor is Actor, or else the user who runs this program.
func (o *Options) actor() string {
	return cmp.Or(o.Actor, cli.User())
}

// sections returns the reports of a bundle. The exceptions are part of the bundle itself.
func (o *Options) sections(ctx context.Context) ([]export.Section, error) {
	var all []export.Section
	for _, name := range []string{"hold", "vigorish", "dealers", "log"} {
		scope := report.Scope{
			Days:     clickhouse.Days{Property: o.Property, From: o.GamingDay, To: o.GamingDay},
			Calendar: &o.Engine.Calendar,
		}
		s, err := report.Read(ctx, o.Store, scope, name)
		if err != nil {
			return nil, fmt.Errorf("report %s: %w", name, err)
		}
		all = append(all, export.Section{Title: s.Title, Columns: s.Columns, Rows: s.Rows, Formulas: s.Notes})
	}
	return all, nil
}

// retainedUntil is the first date after the retention of a gaming day.
func retainedUntil(day string, years int) string {
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
		return "", fmt.Errorf("locate this program: %w", err)
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
