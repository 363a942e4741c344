//go:build unix

package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline"
)

func TestMigrate(t *testing.T) {
	cfg := empty(t)
	if _, err := Open(t.Context(), cfg); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "audit migrate") {
		t.Errorf("opened before the first migration: %v", err)
	}
	from, to, err := Migrate(t.Context(), cfg)
	if err != nil || from != 0 || to == 0 {
		t.Fatalf("from %d to %d: %v", from, to, err)
	}
	again, still, err := Migrate(t.Context(), cfg)
	if err != nil || again != to || still != to {
		t.Errorf("again from %d to %d, want nothing done: %v", again, still, err)
	}
	s := open(t, cfg)
	if v, err := s.SchemaVersion(t.Context()); err != nil || v != to {
		t.Errorf("version %d, want %d: %v", v, to, err)
	}
}

// The databases of the other tests, which are created from definitions, are what the migrations make.
func TestCreatedAsMigrated(t *testing.T) {
	cfg := empty(t)
	if _, _, err := Migrate(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	var schemas []string
	for _, database := range []string{cfg.Database, migrated(t).Database, migrated(t).Database} {
		tables := text(t, server.Start(t), "SELECT create_table_query FROM system.tables WHERE database = '"+database+
			"' ORDER BY name FORMAT TSVRaw")
		schemas = append(schemas, strings.ReplaceAll(tables, database+".", "")+"\n"+text(t, server.Start(t),
			"SELECT version, name, sha256, applied_by FROM "+database+".schema_migrations ORDER BY version"))
	}
	for _, schema := range schemas[1:] {
		if diff := gocmp.Diff(schemas[0], schema); diff != "" {
			t.Errorf("-migrated +created:\n%s", diff)
		}
	}
}

// Of processes that migrate at once, one makes the whole schema, and the others find it made.
func TestMigrateAtOnce(t *testing.T) {
	cfg := empty(t)
	var made atomic.Int32
	g, ctx := errgroup.WithContext(t.Context())
	for range 4 {
		g.Go(func() error {
			from, to, err := Migrate(ctx, cfg)
			if from == 0 && to > 0 {
				made.Add(1)
			}
			if from != 0 && from != to {
				t.Errorf("a process applied the migrations from %d to %d", from, to)
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := made.Load(); n != 1 {
		t.Errorf("%d processes made the schema, want 1", n)
	}
	open(t, cfg)
}

func TestSchemaOfAnother(t *testing.T) {
	cfg := migrated(t)
	s := open(t, cfg)
	alter := func(values string) {
		t.Helper()
		if err := s.exec(t.Context(), "INSERT INTO "+s.name("schema_migrations")+" (version, name, sha256) VALUES "+values); err != nil {
			t.Fatal(err)
		}
	}
	alter("(1, '0001_facts.sql', 'changed')")
	if _, _, err := Migrate(t.Context(), cfg); !errors.Is(err, ErrSchema) ||
		!strings.Contains(err.Error(), "0001_facts.sql") {
		t.Errorf("a changed migration: %v", err)
	}
	alter("(1000, '1000_future.sql', '')")
	_, open := Open(t.Context(), cfg)
	_, _, migrate := Migrate(t.Context(), cfg)
	for _, err := range []error{open, migrate} {
		if !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "schema 1000") {
			t.Errorf("a newer schema: %v", err)
		}
	}
}

func TestWriteTwice(t *testing.T) {
	s := open(t, migrated(t))
	b := fullBatch()
	for range 3 {
		write(t, s, b)
	}
	for table := range batchTables(b) {
		if n := rowsOf(t, s, table); n != kindsOfRows {
			t.Errorf("%s: %d rows, want %d", table, n, kindsOfRows)
		}
	}
	if n := rowsOf(t, s, "journal"); n != 1 {
		t.Errorf("%d rows in the journal, want 1", n)
	}
	if n := rowsOf(t, s, "open_findings"); n != kindsOfRows {
		t.Errorf("%d open findings, want %d", n, kindsOfRows)
	}
	// Another range with the same facts, as after a crash that changed the ranges: the keys hold.
	b.Range.From--
	write(t, s, b)
	for table := range batchTables(b) {
		if n := rowsOf(t, s, table); n != 2*kindsOfRows {
			t.Errorf("%s: %d rows stored, want %d: was the other range taken for the same?", table, n, 2*kindsOfRows)
		}
		if n := rowsOf(t, s, "v_"+table); n != kindsOfRows {
			t.Errorf("%s: %d rows seen, want %d", table, n, kindsOfRows)
		}
	}
	if n := rowsOf(t, s, "v_open_findings"); n != kindsOfRows {
		t.Errorf("%d open findings, want %d", n, kindsOfRows)
	}
}

func TestWriteUnderOtherRules(t *testing.T) {
	cfg := migrated(t)
	b := fullBatch()
	write(t, open(t, cfg), b)
	cfg.RulesVersion, cfg.RowVersion = "r2", 8
	b.Findings[1].Observed = "otherwise"
	s := open(t, cfg)
	write(t, s, b)
	found, err := s.Findings(t.Context(), Filter{PropertyID: b.Findings[1].PropertyID})
	if err != nil || len(found) != 1 || found[0].Observed != "otherwise" {
		t.Errorf("got %v %v, want the finding of the later rules", found, err)
	}
}

// A finding that was closed stays closed when its range is inserted again.
func TestClosedStaysClosed(t *testing.T) {
	s := open(t, migrated(t))
	b := fullBatch()
	write(t, s, b)
	open := s.name("open_findings")
	if err := s.exec(t.Context(), "INSERT INTO "+open+" SELECT * REPLACE (1 AS is_deleted, 1000 AS version) FROM "+open+" FINAL WHERE id = {id:String}",
		named("id", b.Findings[1].ID)); err != nil {
		t.Fatal(err)
	}
	b.Range.From--
	write(t, s, b)
	if n := rowsOf(t, s, "v_open_findings"); n != kindsOfRows-1 {
		t.Errorf("%d open findings, want %d", n, kindsOfRows-1)
	}
}

func TestFindings(t *testing.T) {
	s := open(t, migrated(t))
	b := fullBatch()
	write(t, s, b)
	byTime := func(rows []finding.Finding) []finding.Finding {
		rows = slices.Clone(rows)
		slices.SortFunc(rows, func(a, b finding.Finding) int {
			return cmp.Or(cmp.Compare(a.At, b.At),
				cmp.Compare(a.ID, b.ID))
		})
		return rows
	}
	f := b.Findings
	for name, c := range map[string]struct {
		filter Filter
		want   []finding.Finding
	}{
		"all":   {Filter{}, byTime(f)},
		"first": {Filter{Limit: 2}, byTime(f)[:2]},
		"table": {
			Filter{PropertyID: f[1].PropertyID, TableID: f[1].TableID, ShoeID: f[1].ShoeID, Rule: f[1].Rule},
			f[1:2],
		},
		"interval": {Filter{From: f[1].At, Until: f[2].At}, f[1:2]},
		"none":     {Filter{TableID: "'; DROP TABLE findings"}, nil},
	} {
		got, err := s.Findings(t.Context(), c.filter)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(c.want, got, emptyIsNil()); diff != "" {
			t.Errorf("%s (-want +got):\n%.3000s", name, diff)
		}
	}
}

func TestRefusedPassword(t *testing.T) {
	cfg := empty(t)
	cfg.Password = "natural-nine"
	_, err := Open(t.Context(), cfg)
	if !errors.Is(err, ErrLogin) {
		t.Fatalf("got %v", err)
	}
	for _, bad := range []string{"natural-nine", "\n"} {
		if strings.Contains(err.Error(), bad) {
			t.Errorf("%q is in %q", bad, err)
		}
	}
	if !strings.Contains(err.Error(), `"ingest"`) || !strings.Contains(err.Error(), cfg.Addrs[0]) {
		t.Errorf("%q names no user or no address", err)
	}
	for _, printed := range []string{fmt.Sprintf("%v %+v %#v %s", cfg, cfg, cfg, cfg.Password), logged(cfg)} {
		if strings.Contains(printed, "natural-nine") {
			t.Errorf("the password is printed: %s", printed)
		}
	}
}

func logged(cfg Config) string {
	var b strings.Builder
	slog.New(slog.NewJSONHandler(&b, nil)).Info("configured", "clickhouse", cfg, "password", cfg.Password)
	return b.String()
}

func TestNobodyThere(t *testing.T) {
	_, err := Open(t.Context(), Config{Addrs: []string{"127.0.0.1:1"}, Database: "d"})
	if err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("got %v, want an error that names the address", err)
	}
	for _, cfg := range []Config{{Database: "d"}, {Addrs: []string{"127.0.0.1:1"}, Database: "a b"}} {
		if _, err := Open(t.Context(), cfg); err == nil {
			t.Errorf("%+v was taken", cfg)
		}
	}
}

// An error that retries cannot fix is returned at once with its remedy.
func TestWriteFails(t *testing.T) {
	cfg := migrated(t)
	s := open(t, cfg)
	guest := cfg
	guest.User, guest.Password = "guest", ""
	mismatched := fullBatch()
	mismatched.Events.Seq = mismatched.Events.Seq[:2]
	mismatched.Events.Seq = append(mismatched.Events.Seq, 1, 2, 3)

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	check := func(s *Store, b *pipeline.Batch, want error, names string) {
		t.Helper()
		if err := s.Write(ctx, b); !errors.Is(err, want) || !strings.Contains(err.Error(), names) {
			t.Errorf("got %v, want %v and %q in it", err, want, names)
		}
	}
	check(open(t, guest), fullBatch(), ErrGrant, "INSERT")
	check(s, mismatched, ErrRows, "column ")
	if err := s.exec(ctx, "ALTER TABLE "+s.name("findings")+" DROP COLUMN observed"); err == nil {
		t.Error("a column that a view reads was dropped")
	}
	if err := s.exec(ctx, "ALTER TABLE "+s.name("shoes")+" DROP COLUMN decks"); err != nil {
		t.Fatal(err)
	}
	check(s, fullBatch(), ErrSchema, "decks")
	// The same table again: of two tables that fail, the first answer of the server decides which is named.
	if err := s.exec(ctx, "DROP TABLE "+s.name("shoes")); err != nil {
		t.Fatal(err)
	}
	check(s, fullBatch(), ErrSchema, "does not exist")
}

// Rows of many months go in one block, whatever their times.
func TestManyMonths(t *testing.T) {
	s := open(t, migrated(t))
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "t"}}
	const months = 120 // the server's default would refuse 101
	for i := range months {
		b.Snapshots = append(b.Snapshots, rows.Snapshot{
			PropertyID: "p", TableID: "t", Seq: uint64(i),
			At: int64(i) * 31 * 24 * int64(time.Hour),
		})
	}
	write(t, s, b)
	if n := rowsOf(t, s, "table_memory"); n != months {
		t.Errorf("%d rows, want %d", n, months)
	}
}

// What the demo prints.
func TestViews(t *testing.T) {
	s := open(t, migrated(t))
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "t", To: 9}}
	for i := range 6 {
		b.Findings = append(b.Findings, finding.Finding{
			ID: fmt.Sprintf("%032x", i), PropertyID: "ac-1", PitID: "p3", TableID: fmt.Sprintf("mb-%02d", i%2),
			Kind: "deviation", Rule: "draw.player-draws", Severity: finding.Critical, Verdict: "BREACH",
		})
	}
	b.Findings[5].Verdict, b.Findings[5].Severity = "INFO", finding.Info
	write(t, s, b)
	if n := value[uint64](t, s, "SELECT sum(findings) FROM "+s.name("v_findings_by_table")+" WHERE critical = 3 AND "+
		"table_id = 'mb-00'"); n != 3 {
		t.Errorf("%d findings of mb-00, want 3", n)
	}
	if n := value[uint64](t, s, "SELECT findings FROM "+s.name("v_findings_by_rule")+" WHERE severity = 'critical' "+
		"AND tables = 2"); n != 5 {
		t.Errorf("%d findings of the rule, want 5", n)
	}
	if n := rowsOf(t, s, "v_open_findings"); n != 5 {
		t.Errorf("%d open findings, want 5: INFO is not for the queue", n)
	}
	if to := value[int64](t, s, "SELECT to_offset FROM "+s.name("v_progress")+" WHERE topic = 't' AND partition = 0"); to != 9 {
		t.Errorf("progress to %d, want 9", to)
	}
	if n := value[uint64](t, s, "SELECT count() FROM (SELECT topic, partition, offset FROM "+s.name("v_dead_letters")+" ORDER BY offset)"); n != 0 {
		t.Errorf("%d dead letters", n)
	}
}
