//go:build unix

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// roundTrip writes records by key and reads each partition back.
func roundTrip(t *testing.T, addr, topic string, partitions int) {
	t.Helper()
	const records = 1000
	write(t, addr, topic, records)
	seen := map[string]bool{}
	for p := range partitions {
		for _, v := range read(t, addr, topic, p) {
			if seen[v] {
				t.Errorf("%s came twice", v)
			}
			seen[v] = true
		}
	}
	if len(seen) != records {
		t.Errorf("%d records came back, want %d", len(seen), records)
	}
}

func write(t *testing.T, addr, topic string, n int) {
	t.Helper()
	w := &kafka.Writer{
		Addr: kafka.TCP(addr), Topic: topic, Balancer: &kafka.Hash{},
		BatchTimeout: time.Millisecond, RequiredAcks: kafka.RequireAll, Compression: kafka.Zstd,
	}
	records := make([]kafka.Message, n)
	for i := range records {
		records[i] = kafka.Message{Key: fmt.Appendf(nil, "table-%d", i%37), Value: fmt.Appendf(nil, "round-%d", i)}
	}
	// A topic just made may still be without a leader; nothing was written then.
	testkit.Await(t, "a leader of the topic", func() bool {
		err := w.WriteMessages(t.Context(), records...)
		if err != nil && !temporary(err) {
			t.Fatal(err)
		}
		return err == nil
	})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// read reads a partition from its beginning to its high watermark.
func read(t *testing.T, addr, topic string, partition int) []string {
	t.Helper()
	client := &kafka.Client{Addr: kafka.TCP(addr)}
	var values []string
	for next, end := int64(0), int64(1); next < end; {
		got, err := client.Fetch(t.Context(), &kafka.FetchRequest{
			Topic: topic, Partition: partition, Offset: next, MinBytes: 1, MaxBytes: 1 << 20, MaxWait: 100 * time.Millisecond,
		})
		if err == nil {
			err = got.Error
		}
		if err != nil {
			t.Fatal(err)
		}
		end = got.HighWatermark
		for {
			r, err := got.Records.ReadRecord()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			v, err := kafka.ReadAll(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			if r.Offset >= next { // A fetch returns whole batches.
				values = append(values, string(v))
				next = r.Offset + 1
			}
		}
	}
	return values
}

// createTopic goes to the controller, as Conn must.
func createTopic(t *testing.T, addr, topic string, partitions int) {
	t.Helper()
	conn, err := kafka.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	broker, err := conn.Controller()
	if err != nil {
		t.Fatal(err)
	}
	controller, err := kafka.DialContext(t.Context(), "tcp", fmt.Sprintf("%s:%d", broker.Host, broker.Port))
	if err != nil {
		t.Fatal(err)
	}
	defer controller.Close()
	if err := controller.CreateTopics(kafka.TopicConfig{
		Topic: topic, NumPartitions: partitions,
		ReplicationFactor: 1,
	}); err != nil {
		t.Fatal(err)
	}
}

// everyRequest makes each request that ingest, or a test of it, makes: topics by
// Conn and by Client, records, offsets, a group that lives until enough is true.
func everyRequest(t *testing.T, addr string, enough func() bool) {
	t.Helper()
	topic := fmt.Sprintf("every-%d", time.Now().UnixNano())
	createTopic(t, addr, topic, 2)
	roundTrip(t, addr, topic, 2)

	client := &kafka.Client{Addr: kafka.TCP(addr)}
	if _, err := client.ApiVersions(t.Context(), &kafka.ApiVersionsRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.ListOffsets(t.Context(), &kafka.ListOffsetsRequest{
		Topics: map[string][]kafka.OffsetRequest{topic: {
			kafka.FirstOffsetOf(0), kafka.LastOffsetOf(0),
			kafka.TimeOffsetOf(1, time.Unix(0, 0)),
		}},
	}); err != nil {
		t.Fatal(err)
	}
	oneGeneration(t, addr, topic, enough)
	if _, err := client.OffsetFetch(t.Context(), &kafka.OffsetFetchRequest{
		GroupID: "group-" + topic, Topics: map[string][]int{topic: {0, 1}},
	}); err != nil {
		t.Fatal(err)
	}
	deleted, err := client.DeleteTopics(t.Context(), &kafka.DeleteTopicsRequest{Topics: []string{topic}})
	if err == nil {
		err = deleted.Errors[topic]
	}
	if err != nil {
		t.Fatal(err)
	}
}

// oneGeneration joins a group alone, commits twice, by the generation and by the
// client, and leaves.
func oneGeneration(t *testing.T, addr, topic string, enough func() bool) {
	t.Helper()
	group, err := kafka.NewConsumerGroup(kafka.ConsumerGroupConfig{
		ID: "group-" + topic, Brokers: []string{addr}, Topics: []string{topic},
		HeartbeatInterval: 50 * time.Millisecond, SessionTimeout: 6 * time.Second, RebalanceTimeout: 6 * time.Second,
		JoinGroupBackoff: 100 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer group.Close()
	var gen *kafka.Generation
	testkit.Await(t, "a generation of the group", func() bool {
		gen, err = group.Next(t.Context())
		// The first group of an Apache Kafka waits for its topic of offsets.
		if err != nil && !temporary(err) {
			t.Fatal(err)
		}
		return err == nil
	})
	if got := len(gen.Assignments[topic]); got != 2 {
		t.Errorf("%d partitions assigned, want 2", got)
	}
	release := make(chan struct{})
	gen.Start(func(ctx context.Context) {
		select {
		case <-release:
		case <-ctx.Done():
		}
	})
	defer close(release)
	if err := gen.CommitOffsets(map[string]map[int]int64{topic: {0: 1}}); err != nil {
		t.Errorf("commit by the generation: %v", err)
	}
	committed, err := (&kafka.Client{Addr: kafka.TCP(addr)}).OffsetCommit(t.Context(), &kafka.OffsetCommitRequest{
		GroupID: gen.GroupID, GenerationID: int(gen.ID), MemberID: gen.MemberID,
		Topics: map[string][]kafka.OffsetCommit{topic: {{Partition: 1, Offset: 1, Metadata: "from 1"}}},
	})
	if err == nil {
		err = committed.Topics[topic][0].Error
	}
	if err != nil {
		t.Errorf("commit by the client: %v", err)
	}
	testkit.Await(t, "the requests", enough)
}

// temporary reports whether the broker's error may be retried.
func temporary(err error) bool {
	var answer kafka.Error
	return errors.As(err, &answer) && answer.Temporary()
}
