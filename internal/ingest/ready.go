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

	mu   sync.Mutex
	ping func(context.Context) error // nil before the first connection
	// pending are the flushes that are not durable yet, with their start.
	pending map[*pipeline.Batch]time.Time
	slow    time.Time // last warning of a slow flush
}

// stalled is how long a flush may take before ingest is not ready.
const stalled = 10 * time.Second

// flushes is a sink that records pending writes for readiness.
type flushes struct {
	pipeline.Sink
	state *state
	log   *slog.Logger
}

// Write writes the batch to the sink.
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
			f.log.Warn("a flush to ClickHouse is not confirmed; reading waits and ingest is not ready", "after", stalled,
				"topic", r.Topic, "partition", r.Partition, "from", r.From, "to", r.To,
				"fix", "unless another line names the cause, the server is slow: check its load, disks and system.processes")
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
	for _, since := range s.pending {
		if took := time.Since(since); took > stalled {
			return fmt.Errorf("a flush to ClickHouse is not confirmed after %v", took.Round(time.Second))
		}
	}
	return s.ping(ctx)
}
