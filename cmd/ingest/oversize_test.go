//go:build linux

package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go/compress"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka/kafkatest"
)

// Two records of 200 and 700 MB, each below 1 MB on the wire, and one of 100 kB that is no event, are dead letters
// without a restart; the event behind them is stored. The process stays below the memory limit of the chart.
func TestOversizeRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("inflates 900 MB")
	}
	t.Run("broker in the process", func(t *testing.T) {
		t.Parallel()
		oversizeRecords(t, startKafka(t).Addrs[0], topic)
	})
	t.Run("Apache Kafka", func(t *testing.T) {
		t.Parallel()
		addr, made := apacheTopic(t)
		oversizeRecords(t, addr, made)
	})
}

func oversizeRecords(t *testing.T, broker, topic string) {
	t.Helper()
	ch := startClickHouse(t, "")
	migrate(t, ch)
	var want []string
	for i, n := range []int64{200e6, 700e6} {
		sum, err := kafkatest.Bomb(t.Context(), broker, topic, compress.Gzip, n)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("%d\t0\tevent of %d bytes, an event has at most 16777216; SHA-256 %x", i, n, sum))
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.DefaultProduceTopic(topic),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	long := bytes.Repeat([]byte{0xff}, 100_000)
	if err := client.ProduceSync(t.Context(), &kgo.Record{Value: long}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	newPublisher(t, broker, topic).send(t, floor(t)[:100])

	p := spawn(t, "--kafka-brokers", broker, "--kafka-topic", topic, "--kafka-group", topic+"-oversize",
		"--clickhouse-addrs", ch.Addr)
	testkit.Await(t, "the events are stored", stored(t, ch, 100))
	testkit.Await(t, "the dead letters are stored",
		func() bool { return number(t, ch, "SELECT count() FROM v_dead_letters") == 3 })
	got := strings.Split(ask(t, ch, "SELECT offset, length(raw), reason FROM v_dead_letters ORDER BY offset"), "\n")
	for i, w := range want {
		if got[i] != w {
			t.Errorf("dead letter %s, want %s", got[i], w)
		}
	}
	if !strings.HasPrefix(got[2], "2\t65536\t") || !strings.HasSuffix(got[2], fmt.Sprintf(
		"; the first 65536 of 100000 bytes are stored, SHA-256 of all %x", sha256.Sum256(long))) {
		t.Errorf("dead letter of 100 kB: %s", got[2])
	}
	page, err := http.Get("http://" + p.address(t) + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	metrics, err := io.ReadAll(page.Body)
	if page.Body.Close(); err != nil || !strings.Contains(string(metrics), "\nshoeproof_oversize_records_total 2\n") {
		t.Errorf("no shoeproof_oversize_records_total 2: %v", err)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib := 0
	if _, bad := fmt.Sscan(rest, &kib); err != nil || bad != nil || kib > 512<<10 {
		t.Errorf("peak of %d MiB (%v %v), the limit of the chart is 512", kib>>10, err, bad)
	}
	t.Logf("peak: %d MiB", kib>>10)
	p.stop(t, 10*time.Second)
	if n := strings.Count(p.stderr.String(), "a record cannot be read within its limit"); n != 2 {
		t.Errorf("%d lines in the log, want 2", n)
	}
	store, err := clickhouse.Open(t.Context(), clickhouse.Config{Addrs: []string{ch.Addr}, Database: "shoeproof"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	stored, err := store.Bytes(t.Context(), topic, time.Time{})
	for _, b := range stored {
		if len(b.Differs) > 0 {
			t.Errorf("bytes of partition %d differ: %+v", b.Partition, b)
		}
	}
	if err != nil || len(stored) == 0 {
		t.Errorf("%d partitions: %v", len(stored), err)
	}
}
