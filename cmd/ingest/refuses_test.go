//go:build unix

package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// While ClickHouse refuses flushes, or is slow, reading waits, memory stays bounded, readiness fails and liveness does
// not, and one line names the cause. After the fix the rows equal the rows in a healthy ClickHouse.
func TestClickHouseTakesNoFlush(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	events := hotel(t, 6000)
	const first = 1500
	g := newGate(t, ch.Addr, "slow")
	alter := func(database, set string) {
		ask(t, ch, "ALTER TABLE "+database+".events MODIFY SETTING "+set)
	}
	type patient struct {
		database, says string
		wrong, mended  func()
		*child
	}
	all := []*patient{
		{database: "shoeproof", wrong: func() {}, mended: func() {}},
		{
			database: "locked", says: "the table is read-only",
			wrong: func() { alter("locked", "table_readonly = 1") }, mended: func() { alter("locked", "table_readonly = 0") },
		},
		{
			database: "full", says: "the server's disk is full",
			wrong:  func() { alter("full", "min_free_disk_bytes_to_perform_insert = 1000000000000000") },
			mended: func() { alter("full", "min_free_disk_bytes_to_perform_insert = 0") },
		},
		{
			database: "parts", says: "merges do not keep up",
			wrong: func() {
				alter("parts", "parts_to_throw_insert = 1, parts_to_delay_insert = 1, max_avg_part_size_for_too_many_parts = 0")
			},
			mended: func() { alter("parts", "parts_to_throw_insert = 3000, parts_to_delay_insert = 1000") },
		},
		{
			database: "slow", says: "the server is slow",
			wrong: func() { g.set(func(string) { time.Sleep(3 * time.Second) }, false) }, mended: func() { g.set(nil, false) },
		},
	}
	publish(t, broker, events[:first])
	stored := func(p *patient) int { return number(t, ch, "SELECT count() FROM "+p.database+".v_events") }
	for _, p := range all {
		databases.MigratedAs(t, ch, p.database)
		addr := ch.Addr
		if p.database == "slow" {
			addr = g.Addr().String()
		}
		p.child = spawn(t, "--kafka-brokers", broker.Addrs[0], "--kafka-group", p.database, "--clickhouse-addrs", addr,
			"--clickhouse-database", p.database)
	}
	began := time.Now()
	for _, p := range all {
		testkit.Await(t, "the first events in "+p.database, func() bool { return stored(p) == first })
		p.wrong()
	}
	publish(t, broker, events[first:])
	testkit.Await(t, "all events where nothing is wrong", func() bool { return stored(all[0]) == len(events) })
	for _, p := range all[1:] {
		testkit.Await(t, p.database+" is not ready", func() bool {
			return status(t, p.address(t),
				"/readyz") == http.StatusServiceUnavailable
		})
		testkit.Await(t, p.database+" says why", func() bool { return strings.Contains(p.stderr.String(), p.says) })
		if code := status(t, p.address(t), "/healthz"); code != http.StatusOK {
			t.Errorf("%s: /healthz is %d", p.database, code)
		}
		if n := stored(p); n != first && p.database != "slow" {
			t.Errorf("%s: %d events are stored, want the first %d", p.database, n, first)
		}
		if mib := rss(p.cmd.Process.Pid); mib > 256 {
			t.Errorf("%s: %d MiB", p.database, mib)
		}
	}
	for _, p := range all {
		p.mended()
	}
	want := map[string]string{}
	for _, p := range all {
		testkit.Await(t, "all in "+p.database, func() bool {
			return done(t, ch, p.database, len(events)) &&
				stored(p) == len(events)
		})
		testkit.Await(t, p.database+" is ready", func() bool { return status(t, p.address(t), "/readyz") == http.StatusOK })
		p.stop(t, 10*time.Second)
		if p == all[0] {
			want = contents(t, ch, p.database)
		} else if diff := cmp.Diff(want, contents(t, ch, p.database)); diff != "" {
			t.Errorf("%s (-golden +got):\n%s", p.database, diff)
		}
		for line := range strings.Lines(p.stderr.String()) {
			if strings.Contains(line, `"level":"ERROR"`) {
				t.Errorf("%s: %s", p.database, line)
			}
		}
		allowed := 8 + int(time.Since(began)/(10*time.Second))
		if n := strings.Count(p.stderr.String(), "ClickHouse refused a request"); n > allowed {
			t.Errorf("%s: %d lines about one cause, in %v", p.database, n, time.Since(began))
		}
	}
}
