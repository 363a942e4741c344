//go:build unix

package exporter_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	"github.com/shoeproof/shoeproof/console/store"
	auditor "github.com/shoeproof/shoeproof/engine"
	auditortest "github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/internal/coverage"
	"github.com/shoeproof/shoeproof/internal/exporter"
	"github.com/shoeproof/shoeproof/internal/nightly"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/file"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

var server clickhousetest.Server

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	os.Exit(server.Run(m))
}

const (
	property = "ac-1"
	day      = "2026-11-19"
)

// house is a casino after a night: events with repeats and dead letters, triage, a run and an export.
type house struct {
	t        *testing.T
	cfg      clickhouse.Config
	db       *clickhouse.Store
	console  *store.Store
	law      auditor.Options
	settings settings.Audit
	bundle   string
	steps    int64 // actions of triage in the bundle
	policy   *export.Policy
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := openHouse(t, "house")
	h.play()
	h.triage()
	return h
}

// openHouse is a casino without events, in a database of that name.
func openHouse(t *testing.T, name string) *house {
	t.Helper()
	h := &house{t: t, cfg: server.MigratedAs(t, server.Start(t), name), law: auditortest.Options()}
	h.law.PatronKey = []byte("a key for tests only")
	h.db = clickhousetest.Open(t, h.cfg)
	var err error
	if h.console, err = store.Open(t.Context(), h.cfg, clickhouse.Config{}, time.Now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.console.Close() })
	dir := t.TempDir()
	key := filepath.Join(dir, "log.key")
	public, err := export.NewKey("audit.example/ac-1/findings", key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if h.policy, err = export.ParsePolicy([]byte(export.PolicyText(public))); err != nil {
		t.Fatal(err)
	}
	h.settings.Export = settings.Export{
		Licensee: "Example Casino LLC", Form: "Findings", Log: filepath.Join(dir, "log"),
		Key: settings.Secret(strings.TrimSpace(string(secret))),
	}
	h.settings.Retention.Exports = 10
	return h
}

// play ingests two tables, with a record in ten sent twice and some that cannot be decoded.
func (h *house) play() {
	h.t.Helper()
	faults := slices.DeleteFunc(fault.All(), func(f fault.Fault) bool { return f.Off })
	var paths []string
	for i := range 2 {
		events, _, err := fault.Plant(deal.Options{
			Property: property, Pit: "p1", Table: fmt.Sprintf("PB-%02d", i+1), Seed: uint64(i + 1), Flawless: true,
			Start: time.Date(2026, 11, 19, 18, i, 0, 0, time.UTC),
		}, faults[i*11], uint64(i+1))
		if err != nil {
			h.t.Fatal(err)
		}
		var lines []byte
		for k := range events {
			line := append(schema.AppendJSON(nil, &events[k]), '\n')
			lines = append(lines, line...)
			if k%10 == 5 {
				lines = append(lines, line...)
			}
			if k%100 == 7 {
				lines = append(lines, "{not an event}\n"...)
			}
		}
		path := filepath.Join(h.t.TempDir(), fmt.Sprintf("%d.ndjson", i))
		if err := os.WriteFile(path, lines, 0o600); err != nil {
			h.t.Fatal(err)
		}
		paths = append(paths, path)
	}
	h.read(paths...)
}

// read ingests files.
func (h *house) read(paths ...string) {
	h.t.Helper()
	src, err := file.Open(paths, file.Options{Topic: "table-events", Each: true})
	if err != nil {
		h.t.Fatal(err)
	}
	err = pipeline.Run(h.t.Context(), src, h.db, pipeline.RunOptions{
		NewStep: func() pipeline.Step { return auditor.New(h.law) }, Now: time.Now, FlushRows: 300,
	})
	if err == nil { // a last range of this hour may still be under way
		err = h.exec(h.t.Context(), "ALTER TABLE %s UPDATE written_at = written_at - INTERVAL 2 HOUR WHERE 1 "+
			"SETTINGS mutations_sync = 1", h.db.Table("journal"))
	}
	if err != nil {
		h.t.Fatal(err)
	}
}

// triage is what people do: each finding is acknowledged, the first is closed by two people, and the rest stays open.
func (h *house) triage() {
	h.t.Helper()
	ctx, all := h.t.Context(), store.Scope{All: true}
	open, err := h.console.Open(ctx, all, store.Filter{})
	if err != nil || len(open) < 2 {
		h.t.Fatalf("%d open findings, %v", len(open), err)
	}
	act := func(who, action, id string) {
		h.t.Helper()
		w := store.Who{Issuer: "proxy", Subject: who, Method: "proxy"}
		_, err := h.console.Apply(ctx, all, store.Triage{
			IDs: []string{id}, Actor: who, Who: w, Role: "supervisor", Action: action, Disposition: "duplicate", Reason: "x",
			Second: func(store.Who) error { return nil },
		})
		if err == nil {
			err = h.console.Log(ctx, store.Entry{
				PropertyID: property, At: time.Now().UTC(), Actor: who, Role: "supervisor", Action: action, Object: id, Who: w,
			})
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
	for _, f := range open {
		act("ann", store.Acknowledge, f.ID)
	}
	act("ann", store.Close, open[0].ID)
	if open[0].Severity == "critical" {
		act("bob", store.Confirm, open[0].ID)
	}
	at := time.Now().UTC()
	for _, err := range []error{
		h.console.WriteSilence(ctx, store.Silence{
			PropertyID: property, ID: "s", Rule: "feed.gap", Reason: "x", Actor: "ann", At: at, Until: at.Add(time.Hour),
		}),
		h.console.HandOver(ctx, store.SignedHandover{
			Handover: store.Handover{PropertyID: property, At: at, GamingDay: at, Actor: "ann", Note: "quiet"},
		}),
		h.console.Log(ctx, store.Entry{At: at, Actor: "ann", Action: "sign-in"}),
	} {
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *house) export() {
	h.t.Helper()
	done, err := exporter.Run(h.t.Context(), &h.settings, exporter.Options{
		Property: property, GamingDay: day, Out: h.t.TempDir(), Actor: "test", Engine: h.law, Store: h.db,
	})
	if err != nil || done == nil {
		h.t.Fatalf("export: %v, %v", done, err)
	}
	h.bundle, h.steps = done.Path, done.Manifest.Steps
	if h.bundle == "" || done.Manifest.Heads == nil {
		h.t.Fatalf("heads %+v", done.Manifest.Heads)
	}
}

// found returns the checks that find something wrong, and what.
func (h *house) found() (by []string, why string) {
	h.t.Helper()
	ctx := h.t.Context()
	add := func(name string, problems ...string) {
		if len(problems) > 0 {
			by, why = append(by, name), why+name+": "+strings.Join(problems[:min(len(problems), 3)], "; ")+"\n"
		}
	}
	res, err := nightly.Run(ctx, h.db, nightly.Options{
		Property: property, Days: []string{day}, Workers: 1, Engine: h.law, Holder: "test", Now: time.Now,
	})
	switch {
	case err != nil:
		add("run", err.Error())
	case len(res.Nights) == 1:
		n := &res.Nights[0]
		problems := n.Records
		if r := &n.Run; r.Missing+r.Extra+r.Changed+r.Gaps > r.Late {
			problems = append(problems, fmt.Sprintf("%d missing, %d extra, %d changed, %d gaps", r.Missing, r.Extra, r.Changed,
				r.Gaps))
		}
		add("run", problems...)
	}
	result, err := coverage.Read(ctx, h.db, coverage.Options{Archive: true})
	if err == nil {
		err = result.Check(io.Discard)
	}
	if err != nil {
		add("coverage", append([]string{err.Error()}, result.Problems()...)...)
	}
	if h.bundle != "" {
		v, err := export.Verify(ctx, h.bundle, export.VerifyOptions{
			Policy: h.policy, Engine: h.law.Version, Database: exporter.Database(h.db, &h.law, ""),
		})
		switch {
		case err != nil:
			add("verify", err.Error())
		case v.Code != export.Good:
			add("verify", v.Message)
		}
	}
	return by, why
}

// exec runs a statement as the most powerful user of the database.
func (h *house) exec(ctx context.Context, format string, args ...any) error {
	query := fmt.Sprintf(format, args...)
	if err := h.db.Conn().Exec(ctx, query); err != nil {
		return fmt.Errorf("%s: %w", query, err)
	}
	return nil
}

// noEvidence are the tables whose rows are no evidence, with the reason.
var noEvidence = map[string]string{
	"rounds":            "derived from events, which `audit run` judges again; the rounds of an exported day are in its bundle",
	"wagers":            "derived from events, which `audit run` judges again",
	"vigorish":          "derived from events, which `audit run` judges again",
	"shoes":             "derived from events, which `audit run` judges again",
	"table_configs":     "derived from events, which `audit run` judges again",
	"notices":           "derived from events, which `audit run` judges again",
	"evidence":          "factors of detectors, derived from events",
	"dealer_rounds":     "derived from rounds, for the page of a dealer",
	"dealer_findings":   "derived from findings, for the page of a dealer",
	"feeds":             "the last event of a table, derived from events",
	"waiting":           "tables that wait for an event now; written again",
	"table_memory":      "snapshots for a faster start; a damaged one costs a replay",
	"audit_runs":        "a run gives the same digests again",
	"withdrawals":       "a run makes the withdrawals of its day again, and undoes others",
	"watch_state":       "snapshots of `audit watch`",
	"run_lines":         "lines of a run in progress, kept for 30 days",
	"leases":            "who runs now",
	"schema_migrations": "versions of the schema; a difference stops every program",
	"shelves":           "a silence hides a finding from the queue and changes none; the log has it with its reason",
	"handovers":         "the log has each hand-over with its note",
	"legal_holds":       "an instruction to keep; each bundle states the holds in force",
	"exports":           "the list of bundles; the log's head and the bundles are outside of the database",
}

// forged are how a row of a table is forged: expressions in place of columns.
var forged = map[string]string{
	"events": "'forged' AS event_id", "dead_letters": "'forged' AS raw, 999999 AS offset",
	"journal":  "9 AS generation, 0 AS from_offset, archived + 1 AS archived",
	"findings": "'f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0' AS id", "open_findings": "version + 9 AS version, 1 AS is_deleted",
	"finding_actions": "'confirm' AS action, 'closed' AS to_state, link + 1000 AS link",
	"console_log":     "'refused' AS action, link + 1000 AS link",
}

// changed are how a row of a table is changed; the column must not be part of the sorting key.
var changed = map[string]string{
	"events": "raw = 'other'", "dead_letters": "raw = 'other'", "journal": "archived = archived + 1",
	"findings": "observed = 'other'", "open_findings": "severity = 'info'", "finding_actions": "actor = 'eve'",
	"console_log": "actor = 'eve'",
}

// Whoever may delete, change and add rows of any table, below the server's administrator, is found by a check that the
// casino or the regulator runs, in every table that is evidence. The short form tries some of it after an export.
func TestDeletingAndChanging(t *testing.T) {
	h := newHouse(t)
	all := testkit.Soak(false, true)
	var lines []string
	found := 0
	for _, when := range []string{"before an export", "after an export"} {
		if when == "after an export" {
			if h.export(); h.steps < 3 {
				t.Fatalf("%d actions of triage in the bundle", h.steps)
			}
		}
		if by, why := h.found(); len(by) > 0 {
			t.Fatalf("%s, before any change:\n%s", when, why)
		}
		if !all && h.bundle == "" {
			continue
		}
		h.keep()
		for _, table := range h.tables() {
			if _, none := noEvidence[table]; none {
				continue
			}
			for i, a := range h.attempts(table) {
				if !all && i != 0 && i != 3 {
					continue
				}
				by, why := h.attempt(a.statement)
				if len(by) == 0 {
					t.Errorf("%s, %s of %s: nothing finds it", when, a.name, table)
					by = []string{"nothing"}
				} else {
					found++
				}
				t.Logf("%s, %s of %s: %s", when, a.name, table, why)
				lines = append(lines, fmt.Sprintf("| `%s` | %s | %s | %s |", table, a.name, when, strings.Join(by, ", ")))
			}
		}
	}
	t.Logf("%d of %d attempts found", found, len(lines))
	slices.Sort(lines)
	var doc strings.Builder
	fmt.Fprintf(&doc, "%d of %d attempts are found:\n\n| table | attempt | when | found by |\n|---|---|---|---|\n%s\n\n",
		found, len(lines), strings.Join(lines, "\n"))
	doc.WriteString("Tables that are no evidence:\n\n| table | reason |\n|---|---|\n")
	for _, table := range h.tables() {
		if reason, none := noEvidence[table]; none {
			fmt.Fprintf(&doc, "| `%s` | %s |\n", table, reason)
		}
	}
	h.document(doc.String(), lines, all)
}

// tables are the tables that store rows.
func (h *house) tables() (names []string) {
	h.t.Helper()
	err := h.db.Conn().QueryRow(h.t.Context(), "SELECT arraySort(groupArray(name)) FROM system.tables WHERE database = '"+
		h.cfg.Database+"' AND engine LIKE '%MergeTree'").Scan(&names)
	if err != nil {
		h.t.Fatal(err)
	}
	return slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, "kept_") })
}

type attempt struct{ name, statement string }

func (h *house) attempts(table string) []attempt {
	h.t.Helper()
	name, sync := h.db.Table(table), " SETTINGS mutations_sync = 1"
	var key string
	err := h.db.Conn().QueryRow(h.t.Context(), "SELECT sorting_key FROM system.tables WHERE database = '"+h.cfg.Database+
		"' AND name = '"+table+"'").Scan(&key)
	if err != nil {
		h.t.Fatal(err)
	}
	one := fmt.Sprintf("(%s) IN (SELECT %[1]s FROM %s ORDER BY cityHash64(%[1]s) LIMIT 1)", key, name)
	if forged[table] == "" || changed[table] == "" {
		h.t.Fatalf("table %s is neither evidence nor named with a reason why not", table)
	}
	last := map[string]string{"events": "offset", "journal": "to_offset", "finding_actions": "link", "console_log": "link"}
	all := []attempt{
		{"a row deleted", "ALTER TABLE " + name + " DELETE WHERE " + one + sync},
		{"all rows deleted", "TRUNCATE TABLE " + name},
		{"a row changed", "ALTER TABLE " + name + " UPDATE " + changed[table] + " WHERE " + one + sync},
		{"a row forged", "INSERT INTO " + name + " SELECT * REPLACE (" + forged[table] + ") FROM " + name + " LIMIT 1"},
	}
	if column := last[table]; column != "" {
		all = append(all, attempt{
			"the last row deleted",
			"ALTER TABLE " + name + " DELETE WHERE " + column + " = (SELECT max(" + column + ") FROM " + name + ")" + sync,
		})
	}
	if table == "events" {
		all = append(all, attempt{
			"all rows of a table deleted", "ALTER TABLE " + name + " DELETE WHERE table_id = 'PB-02'" + sync,
		})
	}
	return all
}

// keep copies all tables, for attempt to restore.
func (h *house) keep() {
	h.t.Helper()
	for _, t := range h.tables() {
		for _, q := range []string{
			"DROP TABLE IF EXISTS " + h.db.Table("kept_"+t), "CREATE TABLE " + h.db.Table("kept_"+t) + " AS " + h.db.Table(t),
		} {
			if err := h.exec(h.t.Context(), "%s", q); err != nil {
				h.t.Fatal(err)
			}
		}
		h.copyParts(t, "kept_"+t)
	}
}

// attempt runs a statement, then the checks, and restores the tables.
func (h *house) attempt(statement string) (by []string, why string) {
	h.t.Helper()
	ctx := h.t.Context()
	if err := h.exec(ctx, "%s", statement); err != nil {
		h.t.Fatal(err)
	}
	by, why = h.found()
	for _, t := range h.tables() {
		if err := h.exec(ctx, "TRUNCATE TABLE %s", h.db.Table(t)); err != nil {
			h.t.Fatal(err)
		}
		h.copyParts("kept_"+t, t)
	}
	return by, why
}

// copyParts copies rows without passing them through materialized views.
func (h *house) copyParts(from, to string) {
	h.t.Helper()
	ctx := h.t.Context()
	var partitions []string
	err := h.db.Conn().QueryRow(ctx, "SELECT groupUniqArray(partition_id) FROM system.parts WHERE active AND database = '"+
		h.cfg.Database+"' AND table = '"+from+"'").Scan(&partitions)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, p := range partitions {
		err := h.exec(ctx, "ALTER TABLE %s ATTACH PARTITION ID '%s' FROM %s", h.db.Table(to), p, h.db.Table(from))
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

// document compares the table of results in docs/security.md, or writes it with SHOEPROOF_UPDATE=1. The short form
// compares its lines.
func (h *house) document(text string, lines []string, all bool) {
	h.t.Helper()
	const path, from, until = "../../docs/security.md", "<!-- deleting and changing -->\n", "<!-- end -->"
	page, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), from)
	was, after, end := strings.Cut(rest, until)
	const again = "run SHOEPROOF_SOAK=1 SHOEPROOF_UPDATE=1 go test ./internal/exporter -run Deleting"
	switch {
	case !ok || !end:
		h.t.Fatalf("%s has no place for the table of results", path)
	case all && os.Getenv("SHOEPROOF_UPDATE") != "":
		if err := os.WriteFile(path, []byte(before+from+text+until+after), 0o600); err != nil {
			h.t.Fatal(err)
		}
	case all && was != text:
		h.t.Errorf("%s is out of date: %s", path, again)
	}
	for _, line := range lines {
		if !all && !strings.Contains(was, line+"\n") {
			h.t.Errorf("%s lacks %s: %s", path, line, again)
		}
	}
}
