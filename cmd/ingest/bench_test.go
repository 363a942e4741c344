package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate"
)

// BenchmarkKafkaToClickHouse is a backlog of a broker in this process taken through ingest into the
// embedded ClickHouse, until the last event can be queried: client, rules, server and broker share
// the machine.
func BenchmarkKafkaToClickHouse(b *testing.B) {
	var events []schema.Event
	kinds := simulate.Kinds()
	for i := range 40 {
		config := must(simulate.Config(kinds[i%len(kinds)], uint64(i)))
		t := simulate.NewTable(simulate.Options{Property: "ac-1", Pit: "p1", Table: fmt.Sprintf("t-%02d", i), Config: config, Seed: uint64(i)})
		events = append(events, t.Open()...)
		for range 4 {
			events = append(events, t.Shoe()...)
		}
	}
	took := time.Duration(0)
	for b.Loop() {
		b.StopTimer()
		ch := startClickHouse(b, "")
		broker := startKafka(b)
		migrate(b, ch)
		publish(b, broker, events)
		b.StartTimer()
		from := time.Now()
		p := start(b, "--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr)
		await(b, "all events can be queried", func() bool { return number(b, ch, "SELECT count() FROM events") >= len(events) })
		took += time.Since(from)
		b.StopTimer()
		p.end(b)
		broker.Stop()
		ch.Stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(len(events)*b.N)/took.Seconds(), "events/s")
}
