//go:build unix

package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	"github.com/shoeproof/shoeproof/internal/monitor/monitortest"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/internal/testkit/proxy"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// childEnv makes this test binary the program itself.
const childEnv = "SHOEPROOF_TEST_IS_INGEST"

// child is ingest in a process of its own, which can be killed.
type child struct {
	cmd    *exec.Cmd
	stderr testkit.Log
	once   sync.Once
	gone   chan struct{}
}

func spawn(t testing.TB, args ...string) *child {
	t.Helper()
	return spawnAs(t, append([]string{"--http-listen", "127.0.0.1:0"}, args...)...)
}

// spawnAs runs the program with these arguments alone.
func spawnAs(t testing.TB, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{
		cmd:  exec.Command(self, args...),
		gone: make(chan struct{}),
	}
	// which ingest refuses, as it does all that it does not know
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "SHOEPROOF_SOAK=") || strings.HasPrefix(v, "SHOEPROOF_SEED=")
	})
	c.cmd.Env = append(env, childEnv+"=1", "SHOEPROOF_PATRON_KEY=a-key-for-tests-only")
	c.cmd.Stderr = &c.stderr
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = c.cmd.Wait()
		close(c.gone)
	}()
	t.Cleanup(func() {
		c.kill()
		if said := c.stderr.String(); t.Failed() {
			t.Logf("ingest said, at the end:\n%s", said[max(0, len(said)-2000):])
		}
	})
	return c
}

// kill is SIGKILL; it returns when the process is gone.
func (c *child) kill() {
	c.once.Do(func() { _ = c.cmd.Process.Kill() })
	<-c.gone
}

// A gate stands between ingest and ClickHouse, and observes which tables it inserts into.
type gate struct {
	*proxy.Proxy
	insert []byte // the start of an INSERT

	mu sync.Mutex
	// inserting is called when the first bytes of an INSERT have arrived, before they go on.
	inserting func(table string)
	// noAnswers drops all answers.
	noAnswers bool
}

func newGate(t testing.TB, target, database string) *gate {
	t.Helper()
	g := &gate{insert: []byte("INSERT INTO " + database + ".")}
	g.Proxy = testkit.Proxy(t, proxy.Options{Target: target, Connect: g.connect})
	return g
}

func (g *gate) set(inserting func(string), noAnswers bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inserting, g.noAnswers = inserting, noAnswers
}

// hold lets the next INSERT and all that follows go without an answer, and returns when that INSERT has begun.
func (g *gate) hold() {
	began := make(chan struct{})
	once := sync.OnceFunc(func() {
		g.set(nil, true)
		close(began)
	})
	g.set(func(string) { once() }, false)
	<-began
}

func (g *gate) state() (func(string), bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.inserting, g.noAnswers
}

func (g *gate) connect(_ context.Context, c *proxy.Conn) bool {
	c.Request = func(piece []byte) ([]byte, error) {
		if at := bytes.Index(piece, g.insert); at >= 0 {
			table, _, _ := strings.Cut(string(piece[at+len(g.insert):]), " ")
			if inserting, _ := g.state(); inserting != nil {
				inserting(table)
			}
		}
		return piece, nil
	}
	dropped := false
	c.Answer = func(piece []byte) ([]byte, error) {
		if _, drop := g.state(); drop || dropped { // an answer without its beginning is none
			dropped = true
			return nil, nil
		}
		return piece, nil
	}
	return true
}

// hall is tables that play side by side, for ever, as their events come into a partition: in the order of time.
func hall(tables int) iter.Seq[[]schema.Event] {
	return func(yield func([]schema.Event) bool) {
		kinds := deal.Kinds()
		playing := make([]*deal.Table, tables)
		var events []schema.Event
		for i := range playing {
			config := must(deal.Config(kinds[i%len(kinds)], uint64(i)))
			playing[i] = deal.NewTable(deal.Options{
				Property: "ac-1", Pit: "p1", Table: fmt.Sprintf("h-%d", i), Config: config,
				Seed: uint64(i),
			})
			events = append(events, playing[i].Open()...)
		}
		behind := func() *deal.Table {
			return slices.MinFunc(playing, func(a, b *deal.Table) int { return cmp.Compare(a.Writer().Now, b.Writer().Now) })
		}
		for {
			for range playing {
				events = append(events, behind().Shoe()...)
			}
			slices.SortStableFunc(events, func(a, b schema.Event) int { return cmp.Compare(a.At, b.At) })
			n := before(events, behind().Writer().Now)
			if !yield(slices.Clone(events[:n])) {
				return
			}
			events = slices.Delete(events, 0, n)
		}
	}
}

// before is how many events, in the order of time, are before a moment.
func before(events []schema.Event, moment int64) int {
	n, _ := slices.BinarySearchFunc(events, moment, func(ev schema.Event, at int64) int { return cmp.Compare(ev.At, at) })
	return n
}

// hotel is n events: tables of which some have a fault, then a hall.
func hotel(t testing.TB, n int) []schema.Event {
	t.Helper()
	events := floor(t)
	for shoes := range hall(20) {
		if len(events) >= n {
			break
		}
		events = append(events, shoes...)
	}
	return events[:n]
}

// contents is what each table holds, every key once: how many rows, and the SHA-256 of all of them in order.
func contents(t testing.TB, ch *engine.ClickHouse, database string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, table := range []string{
		"events", "rounds", "wagers", "vigorish", "shoes", "table_configs", "notices", "table_memory", "evidence", "findings",
		"dead_letters",
	} {
		out[table] = ask(t, ch, "SELECT concat(toString(count()), ' ', "+
			"lower(hex(SHA256(arrayStringConcat(groupArray(row), '\n'))))) FROM "+
			"(SELECT toString(tuple(*)) AS row FROM "+database+"."+table+" FINAL ORDER BY row)")
	}
	return out
}

// done reports whether the journal of a database reaches the end of a topic of n records. It does not while the
// server is started again.
func done(t testing.TB, ch *engine.ClickHouse, database string, n int) bool {
	t.Helper()
	text, err := enginetest.Query(t.Context(), ch, "shoeproof", "SELECT toInt64(sum(to_offset + 1)) FROM "+database+".v_progress")
	if have, bad := strconv.Atoi(strings.TrimSpace(text)); err == nil && bad == nil {
		return have == n
	}
	if failed := ch.Err(); failed != nil {
		t.Fatal(failed)
	}
	return false
}

// confirmed reports whether the last range of each partition in the journal is durable with all its rows, as one of
// these processes says. The journal has a range before the other tables have its rows: a process that is stopped in
// between leaves them to the next start.
func confirmed(t testing.TB, ch *engine.ClickHouse, database string, all ...*child) bool {
	t.Helper()
	durable := map[string]float64{}
	for _, c := range all {
		_, page := monitortest.Get(t, "http://"+c.address(t)+"/metrics")
		for partition := range twelve {
			p := strconv.Itoa(partition)
			at := monitortest.Figure(t, page, `shoeproof_last_flush_timestamp_seconds{partition="`+p+`"}`)
			durable[p] = max(durable[p], at)
		}
	}
	for line := range strings.Lines(ask(t, ch, "SELECT partition, toUnixTimestamp64Milli(written_at) / 1000 FROM "+
		database+".v_progress")) {
		var p string
		var at float64
		if _, err := fmt.Sscan(line, &p, &at); err != nil {
			t.Fatalf("partition and time: %q: %v", line, err)
		}
		if durable[p] < at {
			return false
		}
	}
	return true
}

// A killing is a moment at which a child is killed.
type killing struct {
	name string
	arm  func(*killer)
}

// A killer is what an arm of a killing may use.
type killer struct {
	c          *child
	rng        *rand.Rand
	kafka      *brokerGate
	clickhouse *gate
}

func (k *killer) strike() { _ = k.c.cmd.Process.Kill() }

// killings are any instant, of a start or once it has begun to insert, and the seams of a flush.
func killings() (random killing, seams []killing) {
	random = killing{"at random", func(k *killer) {
		within := func(most time.Duration) { time.AfterFunc(time.Duration(k.rng.Int64N(int64(most))), k.strike) }
		if k.rng.IntN(2) == 0 {
			within(800 * time.Millisecond)
			return
		}
		var once sync.Once
		k.clickhouse.set(func(string) { once.Do(func() { within(500 * time.Millisecond) }) }, false)
	}}
	atInsert := func(table string, deaf bool) func(*killer) {
		return func(k *killer) {
			left := k.rng.IntN(3)
			k.clickhouse.set(func(seen string) {
				if left--; seen != table || left >= 0 {
					return
				}
				if deaf {
					k.clickhouse.set(nil, true)
					time.Sleep(time.Duration(k.rng.IntN(30)) * time.Millisecond) // of a server that works
				}
				k.strike()
			}, false)
		}
	}
	return random, []killing{
		{"after fetch", func(k *killer) {
			left := k.rng.IntN(4)
			k.kafka.set(nil, func(key kmsg.Key, size int) {
				if key == kmsg.Fetch && size > 1000 { // not one without a record
					if left--; left < 0 {
						k.strike()
					}
				}
			})
		}},
		{"after rules", atInsert("journal", false)},
		{"journal written", atInsert("events", false)},
		{"insert sent", atInsert("rounds", true)},
		{"ack lost", atInsert("findings", true)},
		{"before commit", func(k *killer) {
			left := k.rng.IntN(4)
			k.kafka.set(func(key kmsg.Key) bool {
				if key == kmsg.OffsetCommit {
					if left--; left < 0 {
						k.strike()
						return false
					}
				}
				return true
			}, nil)
		}},
	}
}

// seed is SHOEPROOF_SEED, 1 without it.
func seed(t testing.TB) uint64 {
	t.Helper()
	text := os.Getenv("SHOEPROOF_SEED")
	if text == "" {
		return 1
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("SHOEPROOF_SEED: %v", err)
	}
	return n
}

// Killed repeatedly, at random instants and at each step of a flush, it stores the same rows as an undisturbed run: no
// row lost, repeated or different. The long form is 1,000 kills at random over two million events and 200 at each step
// over 200,000, in parts that can be run separately. With a -timeout, a part stops killing in time to compare.
func TestKilled(t *testing.T) {
	t.Parallel()
	random, seams := killings()
	all := func(n, each int) []killing {
		return slices.Concat(slices.Repeat([]killing{random}, n), slices.Repeat(seams, each))
	}
	if testkit.Soak(0, 1) == 0 {
		t.Run("kfake", func(t *testing.T) { killed(t, startKafka(t).Addrs[0], topic, all(6, 2), 50_000, 1) })
	} else {
		for i := range 10 {
			t.Run(fmt.Sprintf("%s %d", random.name, i+1), func(t *testing.T) {
				killed(t, startKafka(t).Addrs[0], topic, all(100, 0), 200_000, uint64(i+1))
			})
		}
		for i, seam := range seams {
			t.Run(seam.name, func(t *testing.T) {
				killed(t, startKafka(t).Addrs[0], topic, slices.Repeat([]killing{seam}, 200), 200_000, uint64(i+11))
			})
		}
	}
	t.Run("Apache Kafka", func(t *testing.T) {
		addr, made := apacheTopic(t)
		killed(t, addr, made, all(testkit.Soak(6, 100), testkit.Soak(2, 20)), testkit.Soak(50_000, 200_000), 17)
	})
}

// apacheTopic makes a topic at the Apache Kafka 4 of `make kafka`.
func apacheTopic(t testing.TB) (addr, made string) {
	t.Helper()
	addr = os.Getenv("SHOEPROOF_TEST_KAFKA")
	if addr == "" {
		t.Skip("SHOEPROOF_TEST_KAFKA is not set: `make kafka` starts an Apache Kafka")
	}
	made = fmt.Sprintf("%s-%d", topic, time.Now().UnixNano())
	client := &kafkago.Client{Addr: kafkago.TCP(addr)}
	answer, err := client.CreateTopics(t.Context(), &kafkago.CreateTopicsRequest{
		Topics: []kafkago.TopicConfig{{Topic: made, NumPartitions: 4, ReplicationFactor: 1}},
	})
	if err == nil {
		err = answer.Errors[made]
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = client.DeleteTopics(context.WithoutCancel(t.Context()), &kafkago.DeleteTopicsRequest{Topics: []string{made}})
	})
	return addr, made
}

// killed publishes at least so many events, a part for each process that is then killed, and compares. A
// process that has read all and did not come to its seam is killed idle, and another has its turn while there are
// events.
func killed(t *testing.T, broker, topic string, kills []killing, n int, part uint64) {
	ch := startClickHouse(t, "")
	databases.MigratedAs(t, ch, "shoeproof")
	databases.MigratedAs(t, ch, "killed")
	rng := rand.New(rand.NewPCG(seed(t), part))
	rng.Shuffle(len(kills), func(i, j int) { kills[i], kills[j] = kills[j], kills[i] })
	events := hotel(t, n)
	// What is not yet there cannot be read: each process has its part of the log to work on.
	parts := slices.Collect(slices.Chunk(events, len(events)/(len(kills)*5/4+1)+1))
	floor := newPublisher(t, broker, topic)
	published := 0
	next := func() {
		floor.send(t, parts[0])
		published += len(parts[0])
		parts = parts[1:]
	}

	fromKafka := newBrokerGate(t, broker)
	g := newGate(t, ch.Addr, "killed")
	args := []string{
		"--kafka-brokers", fromKafka.Addr().String(), "--kafka-topic", topic, "--kafka-group", topic + "-killed",
		"--clickhouse-addrs", g.Addr().String(), "--clickhouse-database", "killed", "--flush-rows", "1000",
	}
	var first []time.Duration
	by := map[string]int{}
	struck := 0
	inTime := func() bool {
		deadline, limited := t.Deadline()
		return !limited || time.Until(deadline) > 4*time.Minute
	}
	for ; len(kills) > 0 && len(parts) > 0 && inTime(); struck++ {
		next()
		k := kills[0]
		kills = kills[1:]
		fromKafka.set(nil, nil)
		g.set(nil, false)
		began := time.Now()
		c := spawn(t, args...)
		k.arm(&killer{c, rng, fromKafka, g})
		progress := make(chan time.Duration, 1)
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
		if !struckBy(t, c, func() bool { return done(t, ch, "killed", published) }) {
			name = "idle"
			kills = append(kills, k)
		}
		c.kill()
		if code := c.cmd.ProcessState.ExitCode(); code != -1 {
			t.Fatalf("it ended by itself, with %d, when it was to be killed %s:\n%s", code, k.name, c.stderr.String())
		}
		by[name]++
		select {
		case d := <-progress:
			first = append(first, d)
		default:
		}
		if struck%50 == 49 {
			t.Logf("%d kills, %v, ClickHouse started again %d times", struck+1, by, ch.Restarts())
		}
	}
	for len(parts) > 0 && inTime() {
		next()
	}
	fromKafka.set(nil, nil)
	g.set(nil, false)
	c := spawn(t, args...)
	golden := spawn(t, "--kafka-brokers", broker, "--kafka-topic", topic, "--kafka-group", topic+"-golden",
		"--clickhouse-addrs", ch.Addr)
	for _, database := range []string{"killed", "shoeproof"} {
		testkit.Await(t, "all is read into "+database, func() bool { return done(t, ch, database, published) })
	}
	c.stop(t, 30*time.Second)
	golden.stop(t, 30*time.Second)

	same(t, ch, "shoeproof", "killed")
	slices.Sort(first)
	if n := len(first); n > 0 {
		t.Logf("%d events, seed %d, %d kills (%v), ClickHouse started again %d times; first insert after a start: p50 %v, "+
			"p99 %v, most %v (%d starts)", published, seed(t), struck, by, ch.Restarts(),
			first[n/2].Round(time.Millisecond), first[n*99/100].Round(time.Millisecond), first[n-1].Round(time.Millisecond), n)
	}
	if n, twice := number(t, ch, "SELECT count() FROM killed.findings WHERE rule = 'feed.journal'"),
		number(t, ch, "SELECT count() - uniqExact(id) FROM killed.findings FINAL"); n != 0 || twice != 0 {
		t.Errorf("%d ranges gave other rows when they were made again, %d findings twice", n, twice)
	}
	if err := fromKafka.err(); err != nil {
		t.Error(err)
	}
	if !t.Failed() {
		t.Logf("0 of %d kills lost, doubled or changed a row: with 95 %% confidence fewer than %.2g of all do", struck,
			3/float64(struck))
	}
}

// struckBy waits until the process is killed, or has had a second after all was read.
func struckBy(t testing.TB, c *child, read func() bool) bool {
	t.Helper()
	began, all := time.Now(), time.Time{}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-c.gone:
			return true
		case <-tick.C:
		}
		if all.IsZero() && read() {
			all = time.Now()
		}
		if !all.IsZero() && time.Since(all) > time.Second {
			return false
		}
		if time.Since(began) > 15*time.Minute {
			t.Fatalf("not all is read in a quarter of an hour:\n%s", c.stderr.String())
		}
	}
}

// same checks that two databases have the same rows.
func same(t testing.TB, ch *engine.ClickHouse, golden, other string) {
	t.Helper()
	want, got := contents(t, ch, golden), contents(t, ch, other)
	for table, w := range want {
		if got[table] != w {
			t.Errorf("%s: %s in %s, want %s", table, got[table], other, w)
		}
	}
}
