package ingest

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/internal/tracing"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// maxLinks is the maximum number of links of a span, which is also that of collectors.
const maxLinks = 128

// traces makes one trace of each flush: a span of each partition from its first record on, which links to the spans
// of publishers, and a span of the write with one of each insert. An event has no span of its own: it would cost more
// than its audit.
type traces struct {
	tracer *tracing.Tracer

	mu     sync.Mutex
	stages map[int32]stages // of the batches that were taken to be written, by partition
}

// openTraces returns nil if no collector is configured.
func openTraces(ctx context.Context, c *settings.Tracing, o *Options) (*traces, error) {
	tracer, err := tracing.Open(ctx, c, "ingest", o.Version, o.Log)
	if tracer == nil || err != nil {
		return nil, err
	}
	return &traces{tracer: tracer, stages: map[int32]stages{}}, nil
}

// close sends what is queued.
func (t *traces) close(ctx context.Context) {
	if t != nil {
		t.tracer.Close(ctx)
	}
}

// stages are what the records of a batch took, and the spans of their publishers.
type stages struct {
	records        int
	decode, engine time.Duration
	links          []trace.Link
	unlinked       int
}

// tracedStep measures a step.
type tracedStep struct {
	*step
	traces    *traces
	partition int32
	decoded   time.Time
	sum       stages
}

// step makes a step whose stages are measured.
func (t *traces) step(m *metrics, opt engine.Options, log *slog.Logger) pipeline.Step {
	if t == nil {
		return m.step(opt, log)
	}
	s := &tracedStep{traces: t}
	opt.Decoded = func() { s.decoded = time.Now() }
	s.step = m.step(opt, log)
	return s
}

// Apply applies a record and measures it.
func (s *tracedStep) Apply(rec *pipeline.Record, topic string, partition int32, out *rows.Set) {
	began := time.Now()
	s.decoded, s.partition = began, partition
	s.step.Apply(rec, topic, partition, out)
	s.sum.records++
	s.sum.decode += s.decoded.Sub(began)
	s.sum.engine += time.Since(s.decoded)
	if len(rec.TraceParent) > 0 {
		s.sum.link(string(rec.TraceParent))
	}
}

// Low is called once for each batch, when it is taken.
func (s *tracedStep) Low(next int64) (low, clock int64) {
	if s.sum.records > 0 { // before the first record the partition is not known
		s.traces.mu.Lock()
		s.traces.stages[s.partition] = s.sum
		s.traces.mu.Unlock()
		s.sum = stages{}
	}
	return s.step.Low(next)
}

// link links to the span of a publisher, once if it sent several records one after another.
func (s *stages) link(parent string) {
	carried := propagation.MapCarrier{"traceparent": parent}
	of := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carried))
	switch {
	case !of.IsValid() || len(s.links) > 0 && s.links[len(s.links)-1].SpanContext.Equal(of):
	case len(s.links) == maxLinks:
		s.unlinked++
	default:
		s.links = append(s.links, trace.Link{SpanContext: of})
	}
}

// tracedSink is a sink that makes the trace of each flush.
type tracedSink struct {
	pipeline.Sink
	traces *traces
}

// sink traces the writes of a sink.
func (t *traces) sink(s pipeline.Sink) pipeline.Sink {
	if t == nil {
		return s
	}
	return &tracedSink{s, t}
}

// Write writes the batches.
func (s *tracedSink) Write(ctx context.Context, set ...*pipeline.Batch) (err error) {
	now := time.Now()
	began := now
	for _, b := range set {
		if !b.Began.IsZero() && b.Began.Before(began) {
			began = b.Began
		}
	}
	ctx, flush := s.traces.tracer.Root(ctx, "flush", trace.WithTimestamp(began))
	for _, b := range set {
		s.traces.batch(ctx, b, now)
	}
	write, span := tracing.Start(ctx, "write")
	err = s.Sink.Write(write, set...)
	tracing.End(span, err)
	tracing.End(flush, err)
	return err
}

// batch makes the span of the records of a batch.
func (t *traces) batch(ctx context.Context, b *pipeline.Batch, end time.Time) {
	r := &b.Range
	t.mu.Lock()
	s := t.stages[r.Partition]
	delete(t.stages, r.Partition)
	t.mu.Unlock()
	began, system := b.Began, "kafka"
	if strings.HasPrefix(r.Topic, filesTopic) {
		system = "files"
	}
	if began.IsZero() { // rows without records: a release, or findings about the log
		began = end
	}
	_, span := tracing.Start(ctx, "process "+r.Topic, trace.WithTimestamp(began),
		trace.WithSpanKind(trace.SpanKindConsumer), trace.WithLinks(s.links...), trace.WithAttributes(
			attribute.String("messaging.system", system), attribute.String("messaging.operation.type", "process"),
			attribute.String("messaging.destination.name", r.Topic),
			attribute.Int("messaging.destination.partition.id", int(r.Partition)),
			attribute.Int64("messaging.batch.message_count", int64(r.Records)),
			attribute.Int64("shoeproof.offset.first", r.From), attribute.Int64("shoeproof.offset.last", r.To),
			attribute.Float64("shoeproof.decode.seconds", s.decode.Seconds()),
			attribute.Float64("shoeproof.engine.seconds", s.engine.Seconds()),
			attribute.Int("shoeproof.rows", b.Len()), attribute.Int("shoeproof.findings", len(b.Findings)),
			attribute.Int("shoeproof.dead_letters", len(b.DeadLetters)), attribute.Int("shoeproof.links.dropped", s.unlinked),
		))
	span.End(trace.WithTimestamp(end))
}
