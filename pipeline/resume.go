package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// resumer brings a stream back to where it was left: it applies the records that the step needs and discards their
// rows, then makes the last flush of the journal again.
type resumer struct {
	*flow
	last Range
	same bool // written by this release under these rules and limits
	torn bool // the log has lost records that are needed
	done Resume
	// moved is true if a record before the last flush begins a table that has played in another partition.
	moved bool
	// discarded are the rows of one record before the last flush.
	discarded Batch
	// releases are the ranges before the last flush after which holes were given up, in order.
	releases []Range
}

// resume resumes the stream if the journal has where it was left. Truncated is not nil if the log turned out to be
// truncated. The rest is read and not yet applied. Ended is true if the stream ended, or ctx, before it
// was resumed: the journal has what was not made again.
func (f *flow) resume(ctx context.Context, truncated *CutError) (rest page, ended bool, err error) {
	if f.opt.Journal == nil {
		return page{}, false, nil
	}
	if err := f.readElsewhere(ctx); err != nil {
		return page{}, false, err
	}
	f.acquaint()
	r, err := f.locate(ctx, truncated)
	if r == nil || err != nil {
		return page{}, false, err
	}
	return r.run(ctx)
}

func (f *flow) readElsewhere(ctx context.Context) (err error) {
	topic := f.stream.Topic()
	f.learned = f.opt.Now()
	if f.elsewhere, err = f.opt.Journal.Beside(ctx, topic); err != nil {
		return fmt.Errorf("find the tables of topic %s: %w", topic, err)
	}
	return nil
}

// learn reads which tables have played in other partitions since. Where a start would judge records otherwise that are
// judged already, the stream starts again: the rows are then as a start makes them, also after a crash, and no row
// depends on when it was learned between two starts.
func (f *flow) learn(ctx context.Context) error {
	step, ok := f.step.(Newcomer)
	if !ok || f.opt.Journal == nil || f.opt.LearnEvery == 0 || f.last.Records == 0 || f.next == f.heard ||
		f.opt.Now().Sub(f.learned) < f.opt.LearnEvery {
		return nil
	}
	f.heard = f.next
	if err := f.readElsewhere(ctx); err != nil {
		return err
	}
	f.mu.Lock()
	again := step.Learn(f.elsewhere, f.stream.Partition())
	f.mu.Unlock()
	if !again {
		return nil
	}
	return cmp.Or(f.flush(ctx), ErrAgain)
}

// acquaint gives a new step the tables that have played in the partitions of the topic.
func (f *flow) acquaint() {
	if step, ok := f.step.(Newcomer); ok {
		step.Elsewhere(f.elsewhere)
	}
}

// locate positions the stream where it resumes, and restores the step there. The resumer is nil if the journal knows
// nothing of the stream.
func (f *flow) locate(ctx context.Context, truncated *CutError) (*resumer, error) {
	topic, partition := f.stream.Topic(), f.stream.Partition()
	stream, ok := f.stream.(Positioned)
	if !ok {
		return nil, fmt.Errorf("topic %s, partition %d: the journal needs a stream that can be read from any offset",
			topic, partition)
	}
	last, same, ok, err := f.opt.Journal.Last(ctx, topic, partition, math.MaxInt64)
	if err != nil {
		return nil, fmt.Errorf("find where topic %s, partition %d was left: %w", topic, partition, err)
	}
	f.generation, f.epoch = max(stream.Generation(), last.Generation+1), last.Epoch
	if !ok {
		stream.Begin(-1, 0)
		return nil, nil
	}
	cut, lost := last.Cut, last.Lost
	if truncated != nil && truncated.End <= last.To {
		cut, lost = truncated.End, last.To
		if last, same, ok, err = f.opt.Journal.Last(ctx, topic, partition, cut); err != nil {
			return nil, fmt.Errorf("find what is left of topic %s, partition %d: %w", topic, partition, err)
		}
		if !ok {
			why := fmt.Sprintf("it ends at offset %d", cut)
			return nil, &ReplacedError{Topic: topic, Partition: partition, From: cut, To: lost, Why: why}
		}
		f.epoch++
	}
	r := &resumer{flow: f, last: last, same: same}
	r.done = Resume{Cut: cut, Lost: lost, Low: last.Low, From: last.From, To: last.To}
	if err := r.restore(ctx); err != nil {
		return nil, err
	}
	if r.releases, err = f.opt.Journal.Releases(ctx, topic, partition, r.done.Low, last.From); err != nil {
		return nil, fmt.Errorf("read the releases of topic %s, partition %d: %w", topic, partition, err)
	}
	f.begun, f.from, f.next = true, last.From, last.To+1
	stream.Begin(r.done.Low, last.To+1)
	return r, nil
}

// restore restores the step from the snapshots before the last flush. If they cannot be read, it begins at the first
// record that the log has.
func (r *resumer) restore(ctx context.Context) error {
	topic, partition := r.stream.Topic(), r.stream.Partition()
	snapshots, err := r.opt.Journal.Snapshots(ctx, topic, partition, r.last.From)
	if err != nil {
		return fmt.Errorf("read the snapshots of topic %s, partition %d: %w", topic, partition, err)
	}
	restorer, ok := r.step.(Restorer)
	if !ok {
		return fmt.Errorf("topic %s, partition %d: the journal needs a step that can begin mid-stream", topic, partition)
	}
	r.done.Tables = len(snapshots)
	r.low, r.clock = r.last.Low, r.last.Clock
	if err := restorer.Restore(snapshots, r.last.Clock); err != nil {
		r.step, r.clock = r.opt.NewStep(), 0
		r.acquaint()
		r.done.Low, r.done.Tables, r.done.Unreadable = -1, 0, err
	}
	return nil
}

// run reads until the last flush is made again.
func (r *resumer) run(ctx context.Context) (rest page, ended bool, err error) {
	for {
		p := r.read(ctx, r.opt.FlushFindings)
		for i := range p.records {
			done, applied, err := r.take(ctx, &p.records[i])
			switch {
			case err != nil:
				return page{}, false, err
			case done && applied && ctx.Err() != nil:
				return page{}, true, nil
			case done && applied:
				i++
				fallthrough
			case done:
				p.records = p.records[i:]
				return p, false, nil
			}
		}
		r.reportLag()
		switch {
		case revoked(ctx):
			return page{}, false, ErrRevoked
		case errors.Is(p.err, io.EOF), ctx.Err() != nil:
			return page{}, true, nil
		case p.err != nil:
			return page{}, false, p.err
		}
	}
}

// take applies a record of what the journal has. Done is true if the stream is resumed, applied if the record was
// applied.
func (r *resumer) take(ctx context.Context, rec *Record) (done, applied bool, err error) {
	r.release(min(rec.Offset, r.last.From), &r.discarded.Set)
	r.keepSnapshots()
	gap := (*GapError)(nil)
	end := rec.Offset
	if errors.As(rec.Bad, &gap) {
		end = gap.To
		r.torn = true
	}
	switch {
	case end < r.last.From:
		r.done.Again++
		r.discard(rec, gap != nil)
		return false, true, nil
	case end < r.last.To:
		r.done.Again++
		r.apply(rec)
		return false, true, nil
	case end == r.last.To:
		r.done.Again++
		r.apply(rec)
		return true, true, r.remake(ctx)
	}
	// The last record of the range is no longer in the log.
	if r.batch.Range.Records > 0 || r.done.Cut > 0 {
		return true, false, r.remake(ctx)
	}
	r.from = r.next // the range stays as it was written: what is read now is behind it
	r.resumed()
	return true, false, nil
}

// discard applies a record before the last flush. Its rows are stored already, but for the finding that records are
// lost since, and for snapshots that another release did not write.
func (r *resumer) discard(rec *Record, lost bool) {
	r.step.Apply(rec, r.stream.Topic(), r.stream.Partition(), &r.discarded.Set)
	r.moved = r.moved || moved(r.discarded.Findings)
	for _, f := range r.discarded.Findings {
		if lost || movedBy(f) { // an earlier start may not have known that the table was elsewhere
			r.beside.findings = append(r.beside.findings, f)
		}
	}
	r.keepSnapshots()
}

// keepSnapshots ends the discard of rows: snapshots that another release did not write are stored.
func (r *resumer) keepSnapshots() {
	if !r.same {
		r.beside.snapshots = append(r.beside.snapshots, r.discarded.Snapshots...)
	}
	r.discarded.Reset()
}

// remake writes the last flush again.
func (r *resumer) remake(ctx context.Context) error {
	r.next = r.last.To + 1
	if r.batch.Range.Records > 0 || r.batch.Len() > 0 {
		r.releaseAgain()
		r.seal()
		if err := r.compare(); err != nil {
			return err
		}
		r.mu.Lock()
		r.sealed = true
		r.mu.Unlock()
		if err := r.flush(ctx); err != nil {
			return err
		}
	}
	r.resumed()
	return nil
}

func (r *resumer) resumed() {
	if h := r.opt.Hooks.Resumed; h != nil {
		h(r.stream.Topic(), r.stream.Partition(), r.done)
	}
}

// compare compares the range that was made again with the journal.
func (r *resumer) compare() error {
	made, last := &r.batch.Range, &r.last
	made.Rows, made.Hash = uint64(r.batch.Len()), r.batch.Hash()
	made.Cut, made.Lost = r.done.Cut, r.done.Lost
	if (r.torn && made.Cut == 0) || last.Hash == "" {
		return nil
	}
	if made.CRC != last.CRC || made.Records != last.Records {
		return &ReplacedError{
			Topic: last.Topic, Partition: last.Partition, From: last.From, To: last.To,
			Why: "it has other records at " + finding.OffsetRange(last.From, last.To),
		}
	}
	if reporter, ok := r.step.(interface {
		LogTruncated(lost engine.Offsets) finding.Finding
	}); ok && made.Cut > 0 {
		lost := engine.Offsets{Topic: made.Topic, Partition: made.Partition, From: made.Cut, To: made.Lost}
		r.beside.findings = append(r.beside.findings, reporter.LogTruncated(lost))
	}
	if !r.same || r.torn || made.Rows == last.Rows && made.Hash == last.Hash {
		return nil
	}
	if r.moved || moved(r.batch.Findings) {
		return nil // an earlier start may not have known that the table was elsewhere: nothing was changed
	}
	r.done.Differs = fmt.Sprintf("%s with hash %.12s, in the journal %d with %.12s",
		schema.Count(made.Rows, "row"), made.Hash, last.Rows, last.Hash)
	if reporter, ok := r.step.(interface {
		RowsDiffer(of engine.Offsets, journaled, found string) finding.Finding
	}); ok {
		of := engine.Offsets{Topic: last.Topic, Partition: last.Partition, From: last.From, To: last.To}
		r.beside.findings = append(r.beside.findings, reporter.RowsDiffer(of,
			fmt.Sprintf("%s with hash %s", schema.Count(last.Rows, "row"), last.Hash),
			fmt.Sprintf("%s with hash %s", schema.Count(made.Rows, "row"), made.Hash)))
	}
	return nil
}

// moved reports whether findings name a table that has played in another partition.
func moved(found []finding.Finding) bool {
	return slices.ContainsFunc(found, movedBy)
}

func movedBy(f finding.Finding) bool { return f.Rule == "feed.partition" }
