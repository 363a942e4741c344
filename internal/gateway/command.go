package gateway

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/monitor"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/schema"
)

const (
	segmentBytes = 16 << 20
	queueBytes   = 32 << 20
	// reread is how often the file of tokens is read again.
	reread = 5 * time.Second
)

// Command is ingest gateway.
func Command(version string) *cobra.Command {
	defaults := settings.DefaultGateway()
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "take events over HTTP, number them, keep them on disk and publish them to Kafka",
		Long: `Gateway is for table systems that cannot publish to Kafka. It takes events without seq by POST /v1/events, as
application/json (one event), application/x-ndjson (one a line) or application/x-protobuf (each behind its length).
A request is accepted as a whole, with 202, when its events are on disk with their numbers; docs/connect.md has the
other answers. Events are published at least once, in the order of their table, with the same bytes each time. An
event that is sent again under its event_id has its number again.

One gateway has one folder, and one table has one gateway. On SIGTERM it ends at once: what is on disk is published
after the next start.`,
		Example: `  ingest gateway --config shoeproof.yaml
  ingest gateway --gateway-folder outbox --gateway-tokens-file tokens.yaml --kafka-brokers 127.0.0.1:9092`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			config := settings.DefaultGateway()
			loaded, err := settings.Load(cmd.Flags(), &config)
			if err != nil {
				return cli.WrongUsage(err)
			}
			log := config.Log.Logger(cmd.ErrOrStderr())
			loaded.Warn(log)
			return serve(cmd.Context(), &config, version, log)
		},
	}
	settings.AddFlags(cmd.Flags(), &defaults, "gateway", "kafka", "rulebooks", "http", "log")
	cmd.AddCommand(settings.Command("ingest gateway", func() any { c := settings.DefaultGateway(); return &c },
		func(config any) error {
			c := config.(*settings.Gateway) //nolint:forcetypeassert // as defaults returns it
			return (&tokenFile{path: c.Gateway.TokensFile}).read()
		}))
	return cmd
}

// serve runs the gateway of a configuration until ctx is done.
func serve(ctx context.Context, config *settings.Gateway, version string, log *slog.Logger) error {
	books, err := config.Law.Books()
	if err != nil {
		return cli.WrongUsage(err)
	}
	tokens := &tokenFile{path: config.Gateway.TokensFile, log: log}
	if err := tokens.read(); err != nil {
		return cli.WrongUsage(err)
	}
	k, err := config.Kafka.Source("shoeproof-gateway", log)
	if err != nil {
		return cli.WrongUsage(err)
	}
	writer, err := kafka.NewWriter(k, schema.JSON)
	if err != nil {
		return cli.WrongUsage(err)
	}
	defer func() { _ = writer.Close() }()
	metrics := monitor.New("gateway", version, settings.RulesVersion(books))
	g, err := Open(Options{
		Folder: config.Gateway.Folder, Segment: segmentBytes, Backlog: int64(config.Gateway.MaxBacklog),
		Keep: int64(config.Gateway.Keep), Body: int64(config.Gateway.MaxBody), Queue: queueBytes,
		Tokens: tokens.current.Load, Words: books.Words(), Publish: writer.WriteEncoded, Log: log,
		Observe: observe(metrics),
	})
	if err != nil {
		return cli.WrongUsage(err)
	}
	metrics.GaugeFunc("gateway_pending_bytes", "Bytes of events that are on disk and not yet published.",
		func() float64 { return float64(g.Pending()) })
	listener, err := listen(ctx, &config.Gateway)
	if err != nil {
		return cli.WrongUsage(errors.Join(err, g.box.close()))
	}
	log.Info("taking events", "address", listener.Addr().String(), "topic", config.Kafka.Topic)
	server := monitor.Server{
		Setting: "http.listen", Listen: config.HTTP.Listen, Metrics: metrics, Ready: g.Ready,
		Listening: func(addr string) { log.Info("serving metrics and probes", "address", addr) },
	}
	return server.While(ctx, func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() error { return g.Run(ctx) })
		group.Go(func() error { return tokens.watch(ctx) })
		group.Go(func() error { return serveEvents(ctx, listener, g.Handler()) })
		return group.Wait()
	})
}

// listen opens the port, with TLS if there is a certificate.
func listen(ctx context.Context, c *settings.GatewayOptions) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Listen)
	if err != nil {
		return nil, fmt.Errorf("gateway.listen: %w", err)
	}
	if c.CertFile == "" {
		return listener, nil
	}
	cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("gateway.cert_file: %w", err), listener.Close())
	}
	return tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}), nil
}

// serveEvents serves requests until ctx is done, and lets those that wait for the disk end.
func serveEvents(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
	}
	defer context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
		defer cancel()
		_ = server.Shutdown(end)
	})()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve events: %w", err)
	}
	return nil
}

// observe makes the metrics of a gateway.
func observe(m *monitor.Metrics) Observer {
	requests := m.Counters("gateway_requests_total", "Responses by status.", "code")
	events := m.Counter("gateway_events_total", "Events that were stored with a number.")
	repeated := m.Counter("gateway_repeated_total", "Events that were sent again under their event_id.")
	published := m.Counter("gateway_published_total", "Events that Kafka has acknowledged, including those sent again.")
	failed := m.Counter("gateway_publish_failures_total", "Attempts to publish that failed.")
	return Observer{
		Answered:  func(status int) { requests.WithLabelValues(strconv.Itoa(status)).Inc() },
		Accepted:  func(n, again int) { events.Add(float64(n)); repeated.Add(float64(again)) },
		Published: func(n int) { published.Add(float64(n)) },
		Failed:    func(error) { failed.Inc() },
	}
}

// tokenFile is the file of tokens, which is read again when it changes.
type tokenFile struct {
	path    string
	log     *slog.Logger
	changed time.Time
	current atomic.Pointer[Tokens]
}

func (f *tokenFile) read() error {
	info, err := os.Stat(f.path)
	if err == nil {
		f.changed = info.ModTime()
		err = f.readTokens()
	}
	if err != nil {
		return fmt.Errorf("gateway.tokens_file: %w", err)
	}
	return nil
}

func (f *tokenFile) readTokens() error {
	const limit = 1 << 20
	data, err := export.ReadFile(f.path, limit)
	if err != nil {
		return err //nolint:wrapcheck // names the file
	}
	tokens, err := ReadTokens(bytes.NewReader(data))
	if err != nil {
		return law.Unreadable(f.path, data, err)
	}
	f.current.Store(tokens)
	return nil
}

// watch reads the file again when it has changed. A wrong file is logged, and the tokens before it stay.
func (f *tokenFile) watch(ctx context.Context) error {
	tick := time.NewTicker(reread)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if info, err := os.Stat(f.path); err == nil && info.ModTime().Equal(f.changed) {
			continue
		}
		if err := f.read(); err != nil {
			f.log.Error("read the tokens again; those before stay valid", "error", err)
		}
	}
}
