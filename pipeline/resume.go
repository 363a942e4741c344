package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
)

// resuming is a stream on its way back to where it was left.
type resuming struct {
	last Range
	same bool // written by this release under these rules and limits
	torn bool // the log has lost records that are needed
	done Resume
	mute Batch
}

// resume finds where the stream was left.
func (f *flow) resume(ctx context.Context) error {
	journal := f.opt.Journal
	if journal == nil {
		return nil
	}
	topic, partition := f.stream.Topic(), f.stream.Partition()
	stream, ok := f.stream.(Positioned)
	if !ok {
		return fmt.Errorf("topic %s, partition %d: the journal needs a stream that can be read from any offset", topic, partition)
	}
	last, same, ok, err := journal.Last(ctx, topic, partition, math.MaxInt64)
	if err != nil {
		return fmt.Errorf("find where topic %s, partition %d was left: %w", topic, partition, err)
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
			return fmt.Errorf("find what is left of topic %s, partition %d: %w", topic, partition, err)
		}
		if !ok {
			return &ReplacedError{Topic: topic, Partition: partition, From: cut, To: lost, Why: fmt.Sprintf("it ends at offset %d", cut)}
		}
		f.epoch++
	}
	rows, err := journal.Memories(ctx, topic, partition, last.From)
	if err != nil {
		return fmt.Errorf("find what tables of topic %s, partition %d remember: %w", topic, partition, err)
	}
	r := &resuming{last: last, same: same, done: Resume{Cut: cut, Lost: lost, Low: last.Low, From: last.From, To: last.To, Tables: len(rows)}}
	restorer, ok := f.step.(Restorer)
	if !ok {
		return fmt.Errorf("topic %s, partition %d: the journal needs a step that can begin in the middle", topic, partition)
	}
	f.low, f.clock = last.Low, last.Clock
	if err := restorer.Restore(rows, last.Clock); err != nil {
		// As before there were memories: from the first record that the log has.
		f.step = f.opt.NewStep()
		r.done.Low, r.done.Tables, r.done.Forgotten = -1, 0, err
		f.clock = 0
	}
	f.resuming = r
	f.begun, f.from, f.next = true, last.From, last.To+1
	stream.Begin(r.done.Low, last.To+1)
	return nil
}

// isCut makes the flow begin anew where the log still has what was audited.
func (f *flow) isCut(err error) bool {
	cut := (*CutError)(nil)
	if f.opt.Journal == nil || !errors.As(err, &cut) {
		return false
	}
	*f = flow{stream: f.stream, sink: f.sink, step: f.opt.NewStep(), opt: f.opt, committed: f.committed, castagnoli: f.castagnoli, cut: cut}
	return true
}

// again takes a record of what the journal says is done, or under way: mute up to the last flush,
// which is then made again.
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
		f.step.Apply(rec, f.stream.Topic(), f.stream.Partition(), &r.mute.Set)
		if gap != nil {
			f.told = append(f.told, r.mute.Findings...)
		}
		if !r.same { // It may remember tables where the one that was here before did not.
			f.remembered = append(f.remembered, r.mute.Snapshots...)
		}
		r.mute.Reset()
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
		f.told = append(f.told, e.LogTruncated(engine.Offsets{Topic: made.Topic, Partition: made.Partition, From: made.Cut, To: made.Lost}))
	}
	if !r.same || r.torn || made.Rows == last.Rows && made.Hash == last.Hash {
		return nil
	}
	r.done.Differs = fmt.Sprintf("%d rows with hash %.12s, journaled were %d with %.12s", made.Rows, made.Hash, last.Rows, last.Hash)
	if e, ok := f.step.(interface {
		RowsDiffer(of engine.Offsets, journaled, found string) finding.Finding
	}); ok {
		of := engine.Offsets{Topic: last.Topic, Partition: last.Partition, From: last.From, To: last.To}
		f.told = append(f.told, e.RowsDiffer(of,
			fmt.Sprintf("%d rows with hash %s", last.Rows, last.Hash), fmt.Sprintf("%d rows with hash %s", made.Rows, made.Hash)))
	}
	return nil
}
