package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Step folds the records of one stream into rows.
type Step interface {
	// Apply never fails: what is wrong with a record becomes rows of the batch.
	Apply(rec *Record, topic string, partition int32, out *rows.Set)
	// Low is the first offset that a restart must read again, where next is the first one not yet applied,
	// and the partition's clock before it.
	Low(next int64) (low, clock int64)
	// Finish releases what a finite stream's end releases.
	Finish(out *rows.Set)
}

// RunOptions control the flushes of a Run. NewStep and Now are required.
type RunOptions struct {
	// NewStep makes the state of one stream; it is called for each assignment of a partition.
	NewStep func() Step
	// Now is the clock of flushes and measurements. Rows never depend on it.
	Now func() time.Time

	FlushRows  int           // rows that make a flush, or half a KiB for each of so many; 5,000 for 0
	FlushEvery time.Duration // age of the oldest unflushed record that makes one; 500 ms for 0
	Grace      time.Duration // for the last flush after ctx is done; 10 s for 0

	// Journal, if not nil, has the last flush of each stream, from which the stream resumes: the records that the Step
	// needs are applied and their rows discarded, then the last flush is made again, and Write is called with the same
	// Range and rows. The Step must be a Restorer, the Stream Positioned.
	Journal Journal

	// Retry is called after each failed Write, with the number of failures of this batch. It waits, then returns nil for
	// another attempt, or the error that ends the run. Without Retry the first failure ends the run.
	Retry func(ctx context.Context, failures int, err error) error

	Hooks Hooks
}

// Hooks observe a run; each may be nil. They are called from the goroutines of all streams.
type Hooks struct {
	Flushed func(Flush)
	// WriteFailed is called before Retry.
	WriteFailed func(topic string, partition int32, err error)
	// CommitFailed costs a longer replay after a restart, nothing else.
	CommitFailed func(topic string, partition int32, err error)
	// Resumed is called when a stream has resumed after its last flush.
	Resumed func(topic string, partition int32, r Resume)
	// Unconfirmed is called for a last flush whose outcome is unknown at the end of the grace period. The journal has
	// it, so that the next start makes it again.
	Unconfirmed func(topic string, partition int32, err error)
	// Lag is called after each read of a Lagger, with the number of records in the log after the last one that the
	// engine received.
	Lag func(topic string, partition int32, records int64)
}

// Resume describes how a stream resumed.
type Resume struct {
	// Cut to Lost are offsets that were audited and that the log has lost; both are usually 0.
	Cut, Lost int64
	// Low is where reading began, -1 for the first record of the log; From to To was made again.
	Low, From, To int64
	Again         uint64 // records that were read again, including the range
	Tables        int    // restored from snapshots
	// Forgotten is the reason why no snapshot could be used, usually nil.
	Forgotten error
	// Differs describes how the range differs from the journal, usually empty.
	Differs string
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

// Run moves the records of the source through steps into the sink. It returns nil when all streams have ended, and also
// when ctx is done and everything read until then is durable. While a Write is pending its stream reads nothing.
//
// A batch is a run of records without a hole: its Range starts where the one before ended. Rows
// that only the end of a finite stream releases may come with an empty Range, To being From-1.
func Run(ctx context.Context, src Source, sink Sink, opt RunOptions) error {
	opt.FlushRows = cmp.Or(opt.FlushRows, 5000)
	opt.FlushEvery = cmp.Or(opt.FlushEvery, 500*time.Millisecond)
	opt.Grace = cmp.Or(opt.Grace, 10*time.Second)
	return src.Consume(ctx, func(ctx context.Context, s Stream) error {
		f := flow{
			stream: s, sink: sink, step: opt.NewStep(), opt: opt, committed: -1,
			castagnoli: crc32.MakeTable(crc32.Castagnoli),
		}
		return f.run(ctx)
	})
}

// flow moves one stream into the sink.
type flow struct {
	stream Stream
	sink   Sink
	step   Step
	opt    RunOptions

	castagnoli *crc32.Table

	batch      Batch
	begun      bool      // a record was applied
	from       int64     // first offset of the batch
	next       int64     // first offset not yet applied
	low, clock int64     // result of Low at from
	generation int32     // with a journal
	oldest     time.Time // when the first record of the batch was applied
	bytes      int       // of its records
	committed  int64

	cut      *CutError // the log turned out to end too early
	resuming *resuming // until the last flush was made again
	epoch    uint32
	told     []finding.Finding // about the machine

	earlier []rows.Snapshot // snapshots of records before the range that is made again
}

func (f *flow) run(ctx context.Context) error {
	late, stop := linger(ctx, f.opt.Grace)
	defer stop()
	var err error
	for again := true; again; {
		if err = f.resume(ctx); err == nil {
			err = f.loop(ctx, late)
		}
		again = f.isCut(err)
	}
	switch {
	case errors.Is(err, ErrRevoked):
		return nil
	case err != nil && ctx.Err() != nil && f.opt.Journal != nil:
		if h := f.opt.Hooks.Unconfirmed; h != nil {
			h(f.stream.Topic(), f.stream.Partition(), err)
		}
		return nil
	}
	return err
}

func (f *flow) loop(ctx, late context.Context) error {
	for {
		records, err := f.stream.Next(ctx, f.wait())
		for i := range records {
			flushed, err := f.take(ctx, late, &records[i])
			if err != nil {
				return err
			}
			if flushed && ctx.Err() != nil {
				break // the rest of the page is read again
			}
		}
		f.reportLag()
		switch {
		case revoked(ctx):
			return ErrRevoked
		case f.resuming != nil && (errors.Is(err, io.EOF) || ctx.Err() != nil):
			return nil // the journal has what is not made again
		case errors.Is(err, io.EOF):
			f.step.Finish(&f.batch.Set)
			return f.flush(ctx, late)
		case ctx.Err() != nil:
			return f.flush(ctx, late)
		case err != nil && f.resuming != nil:
			return err
		case err != nil:
			failed := f.flush(ctx, late)
			if failed != nil && errors.As(err, new(*CutError)) {
				return failed // The records are not durable: there is no offset to resume from.
			}
			return errors.Join(err, failed)
		}
		if f.resuming == nil && f.batch.Range.Records > 0 && f.wait() == 0 {
			if err := f.flush(ctx, late); err != nil {
				return err
			}
		}
	}
}

// wait is how long the batch may still grow.
func (f *flow) wait() time.Duration {
	if f.batch.Range.Records == 0 || f.resuming != nil {
		return f.opt.FlushEvery
	}
	return max(0, f.opt.FlushEvery-f.opt.Now().Sub(f.oldest))
}

// take applies a record, and flushes when the batch is full.
func (f *flow) take(ctx, late context.Context, rec *Record) (flushed bool, err error) {
	if f.resuming != nil {
		return f.again(ctx, late, rec)
	}
	if f.apply(rec); !f.full() {
		return false, nil
	}
	return true, f.flush(ctx, late)
}

// full reports whether the batch has enough rows or bytes: a snapshot of a table with an open shoe, or a foreign
// record,
// may take half a MiB.
func (f *flow) full() bool {
	bytes := f.bytes
	for i := range f.batch.Snapshots {
		bytes += len(f.batch.Snapshots[i].State)
	}
	return f.batch.Len() >= f.opt.FlushRows || bytes >= f.opt.FlushRows<<9
}

func (f *flow) apply(rec *Record) {
	if !f.begun {
		f.begun, f.from = true, rec.Offset
	}
	r := &f.batch.Range
	if r.Records == 0 {
		f.oldest, f.bytes = f.opt.Now(), 0
	}
	f.bytes += len(rec.Value)
	f.step.Apply(rec, f.stream.Topic(), f.stream.Partition(), &f.batch.Set)
	if r.Records++; f.opt.Journal != nil {
		r.CRC = crcOf(r.CRC, f.castagnoli, rec)
	}
	f.next = rec.Offset + 1
	if gap := (*GapError)(nil); errors.As(rec.Bad, &gap) {
		f.next = gap.To + 1
	}
}

// flush makes the batch durable and commits. It does nothing for an empty batch, and gives up
// with ErrRevoked when the partition has another owner.
func (f *flow) flush(ctx, late context.Context) error {
	if f.batch.Range.Records == 0 && f.batch.Len() == 0 {
		return nil
	}
	r := &f.batch.Range
	r.Topic, r.Partition, r.From, r.To = f.stream.Topic(), f.stream.Partition(), f.from, f.next-1
	r.Low, r.Clock, r.Generation, r.Epoch = f.low, f.clock, f.generation, f.epoch
	if r.Low < 0 || !f.begun {
		r.Low = r.From
	}
	if f.opt.Journal != nil {
		r.Rows, r.Hash = uint64(f.batch.Len()), f.batch.Hash()
	}
	if f.resuming != nil {
		if err := f.compare(r); err != nil {
			return err
		}
	}
	// Findings about the machine and earlier snapshots are not rows of the range.
	r.Told = len(f.told) + len(f.earlier)
	f.batch.Findings, f.batch.Snapshots = append(f.batch.Findings, f.told...), append(f.batch.Snapshots, f.earlier...)
	f.told, f.earlier = nil, nil
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
	f.low, f.clock = f.step.Low(f.next)
	f.commit(late)
	f.from = f.next
	f.batch.Reset()
	return nil
}

func (f *flow) commit(ctx context.Context) {
	if !f.begun || f.low == f.committed {
		return
	}
	if err := f.stream.Commit(ctx, f.low); err != nil {
		if h := f.opt.Hooks.CommitFailed; h != nil {
			h(f.stream.Topic(), f.stream.Partition(), err)
		}
		return
	}
	f.committed = f.low
}

func (f *flow) reportLag() {
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
