package ingest

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/monitor"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// metrics are the metrics of ingest. No label grows with tables or patrons.
type metrics struct {
	*monitor.Metrics

	records, events, duplicates, deadLetters        prometheus.Counter
	oversize                                        prometheus.Counter
	rounds, shoes                                   prometheus.Counter
	findings                                        *prometheus.CounterVec
	writeFailures, commitFailures                   prometheus.Counter
	gaps, differences, released                     prometheus.Counter
	kafkaErrors                                     *prometheus.CounterVec
	flushSeconds, flushRows                         prometheus.Histogram
	durable, found                                  prometheus.Histogram
	lag, watermark, flushed, heldTables, heldEvents *prometheus.GaugeVec
	partitions                                      prometheus.Gauge

	waiting *waiting

	mu    sync.Mutex
	steps map[int32]*step // by partition
}

func newMetrics(version, rulesVersion string) *metrics {
	shown := monitor.New("ingest", version, rulesVersion)
	m := &metrics{Metrics: shown, waiting: newWaiting(), steps: map[int32]*step{}}
	m.records = shown.Counter("records_total", "Records read from Kafka, including those read again after a restart.")
	m.events = shown.Counter("events_total", "Records that are events of the contract.")
	m.duplicates = shown.Counter("duplicates_total", "Events that are duplicates of an earlier one.")
	m.deadLetters = shown.Counter("dead_letters_total", "Records that could not be decoded.")
	m.oversize = shown.Counter("oversize_records_total",
		"Dead letters of which only size and SHA-256 are stored: larger than 16 MiB, or a batch that cannot be read.")
	m.rounds = shown.Counter("rounds_total", "Rounds audited.")
	m.shoes = shown.Counter("shoes_total", "Shoes closed.")
	m.gaps = shown.Counter("gaps_total", "Gaps in the sequence of a table or in the offsets, made durable; including "+
		"those found again after a restart.")
	m.writeFailures = shown.Counter("write_failures_total", "Inserts that ClickHouse rejected; each attempt counts.")
	m.commitFailures = shown.Counter("commit_failures_total",
		"Offset commits that Kafka rejected; tools then display too high a lag.")
	m.differences = shown.Counter("journal_differences_total",
		"Ranges whose rows differed from the journal when they were written again.")
	m.findings = shown.BySeverity("findings_total", "Findings made durable, including those found again after a restart.")
	m.flushSeconds = shown.Histogram("flush_seconds", "Time of a flush until its rows are durable, retries included.",
		prometheus.ExponentialBuckets(0.002, 2, 14))
	m.flushRows = shown.Histogram("flush_rows", "Rows of a flush.", prometheus.ExponentialBuckets(1, 4, 10))
	m.durable = shown.Histogram("event_to_durable_seconds",
		"Time from the oldest event of a flush, by its device's clock, to durable rows.",
		prometheus.ExponentialBuckets(0.01, 2, 18))
	m.found = shown.Histogram("event_to_finding_seconds",
		"Time from the event of a finding, by its device's clock, to the durable finding.",
		prometheus.ExponentialBuckets(0.01, 2, 18))
	m.heldTables = shown.Gauges("held_tables", "Tables whose events wait for a missing one.", "partition")
	m.heldEvents = shown.Gauges("held_events", "Events that wait for a missing one.", "partition")
	m.released = shown.Counter("released_total",
		"Holes that were given up because the events behind them waited too long, or because the table closed.")
	m.lag = shown.Gauges("lag_records", "Records in the partition beyond the last one read.", "partition")
	m.watermark = shown.Gauges("watermark_timestamp_seconds", "Time of the newest durable event, by its device's clock.",
		"partition")
	m.flushed = shown.Gauges("last_flush_timestamp_seconds", "When rows of the partition were last made durable.",
		"partition")
	m.kafkaErrors = shown.Counters("kafka_errors_total", "Requests to the brokers that failed.", "cause")
	m.kafkaErrors.WithLabelValues("network") // exported as 0
	m.partitions = shown.Gauge("partitions", "Partitions assigned to this process.")
	shown.GaugeFunc("tables_open", "Tables with state in memory.", m.tables)
	return m
}

func (m *metrics) tables() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, s := range m.steps {
		n += s.tables
	}
	return float64(n)
}

func (m *metrics) hooks(o *Options) pipeline.Hooks {
	log := o.Log
	return pipeline.Hooks{
		Flushed: func(f pipeline.Flush) { m.flushDone(o, &f) },
		WriteFailed: func(topic string, partition int32, err error) {
			log.Error("flush failed", "topic", topic, "partition", partition, "error", err)
		},
		CommitFailed: func(topic string, partition int32, err error) {
			m.commitFailures.Inc()
			log.Warn("Kafka rejected an offset commit", "topic", topic, "partition", partition, "error", err)
		},
		Resumed: func(topic string, partition int32, r pipeline.Resume) {
			at := []any{"topic", topic, "partition", partition}
			log.Info("partition resumed", append(at, "from", r.Low, "records_again", r.Again, "written_again_from", r.From, "to",
				r.To, "tables", r.Tables)...)
			if r.Cut > 0 {
				log.Error("the log was truncated below audited records; finding feed.retention names them",
					append(at, "from", r.Cut, "to", r.Lost)...)
			}
			if r.Unreadable != nil {
				log.Warn("table snapshots cannot be used; the partition is read from its first record",
					append(at, "error", r.Unreadable)...)
			}
			if r.Differs != "" {
				m.differences.Inc()
				log.Error("rows differ from the journal for the same records; finding feed.journal names them",
					append(at, "from", r.From, "to", r.To, "found", r.Differs)...)
			}
		},
		Unconfirmed: func(topic string, partition int32, err error) {
			log.Warn("the last flush is not confirmed; the next start writes it again", "topic", topic, "partition", partition,
				"error", err)
		},
		Held: func(_ string, partition int32, held []pipeline.Waiting) {
			events := 0
			for i := range held {
				events += held[i].Events
			}
			m.waiting.report(partition, held)
			m.heldTables.WithLabelValues(strconv.Itoa(int(partition))).Set(float64(len(held)))
			m.heldEvents.WithLabelValues(strconv.Itoa(int(partition))).Set(float64(events))
		},
		Released: func(topic string, partition int32, h engine.Held) {
			m.released.Inc()
			log.Warn("events waited too long for a missing one and were released", "topic", topic, "partition", partition,
				"property", h.PropertyID, "table", h.TableID, "missing", h.Missing, "events", h.Events)
		},
		Lag: func(_ string, partition int32, records int64) {
			o.Limit.Update()
			m.lag.WithLabelValues(strconv.Itoa(int(partition))).Set(float64(records))
		},
	}
}

// flushDone counts a durable flush, and logs its dead letters.
func (m *metrics) flushDone(o *Options, f *pipeline.Flush) {
	m.flushSeconds.Observe(f.Took.Seconds())
	m.flushRows.Observe(float64(f.Batch.Len()))
	if latency, ok := f.Latency(); ok {
		m.durable.Observe(max(0, latency.Seconds())) // the sum of a histogram must not fall with times in the future
	}
	partition := strconv.Itoa(int(f.Batch.Range.Partition))
	m.flushed.WithLabelValues(partition).Set(float64(f.Durable.UnixMilli()) / 1e3)
	if at := f.Batch.Events.At; len(at) > 0 {
		m.watermark.WithLabelValues(partition).Set(float64(slices.Max(at)) / 1e9)
	}
	for i := range f.Batch.Findings {
		finding := &f.Batch.Findings[i]
		m.findings.WithLabelValues(finding.Severity.String()).Inc()
		m.found.Observe(max(0, f.Durable.Sub(time.Unix(0, int64(finding.At))).Seconds()))
		if slices.Contains([]string{"feed.gap", "feed.partition", "feed.retention"}, finding.Rule) {
			m.gaps.Inc()
		}
	}
	if dead := f.Batch.DeadLetters; len(dead) > 0 { // One line a flush, however bad the feed.
		o.Log.Warn("records that cannot be decoded or compared were written to dead_letters", "records", len(dead), "topic",
			dead[0].Topic,
			"partition", dead[0].Partition, "first_offset", dead[0].Offset, "first_reason", dead[0].Reason)
	}
	if o.Flushed != nil {
		o.Flushed(*f)
	}
}

// step is an engine whose totals are added to the metrics at each flush.
type step struct {
	*engine.Engine
	m      *metrics
	log    *slog.Logger
	added  engine.Counts // to the metrics
	tables int           // under m.mu
}

func (m *metrics) step(opt engine.Options, log *slog.Logger) *step {
	return &step{Engine: engine.New(opt), m: m, log: log}
}

// Apply applies a record.
func (s *step) Apply(rec *pipeline.Record, topic string, partition int32, b *rows.Set) {
	if s.added.Records == 0 && s.Counts.Records == 0 {
		s.m.mu.Lock()
		s.m.steps[partition] = s
		s.m.mu.Unlock()
	}
	if errors.As(rec.Bad, new(*pipeline.OversizeError)) {
		s.m.oversize.Inc()
		s.log.Error("a record cannot be read within its limit; find out who publishes to the topic", "topic", topic,
			"partition", partition, "offset", rec.Offset, "reason", rec.Bad)
	}
	s.Engine.Apply(rec, topic, partition, b)
}

// Low is called once for each flush.
func (s *step) Low(next int64) (low, clock int64) {
	now := s.Counts
	s.m.records.Add(float64(now.Records - s.added.Records))
	s.m.events.Add(float64(now.Events - s.added.Events))
	s.m.duplicates.Add(float64(now.Duplicates - s.added.Duplicates))
	s.m.deadLetters.Add(float64(now.DeadLetters - s.added.DeadLetters))
	s.m.rounds.Add(float64(now.Rounds - s.added.Rounds))
	s.m.shoes.Add(float64(now.Shoes - s.added.Shoes))
	s.added = now
	s.m.mu.Lock()
	s.tables = s.Tables()
	s.m.mu.Unlock()
	return s.Engine.Low(next)
}

// watched is a source that counts its partitions and logs their assignment.
type watched struct {
	pipeline.Source
	m *metrics
	o *Options

	mu sync.Mutex
	n  int // of partitions
}

func (w *watched) add(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n += n
	w.m.partitions.Set(float64(w.n))
	// A long backlog needs 200 MiB, most of it flush.rows in transit, and 16 for each partition.
	w.o.Limit.AtLeast(200 + 16*w.n)
}

// Consume calls the source's Consume.
func (w *watched) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	return w.Source.Consume(ctx, func(ctx context.Context, s pipeline.Stream) error {
		w.add(1)
		w.o.Log.Info("partition assigned", "topic", s.Topic(), "partition", s.Partition())
		defer func() {
			w.add(-1)
			for _, g := range []*prometheus.GaugeVec{w.m.lag, w.m.watermark, w.m.flushed, w.m.heldTables, w.m.heldEvents} {
				g.DeleteLabelValues(strconv.Itoa(int(s.Partition())))
			}
			w.m.waiting.revoked(s.Partition())
			w.m.mu.Lock()
			delete(w.m.steps, s.Partition())
			w.m.mu.Unlock()
			w.o.Log.Info("partition revoked", "topic", s.Topic(), "partition", s.Partition())
		}()
		return work(ctx, s)
	})
}
