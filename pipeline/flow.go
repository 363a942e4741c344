package pipeline

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync/atomic"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// flow is one stream on its way to the sink.
type flow struct {
	stream Stream
	sink   Sink
	step   Step
	opt    RunOptions
	// streams is the number of streams that share FlushRows.
	streams *atomic.Int32

	castagnoli *crc32.Table

	batch      Batch
	begun      bool      // a record was applied
	from       int64     // first offset of the batch
	next       int64     // first offset not yet applied
	low, clock int64     // of the step at from
	generation int32     // with a journal
	epoch      uint32    // with a journal
	oldest     time.Time // when the first record of the batch was applied
	found      time.Time // when its first finding was noticed
	bytes      int       // of its records
	committed  int64

	beside beside

	last    Range     // the last flush, with a journal
	waiting []Waiting // holes that are open
}

// beside are rows that go into the next flush and are no part of what its range gives: findings about the log and the
// journal, and snapshots that another release did not write.
type beside struct {
	findings  []finding.Finding
	snapshots []rows.Snapshot
}

// run resumes the stream where it was left, then moves its records. If the log turns out to be truncated it resumes
// again, where the log still has what was audited.
func (f *flow) run(ctx context.Context) error {
	late, stop := linger(ctx, f.opt.Grace)
	defer stop()
	truncated := (*CutError)(nil)
	for {
		rest, ended, err := f.resume(ctx, late, truncated)
		if err == nil && !ended {
			err = f.move(ctx, late, rest)
		}
		if f.opt.Journal == nil || !errors.As(err, &truncated) {
			return f.outcome(ctx, err)
		}
		*f = flow{
			stream: f.stream, sink: f.sink, step: f.opt.NewStep(), opt: f.opt, streams: f.streams, committed: f.committed,
			castagnoli: f.castagnoli,
		}
	}
}

// outcome is the error with which a stream ends. What a journal has is not lost: the next start makes it again.
func (f *flow) outcome(ctx context.Context, err error) error {
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

// page is what one call of Next returned. Its zero value was not read.
type page struct {
	records []Record
	err     error
	read    bool
}

func (f *flow) read(ctx context.Context, wait time.Duration) page {
	records, err := f.stream.Next(ctx, wait)
	return page{records, err, true}
}

// move applies records and flushes, first the rest of a page that was read.
func (f *flow) move(ctx, late context.Context, p page) error {
	for ; ; p.read = false {
		if !p.read {
			p = f.read(ctx, f.wait())
		}
		for i := range p.records {
			flushed, err := f.take(ctx, late, &p.records[i])
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
		case errors.Is(p.err, io.EOF):
			f.step.Finish(&f.batch.Set)
			return f.flush(ctx, late)
		case ctx.Err() != nil:
			return f.flush(ctx, late)
		case p.err != nil:
			failed := f.flush(ctx, late)
			if failed != nil && errors.As(p.err, new(*CutError)) {
				return failed // what was read is not durable: there is nothing to go back to yet
			}
			return errors.Join(p.err, failed)
		}
		if f.batch.Range.Records > 0 && f.wait() == 0 {
			if err := f.flush(ctx, late); err != nil {
				return err
			}
		}
		if err := f.release(ctx, late); err != nil {
			return err
		}
	}
}

// wait is how long the batch may still grow. Without a record it is how often the flow reports its state.
func (f *flow) wait() time.Duration {
	if f.batch.Range.Records == 0 {
		return min(f.opt.FlushFindings, f.opt.FlushEvery)
	}
	now := f.opt.Now()
	wait := f.opt.FlushEvery - now.Sub(f.oldest)
	if len(f.batch.Findings) > 0 && !f.behind() {
		if f.found.IsZero() {
			f.found = now
		}
		wait = min(wait, f.opt.FlushFindings-now.Sub(f.found))
	}
	return max(0, wait)
}

// take applies a record, and flushes when the batch is full.
func (f *flow) take(ctx, late context.Context, rec *Record) (flushed bool, err error) {
	if f.apply(rec); !f.full() {
		return false, nil
	}
	return true, f.flush(ctx, late)
}

// behind is true while the log has another flush of records: a finding of the past gains nothing from a small one.
func (f *flow) behind() bool {
	l, ok := f.stream.(Lagger)
	return ok && l.Lag() >= minShare
}

// minShare is the number of rows that make a flush however many streams there are: smaller inserts cost more per row.
const minShare = 5000

// full is true also for a batch of few rows and many bytes: the snapshot of a table whose shoe is open, or a foreign
// record, may have half a MiB.
func (f *flow) full() bool {
	share := max(f.opt.FlushRows/int(max(1, f.streams.Load())), min(f.opt.FlushRows, minShare))
	bytes := f.bytes
	for i := range f.batch.Snapshots {
		bytes += len(f.batch.Snapshots[i].State)
	}
	return f.batch.Len() >= share || bytes >= share<<9
}

func (f *flow) apply(rec *Record) {
	if !f.begun {
		f.begun, f.from = true, rec.Offset
	}
	r := &f.batch.Range
	if r.Records == 0 {
		f.oldest, f.found, f.bytes = f.opt.Now(), time.Time{}, 0
	}
	f.bytes += len(rec.Value)
	dead := len(f.batch.DeadLetters)
	f.step.Apply(rec, f.stream.Topic(), f.stream.Partition(), &f.batch.Set)
	if r.Records++; f.opt.Journal != nil {
		stored := rec.Value
		if len(f.batch.DeadLetters) > dead { // It has the first bytes of a long record.
			stored = f.batch.DeadLetters[dead].Raw
		}
		r.CRC = crcOf(r.CRC, f.castagnoli, rec.Offset, stored)
	}
	f.next = rec.Offset + 1
	if gap := (*GapError)(nil); errors.As(rec.Bad, &gap) {
		f.next = gap.To + 1
	}
}

// flush makes the batch durable and commits. It does nothing for an empty batch, and gives up with ErrRevoked when the
// partition was reassigned.
func (f *flow) flush(ctx, late context.Context) error {
	if f.batch.Range.Records == 0 && f.batch.Len() == 0 {
		return nil
	}
	f.seal()
	return f.write(ctx, late)
}

// seal completes the range of the batch.
func (f *flow) seal() {
	r := &f.batch.Range
	r.Topic, r.Partition, r.From, r.To = f.stream.Topic(), f.stream.Partition(), f.from, f.next-1
	r.Low, r.Clock, r.Generation, r.Epoch = f.low, f.clock, f.generation, f.epoch
	if r.Low < 0 || !f.begun {
		r.Low = r.From
	}
	if f.opt.Journal != nil {
		r.Rows, r.Hash = uint64(f.batch.Len()), f.batch.Hash()
	}
}

// write makes a sealed batch durable, with the rows beside it.
func (f *flow) write(ctx, late context.Context) error {
	r := &f.batch.Range
	r.Beside = len(f.beside.findings) + len(f.beside.snapshots)
	f.batch.Findings = append(f.batch.Findings, f.beside.findings...)
	f.batch.Snapshots = append(f.batch.Snapshots, f.beside.snapshots...)
	f.beside = beside{}
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
	f.last = *r
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

// linger is a context that outlives ctx by grace, so that SIGTERM loses nothing. When the partition is revoked it ends
// at once: an insert of the former owner helps no one.
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
