//go:build unix

package clickhouse

import (
	"errors"
	"math"
	"testing"

	"github.com/shoeproof/shoeproof/schema/rows"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/pipeline"
)

// The newest generation goes on, however late a row of an older one comes, and rows without a hash are
// of a release that did not journal what a start needs.
func TestJournal(t *testing.T) {
	cfg := migrated(t)
	cfg.RulesVersion, cfg.Engine = "r1", "e1"
	s := open(t, cfg)
	write := func(r pipeline.Range, memories ...rows.Snapshot) {
		t.Helper()
		r.Topic, r.Partition = "t", 2
		if err := s.Write(t.Context(), &pipeline.Batch{Range: r, Set: rows.Set{Snapshots: memories}}); err != nil {
			t.Fatal(err)
		}
	}
	memory := func(table string, seq uint64, offset int64, text string) rows.Snapshot {
		return rows.Snapshot{
			PropertyID: "p", TableID: table, Seq: seq, At: 1_800_000_000_000_000_000, State: text,
			Engine: "e1", Topic: "t", Partition: 2, Offset: offset,
		}
	}
	write(pipeline.Range{From: 0, To: 999, Records: 1000})
	if _, _, ok, err := s.Last(t.Context(), "t", 2, math.MaxInt64); ok || err != nil {
		t.Errorf("a range without a hash is taken up, or %v", err)
	}
	write(pipeline.Range{From: 0, To: 9, Generation: 1, Hash: "a"}, memory("a", 3, 4, "a4"), memory("b", 1, 5, "b5"),
		memory("a", 3, 8, "a8"))
	want := pipeline.Range{
		Topic: "t", Partition: 2, From: 10, To: 19, Low: 5, Clock: -7, Generation: 2, Records: 9,
		CRC: 1 << 31, Rows: 3, Hash: "b",
	}
	_, want.ArchivedSum, want.DerivedSum = new(rows.Set).Archived() // the sink computes what no flow did
	write(want, memory("a", 9, 15, "a15"))
	write(pipeline.Range{From: 10, To: 29, Generation: 1, Hash: "late"})
	got, same, ok, err := s.Last(t.Context(), "t", 2, math.MaxInt64)
	if err != nil || !ok || !same {
		t.Fatalf("last: same %v, ok %v, %v", same, ok, err)
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("last (-want +got):\n%s", diff)
	}
	// A release repeats the range, and its snapshot is of a later event after the same record.
	released := want
	released.Hash = "b2"
	released.Released = []pipeline.Table{{PropertyID: "p", TableID: "a"}, {PropertyID: "p/q", TableID: ""}}
	write(released, memory("a", 12, 15, "a15 released"))
	if got, _, _, err := s.Last(t.Context(), "t", 2, math.MaxInt64); err != nil || gocmp.Diff(released, got) != "" {
		t.Errorf("the last release: %v, %s", err, gocmp.Diff(released, got))
	}
	if got, err := s.Snapshots(t.Context(), "t", 2, 16); err != nil || len(got) != 2 || got[0].State != "a15 released" {
		t.Errorf("snapshots behind a release: %+v, %v", got, err)
	}
	releases := func(from, below int64, want ...pipeline.Range) {
		t.Helper()
		got, err := s.Releases(t.Context(), "t", 2, from, below)
		if diff := gocmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("releases from %d below %d: %v (-want +got):\n%s", from, below, err, diff)
		}
	}
	releases(-1, math.MaxInt64, released)
	releases(0, 19)
	releases(20, math.MaxInt64)
	if _, _, ok, err := s.Last(t.Context(), "t", 1, math.MaxInt64); ok || err != nil {
		t.Errorf("a partition nobody wrote: %v, %v", ok, err)
	}
	for below, want := range map[int64][]rows.Snapshot{
		4: nil, 8: {memory("a", 3, 4, "a4"), memory("b", 1, 5, "b5")}, 10: {memory("a", 3, 8, "a8"), memory("b", 1, 5, "b5")},
	} {
		got, err := s.Snapshots(t.Context(), "t", 2, below)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got, emptyIsNil()); diff != "" {
			t.Errorf("memories below %d (-want +got):\n%s", below, diff)
		}
	}
	beside := func(topic string, want ...pipeline.Played) {
		t.Helper()
		got, err := s.Beside(t.Context(), topic)
		if diff := gocmp.Diff(want, got, emptyIsNil()); err != nil || diff != "" {
			t.Errorf("tables of %s: %v (-want +got):\n%s", topic, err, diff)
		}
	}
	const at = 1_800_000_000_000_000_000
	beside("t", pipeline.Played{PropertyID: "p", TableID: "a", Partition: 2, At: at, Until: at, First: 3, Last: 12},
		pipeline.Played{PropertyID: "p", TableID: "b", Partition: 2, At: at, Until: at, First: 1, Last: 1})
	beside("u")
	if got, _, _, err := s.Last(t.Context(), "t", 2, 19); err != nil || got.Hash != "a" {
		t.Errorf("the last below 19: %+v, %v", got, err)
	}
	// The log is cut back to 8 and then has the same rows in the same ranges: what was remembered from there
	// on counts no more until it is written again, and then does.
	cut := pipeline.Range{From: 0, To: 4, Generation: 3, Hash: "c", Epoch: 1, Cut: 8, Lost: 29}
	write(cut)
	memories := func(below int64, want ...rows.Snapshot) {
		t.Helper()
		got, err := s.Snapshots(t.Context(), "t", 2, below)
		if err != nil {
			t.Fatal(err)
		}
		if diff := gocmp.Diff(want, got, emptyIsNil()); diff != "" {
			t.Errorf("memories below %d (-want +got):\n%s", below, diff)
		}
	}
	memories(99, memory("a", 3, 4, "a4"), memory("b", 1, 5, "b5"))
	releases(-1, math.MaxInt64)
	again := want
	again.Generation, again.Epoch = 3, 1
	write(again, memory("a", 9, 15, "a15"))
	memories(99, memory("a", 9, 15, "a15"), memory("b", 1, 5, "b5"))
	cfg.RulesVersion = "r2"
	if _, same, ok, err := open(t, cfg).Last(t.Context(), "t", 2, math.MaxInt64); same || !ok || err != nil {
		t.Errorf("other rules: same %v, ok %v, %v", same, ok, err)
	}
}

// The migrations that change a sorting key may be run again, as after a crash half way: the last one of each table.
func TestMigrationsRunAgain(t *testing.T) {
	s := open(t, migrated(t))
	err := s.exec(t.Context(), "ALTER TABLE "+s.name("schema_migrations")+
		" DELETE WHERE version > 21 SETTINGS mutations_sync = 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Migrate(t.Context(), s.cfg); err != nil {
		t.Fatal(err)
	}
}

// A program without the key does not continue a journal with HMACs: its ranges would count as forged for ever. One with
// another key does.
func TestJournalHasAKey(t *testing.T) {
	cfg := migrated(t)
	key := func(text string) (keys rows.ChainKeys) {
		t.Helper()
		keys, err := rows.ParseChainKeys(text)
		if err != nil {
			t.Fatal(err)
		}
		return keys
	}
	for _, x := range []struct {
		keys rows.ChainKeys
		want error
	}{
		{},
		{keys: key("the first key of the journal, of a test")},
		{keys: key("another key of the journal, of a test")},
		{want: ErrUnsigned},
	} {
		cfg.ChainKeys = x.keys
		s := open(t, cfg)
		last, _, _, err := s.Last(t.Context(), "t", 2, math.MaxInt64)
		if !errors.Is(err, x.want) {
			t.Errorf("%v, want %v", err, x.want)
		}
		if err == nil {
			r := pipeline.Range{Topic: "t", Partition: 2, From: last.To + 1, To: last.To + 9, Hash: "a", Generation: 1}
			if err := s.Write(t.Context(), &pipeline.Batch{Range: r}); err != nil {
				t.Fatal(err)
			}
		}
		if c, err := s.Coverage(t.Context(), ""); err != nil || x.want != nil && c[0].Unverified != 2 {
			t.Errorf("%+v, %v", c, err)
		}
	}
}

// Of two rows of one range, a wrong HMAC is seen, and a row without one does not count beside a signed one; so is a
// wrong HMAC in a row that was replaced.
func TestTwoRowsOfARange(t *testing.T) {
	signed, bare, forged := journal(t, "2:0-9")[0], journal(t, "2:0-9")[0], journal(t, "2:0-9")[0]
	signed.signed, forged.forged = true, true
	replaced := journal(t, "1:0-9")[0]
	replaced.forged = true
	s := &Store{cfg: Config{ChainKeys: make(rows.ChainKeys, 1)}}
	for i, x := range []struct {
		of     []journaled
		forged int
	}{
		{of: []journaled{bare, signed}},
		{of: []journaled{signed, bare}},
		{of: []journaled{signed, forged}, forged: 1},
		{of: []journaled{forged, signed}, forged: 1},
		{of: []journaled{signed, replaced}, forged: 1},
	} {
		if c, _ := s.proveCover(x.of, nil, firstSigned(x.of)); len(c.Forged) != x.forged || c.Unsigned > 0 {
			t.Errorf("%d: %+v", i, c)
		}
	}
}
