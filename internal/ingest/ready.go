package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/internal/monitor"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
)

// state is the input of readiness.
type state struct {
	source *kafka.Source

	mu      sync.Mutex
	ping    func(context.Context) error // nil before the first connection
	pending time.Time                   // start of the flush that is not durable yet
	slow    time.Time                   // last warning of a slow flush
}

// stalled is how long a flush may take before ingest is not ready.
const stalled = 10 * time.Second

// flushes is a sink that records pending writes for readiness.
type flushes struct {
	pipeline.Sink
	state *state
	log   *slog.Logger
}

// Write writes the batches to the sink.
func (f *flushes) Write(ctx context.Context, set ...*pipeline.Batch) error {
	s := f.state
	s.mu.Lock()
	s.pending = time.Now()
	s.mu.Unlock()
	r := set[0].Range
	late := time.AfterFunc(stalled, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if time.Since(s.slow) >= stalled {
			s.slow = time.Now()
			f.log.Warn("a flush to ClickHouse is not confirmed; reading waits and ingest is not ready", "after", stalled,
				"partitions", len(set), "topic", r.Topic, "partition", r.Partition, "from", r.From, "to", r.To,
				"fix", "unless another line names the cause, the server is slow: check its load, disks and system.processes")
		}
	})
	defer late.Stop()
	defer func() {
		s.mu.Lock()
		s.pending = time.Time{}
		s.mu.Unlock()
	}()
	return f.Sink.Write(ctx, set...)
}

func (s *state) opened(store *clickhouse.Store) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ping = monitor.AtMostOncePerSecond(store.Ping)
}

// ready returns nil if records can be read and rows can be written.
func (s *state) ready(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ping == nil {
		return errors.New("ClickHouse was not reached yet")
	}
	if err := s.source.Health(); err != nil {
		return fmt.Errorf("kafka: %w", err)
	}
	if took := time.Since(s.pending); !s.pending.IsZero() && took > stalled {
		return fmt.Errorf("a flush to ClickHouse is not confirmed after %v", took.Round(time.Second))
	}
	return s.ping(ctx)
}
