//go:build unix

package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	kafkago "github.com/segmentio/kafka-go"

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/internal/tracing/tracingtest"
	"github.com/shoeproof/shoeproof/schema"
)

// A trace of a flush leads from the publisher's span to the insert of the rows.
func TestTraces(t *testing.T) {
	ch, broker := startClickHouse(t, ""), startKafka(t)
	migrate(t, ch)
	events := floor(t)[:600]
	const publisher = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	out := &kafkago.Writer{Addr: kafkago.TCP(broker.Addrs...), Topic: topic, Balancer: kafkago.Murmur2Balancer{}}
	var records []kafkago.Message
	for i := range events {
		header := []kafkago.Header{{Key: "traceparent", Value: []byte(publisher)}}
		if i%3 == 0 {
			header[0].Value = []byte("no trace context")
		}
		records = append(records, kafkago.Message{
			Key:   []byte(events[i].PropertyID + "/" + events[i].TableID),
			Value: schema.AppendProto(nil, &events[i]), Headers: header,
		})
	}
	if err := errors.Join(out.WriteMessages(t.Context(), records...), out.Close()); err != nil {
		t.Fatal(err)
	}
	collector := tracingtest.Start(t)
	t.Setenv("SHOEPROOF_TRACING_AUTHORIZATION", "Bearer canary-93")
	p := start(t, "--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr, "--tracing-endpoint", collector.URL)
	testkit.Await(t, "all events are in ClickHouse", stored(t, ch, len(events)))
	if code := p.end(t); code != cli.Done {
		t.Fatalf("exit code %d, want %d:\n%s", code, cli.Done, p.stderr.String())
	}
	log := p.stderr.String()
	if got := collector.Header("Authorization"); got != "Bearer canary-93" || strings.Contains(log, "canary") {
		t.Errorf("Authorization is %q; the log: %s", got, log)
	}
	flushes, writes, inserts := collector.Named("flush"), collector.Named("write"), collector.Named("insert events")
	if len(flushes) == 0 || len(writes) != len(flushes) || len(inserts) == 0 {
		t.Fatalf("%d spans flush, %d write, %d insert events", len(flushes), len(writes), len(inserts))
	}
	read, linked := 0, 0
	for _, s := range collector.Named("process " + topic) {
		n, err := strconv.Atoi(tracingtest.Attribute(s.Attributes, "messaging.batch.message_count"))
		if err != nil {
			t.Error(err)
		}
		read += n
		for _, l := range s.Links {
			if got := fmt.Sprintf("00-%s-%s-01", hex.EncodeToString(l.TraceId), hex.EncodeToString(l.SpanId)); got != publisher {
				t.Errorf("a link to %s", got)
			}
			linked++
		}
		decode, _ := strconv.ParseFloat(tracingtest.Attribute(s.Attributes, "shoeproof.decode.seconds"), 64)
		audit, _ := strconv.ParseFloat(tracingtest.Attribute(s.Attributes, "shoeproof.engine.seconds"), 64)
		took := float64(s.EndTimeUnixNano-s.StartTimeUnixNano) / 1e9
		if n > 0 && (decode <= 0 || audit <= 0 || decode+audit > took) {
			t.Errorf("%d records: decoded in %v s, audited in %v s, in a span of %v s", n, decode, audit, took)
		}
	}
	if read != len(events) || linked == 0 {
		t.Errorf("spans of %d records with %d links, want %d records", read, linked, len(events))
	}
	parents := map[string]string{}
	for _, s := range collector.Spans() {
		parents[string(s.SpanId)] = s.Name
	}
	for _, s := range collector.Spans() {
		want := map[string]string{"flush": "", "write": "flush", "process " + topic: "flush"}[s.Name]
		if strings.HasPrefix(s.Name, "insert ") {
			want = "write"
		}
		if parents[string(s.ParentSpanId)] != want {
			t.Errorf("%s is below %q, want %q", s.Name, parents[string(s.ParentSpanId)], want)
		}
	}
}

// An import of files has the trace of a topic.
func TestTracesOfFiles(t *testing.T) {
	ch := startClickHouse(t, "")
	migrate(t, ch)
	events := floor(t)[:600]
	path := filepath.Join(t.TempDir(), "shoe.ndjson")
	eventFile(t, path, events)
	collector := tracingtest.Start(t)
	runFiles(t, "files", "--clickhouse-addrs", ch.Addr, "--name", "pit-3", "--tracing-endpoint", collector.URL, path)
	read := 0
	for _, s := range collector.Named("process files:pit-3") {
		n, err := strconv.Atoi(tracingtest.Attribute(s.Attributes, "messaging.batch.message_count"))
		if system := tracingtest.Attribute(s.Attributes, "messaging.system"); err != nil || system != "files" {
			t.Errorf("%d records of %q: %v", n, system, err)
		}
		read += n
	}
	if read != len(events) || len(collector.Named("insert events")) == 0 {
		t.Errorf("spans of %d records, want %d, and of the inserts", read, len(events))
	}
}

// A collector that does not answer costs spans and no rows.
func TestCollectorIsAway(t *testing.T) {
	t.Parallel()
	ch, broker := startClickHouse(t, ""), startKafka(t)
	migrate(t, ch)
	events := floor(t)[:300]
	publish(t, broker, events)
	p := start(t, "--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr,
		"--tracing-endpoint", "http://127.0.0.1:1")
	testkit.Await(t, "all events are in ClickHouse", stored(t, ch, len(events)))
	if code := p.end(t); code != cli.Done || !strings.Contains(p.stderr.String(), "traces were not sent") {
		t.Errorf("exit code %d, want %d:\n%s", code, cli.Done, p.stderr.String())
	}
}
