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

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// casino is tables that open, play shoes, close and open again, with faults planted at some.
func casino(t testing.TB, tables int) [][]schema.Event {
	t.Helper()
	floor := floorOf(t, tables/2)
	kinds := deal.Kinds()
	for i := range tables - len(floor) {
		config, err := deal.Config(kinds[i%len(kinds)], uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{Table: fmt.Sprintf("d-%02d", i), Config: config, Seed: uint64(i)})
		floor = append(floor, slices.Concat(table.Open(), table.ShoeOf(3), table.ShoeOf(2), table.ShoeOf(2), table.Close(),
			table.Open(), table.ShoeOf(2), table.ShoeOf(2), table.ShoeOf(4)))
	}
	return floor
}

// steps are the rows of each record, in one hash, and the memories with the record that gave them.
type steps struct {
	hashes   []string
	memories []rows.Snapshot
}

func applyAt(e *engine.Engine, values [][]byte, i int, b *rows.Set) {
	e.Apply(&pipeline.Record{Offset: int64(i), Format: schema.Protobuf, Value: values[i]}, "test", 0, b)
}

// newest is the newest memory of each table below an offset.
func newest(memories []rows.Snapshot, below int64) []rows.Snapshot {
	m := pipeline.NewMemorySink()
	b := &pipeline.Batch{Set: rows.Set{Snapshots: memories}}
	_ = m.Write(context.Background(), b)
	rows, _ := m.Memories(context.Background(), "test", 0, below)
	return rows
}

// An engine that is stopped after any record, and another that takes up the memories of before, begins
// at the offset which the first one named as low and is muted up to the stop: from there on each record
// gives the same rows, memories included.
func TestStopAndStartAnew(t *testing.T) {
	floor := casino(t, 10)
	inOrder := mixed(floor, rand.New(rand.NewPCG(5, 6)))
	jumbled := mixed(jostled(floor, nil, jostleBy(rand.New(rand.NewPCG(7, 8)))), rand.New(rand.NewPCG(5, 6)))
	for _, c := range []struct {
		name    string
		feed    []schema.Event
		idle    time.Duration
		stretch int64
	}{
		{"in order", inOrder, 0, 0},
		{"in order, often", inOrder, time.Second, 300},
		{"out of order", jumbled, 0, 0},
		{"out of order, often", jumbled, time.Second, 300},
		{"with what is lost, late and twice", bent(jumbled, rand.New(rand.NewPCG(9, 10))), time.Minute, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			values := encode(c.feed)
			opt := engineOptions()
			opt.Idle, opt.Stretch = c.idle, c.stretch
			var all steps
			var lows, clocks []int64
			first, b := engine.New(opt), &rows.Set{}
			for i := range values {
				low, clock := first.Low(int64(i))
				lows, clocks = append(lows, low), append(clocks, clock)
				applyAt(first, values, i, b)
				all.hashes = append(all.hashes, b.Hash())
				all.memories = append(all.memories, b.Snapshots...)
				b.Reset()
			}
			if len(all.memories) < len(floor) {
				t.Fatalf("%d memories of %d tables", len(all.memories), len(floor))
			}
			again, longest := 0, int64(0)
			step := stride(2003, 7)
			for stop := 0; stop < len(values); stop += step {
				second := engine.New(opt)
				if err := second.Restore(newest(all.memories, int64(stop)), clocks[stop]); err != nil {
					t.Fatal(err)
				}
				for i := int(lows[stop]); i < stop; i++ {
					applyAt(second, values, i, b)
					b.Reset()
				}
				again, longest = again+stop-int(lows[stop]), max(longest, int64(stop)-lows[stop])
				for i := stop; i < len(values); i++ {
					if applyAt(second, values, i, b); b.Hash() != all.hashes[i] {
						t.Fatalf("stopped at %d, anew from %d: record %d gives %d findings, %d memories, %d shoes %s", stop, lows[stop], i, len(b.Findings), len(b.Snapshots), len(b.Shoes), why(c.feed[i], b))
					}
					b.Reset()
				}
			}
			t.Logf("%d records, %d memories; a start reads %d again, at most %d", len(values), len(all.memories), again*step/len(values), longest)
		})
	}
}

func why(ev schema.Event, b *rows.Set) string {
	out := fmt.Sprintf("table %s seq %d %s", ev.TableID, ev.Seq, ev.Payload.Kind())
	for _, f := range b.Findings {
		out += fmt.Sprintf("\n%+v", f)
	}
	for _, m := range b.Snapshots {
		out += fmt.Sprintf("\n%s %d", m.TableID, len(m.State))
	}
	return out
}

// bent loses, repeats, contradicts and delays some events.
func bent(events []schema.Event, rng *rand.Rand) []schema.Event {
	var out, later []schema.Event
	for _, ev := range events {
		switch rng.IntN(200) {
		case 0:
			continue
		case 1:
			out = append(out, ev)
		case 2:
			later = append(later, ev)
			continue
		case 3:
			other := ev.Clone()
			other.EventID += "x"
			out = append(out, other)
		}
		out = append(out, ev)
		if len(later) > 0 && rng.IntN(100) == 0 {
			out, later = append(out, later[0]), later[1:]
		}
	}
	return out
}

// Where memories are written changes no finding and no fact.
func TestMemoriesChangeNothing(t *testing.T) {
	values := encode(mixed(casino(t, 8), rand.New(rand.NewPCG(1, 2))))
	var want string
	for i, c := range []struct {
		idle    time.Duration
		stretch int64
	}{{0, 0}, {time.Second, 100}, {time.Millisecond, 7}} {
		opt := engineOptions()
		opt.Idle, opt.Stretch = c.idle, c.stretch
		e, b := engine.New(opt), &rows.Set{}
		for i := range values {
			applyAt(e, values, i, b)
		}
		memories, size := len(b.Snapshots), 0
		for _, m := range b.Snapshots {
			size += len(m.State)
		}
		b.Snapshots = nil
		t.Logf("idle %v, stretch %d: %d memories, %d bytes each", c.idle, c.stretch, memories, size/memories)
		if got := b.Hash(); i == 0 {
			want = got
		} else if got != want {
			t.Errorf("idle %v, stretch %d: other rows", c.idle, c.stretch)
		}
	}
}

// A memory names no patron, not even in an event that waits for an earlier one.
func TestMemoryNamesNoPatron(t *testing.T) {
	const canary = "CANARY-PATRON-"
	floor, rng := casino(t, 4), rand.New(rand.NewPCG(3, 4))
	waits := 0
	for k, events := range floor {
		for i := range events {
			if p, ok := events[i].Payload.(*schema.WagerPlaced); ok {
				p.PatronRef = canary + "1"
			}
		}
		floor[k] = bent(events, rng)
	}
	opt := engineOptions()
	opt.Stretch = 7
	e, b := engine.New(opt), &rows.Set{}
	values := encode(mixed(floor, rand.New(rand.NewPCG(1, 2))))
	for i := range values {
		applyAt(e, values, i, b)
	}
	for _, m := range b.Snapshots {
		if strings.Contains(m.State, canary) {
			t.Fatalf("a snapshot of table %s names a patron", m.TableID)
		}
		waits += strings.Count(m.State, engine.Pseudonym(opt.PatronKey, canary+"1"))
	}
	if waits == 0 {
		t.Error("no memory has an event that waits")
	}
}

// A memory that cannot be read is an error that says so, never a table that half remembers.
func TestMemoryOfAnotherRelease(t *testing.T) {
	for _, text := range []string{`{"format":1,"table":{}}`, `{"format":3,"table":{"log":[]}}`, `{"format":3,"table":{"isOpen":"x"}}`, `{`} {
		e := engine.New(engineOptions())
		err := e.Restore([]rows.Snapshot{{PropertyID: "p", TableID: "t-9", State: text}}, 0)
		if !errors.Is(err, engine.ErrSnapshot) || !strings.Contains(err.Error(), "t-9") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// topicOf is a finite log that can be read from anywhere, and that may end the reader's ownership.
type topicOf struct {
	values [][]byte
	first  int64 // what is before is gone
	page   int
	stop   int // records after which the partition is taken away; 0 is never
	given  int
	at     int64
	cancel context.CancelCauseFunc
}

func (l *topicOf) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	ctx, l.cancel = context.WithCancelCause(ctx)
	defer l.cancel(nil)
	return work(ctx, l)
}
func (l *topicOf) Topic() string                       { return "test" }
func (l *topicOf) Partition() int32                    { return 0 }
func (l *topicOf) Generation() int32                   { return 0 }
func (l *topicOf) Commit(context.Context, int64) error { return nil }
func (l *topicOf) Begin(offset, end int64) {
	l.at = offset
	if offset < 0 {
		l.at = l.first
	}
}

func (l *topicOf) Next(ctx context.Context, _ time.Duration) ([]pipeline.Record, error) {
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
// leaves the rows of one that never did, and ranges that make the same log.
func TestRunIsTakenUpWhereItWasLeft(t *testing.T) {
	opt := engineOptions()
	opt.Idle, opt.Stretch = time.Minute, 2000
	values := encode(mixed(casino(t, 8), rand.New(rand.NewPCG(1, 2))))
	golden := pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100}, golden, journaled(golden, opt)); err != nil {
		t.Fatal(err)
	}
	want := allRows(golden)
	for seed := range uint64(soak(3, 200)) {
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
			if r.Differs != "" || r.Forgotten != nil {
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

// The limits of memories may change from start to start, also in what a start reads again: facts and findings
// are those of a run that never stopped.
func TestLimitsOfMemoriesChange(t *testing.T) {
	opt := engineOptions()
	opt.Idle, opt.Stretch = time.Hour, 3000
	var events []schema.Event // one table after the other, in turns: each is quiet for long
	floor := casino(t, 6)
	for turn := range 9 {
		for _, table := range floor {
			events = append(events, table[turn*len(table)/9:(turn+1)*len(table)/9]...)
		}
	}
	values := encode(events)
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

func (m otherRelease) Last(ctx context.Context, topic string, partition int32, below int64) (last pipeline.Range, same, ok bool, err error) {
	last, _, ok, err = m.MemorySink.Last(ctx, topic, partition, below)
	return last, false, ok, err
}

// What the log lost while nobody read is a finding that names the offsets, also where the start would
// have been mute, and no table is accused for what was in it.
func TestLogLostWhatAStartNeeds(t *testing.T) {
	opt := engineOptions()
	values := encode(mixed(casino(t, 6), rand.New(rand.NewPCG(1, 2))))
	golden := pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100}, golden, journaled(golden, opt)); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, f := range golden.Findings() {
		known[f.ID] = true
	}
	sink := pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100, stop: len(values) / 2}, sink, journaled(sink, opt)); err != nil {
		t.Fatal(err)
	}
	last, _, _, _ := sink.Last(t.Context(), "test", 0, math.MaxInt64)
	for name, first := range map[string]int64{"before the last range": last.From - 50, "within it": last.From + 5, "beyond it": last.To + 70} {
		t.Run(name, func(t *testing.T) {
			sink := pipeline.NewMemorySink()
			if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100, stop: len(values) / 2}, sink, journaled(sink, opt)); err != nil {
				t.Fatal(err)
			}
			if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100, first: first}, sink, journaled(sink, opt)); err != nil {
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
		l.values = slices.Concat(l.values, l.after) // as soon as somebody asked
		return nil, &pipeline.CutError{Topic: "test", End: end, Read: read}
	}
	page, err := l.topicOf.Next(ctx, wait)
	if l.when > 0 && l.given >= l.when {
		l.when, l.values = 0, l.values[:l.cut:l.cut]
	}
	return page, err
}

// A log that lost its last records while it was read, or while nobody did, is a finding that names their
// offsets, and the rest are the rows of who read the log as it is now, whatever stops come after.
func TestLogIsCutBack(t *testing.T) {
	opt := engineOptions()
	opt.Idle, opt.Stretch = time.Hour, 3000
	values := encode(mixed(casino(t, 4), rand.New(rand.NewPCG(1, 2))))
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
					if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 50, stop: read}, sink, journaled(sink, opt)); err != nil {
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
					if log.when == 0 && starts < 6 { // soon, while the last memories are of what was lost
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
				if lost < read-200 || (starts < 3 && stopped) {
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
	opt := engineOptions()
	floor := casino(t, 4)
	values := encode(mixed(floor, rand.New(rand.NewPCG(1, 2))))
	other := encode(mixed(floor, rand.New(rand.NewPCG(3, 4))))
	for _, left := range []int{0, 5, 1000} {
		sink := pipeline.NewMemorySink()
		if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100, stop: len(values) / 2}, sink, journaled(sink, opt)); err != nil {
			t.Fatal(err)
		}
		before := len(sink.Ranges())
		err := pipeline.Run(t.Context(), &cutLog{topicOf: topicOf{values: other[:left], page: 100}}, sink, journaled(sink, opt))
		if replaced := (*pipeline.ReplacedError)(nil); !errors.As(err, &replaced) || len(sink.Ranges()) != before {
			t.Errorf("%d records left: got %v and %d more ranges, want a ReplacedError and none", left, err, len(sink.Ranges())-before)
		}
	}
}

// The same offsets with other records are another log: nothing is written.
func TestLogWasReplaced(t *testing.T) {
	opt := engineOptions()
	floor := casino(t, 4)
	values := encode(mixed(floor, rand.New(rand.NewPCG(1, 2))))
	sink := pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100, stop: len(values) / 2}, sink, journaled(sink, opt)); err != nil {
		t.Fatal(err)
	}
	before := len(sink.Ranges())
	other := encode(mixed(floor, rand.New(rand.NewPCG(3, 4))))
	err := pipeline.Run(t.Context(), &topicOf{values: other, page: 100}, sink, journaled(sink, opt))
	if replaced := (*pipeline.ReplacedError)(nil); !errors.As(err, &replaced) || len(sink.Ranges()) != before {
		t.Errorf("got %v and %d more ranges, want a ReplacedError and none", err, len(sink.Ranges())-before)
	}
}

// A journal that says otherwise is a finding that names the range, once; the rows are kept all the same.
func TestJournalIsHeldAgainstTheRows(t *testing.T) {
	opt := engineOptions()
	values := encode(mixed(casino(t, 4), rand.New(rand.NewPCG(1, 2))))
	sink := pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100, stop: len(values) / 2}, sink, journaled(sink, opt)); err != nil {
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

func (m tampered) Last(ctx context.Context, topic string, partition int32, below int64) (last pipeline.Range, same, ok bool, err error) {
	last, same, ok, err = m.MemorySink.Last(ctx, topic, partition, below)
	last.Hash = "00"
	return last, same, ok, err
}

// Without a memory that it can read, a start reads from the first record, and the rows are the same.
func TestMemoryThatCannotBeRead(t *testing.T) {
	opt := engineOptions()
	values := encode(mixed(casino(t, 4), rand.New(rand.NewPCG(1, 2))))
	golden, sink := pipeline.NewMemorySink(), pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100}, golden, journaled(golden, opt)); err != nil {
		t.Fatal(err)
	}
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100, stop: len(values) / 2}, sink, journaled(sink, opt)); err != nil {
		t.Fatal(err)
	}
	run := journaled(sink, opt)
	run.Journal = unreadable{sink}
	var forgotten error
	run.Hooks.Resumed = func(_ string, _ int32, r pipeline.Resume) { forgotten = r.Forgotten }
	if err := pipeline.Run(t.Context(), &topicOf{values: values, page: 100}, sink, run); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(forgotten, engine.ErrSnapshot) {
		t.Errorf("told %v, want ErrMemory", forgotten)
	}
	if diff := cmp.Diff(allRows(golden), allRows(sink)); diff != "" {
		t.Errorf("(-golden +got):\n%.3000s", diff)
	}
}

// unreadable is a journal whose memories are of a release to come.
type unreadable struct{ *pipeline.MemorySink }

func (m unreadable) Memories(ctx context.Context, topic string, partition int32, below int64) ([]rows.Snapshot, error) {
	rows, err := m.MemorySink.Memories(ctx, topic, partition, below)
	for i := range rows {
		rows[i].State = `{"format":99}`
	}
	return rows, err
}
