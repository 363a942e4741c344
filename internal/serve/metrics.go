package serve

import (
	"fmt"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/shoeproof/shoeproof/console"
	"github.com/shoeproof/shoeproof/internal/monitor"
)

// metrics are the metrics of the console. Route labels come from the console's list of routes, never from a request.
type metrics struct {
	*monitor.Metrics

	requests      *prometheus.CounterVec
	seconds       *prometheus.HistogramVec
	refused       *prometheus.CounterVec
	notifications *prometheus.CounterVec
	waiting       *prometheus.GaugeVec
	logged        *prometheus.CounterVec
}

func newMetrics(version, rulesVersion string, channels []string) *metrics {
	shown := monitor.New("console", version, rulesVersion)
	m := &metrics{
		Metrics:  shown,
		requests: shown.Counters("console_requests_total", "Requests served.", "route", "method", "code"),
		seconds: shown.Histograms("console_request_seconds", "Time of a response, except event streams.",
			[]float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10}, "route"),
		refused: shown.Counters("console_sign_ins_refused_total", "Sign-ins that were refused.", "by"),
		notifications: shown.Counters("console_notifications_total", "Notifications of findings, sent or failed.",
			"channel", "outcome"),
		waiting: shown.Gauges("console_notifications_waiting", "Notifications of findings that are queued.",
			"channel"),
		logged: shown.Counters("console_log_lines_total",
			"Lines of the console log that the log channel received, or did not receive.", "outcome"),
	}
	m.logged.WithLabelValues(console.Sent)
	m.logged.WithLabelValues(console.Lost)
	for _, by := range []string{console.ByOIDC, console.ByProxy, console.ByToken, console.ByChoice} {
		m.refused.WithLabelValues(by)
	}
	for _, channel := range channels {
		m.waiting.WithLabelValues(channel)
		m.notifications.WithLabelValues(channel, console.Sent)
		m.notifications.WithLabelValues(channel, console.Failed)
	}
	return m
}

func (m *metrics) hooks() console.Hooks {
	return console.Hooks{
		Responded: func(a console.Response) {
			m.requests.WithLabelValues(a.Route, a.Method, fmt.Sprintf("%dxx", a.Status/100)).Inc()
			if !a.Stream {
				m.seconds.WithLabelValues(a.Route).Observe(a.Took.Seconds())
			}
		},
		Logged:        func(outcome string, lines int) { m.logged.WithLabelValues(outcome).Add(float64(lines)) },
		SignInRefused: func(by string) { m.refused.WithLabelValues(by).Inc() },
		Notified: func(channel, outcome string) {
			if outcome == console.Queued {
				m.waiting.WithLabelValues(channel).Inc()
				return
			}
			m.waiting.WithLabelValues(channel).Dec()
			m.notifications.WithLabelValues(channel, outcome).Inc()
		},
	}
}

// show adds the metrics that are computed at each scrape.
func (m *metrics) show(status func() console.Status) {
	m.MustRegister(&queue{
		status: status,
		open: prometheus.NewDesc(monitor.Prefix+"console_open_findings",
			"Open findings that are not silenced; urgency 1 is the highest.", []string{"urgency", "severity"}, nil),
		untaken: prometheus.NewDesc(monitor.Prefix+"console_unacknowledged_critical_seconds",
			"Age of the oldest critical finding that is not acknowledged.", nil, nil),
		behind: prometheus.NewDesc(monitor.Prefix+"console_queue_age_seconds",
			"Age of the queue on the pages: time since it was last read from ClickHouse.", nil, nil),
		dead: prometheus.NewDesc(monitor.Prefix+"console_notification_dead_letters",
			"Notifications of the last two days that a channel did not take.", []string{"channel"}, nil),
		logWaits: prometheus.NewDesc(monitor.Prefix+"console_log_lines_waiting",
			"Lines of the console log that the log channel has not received yet.", nil, nil),
		streams: prometheus.NewDesc(monitor.Prefix+"console_event_streams", "Open event streams of pages.", nil, nil),
	})
}

// queue collects the status of a console.
type queue struct {
	status                                         func() console.Status
	open, untaken, behind, streams, dead, logWaits *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (q *queue) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{q.open, q.untaken, q.behind, q.streams, q.dead, q.logWaits} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (q *queue) Collect(to chan<- prometheus.Metric) {
	v := q.status()
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	for rank, n := range v.Queue.Open {
		gauge(q.open, float64(n), strconv.Itoa(int(rank.Urgency)), rank.Severity)
	}
	gauge(q.untaken, v.Queue.OldestNew.Seconds())
	gauge(q.behind, v.QueueAge.Seconds())
	gauge(q.streams, float64(v.Streams))
	gauge(q.logWaits, float64(v.LogWaits))
	for channel, n := range v.Dead {
		gauge(q.dead, float64(n), channel)
	}
}
