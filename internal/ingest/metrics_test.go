package ingest

import (
	"log/slog"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/heap"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// A device whose clock is ahead does not lower the sum of a histogram: a scrape would take that for a restart.
func TestLatencyOfTheFuture(t *testing.T) {
	m := newMetrics("test", "")
	now := time.Unix(1_000_000, 0)
	b := &pipeline.Batch{}
	b.Findings = []finding.Finding{{At: schema.Time(now.Add(time.Hour).UnixNano()), Severity: finding.Minor}}
	b.Events.At = []int64{now.Add(time.Hour).UnixNano()}
	m.flushDone(&Options{Log: slog.New(slog.DiscardHandler)}, &pipeline.Flush{Batch: b, Durable: now})
	for name, h := range map[string]prometheus.Histogram{"durable": m.durable, "found": m.found} {
		r := prometheus.NewRegistry()
		r.MustRegister(h)
		all, err := r.Gather()
		if err != nil || len(all) != 1 {
			t.Fatal(len(all), err)
		}
		if got := all[0].GetMetric()[0].GetHistogram(); got.GetSampleCount() != 1 || got.GetSampleSum() < 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// The memory limit follows the live heap with each report of the lag.
func TestLimitFollowsTheHeap(t *testing.T) {
	none := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(none) })
	t.Setenv("GOMEMLIMIT", "")
	o := &Options{Log: slog.New(slog.DiscardHandler), Limit: &heap.Limit{Percent: 118}}
	lag := newMetrics("test", "").hooks(o).Lag
	o.Limit.AtLeast(64)
	tables := make([]byte, 100<<20)
	runtime.GC()
	lag("t", 0, 1)
	if limit := debug.SetMemoryLimit(-1) >> 20; limit < 118 || limit > 140 {
		t.Errorf("limit of %d MiB with 100 in use, want 118 and little more", limit)
	}
	runtime.KeepAlive(tables)
}
