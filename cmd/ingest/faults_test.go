//go:build unix

package main

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/monitor/monitortest"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema"
)

// mostBehind is the memory that a long backlog may take, MiB.
const mostBehind = 384

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

// ClickHouse is down while events arrive: they wait in Kafka, memory stays bounded, readiness fails, liveness does not,
// and within two minutes of its return all rows are stored.
func TestClickHouseIsAwayForLong(t *testing.T) {
	t.Parallel()
	if testkit.Soak(0, 1) == 0 {
		awayFor(t, 6*time.Second)
		return
	}
	for _, away := range []time.Duration{time.Minute, 10 * time.Minute} {
		t.Run(away.String(), func(t *testing.T) { awayFor(t, away) })
	}
}

func awayFor(t *testing.T, away time.Duration) {
	perSecond := testkit.Soak(2000, 5000)
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	migrate(t, ch)
	p := spawn(t, "--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr)
	floor := newPublisher(t, broker.Addrs[0], topic)
	events, stop := iter.Pull(hall(40))
	defer stop()
	ready, _ := events()
	floor.send(t, ready[:1000])
	ready = ready[1000:]
	testkit.Await(t, "the first events are stored", stored(t, ch, 1000))
	addr := p.address(t)
	ch.Kill()
	from, most, sent := time.Now(), 0, 0
	var back time.Time // when ClickHouse answered again
	// In the long form the floor goes on until the backlog is gone.
	for lag := -1; lag != 0; {
		due := int(time.Since(from).Seconds() * float64(perSecond))
		for sent < due && (back.IsZero() || testkit.Soak(0, 1) == 1) {
			if len(ready) == 0 {
				ready, _ = events()
			}
			n := min(due-sent, len(ready))
			floor.send(t, ready[:n])
			ready, sent = ready[n:], sent+n
		}
		most = max(most, rss(p.cmd.Process.Pid))
		switch {
		case !back.IsZero():
			if lag = 1000 + sent - number(t, ch, "SELECT count() FROM events"); lag < testkit.Soak(0, perSecond) {
				lag = 0 // what comes in a second is no backlog
			}
			if time.Since(back) > 15*time.Minute {
				t.Fatalf("%d events are not stored a quarter of an hour after ClickHouse came back", lag)
			}
		case time.Since(from) > away:
			testkit.Await(t, "readiness fails without ClickHouse",
				func() bool { return status(t, addr, "/readyz") == http.StatusServiceUnavailable })
			if code := status(t, addr, "/healthz"); code != http.StatusOK {
				t.Errorf("/healthz is %d", code)
			}
			if err := ch.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			back = time.Now()
		}
		time.Sleep(20 * time.Millisecond) // the pace of the floor
	}
	caught, gone := time.Since(back), back.Sub(from)
	testkit.Within(t, "catching up", caught, 2*time.Minute)
	testkit.Await(t, "all events are stored", stored(t, ch, 1000+sent))
	most = max(most, rss(p.cmd.Process.Pid))
	t.Logf("%d events at %d a second, ClickHouse away for %v: %d MiB at most, caught up %v after it came back", 1000+sent,
		perSecond, away, most, caught.Round(time.Millisecond))
	if most > 512 {
		t.Errorf("%d MiB, want at most 512", most)
	}
	if n := strings.Count(p.stderr.String(), "ClickHouse refused a request"); n == 0 || n > int(gone/(2*time.Second))+4 {
		t.Errorf("%d lines about ClickHouse in %v:\n%s", n, gone, p.stderr.String())
	}
	p.stop(t, 10*time.Second)
}

// stop is SIGTERM; it must end with 0 within a time.
func (c *child) stop(t testing.TB, within time.Duration) {
	t.Helper()
	told := time.Now()
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	c.stopped(t, told, within)
}

// stopped waits for the end of a process that was told to stop.
func (c *child) stopped(t testing.TB, told time.Time, within time.Duration) {
	t.Helper()
	<-c.gone
	testkit.Within(t, "stopping", time.Since(told), within)
	if code := c.cmd.ProcessState.ExitCode(); code != cli.Done {
		t.Errorf("exit code %d, want %d:\n%s", code, cli.Done, c.stderr.String())
	}
}

// address is where it serves HTTP.
func (c *child) address(t testing.TB) string {
	t.Helper()
	const before = `"address":"`
	testkit.Await(t, "it serves HTTP", func() bool { return strings.Contains(c.stderr.String(), before) })
	_, rest, _ := strings.Cut(c.stderr.String(), before)
	addr, _, _ := strings.Cut(rest, `"`)
	return addr
}

func status(t testing.TB, addr, path string) int {
	t.Helper()
	code, _ := monitortest.Get(t, "http://"+addr+path)
	return code
}

// Stopped under load, with small flushes and a ClickHouse that does not answer, it exits with 0 within ten seconds; the
// next start makes the unconfirmed flush again. A second signal ends it at once.
func TestStoppedUnderLoad(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	migrate(t, ch)
	events := hotel(t, 20_000)
	g := newGate(t, ch.Addr, "shoeproof")
	args := []string{"--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", g.Addr().String(), "--flush-rows", "50"}
	publish(t, broker, events)
	p := spawn(t, args...)
	testkit.Await(t, "events are stored", func() bool { return number(t, ch, "SELECT count() FROM v_events") > 500 })
	p.stop(t, 10*time.Second)

	p = spawn(t, args...)
	stored := number(t, ch, "SELECT count() FROM v_events")
	testkit.Await(t, "it goes on", func() bool { return number(t, ch, "SELECT count() FROM v_events") > stored })
	g.hold()
	p.stop(t, 10*time.Second)
	if !strings.Contains(p.stderr.String(), "the next start writes it again") {
		t.Errorf("it does not say that a flush is not confirmed:\n%s", p.stderr.String())
	}

	g.set(nil, false)
	p = spawn(t, args...)
	stored = number(t, ch, "SELECT count() FROM v_events")
	testkit.Await(t, "it goes on again", func() bool { return number(t, ch, "SELECT count() FROM v_events") > stored })
	g.hold() // the first signal waits for this flush
	// A signal that arrives while the first is handled may be lost, so that it is sent until the process ends.
	testkit.Await(t, "a second signal ends it", func() bool {
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-p.gone:
			return true
		case <-time.After(100 * time.Millisecond):
			return false
		}
	})
	if ended := p.cmd.ProcessState; ended.ExitCode() != -1 {
		t.Errorf("after a second signal: %v, want an end by the signal", ended)
	}

	g.set(nil, false)
	p = spawn(t, args[:len(args)-2]...)
	testkit.Await(t, "all events are stored", func() bool { return done(t, ch, "shoeproof", len(events)) })
	p.stop(t, 10*time.Second)
	if n := number(t, ch, "SELECT count() FROM v_events"); n != len(events) {
		t.Errorf("%d events stored, want %d", n, len(events))
	}
}

// One record in a hundred cannot be read: all of those are dead letters, and nothing else is missing or
// different. The whole topic is there before ingest is, and takes no more memory for that.
func TestPoison(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	migrate(t, ch)
	events := hotel(t, testkit.Soak(20_000, 1_000_000))
	bad := poisoned(t, broker, events)
	for database, records := range map[string]int{"clean": len(events), "poisoned": len(events) + bad} {
		databases.MigratedAs(t, ch, database)
		p := spawn(t, "--kafka-brokers", broker.Addrs[0], "--kafka-topic", topic+"-"+database, "--clickhouse-addrs", ch.Addr,
			"--clickhouse-database", database)
		most := 0
		testkit.Await(t, "all is read into "+database, func() bool {
			most = max(most, rss(p.cmd.Process.Pid))
			return done(t, ch, database, records)
		})
		if t.Logf("%d records behind: %d MiB at most", records, most); most > mostBehind {
			t.Errorf("%d MiB, want at most %d", most, mostBehind)
		}
		p.stop(t, 10*time.Second)
	}
	if n := number(t, ch, "SELECT count() FROM poisoned.v_dead_letters"); n != bad {
		t.Errorf("%d dead letters, want %d", n, bad)
	}
	want, got := contents(t, ch, "clean"), contents(t, ch, "poisoned")
	for table, w := range want {
		switch table {
		case "dead_letters", "events", "table_memory": // the last two have offsets in them
		default:
			if got[table] != w {
				t.Errorf("%s: %s with bad records, want %s", table, got[table], w)
			}
		}
	}
	archived := func(database string) string {
		return ask(t, ch, "SELECT concat(toString(count()), ' ', lower(hex(SHA256(groupConcat(hex(sha256)))))) FROM "+
			"(SELECT sha256 FROM "+database+".events FINAL ORDER BY table_id, seq, sha256)")
	}
	if w, g := archived("clean"), archived("poisoned"); w != g {
		t.Errorf("events: %s with bad records, want %s", g, w)
	}
}

// poisoned makes two topics with the same events. The second also has unreadable records, one for each hundred events.
func poisoned(t testing.TB, broker *engine.Kafka, events []schema.Event) (bad int) {
	t.Helper()
	for _, name := range []string{"clean", "poisoned"} {
		if err := broker.Cluster.CreateTopic(topic+"-"+name, 4, nil); err != nil {
			t.Fatal(err)
		}
	}
	newPublisher(t, broker.Addrs[0], topic+"-clean").send(t, events)
	client, err := kgo.NewClient(kgo.SeedBrokers(broker.Addrs...), kgo.DefaultProduceTopic(topic+"-poisoned"),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	rng := rand.New(rand.NewPCG(1, 1))
	floor := newPublisher(t, broker.Addrs[0], topic+"-poisoned")
	for chunk := range slices.Chunk(events, 2000) {
		floor.send(t, chunk)
		var poison []*kgo.Record
		for range len(chunk) / 100 {
			poison = append(poison, &kgo.Record{
				Partition: rng.Int32N(4),
				Value:     []byte{"\x00\xff{[\""[rng.IntN(5)], byte(bad), byte(bad >> 8), 0xff},
			})
			bad++
		}
		if err := client.ProduceSync(t.Context(), poison...).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	return bad
}

// Ten million records wait in an Apache Kafka when ingest starts; it reads them in bounded memory.
func TestBacklog(t *testing.T) {
	if testkit.Soak(0, 1) == 0 {
		t.Skip("only in the long form; TestPoison has a short backlog")
	}
	ch := startClickHouse(t, "")
	broker, made := apacheTopic(t)
	migrate(t, ch)
	floor, sent := newPublisher(t, broker, made), 0
	for events := range hall(60) {
		floor.send(t, events)
		if sent += len(events); sent >= 10_000_000 {
			break
		}
	}
	p := spawn(t, "--kafka-brokers", broker, "--kafka-topic", made, "--kafka-group", made, "--clickhouse-addrs", ch.Addr)
	from, most := time.Now(), 0
	for read := 0; read < sent; time.Sleep(200 * time.Millisecond) { // of the samples
		most = max(most, rss(p.cmd.Process.Pid))
		if read = number(t, ch, "SELECT toInt64(sum(to_offset + 1)) FROM v_progress"); time.Since(from) > time.Hour {
			t.Fatalf("%d of %d records read in an hour", read, sent)
		}
	}
	t.Logf("%d records behind: %d MiB at most, read in %v", sent, most, time.Since(from).Round(time.Second))
	if most > mostBehind {
		t.Errorf("%d MiB, want at most %d", most, mostBehind)
	}
	p.stop(t, 10*time.Second)
}
