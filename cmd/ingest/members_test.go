//go:build unix

package main

import (
	"syscall"
	"testing"
	"time"
)

// Members come and go every second, and one is frozen while another takes its partitions, so that for a
// moment two believe that they own them: the rows are those of one member that nobody disturbed.
func TestMembersComeAndGo(t *testing.T) {
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	migrate(t, ch)
	migrateAs(t, ch, "storm")
	// The embedded server died, three times of three, when killed members were connected to it directly.
	g := newGate(t, ch.Addr, "storm")
	args := []string{"--kafka-brokers", broker.Addrs[0], "--kafka-group", "storm", "--clickhouse-addrs", g.Addr().String(), "--clickhouse-database", "storm", "--flush-rows", "500"}
	events := hotel(t, soak(100_000, 1_000_000))
	rounds := soak(8, 120)
	part := len(events) / (rounds + 1)
	stays := spawn(t, args...)
	publish(t, broker, events[:part])
	await(t, "the first works", func() bool { return number(t, ch, "SELECT count() FROM storm.v_events") > 0 })
	for i := range rounds {
		comes := spawn(t, args...)
		publish(t, broker, events[part*(i+1):min(part*(i+2), len(events))])
		time.Sleep(time.Second) // the pace of the storm
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
	await(t, "the other has all", func() bool { return done(t, ch, "storm", len(events)) })
	_ = stays.cmd.Process.Signal(syscall.SIGCONT)
	time.Sleep(3 * time.Second)   // for what the first still sends
	stays.stop(t, 30*time.Second) // it has just woken; TestStoppedUnderLoad holds the ten seconds
	other.stop(t, 10*time.Second)

	golden := spawn(t, "--kafka-brokers", broker.Addrs[0], "--kafka-group", "golden", "--clickhouse-addrs", ch.Addr)
	await(t, "the golden run is done", func() bool { return done(t, ch, "shoeproof", len(events)) })
	golden.stop(t, 10*time.Second)
	want, got := contents(t, ch, "shoeproof"), contents(t, ch, "storm")
	for table, w := range want {
		if got[table] != w {
			t.Errorf("%s: %s after the storm, want %s", table, got[table], w)
		}
	}
	t.Logf("%d events, %d members that came and went, one frozen: %s journal rows of %s generations", len(events), rounds,
		ask(t, ch, "SELECT count() FROM storm.journal"), ask(t, ch, "SELECT uniqExact(generation) FROM storm.journal"))
}
