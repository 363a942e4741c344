// Package monitor serves /metrics, /healthz and /readyz of a program, on a port that serves nothing else. Programs
// register their metrics here and give a readiness function; the package knows nothing of what they do.
package monitor

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Prefix is the first part of every metric's name.
const Prefix = "shoeproof_"

// Metrics is a registry of metrics. No label may grow with tables or patrons.
type Metrics struct {
	*prometheus.Registry
	labels prometheus.Labels
}

// New returns a registry with the metrics of the build, the Go runtime and the process.
func New(program, version, rulesVersion string) *Metrics {
	m := &Metrics{Registry: prometheus.NewRegistry()}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: Prefix + "build_info", Help: "1, with the program, its release and the version of all rulebooks.",
		ConstLabels: prometheus.Labels{"program": program, "version": version, "rules": rulesVersion},
	})
	build.Set(1)
	m.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// For returns a registry that adds a label to every metric made with it.
func (m *Metrics) For(label, value string) *Metrics {
	return &Metrics{Registry: m.Registry, labels: prometheus.Labels{label: value}}
}

// Counter makes a counter.
func (m *Metrics) Counter(name, help string) prometheus.Counter {
	return add(m, prometheus.NewCounter(prometheus.CounterOpts{Name: Prefix + name, Help: help, ConstLabels: m.labels}))
}

// Counters makes a counter by labels.
func (m *Metrics) Counters(name, help string, labels ...string) *prometheus.CounterVec {
	return add(m, prometheus.NewCounterVec(prometheus.CounterOpts{Name: Prefix + name, Help: help, ConstLabels: m.labels},
		labels))
}

// Gauge makes a gauge.
func (m *Metrics) Gauge(name, help string) prometheus.Gauge {
	return add(m, prometheus.NewGauge(prometheus.GaugeOpts{Name: Prefix + name, Help: help, ConstLabels: m.labels}))
}

// Gauges makes a gauge by labels.
func (m *Metrics) Gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return add(m, prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: Prefix + name, Help: help, ConstLabels: m.labels},
		labels))
}

// GaugeFunc makes a gauge whose value is computed at each scrape.
func (m *Metrics) GaugeFunc(name, help string, value func() float64) {
	add(m, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: Prefix + name, Help: help, ConstLabels: m.labels}, value))
}

// Histogram makes a histogram.
func (m *Metrics) Histogram(name, help string, buckets []float64) prometheus.Histogram {
	return add(m, prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: Prefix + name, Help: help, Buckets: buckets,
		ConstLabels: m.labels,
	}))
}

// Histograms makes a histogram by labels.
func (m *Metrics) Histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return add(m, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: Prefix + name, Help: help, Buckets: buckets,
		ConstLabels: m.labels,
	}, labels))
}

// BySeverity makes a counter by severity, with 0 for each.
func (m *Metrics) BySeverity(name, help string) *prometheus.CounterVec {
	c := m.Counters(name, help, "severity")
	for _, severity := range []string{"info", "minor", "major", "critical"} {
		c.WithLabelValues(severity)
	}
	return c
}

func add[C prometheus.Collector](m *Metrics, c C) C {
	m.MustRegister(c)
	return c
}
