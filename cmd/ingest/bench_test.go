//go:build unix

package main

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// BenchmarkKafkaToClickHouse is a backlog of a broker in this process taken through ingest into the
// embedded ClickHouse, until the last event can be queried: client, rules, server and broker share
// the machine.
func BenchmarkKafkaToClickHouse(b *testing.B) {
	var events []schema.Event
	kinds := deal.Kinds()
	for i := range 40 {
		config := must(deal.Config(kinds[i%len(kinds)], uint64(i)))
		t := deal.NewTable(deal.Options{
			Property: "ac-1", Pit: "p1", Table: fmt.Sprintf("t-%02d", i), Config: config,
			Seed: uint64(i),
		})
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
		testkit.Await(b, "all events can be queried", func() bool {
			return number(b, ch,
				"SELECT count() FROM events") >= len(events)
		})
		took += time.Since(from)
		b.StopTimer()
		p.end(b)
		broker.Stop()
		ch.Stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(len(events)*b.N)/took.Seconds(), "events/s")
}

// BenchmarkPoison is a backlog with and without a hundredth of records that cannot be read, in turn, each in a
// process of its own: processor time of ingest for an event that can be read, the median of the runs.
func BenchmarkPoison(b *testing.B) {
	ch := startClickHouse(b, "")
	broker := startKafka(b)
	migrate(b, ch)
	events := hotel(b, 40_000)
	bad := poisoned(b, broker, events)
	perEvent := map[string][]float64{}
	for run := 0; b.Loop(); run++ {
		names := []string{"clean", "poisoned"}
		if run%2 == 1 {
			slices.Reverse(names)
		}
		for _, name := range names {
			records := len(events)
			if name == "poisoned" {
				records += bad
			}
			database := fmt.Sprintf("%s_%d", name, run)
			databases.MigratedAs(b, ch, database)
			p := spawn(b, "--kafka-brokers", broker.Addrs[0], "--kafka-topic", topic+"-"+name, "--kafka-group", database,
				"--clickhouse-addrs", ch.Addr, "--clickhouse-database", database)
			testkit.Await(b, "all is read into "+database, func() bool { return done(b, ch, database, records) })
			p.stop(b, 30*time.Second)
			perEvent[name] = append(perEvent[name], float64(p.cmd.ProcessState.UserTime().Microseconds())/float64(len(events)))
			ask(b, ch, "DROP DATABASE "+database)
		}
	}
	median := func(name string) float64 {
		slices.Sort(perEvent[name])
		return perEvent[name][len(perEvent[name])/2]
	}
	b.Logf("user us/event: %v", perEvent)
	b.ReportMetric(median("clean"), "clean-us/event")
	b.ReportMetric(median("poisoned"), "poisoned-us/event")
	b.ReportMetric(100*(median("poisoned")/median("clean")-1), "%")
}
