package pipeline

import (
	"cmp"
	"context"
	"time"

	"github.com/shoeproof/shoeproof/engine"
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

	// A flush of all streams is due when one of these is reached: the age of the oldest unflushed finding of a stream,
	// the age of its oldest unflushed record, or the number of unflushed rows of all streams, where half a KiB of the
	// records or snapshots of a stream counts as a row, or one and a half times the equal share of a stream. While a
	// flush is under way to the Sink, as many rows may wait.
	FlushFindings time.Duration // 500 ms for 0
	FlushEvery    time.Duration // 5 s for 0
	FlushRows     int           // 200,000 for 0

	Grace time.Duration // for the last flush after ctx is done; 10 s for 0
	// ReleaseAfter is how long the events of a table wait behind a hole, by Now, until the hole is given up; never for
	// 0. A hole before the closing of a table is given up at the next flush. The journal records it, so that a restart
	// does the same at the same record. The Step must be a Releaser.
	ReleaseAfter time.Duration

	// ReleaseAtEnd gives up the holes that are open at the end of a finite stream, with a place in the journal.
	ReleaseAtEnd bool

	// LearnEvery is how often, by Now, a stream with new records learns which tables have played in other partitions of
	// the topic since it began; never for 0. If it has judged a table without what it learns, it ends with ErrAgain and
	// resumes as at a start. It needs a Journal, and a Source that reads a partition again.
	LearnEvery time.Duration

	// Journal, if not nil, has the last flush of each stream, from which the stream resumes: the records that the Step
	// needs are applied and their rows discarded, then the last flush is made again, and Write is called with the same
	// Range and rows. The Step must be a Restorer, the Stream Positioned.
	Journal Journal

	// Retry is called after each failed Write, with the number of failures of this batch. It waits, then returns nil
	// for another attempt, or the error that ends the run. Without Retry the first failure ends the run.
	Retry func(ctx context.Context, failures int, err error) error

	Hooks Hooks
}

// Hooks observe a run; each may be nil. They are called from the goroutines of all streams and of the flushes.
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
	// Lag is called after each read of a Lagger, with the number of records in the log that the engine has not
	// received.
	Lag func(topic string, partition int32, records int64)
	// Held is called after each read with the tables whose events wait behind a hole, if the Step is a Releaser.
	Held func(topic string, partition int32, held []Waiting)
	// Released is called when the hole of a table was given up.
	Released func(topic string, partition int32, held engine.Held)
}

// Resume describes how a stream resumed.
type Resume struct {
	// Cut to Lost are offsets that were audited and that the log has lost; both are usually 0.
	Cut, Lost int64
	// Low is where reading began, -1 for the first record of the log; From to To was made again.
	Low, From, To int64
	Again         uint64 // records that were read again, including the range
	Tables        int    // restored from snapshots
	// Unreadable is the reason why no snapshot could be used, usually nil.
	Unreadable error
	// Differs describes how the range differs from the journal, usually empty.
	Differs string
}

// Flush is one batch made durable, alone or in a set.
type Flush struct {
	Batch   *Batch        // valid during the call
	Took    time.Duration // the Write of the set, with its repetitions
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
// when ctx is done and everything read until then is durable. While a Write is pending the streams fill their next
// batches.
//
// A batch is a run of records without a hole: its Range starts where the one before ended. Rows
// that only the end of a finite stream releases may come with an empty Range, To being From-1.
func Run(ctx context.Context, src Source, sink Sink, opt RunOptions) error {
	opt.FlushRows = cmp.Or(opt.FlushRows, 200_000)
	opt.FlushEvery = cmp.Or(opt.FlushEvery, 5*time.Second)
	opt.FlushFindings = cmp.Or(opt.FlushFindings, 500*time.Millisecond)
	opt.Grace = cmp.Or(opt.Grace, 10*time.Second)
	g := newGroup(sink, opt)
	defer g.run()()
	return src.Consume(ctx, g.stream)
}
