//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/coverage"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// expire deletes the records of partitions below offsets, as the retention of a topic does.
func expire(t *testing.T, broker *engine.Kafka, below map[int32]int64) {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker.Addrs...))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	req := kmsg.NewPtrDeleteRecordsRequest()
	of := kmsg.NewDeleteRecordsRequestTopic()
	of.Topic = topic
	for partition, offset := range below {
		p := kmsg.NewDeleteRecordsRequestTopicPartition()
		p.Partition, p.Offset = partition, offset
		of.Partitions = append(of.Partitions, p)
	}
	req.Topics = append(req.Topics, of)
	got, err := req.RequestWith(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range got.Topics[0].Partitions {
		if p.ErrorCode != 0 {
			t.Fatalf("delete records of partition %d: error %d", p.Partition, p.ErrorCode)
		}
	}
}

// Records that retention deletes before ingest reads them, or reads them again after a restart, are no proof of
// anything: coverage neither passes nor accuses, and what was stored before stays proven.
func TestRetentionBeforeReading(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	broker := startKafka(t)
	config := migrate(t, ch)
	events := hotel(t, 4000)[:4000]
	args := []string{"--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr, "--flush-rows", "100"}
	check := func() (*coverage.Result, string, error) {
		t.Helper()
		store, err := clickhouse.Open(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = store.Close() }()
		result, err := coverage.Read(t.Context(), store, coverage.Options{Archive: true})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = result.Check(&out)
		return result, out.String(), err
	}
	p := spawn(t, args...)
	publish(t, broker, events[:2000])
	testkit.Await(t, "the first half", stored(t, ch, 2000))
	p.stop(t, 10*time.Second)
	if _, text, err := check(); err != nil {
		t.Fatalf("before the loss: %v\n%s", err, text)
	}

	// The first half of each last range is gone, which a restart makes again; then records that no one has read.
	below := map[int32]int64{}
	for partition := range int32(4) {
		middle := number(t, ch, fmt.Sprintf("SELECT intDiv(argMax(from_offset, to_offset) + max(to_offset), 2) + 1 "+
			"FROM journal WHERE partition = %d AND from_offset <= to_offset", partition))
		below[partition] = int64(middle)
	}
	expire(t, broker, below)
	p = spawn(t, args...)
	publish(t, broker, events[2000:3000])
	testkit.Await(t, "a quarter more", stored(t, ch, 3000))
	p.stop(t, 10*time.Second)
	_, text, err := check()
	if !errors.Is(err, coverage.ErrUnknown) || strings.Contains(text, "differ ") ||
		!strings.Contains(text, "unknown   "+topic) {
		t.Errorf("what is read again is lost: %v\n%s", err, text)
	}

	publish(t, broker, events[3000:])
	for partition := range int32(4) {
		below[partition] = -1 // all that there is
	}
	expire(t, broker, below)
	named := "SELECT count() FROM findings WHERE rule = 'feed.retention'"
	before := number(t, ch, named)
	p = spawn(t, args...)
	publish(t, broker, hotel(t, 4400)[4000:])
	testkit.Await(t, "the records that no one read", func() bool { return number(t, ch, named) > before })
	p.stop(t, 10*time.Second)
	result, text, err := check()
	if !errors.Is(err, coverage.ErrUnknown) || strings.Contains(text, "differ ") {
		t.Errorf("what no one read is lost: %v\n%s", err, text)
	}
	unread := func(c clickhouse.Coverage) bool { return c.Unread > 0 && len(c.Lost) > 0 }
	if !slices.ContainsFunc(result.Partitions, unread) {
		t.Errorf("%+v", result.Partitions)
	}
}
