//go:build unix

package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
)

// Of many that take a lease at the same time exactly one has it, generation after generation.
func TestLeaseHasOneHolder(t *testing.T) {
	contend(t, open(t, migrated(t)))
}

// Also when they use different servers of a cluster.
func TestLeaseAcrossShards(t *testing.T) {
	shards := twoShards(t)
	cfg := Config{
		Addrs: []string{shards[0].Addr}, Database: "audit", Cluster: "floor", Bare: true, User: "default",
		RulesVersion: "r1", Engine: "test", RowVersion: 7,
	}
	if _, _, err := Migrate(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	first := open(t, cfg)
	cfg.Addrs = []string{shards[1].Addr}
	second := open(t, cfg)
	contend(t, first, second)
	days := Days{Property: "p1", From: "2026-11-19", To: "2026-11-20"}
	for _, s := range []*Store{first, second} {
		_, played := s.Played(t.Context(), days)
		_, due := s.VigorishDue(t.Context(), days)
		_, expired := s.Expired(t.Context(), []Class{{"events", 7}, {"exports", 10}}, time.Now())
		if err := errors.Join(played, due, expired); err != nil {
			t.Error(err)
		}
	}
}

// contend lets many take a lease at the same time, through the stores in turn.
func contend(t *testing.T, stores ...*Store) {
	t.Helper()
	for generation := range uint64(3) {
		var held atomic.Pointer[Lease]
		var g, keeping errgroup.Group
		ctx, over := context.WithCancel(t.Context())
		for i := range 12 {
			g.Go(func() error {
				l, err := stores[i%len(stores)].Take(t.Context(), "day", fmt.Sprintf("contender %d", i))
				switch {
				case errors.Is(err, ErrHeld):
				case err != nil:
					return err
				case !held.CompareAndSwap(nil, l):
					return fmt.Errorf("%s and %s both hold generation %d", held.Load().holder, l.holder, l.Generation)
				default:
					keeping.Go(func() error { return l.Keep(ctx) }) // for later holders, who wait for a sign of life
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
