package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/heap"
	"github.com/shoeproof/shoeproof/internal/monitor"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// RunOptions are what a run needs besides its configuration. Hooks are its own.
type RunOptions struct {
	Options
	Version string
	// Holder names this process to others that would watch the same property.
	Holder string
	// Every is the interval between two passes, and between two attempts.
	Every time.Duration
	// Once ends the run after one pass, or on the first error.
	Once bool
	Log  *slog.Logger
	// Listening, if not nil, receives the address of the metrics.
	Listening func(addr string)
	// Known, if not nil, returns an error for a property without events, which ends a run with Once.
	Known func(context.Context, *clickhouse.Store) error
	// Passed is called after each pass.
	Passed func(Step)
}

// NewLimit is the memory limit of a process that watches up to about a thousand tables: 400 MiB, or 1.25 times the live
// heap. What is resident beyond it is the program itself, up to 70 MiB.
func NewLimit() *heap.Limit { return heap.New(400, 125) }

// Run watches until ctx is done. While ClickHouse does not answer, or another process watches the property, Run is not
// ready and tries again.
func Run(ctx context.Context, config *settings.Audit, o RunOptions) error {
	storeConfig, err := config.ClickHouse.Store(o.Version, o.Engine.Books, o.Log)
	if err != nil {
		return cli.WrongUsage(err)
	}
	m := newMetrics(o.Version, settings.RulesVersion(o.Engine.Books), o.Property)
	storeConfig.Retried = func(string, error) { m.errors.WithLabelValues("insert").Inc() }
	o.Hooks = m.hooks()
	kept := o.Hooks.Kept
	o.Hooks.Kept = func(shoes, rounds int, e []rows.Evidence, f []finding.Finding, decided int64) {
		o.Limit.Update()
		kept(shoes, rounds, e, f, decided)
	}
	o.Hooks.Unread = func(err error) {
		o.Log.Warn("the snapshot of the watch is not used, all stored shoes are read", "property", o.Property, "error", err)
	}
	r := &run{RunOptions: o, config: storeConfig, metrics: m, problem: errors.New("ClickHouse was not reached yet")}
	server := monitor.Server{
		Setting: "watch.metrics_listen", Listen: config.Watch.MetricsListen, Listening: o.Listening, Metrics: m.Metrics,
		Ready: r.ready,
	}
	return server.While(ctx, r.work)
}

// run is a watch that resumes after errors.
type run struct {
	RunOptions
	config  clickhouse.Config
	metrics *metrics
	store   *clickhouse.Store // nil before the first connection
	watch   *watcher

	mu      sync.Mutex
	problem error // nil while the lease is held and nothing has failed
	ping    func(context.Context) error
}

func (r *run) ready(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.problem != nil {
		return r.problem
	}
	return r.ping(ctx)
}

func (r *run) setHealth(problem error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.problem = problem
}

// work watches until ctx is done or an error is permanent; it retries after other errors.
func (r *run) work(ctx context.Context) error {
	defer func() {
		if r.store != nil {
			_ = r.store.Close()
		}
	}()
	var logged time.Time
	for {
		err := r.turn(ctx)
		if err == nil || ctx.Err() != nil {
			return nil
		}
		if r.Once || r.fatal(err) {
			return err
		}
		r.setHealth(err)
		if !errors.Is(err, clickhouse.ErrHeld) {
			r.metrics.errors.WithLabelValues("pass").Inc()
		}
		if now := time.Now(); now.Sub(logged) >= 10*time.Second {
			logged = now
			r.Log.Warn("watch failed, retrying", "property", r.Property, "error", err)
		}
		timer := time.NewTimer(r.Every)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		}
	}
}

// fatal reports whether retries cannot fix an error. A TLS error after a good start is retried: certificates are
// renewed.
func (r *run) fatal(err error) bool {
	for _, e := range []error{
		clickhouse.ErrLogin, clickhouse.ErrGrant, clickhouse.ErrSchema, clickhouse.ErrServer,
		clickhouse.ErrRows,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return r.store == nil && errors.Is(err, clickhouse.ErrTLS)
}

// turn watches under the lease until an error, the end of ctx, or the end of the only pass.
func (r *run) turn(ctx context.Context) error {
	if r.store == nil {
		store, err := clickhouse.Open(ctx, r.config)
		if err != nil {
			return err
		}
		if err := r.known(ctx, store); err != nil {
			return errors.Join(err, store.Close())
		}
		r.store, r.watch = store, newWatcher(store, r.Options)
		r.ping = monitor.AtMostOncePerSecond(store.Ping)
	}
	lease, err := r.store.Take(ctx, "watch "+r.Property, r.Holder)
	if err != nil {
		return err
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx)) }()
	r.setHealth(nil)
	work, stop := context.WithCancel(ctx)
	group, ctx := errgroup.WithContext(work)
	group.Go(func() error { return lease.Keep(ctx) })
	group.Go(func() error {
		defer stop()
		return r.passes(ctx)
	})
	return group.Wait()
}

// known checks the name of the property. A watch that continues may begin before the first event.
func (r *run) known(ctx context.Context, store *clickhouse.Store) error {
	if r.Known == nil {
		return nil
	}
	err := r.Known(ctx, store)
	if err != nil && !r.Once {
		r.Log.Warn("the property was not found, waiting for its events", "property", r.Property, "error", err)
		return nil
	}
	return err
}

// save stores a snapshot before the end of a run, whether or not ctx is done.
func (r *run) save(ctx context.Context) error {
	if !r.watch.unsaved || r.watch.pending.shoes+r.watch.pending.rounds > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return r.watch.save(ctx)
}

// passes makes passes until ctx is done, or one.
func (r *run) passes(ctx context.Context) error {
	tick := time.NewTicker(r.Every)
	defer tick.Stop()
	for {
		began := time.Now()
		step, err := r.watch.Pass(ctx)
		switch {
		case ctx.Err() != nil:
			return r.save(ctx)
		case err != nil:
			return fmt.Errorf("watch %s: %w", r.Property, err)
		}
		r.metrics.passedAll(step, time.Since(began))
		r.Passed(step)
		if r.Once {
			return r.save(ctx)
		}
		select {
		case <-ctx.Done():
			return r.save(ctx)
		case <-tick.C:
		}
	}
}
