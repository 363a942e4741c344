package monitor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/internal/cli"
)

// Server serves the metrics and probes of a program.
type Server struct {
	// Listen is host:port; empty serves nothing. Setting is its key, for errors.
	Setting, Listen string
	// Listening, if not nil, receives the address.
	Listening func(addr string)
	Metrics   *Metrics
	// Ready returns nil if the program can do its work.
	Ready func(context.Context) error
}

// While runs work and serves until it returns, so that probes observe the shutdown. The context of work ends with
// ctx, or if serving fails.
func (s *Server) While(ctx context.Context, work func(context.Context) error) error {
	if s.Listen == "" {
		return work(ctx)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Listen)
	if err != nil {
		return cli.WrongUsage(fmt.Errorf("%s: %w", s.Setting, err))
	}
	if s.Listening != nil {
		s.Listening(listener.Addr().String())
	}
	serving, done := context.WithCancel(context.WithoutCancel(ctx))
	defer done()
	group, serving := errgroup.WithContext(serving)
	group.Go(func() error { return s.serve(serving, listener) })
	group.Go(func() error {
		defer done()
		working, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(serving, cancel)()
		return work(working)
	})
	return group.Wait()
}

// handler serves three paths and no other.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(s.Metrics,
		promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), 3*time.Second)
		defer cancel()
		if err := s.Ready(ctx); err != nil {
			// The cause names hosts and users: it belongs in the log.
			http.Error(w, "not ready", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ready")
	})
	return mux
}

// serve serves until ctx is done.
func (s *Server) serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 20 * time.Second,
		IdleTimeout:  time.Minute, MaxHeaderBytes: 16 << 10,
	}
	var group errgroup.Group
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	group.Go(func() error { return server.Serve(listener) })
	if err := group.Wait(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve http: %w", err)
	}
	return nil
}

// AtMostOncePerSecond limits the rate of a check. Between two calls it returns the last result.
func AtMostOncePerSecond(check func(context.Context) error) func(context.Context) error {
	var (
		mu   sync.Mutex
		at   time.Time
		last error
	)
	return func(ctx context.Context) error {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(at) > time.Second {
			at, last = now, check(ctx)
		}
		return last
	}
}
