// Package ingest is the work of the program ingest. Table events come in from Kafka, rows and findings go out to
// ClickHouse, until the context ends. It builds the adapters from the settings, keeps the metrics and readiness,
// and sets the memory limit. The audit itself is in pipeline.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"time"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/heap"
	"github.com/shoeproof/shoeproof/internal/monitor"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
)

// grace is the time for the last flush after the stop signal; the process ends within 10 s.
const grace = 8 * time.Second

// Options are what a run needs besides its configuration.
type Options struct {
	Version string
	Log     *slog.Logger
	// Listening, if not nil, receives the address of HTTP.
	Listening func(addr string)
	// Flushed, if not nil, receives each durable flush of a partition.
	Flushed func(pipeline.Flush)
	// Limit is the memory limit, nil for none.
	Limit *heap.Limit
}

// Run audits until ctx is done; then it flushes what was read and returns nil. A wrong configuration is wrong
// usage, also if the brokers or ClickHouse reject it. While one of them does not answer, Run is not ready and
// retries.
func Run(ctx context.Context, config *settings.Ingest, o Options) error {
	engine, err := config.Law.Options(o.Version)
	if err != nil {
		return cli.WrongUsage(err)
	}
	engine.Idle, engine.Stretch = config.Snapshot.Idle, int64(config.Snapshot.Offsets)
	storeConfig, err := config.Store(o.Version, engine.Books, o.Log)
	if err != nil {
		return cli.WrongUsage(err)
	}
	// Other limits give other rows, so they are part of the engine's name in the journal.
	if standard := settings.DefaultIngest().Snapshot; config.Snapshot != standard {
		storeConfig.Engine += fmt.Sprintf(" memory %v/%d", config.Snapshot.Idle, config.Snapshot.Offsets)
	}
	m := newMetrics(o.Version, settings.RulesVersion(engine.Books))
	storeConfig.Retried = func(string, error) { m.writeFailures.Inc() }
	kafkaConfig, err := kafkaOf(&config.Kafka, o.Log)
	if err != nil {
		return cli.WrongUsage(err)
	}
	kafkaConfig.Failed = func(cause string) { m.kafkaErrors.WithLabelValues(cause).Inc() }
	source, err := kafka.Open(kafkaConfig)
	if err != nil {
		return cli.WrongUsage(err)
	}
	defer source.Close()
	traces, err := openTraces(ctx, &config.Tracing, &o)
	if err != nil {
		return cli.WrongUsage(err)
	}
	defer traces.close(ctx)

	state := &state{source: source}
	server := monitor.Server{
		Setting: "http.listen", Listen: config.HTTP.Listen, Listening: o.Listening,
		Metrics: m.Metrics, Ready: state.ready,
	}
	return server.While(ctx, (&process{config, engine, storeConfig, state, m, traces, &o}).work)
}

// process is a configured run of ingest.
type process struct {
	config      *settings.Ingest
	engine      engine.Options
	storeConfig clickhouse.Config
	state       *state
	metrics     *metrics
	traces      *traces // nil for none
	o           *Options
}

// work connects to ClickHouse and runs the pipeline until ctx is done.
func (p *process) work(ctx context.Context) error {
	log, config, m := p.o.Log, p.config, p.metrics
	store, err := openStore(ctx, p.storeConfig, log)
	if err != nil || store == nil {
		return err
	}
	defer func() {
		if err := store.Close(); err != nil {
			log.Warn("close ClickHouse", "error", err)
		}
	}()
	p.state.opened(store)
	log.Info("reading", "topic", config.Kafka.Topic, "group", config.Kafka.Group, "brokers", config.Kafka.Brokers,
		"clickhouse", config.ClickHouse.Addrs, "database", config.ClickHouse.Database, "rules", p.storeConfig.RulesVersion,
		"engine", p.engine.Version)
	working, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { m.waiting.store(working, config.Kafka.Topic, store, log) })
	defer beside.Wait()
	defer stop()
	err = pipeline.Run(ctx, &watched{Source: p.state.source, m: m, o: p.o},
		p.traces.sink(&flushes{store, p.state, log}), pipeline.RunOptions{
			NewStep: func() pipeline.Step { return p.traces.step(m, p.engine, log) },
			Now:     time.Now, FlushRows: config.Flush.Rows, FlushEvery: config.Flush.Every,
			FlushFindings: config.Flush.Findings, Grace: grace,
			Journal: store, Hooks: m.hooks(p.o), ReleaseAfter: config.Reorder.MaxWait, LearnEvery: time.Minute,
		})
	replaced := (*pipeline.ReplacedError)(nil)
	switch {
	case err == nil:
		log.Info("stopped; the next start resumes here")
	case ctx.Err() == nil && !errors.As(err, &replaced):
		// The adapters retry every transient error: what they return needs an operator.
		return cli.WrongUsage(err)
	}
	return err
}

// openStore connects to ClickHouse and retries while it does not answer. The store is nil if ctx ended.
func openStore(ctx context.Context, config clickhouse.Config, log *slog.Logger) (*clickhouse.Store, error) {
	const maxPause = 5 * time.Second
	logged := time.Time{}
	for pause := 200 * time.Millisecond; ; pause = min(2*pause, maxPause) {
		store, err := clickhouse.Open(ctx, config)
		switch {
		case err == nil:
			return store, nil
		case ctx.Err() != nil:
			return nil, nil
		case fatal(err):
			return nil, cli.WrongUsage(err)
		}
		if now := time.Now(); now.Sub(logged) > 10*time.Second {
			logged = now
			log.Warn("ClickHouse does not answer, retrying", "error", err)
		}
		timer := time.NewTimer(pause/2 + rand.N(pause/2))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, nil
		case <-timer.C:
		}
	}
}

// fatal reports whether an error of ClickHouse is permanent.
func fatal(err error) bool {
	return errors.Is(err, clickhouse.ErrTLS) || errors.Is(err, clickhouse.ErrLogin) || errors.Is(err,
		clickhouse.ErrGrant) || errors.Is(err, clickhouse.ErrSchema)
}

func kafkaOf(c *settings.Kafka, log *slog.Logger) (kafka.Config, error) {
	client := "shoeproof-ingest"
	host, err := os.Hostname() // in Kubernetes the pod's name
	if err == nil {
		client += "@" + host
	}
	config, named := c.Source(client, log)
	config.Replaces = err == nil
	return config, named
}
