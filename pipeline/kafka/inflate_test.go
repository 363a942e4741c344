//go:build linux

package kafka_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	kafkago "github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/compress"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/pipeline/kafka/kafkatest"
)

// readerEnv gives the configuration to the process whose memory is measured.
const readerEnv = "SHOEPROOF_TEST_READER"

// limit is the memory limit of the chart.
const limit = 512 << 20

// bombs are values of the letter x, by codec, in batches below 1 MB.
func bombs() []struct {
	codec compress.Compression
	bytes int64
} {
	return []struct {
		codec compress.Compression
		bytes int64
	}{
		{compress.Gzip, 200e6},
		{compress.Gzip, 700e6},
		{compress.Zstd, 200e6},
		{compress.Zstd, 700e6},
		{compress.Lz4, 200e6},
		{compress.Snappy, 18e6},
	}
}

// Each record of one letter, repeated up to 700 MB, becomes a dead letter, and the record behind them is read, by a
// process that stays below the memory limit of the chart.
func TestInflationIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes 2 GB")
	}
	k := withTopic(t, 1)
	inflation(t, to(k, ""))
}

func inflation(t *testing.T, c kafka.Config) {
	t.Helper()
	var want []string
	for i, b := range bombs() {
		sum, err := kafkatest.Bomb(t.Context(), c.Brokers[0], c.Topic, b.codec, b.bytes)
		for errors.Is(err, kafkago.NotLeaderForPartition) { // the topic is new
			sum, err = kafkatest.Bomb(t.Context(), c.Brokers[0], c.Topic, b.codec, b.bytes)
		}
		if err != nil {
			t.Fatalf("%s: %v", b.codec, err)
		}
		want = append(want, fmt.Sprintf("%d: event of %d bytes, an event has at most 16777216; SHA-256 %x", i, b.bytes, sum))
	}
	client := &kafkago.Client{Addr: kafkago.TCP(c.Brokers...)}
	_, err := client.Produce(t.Context(), &kafkago.ProduceRequest{
		Topic: c.Topic, RequiredAcks: kafkago.RequireAll,
		Records: kafkago.NewRecordReader(kafkago.Record{Value: kafkago.NewBytes([]byte("next"))}),
	})
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, fmt.Sprintf("%d next", len(bombs())))

	config, err := json.Marshal([]any{c.Brokers, c.Topic})
	if err != nil {
		t.Fatal(err)
	}
	reader := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestReaderOfBombs$")
	reader.Env = append(os.Environ(), readerEnv+"="+string(config))
	out, err := reader.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := strings.Split(string(out), "\n")
	same(t, want, lines[:min(len(lines), len(want))])
	peak := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(out)
	if peak == nil {
		t.Fatalf("no peak in:\n%s", out)
	}
	kib, err := strconv.Atoi(string(peak[1]))
	if err != nil || kib<<10 > limit {
		t.Errorf("peak of %d MiB, the limit of the chart is %d MiB", kib>>10, limit>>20)
	}
	t.Logf("peak: %d MiB", kib>>10)
}

// TestReaderOfBombs is the process whose memory is measured.
func TestReaderOfBombs(t *testing.T) {
	config := os.Getenv(readerEnv)
	if config == "" {
		t.Skip("the process of TestInflationIsBounded")
	}
	c := kafka.Config{StopAtEnd: true}
	if err := json.Unmarshal([]byte(config), &[]any{&c.Brokers, &c.Topic}); err != nil {
		t.Fatal(err)
	}
	err := open(t, c).Consume(t.Context(), func(ctx context.Context, s pipeline.Stream) error {
		for {
			records, err := s.Next(ctx, 1e9)
			for _, r := range records {
				if r.Bad != nil {
					fmt.Printf("%d: %v\n", r.Offset, r.Bad)
				} else {
					fmt.Printf("%d %s\n", r.Offset, r.Value)
				}
			}
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	status, failed := os.ReadFile("/proc/self/status")
	if err != nil || failed != nil {
		t.Fatal(err, failed)
	}
	fmt.Printf("%s\n", status)
}
