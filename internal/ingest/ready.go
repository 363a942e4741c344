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

// state is what readiness asks about.
type state struct {
	source *kafka.Source

	mu   sync.Mutex
	ping func(context.Context) error // nil until ClickHouse was reached
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
	s.ping = monitor.Seldom(store.Ping)
}

// ready is nil when events can come and rows can go.
func (s *state) ready(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ping == nil {
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
	return s.ping(ctx)
}
