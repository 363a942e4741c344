//go:build linux

package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema"
)

// BenchmarkLife plays a floor at the speed of life, or at a multiple of it, with an event in conflict with another one,
// which is a finding, every 3 s. It reports what the floor costs ClickHouse and when findings are visible:
//
//	make bench-life TABLES=20 PARTITIONS=4 SPEED=1 DURATION=10m
func BenchmarkLife(b *testing.B) {
	tables, partitions := setting(b, "LIFE_TABLES", 20), setting(b, "LIFE_PARTITIONS", 4)
	duration, err := time.ParseDuration(cmp.Or(os.Getenv("LIFE_DURATION"), "1m"))
	if err != nil {
		b.Fatal(err)
	}
	ch := startClickHouse(b, "")
	migrate(b, ch)
	broker, err := engine.StartKafka(engine.KafkaOptions{Topics: map[string]int32{topic: int32(partitions)}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(broker.Stop)
	for b.Loop() {
		floor := &life{publisher: newPublisher(b, broker.Addrs[0], topic), events: shoesOf(tables)}
		floor.speed = int64(setting(b, "LIFE_SPEED", 1))
		floor.send(b, floor.until(floor.events[0].At+warmUp.Nanoseconds()))
		g := newGate(b, ch.Addr, "shoeproof")
		c := spawn(b, "--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", g.Addr().String())
		testkit.Await(b, "the tables are open", func() bool { return done(b, ch, "shoeproof", floor.sent) })
		inserts := countInserts(g)
		since, used := measure(b, ch), testkit.ProcessorTime(b, c.cmd.Process.Pid)
		inserted, began := number(b, ch, insertedRows), time.Now()
		floor.play(b, duration)
		wall := time.Since(began).Seconds()
		s, mine := since(1), testkit.ProcessorTime(b, c.cmd.Process.Pid)-used
		b.ReportMetric(s.server/1e6/wall*100, "ClickHouse-%-of-a-core")
		b.ReportMetric(mine.Seconds()/wall*100, "ingest-%-of-a-core")
		b.ReportMetric(s.merged/float64(number(b, ch, insertedRows)-inserted), "merges/row")
		b.ReportMetric(float64(floor.played)/wall, "events/s")
		perTable := inserts()
		for _, table := range slices.Sorted(maps.Keys(perTable)) {
			b.Logf("%-14s %6.2f inserts/s", table, float64(perTable[table])/wall)
		}
		b.ReportMetric(float64(slices.Max(slices.Collect(maps.Values(perTable))))/wall, "max-inserts/s/table")
		last := time.Now()
		testkit.Await(b, "the rest is read", func() bool { return done(b, ch, "shoeproof", floor.sent) })
		b.ReportMetric(time.Since(last).Seconds(), "s-behind-at-the-end")
		const ms = "SELECT toInt64(quantileExact(%v)(toUnixTimestamp64Milli(arrived_at) - toUnixTimestamp64Milli(at))) " +
			"FROM open_findings WHERE rule = 'feed.conflict'"
		b.ReportMetric(float64(number(b, ch, fmt.Sprintf(ms, .5))), "p50-ms-to-visible")
		b.ReportMetric(float64(number(b, ch, fmt.Sprintf(ms, .99))), "p99-ms-to-visible")
		b.ReportMetric(float64(number(b, ch, "SELECT count() FROM open_findings WHERE rule = 'feed.conflict'")), "findings")
		b.ReportMetric(float64(number(b, ch, "SELECT max(n) FROM (SELECT count() AS n FROM system.parts WHERE active "+
			"AND database = 'shoeproof' GROUP BY table, partition)")), "max-parts")
		b.ReportMetric(maxMemory(b, c.cmd.Process.Pid), "MiB")
		c.stop(b, 30*time.Second)
	}
}

const (
	warmUp       = 75 * time.Minute // by the clocks of the tables: they have opened and deal
	insertedRows = "SELECT toInt64(sum(value)) FROM system.events WHERE event = 'InsertedRows'"
)

func setting(b *testing.B, name string, otherwise int) int {
	b.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(otherwise)))
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	return n
}

// shoesOf is the beginning of what tables play, about a shoe of each, by their clocks.
func shoesOf(tables int) []schema.Event {
	for events := range hall(tables) {
		return events
	}
	return nil
}

// life is a floor whose events are published when they happen.
type life struct {
	publisher
	events       []schema.Event // that are to come
	speed        int64
	sent, played int
}

// until takes the events before a moment of their clocks.
func (f *life) until(moment int64) []schema.Event {
	n := before(f.events, moment)
	due := f.events[:n]
	f.events, f.sent = f.events[n:], f.sent+n
	return due
}

// play publishes events when they happen, with the clocks moved to the present.
func (f *life) play(b *testing.B, duration time.Duration) {
	b.Helper()
	first, began := f.events[0].At, time.Now()
	conflict := began
	for now := began; now.Sub(began) < duration; now = time.Now() {
		due := f.until(first + now.Sub(began).Nanoseconds()*f.speed)
		f.played += len(due)
		for i := range due {
			due[i].At = began.UnixNano() + (due[i].At-first)/f.speed
		}
		if len(due) > 0 && now.Sub(conflict) >= 3*time.Second {
			conflict = now
			other := due[len(due)-1]
			other.EventID += "x"
			due, f.sent = append(slices.Clone(due), other), f.sent+1
		}
		f.send(b, due)
		time.Sleep(max(0, 20*time.Millisecond-time.Since(now)))
	}
	if len(f.events) == 0 {
		b.Fatal("the floor ended before the measurement: each table has one shoe, 40 minutes of play")
	}
}

// countInserts counts the inserts of each table through a gate, until the function that it returns is called.
func countInserts(g *gate) (stop func() map[string]int) {
	var mu sync.Mutex
	n := map[string]int{}
	g.set(func(table string) {
		mu.Lock()
		defer mu.Unlock()
		n[table]++
	}, false)
	return func() map[string]int {
		g.set(nil, false)
		return n
	}
}

// BenchmarkBehind has a process read a long backlog with its defaults, and reports its maximum memory and the share of
// its processor time that the collector takes:
//
//	make bench-behind EVENTS=10000000
func BenchmarkBehind(b *testing.B) {
	n := setting(b, "BEHIND_EVENTS", 400_000)
	b.Setenv("GODEBUG", "gctrace=1")
	ch, broker := startClickHouse(b, ""), startKafka(b)
	migrate(b, ch)
	floor, sent := newPublisher(b, broker.Addrs[0], topic), 0
	for events := range hall(60) {
		floor.send(b, events)
		if sent += len(events); sent >= n {
			break
		}
	}
	for b.Loop() {
		since := measure(b, ch)
		c := spawn(b, "--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr)
		awaitRows(b, ch, "SELECT toInt64(sum(records)) FROM journal", sent)
		s := since(sent)
		b.ReportMetric(maxMemory(b, c.cmd.Process.Pid), "MiB")
		c.stop(b, 30*time.Second)
		b.ReportMetric(1e6/s.wall, "events/s")
		b.ReportMetric(perEvent(c.cmd.ProcessState.UserTime()+c.cmd.ProcessState.SystemTime(), sent), "process-us/event")
		b.ReportMetric(s.server, "ClickHouse-us/event")
		shares := regexp.MustCompile(`(?m)^gc \d+ @[\d.]+s (\d+)%`).FindAllStringSubmatch(c.stderr.String(), -1)
		if len(shares) > 0 {
			share, _ := strconv.ParseFloat(shares[len(shares)-1][1], 64)
			b.ReportMetric(share, "%-collection")
		}
		ask(b, ch, "DROP DATABASE shoeproof SYNC")
		migrate(b, ch)
	}
}
