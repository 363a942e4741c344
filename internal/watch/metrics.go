package watch

import (
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/shoeproof/shoeproof/internal/monitor"
)

// metrics are the metrics of a watch, labelled with its property.
type metrics struct {
	*monitor.Metrics

	shoes, rounds, evidence prometheus.Counter
	bound, promised         prometheus.Counter
	alarms, errors          *prometheus.CounterVec
	feeds, decided          prometheus.Gauge
	progress, passed, took  prometheus.Gauge
}

func newMetrics(version, rulesVersion, property string) *metrics {
	shown := monitor.New("watch", version, rulesVersion)
	of := shown.For("property", property)
	m := &metrics{
		Metrics: shown,
		shoes:   of.Counter("watch_shoes_total", "Shoes evaluated, including those evaluated again after a restart."),
		rounds:  of.Counter("watch_rounds_total", "Rounds evaluated, including those evaluated again after a restart."),
		evidence: of.Counter("watch_evidence_rows_total",
			"Rows of evidence made durable, including those written again after a restart."),
		alarms: of.BySeverity("watch_alarms_total",
			"Alarms of detectors made durable, including those raised again after a restart."),
		errors: of.Counters("watch_errors_total",
			"Inserts that ClickHouse refused, each try counted, and passes that failed.", "cause"),
		bound: of.Counter("watch_false_alarms_bound_total",
			"Bound on the expected number of false alarms of exact and tolerance detectors, from the starts really made."),
		promised: of.Counter("watch_false_alarms_promised_total",
			"False alarms that the budget allows for the same days of tables."),
		feeds: of.Gauge("watch_feeds_timestamp_seconds",
			"Up to when the slowest open table has reported, by its device's clock."),
		decided: of.Gauge("watch_decided_timestamp_seconds",
			"Time up to which all settled rounds are evaluated, by the devices' clocks."),
		progress: of.Gauge("watch_last_progress_timestamp_seconds",
			"When rounds were last evaluated, or none was left."),
		passed: of.Gauge("watch_last_pass_timestamp_seconds", "When the last pass succeeded."),
		took:   of.Gauge("watch_last_pass_seconds", "Time that the last pass took."),
	}
	for _, cause := range []string{"insert", "pass"} {
		m.errors.WithLabelValues(cause)
	}
	return m
}

func (m *metrics) hooks() Hooks {
	return Hooks{
		Begun: func(watermark int64) { m.feeds.Set(seconds(watermark)) },
		Kept: func(shoes, rounds int, evidence []rows.Evidence, findings []finding.Finding, decided int64) {
			m.shoes.Add(float64(shoes))
			m.rounds.Add(float64(rounds))
			m.evidence.Add(float64(len(evidence)))
			for i := range findings {
				if f := &findings[i]; f.Kind == finding.Anomaly { // other findings repeat with every configuration
					m.alarms.WithLabelValues(f.Severity.String()).Inc()
				}
			}
			if shoes+rounds > 0 {
				m.decided.Set(seconds(decided))
			}
			m.progress.SetToCurrentTime()
		},
	}
}

// passedAll records a pass after which no shoe is left.
func (m *metrics) passedAll(step Step, took time.Duration) {
	m.bound.Add(step.Bound)
	m.promised.Add(step.Promised)
	m.decided.Set(seconds(step.Watermark))
	m.progress.SetToCurrentTime()
	m.passed.SetToCurrentTime()
	m.took.Set(took.Seconds())
}

// seconds since 1970, of nanoseconds.
func seconds(ns int64) float64 { return float64(ns) / 1e9 }
