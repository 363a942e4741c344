//go:build linux

package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema"
)

// side is what one contestant of BenchmarkPeer takes.
type side struct {
	wall, process, server float64 // us per event
	inserts, merged       float64 // INSERT statements, rows that merges read
	memory                float64 // of the process, maximum, MiB
}

// BenchmarkPeer moves the same records from a broker of this process into the embedded ClickHouse, in turns: by ingest
// with its defaults, and by ClickHouse's own Kafka engine, which checks nothing and fills one table like events. All
// records are JSON, which that engine reads. `make bench-peer` runs it three times and reports medians. PEER_EVENTS is
// the number of events. With few of them most of a turn is the wait for the last flush, on both sides.
func BenchmarkPeer(b *testing.B) {
	events := hotel(b, setting(b, "PEER_EVENTS", 400_000))
	ch, broker := startClickHouse(b, ""), startKafka(b)
	migrate(b, ch) // the database of ask
	w := writer(b, broker.Addrs[0], topic, schema.JSON)
	for chunk := range slices.Chunk(events, 2000) {
		if err := w.Write(b.Context(), chunk...); err != nil {
			b.Fatal(err)
		}
	}
	sides := map[string][]side{}
	for run := 0; b.Loop(); run++ {
		names := []string{"ingest", "peer"}
		if run%2 == 1 {
			slices.Reverse(names)
		}
		for _, name := range names {
			database := fmt.Sprintf("%s_%d", name, run)
			move := byIngest
			if name == "peer" {
				move = byPeer
			}
			s := move(b, ch, broker.Addrs[0], database, len(events))
			b.Logf("%-7s %7.0f events/s; us/event: process %5.2f, ClickHouse %5.2f; %4.0f inserts, %8.0f rows merged, %3.0f MiB",
				name, 1e6/s.wall, s.process, s.server, s.inserts, s.merged, s.memory)
			sides[name] = append(sides[name], s)
			ask(b, ch, "DROP DATABASE "+database+" SYNC")
		}
	}
	median := func(name string, of func(side) float64) float64 {
		var all []float64
		for _, s := range sides[name] {
			all = append(all, of(s))
		}
		slices.Sort(all)
		return all[len(all)/2]
	}
	wall := func(s side) float64 { return s.wall }
	used := func(s side) float64 { return s.process + s.server }
	b.Logf("medians of %d turns, %d events: ingest, peer", len(sides["peer"]), len(events))
	for _, row := range []struct {
		name string
		of   func(side) float64
	}{
		{"events/s", func(s side) float64 { return 1e6 / s.wall }},
		{"us/event, process", func(s side) float64 { return s.process }},
		{"us/event, ClickHouse", func(s side) float64 { return s.server }},
		{"us/event, both", used},
		{"inserts", func(s side) float64 { return s.inserts }},
		{"rows merged", func(s side) float64 { return s.merged }},
		{"MiB, process", func(s side) float64 { return s.memory }},
	} {
		b.Logf("%-20s %10.1f %10.1f", row.name, median("ingest", row.of), median("peer", row.of))
	}
	b.ReportMetric(1e6/median("ingest", wall), "ingest-events/s")
	b.ReportMetric(1e6/median("peer", wall), "peer-events/s")
	b.ReportMetric(median("ingest", func(s side) float64 { return s.process }), "process-us/event")
	b.ReportMetric(median("ingest", func(s side) float64 { return s.server }), "ClickHouse-us/event")
	b.ReportMetric(median("peer", used), "peer-us/event")
	b.ReportMetric(median("peer", wall)/median("ingest", wall), "speed-of-peer")
	b.ReportMetric(median("ingest", used)/median("peer", used), "cost-of-peer")
}

// byIngest reads the topic with a process of ingest.
func byIngest(b *testing.B, ch *engine.ClickHouse, broker, database string, n int) side {
	databases.MigratedAs(b, ch, database)
	since := measure(b, ch)
	c := spawn(b, "--kafka-brokers", broker, "--kafka-group", database, "--clickhouse-addrs", ch.Addr,
		"--clickhouse-database", database)
	awaitRows(b, ch, "SELECT toInt64(sum(records)) FROM "+database+".journal", n)
	s := since(n)
	s.memory = maxMemory(b, c.cmd.Process.Pid)
	c.stop(b, 30*time.Second)
	s.process = perEvent(c.cmd.ProcessState.UserTime()+c.cmd.ProcessState.SystemTime(), n)
	return s
}

// byPeer reads it with ClickHouse's Kafka engine.
func byPeer(b *testing.B, ch *engine.ClickHouse, broker, database string, n int) side {
	ask(b, ch, "CREATE DATABASE "+database)
	ask(b, ch, "CREATE TABLE "+database+`.events (
    property_id LowCardinality(String), pit_id LowCardinality(String), table_id LowCardinality(String),
    seq UInt64 CODEC(Delta, ZSTD(1)), event_id String CODEC(ZSTD(1)), at DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    shoe_id String CODEC(ZSTD(1)), round UInt32 CODEC(Delta, ZSTD(1)),
    partition Int32 CODEC(ZSTD(1)), offset Int64 CODEC(Delta, ZSTD(1)))
ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(at) ORDER BY (property_id, table_id, seq, event_id)`)
	const read = "property_id String, pit_id String, table_id String, seq UInt64, event_id String, at String, " +
		"shoe_id String, round UInt32"
	ask(b, ch, "CREATE TABLE "+database+".queue ("+read+") ENGINE = Kafka SETTINGS kafka_broker_list = '"+broker+
		"', kafka_topic_list = '"+topic+"', kafka_group_name = '"+database+"', kafka_format = 'JSONEachRow', "+
		"input_format_skip_unknown_fields = 1, kafka_num_consumers = 2")
	since := measure(b, ch)
	ask(b, ch, "CREATE MATERIALIZED VIEW "+database+".mover TO "+database+`.events AS
SELECT * REPLACE (parseDateTime64BestEffortOrZero(at, 9, 'UTC') AS at), toInt32(_partition) AS partition,
    toInt64(_offset) AS offset FROM `+database+".queue")
	awaitRows(b, ch, "SELECT toInt64(count()) FROM "+database+".events", n)
	return since(n)
}

// awaitRows waits until the result of a query is n. It queries four times a second: a query is work of the server that
// is measured.
func awaitRows(b *testing.B, ch *engine.ClickHouse, query string, n int) {
	b.Helper()
	testkit.Await(b, query, func() bool {
		time.Sleep(250 * time.Millisecond)
		text, err := enginetest.Query(b.Context(), ch, "shoeproof", query)
		have, bad := strconv.Atoi(strings.TrimSpace(text))
		return err == nil && bad == nil && have >= n
	})
}

// measure begins a measurement of the server; the result ends it, for a number of events.
func measure(b *testing.B, ch *engine.ClickHouse) func(n int) side {
	b.Helper()
	counter := func(name string) float64 {
		return float64(number(b, ch, "SELECT toInt64(sum(value)) FROM system.events WHERE event = '"+name+"'"))
	}
	inserts, merged := counter("InsertQuery"), counter("MergedRows")
	used, began := testkit.ProcessorTime(b, ch.PID()), time.Now()
	return func(n int) side {
		wall := time.Since(began)
		return side{
			wall: perEvent(wall, n), server: perEvent(testkit.ProcessorTime(b, ch.PID())-used, n),
			inserts: counter("InsertQuery") - inserts, merged: counter("MergedRows") - merged,
		}
	}
}

func perEvent(d time.Duration, n int) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(n) }

// maxMemory is the maximum resident size of a process so far, in MiB. The kernel counts it from its exec on; the usage
// that a parent gets includes the parent's pages.
func maxMemory(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	fields := strings.Fields(after)
	kib, err := strconv.Atoi(fields[0])
	if err != nil {
		b.Fatal(err)
	}
	return float64(kib) / 1024
}
