//go:build unix

package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/mod/sumdb/note"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/file"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	os.Exit(server.Run(m))
}

// server is the one ClickHouse of this test binary.
var server clickhousetest.Server

// floor is a ClickHouse with what some tables played.
type floor struct {
	store  *clickhouse.Store
	opt    auditor.Options
	tables map[string][]schema.Event
	dir    string
	// receipt is of the first export.
	receipt *export.Receipt
}

func newFloor(t *testing.T) *floor {
	t.Helper()
	cfg := server.MigratedAs(t, server.Start(t), "floor")
	cfg.Engine, cfg.RowVersion = "shoeproof@test", 7
	store := clickhousetest.Open(t, cfg)
	books, err := rules.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	calendar, err := calendar.Default()
	if err != nil {
		t.Fatal(err)
	}
	f := &floor{store: store, tables: map[string][]schema.Event{}, dir: t.TempDir()}
	f.opt = auditor.Options{
		Books:     books,
		Calendar:  calendar,
		PatronKey: []byte("a key for tests only"),
		Version:   "shoeproof@test",
	}
	faults := slices.DeleteFunc(fault.All(), func(f fault.Fault) bool { return f.Off })
	for i := range 8 {
		events, _, err := fault.Plant(deal.Options{
			Property: "ac-1", Pit: "p1", Table: fmt.Sprintf("PB-%02d", i+1), Seed: uint64(i + 1), Flawless: true,
			Start: time.Date(2026, 11, 19, 18, i, 0, 0, time.UTC),
		}, faults[i*11%len(faults)], uint64(i+1))
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range events {
			f.tables[ev.TableID] = append(f.tables[ev.TableID], ev.Clone())
		}
	}
	return f
}

// ingest plays files into ClickHouse, each a partition. A file that was played before is stored once.
func (f *floor) ingest(t *testing.T, paths ...string) {
	t.Helper()
	src, err := file.Open(paths, file.Options{Topic: "table-events", Each: true})
	if err != nil {
		t.Fatal(err)
	}
	err = pipeline.Run(t.Context(), src, f.store, pipeline.RunOptions{
		NewStep: func() pipeline.Step { return auditor.New(f.opt) }, Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (f *floor) write(t *testing.T, name string, tables map[string][]schema.Event) string {
	t.Helper()
	var all []schema.Event
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		all = append(all, tables[table]...)
	}
	path := filepath.Join(f.dir, name)
	if err := schema.WriteFile(path, all); err != nil {
		t.Fatal(err)
	}
	return path
}

func (f *floor) day(t *testing.T) *export.Day {
	t.Helper()
	d := &export.Day{
		Books: f.opt.Books, Engine: f.opt.Version, Binary: "00", Licensee: "Example Casino LLC",
		Form: "Daily exception report",
		Mask: func(ref string) string { return auditor.Pseudonym(f.opt.PatronKey, ref) }, MaskKey: "k",
		Retention: export.Retention{Years: 10, Until: "2036-11-20"},
	}
	r := Reader{Store: f.store, Property: "ac-1", GamingDay: "2026-11-19", Calendar: f.opt.Calendar}
	if err := r.Fill(t.Context(), d); err != nil {
		t.Fatal(err)
	}
	return d
}

// database gives the day as it is, and the receipt of the first export.
func (f *floor) database(t *testing.T) func(context.Context, *export.Manifest) (*export.Database, error) {
	t.Helper()
	return func(context.Context, *export.Manifest) (*export.Database, error) {
		return &export.Database{Day: f.day(t), Listed: f.receipt}, nil
	}
}

func (f *floor) export(t *testing.T, signer note.Signer) (*export.Done, error) {
	t.Helper()
	l, err := export.OpenLog(filepath.Join(f.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	done, err := l.Export(t.Context(), f.day(t), signer, export.Target{Dir: filepath.Join(f.dir, "out"), Folder: true})
	if f.receipt == nil {
		f.receipt = l.Last()
	}
	return done, err
}

// A note on a closed finding leaves its disposition, and a note at the time of the closing precedes it.
func TestTriageWithNotes(t *testing.T) {
	store := clickhousetest.Open(t, server.MigratedAs(t, server.Start(t), "triage"))
	for _, row := range []string{
		"'f1', 1, 'close', 'closed', 'data-fault', 'no card', '', 'a'", "'f1', 2, 'note', 'closed', '', '', 'seen', 'a'",
		"'f2', 1, 'close', 'closed', 'data-fault', 'no card', '', 'a'", "'f2', 1, 'note', 'new', '', '', 'seen', 'b'",
		"'f3', 1, 'close', 'closing', 'data-fault', 'no card ', 'retrained', 'a'",
		"'f3', 2, 'assign', 'closing', '', '', 'jo', 'b'",
	} {
		err := store.Conn().Exec(t.Context(), "INSERT INTO "+store.Table("finding_actions")+" (property_id, finding_id, at, "+
			"action, to_state, disposition, reason, note, chain) VALUES ('ac-1', "+row+")")
		if err != nil {
			t.Fatal(err)
		}
	}
	r := Reader{Store: store, Property: "ac-1", GamingDay: "2026-11-19"}
	got, err := r.triage(t.Context())
	want := map[string]export.Triage{
		"f1": {Status: "closed", Disposition: "data-fault", Explanation: "seen", ReviewedAt: 2},
		"f2": {Status: "closed", Disposition: "data-fault", Explanation: "no card", ReviewedAt: 1},
		"f3": {Status: "closing", Disposition: "data-fault", Explanation: "no card retrained", ReviewedAt: 2},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestExportFromClickHouse(t *testing.T) {
	f := newFloor(t)
	early := f.write(t, "early.ndjson", f.tables)
	f.ingest(t, early)
	key := filepath.Join(f.dir, "key")
	vkey, err := export.NewKey("audit.example/ac-1/findings", key)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := export.ParsePolicy([]byte(export.PolicyText(vkey)))
	if err != nil {
		t.Fatal(err)
	}
	skey, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := export.ParseKey(string(skey))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.store.Place(t.Context(), clickhouse.Hold{
		Property: "ac-1", From: "2026-11-01", Until: "2026-11-30",
		Actor: "counsel", Reason: "case 26-114", Placed: time.Now(),
	}); err != nil {
		t.Fatal(err)
	}
	first, err := f.export(t, signer)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(d *export.Done) *export.Verdict {
		t.Helper()
		v, err := export.Verify(t.Context(), d.Path, export.VerifyOptions{
			Policy: policy, Last: filepath.Join(f.dir, "accepted.json"), Replay: true, Engine: "shoeproof@test",
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range v.Checks {
			t.Logf("%-10s %v %s", c.Name, c.Passed, c.Detail)
		}
		return v
	}
	m := &first.Manifest
	if v := verify(first); v.Code != export.Good || m.Findings < 6 || len(m.Unreplayed) > 0 || len(m.Extra) > 0 {
		t.Fatalf("%+v; unreplayed %v, extra %v", v, m.Unreplayed, m.Extra)
	}
	if len(m.Retention.Holds) != 1 || !strings.HasSuffix(m.Retention.Holds[0], ": case 26-114") {
		t.Errorf("legal holds %v", m.Retention.Holds)
	}
	patronsStayHome(t, f, first.Path)
	f.readParquet(t, first.Path)
	if _, err := f.export(t, signer); !errors.Is(err, export.ErrNothing) {
		t.Errorf("again: %v, want %v", err, export.ErrNothing)
	}

	// Against the database: unchanged, and after changes to events, findings and rounds.
	compare := func(what string, code int, words ...string) {
		t.Helper()
		v, err := export.Verify(t.Context(), first.Path,
			export.VerifyOptions{Policy: policy, Engine: "shoeproof@test", Database: f.database(t)})
		if err != nil || v.Code != code {
			t.Fatalf("%s: %+v, want code %d: %v", what, v, code, err)
		}
		for _, w := range words {
			if !strings.Contains(v.Message, w) {
				t.Errorf("%s: %s\nwant %q", what, v.Message, w)
			}
		}
	}
	change := func(statement string) {
		t.Helper()
		if err := f.store.Conn().Exec(t.Context(), statement+" SETTINGS mutations_sync = 2"); err != nil {
			t.Fatal(err)
		}
	}
	compare("as exported", export.Good)
	changed, _ := f.shoeOfException(t, "PB-01")
	change(fmt.Sprintf("ALTER TABLE floor.events UPDATE raw = replaceOne(raw, 'PB-01', 'PB-02') "+
		"WHERE table_id = 'PB-01' AND seq = %d", changed))
	begins, ends := f.shoeOfException(t, "PB-02")
	change(fmt.Sprintf("ALTER TABLE floor.events DELETE WHERE table_id = 'PB-02' AND seq IN (%d, %d)", begins, ends))
	compare("events", export.Differs, "1 event of table PB-01 with other content in the archive (offset ",
		"2 events of table PB-02 missing from the archive (offset ", "records, gaps or dead letters")
	change("ALTER TABLE floor.findings UPDATE observed = 'nothing' WHERE table_id = 'PB-03'")
	change("ALTER TABLE floor.rounds DELETE WHERE table_id = 'PB-03' AND round = 1")
	compare("findings and rounds", export.Differs, " with other content (", "the rounds differ")
	change("TRUNCATE TABLE floor.events")
	change("TRUNCATE TABLE floor.findings")
	change("TRUNCATE TABLE floor.rounds")
	compare("nothing left", export.Differs, " missing (")
	f.ingest(t, early)
	compare("stored again", export.Good)

	// One table's events come after the day was signed off.
	events, _, err := fault.Plant(deal.Options{
		Property: "ac-1", Pit: "p1", Table: "PB-99", Seed: 99, Flawless: true,
		Start: time.Date(2026, 11, 19, 20, 0, 0, 0, time.UTC),
	}, fault.All()[0], 99)
	if err != nil {
		t.Fatal(err)
	}
	f.ingest(t, early, f.write(t, "late.ndjson", map[string][]schema.Event{"PB-99": events}))
	second, err := f.export(t, signer)
	if err != nil {
		t.Fatal(err)
	}
	compare("late events", export.Differs, "the rounds differ", " added since (")
	if v := verify(second); v.Code != export.Good || v.Findings != 0 || v.Amendments == 0 {
		t.Fatalf("%+v, want amendments alone", v)
	}
	amendments, err := os.ReadFile(filepath.Join(second.Path, "amendments.ndjson"))
	if err != nil || !bytes.Contains(amendments, []byte(`"reason":"late","gaming_day":"2026-11-19","leaf":-1,"was":""`)) {
		t.Errorf("amendments %s, %v", amendments, err)
	}
}

// shoeOfException returns the first and the last event of a shoe with an exception at a table: they are in the
// evidence of a bundle.
func (f *floor) shoeOfException(t *testing.T, table string) (first, last uint64) {
	t.Helper()
	err := f.store.Conn().QueryRow(t.Context(), `SELECT min(seq), max(seq) FROM floor.events
WHERE table_id = '`+table+`' AND shoe_id IN (SELECT shoe_id FROM floor.findings
WHERE table_id = '`+table+`' AND verdict IN ('BREACH', 'SUSPECT') AND severity != 'info' AND shoe_id != ''
ORDER BY id LIMIT 1)`).Scan(&first, &last)
	if err != nil || first == last {
		t.Fatalf("table %s: events %d and %d of a shoe with an exception, %v", table, first, last, err)
	}
	return first, last
}

// patronsStayHome looks for the references of patrons in all files of a bundle, decompressed.
func patronsStayHome(t *testing.T, f *floor, dir string) {
	t.Helper()
	unzip, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unzip.Close()
	var all []byte
	err = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if bytes.HasPrefix(data, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
			data, err = unzip.DecodeAll(data, nil)
		}
		all = append(all, data...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named, masked := 0, 0
	for _, events := range f.tables {
		for i := range events {
			if p, ok := events[i].Payload.(*schema.SeatOccupied); ok && p.PatronRef != "" {
				named++
				if bytes.Contains(all, []byte(`"`+p.PatronRef+`"`)) {
					t.Fatalf("the bundle names the patron %s", p.PatronRef)
				}
				if bytes.Contains(all, []byte(auditor.Pseudonym(f.opt.PatronKey, p.PatronRef))) {
					masked++
				}
			}
		}
	}
	// The evidence has the shoes of exceptions alone: not every patron is in it.
	if named == 0 || masked == 0 {
		t.Fatalf("%d patrons are named by events, %d have a pseudonym in the bundle", named, masked)
	}
}

// readParquet has ClickHouse read rounds.parquet and compares it with the table it came from.
func (f *floor) readParquet(t *testing.T, dir string) {
	t.Helper()
	if err := f.store.Conn().Exec(t.Context(), "CREATE TABLE floor.parquet AS floor.rounds ENGINE = MergeTree ORDER BY "+
		"tuple()"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "people/rounds.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	query := url.Values{"query": {"INSERT INTO floor.parquet FORMAT Parquet"}}
	resp, err := http.Post("http://"+server.Start(t).HTTPAddr+"/?"+query.Encode(), "", bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusOK {
		t.Fatalf("%s", body)
	}
	var rows, differ uint64
	columns := "property_id, pit_id, table_id, shoe_id, round, at, gaming_day, shift, dealer_id, ruleset, config_id, " +
		"result, player_count, banker_count, " +
		"player_cards, banker_cards, cards, wagers, staked, paid, expected_pay, collected, returned, vigorish, auditable, " +
		"first_seq, end_seq"
	err = f.store.Conn().QueryRow(t.Context(), "SELECT count() FROM floor.parquet").Scan(&rows)
	if err == nil {
		err = f.store.Conn().
			QueryRow(t.Context(), "SELECT count() FROM (SELECT "+columns+
				" FROM floor.rounds FINAL EXCEPT SELECT "+columns+" FROM floor.parquet)").
			Scan(&differ)
	}
	if err != nil || rows == 0 || differ > 0 {
		t.Errorf("%d rows, %d rounds differ: %v", rows, differ, err)
	}
}
