package engine_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/eventspb"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// BenchmarkEngine is decode, fold, rules, detectors, columns and the hash of each batch of 5,000 rows. The shoes are
// of all kinds of table, interleaved as a partition interleaves them. Of Protobuf it gives the ratio of the processor
// time to what protobuf-go takes to decode the same events, in turns with the engine.
func BenchmarkEngine(b *testing.B) {
	for _, format := range []schema.Format{schema.Protobuf, schema.JSON} {
		b.Run(format.String(), func(b *testing.B) { benchEngine(b, format) })
	}
}

// floor is the start of a gaming day at one table of each kind: opening and six shoes.
func floor(tb testing.TB) [][]schema.Event {
	var tables [][]schema.Event
	for i, kind := range deal.Kinds() {
		config, err := deal.Config(kind, uint64(i))
		if err != nil {
			tb.Fatal(err)
		}
		t := deal.NewTable(deal.Options{Property: "ac-1", Pit: "p1", Table: kind, Config: config, Seed: uint64(i)})
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
	batch := &rows.Set{}
	// Before it is measured the batch has grown to its size, as it has in a program that runs.
	apply(engine.New(enginetest.Options()), values, format, batch)
	b.ReportAllocs()
	var m0, m1 runtime.MemStats
	events := 0
	var used, reference time.Duration
	for b.Loop() {
		b.StopTimer()
		e := engine.New(enginetest.Options())
		half := len(values) / 2
		apply(e, values[:half], format, batch)
		runtime.ReadMemStats(&m0)
		began := cpu()
		b.StartTimer()
		apply(e, values[half:], format, batch)
		b.StopTimer()
		used += cpu() - began
		runtime.ReadMemStats(&m1)
		if format == schema.Protobuf {
			reference += protobufGo(b, values[half:])
		}
		events += len(values) - half
		b.StartTimer()
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(events)/max(used.Seconds(), 1e-9), "events/CPU-s")
	if reference > 0 {
		b.ReportMetric(float64(reference.Nanoseconds())/float64(events), "protobuf-go-ns/event")
		b.ReportMetric(used.Seconds()/reference.Seconds(), "x-protobuf-go")
	}
	b.ReportMetric(float64(m1.Mallocs-m0.Mallocs)/float64(len(values)-len(values)/2), "allocs/event")
	b.ReportMetric(float64(m1.TotalAlloc-m0.TotalAlloc)/float64(len(values)-len(values)/2), "B/event")
}

// protobufGo is the processor time that protobuf-go takes to decode events into a message that is reused.
func protobufGo(tb testing.TB, values [][]byte) time.Duration {
	ev, began := &eventspb.TableEvent{}, cpu()
	for _, v := range values {
		if err := proto.Unmarshal(v, ev); err != nil {
			tb.Fatal(err)
		}
	}
	return cpu() - began
}

// An allocation that comes back in the steady state of a floor fails. What is left is of each shoe: its snapshot, its
// detectors, its ids.
func TestSteadyStateAllocates(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which runs with -short, allocates too")
	}
	const limit = 0.07 // an event
	values := interleave(floor(t), schema.Protobuf)
	e, batch := engine.New(enginetest.Options()), &rows.Set{}
	steady, last := len(values)/2, len(values)*3/4
	apply(e, values[:steady], schema.Protobuf, batch)
	parts := [][][]byte{values[steady:last], values[last:]} // the first run is not counted
	allocations := testing.AllocsPerRun(1, func() {
		apply(e, parts[0], schema.Protobuf, batch)
		parts = parts[1:]
	})
	got := allocations / float64(len(values)-last)
	if t.Logf("%.3f allocations an event", got); got > limit {
		t.Errorf("%.3f allocations an event, want at most %v", got, limit)
	}
}

// apply folds values, a batch of 5,000 rows at a time, which is hashed as ingest hashes it.
func apply(e *engine.Engine, values [][]byte, format schema.Format, batch *rows.Set) {
	rec := &engine.Record{Format: format}
	for i, v := range values {
		rec.Offset, rec.Value = int64(i), v
		e.Apply(rec, "bench", 0, batch)
		if batch.Len() >= 5_000 {
			batch.Hash()
			batch.Reset()
		}
	}
	batch.Hash()
	batch.Reset()
}

// BenchmarkOpenTable is what a table takes that is in the middle of its third shoe, for each of many.
func BenchmarkOpenTable(b *testing.B) {
	const copies = 40
	kinds := deal.Kinds()
	values := make([][]byte, 0, 1<<20)
	for c := range copies {
		for i, kind := range kinds {
			config, err := deal.Config(kind, uint64(i))
			if err != nil {
				b.Fatal(err)
			}
			t := deal.NewTable(deal.Options{
				Property: "ac-1", Pit: "p1", Table: kind + "-" + strconv.Itoa(c), Config: config,
				Seed: uint64(c*100 + i),
			})
			events := t.Open()
			for range 3 {
				events = append(events, t.Shoe()...)
			}
			last := len(events) - 600 // about the middle of a shoe
			for j := range events[:last] {
				values = append(values, schema.AppendProto(nil, &events[j]))
			}
		}
	}
	batch := &rows.Set{}
	apply(engine.New(enginetest.Options()), values[:50_000], schema.Protobuf, batch)
	var m0, m1 runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&m0)
		e := engine.New(enginetest.Options())
		apply(e, values, schema.Protobuf, batch)
		runtime.GC()
		runtime.ReadMemStats(&m1)
		b.ReportMetric(float64(int64(m1.HeapAlloc)-int64(m0.HeapAlloc))/float64(e.Tables()), "B/table")
		runtime.KeepAlive(e)
	}
}
