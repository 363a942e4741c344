// Package tracing sends OpenTelemetry traces by OTLP over HTTP, if a collector is configured. A span has names of
// topics, tables and days, and numbers; no patron, no dealer and no text of an event.
//
// The parent of a span is in its context: without a parent [Start] records nothing.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/shoeproof/shoeproof/internal/settings"
)

const scope = "github.com/shoeproof/shoeproof"

// Tracer makes traces. A nil Tracer makes none.
type Tracer struct {
	provider *sdktrace.TracerProvider
	log      *slog.Logger
}

// Open returns a tracer of a program, nil if no collector is configured. A collector that does not answer costs spans,
// never rows: spans beyond a queue of some thousands are dropped.
func Open(ctx context.Context, c *settings.Tracing, program, version string, log *slog.Logger) (*Tracer, error) {
	if c.Endpoint == "" {
		return nil, nil
	}
	config, err := c.TLS()
	if err != nil {
		return nil, err
	}
	options := []otlptracehttp.Option{
		otlptracehttp.WithEndpointURL(c.URL()), otlptracehttp.WithTimeout(5 * time.Second),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
	}
	if config != nil {
		options = append(options, otlptracehttp.WithTLSClientConfig(config))
	}
	if c.Authorization != "" {
		options = append(options, otlptracehttp.WithHeaders(map[string]string{"Authorization": string(c.Authorization)}))
	}
	exporter, err := otlptrace.New(ctx, otlptracehttp.NewClient(options...))
	if err != nil {
		return nil, fmt.Errorf("tracing.endpoint: %w", err)
	}
	about := resource.NewSchemaless(attribute.String("service.name", "shoeproof-"+program),
		attribute.String("service.version", version))
	return &Tracer{
		provider: sdktrace.NewTracerProvider(
			sdktrace.WithBatcher(&logged{SpanExporter: exporter, log: log}), sdktrace.WithResource(about),
			sdktrace.WithSampler(sdktrace.AlwaysSample()),
		),
		log: log,
	}, nil
}

// Root begins a trace.
func (t *Tracer) Root(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	if t == nil {
		return ctx, trace.SpanFromContext(ctx)
	}
	return t.provider.Tracer(scope).Start(ctx, name, append(o, trace.WithNewRoot())...)
}

// Close sends what is queued, for at most 3 s.
func (t *Tracer) Close(ctx context.Context) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		t.log.Warn("the last traces were not sent", "error", err)
	}
}

// Start begins a span below the span of ctx.
func Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	return trace.SpanFromContext(ctx).TracerProvider().Tracer(scope).Start(ctx, name, o...)
}

// End ends a span with the outcome of its work.
func End(span trace.Span, err error) {
	if err != nil {
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

// logged is an exporter whose errors are logged, at most one a minute.
type logged struct {
	sdktrace.SpanExporter
	log *slog.Logger

	mu   sync.Mutex
	last time.Time
}

// ExportSpans sends spans.
func (l *logged) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := l.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); now.Sub(l.last) >= time.Minute {
		l.last = now
		l.log.Warn("traces were not sent", "spans", len(spans), "error", err)
	}
	return nil
}
