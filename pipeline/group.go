package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// group commits the flushes of all streams of a run together: one Write has the batches of all streams that have rows.
// One Write is under way at a time; meanwhile each stream fills its other batch. So the rows of at most two flushes are
// in memory.
type group struct {
	sink Sink
	opt  RunOptions

	mu    sync.Mutex
	flows []*flow // that may have a batch to write

	// load is the number of rows of the batches that are being filled.
	load   atomic.Int64
	blocks rows.Blocks   // of all batches
	due    chan struct{} // a batch is due: all are written
	n      atomic.Int64  // of flows
}

func newGroup(sink Sink, opt RunOptions) *group {
	return &group{sink: sink, opt: opt, due: make(chan struct{}, 1)}
}

// flight is a batch that was taken from its flow to be written.
type flight struct {
	flow  *flow
	batch *Batch
	// beside are added after the hash.
	beside beside
	sealed bool            // the range has its hash
	of     Range           // when it is done
	low    int64           // where a restart after it reads from, -1 for an empty stream
	late   context.Context // the flow waits until its end
	done   chan struct{}   // closed when the outcome is known
	err    error
}

// join adds a flow, leave removes it: a batch that was not taken is dropped.
func (g *group) join(f *flow) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.flows = append(g.flows, f)
	g.n.Add(1)
}

func (g *group) leave(f *flow) {
	g.mu.Lock()
	g.flows = slices.DeleteFunc(g.flows, func(other *flow) bool { return other == f })
	g.mu.Unlock()
	g.n.Add(-1)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.open, f.sealed, f.due = false, false, false
	f.weigh(0)
}

// share is the maximum load of a batch: one and a half times the equal share of a stream, so that the storage of the
// batches, which is kept, has a bound.
func (g *group) share() int64 {
	all := int64(g.opt.FlushRows)
	return max(all*3/2/max(1, g.n.Load()), min(all, minBehind))
}

// flush has all batches written soon.
func (g *group) flush() {
	select {
	case g.due <- struct{}{}:
	default: // it is due already
	}
}

// run writes what is due until stop is called, which waits for its end.
func (g *group) run() (stop func()) {
	var running sync.WaitGroup
	running.Go(func() {
		for range g.due {
			if set := g.take(); len(set) > 0 {
				g.write(set)
			}
		}
	})
	return func() {
		close(g.due)
		running.Wait()
	}
}

// take takes the batches that have rows, in the order of topic and partition, if one of them is due. No flow applies a
// record meanwhile: otherwise the last flows would go on filling their batches while the first are taken.
func (g *group) take() []*flight {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, f := range g.flows {
		f.mu.Lock()
	}
	defer func() {
		for _, f := range g.flows {
			f.mu.Unlock()
		}
	}()
	if !slices.ContainsFunc(g.flows, (*flow).awaits) {
		return nil
	}
	var set []*flight
	for _, f := range g.flows {
		if taken := f.take(); taken != nil {
			set = append(set, taken)
		}
	}
	slices.SortFunc(set, func(a, b *flight) int {
		x, y := &a.batch.Range, &b.batch.Range
		return cmp.Or(cmp.Compare(x.Topic, y.Topic), cmp.Compare(x.Partition, y.Partition))
	})
	return set
}

// write makes a set of batches durable. A stream that was revoked meanwhile stays in the set: its new owner makes
// equal rows.
func (g *group) write(set []*flight) {
	ctx, cancel := together(set)
	defer cancel()
	batches := g.seal(set)
	began := g.opt.Now()
	err := g.insist(ctx, set, batches)
	now := g.opt.Now()
	for _, t := range set {
		if r := &t.batch.Range; err != nil {
			t.err = fmt.Errorf("write %s of topic %s, partition %d: %w", finding.OffsetRange(r.From, r.To), r.Topic,
				r.Partition, err)
		} else if h := g.opt.Hooks.Flushed; h != nil {
			h(Flush{Batch: t.batch, Took: now.Sub(began), Durable: now})
		}
		t.flow.written(t)
	}
}

// seal completes the ranges with their hashes and adds the rows beside them.
func (g *group) seal(set []*flight) []*Batch {
	var hashes sync.WaitGroup
	batches := make([]*Batch, len(set))
	for i, t := range set {
		batches[i] = t.batch
		hashes.Go(func() {
			if g.opt.Journal != nil && !t.sealed {
				t.batch.Range.Rows, t.batch.Range.Hash = uint64(t.batch.Len()), t.batch.Hash()
			}
			if r := &t.batch.Range; g.opt.Journal != nil && len(r.Released) == 0 { // else it has the rows of a release
				r.Archived, r.ArchivedSum, r.DerivedSum = t.batch.Archived()
			}
			t.batch.Range.Beside = len(t.beside.findings) + len(t.beside.snapshots)
			t.batch.Findings = append(t.batch.Findings, t.beside.findings...)
			t.batch.Snapshots = append(t.batch.Snapshots, t.beside.snapshots...)
		})
	}
	hashes.Wait()
	return batches
}

// insist writes until the batches are durable, or the error is final.
func (g *group) insist(ctx context.Context, set []*flight, batches []*Batch) error {
	for failures := 1; ; failures++ {
		err := g.sink.Write(ctx, batches...)
		if err == nil {
			return nil
		}
		for _, t := range set {
			if h := g.opt.Hooks.WriteFailed; h != nil {
				h(t.batch.Range.Topic, t.batch.Range.Partition, err)
			}
		}
		if ctx.Err() == nil && g.opt.Retry != nil {
			err = g.opt.Retry(ctx, failures, err)
		}
		if err != nil {
			return err
		}
	}
}

// together is a context that ends when no flow of the set waits any more.
func together(set []*flight) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(set[0].late))
	var waiting atomic.Int32
	waiting.Store(int32(len(set)))
	stops := make([]func() bool, 0, len(set))
	for _, t := range set {
		stops = append(stops, context.AfterFunc(t.late, func() {
			if waiting.Add(-1) == 0 {
				cancel(context.Cause(t.late))
			}
		}))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}
