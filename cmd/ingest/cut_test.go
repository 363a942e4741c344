//go:build unix

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// empty deletes the topic and creates it again.
func empty(t *testing.T, broker *engine.Kafka) {
	t.Helper()
	client := &kafka.Client{Addr: kafka.TCP(broker.Addrs...)}
	gone, err := client.DeleteTopics(t.Context(), &kafka.DeleteTopicsRequest{Topics: []string{topic}})
	if err == nil {
		err = gone.Errors[topic]
	}
	if err != nil {
		t.Fatal(err)
	}
	anew, err := client.CreateTopics(t.Context(),
		&kafka.CreateTopicsRequest{Topics: []kafka.TopicConfig{{Topic: topic, NumPartitions: 4, ReplicationFactor: 1}}})
	if err == nil {
		err = anew.Errors[topic]
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The topic with its first records alone is, to a client, a log that lost its last ones: ingest names them
// and goes on before them. With other records it is another topic, and ingest ends.
func TestLogLostWhatWasAudited(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	config := migrate(t, ch)
	events := hotel(t, 4000)[:4000]
	args := []string{"--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr, "--flush-rows", "100"}
	p := spawn(t, args...)
	publish(t, broker, events[:2000])
	testkit.Await(t, "the first half", stored(t, ch, 2000))
	ends := func() []string {
		return strings.Fields(ask(t, ch, "SELECT max(offset) FROM v_events GROUP BY partition ORDER BY partition"))
	}
	before := ends()
	publish(t, broker, events[2000:3000])
	testkit.Await(t, "a quarter more", stored(t, ch, 3000))
	shorter := 0
	for i, end := range ends() {
		if end != before[i] {
			shorter++
		}
	}
	p.stop(t, 10*time.Second)

	empty(t, broker)
	publish(t, broker, events[:2000])
	p = spawn(t, args...)
	const lost = "SELECT count() FROM v_findings WHERE rule = 'feed.retention' AND observed LIKE 'audited, and lost%'"
	testkit.Await(t, "the log's losses are named", func() bool { return number(t, ch, lost) == shorter })
	publish(t, broker, events[2000:])
	testkit.Await(t, "all events", stored(t, ch, len(events)))
	p.stop(t, 10*time.Second)
	if n := strings.Count(p.stderr.String(), "the log was truncated below audited records"); n != shorter || n == 0 {
		t.Errorf("%d lines about lost records, want %d:\n%s", n, shorter, p.stderr.String())
	}
	store, err := clickhouse.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	covered, err := store.Coverage(t.Context(), topic)
	if err != nil || len(covered) == 0 {
		t.Fatalf("%+v: %v", covered, err)
	}
	for _, c := range covered {
		if !c.Holds() {
			t.Errorf("partition %d: holes %v, overlaps %v", c.Partition, c.Holes, c.Overlaps)
		}
	}
	bytes, err := store.Bytes(t.Context(), topic, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bytes {
		if b.Ranges == 0 || b.Partial > 0 || len(b.Differs) > 0 {
			t.Errorf("bytes of partition %d: %+v", b.Partition, b)
		}
	}

	empty(t, broker)
	publish(t, broker, events[3000:])
	p = spawn(t, args...)
	<-p.gone
	if out := p.stderr.String(); p.cmd.ProcessState.ExitCode() == 0 || !strings.Contains(out,
		"is not the log that was audited") {
		t.Errorf("exit code %d with another topic:\n%s", p.cmd.ProcessState.ExitCode(), out)
	}
}
