package pipeline_test

import (
	"runtime"
	"testing"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate"
)

// BenchmarkEngine is decode, fold, rules and columns, a batch of 5,000 rows at a time, over shoes of
// twelve kinds of table interleaved as a partition interleaves them.
func BenchmarkEngine(b *testing.B) {
	for _, format := range []schema.Format{schema.Protobuf, schema.JSON} {
		b.Run(format.String(), func(b *testing.B) { benchEngine(b, format) })
	}
}

// floor is the start of a gaming day at one table of each kind: opening and six shoes.
func floor(tb testing.TB) [][]schema.Event {
	var tables [][]schema.Event
	for i, kind := range simulate.Kinds() {
		config, err := simulate.Config(kind, uint64(i))
		if err != nil {
			tb.Fatal(err)
		}
		t := simulate.NewTable(simulate.Options{Property: "ac-1", Pit: "p1", Table: kind, Config: config, Seed: uint64(i)})
		events := t.Open()
		for range 6 {
			events = append(events, t.Shoe()...)
		}
		tables = append(tables, events)
	}
	return tables
}

// interleave takes an event of each table in turn and encodes them.
func interleave(tables [][]schema.Event, format schema.Format) [][]byte {
	var values [][]byte
	for i := 0; ; i++ {
		any := false
		for _, events := range tables {
			if i < len(events) {
				any = true
				if format == schema.JSON {
					values = append(values, schema.AppendJSON(nil, &events[i]))
				} else {
					values = append(values, schema.AppendProto(nil, &events[i]))
				}
			}
		}
		if !any {
			return values
		}
	}
}

func benchEngine(b *testing.B, format schema.Format) {
	values := interleave(floor(b), format)
	batch := &pipeline.Batch{}
	b.ReportAllocs()
	var m0, m1 runtime.MemStats
	events := 0
	rec := &pipeline.Record{Format: format}
	for b.Loop() {
		b.StopTimer()
		e := pipeline.NewEngine(engineOptions())
		runtime.ReadMemStats(&m0)
		b.StartTimer()
		for i, v := range values {
			rec.Offset, rec.Value = int64(i), v
			e.Apply(rec, "bench", 0, batch)
			if batch.Rows() >= 5_000 {
				batch.Reset()
			}
		}
		b.StopTimer()
		runtime.ReadMemStats(&m1)
		batch.Reset()
		events += len(values)
		b.StartTimer()
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(m1.Mallocs-m0.Mallocs)/float64(len(values)), "allocs/event")
	b.ReportMetric(float64(m1.HeapAlloc-m0.HeapAlloc)/float64(len(simulate.Kinds())), "B/table")
}
