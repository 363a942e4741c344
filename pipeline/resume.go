package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
)

// resuming is a stream that is reading up to its last flush.
type resuming struct {
	last      Range
	same      bool // written by this release under these rules and limits
	torn      bool // the log has lost records that are needed
	done      Resume
	discarded Batch
}

// resume finds the last flush of the stream and moves the stream to it.
func (f *flow) resume(ctx context.Context) error {
	journal := f.opt.Journal
	if journal == nil {
		return nil
	}
	topic, partition := f.stream.Topic(), f.stream.Partition()
	stream, ok := f.stream.(Positioned)
	if !ok {
		return fmt.Errorf("topic %s, partition %d: the journal needs a stream that can be read from any offset", topic,
			partition)
	}
	last, same, ok, err := journal.Last(ctx, topic, partition, math.MaxInt64)
	if err != nil {
		return fmt.Errorf("find the last flush of topic %s, partition %d: %w", topic, partition, err)
	}
	f.generation, f.epoch = max(stream.Generation(), last.Generation+1), last.Epoch
	if !ok {
		stream.Begin(-1, 0)
		return nil
	}
	cut, lost := last.Cut, last.Lost
	if f.cut != nil && f.cut.End <= last.To {
		cut, lost = f.cut.End, last.To
		if last, same, ok, err = journal.Last(ctx, topic, partition, cut); err != nil {
			return fmt.Errorf("find the last flush before the truncation of topic %s, partition %d: %w", topic, partition, err)
		}
		if !ok {
			return &ReplacedError{
				Topic: topic, Partition: partition, From: cut, To: lost,
				Why: fmt.Sprintf("it ends at offset %d", cut),
			}
		}
		f.epoch++
	}
	rows, err := journal.Memories(ctx, topic, partition, last.From)
	if err != nil {
		return fmt.Errorf("read the snapshots of topic %s, partition %d: %w", topic, partition, err)
	}
	r := &resuming{last: last, same: same, done: Resume{
		Cut: cut, Lost: lost, Low: last.Low, From: last.From,
		To: last.To, Tables: len(rows),
	}}
	restorer, ok := f.step.(Restorer)
	if !ok {
		return fmt.Errorf("topic %s, partition %d: the journal needs a step that can begin in the middle", topic, partition)
	}
	f.low, f.clock = last.Low, last.Clock
	if err := restorer.Restore(rows, last.Clock); err != nil {
		// Without snapshots: from the first record of the log.
		f.step = f.opt.NewStep()
		r.done.Low, r.done.Tables, r.done.Forgotten = -1, 0, err
		f.clock = 0
	}
	f.resuming = r
	f.begun, f.from, f.next = true, last.From, last.To+1
	stream.Begin(r.done.Low, last.To+1)
	return nil
}

// isCut resets the flow after a truncation, so that it resumes where the log still has the audited records.
func (f *flow) isCut(err error) bool {
	cut := (*CutError)(nil)
	if f.opt.Journal == nil || !errors.As(err, &cut) {
		return false
	}
	*f = flow{
		stream: f.stream, sink: f.sink, step: f.opt.NewStep(), opt: f.opt, committed: f.committed,
		castagnoli: f.castagnoli, cut: cut,
	}
	return true
}

// again takes a record that the journal covers: rows before the last flush are discarded, and the last flush is made
// again.
func (f *flow) again(ctx, late context.Context, rec *Record) (flushed bool, err error) {
	r := f.resuming
	gap := (*GapError)(nil)
	end := rec.Offset
	if errors.As(rec.Bad, &gap) {
		end = gap.To
		r.torn = true
	}
	switch {
	case end < r.last.From:
		r.done.Again++
		f.step.Apply(rec, f.stream.Topic(), f.stream.Partition(), &r.discarded.Set)
		if gap != nil {
			f.told = append(f.told, r.discarded.Findings...)
		}
		if !r.same { // This release may write snapshots where the earlier one did not.
			f.earlier = append(f.earlier, r.discarded.Snapshots...)
		}
		r.discarded.Reset()
		return false, nil
	case end <= r.last.To:
		r.done.Again++
		f.apply(rec)
		if end < r.last.To {
			return false, nil
		}
		return true, f.remake(ctx, late)
	}
	// The last record of the range is no longer in the log.
	if f.batch.Range.Records > 0 || r.done.Cut > 0 {
		if err := f.remake(ctx, late); err != nil {
			return false, err
		}
	} else {
		f.resumed()
	}
	return f.take(ctx, late, rec)
}

// remake writes the last flush again.
func (f *flow) remake(ctx, late context.Context) error {
	f.next = f.resuming.last.To + 1
	if err := f.flush(ctx, late); err != nil {
		return err
	}
	f.resumed()
	return nil
}

func (f *flow) resumed() {
	if h := f.opt.Hooks.Resumed; h != nil {
		h(f.stream.Topic(), f.stream.Partition(), f.resuming.done)
	}
	f.resuming = nil
}

// compare holds what was made again against the journal.
func (f *flow) compare(made *Range) error {
	r := f.resuming
	last := &r.last
	made.Cut, made.Lost = r.done.Cut, r.done.Lost
	if (r.torn && made.Cut == 0) || last.Hash == "" {
		return nil
	}
	if made.CRC != last.CRC || made.Records != last.Records {
		return &ReplacedError{
			Topic: last.Topic, Partition: last.Partition, From: last.From, To: last.To,
			Why: fmt.Sprintf("the records at offsets %d to %d are others", last.From, last.To),
		}
	}
	if e, ok := f.step.(interface {
		LogTruncated(lost engine.Offsets) finding.Finding
	}); ok && made.Cut > 0 {
		f.told = append(f.told, e.LogTruncated(engine.Offsets{
			Topic: made.Topic, Partition: made.Partition,
			From: made.Cut, To: made.Lost,
		}))
	}
	if !r.same || r.torn || made.Rows == last.Rows && made.Hash == last.Hash {
		return nil
	}
	r.done.Differs = fmt.Sprintf("%d rows with hash %.12s, journaled were %d with %.12s", made.Rows, made.Hash,
		last.Rows, last.Hash)
	if e, ok := f.step.(interface {
		RowsDiffer(of engine.Offsets, journaled, found string) finding.Finding
	}); ok {
		of := engine.Offsets{Topic: last.Topic, Partition: last.Partition, From: last.From, To: last.To}
		f.told = append(f.told, e.RowsDiffer(of,
			fmt.Sprintf("%d rows with hash %s", last.Rows, last.Hash),
			fmt.Sprintf("%d rows with hash %s", made.Rows, made.Hash)))
	}
	return nil
}
