package pipeline_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/pipeline"
)

// pausing is a log in which nothing comes for a while before the record at an offset: each page then takes
// ten seconds.
type pausing struct {
	topicOf
	before int64
	pauses int
	now    time.Time
}

func (l *pausing) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	ctx, l.cancel = context.WithCancelCause(ctx)
	defer l.cancel(nil)
	return work(ctx, l)
}

func (l *pausing) Next(ctx context.Context, wait time.Duration) ([]pipeline.Record, error) {
	if l.at == l.before && l.pauses > 0 {
		l.now = l.now.Add(10 * time.Second)
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
		o.Now, o.ReleaseAfter = func() time.Time { return src.now }, time.Minute
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
			topicOf: topicOf{values: values, page: page, stop: stop}, before: quiet, pauses: 20, now: time.Unix(1, 0),
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
	for seed := range uint64(enginetest.Soak(120, 2000)) {
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
