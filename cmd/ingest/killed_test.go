//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/internal/program"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate"
)

// childEnv makes this test binary the program itself.
const childEnv = "SHOEPROOF_TEST_IS_INGEST"

// soak is the second number when SHOEPROOF_SOAK is set.
func soak(short, long int) int {
	if os.Getenv("SHOEPROOF_SOAK") != "" {
		return long
	}
	return short
}

// child is ingest in a process of its own, which can be killed.
type child struct {
	cmd    *exec.Cmd
	stderr log
	once   sync.Once
	gone   chan struct{}
}

func spawn(t testing.TB, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: exec.Command(self, append([]string{"--http-listen", "127.0.0.1:0"}, args...)...), gone: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), childEnv+"=1", "SHOEPROOF_PATRON_KEY=a-key-for-tests-only")
	c.cmd.Stderr = &c.stderr
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = c.cmd.Wait()
		close(c.gone)
	}()
	t.Cleanup(c.kill)
	return c
}

// kill is SIGKILL; it returns when the process is gone.
func (c *child) kill() {
	c.once.Do(func() { _ = c.cmd.Process.Kill() })
	<-c.gone
}

// A gate stands between ingest and ClickHouse, and sees which tables it inserts into.
type gate struct {
	net.Listener
	target, database string

	mu sync.Mutex
	// saw is asked when the first bytes of an INSERT have come, before they go on.
	saw func(table string)
	// deaf says that no answer goes back to the client.
	deaf bool
}

func newGate(t testing.TB, target, database string) *gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{Listener: l, target: target, database: database}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go g.carry(conn)
		}
	}()
	return g
}

func (g *gate) set(saw func(string), deaf bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.saw, g.deaf = saw, deaf
}

func (g *gate) state() (func(string), bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.saw, g.deaf
}

func (g *gate) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", g.target)
	if err != nil {
		return
	}
	defer server.Close()
	go func() {
		defer client.Close()
		buf := make([]byte, 64<<10)
		for {
			n, err := server.Read(buf)
			if _, deaf := g.state(); err != nil || deaf {
				_, _ = io.Copy(io.Discard, server) // what was sent is taken in
				return
			}
			if _, err := client.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	insert := []byte("INSERT INTO " + g.database + ".")
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if at := bytes.Index(buf[:n], insert); at >= 0 {
			table, _, _ := strings.Cut(string(buf[at+len(insert):n]), " ")
			if saw, _ := g.state(); saw != nil {
				saw(table)
			}
		}
		if _, werr := server.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

// hotel is tables that play for some shoes, some with a fault: about n events.
func hotel(t testing.TB, n int) []schema.Event {
	t.Helper()
	events := floor(t)
	kinds := simulate.Kinds()
	for i := 0; len(events) < n; i++ {
		config := must(simulate.Config(kinds[i%len(kinds)], uint64(i)))
		table := simulate.NewTable(simulate.Options{Property: "ac-1", Pit: "p1", Table: fmt.Sprintf("h-%03d", i), Config: config, Seed: uint64(i)})
		events = append(events, table.Open()...)
		for range 3 {
			events = append(events, table.Shoe()...)
		}
		events = append(events, table.Close()...)
	}
	return events
}

// contents is what each table holds, every key once: how many rows, and the SHA-256 of all of them in order.
func contents(t testing.TB, ch *engine.ClickHouse, database string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, table := range []string{
		"events", "rounds", "wagers", "vigorish", "shoes", "table_configs", "notices", "table_memory", "evidence", "findings", "dead_letters",
	} {
		out[table] = ask(t, ch, "SELECT concat(toString(count()), ' ', lower(hex(SHA256(arrayStringConcat(groupArray(row), '\n'))))) FROM "+
			"(SELECT toString(tuple(*)) AS row FROM "+database+"."+table+" FINAL ORDER BY row)")
	}
	return out
}

func migrateAs(t testing.TB, ch *engine.ClickHouse, database string) {
	t.Helper()
	config := clickhouse.Config{Addrs: []string{ch.Addr}, Database: database, User: "default"}
	if _, _, err := clickhouse.Migrate(t.Context(), config); err != nil {
		t.Fatal(err)
	}
}

// done says that the journal of a database reaches the end of a topic of n records.
func done(t testing.TB, ch *engine.ClickHouse, database string, n int) bool {
	return number(t, ch, "SELECT toInt64(sum(to_offset + 1)) FROM "+database+".v_progress") == n
}

// A killing is a moment at which a child is killed.
type killing struct {
	name string
	arm  func(c *child, g *gate)
}

// Killed at random instants, and at each step of a flush, again and again, it leaves what a run that was
// never killed leaves: not a row lost, none twice, none different.
func TestKilled(t *testing.T) {
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	migrateAs(t, ch, "shoeproof")
	migrateAs(t, ch, "killed")
	rng := rand.New(rand.NewPCG(uint64(soak(1, int(time.Now().UnixNano()))), 4))

	var mu sync.Mutex
	request, after := kmsg.Key(-1), 0 // kill at such a request, after so many
	var struck func()
	broker.Cluster.Control(func(r kmsg.Request) (kmsg.Response, error, bool) {
		mu.Lock()
		defer mu.Unlock()
		broker.Cluster.KeepControl()
		if struck != nil && kmsg.Key(r.Key()) == request {
			if after--; after < 0 {
				struck()
				struck = nil
			}
		}
		return nil, nil, false
	})
	atRequest := func(key kmsg.Key, most int) func(*child, *gate) {
		return func(c *child, _ *gate) {
			mu.Lock()
			defer mu.Unlock()
			request, after, struck = key, rng.IntN(most), func() { _ = c.cmd.Process.Kill() }
		}
	}
	atInsert := func(table string, deaf bool) func(*child, *gate) {
		return func(c *child, g *gate) {
			left := rng.IntN(3)
			g.set(func(seen string) {
				if left--; seen != table || left >= 0 {
					return
				}
				if deaf {
					g.set(nil, true)
					time.Sleep(time.Duration(rng.IntN(30)) * time.Millisecond) // of a server that works
				}
				_ = c.cmd.Process.Kill()
			}, false)
		}
	}
	random := killing{"at random", func(c *child, _ *gate) {
		wait := time.Duration(rng.Int64N(int64(800 * time.Millisecond)))
		time.AfterFunc(wait, func() { _ = c.cmd.Process.Kill() })
	}}
	seams := []killing{
		{"after fetch", atRequest(kmsg.Fetch, 12)},
		{"after rules", atInsert("journal", false)},
		{"journal written", atInsert("events", false)},
		{"insert sent", atInsert("rounds", true)},
		{"ack lost", atInsert("findings", true)},
		{"before commit", atRequest(kmsg.OffsetCommit, 6)},
	}
	kills := slices.Repeat([]killing{random}, soak(20, 1000))
	kills = append(kills, slices.Repeat(seams, soak(5, 200))...)
	rng.Shuffle(len(kills), func(i, j int) { kills[i], kills[j] = kills[j], kills[i] })

	events := hotel(t, soak(200_000, 2_000_000))
	// What is not yet there cannot be read: each process has its part of the log to work on.
	parts := slices.Collect(slices.Chunk(events, len(events)/(len(kills)+1)+1))
	g := newGate(t, ch.Addr, "killed")
	args := []string{"--kafka-brokers", broker.Addrs[0], "--kafka-group", "killed", "--clickhouse-addrs", g.Addr().String(), "--clickhouse-database", "killed", "--flush-rows", "1000"}
	published := 0
	next := func() {
		if len(parts) > 0 {
			publish(t, broker, parts[0])
			published += len(parts[0])
			parts = parts[1:]
		}
	}
	var first []time.Duration
	by := map[string]int{}
	for i, k := range kills {
		next()
		began := time.Now()
		c := spawn(t, args...)
		progress := make(chan time.Duration, 1)
		g.set(nil, false)
		k.arm(c, g)
		saw, _ := g.state()
		g.set(func(table string) {
			select {
			case progress <- time.Since(began):
			default:
			}
			if saw != nil {
				saw(table)
			}
		}, false)
		name := k.name
		select {
		case <-c.gone:
		case <-time.After(3 * time.Second): // its part of the log was too small to get there
			name = "idle"
		}
		c.kill()
		by[name]++
		select {
		case d := <-progress:
			first = append(first, d)
		default:
		}
		if i%50 == 49 {
			t.Logf("%d kills, %v", i+1, by)
		}
	}
	for len(parts) > 0 {
		next()
	}
	g.set(nil, false)
	c := spawn(t, args...)
	await(t, "all is read", func() bool { return done(t, ch, "killed", published) })
	golden := spawn(t, "--kafka-brokers", broker.Addrs[0], "--kafka-group", "golden", "--clickhouse-addrs", ch.Addr)
	await(t, "the golden run is done", func() bool { return done(t, ch, "shoeproof", published) })
	for _, c := range []*child{c, golden} {
		_ = c.cmd.Process.Signal(syscall.SIGTERM)
		<-c.gone
		if code := c.cmd.ProcessState.ExitCode(); code != program.Done {
			t.Errorf("exit code %d, want %d:\n%s", code, program.Done, c.stderr.String())
		}
	}

	want, got := contents(t, ch, "shoeproof"), contents(t, ch, "killed")
	for table, w := range want {
		if got[table] != w {
			t.Errorf("%s: %s after the kills, want %s", table, got[table], w)
		}
	}
	twice := ask(t, ch, "SELECT toString(count() - uniqExact(id)) FROM killed.findings FINAL")
	slices.Sort(first)
	if n := len(first); n > 0 {
		t.Logf("%d events, %d kills (%v): %s findings; first insert after a start: p50 %v, p99 %v, most %v (%d starts)",
			published, len(kills), by, strings.Fields(want["findings"])[0], first[n/2].Round(time.Millisecond), first[n*99/100].Round(time.Millisecond), first[n-1].Round(time.Millisecond), n)
	}
	if n := number(t, ch, "SELECT count() FROM killed.findings WHERE rule = 'feed.journal'"); n != 0 || twice != "0" {
		t.Errorf("%d ranges gave other rows when they were made again, %s findings twice", n, twice)
	}
	if len(kills) > 0 && !t.Failed() {
		t.Logf("0 of %d kills lost, doubled or changed a row: with 95 %% confidence fewer than %.2g of all do", len(kills), 3/float64(len(kills)))
	}
}
