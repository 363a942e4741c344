//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/shoeproof/shoeproof/cmd/internal/program"
)

// rss is the resident memory of a process, MiB; 0 where there is no /proc.
func rss(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib := 0
	_, _ = fmt.Sscan(rest, &kib)
	return kib / 1024
}

// ClickHouse is away while events come: they wait in Kafka, memory stays bounded, readiness says so and
// liveness does not, and all is there after it came back.
func TestClickHouseIsAwayForLong(t *testing.T) {
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	migrate(t, ch)
	events := hotel(t, soak(60_000, 3_000_000))
	away := time.Duration(soak(12, 600)) * time.Second
	p := spawn(t, "--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr)
	publish(t, broker, events[:1000])
	await(t, "the first events are stored", func() bool { return number(t, ch, "SELECT count() FROM v_events") == 1000 })
	addr := p.address(t)
	if err := ch.Kill(); err != nil {
		t.Fatal(err)
	}
	from, most := time.Now(), 0
	const perSecond = 5000
	for at := 1000; at < len(events); {
		due := min(1000+int(time.Since(from).Seconds()*perSecond), len(events))
		if due > at {
			publish(t, broker, events[at:due])
			at = due
		}
		most = max(most, rss(p.cmd.Process.Pid))
		if time.Since(from) > away && ch.Exited() == nil {
			if code := status(t, addr, "/readyz"); code != http.StatusServiceUnavailable {
				t.Errorf("/readyz is %d after %v without ClickHouse", code, away)
			}
			if code := status(t, addr, "/healthz"); code != http.StatusOK {
				t.Errorf("/healthz is %d", code)
			}
			if err := ch.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(20 * time.Millisecond) // the pace of the floor
	}
	back := time.Now()
	await(t, "all events are stored", func() bool { return number(t, ch, "SELECT count() FROM v_events") == len(events) })
	most = max(most, rss(p.cmd.Process.Pid))
	t.Logf("%d events at %d a second, ClickHouse away for %v: %d MiB at most, all stored %v after the last was sent", len(events), perSecond, away, most, time.Since(back).Round(time.Millisecond))
	if most > 512 {
		t.Errorf("%d MiB, want at most 512", most)
	}
	if n := strings.Count(p.stderr.String(), "ClickHouse did not take"); n == 0 || n > int(away/(2*time.Second))+4 {
		t.Errorf("%d lines about ClickHouse in %v:\n%s", n, away, p.stderr.String())
	}
	p.stop(t, 10*time.Second)
}

// stop is SIGTERM; it must end with 0 within a time.
func (c *child) stop(t testing.TB, within time.Duration) {
	t.Helper()
	told := time.Now()
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	<-c.gone
	if took := time.Since(told); took > within {
		t.Errorf("it took %v to end, want at most %v", took, within)
	}
	if code := c.cmd.ProcessState.ExitCode(); code != program.Done {
		t.Errorf("exit code %d, want %d:\n%s", code, program.Done, c.stderr.String())
	}
}

// address is where it serves HTTP.
func (c *child) address(t testing.TB) string {
	t.Helper()
	const before = `"address":"`
	await(t, "it serves HTTP", func() bool { return strings.Contains(c.stderr.String(), before) })
	_, rest, _ := strings.Cut(c.stderr.String(), before)
	addr, _, _ := strings.Cut(rest, `"`)
	return addr
}

func status(t testing.TB, addr, path string) int {
	t.Helper()
	resp, err := http.Get("http://" + addr + path)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// Told to stop under load, with small flushes and a ClickHouse that has stopped answering, it ends with 0
// within ten seconds; the next start makes the flush that nobody confirmed. A second signal ends it at once.
func TestStoppedUnderLoad(t *testing.T) {
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	migrate(t, ch)
	events := hotel(t, 40_000)
	g := newGate(t, ch.Addr, "shoeproof")
	args := []string{"--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", g.Addr().String(), "--flush-rows", "50"}
	publish(t, broker, events)
	p := spawn(t, args...)
	await(t, "events are stored", func() bool { return number(t, ch, "SELECT count() FROM v_events") > 500 })
	p.stop(t, 10*time.Second)

	p = spawn(t, args...)
	stored := number(t, ch, "SELECT count() FROM v_events")
	await(t, "it goes on", func() bool { return number(t, ch, "SELECT count() FROM v_events") > stored })
	g.set(nil, true)
	time.Sleep(300 * time.Millisecond) // of flushes that nobody answers
	p.stop(t, 10*time.Second)
	if !strings.Contains(p.stderr.String(), "the next start makes it again") {
		t.Errorf("it does not say that a flush is not confirmed:\n%s", p.stderr.String())
	}

	p = spawn(t, args...)
	time.Sleep(300 * time.Millisecond)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	time.Sleep(200 * time.Millisecond) // the first is heard before the second
	told := time.Now()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.gone
	if took := time.Since(told); took > time.Second {
		t.Errorf("a second signal took %v", took)
	}

	g.set(nil, false)
	p = spawn(t, args[:len(args)-2]...)
	await(t, "all events are stored", func() bool { return done(t, ch, "shoeproof", len(events)) })
	p.stop(t, 10*time.Second)
	if n := number(t, ch, "SELECT count() FROM v_events"); n != len(events) {
		t.Errorf("%d events stored, want %d", n, len(events))
	}
}

// One record in a hundred cannot be read: all of those are dead letters, and nothing else is missing. The
// whole topic is there before ingest is, and takes no more memory for that.
func TestPoison(t *testing.T) {
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	migrateAs(t, ch, "clean")
	migrate(t, ch)
	events := hotel(t, soak(60_000, 1_000_000))
	publish(t, broker, events)
	took := func(database string, records int) time.Duration {
		p := spawn(t, "--kafka-brokers", broker.Addrs[0], "--kafka-group", database, "--clickhouse-addrs", ch.Addr, "--clickhouse-database", database)
		from := time.Now()
		most := 0
		await(t, "all is read into "+database, func() bool {
			most = max(most, rss(p.cmd.Process.Pid))
			return done(t, ch, database, records)
		})
		d := time.Since(from)
		if t.Logf("%d records behind: %d MiB at most", records, most); most > 256 {
			t.Errorf("%d MiB, want at most 256", most)
		}
		p.stop(t, 10*time.Second)
		return d
	}
	clean := took("clean", len(events))
	rng := rand.New(rand.NewPCG(1, 1))
	bad := len(events) / 100
	client, err := kgo.NewClient(kgo.SeedBrokers(broker.Addrs...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var poison []*kgo.Record
	for i := range bad {
		poison = append(poison, &kgo.Record{Topic: topic, Value: []byte{"\x00\xff{[\""[rng.IntN(5)], byte(i), byte(i >> 8), 0xff}})
	}
	if err := client.ProduceSync(t.Context(), poison...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	dirty := took("shoeproof", len(events)+bad)
	t.Logf("%d events: %v; with %d that cannot be read: %v", len(events), clean.Round(time.Millisecond), bad, dirty.Round(time.Millisecond))
	if n := number(t, ch, "SELECT count() FROM v_dead_letters"); n != bad {
		t.Errorf("%d dead letters, want %d", n, bad)
	}
	want, got := contents(t, ch, "clean"), contents(t, ch, "shoeproof")
	for table, w := range want {
		if table != "dead_letters" && got[table] != w {
			t.Errorf("%s: %s with bad records, want %s", table, got[table], w)
		}
	}
}
