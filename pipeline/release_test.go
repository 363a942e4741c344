package pipeline_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// pausing is a log in which nothing comes for a while before the record at an offset: each page then takes
// ten seconds.
type pausing struct {
	topicOf
	before int64
	pauses int
	passed atomic.Int64 // s
}

func (l *pausing) now() time.Time { return time.Unix(1+l.passed.Load(), 0) }

func (l *pausing) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	ctx, l.cancel = context.WithCancelCause(ctx)
	defer l.cancel(nil)
	return work(ctx, l)
}

func (l *pausing) Next(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
	if l.at == l.before && l.pauses > 0 {
		l.passed.Add(10)
		l.pauses--
		return nil, nil
	}
	all := l.values
	if l.at < l.before {
		l.values = all[:l.before]
	}
	page, err := l.topicOf.Next(ctx, wait)
	l.values = all
	return page, err
}

// Events behind a hole are released after a bound of the clock, without a further record. A run that is killed before,
// during and after the release leaves the rows of an uninterrupted one.
func TestHoleIsGivenUpByTheClock(t *testing.T) {
	opt := enginetest.Options()
	opt.Idle, opt.Stretch = time.Hour, 3000
	floor := enginetest.Casino(t, 2)
	hole := len(floor[0]) / 2
	quiet := int64(0)
	late := floor[0][hole]
	floor[0] = slices.Delete(floor[0], hole, hole+1)[:hole+20]
	for _, events := range floor {
		quiet += int64(len(events))
	}
	events := append(enginetest.Mixed(floor, rand.New(rand.NewPCG(1, 2))), late)
	values := enginetest.Encode(events)
	run := func(t *testing.T, sink *pipeline.MemorySink, src *pausing) (released []engine.Held, err error) {
		t.Helper()
		o := journaled(sink, opt)
		o.Now, o.ReleaseAfter = src.now, time.Minute
		o.Hooks.Released = func(_ string, _ int32, h engine.Held) { released = append(released, h) }
		o.Hooks.Resumed = func(_ string, _ int32, r pipeline.Resume) {
			if r.Differs != "" {
				t.Error(r.Differs)
			}
		}
		return released, pipeline.Run(t.Context(), src, sink, o)
	}
	log := func(page, stop int) *pausing {
		return &pausing{
			topicOf: topicOf{values: values, page: page, stop: stop}, before: quiet, pauses: 20,
		}
	}
	golden := pipeline.NewMemorySink()
	released, err := run(t, golden, log(100, 0))
	if err != nil {
		t.Fatal(err)
	}
	if len(released) != 1 || released[0].TableID != floor[0][0].TableID || released[0].Missing != uint64(hole+1) ||
		released[0].Events != 20 {
		t.Fatalf("released %+v, want 20 events of one table", released)
	}
	found := slices.ContainsFunc(golden.Ranges(), func(r pipeline.Range) bool {
		return len(r.Released) == 1 && r.To == quiet-1 && r.Rows > 0
	})
	if !found {
		t.Error("the journal has no release after the last record before the pause")
	}
	want := allRows(golden)
	for seed := range uint64(enginetest.Soak(30, 2000)) {
		rng, lost := rand.New(rand.NewPCG(seed, 4)), errors.New("no answer")
		sink := pipeline.NewMemorySink()
		sink.Fail = func(b *pipeline.Batch) (bool, error) {
			if rng.IntN(12) == 0 || len(b.Range.Released) > 0 && rng.IntN(2) == 0 {
				return rng.IntN(2) == 0, lost
			}
			return false, nil
		}
		for done := false; !done; {
			src := log(1+rng.IntN(200), 1+rng.IntN(3*len(values)))
			_, err := run(t, sink, src)
			if err != nil && !errors.Is(err, lost) {
				t.Fatal(err)
			}
			done = err == nil && src.given < src.stop
		}
		if d := cmp.Diff(want, allRows(sink)); d != "" {
			t.Fatalf("seed %d (-golden +got):\n%.3000s", seed, d)
		}
	}
}

// A start without a readable snapshot reads from the first record and makes the earlier releases of the journal again:
// the rows are the same, though no clock gives up the hole a second time.
func TestReleasesAreMadeAgain(t *testing.T) {
	opt := enginetest.Options()
	opt.Idle, opt.Stretch = time.Hour, 3000
	floor := enginetest.Casino(t, 2)
	hole, half := len(floor[0])/2, len(floor[1])/4
	late, before := floor[0][hole], slices.Concat(floor[0][:hole], floor[0][hole+1:hole+21], floor[1][:half])
	values := enginetest.Encode(append(append(before, late), floor[1][half:]...))
	start := func(t *testing.T, sink *pipeline.MemorySink, journal pipeline.Journal, pauses, stop int) (released int) {
		t.Helper()
		src := &pausing{
			topicOf: topicOf{values: values, page: 20, stop: stop}, before: int64(len(before)), pauses: pauses,
		}
		o := journaled(sink, opt)
		o.FlushRows, o.Journal, o.Now, o.ReleaseAfter = 60, journal, src.now, time.Minute
		o.Hooks.Released = func(string, int32, engine.Held) { released++ }
		if err := pipeline.Run(t.Context(), src, sink, o); err != nil {
			t.Fatal(err)
		}
		return released
	}
	golden, sink := pipeline.NewMemorySink(), pipeline.NewMemorySink()
	if n := start(t, golden, golden, 20, 0); n != 1 {
		t.Fatalf("%d releases, want 1", n)
	}
	start(t, sink, sink, 20, len(before)+2*half)
	last, _, _, err := sink.Last(t.Context(), "test", 0, math.MaxInt64)
	if err != nil || len(last.Released) > 0 || last.From <= int64(len(before)) {
		t.Fatalf("the last range is %d to %d with %d releases, %v: want one long after the release", last.From, last.To,
			len(last.Released), err)
	}
	if n := start(t, sink, unreadable{sink}, 0, 0); n != 0 {
		t.Errorf("%d releases by the clock of the second run", n)
	}
	if diff := cmp.Diff(allRows(golden), allRows(sink)); diff != "" {
		t.Errorf("(-golden +got):\n%.3000s", diff)
	}
}

// Events before the closing of a table wait for no clock: nothing follows that could make room.
func TestClosingReleases(t *testing.T) {
	opt := enginetest.Options()
	events := enginetest.Casino(t, 1)[0]
	hole := len(events) - 10
	closed := events[len(events)-1].Clone()
	closed.Seq++
	closed.EventID += "-closed"
	closed.ShoeID, closed.Round, closed.Payload = "", 0, &schema.TableClosed{Reason: "end of the day"}
	events = append(slices.Delete(events, hole, hole+1), closed)
	for _, closing := range []bool{true, false} {
		given := events
		if !closing {
			given = events[:len(events)-1]
		}
		src := &pausing{
			topicOf: topicOf{values: enginetest.Encode(given), page: 100}, before: int64(len(given)), pauses: 3,
		}
		sink := pipeline.NewMemorySink()
		o := journaled(sink, opt)
		o.Now, o.ReleaseAfter = src.now, time.Minute
		released := 0
		o.Hooks.Released = func(string, int32, engine.Held) { released++ }
		if err := pipeline.Run(t.Context(), src, sink, o); err != nil {
			t.Fatal(err)
		}
		if closing != (released == 1) {
			t.Errorf("closing %v: %d releases within 30 s", closing, released)
		}
	}
}
