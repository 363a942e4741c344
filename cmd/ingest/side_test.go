//go:build unix

package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/monitor/monitortest"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema"
)

const twelve = 12 // partitions of the topic that one, two and four processes share

// One, two and four processes share twelve partitions, each has its part of them and works, and what they
// write is the same, byte for byte.
func TestSideBySide(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	migrate(t, ch)
	events := hotel(t, testkit.Soak(16_000, 1_000_000))
	var want map[string]string
	for _, n := range []int{1, 2, 4} {
		_, got := sideBySide(t, ch, events, n)
		if want == nil {
			want = got
		}
		for table, w := range want {
			if got[table] != w {
				t.Errorf("%s: %s of %d processes, want %s as of one", table, got[table], n, w)
			}
		}
	}
	if findings, _, _ := strings.Cut(want["findings"], " "); len(findings) < 2 {
		t.Errorf("%s findings of %d tables that break a rule", findings, faulty)
	}
}

// BenchmarkSideBySide is a backlog on twelve partitions, taken by one, two and four processes into one
// ClickHouse. Broker and server have the same cores.
func BenchmarkSideBySide(b *testing.B) {
	events := hotel(b, 400_000)
	for _, n := range []int{1, 2, 4} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			var wall, user time.Duration
			for b.Loop() {
				ch := startClickHouse(b, "")
				migrate(b, ch)
				took, _ := sideBySide(b, ch, events, n)
				wall, user = wall+took.wall, user+took.user
				ch.Stop()
			}
			all := float64(len(events) * b.N)
			b.ReportMetric(all/wall.Seconds(), "events/s")
			b.ReportMetric(all/user.Seconds(), "events/user-s")
			b.ReportMetric(user.Seconds()/float64(b.N), "user-s")
		})
	}
}

type took struct {
	wall time.Duration // from the first record that could be read to the last row that can be queried
	user time.Duration // processor time of all n
}

// sideBySide has n processes take the events, once each has its part of the partitions, into a database
// of their own.
func sideBySide(t testing.TB, ch *engine.ClickHouse, events []schema.Event, n int) (took, map[string]string) {
	t.Helper()
	name := fmt.Sprintf("by_%d", n)
	broker, err := engine.StartKafka(engine.KafkaOptions{Topics: map[string]int32{topic: twelve}})
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Stop()
	databases.MigratedAs(t, ch, name)
	// The embedded server died now and then when members left it directly, even in good order.
	g := newGate(t, ch.Addr, name)
	var all []*child
	signal := func(sig syscall.Signal) {
		for _, c := range all {
			_ = c.cmd.Process.Signal(sig)
		}
	}
	for range n {
		all = append(all, spawn(t, "--kafka-brokers", broker.Addrs[0], "--kafka-group", name, "--clickhouse-addrs",
			g.Addr().String(), "--clickhouse-database", name))
	}
	testkit.Await(t, "each has its part", func() bool {
		return !slices.ContainsFunc(all, func(c *child) bool { return c.metric(t, "shoeproof_partitions") != twelve/n })
	})
	signal(syscall.SIGSTOP) // all begin at once, with all of it before them
	publish(t, broker, events)
	began := time.Now()
	signal(syscall.SIGCONT)
	testkit.Await(t, "all is in ClickHouse", func() bool {
		return done(t, ch, name, len(events)) && confirmed(t, ch, name, all...)
	})
	out := took{wall: time.Since(began)}
	for i, c := range all {
		testkit.Await(t, fmt.Sprintf("process %d of %d has read something", i+1, n),
			func() bool { return c.metric(t, "shoeproof_events_total") > 0 })
	}
	told := time.Now()
	signal(syscall.SIGTERM)
	for _, c := range all {
		c.stopped(t, told, 10*time.Second)
		out.user += c.cmd.ProcessState.UserTime()
	}
	t.Logf("%d: %d events in %v, %v of their processor time", n, len(events), out.wall.Round(time.Millisecond),
		out.user.Round(time.Millisecond))
	return out, contents(t, ch, name)
}

// metric is a figure of /metrics, -1 if it is not there.
func (c *child) metric(t testing.TB, name string) int {
	t.Helper()
	_, page := monitortest.Get(t, "http://"+c.address(t)+"/metrics")
	return int(monitortest.Figure(t, page, name))
}
