package pipeline_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	gocmp "github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline"
)

// scripted is a source of one partition whose Next is a function.
type scripted struct {
	next      func(ctx context.Context, wait time.Duration) ([]pipeline.Record, error)
	commits   []int64
	refuse    error // of commits
	partition int32 // 4 for 0
	cancel    context.CancelCauseFunc
	lag       int64
}

func (s *scripted) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	ctx, s.cancel = context.WithCancelCause(ctx)
	defer s.cancel(nil)
	return work(ctx, s)
}
func (s *scripted) Topic() string    { return "t" }
func (s *scripted) Partition() int32 { return cmp.Or(s.partition, 4) }
func (s *scripted) Lag() int64       { return s.lag }
func (s *scripted) Next(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
	return s.next(ctx, wait)
}

func (s *scripted) Commit(_ context.Context, offset int64) error {
	if s.refuse != nil {
		return s.refuse
	}
	s.commits = append(s.commits, offset)
	return nil
}

// pages gives these pages, then the end.
func pages(pages ...[]pipeline.Record) *scripted {
	return &scripted{next: func(context.Context, time.Duration) ([]pipeline.Record, error) {
		if len(pages) == 0 {
			return nil, io.EOF
		}
		page := pages[0]
		pages = pages[1:]
		return page, nil
	}}
}

func records(from, to int64) []pipeline.Record {
	var out []pipeline.Record
	for o := from; o < to; o++ {
		out = append(out, pipeline.Record{Offset: o, Value: fmt.Appendf(nil, "%d", o)})
	}
	return out
}

// letters is a step that makes each record a dead letter, holding the last hold of them for Finish, and remembers
// with each so many bytes.
type letters struct {
	hold, snapshot int
	held           []rows.DeadLetter
}

func (l *letters) Apply(rec *pipeline.Record, topic string, partition int32, b *rows.Set) {
	l.held = append(l.held, rows.DeadLetter{Topic: topic, Partition: partition, Offset: rec.Offset, Raw: rec.Value})
	for len(l.held) > l.hold {
		b.DeadLetters = append(b.DeadLetters, l.held[0])
		l.held = l.held[1:]
	}
	if l.snapshot > 0 {
		b.Snapshots = append(b.Snapshots, rows.Snapshot{Offset: rec.Offset, State: strings.Repeat("m", l.snapshot)})
	}
}

func (l *letters) Low(next int64) (low, clock int64) {
	if len(l.held) > 0 {
		return l.held[0].Offset, 0
	}
	return next, 0
}

func (l *letters) Finish(b *rows.Set) { b.DeadLetters = append(b.DeadLetters, l.held...) }

func options(hold int) pipeline.RunOptions {
	return pipeline.RunOptions{NewStep: func() pipeline.Step { return &letters{hold: hold} }, Now: time.Now, FlushRows: 10}
}

func offsets(m *pipeline.MemorySink) []int64 {
	var out []int64
	for _, d := range m.DeadLetters() {
		out = append(out, d.Offset)
	}
	return out
}

func upTo(n int64) []int64 {
	var out []int64
	for i := range n {
		out = append(out, i)
	}
	return out
}

func spans(m *pipeline.MemorySink) []string {
	var out []string
	for _, r := range m.Ranges() {
		out = append(out, fmt.Sprintf("%s/%d %d-%d low %d, %d records", r.Topic, r.Partition, r.From, r.To, r.Low, r.Records))
	}
	return out
}

func same[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Ten rows make a flush here, and so do 5 KiB, of records or of snapshots.
func TestRunFlushesByBytes(t *testing.T) {
	large := make([]pipeline.Record, 5)
	for i := range large {
		large[i] = pipeline.Record{Offset: int64(i), Value: make([]byte, 2000)}
	}
	for name, c := range map[string]struct {
		records []pipeline.Record
		memory  int
	}{
		"records": {large, 0}, "memories": {records(0, 5), 2000},
	} {
		sink := pipeline.NewMemorySink()
		run := options(0)
		run.NewStep = func() pipeline.Step { return &letters{snapshot: c.memory} }
		if err := pipeline.Run(t.Context(), pages(c.records), sink, run); err != nil {
			t.Fatal(err)
		}
		same(t, name, []string{"t/4 0-2 low 0, 3 records", "t/4 3-4 low 3, 2 records"}, spans(sink))
	}
}

// A batch that is used again holds on to nothing of before.
func TestResetLetsGo(t *testing.T) {
	b := &pipeline.Batch{Set: rows.Set{
		Vigorish: make([]rows.Vigorish, 1), Shoes: make([]rows.Shoe, 1), Configs: make([]rows.Config, 1),
		Notices: []rows.Notice{{Topic: "n"}}, Snapshots: []rows.Snapshot{{State: "m"}},
		Findings: []finding.Finding{{ID: "f"}},
		Evidence: make([]rows.Evidence, 1), DeadLetters: []rows.DeadLetter{{Raw: []byte("d")}},
	}}
	b.Reset()
	if b.Len() != 0 {
		t.Errorf("%d rows", b.Len())
	}
	if b.Notices[:1][0].Topic+b.Snapshots[:1][0].State+b.Findings[:1][0].ID+string(b.DeadLetters[:1][0].Raw) != "" {
		t.Error("rows of before are kept behind the slices")
	}
}

func TestRunFlushesByRowsAndAtTheEnd(t *testing.T) {
	sink := pipeline.NewMemorySink()
	src := pages(records(0, 25), records(25, 28))
	if err := pipeline.Run(t.Context(), src, sink, options(2)); err != nil {
		t.Fatal(err)
	}
	same(t, "rows", upTo(28), offsets(sink))
	same(t, "ranges", []string{
		"t/4 0-11 low 0, 12 records", "t/4 12-21 low 10, 10 records", "t/4 22-27 low 20, 6 records",
	}, spans(sink))
	same(t, "commits", []int64{10, 20, 26}, src.commits)
}

func TestRunReleasesWhatTheEndReleases(t *testing.T) {
	sink := pipeline.NewMemorySink()
	if err := pipeline.Run(t.Context(), pages(records(0, 12)), sink, options(2)); err != nil {
		t.Fatal(err)
	}
	same(t, "rows", upTo(12), offsets(sink))
	same(t, "ranges", []string{"t/4 0-11 low 0, 12 records", "t/4 12-11 low 10, 0 records"}, spans(sink))
}

func TestRunFlushesByAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := pipeline.NewMemorySink()
		var wrote []time.Duration
		start := time.Now()
		sink.Fail = func(*pipeline.Batch) (bool, error) { wrote = append(wrote, time.Since(start)); return true, nil }
		offset := int64(0)
		src := &scripted{next: func(_ context.Context, wait time.Duration) ([]pipeline.Record, error) {
			if time.Since(start) >= 2*time.Second {
				return nil, io.EOF
			}
			time.Sleep(min(wait, 300*time.Millisecond))
			if wait < 300*time.Millisecond {
				return nil, nil
			}
			offset++
			return records(offset-1, offset), nil
		}}
		run := options(0)
		run.FlushEvery = 500 * time.Millisecond
		if err := pipeline.Run(t.Context(), src, sink, run); err != nil {
			t.Fatal(err)
		}
		same(t, "flushes", []time.Duration{800 * time.Millisecond, 1600 * time.Millisecond, 2200 * time.Millisecond}, wrote)
		same(t, "rows", upTo(offset), offsets(sink))
	})
}

// finder is a step that makes each record a dead letter, and every tenth a finding too.
type finder struct{ letters }

func (f *finder) Apply(rec *pipeline.Record, topic string, partition int32, b *rows.Set) {
	f.letters.Apply(rec, topic, partition, b)
	if rec.Offset%10 == 9 {
		b.Findings = append(b.Findings, finding.Finding{ID: fmt.Sprint(rec.Offset)})
	}
}

// A record waits for FlushEvery, a finding for FlushFindings. While a stream is far behind, a finding waits like a
// record. When it comes to the end of its log, nothing waits.
func TestRunFlushesForAFinding(t *testing.T) {
	for name, c := range map[string]struct {
		lag, behind int64 // the lag of so many records; that of later ones is 0
		want        []string
	}{
		"live":      {0, 25, []string{"t/4 0-14 low 0, 15 records", "t/4 15-24 low 15, 10 records"}},
		"behind":    {10_000, 25, []string{"t/4 0-24 low 0, 25 records"}},
		"caught up": {10_000, 12, []string{"t/4 0-12 low 0, 13 records", "t/4 13-24 low 13, 12 records"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			offset := int64(0)
			src := &scripted{lag: c.lag}
			src.next = func(_ context.Context, wait time.Duration) ([]pipeline.Record, error) {
				if offset == 25 {
					return nil, io.EOF
				}
				if wait < 100*time.Millisecond {
					time.Sleep(wait)
					return nil, nil
				}
				time.Sleep(100 * time.Millisecond)
				if offset++; offset > c.behind {
					src.lag = 0
				}
				return records(offset-1, offset), nil
			}
			sink := pipeline.NewMemorySink()
			run := options(0)
			run.NewStep, run.FlushRows = func() pipeline.Step { return &finder{} }, 1000
			if err := pipeline.Run(t.Context(), src, sink, run); err != nil {
				t.Fatal(err)
			}
			same(t, name, c.want, spans(sink))
		})
	}
}

// The rows of all streams together make a flush, which has a batch of each stream with rows.
func TestRunFlushesAllStreamsTogether(t *testing.T) {
	for _, streams := range []int{1, 2, 8} {
		var sizes []int
		sink := &sets{MemorySink: pipeline.NewMemorySink()}
		sink.write = func(set []*pipeline.Batch) {
			n := 0
			for _, b := range set {
				n += b.Len()
			}
			sizes = append(sizes, n)
		}
		run := options(0)
		run.FlushRows = 1000
		src := &several{n: streams, records: records(0, 10_000)}
		src.begun.Add(streams)
		src.ended.Add(streams)
		if err := pipeline.Run(t.Context(), src, sink, run); err != nil {
			t.Fatal(err)
		}
		for i, n := range sizes {
			// Each stream may have applied a record when the flush became due.
			if n > 1000+streams || n < 1000 && i < len(sizes)-streams {
				t.Errorf("%d streams: flush %d of %d has %d rows, want 1000 to %d", streams, i+1, len(sizes), n, 1000+streams)
			}
		}
		for partition := range streams {
			next := int64(0)
			for _, r := range sink.Ranges() {
				if r.Partition == int32(partition+1) && r.Records > 0 {
					if r.From != next {
						t.Errorf("partition %d: a range from %d, want %d", partition, r.From, next)
					}
					next = r.To + 1
				}
			}
			same(t, "records", int64(10_000), next)
		}
	}
}

// While a flush is written, the next one is filled, and no more than that.
func TestRunFillsOneFlushDuringAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		written := make(chan struct{})
		sink := &sets{MemorySink: pipeline.NewMemorySink(), write: func([]*pipeline.Batch) { <-written }}
		step := &counting{}
		run := options(0)
		run.FlushRows, run.NewStep = 100, func() pipeline.Step { return step }
		done := make(chan error)
		go func() { done <- pipeline.Run(t.Context(), pages(records(0, 300)), sink, run) }()
		synctest.Wait()
		if n := step.applied.Load(); n != 200 {
			t.Errorf("%d records were applied before the end of the first write, want 200", n)
		}
		close(written)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		same(t, "ranges", []string{
			"t/4 0-99 low 0, 100 records", "t/4 100-199 low 100, 100 records", "t/4 200-299 low 200, 100 records",
		}, spans(sink.MemorySink))
	})
}

// counting is a step that counts its records.
type counting struct {
	letters
	applied atomic.Int64
}

func (c *counting) Apply(rec *pipeline.Record, topic string, partition int32, out *rows.Set) {
	c.applied.Add(1)
	c.letters.Apply(rec, topic, partition, out)
}

// sets is a sink that observes the sets that are written.
type sets struct {
	*pipeline.MemorySink
	write func(set []*pipeline.Batch)
}

func (s *sets) Write(ctx context.Context, set ...*pipeline.Batch) error {
	s.write(set)
	return s.MemorySink.Write(ctx, set...)
}

// several is a source of partitions with the same records. All are assigned before one is read, and are read before one
// ends.
type several struct {
	n            int
	records      []pipeline.Record
	begun, ended sync.WaitGroup
}

func (s *several) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	var group errgroup.Group
	for i := range s.n {
		src := pages(s.records)
		src.partition = int32(i + 1)
		next, barriers := src.next, []*sync.WaitGroup{&s.begun, &s.ended}
		src.next = func(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
			barriers[0].Done()
			barriers[0].Wait()
			barriers = barriers[1:]
			return next(ctx, wait)
		}
		group.Go(func() error { return work(ctx, src) })
	}
	return group.Wait()
}

func TestRunLosesNothingWhenItIsToldToEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	sink := pipeline.NewMemorySink()
	src := &scripted{next: func(context.Context, time.Duration) ([]pipeline.Record, error) {
		cancel()
		return records(0, 7), nil
	}}
	if err := pipeline.Run(ctx, src, sink, options(0)); err != nil {
		t.Fatal(err)
	}
	same(t, "rows", upTo(7), offsets(sink))
	same(t, "commits", []int64{7}, src.commits)
}

func TestRunIsDoneAfterItsGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		src := &scripted{next: func(context.Context, time.Duration) ([]pipeline.Record, error) {
			cancel()
			return records(0, 7), nil
		}}
		start := time.Now()
		err := pipeline.Run(ctx, src, stuck{}, options(0))
		if err == nil {
			t.Error("no error, though nothing was written")
		}
		same(t, "time", 10*time.Second, time.Since(start))
	})
}

// stuck is a sink that does not answer.
type stuck struct{}

func (stuck) Write(ctx context.Context, _ ...*pipeline.Batch) error {
	<-ctx.Done()
	return ctx.Err()
}

// A partition is revoked while the Write is stuck, with less than half of a flush behind it and with more.
func TestRunDropsWhatIsRevoked(t *testing.T) {
	for _, n := range []int64{14, 17} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			src := pages(records(0, 7), records(7, n))
			next := src.next
			src.next = func(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
				r, err := next(ctx, wait)
				if len(r) > 0 && r[0].Offset == 7 {
					go func() {
						time.Sleep(time.Second) // Write has begun by then.
						src.cancel(pipeline.ErrRevoked)
					}()
				}
				return r, err
			}
			if err := pipeline.Run(t.Context(), src, stuck{}, options(0)); err != nil {
				t.Errorf("got %v, want nil", err)
			}
			same(t, "time", time.Second, time.Since(start))
			same(t, "commits", nil, src.commits)
		})
	}
}

// The stream learns of the failed write before it learns that it was revoked.
func TestRunDropsAWriteThatTheRevocationCanceled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := pages(records(0, 14), records(14, 30))
		next := src.next
		src.next = func(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
			r, err := next(ctx, wait)
			if len(r) > 0 && r[0].Offset == 14 {
				time.Sleep(time.Second) // Write has begun by then.
				src.cancel(pipeline.ErrRevoked)
				time.Sleep(time.Second) // Write has failed by then.
			}
			return r, err
		}
		if err := pipeline.Run(t.Context(), src, stuck{}, options(0)); err != nil {
			t.Errorf("got %v, want nil", err)
		}
		same(t, "commits", nil, src.commits)
	})
}

func TestRunWritesUntilItIsWritten(t *testing.T) {
	sink := pipeline.NewMemorySink()
	var failures, told int
	sink.Fail = func(*pipeline.Batch) (bool, error) {
		failures++
		if failures%3 != 0 {
			return failures%3 == 1, errors.New("no answer")
		}
		return false, nil
	}
	opt := options(0)
	opt.Hooks.WriteFailed = func(string, int32, error) { told++ }
	opt.Retry = func(context.Context, int, error) error { return nil }
	if err := pipeline.Run(t.Context(), pages(records(0, 25)), sink, opt); err != nil {
		t.Fatal(err)
	}
	same(t, "rows", upTo(25), offsets(sink))
	same(t, "failures told", 6, told)

	opt.Retry = nil
	src := pages(records(0, 25))
	if err := pipeline.Run(t.Context(), src, sink, opt); err == nil {
		t.Error("no error without Retry")
	}
	same(t, "commits of what was not written", nil, src.commits)
}

func TestRunOutlivesFailedCommits(t *testing.T) {
	sink := pipeline.NewMemorySink()
	src := pages(records(0, 25))
	src.refuse = errors.New("timed out")
	var failed atomic.Int32
	opt := options(0)
	opt.Hooks.CommitFailed = func(string, int32, error) { failed.Add(1) }
	if err := pipeline.Run(t.Context(), src, sink, opt); err != nil {
		t.Fatal(err)
	}
	same(t, "rows", upTo(25), offsets(sink))
	same(t, "failures told", 3, failed.Load())
}

func TestRunGoesOnBehindAGap(t *testing.T) {
	sink := pipeline.NewMemorySink()
	gap := pipeline.Record{Offset: 3, Bad: &pipeline.GapError{From: 3, To: 99}}
	src := pages(records(0, 3), []pipeline.Record{gap}, records(100, 102))
	if err := pipeline.Run(t.Context(), src, sink, options(0)); err != nil {
		t.Fatal(err)
	}
	same(t, "ranges", []string{"t/4 0-101 low 0, 6 records"}, spans(sink))

	src = pages([]pipeline.Record{gap})
	if err := pipeline.Run(t.Context(), src, sink, options(0)); err != nil {
		t.Fatal(err)
	}
	same(t, "commits", []int64{100}, src.commits)
}

func TestRunKeepsWhatCameBeforeAnError(t *testing.T) {
	sink := pipeline.NewMemorySink()
	src := pages(records(0, 4))
	broken := errors.New("broken")
	next := src.next
	src.next = func(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
		r, err := next(ctx, wait)
		if err != nil {
			err = broken
		}
		return r, err
	}
	if err := pipeline.Run(t.Context(), src, sink, options(0)); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	same(t, "rows", upTo(4), offsets(sink))
}

func TestRunTellsWhatItDoes(t *testing.T) {
	sink := pipeline.NewMemorySink()
	src := pages(records(0, 10), records(10, 15))
	src.lag = 77
	var rows, lags int
	opt := options(0)
	opt.Hooks.Flushed = func(f pipeline.Flush) {
		rows += f.Batch.Len()
		if f.Durable.IsZero() {
			t.Error("no time")
		}
		if _, ok := f.Latency(); ok {
			t.Error("a latency without an event")
		}
	}
	opt.Hooks.Lag = func(_ string, _ int32, n int64) { lags += int(n) }
	if err := pipeline.Run(t.Context(), src, sink, opt); err != nil {
		t.Fatal(err)
	}
	same(t, "rows", 15, rows)
	same(t, "lags", 3*77, lags)
}

func TestFlushLatencyIsThatOfTheOldestEvent(t *testing.T) {
	b := &pipeline.Batch{}
	b.Events.At = []int64{2e9, 1e9, 3e9}
	got, ok := pipeline.Flush{Batch: b, Durable: time.Unix(5, 0)}.Latency()
	if !ok || got != 4*time.Second {
		t.Errorf("got %v, %v", got, ok)
	}
}
