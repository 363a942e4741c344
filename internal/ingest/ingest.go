// Package ingest is the program ingest: Kafka to ClickHouse, for ever.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"github.com/shoeproof/shoeproof/internal/monitor"
	"github.com/shoeproof/shoeproof/internal/program"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
)

// grace is for the last flush after the order to stop; the process ends within 10 s of it.
const grace = 8 * time.Second

// Options are what a run needs besides its configuration.
type Options struct {
	Version string
	Log     *slog.Logger
	// Listening, if not nil, is told the address of HTTP.
	Listening func(addr string)
	// Flushed, if not nil, is told of each batch that is durable. It is called from many goroutines.
	Flushed func(pipeline.Flush)
	// Limit is of memory, nil for none.
	Limit *Limit
}

// Run audits until ctx is done; then it makes durable what it has read, and returns nil. A wrong
// configuration, also one that only the brokers or ClickHouse can tell, is wrong usage. While either
// merely does not answer, Run is not ready and tries again.
func Run(ctx context.Context, config *settings.Ingest, o Options) error {
	engine, err := config.Law.Options(o.Version)
	if err != nil {
		return program.WrongUsage(err)
	}
	engine.Idle, engine.Stretch = config.Memory.Idle, int64(config.Memory.Offsets)
	storeConfig, err := config.ClickHouse.Store(o.Version, engine.Books, o.Log)
	if err != nil {
		return program.WrongUsage(err)
	}
	// Other limits are another engine to the journal: they give other rows.
	if usual := settings.DefaultIngest().Memory; config.Memory != usual {
		storeConfig.Engine += fmt.Sprintf(" memory %v/%d", config.Memory.Idle, config.Memory.Offsets)
	}
	m := newMetrics(o.Version, settings.RulesVersion(engine.Books))
	storeConfig.Retried = func(string, error) { m.writeFailures.Inc() }
	kafkaConfig, err := kafkaOf(&config.Kafka, o.Log)
	if err != nil {
		return program.WrongUsage(err)
	}
	kafkaConfig.Troubled = func(cause string) { m.kafkaErrors.WithLabelValues(cause).Inc() }
	source, err := kafka.Open(kafkaConfig)
	if err != nil {
		return program.WrongUsage(err)
	}
	defer source.Close()

	state := &state{source: source, pending: map[*pipeline.Batch]time.Time{}}
	server := monitor.Server{Setting: "http.listen", Listen: config.HTTP.Listen, Listening: o.Listening, Metrics: m.Metrics, Ready: state.ready}
	return server.While(ctx, func(ctx context.Context) error { return work(ctx, config, engine, storeConfig, state, m, &o) })
}

func work(ctx context.Context, config *settings.Ingest, engine pipeline.Options, storeConfig clickhouse.Config, state *state, m *metrics, o *Options) error {
	log := o.Log
	store, err := openStore(ctx, storeConfig, log)
	if err != nil || store == nil {
		return err
	}
	defer func() {
		if err := store.Close(); err != nil {
			log.Warn("closing ClickHouse", "error", err)
		}
	}()
	state.opened(store)
	log.Info("reading", "topic", config.Kafka.Topic, "group", config.Kafka.Group, "brokers", config.Kafka.Brokers,
		"clickhouse", config.ClickHouse.Addrs, "database", config.ClickHouse.Database, "rules", storeConfig.RulesVersion, "engine", engine.Version)
	err = pipeline.Run(ctx, &watched{Source: state.source, m: m, o: o}, &flushes{store, state, log}, pipeline.RunOptions{
		NewStep: func() pipeline.Step { return m.step(engine) },
		Now:     time.Now, FlushRows: config.Flush.Rows, FlushEvery: config.Flush.Every, Grace: grace,
		Journal: store, Hooks: m.hooks(o),
	})
	replaced := (*pipeline.ReplacedError)(nil)
	switch {
	case err == nil:
		log.Info("stopped: the next start goes on where this one ended")
	case ctx.Err() == nil && !errors.As(err, &replaced):
		// The adapters wait out whatever can be waited out: what they return is for people to mend.
		return program.WrongUsage(err)
	}
	return err
}

// openStore waits for ClickHouse as long as it merely does not answer; nil when told to stop.
func openStore(ctx context.Context, config clickhouse.Config, log *slog.Logger) (*clickhouse.Store, error) {
	const most = 5 * time.Second
	said := time.Time{}
	for pause := 200 * time.Millisecond; ; pause = min(2*pause, most) {
		store, err := clickhouse.Open(ctx, config)
		switch {
		case err == nil:
			return store, nil
		case ctx.Err() != nil:
			return nil, nil
		case fatal(err):
			return nil, program.WrongUsage(err)
		}
		if now := time.Now(); now.Sub(said) > 10*time.Second {
			said = now
			log.Warn("ClickHouse does not answer, trying again", "error", err)
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

// fatal says that no waiting mends an error of ClickHouse.
func fatal(err error) bool {
	return errors.Is(err, clickhouse.ErrTLS) || errors.Is(err, clickhouse.ErrLogin) || errors.Is(err, clickhouse.ErrGrant) || errors.Is(err, clickhouse.ErrSchema)
}

func kafkaOf(c *settings.Kafka, log *slog.Logger) (kafka.Config, error) {
	client := "shoeproof-ingest"
	host, err := os.Hostname() // of a pod, its name
	if err == nil {
		client += "@" + host
	}
	config, named := c.Source(client, log)
	config.Replaces = err == nil
	return config, named
}
