package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Step folds the records of one stream into rows.
type Step interface {
	// Apply never fails: what is wrong with a record becomes rows of the batch.
	Apply(rec *Record, topic string, partition int32, b *Batch)
	// Low is the first offset that a restart must read again, where next is the first one not yet applied.
	Low(next int64) int64
	// Finish releases what a finite stream's end releases.
	Finish(b *Batch)
}

// RunOptions say how a Run flushes. NewStep and Now are needed.
type RunOptions struct {
	// NewStep makes the state of one stream; it is called anew whenever a partition is given.
	NewStep func() Step
	// Now is the clock of flushes and measurements. Rows never depend on it.
	Now func() time.Time

	FlushRows  int           // rows that make a flush; 5,000 for 0
	FlushEvery time.Duration // age of the oldest unflushed record that makes one; 500 ms for 0
	Grace      time.Duration // for the last flush when the run is told to end; 10 s for 0

	// Retry is asked after each failed Write, with the number of failures of this batch. It waits
	// as it sees fit and returns nil for another attempt, or the error that ends the run. Without
	// it the first failure ends the run.
	Retry func(ctx context.Context, failures int, err error) error

	Hooks Hooks
}

// Hooks are told what happens; each may be nil. They are called from the goroutines of all streams.
type Hooks struct {
	Flushed func(Flush)
	// WriteFailed is called before Retry.
	WriteFailed func(topic string, partition int32, err error)
	// CommitFailed costs a longer replay after a restart, nothing else.
	CommitFailed func(topic string, partition int32, err error)
	// Lag is the number of records that the log has beyond the last one given to the engine. It is
	// told after each read of a stream that knows it.
	Lag func(topic string, partition int32, records int64)
}

// Flush is one batch made durable.
type Flush struct {
	Batch   *Batch        // valid during the call
	Took    time.Duration // the Write, with its repetitions
	Durable time.Time
}

// Latency is the time from the oldest event of the batch to durable rows, by the devices' clocks;
// false if the batch has no event.
func (f Flush) Latency() (time.Duration, bool) {
	at := f.Batch.Events.At
	if len(at) == 0 {
		return 0, false
	}
	oldest := at[0]
	for _, a := range at[1:] {
		oldest = min(oldest, a)
	}
	return f.Durable.Sub(time.Unix(0, oldest)), true
}

// Lagger is a Stream that knows how far behind its log it is.
type Lagger interface {
	// Lag is the number of records not yet given by Next.
	Lag() int64
}

// Run moves everything that the source gives through steps into the sink. It returns nil when all
// streams have ended, and also when ctx is done and what was read until then is durable. While a
// Write is pending its stream reads nothing.
//
// A batch is a run of records without a hole: its Range starts where the one before ended. Rows
// that only the end of a finite stream releases may come with an empty Range, To being From-1.
func Run(ctx context.Context, src Source, sink Sink, opt RunOptions) error {
	opt.FlushRows = cmp.Or(opt.FlushRows, 5000)
	opt.FlushEvery = cmp.Or(opt.FlushEvery, 500*time.Millisecond)
	opt.Grace = cmp.Or(opt.Grace, 10*time.Second)
	return src.Consume(ctx, func(ctx context.Context, s Stream) error {
		f := flow{stream: s, sink: sink, step: opt.NewStep(), opt: opt, committed: -1}
		return f.run(ctx)
	})
}

// flow is one stream on its way.
type flow struct {
	stream Stream
	sink   Sink
	step   Step
	opt    RunOptions

	batch     Batch
	begun     bool      // a record was applied
	from      int64     // first offset of the batch
	next      int64     // first offset not yet applied
	oldest    time.Time // when the first record of the batch was applied
	committed int64
}

func (f *flow) run(ctx context.Context) error {
	late, stop := linger(ctx, f.opt.Grace)
	defer stop()
	if err := f.loop(ctx, late); !errors.Is(err, ErrRevoked) {
		return err
	}
	return nil
}

func (f *flow) loop(ctx, late context.Context) error {
	for {
		records, err := f.stream.Next(ctx, f.wait())
		for i := range records {
			if f.apply(&records[i]); f.batch.Rows() < f.opt.FlushRows {
				continue
			}
			if err := f.flush(ctx, late); err != nil {
				return err
			}
		}
		f.tellLag()
		switch {
		case revoked(ctx):
			return ErrRevoked
		case errors.Is(err, io.EOF):
			f.step.Finish(&f.batch)
			return f.flush(ctx, late)
		case ctx.Err() != nil:
			return f.flush(ctx, late)
		case err != nil:
			return errors.Join(err, f.flush(ctx, late))
		}
		if f.batch.Range.Records > 0 && f.wait() == 0 {
			if err := f.flush(ctx, late); err != nil {
				return err
			}
		}
	}
}

// wait is how long the batch may still grow.
func (f *flow) wait() time.Duration {
	if f.batch.Range.Records == 0 {
		return f.opt.FlushEvery
	}
	return max(0, f.opt.FlushEvery-f.opt.Now().Sub(f.oldest))
}

func (f *flow) apply(rec *Record) {
	if !f.begun {
		f.begun, f.from = true, rec.Offset
	}
	if f.batch.Range.Records == 0 {
		f.oldest = f.opt.Now()
	}
	f.step.Apply(rec, f.stream.Topic(), f.stream.Partition(), &f.batch)
	f.batch.Range.Records++
	f.next = rec.Offset + 1
	if gap := (*GapError)(nil); errors.As(rec.Bad, &gap) {
		f.next = gap.To + 1
	}
}

// flush makes the batch durable and commits. It does nothing for an empty batch, and gives up
// with ErrRevoked when the partition is another's.
func (f *flow) flush(ctx, late context.Context) error {
	if f.batch.Range.Records == 0 && f.batch.Rows() == 0 {
		return nil
	}
	r := &f.batch.Range
	r.Topic, r.Partition, r.From, r.To = f.stream.Topic(), f.stream.Partition(), f.from, f.next-1
	r.Low = f.step.Low(f.next)
	began := f.opt.Now()
	for failures := 1; ; failures++ {
		err := f.sink.Write(late, &f.batch)
		if err == nil {
			break
		}
		if f.opt.Hooks.WriteFailed != nil {
			f.opt.Hooks.WriteFailed(r.Topic, r.Partition, err)
		}
		if late.Err() == nil && f.opt.Retry != nil {
			err = f.opt.Retry(late, failures, err)
		}
		switch {
		case revoked(ctx):
			return ErrRevoked
		case err != nil:
			return fmt.Errorf("write offsets %d to %d of topic %s, partition %d: %w", r.From, r.To, r.Topic, r.Partition, err)
		}
	}
	if h := f.opt.Hooks.Flushed; h != nil {
		now := f.opt.Now()
		h(Flush{Batch: &f.batch, Took: now.Sub(began), Durable: now})
	}
	f.commit(late, r)
	f.from = f.next
	f.batch.Reset()
	return nil
}

func (f *flow) commit(ctx context.Context, r *Range) {
	if !f.begun || r.Low == f.committed {
		return
	}
	if err := f.stream.Commit(ctx, r.Low); err != nil {
		if h := f.opt.Hooks.CommitFailed; h != nil {
			h(r.Topic, r.Partition, err)
		}
		return
	}
	f.committed = r.Low
}

func (f *flow) tellLag() {
	if l, ok := f.stream.(Lagger); ok && f.opt.Hooks.Lag != nil {
		f.opt.Hooks.Lag(f.stream.Topic(), f.stream.Partition(), l.Lag())
	}
}

func revoked(ctx context.Context) bool { return errors.Is(context.Cause(ctx), ErrRevoked) }

// linger is a context that outlives ctx by grace, so that SIGTERM loses nothing; when the partition
// is revoked it ends at once, for the insert of a former owner helps no one.
func linger(ctx context.Context, grace time.Duration) (context.Context, func()) {
	out, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if revoked(ctx) {
			cancel(ErrRevoked)
			return
		}
		end, release := context.WithTimeout(out, grace)
		defer release()
		<-end.Done()
		cancel(context.Cause(end))
	})
	return out, func() {
		stop()
		cancel(nil)
	}
}
