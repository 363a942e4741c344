// Package pipeline moves records to rows: a [Source] gives the records of a log in partitions, a [Step] turns them into
// rows, and a [Sink] stores the rows. [Run] connects the three.
//
// The package knows contexts, clocks, retries and the journal of flushes. It reads no event and evaluates no rule: that
// is package engine, which is a Step and knows none of these.
package pipeline

import (
	"context"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/order"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Record is one record of a Source, as the engine takes it.
type Record = engine.Record

// Played is a table that has played in a partition; see [engine.Played].
type Played = engine.Played

// Moved is a table whose records moved to another partition; see [engine.Moved].
type Moved = engine.Moved

// Contests are the events of a replay that contest others; see [order.Contests].
type Contests[E any] = order.Contests[E]

// Arrivals are the events of a table as they arrived; see [order.Arrivals].
type Arrivals = order.Arrivals

// InTurn puts the events of several partitions in order; see [order.InTurn].
func InTurn[E any](all []E, of func(*E) (partition int32, at int64)) { order.InTurn(all, of) }

// GapError reports records that the log no longer holds; see [engine.GapError].
type GapError = engine.GapError

// OversizeError reports a record too large to be read; see [engine.OversizeError].
type OversizeError = engine.OversizeError

// MaxEvent is the size of the largest event.
const MaxEvent = engine.MaxEvent

// Source is a log in partitions.
type Source interface {
	// Consume calls work for each partition that this process owns, each in a separate goroutine, and waits for all of
	// them. It returns nil when every partition has ended, or when ctx is done; otherwise the first error. A source that
	// reassigns partitions cancels the context of the work of a lost partition and calls work for each new one. A source
	// without end calls work again for a partition, with a new Stream, after ErrAgain.
	Consume(ctx context.Context, work func(ctx context.Context, s Stream) error) error
}

// Stream is one partition, in order.
type Stream interface {
	Topic() string
	Partition() int32
	// Next returns the next records. It waits for the first at most until wait has passed and then
	// returns none. io.EOF is the end of a finite stream.
	Next(ctx context.Context, wait time.Duration) ([]Record, error)
	// Commit notes that everything below an offset is durable. A restart reads from there.
	Commit(ctx context.Context, offset int64) error
}

// Positioned is a Stream that can be read from an offset of the reader's choice.
type Positioned interface {
	Stream
	// Begin chooses the first offset that Next gives, -1 for the first of the log. It may be called before
	// the first Next, and again after a CutError, which Next returns if the log ends before end, or before
	// what Next has given.
	Begin(offset, end int64)
	// Generation rises each time that the partition is assigned; 0 if the source does not count.
	Generation() int32
}

// Journal is the record of earlier flushes in a Sink.
type Journal interface {
	// Last is the range of the last flush of a partition that ends below an offset, in its newest generation: it is
	// under way or done, and all earlier flushes are done. Same is true if this release wrote it under the same rules,
	// with the same limits of snapshots.
	Last(ctx context.Context, topic string, partition int32, below int64) (last Range, same, ok bool, err error)
	// Releases are the ranges that end at an offset or above it, and below another, after which holes were given up, in
	// order: those that a newer generation wrote without the release, or that the log has lost since, are left out.
	Releases(ctx context.Context, topic string, partition int32, from, below int64) ([]Range, error)
	// Snapshots are the newest snapshots of the tables of a partition that were written below an offset, except at
	// offsets that the log has lost since.
	Snapshots(ctx context.Context, topic string, partition int32, below int64) ([]rows.Snapshot, error)
	// Beside are the tables with snapshots of the partitions of a topic, and the times of the first and the last of each,
	// in order.
	Beside(ctx context.Context, topic string) ([]Played, error)
}

// Restorer is a Step that can begin in the middle of a stream.
type Restorer interface {
	Restore(rows []rows.Snapshot, clock int64) error
}

// Newcomer is a Step for which it matters that a table of its stream has played in another partition, too.
type Newcomer interface {
	Elsewhere(played []Played)
	// Learn is Elsewhere between two records. Again is true if records of the partition were judged which a step that had
	// known it would have judged otherwise.
	Learn(played []Played, partition int32) (again bool)
}

// Sink keeps batches.
type Sink interface {
	// Write returns when all batches of the set are durable: one of each partition, in the order of topic and partition.
	// It may be called again with the same set after an error, and with the range of one of them after a restart, alone
	// or in another set: rows are stored once by their keys. The batches are the caller's again when Write returns.
	Write(ctx context.Context, set ...*Batch) error
}
