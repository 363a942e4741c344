package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
)

// state is what readiness asks about.
type state struct {
	source *kafka.Source

	mu    sync.Mutex
	store *clickhouse.Store // nil until ClickHouse was reached
	asked time.Time
	last  error
	// pending are the flushes that have begun and are not durable.
	pending map[*pipeline.Batch]time.Time
	slow    time.Time // when it was last said that a flush takes long
}

// stalled is how long a flush may take before ingest is not ready.
const stalled = 10 * time.Second

// flushes is a sink whose writes readiness sees.
type flushes struct {
	pipeline.Sink
	state *state
	log   *slog.Logger
}

// Write passes the batch on.
func (f *flushes) Write(ctx context.Context, b *pipeline.Batch) error {
	s := f.state
	s.mu.Lock()
	s.pending[b] = time.Now()
	s.mu.Unlock()
	r := b.Range
	late := time.AfterFunc(stalled, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if time.Since(s.slow) >= stalled {
			s.slow = time.Now()
			f.log.Warn("ClickHouse has not taken a flush for long: reading waits, and ingest is not ready", "after", stalled, "topic", r.Topic, "partition", r.Partition,
				"from", r.From, "to", r.To, "mend", "unless another line names the cause, the server is slow: look at its load, disks and system.processes")
		}
	})
	defer late.Stop()
	defer func() {
		s.mu.Lock()
		delete(s.pending, b)
		s.mu.Unlock()
	}()
	return f.Sink.Write(ctx, b)
}

func (s *state) opened(store *clickhouse.Store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store, s.asked = store, time.Time{}
}

// ready is nil when events can come and rows can go. ClickHouse is asked at most once a second.
func (s *state) ready(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == nil {
		return errors.New("ClickHouse was not reached yet")
	}
	if err := s.source.Trouble(); err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	for _, since := range s.pending {
		if took := time.Since(since); took > stalled {
			return fmt.Errorf("ClickHouse has not taken a flush for %v", took.Round(time.Second))
		}
	}
	if now := time.Now(); now.Sub(s.asked) > time.Second {
		s.asked, s.last = now, s.store.Ping(ctx)
	}
	return s.last
}

// serve answers until ctx is done.
func serve(ctx context.Context, listener net.Listener, m *metrics, state *state) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 3*time.Second)
		defer cancel()
		if err := state.ready(ctx); err != nil {
			// The cause names hosts and users: it is in the log, not here.
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 20 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	var group errgroup.Group
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	group.Go(func() error { return server.Serve(listener) })
	if err := group.Wait(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve http: %w", err)
	}
	return nil
}
