package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// topicOf is a finite log that can be read from anywhere, and that may end the reader's ownership.
type topicOf struct {
	values [][]byte
	no     int32
	first  int64 // what is before is gone
	page   int
	stop   int // records after which the partition is taken away; 0 is never
	given  int
	at     int64
	cancel context.CancelCauseFunc
	turn   func(given int) // before each page
}

// half is taken away in the middle.
func half(values [][]byte) *topicOf {
	return &topicOf{values: values, page: 100, stop: len(values) / 2}
}

func (l *topicOf) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	ctx, l.cancel = context.WithCancelCause(ctx)
	defer l.cancel(nil)
	err := work(ctx, l)
	for errors.Is(err, pipeline.ErrAgain) {
		err = work(ctx, l)
	}
	return err
}
func (l *topicOf) Topic() string                       { return "test" }
func (l *topicOf) Partition() int32                    { return l.no }
func (l *topicOf) Generation() int32                   { return 0 }
func (l *topicOf) Commit(context.Context, int64) error { return nil }
func (l *topicOf) Begin(offset, end int64) {
	l.at = offset
	if offset < 0 {
		l.at = l.first
	}
}

func (l *topicOf) Next(ctx context.Context, _ time.Duration) ([]pipeline.Record, error) {
	if l.turn != nil {
		l.turn(l.given)
	}
	if l.at < l.first {
		gap := pipeline.Record{Offset: l.at, Bad: &pipeline.GapError{Topic: "test", From: l.at, To: l.first - 1}}
		l.at = l.first
		return []pipeline.Record{gap}, nil
	}
	var page []pipeline.Record
	for len(page) < l.page && l.at < int64(len(l.values)) {
		page = append(page, pipeline.Record{Offset: l.at, Format: schema.Protobuf, Value: l.values[l.at]})
		l.at++
	}
	if l.given += len(page); l.stop > 0 && l.given >= l.stop {
		l.cancel(pipeline.ErrRevoked)
	}
	if len(page) == 0 {
		return nil, io.EOF
	}
	return page, nil
}

func journaled(sink *pipeline.MemorySink, opt engine.Options) pipeline.RunOptions {
	return pipeline.RunOptions{
		NewStep: func() pipeline.Step { return engine.New(opt) }, Now: time.Now, FlushRows: 300, Journal: sink,
	}
}

func allRows(m *pipeline.MemorySink) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, table := range m.Tables() {
		all[table] = m.Rows(table)
	}
	return all
}

// A run that loses its partition again and again, whose inserts fail before and after they were kept,
// leaves the rows of an uninterrupted run, and ranges that make the same log.
func TestRunResumesWhereItWasLeft(t *testing.T) {
	opt := enginetest.Options()
	opt.Idle, opt.Stretch = time.Minute, 2000
	values := enginetest.Encode(enginetest.Mixed(enginetest.Casino(t, 8), rand.New(rand.NewPCG(1, 2))))
	golden := pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100}, golden, journaled(golden, opt)); err != nil {
		t.Fatal(err)
	}
	want := allRows(golden)
	for seed := range uint64(enginetest.Soak(3, 200)) {
		rng := rand.New(rand.NewPCG(seed, 3))
		sink := pipeline.NewMemorySink()
		lost := errors.New("no answer")
		sink.Fail = func(*pipeline.Batch) (bool, error) {
			if rng.IntN(20) == 0 {
				return rng.IntN(2) == 0, lost
			}
			return false, nil
		}
		run := journaled(sink, opt)
		var differs []string
		starts, again := 0, uint64(0)
		run.Hooks.Resumed = func(_ string, _ int32, r pipeline.Resume) {
			again += r.Again
			if r.Differs != "" || r.Unreadable != nil {
				differs = append(differs, fmt.Sprint(r))
			}
		}
		for done := false; !done; starts++ {
			src := &topicOf{values: values, page: 1 + rng.IntN(200), stop: 1 + rng.IntN(len(values)/2)}
			err := pipeline.Run(t.Context(), src, sink, run)
			if err != nil && !errors.Is(err, lost) {
				t.Fatal(err)
			}
			done = err == nil && src.given < src.stop
		}
		if len(differs) > 0 {
			t.Errorf("seed %d: %s", seed, strings.Join(differs, "\n"))
		}
		if diff := cmp.Diff(want, allRows(sink)); diff != "" {
			t.Fatalf("seed %d (-golden +got):\n%.3000s", seed, diff)
		}
		t.Logf("seed %d: %d starts over %d records, %d read again", seed, starts, len(values), again)
	}
}

// The limits of snapshots may change from start to start, also in what a start reads again: facts and findings are
// the same as in a run that never stopped.
func TestLimitsOfSnapshotsChange(t *testing.T) {
	opt := enginetest.Options()
	opt.Idle, opt.Stretch = time.Hour, 3000
	var events []schema.Event // one table after the other, in turns: each is quiet for long
	floor := enginetest.Casino(t, 6)
	for turn := range 9 {
		for _, table := range floor {
			events = append(events, table[turn*len(table)/9:(turn+1)*len(table)/9]...)
		}
	}
	values := enginetest.Encode(events)
	golden, sink := pipeline.NewMemorySink(), pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100}, golden, journaled(golden, opt)); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	src, starts := &topicOf{}, 0
	for ; starts == 0 || src.stop > 0; starts++ {
		src = &topicOf{values: values, page: 50, stop: 800}
		opt.Stretch = []int64{3000, 150, 700}[starts%3]
		run := journaled(sink, opt)
		run.Journal = otherRelease{sink}
		run.Hooks.Resumed = func(string, int32, pipeline.Resume) {
			if src.stop = src.given + 1 + rng.IntN(300); starts > 15 {
				src.stop = 0
			}
		}
		if starts > 0 {
			src.stop = len(values) // once it is where it was left, sooner
		}
		if err := pipeline.Run(t.Context(), src, sink, run); err != nil {
			t.Fatal(err)
		}
	}
	want, got := allRows(golden), allRows(sink)
	delete(want, "table_memory")
	delete(got, "table_memory")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-golden +got):\n%.3000s", diff)
	}
}

// otherRelease is a journal that others wrote.
type otherRelease struct{ *pipeline.MemorySink }

func (m otherRelease) Last(
	ctx context.Context, topic string, partition int32, below int64,
) (last pipeline.Range, same, ok bool, err error) {
	last, _, ok, err = m.MemorySink.Last(ctx, topic, partition, below)
	return last, false, ok, err
}

// Records that the log lost between two runs are a finding that names the offsets, also where the start discards rows.
// No table is accused for what was in them.
func TestLogLostWhatAStartNeeds(t *testing.T) {
	opt := enginetest.Options()
	values := enginetest.Encode(enginetest.Mixed(enginetest.Casino(t, 6), rand.New(rand.NewPCG(1, 2))))
	golden := pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100}, golden, journaled(golden, opt)); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, f := range golden.Findings() {
		known[f.ID] = true
	}
	for name, lost := range map[string]func(last pipeline.Range) int64{
		"before the last range": func(last pipeline.Range) int64 { return last.From - 50 },
		"within it":             func(last pipeline.Range) int64 { return last.From + 5 },
		"beyond it":             func(last pipeline.Range) int64 { return last.To + 70 },
	} {
		t.Run(name, func(t *testing.T) {
			sink := pipeline.NewMemorySink()
			if err := pipeline.Run(t.Context(), half(values), sink, journaled(sink, opt)); err != nil {
				t.Fatal(err)
			}
			last, _, _, _ := sink.Last(t.Context(), "test", 0, math.MaxInt64)
			first := lost(last)
			log := &topicOf{values: values, page: 100, first: first}
			if err := pipeline.Run(t.Context(), log, sink, journaled(sink, opt)); err != nil {
				t.Fatal(err)
			}
			named := false
			for _, f := range sink.Findings() {
				if f.Rule == "feed.retention" {
					named = f.Subject == fmt.Sprintf("range:%d-%d", last.Low, first-1)
				}
				if f.Verdict == "BREACH" && !known[f.ID] {
					t.Errorf("%s at %s, which the whole log does not show: %s", f.Rule, f.TableID, f.Observed)
				}
			}
			if !named {
				t.Errorf("no finding names offsets %d to %d", last.Low, first-1)
			}
		})
	}
}

// cutLog is a topic that loses its end when so many records were given, and then has others there.
type cutLog struct {
	topicOf
	when, cut int
	after     [][]byte
	want      int64
}

func (l *cutLog) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	ctx, l.cancel = context.WithCancelCause(ctx)
	defer l.cancel(nil)
	return work(ctx, l)
}

func (l *cutLog) Begin(offset, end int64) {
	l.topicOf.Begin(offset, end)
	l.want = end
}

func (l *cutLog) Next(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
	end := int64(len(l.values))
	if read := max(l.at, l.want); read > end {
		l.values = slices.Concat(l.values, l.after) // as soon as it was read
		return nil, &pipeline.CutError{Topic: "test", End: end, Read: read}
	}
	page, err := l.topicOf.Next(ctx, wait)
	if l.when > 0 && l.given >= l.when {
		l.when, l.values = 0, l.values[:l.cut:l.cut]
	}
	return page, err
}

// A log that lost its last records while it was read, or between two runs, is a finding that names their
// offsets, and the rest are the rows of who read the log as it is now, whatever stops come after.
func TestLogIsTruncated(t *testing.T) {
	opt := enginetest.Options()
	opt.Idle, opt.Stretch = time.Hour, 3000
	values := enginetest.Encode(enginetest.Mixed(enginetest.Casino(t, 4), rand.New(rand.NewPCG(1, 2))))
	const cut, read = 777, 2200
	journaled := func(sink *pipeline.MemorySink, opt engine.Options) pipeline.RunOptions {
		run := journaled(sink, opt)
		run.FlushRows = 200
		return run
	}
	for name, after := range map[string][][]byte{
		"published again": values[cut:], "lost in part": values[cut+333:],
	} {
		for _, stopped := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, stopped %v", name, stopped), func(t *testing.T) {
				now := slices.Concat(values[:cut], after)
				golden, sink := pipeline.NewMemorySink(), pipeline.NewMemorySink()
				if err := pipeline.Run(t.Context(), &topicOf{values: now, page: 100}, golden, journaled(golden, opt)); err != nil {
					t.Fatal(err)
				}
				log := &cutLog{topicOf: topicOf{values: values, page: 50}, when: read, cut: cut, after: after}
				if stopped {
					part := &topicOf{values: values, page: 50, stop: read}
					if err := pipeline.Run(t.Context(), part, sink, journaled(sink, opt)); err != nil {
						t.Fatal(err)
					}
					log.values, log.when = values[:cut:cut], 0
				}
				rng, starts := rand.New(rand.NewPCG(1, 2)), 0
				run, lost := journaled(sink, opt), int64(0)
				run.Hooks.Resumed = func(_ string, _ int32, r pipeline.Resume) {
					if starts++; r.Cut > 0 {
						lost = r.Lost
					}
					if r.Differs != "" {
						t.Error(r.Differs)
					}
				}
				for done := false; !done; {
					log.given, log.stop = 0, 0
					if log.when == 0 && starts < 6 { // soon, while the last snapshots are of what was lost
						log.stop = 400 + rng.IntN(1500)
					}
					if err := pipeline.Run(t.Context(), log, sink, run); err != nil {
						t.Fatal(err)
					}
					done = len(log.values) == len(now) && (log.stop == 0 || log.given < log.stop)
				}
				var named []string
				for _, f := range sink.Findings() {
					if f.Rule == "feed.retention" {
						named = append(named, f.Subject)
					}
				}
				same(t, "findings", []string{fmt.Sprintf("range:%d-%d", cut, lost)}, named)
				// Two batches of 200 rows may not be written yet.
				if lost < read-2*200 || (starts < 3 && stopped) {
					t.Errorf("cut to %d, %d starts: the test tests too little", lost, starts)
				}
				got := allRows(sink)
				for table, rows := range allRows(golden) {
					for key, row := range rows {
						if got[table][key] != row {
							t.Fatalf("%s %s (-golden +got):\n%.2000s", table, key, cmp.Diff(row, got[table][key]))
						}
					}
				}
			})
		}
	}
}

// A log that ends before what was audited and has other records is another log: nothing is written.
func TestLogThatIsShorterWasReplaced(t *testing.T) {
	opt := enginetest.Options()
	floor := enginetest.Casino(t, 4)
	values := enginetest.Encode(enginetest.Mixed(floor, rand.New(rand.NewPCG(1, 2))))
	other := enginetest.Encode(enginetest.Mixed(floor, rand.New(rand.NewPCG(3, 4))))
	for _, left := range []int{0, 5, 1000} {
		sink := pipeline.NewMemorySink()
		if err := pipeline.Run(t.Context(), half(values), sink, journaled(sink, opt)); err != nil {
			t.Fatal(err)
		}
		before := len(sink.Ranges())
		err := pipeline.Run(
			t.Context(), &cutLog{topicOf: topicOf{values: other[:left], page: 100}}, sink, journaled(sink, opt),
		)
		if replaced := (*pipeline.ReplacedError)(nil); !errors.As(err, &replaced) || len(sink.Ranges()) != before {
			t.Errorf(
				"%d records left: got %v and %d more ranges, want a ReplacedError and none", left, err, len(sink.Ranges())-before,
			)
		}
	}
}

// The same offsets with other records are another log: nothing is written.
func TestLogWasReplaced(t *testing.T) {
	opt := enginetest.Options()
	floor := enginetest.Casino(t, 4)
	values := enginetest.Encode(enginetest.Mixed(floor, rand.New(rand.NewPCG(1, 2))))
	sink := pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), half(values), sink, journaled(sink, opt)); err != nil {
		t.Fatal(err)
	}
	before := len(sink.Ranges())
	other := enginetest.Encode(enginetest.Mixed(floor, rand.New(rand.NewPCG(3, 4))))
	err := pipeline.Run(t.Context(), &topicOf{values: other, page: 100}, sink, journaled(sink, opt))
	if replaced := (*pipeline.ReplacedError)(nil); !errors.As(err, &replaced) || len(sink.Ranges()) != before {
		t.Errorf("got %v and %d more ranges, want a ReplacedError and none", err, len(sink.Ranges())-before)
	}
}

// A journal that differs from the rows is a finding that names the range, once; the rows are kept.
func TestJournalIsComparedWithTheRows(t *testing.T) {
	opt := enginetest.Options()
	values := enginetest.Encode(enginetest.Mixed(enginetest.Casino(t, 4), rand.New(rand.NewPCG(1, 2))))
	sink := pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), half(values), sink, journaled(sink, opt)); err != nil {
		t.Fatal(err)
	}
	last, _, _, _ := sink.Last(t.Context(), "test", 0, math.MaxInt64)
	run := journaled(sink, opt)
	run.Journal = tampered{sink}
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100}, sink, run); err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, f := range sink.Findings() {
		if f.Rule == "feed.journal" {
			named = append(named, f.Subject+" "+string(f.Verdict))
		}
	}
	same(t, "findings", []string{fmt.Sprintf("range:%d-%d SUSPECT", last.From, last.To)}, named)
}

// tampered is a journal with another hash.
type tampered struct{ *pipeline.MemorySink }

func (m tampered) Last(
	ctx context.Context, topic string, partition int32, below int64,
) (last pipeline.Range, same, ok bool, err error) {
	last, same, ok, err = m.MemorySink.Last(ctx, topic, partition, below)
	last.Hash = "00"
	return last, same, ok, err
}

// Without a readable snapshot a start reads from the first record, and the rows are the same.
func TestSnapshotThatCannotBeRead(t *testing.T) {
	opt := enginetest.Options()
	values := enginetest.Encode(enginetest.Mixed(enginetest.Casino(t, 4), rand.New(rand.NewPCG(1, 2))))
	golden, sink := pipeline.NewMemorySink(), pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100}, golden, journaled(golden, opt)); err != nil {
		t.Fatal(err)
	}
	if err := pipeline.Run(t.Context(), half(values), sink, journaled(sink, opt)); err != nil {
		t.Fatal(err)
	}
	run := journaled(sink, opt)
	run.Journal = unreadable{sink}
	var unreadableBecause error
	run.Hooks.Resumed = func(_ string, _ int32, r pipeline.Resume) { unreadableBecause = r.Unreadable }
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100}, sink, run); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(unreadableBecause, engine.ErrSnapshot) {
		t.Errorf("got %v, want ErrSnapshot", unreadableBecause)
	}
	if diff := cmp.Diff(allRows(golden), allRows(sink)); diff != "" {
		t.Errorf("(-golden +got):\n%.3000s", diff)
	}
}

// unreadable is a journal whose snapshots are of a later release.
type unreadable struct{ *pipeline.MemorySink }

func (m unreadable) Snapshots(
	ctx context.Context, topic string, partition int32, below int64,
) ([]rows.Snapshot, error) {
	rows, err := m.MemorySink.Snapshots(ctx, topic, partition, below)
	for i := range rows {
		rows[i].State = `{"format":99}`
	}
	return rows, err
}

// A table moves to another partition, and its numbers begin again: the partition to which it moves names the one in
// which it was, and accuses no one, however often it is taken away.
func TestTableMoves(t *testing.T) {
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: 1})
	before := slices.Concat(table.Open(), table.ShoeOf(3), table.ShoeOf(3), table.ShoeOf(3))
	again := before[0].Clone()
	if opened := slices.IndexFunc(before, func(e schema.Event) bool {
		return e.Payload.Kind() == schema.KindTableOpened
	}); opened >= 0 {
		again = before[opened].Clone()
	}
	after := slices.Concat([]schema.Event{again}, table.ShoeOf(3), table.ShoeOf(3), table.Close())
	after[0].EventID, after[0].At = "again", after[1].At
	for i := range after {
		after[i].Seq = uint64(i + 1)
	}
	opt := enginetest.Options()
	moved := func(stop int) *pipeline.MemorySink {
		sink := pipeline.NewMemorySink()
		source := &topicOf{values: enginetest.Encode(before), no: 1, page: 100}
		if err := pipeline.Run(t.Context(), source, sink, journaled(sink, opt)); err != nil {
			t.Fatal(err)
		}
		values := enginetest.Encode(after)
		for given := stop; stop > 0 && given < len(values); given += stop {
			source := &topicOf{values: values, page: 7, stop: given}
			if err := pipeline.Run(t.Context(), source, sink, journaled(sink, opt)); err != nil {
				t.Fatal(err)
			}
		}
		source = &topicOf{values: values, page: 7}
		if err := pipeline.Run(t.Context(), source, sink, journaled(sink, opt)); err != nil {
			t.Fatal(err)
		}
		return sink
	}
	golden := moved(0)
	var named []string
	for _, f := range golden.Findings() {
		switch {
		case f.Rule == "feed.partition":
			named = append(named, f.Observed)
		case f.Verdict == finding.Breach || f.Verdict == finding.Suspect:
			t.Errorf("%s %s: %s", f.Verdict, f.Rule, f.Observed)
		}
	}
	same(t, "findings", []string{"event 1 begins partition 0; the table was in partition 1 before"}, named)
	if diff := cmp.Diff(allRows(golden), allRows(moved(len(after)/5))); diff != "" {
		t.Errorf("taken away (-golden +got):\n%.3000s", diff)
	}
}

// A partition learns only after its first flush that its table was in another one, from the snapshots there. The rows
// that a restart makes have it, and the journal does not. That accuses no one of a change of the journal.
func TestTableMovesUnknown(t *testing.T) {
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: 1})
	before := slices.Concat(table.Open(), table.ShoeOf(3), table.ShoeOf(3), table.ShoeOf(3))
	for _, rounds := range []int{3, 30} { // the first record here is in the last flush, or before it
		movesUnknown(t, before, slices.Concat(table.ShoeOf(rounds), table.ShoeOf(3), table.Close()))
	}
}

func movesUnknown(t *testing.T, before, after []schema.Event) {
	sink := pipeline.NewMemorySink()
	run := func(events []schema.Event, partition int32, stop int) {
		o := journaled(sink, enginetest.Options())
		o.Hooks.Resumed = func(_ string, _ int32, r pipeline.Resume) { same(t, "rows that differ", "", r.Differs) }
		source := &topicOf{values: enginetest.Encode(events), no: partition, page: 7, stop: stop}
		if err := pipeline.Run(t.Context(), source, sink, o); err != nil {
			t.Fatal(err)
		}
	}
	run(after, 0, len(after)-100)
	run(before, 1, 0)
	run(after, 0, 0)
	var found []string
	for _, f := range sink.Findings() {
		if f.Severity != finding.Info {
			found = append(found, f.Rule)
		}
	}
	same(t, "findings", []string{"feed.partition"}, found)
}

// Two systems publish one table in two partitions, each with its own numbers. As of the next start each partition knows
// of the other, in whatever order they start: it accuses no one of what the other may have.
func TestTwoNumberings(t *testing.T) {
	all, of := twoNumberings(t)
	opt := enginetest.Options()
	opt.Stretch = 20
	for _, order := range [][2]int32{{0, 1}, {1, 0}} {
		sink, knows := pipeline.NewMemorySink(), false
		run := func(no int32, events []schema.Event) {
			o := journaled(sink, opt)
			o.ReleaseAtEnd = true // the stream goes on
			o.Hooks.Resumed = func(_ string, _ int32, r pipeline.Resume) { same(t, "rows that differ", "", r.Differs) }
			o.Hooks.Flushed = func(f pipeline.Flush) {
				for _, f := range f.Batch.Findings {
					if accuses := f.Verdict == finding.Breach || f.Verdict == finding.Suspect; knows && accuses &&
						!strings.HasPrefix(f.Rule, "feed.") {
						t.Errorf("partition %d: %s %s: %s", no, f.Verdict, f.Rule, f.Observed)
					}
				}
			}
			source := &topicOf{values: enginetest.Encode(events), no: no, page: 7}
			if err := pipeline.Run(t.Context(), source, sink, o); err != nil {
				t.Fatal(err)
			}
		}
		for _, no := range order {
			run(no, of[no][:len(of[no])/2])
		}
		knows = true
		for _, no := range order {
			run(no, of[no])
		}
		named := 0
		for _, f := range sink.Findings() {
			if f.Rule == "feed.partition" && f.ShoeID == all[len(all)-2].ShoeID {
				named++
			}
		}
		same(t, "findings feed.partition of the last shoe", 1, named)
	}
}

// twoNumberings are the events of a table, and these as two systems publish them.
func twoNumberings(t *testing.T) (all []schema.Event, of [2][]schema.Event) {
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: 1})
	all = slices.Concat(table.Open(), table.ShoeOf(8), table.ShoeOf(8), table.ShoeOf(8), table.Close())
	for i := range all {
		to := []int{0}
		switch all[i].Payload.(type) {
		case *schema.TableOpened, *schema.RoundStarted:
			to = []int{0, 1}
		case *schema.WagerPlaced, *schema.WagerPaid, *schema.WagerCollected, *schema.WagerReturned:
			to = []int{1}
		default: // the other system's
		}
		for _, no := range to {
			ev := all[i].Clone()
			ev.Seq, ev.EventID = uint64(len(of[no])+1), fmt.Sprintf("%d-%d", no, len(of[no]))
			of[no] = append(of[no], ev)
		}
	}
	return all, of
}

// Two systems publish one table, and no partition starts again by itself. A stream that learns it from the snapshots of
// the other partition starts again: from there on it accuses no one, and a crash at any time changes no row.
func TestTwoNumberingsAreLearned(t *testing.T) {
	_, of := twoNumberings(t)
	opt := enginetest.Options()
	opt.Stretch = 20
	values := [2][][]byte{enginetest.Encode(of[0]), enginetest.Encode(of[1])}
	for _, no := range []int32{0, 1} {
		played := func(stop int) *pipeline.MemorySink {
			sink, knows := pipeline.NewMemorySink(), false
			o := journaled(sink, opt)
			o.ReleaseAtEnd, o.LearnEvery, o.FlushRows = true, time.Nanosecond, 20
			o.Hooks.Resumed = func(_ string, _ int32, r pipeline.Resume) {
				same(t, "rows that differ", "", r.Differs)
			}
			o.Hooks.Flushed = func(f pipeline.Flush) {
				for _, f := range f.Batch.Findings {
					knows = knows || f.Rule == "feed.partition"
					if accuses := f.Verdict == finding.Breach || f.Verdict == finding.Suspect; knows && accuses &&
						!strings.HasPrefix(f.Rule, "feed.") {
						t.Errorf("partition %d: %s %s: %s", no, f.Verdict, f.Rule, f.Observed)
					}
				}
			}
			other := values[1-no]
			source := &topicOf{values: values[no], no: no, page: 7}
			source.turn = func(given int) {
				if given < len(source.values)/3 || other == nil {
					return
				}
				o := journaled(sink, opt)
				o.ReleaseAtEnd = true
				half := &topicOf{values: other[:2*len(other)/3], no: 1 - no, page: 7}
				if other = nil; pipeline.Run(t.Context(), half, sink, o) != nil {
					t.Error("the other partition failed")
				}
			}
			for _, source.stop = range []int{stop, 0} {
				if err := pipeline.Run(t.Context(), source, sink, o); err != nil {
					t.Fatal(err)
				}
			}
			if !knows {
				t.Errorf("partition %d never learned of the other one", no)
			}
			return sink
		}
		golden := findingsOf(played(0))
		for _, stop := range []int{len(of[no]) / 2, len(of[no]) * 3 / 4} {
			if diff := cmp.Diff(golden, findingsOf(played(stop))); diff != "" {
				t.Errorf("partition %d, taken away (-golden +got):\n%.3000s", no, diff)
			}
		}
	}
}

// findingsOf are the findings, without their times: what is reported once a shoe is reported again after a start.
func findingsOf(m *pipeline.MemorySink) (all []string) {
	for _, f := range m.Findings() {
		all = append(all, fmt.Sprint(f.Verdict, " ", f.Rule, " ", f.ShoeID, " ", f.Round, " ", f.Subject))
	}
	slices.Sort(all)
	return all
}
