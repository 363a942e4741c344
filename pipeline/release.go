package pipeline

import (
	"context"
	"math"
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

// Waiting is a hole that is open, and since when by the clock of the run.
type Waiting struct {
	engine.Held
	Since time.Time
}

// release gives up the holes that are open for too long, or before the closing of a table. It does so between two
// flushes: the journal repeats the range of the last flush with the tables that were released after it, and the rows of
// the release are a batch of that range.
func (f *flow) release(ctx context.Context) error {
	step, ok := f.step.(Releaser)
	if !ok {
		return nil
	}
	f.observe(f.held(step))
	due := slices.DeleteFunc(slices.Clone(f.waiting), func(w Waiting) bool {
		return !w.Closing && f.opt.Now().Sub(w.Since) < f.opt.ReleaseAfter
	})
	if f.opt.ReleaseAfter == 0 || len(due) == 0 || !f.isEmpty() || revoked(ctx) {
		return nil
	}
	if err := f.flush(ctx); err != nil || f.opt.Journal != nil && f.last.Records == 0 {
		return err
	}
	for i := range due {
		if err := f.releaseTable(ctx, step, &due[i].Held); err != nil {
			return err
		}
	}
	return nil
}

// observe notes since when each hole is open. A hole that shrinks begins to wait again.
func (f *flow) observe(held []engine.Held) {
	var now []Waiting
	for _, h := range held {
		w := Waiting{h, f.opt.Now()}
		for _, before := range f.waiting {
			if before.PropertyID == h.PropertyID && before.TableID == h.TableID && before.Missing == h.Missing {
				w.Since = before.Since
			}
		}
		now = append(now, w)
	}
	f.waiting = now
	if h := f.opt.Hooks.Held; h != nil {
		h(f.stream.Topic(), f.stream.Partition(), now)
	}
}

func (f *flow) releaseTable(ctx context.Context, step Releaser, h *engine.Held) error {
	at := engine.Offsets{Topic: f.stream.Topic(), Partition: f.stream.Partition(), From: f.next - 1, To: f.next - 1}
	f.mu.Lock()
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
	f.sealed = true
	f.mu.Unlock()
	if err := f.flush(ctx); err != nil {
		return err
	}
	if hook := f.opt.Hooks.Released; hook != nil {
		hook(at.Topic, at.Partition, *h)
	}
	return nil
}

// releaseAgain makes the last release of the journal again: what the range itself gave is durable.
func (r *resumer) releaseAgain() {
	r.releases = append(r.releases, r.last)
	r.release(math.MaxInt64, &r.batch.Set)
	made, last := &r.batch.Range, &r.last
	made.Released, made.Archived = last.Released, last.Archived
	made.ArchivedSum, made.DerivedSum = last.ArchivedSum, last.DerivedSum
}

// release makes the recorded releases before an offset again, into rows of which the last release stays.
func (r *resumer) release(before int64, out *rows.Set) {
	step, ok := r.step.(Releaser)
	for ; ok && len(r.releases) > 0 && r.releases[0].To < before; r.releases = r.releases[1:] {
		of := &r.releases[0]
		at := engine.Offsets{Topic: of.Topic, Partition: of.Partition, From: of.To, To: of.To}
		for _, t := range of.Released {
			if !r.same {
				r.beside.snapshots = append(r.beside.snapshots, out.Snapshots...)
			}
			out.Reset()
			step.Release(t.PropertyID, t.TableID, at, out)
		}
	}
}
