// Package serve is the work of audit serve: it builds the console from the settings, connects it to ClickHouse and
// Kafka, and serves it with its metrics until the context ends.
package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/console"
	"github.com/shoeproof/shoeproof/console/store"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/monitor"
	"github.com/shoeproof/shoeproof/internal/report"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/schema"
)

// Options are what a run needs besides its configuration.
type Options struct {
	Version string
	Log     *slog.Logger
	// Listening, if not nil, receives the URL.
	Listening func(url string)
	// Metrics, if not nil, receives the address of the metrics.
	Metrics func(addr string)
}

// Run serves the console until ctx is done.
func Run(ctx context.Context, config *settings.Audit, o Options) (err error) {
	law, err := config.Law.Options(o.Version)
	if err != nil {
		return cli.WrongUsage(err)
	}
	storeConfig, err := config.Store(o.Version, law.Books, o.Log)
	if err != nil {
		return cli.WrongUsage(err)
	}
	archive := storeConfig
	archive.User, archive.Password = config.Console.Archive.User, clickhouse.Secret(config.Console.Archive.Password)
	s, err := store.Open(ctx, storeConfig, archive, time.Now)
	if err != nil {
		return cli.WrongUsageIf(err, clickhouse.ErrLogin, clickhouse.ErrGrant, clickhouse.ErrSchema)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", config.Console.Listen)
	if err != nil {
		return cli.WrongUsage(fmt.Errorf("console.listen: %w", err))
	}
	opt, err := config.Console.Options(listener.Addr().String(), o.Version)
	if err != nil {
		return cli.WrongUsage(err)
	}
	opt.Store, opt.Law, opt.Now, opt.Log, opt.Version = s, law, time.Now, o.Log, o.Version
	opt.Exports.Log = surveillanceLog(s, &law.Calendar)
	if topic := config.Console.NotifyTopic; topic != "" {
		w, err := writer(config, topic, o.Log)
		if err != nil {
			return err
		}
		defer func() { _ = w.Close() }()
		opt.Topic = w.Send
	}
	m := newMetrics(o.Version, settings.RulesVersion(law.Books), opt.Channels())
	opt.Hooks = m.hooks()
	c, err := console.New(opt)
	if err != nil {
		return cli.WrongUsage(err)
	}
	m.show(c.Status)
	server, err := newServer(c, o.Log)
	if err != nil {
		return cli.WrongUsage(err)
	}
	if o.Listening != nil {
		o.Listening(opt.PublicURL.String())
	}
	watched := monitor.Server{
		Setting: "console.metrics_listen", Listen: config.Console.Metrics, Listening: o.Metrics, Metrics: m.Metrics,
		Ready: monitor.AtMostOncePerSecond(s.Ping),
	}
	return watched.While(ctx, func(ctx context.Context) error {
		group, ctx := errgroup.WithContext(ctx)
		defer context.AfterFunc(ctx, func() { _ = server.Close() })()
		group.Go(func() error { return c.Run(ctx) })
		group.Go(func() error { reload(ctx, c, &config.Console, o.Log); return nil })
		group.Go(func() error { return serve(server, listener, &config.Console) })
		return group.Wait()
	})
}

// reload applies changes of the access file: a token or a group that was removed has no rights from then on. A file
// that is wrong or missing changes nothing.
func reload(ctx context.Context, c *console.Console, config *settings.Console, log *slog.Logger) {
	if config.AccessFile == "" {
		return
	}
	const every = 2 * time.Second
	tick := time.NewTicker(every)
	defer tick.Stop()
	before, _ := os.ReadFile(config.AccessFile)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := os.ReadFile(config.AccessFile)
		if err != nil || bytes.Equal(now, before) {
			continue
		}
		before = now
		access, err := config.Access()
		if err != nil {
			log.Error("the access file has changed and is wrong; the rights before remain in force", "error", err)
			continue
		}
		c.SetAccess(access)
		log.Info("the access file has changed and is in force", "tokens", len(access.Tokens), "groups", len(access.Groups))
	}
}

// newServer is the HTTP server of the console. Event streams extend the write timeout.
func newServer(c *console.Console, log *slog.Logger) (*http.Server, error) {
	handler, err := c.Handler()
	return &http.Server{
		Handler: handler, TLSConfig: settings.Strict(),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: 60 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 32 << 10, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}, err
}

// serve serves the console until the server is closed, with TLS if there is a certificate.
func serve(server *http.Server, listener net.Listener, c *settings.Console) error {
	var err error
	if c.CertFile != "" {
		err = server.ServeTLS(listener, c.CertFile, c.KeyFile)
	} else {
		err = server.Serve(listener)
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the console: %w", err)
	}
	return nil
}

// surveillanceLog writes the report of audit report log as CSV.
func surveillanceLog(s *store.Store, calendar *calendar.Calendar) func(context.Context, string, string, string,
	io.Writer) error {
	return func(ctx context.Context, property, day, shift string, out io.Writer) error {
		scope := report.Scope{Days: clickhouse.Days{Property: property, From: day, To: day, Shift: shift}, Calendar: calendar}
		findings, err := s.FindingsOf(ctx, scope.Days)
		if err != nil {
			return err
		}
		steps, err := s.TriageActions(ctx, scope.Days)
		if err != nil {
			return err
		}
		return report.Log(scope, findings, steps).Write(out, io.Discard, "csv")
	}
}

func writer(config *settings.Audit, topic string, log *slog.Logger) (*kafka.Writer, error) {
	k, err := config.Kafka.Source("shoeproof-console", log)
	if err != nil {
		return nil, cli.WrongUsage(err)
	}
	k.Topic = topic
	w, err := kafka.NewWriter(k, schema.JSON)
	return w, cli.WrongUsage(err)
}
