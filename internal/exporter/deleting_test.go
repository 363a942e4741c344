//go:build unix

package exporter_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	"github.com/shoeproof/shoeproof/internal/doctor"
	"github.com/shoeproof/shoeproof/internal/exporter"
	"github.com/shoeproof/shoeproof/internal/nightly"
	"github.com/shoeproof/shoeproof/internal/retention"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/file"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
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
	out      string // folder of refused bundles
	bundle   string
	steps    int64 // actions of triage in the bundle
	audited  bool  // a run covers the day
	policy   *export.Policy
	doctored map[string]string // what doctor found before an attempt
	behind   time.Duration     // of the clock of the journal
	emptied  map[string]string // of tables that are no evidence: what finds that their rows are deleted
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := openHouse(t, strings.ToLower(t.Name()))
	h.behind = 2 * time.Hour // a last range of this hour may still be under way
	h.play()
	h.triage()
	h.doctored = h.doctor()
	h.emptied = map[string]string{}
	return h
}

// openHouse is a casino without events, in a database of that name.
func openHouse(t *testing.T, name string) *house {
	t.Helper()
	h := &house{t: t, cfg: server.MigratedAs(t, server.Start(t), name), law: auditortest.Options()}
	h.law.PatronKey = []byte("a key for tests only")
	var err error
	if h.cfg.ChainKeys, err = rows.ParseChainKeys("a key of the chains, for tests only"); err != nil {
		t.Fatal(err)
	}
	writes := h.cfg
	writes.Now = func() time.Time { return time.Now().Add(-h.behind) }
	h.db = clickhousetest.Open(t, writes)
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
		last := events[len(events)-1]
		events = append(events, schema.Event{
			EventID: "notice", PropertyID: last.PropertyID, PitID: last.PitID, TableID: last.TableID, Seq: last.Seq + 1,
			At: last.At + 1, Payload: &schema.NoticePosted{},
		})
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
	if err != nil {
		h.t.Fatal(err)
	}
}

// triage is what people do: each finding is acknowledged, one of them again after an undo, the first is closed by two
// people, and the rest stays open.
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
	act("ann", store.Acknowledge, open[1].ID)
	act("ann", store.Undo, open[1].ID)
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
		h.hold(),
		h.gather(open[0].ID),
		h.withdraw(open[1].ID),
	} {
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

// withdraw withdraws a finding; the next run restores it.
func (h *house) withdraw(finding string) error {
	return nightly.Withdraw(h.t.Context(), store.On(h.db, time.Now), property, []clickhouse.Withdrawal{{
		Property: property, Finding: finding, At: time.Now().UnixNano(), Action: clickhouse.Withdraw, Reason: "a test",
		Run: "run", GamingDay: day,
	}}, time.Now)
}

// gather opens a case with a finding and a file, as the console does.
func (h *house) gather(finding string) error {
	for _, s := range []store.CaseStep{
		{Action: store.CaseOpen, Text: "a dispute"},
		{Action: store.CaseAdd, FindingID: finding},
		{Action: store.CaseAttach, Name: "statement.txt"},
	} {
		var content []byte
		if s.Action == store.CaseAttach {
			content = []byte("what the patron stated")
		}
		s.PropertyID, s.CaseID, s.Actor, s.Role = property, "K1", "ann", "supervisor"
		entry := store.Entry{PropertyID: property, At: time.Now().UTC(), Actor: "ann", Role: "supervisor"}
		if err := h.console.AddToCase(h.t.Context(), s, content, entry); err != nil {
			return err
		}
	}
	return nil
}

// hold places a legal hold, as audit hold does.
func (h *house) hold() error {
	hold := clickhouse.Hold{
		Property: property, From: day, Until: day, Actor: "counsel", Reason: "a case", Placed: time.Now(),
	}
	var err error
	if hold.ID, err = h.db.Place(h.t.Context(), hold); err != nil {
		return err
	}
	return retention.LogHold(h.t.Context(), h.db, rows.PlaceAction, &hold, time.Now)
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

// manifest is that of the bundle.
func (h *house) manifest() (m export.Manifest) {
	h.t.Helper()
	if err := json.Unmarshal(unpack(h.t, h.bundle)["manifest.json"], &m); err != nil {
		h.t.Fatal(err)
	}
	return m
}

// verify verifies the bundle and compares it with the database. With replay the rules are evaluated on the evidence.
func (h *house) verify(replay bool) (*export.Verdict, error) {
	return export.Verify(h.t.Context(), h.bundle, export.VerifyOptions{
		Policy: h.policy, Engine: h.law.Version, Database: exporter.Database(h.db, &h.law, ""), Replay: replay,
	})
}

// verifies verifies the bundle, with a code.
func (h *house) verifies(want int) {
	h.t.Helper()
	if v, err := h.verify(false); err != nil || v.Code != want {
		h.t.Fatalf("%+v, %v, want code %d", v, err, want)
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
	for complaint, why := range h.doctor() {
		if _, before := h.doctored[complaint]; !before {
			add("doctor", why)
			break
		}
	}
	// The run comes last: it stores findings, which are differences from a bundle.
	result, err := coverage.Read(ctx, h.db, coverage.Options{Archive: true})
	if err == nil {
		err = result.Check(io.Discard)
	}
	if err != nil {
		add("coverage", append([]string{err.Error()}, result.Problems()...)...)
	}
	if h.bundle != "" {
		v, err := h.verify(false)
		switch {
		case err != nil:
			add("verify", err.Error())
		case v.Code != export.Good:
			add("verify", v.Message)
		}
	}
	_, uncovered, err := nightly.Covering(ctx, h.db, &h.law.Calendar, property, day)
	if err != nil {
		h.t.Fatal(err)
	}
	res, err := nightly.Run(ctx, h.db, nightly.Options{
		Property: property, Days: []string{day}, Workers: 1, Engine: h.law, Holder: "test", Now: time.Now,
	})
	switch {
	case err != nil:
		add("run", err.Error())
	case len(res.Nights) == 1:
		n := &res.Nights[0]
		problems := slices.Concat(n.Records, n.Facts)
		if r := &n.Run; r.Missing+r.Extra+r.Changed+r.Gaps > r.Late {
			problems = append(problems, fmt.Sprintf("%d missing, %d extra, %d changed, %d gaps", r.Missing, r.Extra, r.Changed,
				r.Gaps))
		}
		add("run", problems...)
	}
	if len(by) == 0 && h.audited && uncovered != "" {
		add("run of missing days", uncovered)
	}
	h.audited = true
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
	"evidence":          "factors of detectors, derived from events",
	"dealer_rounds":     "derived from rounds, for the page of a dealer",
	"dealer_findings":   "derived from findings, for the page of a dealer",
	"feeds":             "the last event of a table, derived from events",
	"waiting":           "tables that wait for an event now; written again",
	"table_memory":      "snapshots for a faster start; a damaged one costs a replay",
	"watch_state":       "snapshots of `audit watch`",
	"run_lines":         "lines of a run in progress, kept for 30 days",
	"leases":            "who runs now",
	"schema_migrations": "versions of the schema; a difference stops every program",
	"shelves":           "a silence hides a finding from the queue and changes none; the log has it with its reason",
	"handovers":         "the log has each hand-over with its note",
	"exports":           "the list of bundles; the log's head and the bundles are outside of the database",
}

// forged are how a row of a table is forged: expressions in place of columns.
var forged = map[string]string{
	"events": "'forged' AS event_id", "dead_letters": "'forged' AS raw, 999999 AS offset",
	"journal":  "9 AS generation, 0 AS from_offset, archived + 1 AS archived",
	"findings": "'f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0' AS id", "open_findings": "version + 9 AS version, 1 AS is_deleted",
	"finding_actions": "'confirm' AS action, 'closed' AS to_state, link + 1000 AS link",
	"console_log":     "'refused' AS action, link + 1000 AS link",
	"rounds":          "round + 1000 AS round", "wagers": "'forged' AS wager_id", "vigorish": "'forged' AS wager_id",
	"shoes": "'forged' AS shoe_id", "table_configs": "seq + 1 AS seq", "notices": "seq + 1 AS seq",
	"legal_holds": "at + INTERVAL 1 DAY AS at", "case_steps": "'forged' AS text",
	"withdrawals": "'forged' AS finding_id, '' AS hash",
	"audit_runs":  "'2026-11-18' AS gaming_day, 'forged' AS run_id",
}

// changed are how a row of a table is changed; the column must not be part of the sorting key.
var changed = map[string]string{
	"events": "raw = 'other'", "dead_letters": "raw = 'other'", "journal": "archived = archived + 1",
	"findings": "observed = 'other'", "open_findings": "severity = 'info'", "finding_actions": "actor = 'eve'",
	"console_log": "actor = 'eve'", "rounds": "staked = staked + 1", "wagers": "paid = paid + 1",
	"vigorish": "collected = collected + 1", "shoes": "outstanding = outstanding + 1",
	"table_configs": "percent = percent + 1", "notices": "notice_at = notice_at + 1", "legal_holds": "reason = 'other'",
	"case_steps": "content = 'other'", "withdrawals": "reason = 'other'", "audit_runs": "missing = missing + 1",
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
		for k, table := range h.tables() {
			if _, none := noEvidence[table]; none {
				if all && h.bundle != "" {
					h.derived(table)
				}
				continue
			}
			for i, a := range h.attempts(table) {
				if !all && i != k%2*3 && !a.always {
					continue
				}
				by, why := h.attempt(a)
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
	doc.WriteString("Tables that are no evidence, and what finds that all of their rows are deleted:\n\n" +
		"| table | found by | reason |\n|---|---|---|\n")
	for _, table := range h.tables() {
		if reason, none := noEvidence[table]; none {
			fmt.Fprintf(&doc, "| `%s` | %s | %s |\n", table, h.emptied[table], reason)
		}
	}
	h.document("deleting and changing", doc.String(), lines, all)
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

// derived deletes the rows of a table that is no evidence.
func (h *house) derived(table string) {
	h.t.Helper()
	var n uint64
	if err := h.db.Conn().QueryRow(h.t.Context(), "SELECT count() FROM "+h.db.Table(table)).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	h.emptied[table] = "no rows here"
	if n > 0 {
		by, _ := h.attempt(attempt{statement: "TRUNCATE TABLE " + h.db.Table(table)})
		h.emptied[table] = cmp.Or(strings.Join(by, ", "), "nothing")
	}
}

// doctor returns what the checks of ClickHouse complain about: checks that are not good, and each statement that doctor
// counts by its own name. An attempt is judged by what it adds: statements of earlier attempts stay in the list.
func (h *house) doctor() map[string]string {
	h.t.Helper()
	config := settings.DefaultIngest()
	config.ClickHouse.Addrs, config.ClickHouse.Database = h.cfg.Addrs, h.cfg.Database
	config.Kafka.Brokers = []string{"127.0.0.1:1"}
	complaints := map[string]string{}
	for _, c := range doctor.Run(h.t.Context(), doctor.Options{Config: &config, Version: "test", Role: "auditor"}) {
		switch c.Area {
		case "schema", "journal", "feeds":
			if c.Status != doctor.OK {
				complaints[c.Area+": "+c.Seen] = c.Seen
			}
		case "mutations":
			counted, err := h.db.Mutations(h.t.Context())
			if err != nil || (c.Status == doctor.OK) != (len(counted) == 0) {
				h.t.Fatalf("%d statements, doctor: %+v, %v", len(counted), c, err)
			}
			h.statements(complaints)
		}
	}
	return complaints
}

// statements adds the statements that doctor counts, by table and number.
func (h *house) statements(complaints map[string]string) {
	h.t.Helper()
	result, err := h.db.Conn().Query(h.t.Context(), "SELECT table, mutation_id, command FROM system.mutations "+
		"WHERE database = '"+h.cfg.Database+"' AND table NOT IN ('audit_runs', 'exports') "+
		"AND match(command, '(DELETE WHERE|UPDATE )')")
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = result.Close() }()
	for result.Next() {
		var table, id, command string
		if err := result.Scan(&table, &id, &command); err != nil {
			h.t.Fatal(err)
		}
		complaints[table+"/"+id] = fmt.Sprintf("%s: %.80s", table, command)
	}
	if err := result.Err(); err != nil {
		h.t.Fatal(err)
	}
}

type attempt struct {
	name, statement string
	do              func(context.Context) error // in place of a statement
	always          bool                        // also in the short form
}

func (h *house) attempts(table string) []attempt {
	h.t.Helper()
	name, sync := h.db.Table(table), " SETTINGS mutations_sync = 1"
	var key string
	err := h.db.Conn().QueryRow(h.t.Context(), "SELECT sorting_key FROM system.tables WHERE database = '"+h.cfg.Database+
		"' AND name = '"+table+"'").Scan(&key)
	if err != nil {
		h.t.Fatal(err)
	}
	one := h.row(table, key)
	if forged[table] == "" || changed[table] == "" {
		h.t.Fatalf("table %s is neither evidence nor named with a reason why not", table)
	}
	last := map[string]string{"events": "offset", "journal": "to_offset", "finding_actions": "link", "console_log": "link"}
	// A query of its own: the condition would read the forged columns by their names.
	from := "(SELECT * FROM " + name + final[table] + " WHERE " + one + " LIMIT 1)"
	all := []attempt{
		{name: "a row deleted", statement: "ALTER TABLE " + name + " DELETE WHERE " + one + sync},
		{name: "all rows deleted", statement: "TRUNCATE TABLE " + name},
		{name: "a row changed", statement: "ALTER TABLE " + name + " UPDATE " + changed[table] + " WHERE " + one + sync},
		{
			name:      "a row forged",
			statement: "INSERT INTO " + name + " SELECT * REPLACE (" + forged[table] + ") FROM " + from,
			always:    table == "audit_runs",
		},
	}
	if column := last[table]; column != "" {
		all = append(all, attempt{
			name:      "the last row deleted",
			statement: "ALTER TABLE " + name + " DELETE WHERE " + column + " = (SELECT max(" + column + ") FROM " + name + ")" + sync,
		})
	}
	if table == "console_log" {
		all = append(all, attempt{name: "a chain added without the key", do: h.forgeChain})
	}
	if table == "finding_actions" {
		all = append(all, attempt{name: "an action and its entry appended without the key", do: h.forgeTail})
	}
	if table == "dead_letters" {
		all = append(all, attempt{name: "a row deleted under ranges without digests", do: h.undigest, always: true})
	}
	if table == "events" {
		all = append(all, attempt{
			name: "all rows of a table deleted", statement: "ALTER TABLE " + name + " DELETE WHERE table_id = 'PB-02'" + sync,
		})
	}
	return all
}

// final reads the rows that count: the newest row of a closed finding is marked as deleted already.
var final = map[string]string{"open_findings": " FINAL"}

// named are the rows that attempts hit in tables whose key has the time of a clock: the same action in each run, in the
// middle of its chain. In other tables it is the row with the smallest hash of its key, which comes from events.
var named = map[string]string{
	"console_log":     "property_id = '" + property + "' AND action = 'acknowledge' ORDER BY link",
	"finding_actions": "action = 'acknowledge' ORDER BY link",
	"case_steps":      "action = 'add' ORDER BY at",
	"legal_holds":     "action = 'place' ORDER BY at",
	"withdrawals":     "action = 'withdraw' ORDER BY at",
	"audit_runs":      "1 ORDER BY version DESC",
	// A finding of the live audit: the next run stores its own again.
	"findings": "rule != 'feed.dead-letters' ORDER BY cityHash64(property_id, table_id, at, id)",
}

// row is the condition of one row of a table.
func (h *house) row(table, key string) string {
	h.t.Helper()
	name := h.db.Table(table)
	which := cmp.Or(named[table], "1 ORDER BY cityHash64("+key+")")
	one := fmt.Sprintf("(%s) IN (SELECT %[1]s FROM %s%s WHERE %s LIMIT 1)", key, name, final[table], which)
	var n uint64
	err := h.db.Conn().QueryRow(h.t.Context(), "SELECT uniqExact("+key+") FROM "+name+" WHERE "+one).Scan(&n)
	if err != nil || n != 1 {
		h.t.Fatalf("%s has %d rows with %s, want one: %v", table, n, which, err)
	}
	return one
}

// forgeChain adds a chain with right hashes that follows the others, as who knows the code but not the key.
func (h *house) forgeChain(ctx context.Context) error {
	cfg := h.cfg
	cfg.ChainKeys = nil
	return store.On(clickhousetest.Open(h.t, cfg), time.Now).Log(ctx, store.Entry{
		PropertyID: property, At: time.Now().UTC(), Actor: "ann", Action: "view-patron",
	})
}

// undigest replaces all ranges of the journal by ranges of a newer generation without digests, and stores all dead
// letters but one again.
func (h *house) undigest(ctx context.Context) error {
	dead := h.db.Table("dead_letters")
	return errors.Join(
		h.exec(ctx, "INSERT INTO %s SELECT * REPLACE (generation + 9 AS generation, '' AS hash, '' AS archived_sha256) "+
			"FROM (SELECT * FROM %[1]s)", h.db.Table("journal")),
		h.exec(ctx, "TRUNCATE TABLE %s", dead),
		h.exec(ctx, "INSERT INTO %s SELECT * FROM %s WHERE offset > (SELECT min(offset) FROM %[2]s)", dead,
			h.db.Table("kept_dead_letters")))
}

// forgeTail appends a note and its entry to a chain, with right hashes.
func (h *house) forgeTail(ctx context.Context) error {
	heads, err := h.db.ChainHeads(ctx, property)
	if err != nil {
		return err
	}
	last := heads[len(heads)-1]
	var s rows.Step
	err = h.db.StepsByFinding(ctx, property, func(of []rows.Step) { s = of[len(of)-1] })
	if err != nil {
		return err
	}
	s.Action, s.From, s.At = "note", s.To, s.At+1
	s.Chain, s.Link, s.Prev = last.Chain, last.Link+1, last.Hash
	s.Hash = s.Sum()
	e := rows.Entry{
		PropertyID: property, At: s.At / 1000, Actor: s.Actor, Role: s.Role, Action: s.Action, Object: s.FindingID,
		Issuer: s.Issuer, Subject: s.Subject, Chain: last.Chain, Link: s.Link + 1, Prev: s.Hash,
	}
	err = h.exec(ctx, "INSERT INTO %s (finding_id, property_id, at, actor, role, action, from_state, to_state, "+
		"disposition, issuer, subject, sign_in, chain, link, prev, hash) VALUES ('%s', '%s', "+
		"fromUnixTimestamp64Nano(%d), '%s', '%s', '%s', '%s', '%s', '%s', '%s', '%s', '%s', '%s', %d, '%s', '%s')",
		h.db.Table("finding_actions"), s.FindingID, property, s.At, s.Actor, s.Role, s.Action, s.From, s.To, s.Disposition,
		s.Issuer, s.Subject, s.Method, s.Chain, s.Link, s.Prev, s.Hash)
	if err != nil {
		return err
	}
	return h.exec(ctx, "INSERT INTO %s (property_id, at, actor, role, action, object, issuer, subject, chain, link, prev, "+
		"hash) VALUES ('%s', fromUnixTimestamp64Micro(%d), '%s', '%s', '%s', '%s', '%s', '%s', '%s', %d, '%s', '%s')",
		h.db.Table("console_log"), property, e.At, e.Actor, e.Role, e.Action, e.Object, e.Issuer, e.Subject, e.Chain, e.Link,
		e.Prev, e.Sum())
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
func (h *house) attempt(a attempt) (by []string, why string) {
	h.t.Helper()
	ctx := h.t.Context()
	if a.do == nil {
		a.do = func(ctx context.Context) error { return h.exec(ctx, "%s", a.statement) }
	}
	h.doctored = h.doctor()
	if err := a.do(ctx); err != nil {
		h.t.Fatal(err)
	}
	by, why = h.found()
	same := h.unchanged()
	for _, t := range h.tables() {
		if same[t] {
			continue
		}
		if err := h.exec(ctx, "TRUNCATE TABLE %s", h.db.Table(t)); err != nil {
			h.t.Fatal(err)
		}
		h.copyParts("kept_"+t, t)
	}
	return by, why
}

// unchanged are the tables with the parts of their copies.
func (h *house) unchanged() map[string]bool {
	h.t.Helper()
	result, err := h.db.Conn().Query(h.t.Context(), "SELECT table, toString(arraySort(groupArray(hash_of_all_files))) "+
		"FROM system.parts WHERE active AND database = '"+h.cfg.Database+"' GROUP BY table")
	if err != nil {
		h.t.Fatal(err)
	}
	defer func() { _ = result.Close() }()
	parts := map[string]string{}
	for result.Next() {
		var table, hashes string
		if err := result.Scan(&table, &hashes); err != nil {
			h.t.Fatal(err)
		}
		parts[table] = hashes
	}
	same := map[string]bool{}
	for _, t := range h.tables() {
		same[t] = parts[t] == parts["kept_"+t]
	}
	return same
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

// document compares a table of results in docs/security.md, or writes it with SHOEPROOF_UPDATE=1. The short form
// compares its lines.
func (h *house) document(table, text string, lines []string, all bool) {
	h.t.Helper()
	const path, until = "../../docs/security.md", "<!-- end -->"
	from := "<!-- " + table + " -->\n"
	page, err := os.ReadFile(path)
	if err != nil {
		h.t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), from)
	was, after, end := strings.Cut(rest, until)
	const again = "run SHOEPROOF_SOAK=1 SHOEPROOF_UPDATE=1 go test ./internal/exporter -run 'Deleting|ChangedColumns'"
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
