//go:build unix

package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"
)

// Of many that take a lease at the same time exactly one has it, generation after generation.
func TestLeaseHasOneHolder(t *testing.T) {
	s := open(t, migrated(t))
	for generation := range uint64(3) {
		var held atomic.Pointer[Lease]
		var g, keeping errgroup.Group
		ctx, over := context.WithCancel(t.Context())
		for i := range 12 {
			g.Go(func() error {
				l, err := s.Take(t.Context(), "day", fmt.Sprintf("contender %d", i))
				switch {
				case errors.Is(err, ErrHeld):
				case err != nil:
					return err
				case !held.CompareAndSwap(nil, l):
					return fmt.Errorf("%s and %s both hold generation %d", held.Load().holder, l.holder, l.Generation)
				default:
					keeping.Go(func() error { return l.Keep(ctx) }) // for those that came later and wait for a sign of life
				}
				return nil
			})
		}
		err := g.Wait()
		over()
		if err := errors.Join(err, keeping.Wait()); err != nil {
			t.Fatal(err)
		}
		l := held.Load()
		if l == nil || l.Generation != generation+1 {
			t.Fatalf("held: %+v, want one of generation %d", l, generation+1)
		}
		if err := l.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
