package pipeline

import (
	"context"
	"slices"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Releaser is a Step that keeps events of a table back while earlier ones are missing. It knows no clock: the flow
// decides when a hole is given up.
type Releaser interface {
	Held() []engine.Held
	// Release gives up the hole of a table after the record at an offset.
	Release(property, table string, at engine.Offsets, out *rows.Set)
}

// waiting is a hole that is open, and since when by the clock of the flow.
type waiting struct {
	engine.Held
	since time.Time
}

// release gives up the holes that are open for too long. It does so between two flushes: the journal repeats the range
// of the last flush with the tables that were released after it, and the rows of the release are a batch of that range.
func (f *flow) release(ctx, late context.Context) error {
	step, ok := f.step.(Releaser)
	if !ok || f.opt.ReleaseAfter == 0 {
		return nil
	}
	f.observe(step.Held())
	if f.batch.Range.Records > 0 || f.batch.Len() > 0 || revoked(ctx) || f.opt.Journal != nil && f.last.Records == 0 {
		return nil
	}
	for _, w := range slices.Clone(f.waiting) {
		if f.opt.Now().Sub(w.since) < f.opt.ReleaseAfter {
			continue
		}
		if err := f.releaseTable(ctx, late, step, &w.Held); err != nil {
			return err
		}
	}
	return nil
}

// observe notes since when each hole is open. A hole that shrinks begins to wait again.
func (f *flow) observe(held []engine.Held) {
	var now []waiting
	for _, h := range held {
		w := waiting{h, f.opt.Now()}
		for _, before := range f.waiting {
			if before.PropertyID == h.PropertyID && before.TableID == h.TableID && before.Missing == h.Missing {
				w.since = before.since
			}
		}
		now = append(now, w)
	}
	f.waiting = now
	if h := f.opt.Hooks.Held; h != nil {
		h(f.stream.Topic(), f.stream.Partition(), held)
	}
}

func (f *flow) releaseTable(ctx, late context.Context, step Releaser, h *engine.Held) error {
	at := engine.Offsets{Topic: f.stream.Topic(), Partition: f.stream.Partition(), From: f.next - 1, To: f.next - 1}
	step.Release(h.PropertyID, h.TableID, at, &f.batch.Set)
	if f.opt.Journal == nil {
		f.seal()
	} else {
		f.batch.Range = f.last
	}
	r := &f.batch.Range
	r.Released = append(slices.Clone(r.Released), Table{h.PropertyID, h.TableID})
	if f.opt.Journal != nil {
		r.Rows, r.Hash = uint64(f.batch.Len()), f.batch.Hash()
	}
	if err := f.write(ctx, late); err != nil {
		return err
	}
	if hook := f.opt.Hooks.Released; hook != nil {
		hook(at.Topic, at.Partition, *h)
	}
	return nil
}

// releaseAgain makes the last release of the journal again: what the range itself gave is durable.
func (r *resumer) releaseAgain() {
	step, ok := r.step.(Releaser)
	for i := 0; ok && i < len(r.last.Released); i++ {
		if !r.same {
			r.beside.snapshots = append(r.beside.snapshots, r.batch.Snapshots...)
		}
		r.batch.Set.Reset()
		t := r.last.Released[i]
		at := engine.Offsets{Topic: r.last.Topic, Partition: r.last.Partition, From: r.last.To, To: r.last.To}
		step.Release(t.PropertyID, t.TableID, at, &r.batch.Set)
	}
	r.batch.Range.Released = r.last.Released
}
