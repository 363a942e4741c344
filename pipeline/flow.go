package pipeline

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// flow is one stream on its way to the sink.
type flow struct {
	stream Stream
	group  *group
	opt    RunOptions
	late   context.Context // outlives the work's by the grace

	castagnoli *crc32.Table

	// mu is for what the group takes: the step and all fields below, down to took.
	mu         sync.Mutex
	step       Step
	open       bool      // the batch may be taken after any record
	sealed     bool      // the batch has its range and may be taken
	due        bool      // the flow waits until the batch is taken
	batch      *Batch    // that is being filled
	spare      *Batch    // that is not in use
	begun      bool      // a record was applied
	from       int64     // first offset of the batch
	next       int64     // first offset not yet applied
	low, clock int64     // of the step at from
	generation int32     // with a journal
	epoch      uint32    // with a journal
	found      time.Time // when its first finding was noticed
	bytes      int       // of its records and snapshots
	weighed    int       // snapshots that are part of bytes
	load       int64     // of the batch, in the load of the group
	beside     beside
	elsewhere  []Played  // tables that have played in the partitions of the topic
	learned    time.Time // when that was read, and
	heard      int64     // next then
	flights    []*flight // in order; their outcome is not yet known to the flow
	failed     bool      // a batch was not written: none may follow
	took       chan struct{}

	committed int64
	last      Range     // the last durable flush, with a journal
	waiting   []Waiting // holes that are open
	catching  bool      // the stream was behind, and has not come to the end of its log since
}

// beside are rows that go into the next flush and are no part of what its range gives: findings about the log and the
// journal, and snapshots that another release did not write.
type beside struct {
	findings  []finding.Finding
	snapshots []rows.Snapshot
}

func newFlow(late context.Context, s Stream, g *group, committed int64) *flow {
	f := &flow{
		stream: s, group: g, opt: g.opt, late: late, step: g.opt.NewStep(), committed: committed,
		castagnoli: crc32.MakeTable(crc32.Castagnoli), batch: &Batch{}, spare: &Batch{}, took: make(chan struct{}, 1),
	}
	f.batch.Share(&g.blocks)
	f.spare.Share(&g.blocks)
	return f
}

// stream resumes a stream where it was left, then moves its records. If the log turns out to be truncated it resumes
// again, where the log still has what was audited.
func (g *group) stream(ctx context.Context, s Stream) error {
	late, stop := linger(ctx, g.opt.Grace)
	defer stop()
	truncated, committed := (*CutError)(nil), int64(-1)
	for {
		f := newFlow(late, s, g, committed)
		g.join(f)
		err := f.run(ctx, truncated)
		g.leave(f)
		if g.opt.Journal == nil || !errors.As(err, &truncated) {
			return f.outcome(ctx, err)
		}
		committed = f.committed
	}
}

func (f *flow) run(ctx context.Context, truncated *CutError) error {
	rest, ended, err := f.resume(ctx, truncated)
	if err != nil || ended {
		return err
	}
	f.mu.Lock()
	f.open = true
	f.mu.Unlock()
	return f.move(ctx, rest)
}

// outcome is the error with which a stream ends. What a journal has is not lost: the next start makes it again.
func (f *flow) outcome(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, ErrRevoked), errors.Is(err, ErrAgain) && ctx.Err() != nil:
		return nil
	case errors.Is(err, ErrAgain):
		return err
	case err != nil && ctx.Err() != nil && f.opt.Journal != nil:
		if h := f.opt.Hooks.Unconfirmed; h != nil {
			h(f.stream.Topic(), f.stream.Partition(), err)
		}
		return nil
	case revoked(ctx): // the write was canceled: the new owner makes its rows
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
func (f *flow) move(ctx context.Context, p page) error {
	for ; ; p.read = false {
		if !p.read {
			p = f.read(ctx, f.wait())
		}
		if err := f.release(ctx); err != nil {
			return err
		}
		if err := f.learn(ctx); err != nil {
			return err
		}
		for i := range p.records {
			flushed, err := f.add(ctx, &p.records[i])
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
			return f.end(ctx)
		case ctx.Err() != nil:
			return f.flush(ctx)
		case p.err != nil:
			failed := f.flush(ctx)
			if failed != nil && errors.As(p.err, new(*CutError)) {
				return failed // what was read is not durable: there is nothing to go back to yet
			}
			return errors.Join(p.err, failed)
		}
		if err := f.flushDue(ctx); err != nil {
			return err
		}
	}
}

// wait is how long the batch may still grow. Without a record it is how often the flow reports its state.
func (f *flow) wait() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.batch.Range.Records == 0 {
		return min(f.opt.FlushFindings, f.opt.FlushEvery)
	}
	now := f.opt.Now()
	wait := f.opt.FlushEvery - now.Sub(f.batch.Began)
	if len(f.batch.Findings) > 0 && !f.behind() {
		if f.found.IsZero() {
			f.found = now
		}
		wait = min(wait, f.opt.FlushFindings-now.Sub(f.found))
	}
	return max(0, wait)
}

// flushDue starts a flush if the batch is old enough or ends a backlog, and notes the outcome of earlier ones.
func (f *flow) flushDue(ctx context.Context) error {
	caughtUp := f.caughtUp()
	if err := f.settle(); err != nil || f.wait() > 0 && !caughtUp {
		return err
	}
	return f.handOver(ctx)
}

// caughtUp is true once when a stream that was behind comes to the end of its log.
func (f *flow) caughtUp() bool {
	switch {
	case f.behind():
		f.catching = true
	case f.catching && f.lag() == 0:
		f.catching = false
		return true
	}
	return false
}

// behind is true while the log has another flush of records: a finding of the past gains nothing from a small one.
func (f *flow) behind() bool { return f.lag() >= minBehind }

// lag is how many records the stream is behind its log, -1 if it does not know.
func (f *flow) lag() int64 {
	if l, ok := f.stream.(Lagger); ok {
		return l.Lag()
	}
	return -1
}

const minBehind = 5000

// add applies a record. If its batch is full then, or the batches of all streams, it waits until its own is taken.
func (f *flow) add(ctx context.Context, rec *Record) (flushed bool, err error) {
	if load := f.apply(rec); load >= f.group.share() || f.group.load.Load() >= int64(f.opt.FlushRows) {
		return true, f.handOver(ctx)
	}
	return false, nil
}

func (f *flow) apply(rec *Record) (load int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.begun {
		f.begun, f.from = true, rec.Offset
	}
	r := &f.batch.Range
	if r.Records == 0 {
		f.batch.Began, f.found, f.bytes, f.weighed = f.opt.Now(), time.Time{}, 0, 0
	}
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
	// A batch of few rows may have many bytes: the snapshot of a table whose shoe is open, or a foreign record, may have
	// half a MiB.
	f.bytes += len(rec.Value)
	for ; f.weighed < len(f.batch.Snapshots); f.weighed++ {
		f.bytes += len(f.batch.Snapshots[f.weighed].State)
	}
	if f.open {
		f.weigh(max(f.batch.Len(), f.bytes>>9))
	}
	return f.load
}

// weigh notes the load of the batch.
func (f *flow) weigh(load int) {
	f.group.load.Add(int64(load) - f.load)
	f.load = int64(load)
}

// finish releases what the end of a finite stream releases.
func (f *flow) finish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.step.Finish(&f.batch.Set)
}

// end makes durable what the end of a finite stream releases. With ReleaseAtEnd the holes are given up as in release,
// so that a repetition of the stream has the same rows.
func (f *flow) end(ctx context.Context) error {
	step, ok := f.step.(Releaser)
	if !f.opt.ReleaseAtEnd || !ok {
		f.finish()
		return f.flush(ctx)
	}
	if err := f.flush(ctx); err != nil {
		return err
	}
	for held := f.held(step); len(held) > 0 && f.last.Records > 0; held = f.held(step) {
		if err := f.releaseTable(ctx, step, &held[0]); err != nil {
			return err
		}
	}
	return nil
}

func (f *flow) held(step Releaser) []engine.Held {
	f.mu.Lock()
	defer f.mu.Unlock()
	return step.Held()
}

// flush makes the batch durable and commits. It does nothing for an empty batch, and gives up with ErrRevoked when the
// partition was reassigned.
func (f *flow) flush(ctx context.Context) error {
	err := f.handOver(ctx)
	for err == nil && f.inFlight() != nil {
		select {
		case <-f.inFlight().done:
		case <-f.late.Done():
			err = f.abandoned(ctx)
		}
		if err == nil {
			err = f.settle()
		}
	}
	if revoked(ctx) {
		return ErrRevoked
	}
	return err
}

// handOver waits until the batch was taken to be written, and settles what was written before.
func (f *flow) handOver(ctx context.Context) error {
	for f.isDue() {
		if err := f.settle(); err != nil {
			return err
		}
		f.group.flush()
		select {
		case <-f.took:
		case <-f.late.Done():
			return f.abandoned(ctx)
		}
	}
	return f.settle()
}

func (f *flow) abandoned(ctx context.Context) error {
	if revoked(ctx) {
		return ErrRevoked
	}
	return fmt.Errorf("write topic %s, partition %d up to offset %d: %w", f.stream.Topic(), f.stream.Partition(), f.next-1,
		context.Cause(f.late))
}

// isDue makes the batch due, if there is one.
func (f *flow) isDue() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.due = f.hasBatch()
	return f.due
}

func (f *flow) hasBatch() bool {
	return f.sealed || f.batch.Range.Records > 0 || f.batch.Len() > 0
}

// awaits is called with the lock of the flow.
func (f *flow) awaits() bool { return f.due && !f.failed }

func (f *flow) isEmpty() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.hasBatch()
}

// inFlight is the oldest batch whose outcome the flow has not noted.
func (f *flow) inFlight() *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.flights) == 0 {
		return nil
	}
	return f.flights[0]
}

// settle notes the outcome of the batches that were written, and commits.
func (f *flow) settle() error {
	for t := f.inFlight(); t != nil; t = f.inFlight() {
		select {
		case <-t.done:
		default:
			return nil
		}
		if t.err != nil {
			return t.err
		}
		f.mu.Lock()
		f.flights = f.flights[1:]
		f.mu.Unlock()
		f.last = t.of
		f.commit(t.low)
	}
	return nil
}

// take takes the batch for the group, nil if there is none. It is called with the lock of the flow.
func (f *flow) take() *flight {
	if f.failed || !f.sealed && !f.open || !f.hasBatch() {
		return nil
	}
	if !f.sealed {
		f.seal()
	}
	t := &flight{flow: f, batch: f.batch, beside: f.beside, sealed: f.sealed, late: f.late, done: make(chan struct{})}
	f.flights = append(f.flights, t)
	f.batch, f.spare, f.sealed, f.due, f.beside = f.spare, nil, false, false, beside{}
	f.low, f.clock = f.step.Low(f.next)
	f.from, t.low = f.next, f.low
	if !f.begun {
		t.low = -1
	}
	f.weigh(0)
	f.notify()
	return t
}

// written takes a batch back.
func (f *flow) written(t *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t.of = t.batch.Range; t.err != nil {
		f.failed = true
		f.notify()
	}
	t.batch.Reset()
	f.spare, t.batch = t.batch, nil
	close(t.done)
}

func (f *flow) notify() {
	select {
	case f.took <- struct{}{}:
	default:
	}
}

// seal completes the range of the batch, but for its hash.
func (f *flow) seal() {
	r := &f.batch.Range
	r.Topic, r.Partition, r.From, r.To = f.stream.Topic(), f.stream.Partition(), f.from, f.next-1
	r.Low, r.Clock, r.Generation, r.Epoch = f.low, f.clock, f.generation, f.epoch
	if r.Low < 0 || !f.begun {
		r.Low = r.From
	}
}

func (f *flow) commit(low int64) {
	if low < 0 || low == f.committed {
		return
	}
	if err := f.stream.Commit(f.late, low); err != nil {
		if h := f.opt.Hooks.CommitFailed; h != nil {
			h(f.stream.Topic(), f.stream.Partition(), err)
		}
		return
	}
	f.committed = low
}

func (f *flow) reportLag() {
	if n := f.lag(); n >= 0 && f.opt.Hooks.Lag != nil {
		f.opt.Hooks.Lag(f.stream.Topic(), f.stream.Partition(), n)
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
