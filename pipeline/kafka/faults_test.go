//go:build unix

package kafka_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/pipeline/pipelinetest"
	"github.com/shoeproof/shoeproof/schema"
)

// keeper is a step that keeps each record, by its contents and not by its offset.
type keeper struct{ d *schema.Decoder }

func (l keeper) Apply(rec *pipeline.Record, topic string, partition int32, b *rows.Set) {
	var ev schema.Event
	if rec.Bad != nil || l.d.Decode(rec.Format, rec.Value, &ev) != nil {
		b.DeadLetters = append(b.DeadLetters, rows.DeadLetter{Topic: topic, Partition: partition, Offset: rec.Offset})
		return
	}
	b.Findings = append(b.Findings, finding.Finding{ID: ev.EventID})
}
func (keeper) Low(next int64) (low, clock int64) { return next, 0 }
func (keeper) Finish(*rows.Set)                  {}

func run(ctx context.Context, src pipeline.Source, sink pipeline.Sink) error {
	return pipeline.Run(ctx, src, sink, pipeline.RunOptions{
		NewStep: func() pipeline.Step { return keeper{schema.NewDecoder()} }, Now: time.Now,
		FlushRows: 50, FlushEvery: 20 * time.Millisecond,
	})
}

// has reports whether the sink has each event, and nothing else.
func has(m *pipeline.MemorySink, events []schema.Event) bool {
	return len(m.Findings()) == len(events) && len(m.DeadLetters()) == 0
}

// TestRebalance has a second member come, and the first go.
func TestRebalance(t *testing.T) {
	k := withTopic(t, 4)
	sink := pipeline.NewMemorySink()
	var streams [2]atomic.Int32
	member := func(i int) (stop func() error) {
		ctx, cancel := context.WithCancel(t.Context())
		var g errgroup.Group
		src := open(t, to(k, "g"))
		g.Go(func() error { return run(ctx, counted{src, &streams[i]}, sink) })
		return func() error { cancel(); return g.Wait() }
	}
	events := pipelinetest.Events(16, 8000)
	stopFirst := member(0)
	produce(t, to(k, ""), schema.Protobuf, events[:2000])
	testkit.Await(t, "the first quarter", func() bool { return has(sink, events[:2000]) })

	stopSecond := member(1)
	produce(t, to(k, ""), schema.JSON, events[2000:4000])
	testkit.Await(t, "two partitions each", func() bool { return streams[0].Load() == 2 && streams[1].Load() == 2 })
	produce(t, to(k, ""), schema.JSON, events[4000:6000])
	testkit.Await(t, "the third quarter", func() bool { return has(sink, events[:6000]) })

	if err := stopFirst(); err != nil {
		t.Error(err)
	}
	testkit.Await(t, "four partitions for the second", func() bool { return streams[1].Load() == 4 })
	produce(t, to(k, ""), schema.JSON, events[6000:])
	testkit.Await(t, "all", func() bool { return has(sink, events) })
	if err := stopSecond(); err != nil {
		t.Error(err)
	}
	// Durable records were committed: they are not read again.
	if got := collect(t, open(t, finite(to(k, "g"))), nil); len(got) > 0 {
		t.Errorf("%d records are read again after a clean end, such as %q", len(got), got[0])
	}
}

// counted counts the streams at work.
type counted struct {
	pipeline.Source
	n *atomic.Int32
}

func (c counted) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	return c.Source.Consume(ctx, func(ctx context.Context, s pipeline.Stream) error {
		c.n.Add(1)
		defer c.n.Add(-1)
		return work(ctx, s)
	})
}

func TestBrokersAwayAndBack(t *testing.T) {
	o := engine.KafkaOptions{Topics: map[string]int32{topic: 3}, DataDir: t.TempDir(), Ports: []int{freePort(t)}}
	k := start(t, o)
	events := pipelinetest.Events(9, 3000)
	produce(t, to(k, ""), schema.Protobuf, events[:1500])

	var log testkit.Log
	c := to(k, "g")
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	src := open(t, c)
	sink := pipeline.NewMemorySink()
	ctx, cancel := context.WithCancel(t.Context())
	var g errgroup.Group
	g.Go(func() error { return run(ctx, src, sink) })
	testkit.Await(t, "the first half", func() bool { return has(sink, events[:1500]) })
	if err := src.Health(); err != nil {
		t.Errorf("failure with brokers that answer: %v", err)
	}

	began := time.Now()
	k.Stop()
	testkit.Await(t, "a failure", func() bool { return src.Health() != nil })
	time.Sleep(2 * time.Second) // Of attempts, whose log lines are counted below.
	k = start(t, o)
	produce(t, to(k, ""), schema.Protobuf, events[1500:])
	testkit.Await(t, "the second half", func() bool { return has(sink, events) })
	testkit.Await(t, "recovery", func() bool { return src.Health() == nil })
	cancel()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	causes := map[string]int{}
	for line := range strings.Lines(log.String()) {
		_, rest, _ := strings.Cut(line, "cause=")
		why, _, _ := strings.Cut(rest, " error=")
		causes[why]++
	}
	took := time.Since(began)
	for why, n := range causes {
		if n > 1+int(took/(10*time.Second)) {
			t.Errorf("%d lines because of %s in %v, want one in 10 s:\n%s", n, why, took, log.String())
		}
	}
	t.Logf("log lines by cause: %v", causes)
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func TestNoBrokers(t *testing.T) {
	src := open(t, kafka.Config{Brokers: []string{fmt.Sprintf("127.0.0.1:%d", freePort(t))}, Topic: topic, Group: "g"})
	ctx, cancel := context.WithCancel(t.Context())
	var g errgroup.Group
	g.Go(func() error { return run(ctx, src, pipeline.NewMemorySink()) })
	testkit.Await(t, "a failure", func() bool { return src.Health() != nil })
	cancel()
	if err := g.Wait(); err != nil {
		t.Errorf("got %v, want nil", err)
	}
}

func TestLeadersMove(t *testing.T) {
	k := start(t, engine.KafkaOptions{Brokers: 3, Topics: map[string]int32{topic: 4}})
	events := pipelinetest.Events(16, 4000)
	sink := pipeline.NewMemorySink()
	src := open(t, to(k, "g"))
	ctx, cancel := context.WithCancel(t.Context())
	var g errgroup.Group
	g.Go(func() error { return run(ctx, src, sink) })
	for i := range 4 {
		produce(t, to(k, ""), schema.Protobuf, events[i*1000:(i+1)*1000])
		testkit.Await(t, "a quarter", func() bool { return has(sink, events[:(i+1)*1000]) })
		k.Cluster.ShufflePartitionLeaders()
	}
	cancel()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

// BenchmarkSource reads from brokers in the same process, which take half of the time.
func BenchmarkSource(b *testing.B) {
	for _, format := range []schema.Format{schema.Protobuf, schema.JSON} {
		b.Run(format.String(), func(b *testing.B) {
			k := withTopic(b, 8)
			c := finite(to(k, ""))
			produce(b, c, format, pipelinetest.Events(64, 200_000))
			src := open(b, c)
			var records, size atomic.Int64
			b.ReportAllocs()
			for b.Loop() {
				err := src.Consume(b.Context(), func(ctx context.Context, s pipeline.Stream) error {
					for {
						page, err := s.Next(ctx, time.Second)
						for i := range page {
							size.Add(int64(len(page[i].Value)))
						}
						records.Add(int64(len(page)))
						if err != nil {
							return nil
						}
					}
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(records.Load())/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(float64(size.Load())/float64(records.Load()), "B/record")
		})
	}
}
