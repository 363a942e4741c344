//go:build unix

package clickhouse

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema/migrations"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// numbered is a batch of events of one table, at offsets from one on.
func numbered(property string, from int64, seqs ...uint64) *pipeline.Batch {
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "events", Partition: 3, From: from, To: from + int64(len(seqs)) - 1}}
	for i, seq := range seqs {
		e := &b.Events
		e.PropertyID.Append(property)
		e.PitID.Append("p")
		e.TableID.Append("t")
		id := []byte{byte('a' + i + int(from)), byte(seq)}
		e.EventID.Append(id)
		e.Seq, e.At, e.Round = append(e.Seq, seq), append(e.At, int64(1000+i)), append(e.Round, 1)
		e.GamingDay.Append("1970-01-01")
		e.ShoeID.Append("s")
		e.Kind.Append("card_dealt")
		e.Raw.Append(id)
		sum := [32]byte{byte(from), byte(i)}
		e.SHA256.Append(sum[:])
		e.Format, e.Partition = append(e.Format, schema.JSON), append(e.Partition, 3)
		e.Offset, e.Copy = append(e.Offset, from+int64(i)), append(e.Copy, 3)
		e.Topic.Append("t")
	}
	return b
}

func tableOf(property string) *ArchivedTable { return &ArchivedTable{Property: property, Table: "t"} }

func replayed(t *testing.T, s *Store, property string) (seqs []uint64, offsets []int64) {
	t.Helper()
	replay(t, s, property, nil, func(e *Archived) bool {
		seqs, offsets = append(seqs, e.Seq), append(offsets, e.Offset)
		return false
	})
	return seqs, offsets
}

// replay replays the table of a property, which must end once.
func replay(t *testing.T, s *Store, property string, after *rows.Snapshot, each func(*Archived) bool) {
	t.Helper()
	ended := 0
	end := func() error { ended++; return nil }
	err := s.Replay(t.Context(), []TableReplay{{Table: tableOf(property), After: after, Each: each, End: end}})
	if err != nil || ended != 1 {
		t.Fatalf("ended %d times, want 1: %v", ended, err)
	}
}

func TestReplayIsInOrderAndOnce(t *testing.T) {
	s := open(t, migrated(t))
	for range 2 { // the second time under another token: rows that are not merged yet
		write(t, s, numbered("p1", 10, 1, 2, 4, 5))
		s.cfg.RulesVersion += "+"
	}
	write(t, s, numbered("p1", 20, 3, 4)) // a late event, an event in conflict
	write(t, s, numbered("p2", 30, 1))
	seqs, offsets := replayed(t, s, "p1")
	if want := []uint64{1, 2, 3, 4, 5, 4}; !slices.Equal(seqs, want) {
		t.Errorf("seqs %v, want %v", seqs, want)
	}
	if want := []int64{10, 11, 20, 12, 13, 21}; !slices.Equal(offsets, want) {
		t.Errorf("offsets %v, want %v", offsets, want)
	}
	write(t, s, numbered("p1", 40, 1, 2)) // the numbering begins again
	if seqs, _ = replayed(t, s, "p1"); !slices.Equal(seqs, []uint64{1, 2, 3, 4, 5, 4, 1, 2}) {
		t.Errorf("seqs %v, want one numbering after the other", seqs)
	}
	n := 0
	replay(t, s, "p1", nil, func(*Archived) bool { n++; return n == 3 })
	if n != 3 {
		t.Errorf("%d events, want to be stopped after 3", n)
	}
}

// Tables that one query reads are replayed one after the other, however much of each a query reads: one has a gap
// behind its first range, one restarts, one is stopped, one has no event, one fails.
func TestReplayOfSeveralTables(t *testing.T) {
	s := open(t, migrated(t))
	add := func(table string, from int64, seqs ...uint64) {
		b := numbered("p1", from, seqs...)
		b.Events.TableID = rows.Words{}
		for range seqs {
			b.Events.TableID.Append(table)
		}
		write(t, s, b)
	}
	far := uint64(minArchiveChunk)
	add("gap", 10, 1, 2, far, 3*far, 3*far+1)
	add("restarted", 20, 1, 2, 3)
	add("restarted", 30, 1, 5*far)
	add("stopped", 40, 1, 2, 3, 4)
	add("whole", 50, 7, 8)
	want := map[string][]uint64{
		"gap": {1, 2, far, 3 * far, 3*far + 1}, "restarted": {1, 2, 3, 1, 5 * far}, "stopped": {1, 2}, "whole": {7, 8},
		"none": nil,
	}
	var ended []string
	seqs := map[string][]uint64{}
	failing := errors.New("fails")
	orders := func(fails string) (all []TableReplay) {
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(want))) {
			all = append(all, TableReplay{
				Table: &ArchivedTable{Property: "p1", Table: name},
				Each: func(e *Archived) bool {
					seqs[name] = append(seqs[name], e.Seq)
					return name == "stopped" && e.Seq == 2
				},
				End: func() error {
					if ended = append(ended, name); name == fails {
						return failing
					}
					return nil
				},
			})
		}
		return all
	}
	if err := s.Replay(t.Context(), orders("")); err != nil {
		t.Fatal(err)
	}
	delete(want, "none")
	if diff := cmp.Diff(want, seqs); diff != "" {
		t.Errorf("seqs: -want +got\n%s", diff)
	}
	if slices.Sort(ended); !slices.Equal(ended, []string{"gap", "none", "restarted", "stopped", "whole"}) {
		t.Errorf("ended: %v, want each table once", ended)
	}
	want["none"] = nil
	for _, fails := range []string{"none", "stopped"} {
		if err := s.Replay(t.Context(), orders(fails)); !errors.Is(err, failing) {
			t.Errorf("the end of %s fails: %v", fails, err)
		}
	}
}

// A replay that has seen enough ends, also if the last event of a sequence epoch contests another one.
func TestReplayEndsAtAContest(t *testing.T) {
	s := open(t, migrated(t))
	write(t, s, numbered("p1", 10, 1, 2, 3))
	write(t, s, numbered("p1", 20, 2))
	write(t, s, numbered("p1", 40, 1, 2)) // the numbers begin again
	replay(t, s, "p1", nil, func(e *Archived) bool { return e.Offset == 20 })
}

// snapshotBefore asks for snapshots of the table, and of one without any.
func snapshotBefore(t *testing.T, s *Store, moment int64, lossless bool) *rows.Snapshot {
	t.Helper()
	of := func(*rows.Snapshot) bool { return lossless }
	none := tableOf("p1")
	none.Table = "another"
	found, err := s.SnapshotsBefore(t.Context(), "p1", []Start{{none, moment, of}, {tableOf("p1"), moment, of}})
	if err != nil || found[0] != nil {
		t.Fatalf("%+v: %v; want none of a table without events", found, err)
	}
	return found[1]
}

// A replay begins at no memory that had missed an event up to its number, or seen one behind it.
func TestMemoryBefore(t *testing.T) {
	s := open(t, migrated(t))
	b := numbered("p1", 10, 1, 2, 3, 4, 5, 6)
	for seq, offset := range map[uint64]int64{2: 11, 4: 13, 6: 15} {
		b.Snapshots = append(b.Snapshots, rows.Snapshot{
			PropertyID: "p1", TableID: "t", Seq: seq, At: 1000 + offset,
			Topic: "events", Partition: 3, Offset: offset, State: "{}",
		})
	}
	write(t, s, b)
	expect := func(what string, moment int64, seq uint64, behind ...uint64) {
		t.Helper()
		m := snapshotBefore(t, s, moment, true)
		if (m != nil) != (seq > 0) || m != nil && m.Seq != seq {
			t.Fatalf("%s: %+v, want that of event %d", what, m, seq)
		}
		var seqs []uint64
		replay(t, s, "p1", m, func(e *Archived) bool { seqs = append(seqs, e.Seq); return false })
		if !slices.Equal(seqs, behind) {
			t.Fatalf("%s: events %v behind it, want %v", what, seqs, behind)
		}
	}
	expect("all in order", 2000, 6)
	expect("the day begins before the last", 1015, 4, 5, 6)
	expect("the day begins before all", 1011, 0, 1, 2, 3, 4, 5, 6)
	write(t, s, numbered("p1", 20, 3))
	expect("one is contested", 2000, 2, 3, 4, 5, 6, 3)
	again := numbered("p1", 40, 1, 2)
	again.Snapshots = []rows.Snapshot{{
		PropertyID: "p1", TableID: "t", Seq: 1, At: 1040, Topic: "events", Partition: 3,
		Offset: 40, State: "{}",
	}}
	write(t, s, again)
	expect("numbered anew", 2000, 1, 2)
	expect("numbered anew behind it", 1030, 2, 3, 4, 5, 6, 3, 1, 2)
	early := numbered("p1", 39, 9)
	early.Events.At[0] = 1
	write(t, s, early)
	expect("an event of before the numbering", 2000, 1, 2)
	early = numbered("p1", 5, 8) // at an offset that both memories had passed
	early.Snapshots = nil
	write(t, s, early)
	expect("seen, and behind", 1030, 0, 1, 2, 3, 4, 5, 6, 8, 3, 9, 1, 2)
}

// A snapshot that lost an event holds what came before only if no event came later than a newer one.
func TestSnapshotAfterALoss(t *testing.T) {
	s := open(t, migrated(t))
	for offset, seqs := range map[int64][]uint64{10: {1, 2, 4, 5}, 14: {3}, 15: {6}} {
		b := numbered("p1", offset, seqs...)
		b.Snapshots = nil
		for i, seq := range seqs {
			if seq == 2 || seq == 6 {
				b.Snapshots = append(b.Snapshots, rows.Snapshot{
					PropertyID: "p1", TableID: "t", Seq: seq, At: 1000 + offset + int64(i), Topic: "events", Partition: 3,
					Offset: offset + int64(i), State: "{}",
				})
			}
		}
		write(t, s, b)
	}
	for lossless, want := range map[bool]uint64{true: 6, false: 2} {
		m := snapshotBefore(t, s, 2000, lossless)
		if m == nil || m.Seq != want {
			t.Errorf("lossless %t: %+v, want the snapshot after event %d", lossless, m, want)
		}
	}
}

func TestDayCoverage(t *testing.T) {
	s := open(t, migrated(t))
	write(t, s, numbered("p1", 10, 1, 2))
	b := numbered("p1", 15, 3, 4, 5)
	b.DeadLetters = []rows.DeadLetter{
		{Topic: "events", Partition: 3, Offset: 16, Reason: "torn"},
		{Topic: "events", Partition: 3, Offset: 99, Reason: "behind the day"},
		{Topic: "other", Partition: 3, Offset: 16, Reason: "another topic"},
	}
	write(t, s, b)
	lost := numbered("p1", 30, 6)
	// an archive row that no flush accounts for
	if err := s.insertAll(t.Context(), &s.tables[0], s.tables[0].View(&lost.Set), lost.Range.Topic); err != nil {
		t.Fatal(err)
	}
	days, err := s.DayOffsets(t.Context(), "p1", []int64{0, 5000, 6000})
	if err != nil {
		t.Fatal(err)
	}
	offsets := [][]Offsets{{{Partition: 3, First: 10, Last: 30, From: 10, To: 30, At: 1002}}, nil}
	if !cmp.Equal(days, offsets) {
		t.Errorf("offsets %v, want %v", days, offsets)
	}
	got, err := s.DayCoverage(t.Context(), days[0])
	if err != nil {
		t.Fatal(err)
	}
	want := []Covered{{
		Topic: "events", Partition: 3, At: 1002, Holes: []Span{{12, 14}, {18, 30}}, DeadLetters: 1, FirstDeadLetter: 16,
		LastDeadLetter: 16,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestConfigsOfAPeriod(t *testing.T) {
	s := open(t, migrated(t))
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "events", From: 1, To: 6}}
	for i, c := range []rows.Config{
		{TableID: "a", At: 10},
		{TableID: "a", At: 20, Closed: true},
		{TableID: "a", At: 30},
		{TableID: "a", At: 60},
		{TableID: "b", At: 5},
		{TableID: "c", At: 20},
	} {
		c.PropertyID, c.EffectiveAt, c.Seq = "p1", c.At, uint64(i+1)
		b.Configs = append(b.Configs, c)
	}
	write(t, s, b)
	all, err := s.Configs(t.Context(), "p1", 25, 50)
	var got []string
	for i := range all {
		got = append(got, fmt.Sprint(all[i].TableID, all[i].At))
	}
	if want := []string{"a20", "a30", "b5", "c20"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v: of each table the last one before, and what follows", got, err, want)
	}
}

type planLine struct {
	Line string `ch:"explain"`
}

// A year of stored rows does not slow down the queries of a day: FINAL reads the month of its condition alone.
func TestMonthsArePruned(t *testing.T) {
	s := open(t, migrated(t))
	for month := time.January; month <= time.June; month++ {
		at := time.Date(2026, month, 15, 0, 0, 0, 0, time.UTC).UnixNano()
		b := &pipeline.Batch{Range: pipeline.Range{Topic: "events", From: int64(month), To: int64(month)}}
		b.Shoes = []rows.Shoe{{PropertyID: "p1", TableID: "t", ShoeID: month.String(), At: at, GamingDay: "2026-01-15"}}
		write(t, s, b)
	}
	plan, err := list[planLine](t.Context(), s, "explain", "EXPLAIN indexes = 1 SELECT count() FROM "+s.name("shoes")+
		" FINAL WHERE property_id = 'p1' AND at >= toDateTime64('2026-03-01 00:00:00', 9, 'UTC') AND "+
		"at < toDateTime64('2026-04-01 00:00:00', 9, 'UTC')")
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(plan); !strings.Contains(text, "Parts: 1/6") {
		t.Errorf("the plan of a month reads other months: %s", text)
	}
}

// The migration of the archive's indexes works with events in the table, and the queries of a day use them.
func TestArchiveIndexes(t *testing.T) {
	s := open(t, migrated(t))
	for _, index := range []string{"by_at", "by_offset"} {
		if err := s.exec(t.Context(), "ALTER TABLE "+s.name("events")+" DROP INDEX "+index); err != nil {
			t.Fatal(err)
		}
	}
	const n = 40_000
	seqs := make([]uint64, n)
	for i := range seqs {
		seqs[i] = uint64(i + 1)
	}
	write(t, s, numbered("p1", 10, seqs...))
	known, err := migrations.All()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(known, func(m migrations.Migration) bool {
		return strings.HasSuffix(m.Name, "_archive_indexes.sql")
	})
	if err := s.run(t.Context(), known[i]); err != nil {
		t.Fatal(err)
	}
	for index, where := range map[string]string{
		"by_at":     "at < fromUnixTimestamp64Nano(2000)",
		"by_offset": "(partition != 3 OR offset > 40000)",
	} {
		testkit.Await(t, index+" is built and used", func() bool {
			plan, err := list[planLine](t.Context(), s, "explain", "EXPLAIN indexes = 1 SELECT count() FROM "+s.name("events")+
				" WHERE property_id = 'p1' AND table_id = 't' AND "+where)
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(plan)
			_, after, found := strings.Cut(text, "Name: "+index)
			return found && strings.Contains(after, "Granules: 1/5")
		})
	}
	if got, _ := replayed(t, s, "p1"); !slices.Equal(got, seqs) {
		t.Errorf("%d events, want %d", len(got), n)
	}
}
