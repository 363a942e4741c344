//go:build unix

package main

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// Members join and leave every second, and one is frozen while another takes its partitions, so that for a moment both
// act as owners: the rows equal the rows of one undisturbed member.
func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	migrate(t, ch)
	databases.MigratedAs(t, ch, "storm")
	g := newGate(t, ch.Addr, "storm")
	args := []string{
		"--kafka-brokers", broker.Addrs[0], "--kafka-group", "storm", "--clickhouse-addrs", g.Addr().String(),
		"--clickhouse-database", "storm", "--flush-rows", "1000",
	}
	events := hotel(t, testkit.Soak(16_000, 1_000_000))
	rounds := testkit.Soak(6, 120)
	part := len(events) / (rounds + 1)
	stays := spawn(t, args...)
	publish(t, broker, events[:part])
	testkit.Await(t, "the first works", func() bool { return number(t, ch, "SELECT count() FROM storm.v_events") > 0 })
	for i := range rounds {
		began := time.Now()
		comes := spawn(t, args...)
		publish(t, broker, events[part*(i+1):min(part*(i+2), len(events))])
		testkit.Await(t, "it has a partition",
			func() bool { return strings.Contains(comes.stderr.String(), "partition assigned") })
		time.Sleep(time.Until(began.Add(time.Second))) // the pace of the storm
		if i%2 == 0 {
			comes.kill()
		} else {
			_ = comes.cmd.Process.Signal(syscall.SIGTERM)
		}
	}
	rest := events[part*(rounds+1):]
	publish(t, broker, rest)
	_ = stays.cmd.Process.Signal(syscall.SIGSTOP)
	other := spawn(t, args...) // takes over while the first is frozen
	t.Logf("%d of %d stored when one froze", number(t, ch, "SELECT count() FROM storm.events"), len(events))
	testkit.Await(t, "the other has all", func() bool {
		return done(t, ch, "storm", len(events)) && confirmed(t, ch, "storm", other)
	})
	_ = stays.cmd.Process.Signal(syscall.SIGCONT)
	time.Sleep(3 * time.Second)   // for what the first still sends
	stays.stop(t, 30*time.Second) // it has just woken; TestStoppedUnderLoad holds the ten seconds
	other.stop(t, 10*time.Second)

	undisturbed(t, broker, ch, len(events))
	same(t, ch, "shoeproof", "storm")
	t.Logf("%d events, %d members that came and went, one frozen: %s journal rows of %s generations", len(events), rounds,
		ask(t, ch, "SELECT count() FROM storm.journal"), ask(t, ch, "SELECT uniqExact(generation) FROM storm.journal"))
}

// undisturbed writes the topic into the database shoeproof.
func undisturbed(t testing.TB, broker *engine.Kafka, ch *engine.ClickHouse, records int) {
	t.Helper()
	golden := spawn(t, "--kafka-brokers", strings.Join(broker.Addrs, ","), "--kafka-group", "golden", "--clickhouse-addrs",
		ch.Addr)
	testkit.Await(t, "the golden run is done", func() bool { return done(t, ch, "shoeproof", records) })
	golden.stop(t, 10*time.Second)
}

// Of three brokers the group's coordinator is lost, with the partitions that it leads, while
// events come and are written.
func TestBrokerIsLost(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	broker, err := engine.StartKafka(engine.KafkaOptions{Brokers: 3, Topics: map[string]int32{topic: 6}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(broker.Stop)
	migrate(t, ch)
	databases.MigratedAs(t, ch, "lost")
	lost := broker.Cluster.CoordinatorFor("lost")
	var gone atomic.Bool
	broker.Cluster.Control(func(kmsg.Request) (kmsg.Response, error, bool) {
		broker.Cluster.KeepControl()
		if gone.Load() && broker.Cluster.CurrentNode() == lost {
			return nil, errors.New("lost"), true // which closes the connection
		}
		return nil, nil, false
	})
	events := hotel(t, testkit.Soak(20_000, 1_000_000))
	half := len(events) / 2
	publish(t, broker, events[:half])
	// After the first flushes, the others wait until the broker is lost.
	g, flushes, removed := newGate(t, ch.Addr, "lost"), atomic.Int32{}, make(chan struct{})
	goOn := sync.OnceFunc(func() { close(removed) })
	t.Cleanup(goOn)
	g.set(func(table string) {
		if table == "journal" && flushes.Add(1) > 3 {
			<-removed
		}
	}, false)
	p := spawn(t, "--kafka-brokers", strings.Join(broker.Addrs, ","), "--kafka-group", "lost", "--clickhouse-addrs",
		g.Addr().String(), "--clickhouse-database", "lost", "--flush-rows", "1000")
	testkit.Await(t, "it works", func() bool { return number(t, ch, "SELECT count() FROM lost.v_events") > 0 })
	gone.Store(true)
	if err := broker.Cluster.RemoveNode(lost); err != nil {
		t.Fatal(err)
	}
	at := time.Now()
	broker.Addrs = slices.Delete(broker.Addrs, int(lost), int(lost)+1)
	before := number(t, ch, "SELECT count() FROM lost.v_events")
	goOn()
	publish(t, broker, events[half:])
	testkit.Await(t, "all is read", func() bool { return done(t, ch, "lost", len(events)) })
	t.Logf("%d events, %d stored when the broker was lost, all %v later", len(events), before,
		time.Since(at).Round(time.Millisecond))
	if before >= half {
		t.Errorf("all that there was had been stored before the broker was lost")
	}
	p.stop(t, 10*time.Second)
	undisturbed(t, broker, ch, len(events))
	same(t, ch, "shoeproof", "lost")
}
