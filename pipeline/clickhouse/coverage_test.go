//go:build unix

package clickhouse

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// journal is ranges as generation:from-to.
func journal(t testing.TB, ranges ...string) []journaled {
	t.Helper()
	var list []journaled
	for _, text := range ranges {
		r := journaled{Journal: rows.Journal{Hash: "of its rows"}}
		if _, err := fmt.Sscanf(text, "%d:%d-%d", &r.Generation, &r.From, &r.To); err != nil {
			t.Fatal(err)
		}
		r.Records = uint64(r.To - r.From + 1)
		list = append(list, r)
	}
	return list
}

func TestCover(t *testing.T) {
	for name, c := range map[string]struct {
		ranges          []string
		first, last     int64
		n, superseded   int
		records         uint64
		holes, overlaps []Span
	}{
		"one":                   {ranges: []string{"1:5-9"}, first: 5, last: 9, n: 1, records: 5},
		"contiguous, any order": {ranges: []string{"1:10-19", "1:0-9", "1:20-20"}, last: 20, n: 3, records: 21},
		"sent again":            {ranges: []string{"1:0-9", "1:0-9"}, last: 9, n: 1, records: 10},
		"emitted again": {
			ranges: []string{"1:0-9", "1:10-19", "2:10-19", "2:20-29"}, last: 29, n: 3,
			superseded: 1, records: 30,
		},
		"from the first again": {
			ranges: []string{"1:0-9", "1:10-12", "2:0-4", "2:5-30"}, last: 30, n: 2,
			superseded: 2, records: 31,
		},
		"a late row of a zombie": {
			ranges: []string{"1:0-9", "2:10-19", "1:10-14"}, last: 19, n: 2, superseded: 1,
			records: 20,
		},
		"a hole": {
			ranges: []string{"1:0-9", "1:15-19"}, last: 19, n: 2, records: 15,
			holes: []Span{{10, 14}},
		},
		"a hole that was filled": {ranges: []string{"1:0-9", "1:15-19", "2:10-14"}, last: 19, n: 3, records: 20},
		"an overlap": {
			ranges: []string{"3:0-9", "3:8-19"}, last: 19, n: 2, records: 22,
			overlaps: []Span{{8, 9}},
		},
		"one range in another": {ranges: []string{"3:0-9", "3:3-5"}, last: 9, n: 2, records: 13, overlaps: []Span{{3, 5}}},
		"an overlap and two more": {
			ranges: []string{"3:0-9", "3:3-5", "3:10-11", "3:13-13"}, last: 13, n: 4,
			records: 16, overlaps: []Span{{3, 5}}, holes: []Span{{12, 12}},
		},
	} {
		want := Coverage{
			First: c.first, Last: c.last, Ranges: c.n, Superseded: c.superseded, Records: c.records,
			Holes: append([]Span{}, c.holes...), Overlaps: append([]Span{}, c.overlaps...),
		}
		got, _ := cover(journal(t, c.ranges...))
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got.Holds() != (c.holes == nil && c.overlaps == nil) {
			t.Errorf("%s: holds %v", name, got.Holds())
		}
	}
	old := journal(t, "0:0-9", "0:0-14", "0:15-19")
	for i := range old {
		old[i].Hash = ""
	}
	if c, _ := cover(old); !c.Holds() || c.Last != 19 {
		t.Errorf("ranges of an old release: %+v", c)
	}
}

// Whatever restarts did, what was read is covered, and what was not is a hole, offset by offset.
func TestCoverIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []journaled
		have := map[int64]bool{}
		top := int64(0)
		for g := range rapid.Int32Range(1, 5).Draw(t, "generations") {
			// A generation begins where it likes, and goes on without a gap, but for the ones it leaves out.
			at := rapid.Int64Range(0, top).Draw(t, "from")
			for range rapid.IntRange(1, 6).Draw(t, "ranges") {
				at += rapid.SampledFrom([]int64{0, 0, 0, 3}).Draw(t, "skip")
				to := at + rapid.Int64Range(0, 9).Draw(t, "length")
				list = append(list, journaled{Journal: rows.Journal{From: at, To: to, Generation: g, Hash: "of its list"}})
				for ; at <= to; at++ {
					have[at] = true
				}
				top = max(top, to)
			}
		}
		rand.New(rand.NewPCG(1, uint64(len(list)))).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		c, _ := cover(list)
		if len(c.Overlaps) > 0 {
			t.Fatalf("overlaps %v", c.Overlaps)
		}
		for o := c.First; o <= c.Last; o++ {
			hole := slices.ContainsFunc(c.Holes, func(s Span) bool { return s.From <= o && o <= s.To })
			if hole == have[o] {
				t.Fatalf("offset %d: hole %v, in a range %v", o, hole, have[o])
			}
		}
		if c.Ranges+c.Superseded != len(list) {
			t.Fatalf("%d and %d of %d ranges", c.Ranges, c.Superseded, len(list))
		}
	})
}

func TestCoverageOfADatabase(t *testing.T) {
	s := open(t, migrated(t))
	for i, r := range []pipeline.Range{
		{To: 9},
		{From: 10, To: 19},
		{Partition: 1, To: 4},
		{Partition: 1, From: 7, To: 9},
	} {
		r.Topic, r.Records = "t", uint64(r.To-r.From+1)
		b := &pipeline.Batch{Range: r}
		b.Findings = append(b.Findings, finding.Finding{
			ID: fmt.Sprint(i), Citations: []string{},
			Evidence: finding.Evidence{Seqs: []uint64{}, EventIDs: []string{}},
		})
		write(t, s, b)
	}
	got, err := s.Coverage(t.Context(), "t")
	if err != nil || len(got) != 2 || !got[0].Holds() || got[0].Records != 20 || got[0].WrittenAt.IsZero() {
		t.Fatalf("%+v: %v", got, err)
	}
	if diff := gocmp.Diff([]Span{{5, 6}}, got[1].Holes); diff != "" || got[1].Partition != 1 {
		t.Errorf("partition %d, holes (-want +got):\n%s", got[1].Partition, diff)
	}
	if none, err := s.Coverage(t.Context(), "another"); err != nil || len(none) > 0 {
		t.Errorf("another topic: %+v: %v", none, err)
	}
	// The same finding at two times has two keys, and one id.
	if err := s.exec(t.Context(), "INSERT INTO "+s.name("findings")+" (id, at) VALUES ('0', 1)"); err != nil {
		t.Fatal(err)
	}
	counts, err := s.Uniqueness(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range counts {
		if (u.Table != "findings") != u.Holds() {
			t.Errorf("%+v", u)
		}
		if u.Table == "findings" && (u.Rows != 5 || u.Unique != 4 || u.Stored != 5) {
			t.Errorf("%+v", u)
		}
	}
}

// Ingest writes ranges while the archive is compared: they are not foreign.
func TestArchiveIsComparedWhileItGrows(t *testing.T) {
	s := open(t, migrated(t))
	done, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		for o := int64(0); ; o++ {
			select {
			case <-done:
				ended <- nil
				return
			default:
			}
			b := &pipeline.Batch{Range: pipeline.Range{Topic: "t", From: o, To: o, Records: 1, Hash: fmt.Sprint(o)}}
			b.DeadLetters = append(b.DeadLetters, rows.DeadLetter{Topic: "t", Offset: o, Raw: []byte("bad")})
			if err := s.Write(t.Context(), b); err != nil {
				ended <- err
				return
			}
		}
	}()
	ranges := 0
	for range 20 {
		got, err := s.Bytes(t.Context(), "", time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range got {
			if len(b.Foreign)+len(b.Differs) > 0 {
				t.Fatalf("%+v", b)
			}
			ranges = b.Ranges
		}
	}
	close(done)
	if err := <-ended; err != nil || ranges == 0 {
		t.Errorf("%d ranges were written meanwhile: %v", ranges, err)
	}
}

// The stored records equal the journaled ones, range by range: a missing, changed or added record is found, also
// where events repeat others, beside a second topic, and in the last range once it is an hour old.
func TestArchiveIsHeldAgainstTheJournal(t *testing.T) {
	s := open(t, migrated(t))
	ctx := t.Context()
	store := func(topic string, from, to int64, change func(*pipeline.Batch)) {
		t.Helper()
		b := &pipeline.Batch{Range: pipeline.Range{
			Topic: topic, Partition: 2, From: from, To: to, Records: uint64(to - from + 1), Hash: fmt.Sprint(from),
		}}
		for o := from; o <= to; o++ {
			if o%5 == 3 {
				b.DeadLetters = append(b.DeadLetters, rows.DeadLetter{
					Topic: topic, Partition: 2, Offset: o, Raw: fmt.Appendf(nil, "bad %d", o),
				})
				continue
			}
			archive(&b.Events, topic, o)
		}
		if change != nil {
			change(b)
		}
		write(t, s, b)
	}
	store("t", 0, 9, nil)
	store("t", 10, 19, nil)
	store("t", 20, 29, func(b *pipeline.Batch) { b.Range.Records += 3 }) // three events of it repeat others
	store("t", 30, 34, nil)
	store("u", 0, 12, nil) // the same events from another topic
	exec := func(query string, args ...any) {
		t.Helper()
		if err := s.exec(ctx, fmt.Sprintf(query, args...)); err != nil {
			t.Fatal(err)
		}
	}
	prove := func(name string, want, other Bytes) {
		t.Helper()
		got, err := s.Bytes(ctx, "", time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range []*Bytes{&want, &other} {
			b.Topic, b.Partition = []string{"t", "u"}[i], 2
			b.Differs, b.Foreign, b.Open = append([]Span{}, b.Differs...), append([]int64{}, b.Foreign...),
				append([]Span{}, b.Open...)
		}
		if diff := gocmp.Diff([]Bytes{want, other}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	whole, all := Bytes{Ranges: 4, Records: 35, Repeated: 3}, Bytes{Ranges: 1, Records: 13}
	prove("all stored", whole, all)
	heads, err := s.JournalHeads(ctx, nil)
	if err != nil || len(heads) != 2 || heads[0].Ranges != 4 || heads[0].To != 34 {
		t.Fatalf("%+v, %v", heads, err)
	}
	events, dead := s.name("events"), s.name("dead_letters")
	sync := " SETTINGS mutations_sync = 1"
	without := func(from, to int64, records, repeated uint64) Bytes {
		return Bytes{Ranges: 3, Records: 35 - records, Repeated: 3 - repeated, Differs: []Span{{from, to}}}
	}
	for _, x := range []struct {
		name, change, back string
		want               Bytes
	}{
		{
			"a changed byte", "ALTER TABLE " + events + " UPDATE raw = 'event 21' WHERE topic = 't' AND offset = 12" + sync,
			"ALTER TABLE " + events + " UPDATE raw = 'event 12' WHERE topic = 't' AND offset = 12" + sync,
			without(10, 19, 10, 0),
		},
		{
			"another dealer's table", "ALTER TABLE " + events + " UPDATE pit_id = '2' WHERE topic = 't' AND offset = 12" + sync,
			"ALTER TABLE " + events + " UPDATE pit_id = '1' WHERE topic = 't' AND offset = 12" + sync, without(10, 19, 10, 0),
		},
		{
			"a row less where events repeat",
			"ALTER TABLE " + events + " DELETE WHERE topic = 't' AND offset = 22" + sync,
			"INSERT INTO " + events + " SELECT * REPLACE ('t' AS topic, 22 AS offset, 22 AS seq, toDateTime64(22, 9) AS at, " +
				"'22' AS event_id, 'event 22' AS raw, SHA256('event 22') AS sha256) FROM (SELECT * FROM " + events +
				" WHERE topic = 't' AND offset = 21)",
			without(20, 29, 10, 3),
		},
		{
			"a dead letter less", "ALTER TABLE " + dead + " DELETE WHERE topic = 't' AND offset = 3" + sync,
			"INSERT INTO " + dead + " (topic, partition, offset, raw) VALUES ('t', 2, 3, 'bad 3')", without(0, 9, 10, 0),
		},
		{
			"a forged row in a range", "INSERT INTO " + events + " SELECT * REPLACE ('forged' AS event_id) FROM " +
				"(SELECT * FROM " + events + " WHERE topic = 't' AND offset = 6)",
			"ALTER TABLE " + events + " DELETE WHERE event_id = 'forged'" + sync, without(0, 9, 10, 0),
		},
		{
			"a forged row beyond all ranges", "INSERT INTO " + events + " SELECT * REPLACE (77 AS offset) FROM (SELECT * FROM " +
				events + " WHERE topic = 't' AND offset = 6)",
			"ALTER TABLE " + events + " DELETE WHERE offset = 77" + sync,
			Bytes{Ranges: 4, Records: 35, Repeated: 3, Foreign: []int64{77}},
		},
		{
			"the last range, just written", "ALTER TABLE " + events + " DELETE WHERE topic = 't' AND offset = 34" + sync, "",
			Bytes{Ranges: 3, Records: 30, Repeated: 3, Open: []Span{{30, 34}}},
		},
		{
			"the last range, an hour later",
			"ALTER TABLE " + s.name("journal") + " UPDATE written_at = written_at - INTERVAL 2 HOUR WHERE to_offset = 34" + sync,
			"", without(30, 34, 5, 0),
		},
	} {
		exec("%s", x.change)
		prove(x.name, x.want, all)
		if x.back != "" {
			exec("%s", x.back)
			prove(x.name+", undone", whole, all)
		}
	}
	// A range without a digest, or one that cuts the log, replaces none that has one.
	whole, last := Bytes{Ranges: 3, Records: 30, Repeated: 3, Differs: []Span{{30, 34}}}, "'' AS archived_sha256"
	for forged, want := range map[string]Bytes{
		"9 AS generation, '' AS hash, " + last:   {Ranges: 2, Records: 20, Repeated: 3, Differs: []Span{{0, 9}, {30, 34}}},
		"9 AS generation, 8 AS records, " + last: {Ranges: 2, Records: 20, Repeated: 3, Differs: []Span{{0, 9}, {30, 34}}},
		"9 AS generation, 1 AS cut_from, 9 AS cut_to, 7 AS archived": {
			Ranges: 2, Records: 20, Repeated: 3, Differs: []Span{{0, 9}, {30, 34}},
		},
	} {
		exec("INSERT INTO %s SELECT * REPLACE (%s) FROM (SELECT * FROM %[1]s WHERE topic = 't' AND from_offset = 0)",
			s.name("journal"), forged)
		prove(forged, want, all)
		exec("ALTER TABLE %s DELETE WHERE generation = 9%s", s.name("journal"), sync)
		prove(forged+", undone", whole, all)
	}
	if again, err := s.JournalHeads(ctx, heads); err != nil || !slices.Equal(heads, again) {
		t.Errorf("%+v, %v, want %+v", again, err, heads)
	}
	exec("ALTER TABLE %s DELETE WHERE topic = 't' AND from_offset = 0%s", s.name("journal"), sync)
	if again, err := s.JournalHeads(ctx, heads); err != nil || slices.Equal(heads, again) {
		t.Errorf("without the first range: %+v, %v", again, err)
	}
}

// archive adds an event to a batch.
func archive(e *rows.Events, topic string, o int64) {
	raw := fmt.Sprintf("event %d", o)
	sum := sha256.Sum256([]byte(raw))
	e.PropertyID.Append("p")
	e.PitID.Append("1")
	e.TableID.Append("t")
	e.EventID.AppendString(fmt.Sprint(o))
	e.Seq, e.At, e.Round = append(e.Seq, uint64(o)), append(e.At, o*1e9), append(e.Round, 0)
	e.GamingDay.Append("2026-11-21")
	e.ShoeID.Append("")
	e.Kind.Append("x")
	e.Topic.Append(topic)
	e.Raw.AppendString(raw)
	e.SHA256.Append(sum[:])
	e.Format, e.Partition, e.Offset = append(e.Format, schema.JSON), append(e.Partition, 2), append(e.Offset, o)
	e.Copy = append(e.Copy, 2)
}
