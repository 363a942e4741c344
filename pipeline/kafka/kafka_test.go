//go:build unix

package kafka_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/pipeline/pipelinetest"
	"github.com/shoeproof/shoeproof/schema"
)

// apacheEnv names the variable with the address of an Apache Kafka 4, from `make kafka`.
const apacheEnv = "SHOEPROOF_TEST_KAFKA"

const topic = "table-events"

func start(t testing.TB, o engine.KafkaOptions) *engine.Kafka {
	t.Helper()
	k, err := engine.StartKafka(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Stop)
	return k
}

func withTopic(t testing.TB, partitions int32) *engine.Kafka {
	return start(t, engine.KafkaOptions{Topics: map[string]int32{topic: partitions}})
}

// to is a configuration whose rebalances are quick.
func to(k *engine.Kafka, group string) kafka.Config {
	return kafka.Config{
		Brokers: k.Addrs, Topic: topic, Group: group,
		SessionTimeout: 6 * time.Second, Heartbeat: 50 * time.Millisecond, MaxBackoff: 200 * time.Millisecond,
	}
}

func finite(c kafka.Config) kafka.Config {
	c.StopAtEnd = true
	return c
}

func open(t testing.TB, c kafka.Config) *kafka.Source {
	t.Helper()
	src, err := kafka.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(src.Close)
	return src
}

func produce(t testing.TB, c kafka.Config, format schema.Format, events []schema.Event) {
	t.Helper()
	w, err := kafka.NewWriter(c, format)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(t.Context(), events...); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestSource(t *testing.T) {
	for _, c := range []struct {
		name, group string
		format      schema.Format
	}{{"group, Protobuf", "g", schema.Protobuf}, {"all partitions, JSON", "", schema.JSON}} {
		t.Run(c.name, func(t *testing.T) {
			pipelinetest.Source(t, func(t *testing.T, events []schema.Event) pipeline.Source {
				k := withTopic(t, 3)
				produce(t, to(k, ""), c.format, events)
				return open(t, finite(to(k, c.group)))
			})
		})
	}
}

// TestVersions is about what kafka-go sends: Apache Kafka 4 must answer all of it.
func TestVersions(t *testing.T) {
	k := withTopic(t, 2)
	requests := k.RecordRequests()
	produce(t, to(k, ""), schema.Protobuf, pipelinetest.Events(4, 100))
	collect(t, open(t, finite(to(k, "g"))), func(ctx context.Context, s pipeline.Stream, r *pipeline.Record) error {
		return s.Commit(ctx, r.Offset+1)
	})
	if below := requests.BelowMin(); len(below) > 0 {
		t.Errorf("Apache Kafka 4 refuses: %s", strings.Join(below, "; "))
	}
	for _, key := range []kmsg.Key{kmsg.Fetch, kmsg.JoinGroup, kmsg.OffsetCommit, kmsg.ListOffsets, kmsg.Produce} {
		seen := false
		for r := range requests.Seen() {
			seen = seen || r.Key == key
		}
		if !seen {
			t.Errorf("no %s request was made", key.Name())
		}
	}
}

// collect reads a finite source, and gives "partition/offset value" or the error for each record.
func collect(
	t testing.TB, src pipeline.Source, also func(context.Context, pipeline.Stream, *pipeline.Record) error,
) []string {
	t.Helper()
	var mu sync.Mutex
	var got []string
	err := src.Consume(t.Context(), func(ctx context.Context, s pipeline.Stream) error {
		for {
			records, err := s.Next(ctx, time.Second)
			for i := range records {
				r := &records[i]
				line := fmt.Sprintf("%d/%d %s %s", s.Partition(), r.Offset, r.Format, r.Value)
				if r.Bad != nil {
					line = fmt.Sprintf("%d/%d BAD %v", s.Partition(), r.Offset, r.Bad)
				}
				mu.Lock()
				got = append(got, line)
				mu.Unlock()
				if also != nil {
					if err := also(ctx, s, r); err != nil {
						return err
					}
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
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// raw writes values, one to an offset, each as a batch of its own.
func raw(t *testing.T, k *engine.Kafka, records ...*kgo.Record) {
	t.Helper()
	client := franz(t, k)
	for _, r := range records {
		r.Topic = topic
		if err := client.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}

func franz(t *testing.T, k *engine.Kafka, more ...kgo.Opt) *kgo.Client {
	t.Helper()
	client, err := kgo.NewClient(
		append(more, kgo.SeedBrokers(k.Addrs...), kgo.RecordPartitioner(kgo.ManualPartitioner()))...,
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

// recreate deletes the topic and creates it again, empty.
func recreate(t *testing.T, k *engine.Kafka) {
	t.Helper()
	client := &kafkago.Client{Addr: kafkago.TCP(k.Addrs...)}
	gone, err := client.DeleteTopics(t.Context(), &kafkago.DeleteTopicsRequest{Topics: []string{topic}})
	if err == nil {
		err = gone.Errors[topic]
	}
	if err != nil {
		t.Fatal(err)
	}
	made, err := client.CreateTopics(
		t.Context(),
		&kafkago.CreateTopicsRequest{Topics: []kafkago.TopicConfig{{Topic: topic, NumPartitions: 1, ReplicationFactor: 1}}},
	)
	if err == nil {
		err = made.Errors[topic]
	}
	if err != nil {
		t.Fatal(err)
	}
}

func values(vs ...string) []*kgo.Record {
	out := make([]*kgo.Record, len(vs))
	for i, v := range vs {
		out[i] = &kgo.Record{Value: []byte(v)}
	}
	return out
}

func same(t *testing.T, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

func TestContentType(t *testing.T) {
	k := withTopic(t, 1)
	typed := func(v string, types ...string) *kgo.Record {
		r := &kgo.Record{Value: []byte(v)}
		for _, ct := range types {
			r.Headers = append(r.Headers, kgo.RecordHeader{Key: "content-type", Value: []byte(ct)})
		}
		return r
	}
	raw(t, k,
		typed("a"), typed("b", "application/json"), typed("c", "Application/JSON; charset=utf-8"),
		typed("d", "application/x-protobuf"),
		typed("e", "text/csv"), typed("f", "application/json", "application/protobuf"), typed("g", ""),
		&kgo.Record{Value: nil},
		&kgo.Record{Value: []byte{}},
		&kgo.Record{Value: []byte("h"), Headers: []kgo.RecordHeader{{Key: "other", Value: nil}}},
	)
	same(t, []string{
		"0/0 protobuf a", "0/1 json b", "0/2 json c", "0/3 protobuf d",
		`0/4 BAD content-type "text/csv", expected application/json or application/x-protobuf`,
		"0/5 BAD two content-type headers with different formats",
		`0/6 BAD content-type "", expected application/json or application/x-protobuf`,
		"0/7 BAD a tombstone: the record has no value",
		"0/8 protobuf ", "0/9 protobuf h",
	}, collect(t, open(t, finite(to(k, ""))), nil))
}

func TestRestartReadsFromTheCommit(t *testing.T) {
	k := withTopic(t, 1)
	raw(t, k, values("a", "b", "c")...)
	enough := errors.New("enough")
	err := open(t, finite(to(k, "g"))).Consume(t.Context(), func(ctx context.Context, s pipeline.Stream) error {
		if _, err := s.Next(ctx, time.Minute); err != nil {
			return err
		}
		return errors.Join(enough, s.Commit(ctx, 1))
	})
	if !errors.Is(err, enough) {
		t.Fatal(err)
	}
	same(t, []string{"0/1 protobuf b", "0/2 protobuf c"}, collect(t, open(t, finite(to(k, "g"))), nil))

	same(t, []string{"0/2 protobuf c"}, collect(t, begun{open(t, finite(to(k, "g"))), 2, 3}, nil))
}

// Work that asks for its partition again gets a new stream, which begins where it chooses.
func TestPartitionIsReadAgain(t *testing.T) {
	k := withTopic(t, 1)
	raw(t, k, values("a", "b", "c")...)
	for _, group := range []string{"", "g"} {
		var got []string
		err := open(t, finite(to(k, group))).Consume(t.Context(), func(ctx context.Context, s pipeline.Stream) error {
			s.(pipeline.Positioned).Begin(int64(len(got)), 3)
			page, err := s.Next(ctx, time.Minute)
			if err != nil {
				return err
			}
			if got = append(got, string(page[0].Value)); len(got) < 3 {
				return pipeline.ErrAgain
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		same(t, []string{"a", "b", "c"}, got)
	}
}

// begun reads each partition from an offset.
type begun struct {
	pipeline.Source
	from, end int64
}

func (b begun) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	return b.Source.Consume(ctx, func(ctx context.Context, s pipeline.Stream) error {
		s.(pipeline.Positioned).Begin(b.from, b.end)
		return work(ctx, s)
	})
}

// TestBatchesAreCut starts within a batch, which brokers only give as a whole.
func TestBatchesAreCut(t *testing.T) {
	k := withTopic(t, 1)
	produce(t, to(k, ""), schema.JSON, pipelinetest.Events(1, 500))
	if got := collect(t, begun{open(t, finite(to(k, ""))), 495, 500}, nil); len(got) != 5 ||
		!strings.HasPrefix(got[0], "0/495 ") {
		t.Errorf("got %q, want offsets 495 to 499", got)
	}
}

func TestTransactionMarkersAreNoEvents(t *testing.T) {
	k := withTopic(t, 1)
	client := franz(t, k, kgo.TransactionalID("tables"))
	for _, v := range []string{"a", "b"} {
		if err := client.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: topic, Value: []byte(v)}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := client.EndTransaction(t.Context(), kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
	}
	requests := k.RecordRequests()
	same(t, []string{"0/0 protobuf a", "0/2 protobuf b"}, collect(t, open(t, finite(to(k, ""))), nil))
	fetches := 0
	for r, n := range requests.Seen() {
		if r.Key == kmsg.Fetch {
			fetches += n
		}
	}
	if fetches > 4 {
		t.Errorf("%d fetches of two transactions", fetches)
	}
}

func deleteRecords(t *testing.T, k *engine.Kafka, below int64) {
	t.Helper()
	req := kmsg.NewPtrDeleteRecordsRequest()
	p := kmsg.NewDeleteRecordsRequestTopicPartition()
	p.Offset = below
	tp := kmsg.NewDeleteRecordsRequestTopic()
	tp.Topic, tp.Partitions = topic, append(tp.Partitions, p)
	req.Topics = append(req.Topics, tp)
	got, err := req.RequestWith(t.Context(), franz(t, k))
	if err != nil {
		t.Fatal(err)
	}
	if code := got.Topics[0].Partitions[0].ErrorCode; code != 0 {
		t.Fatalf("delete records: error %d", code)
	}
}

func TestRetentionGapIsARecord(t *testing.T) {
	k := withTopic(t, 1)
	raw(t, k, values("a", "b", "c", "d", "e")...)
	collect(t, open(t, finite(to(k, "g"))), func(ctx context.Context, s pipeline.Stream, _ *pipeline.Record) error {
		return s.Commit(ctx, 1)
	})
	deleteRecords(t, k, 4)
	same(t, []string{
		"0/1 BAD topic table-events, partition 0: no longer in the log, and never read: offsets 1 to 3",
		"0/4 protobuf e",
	}, collect(t, open(t, finite(to(k, "g"))), nil))
	// Who was never here misses nothing.
	same(t, []string{"0/4 protobuf e"}, collect(t, open(t, finite(to(k, "other"))), nil))
}

// A log that ends before its reader's offset says so, and can be read again from where it still is.
func TestLogIsCutBack(t *testing.T) {
	k := withTopic(t, 1)
	raw(t, k, values("a", "b", "c", "d", "e")...)
	var got []string
	err := open(t, to(k, "g")).Consume(t.Context(), func(ctx context.Context, s pipeline.Stream) error {
		next := func(until string) error {
			for {
				records, err := s.Next(ctx, time.Minute)
				for i := range records {
					got = append(got, string(records[i].Value))
				}
				if err != nil || (len(got) > 0 && got[len(got)-1] == until) {
					return err
				}
			}
		}
		if err := next("e"); err != nil {
			return err
		}
		// To a client, a recreated topic with the first records is the topic without its last records.
		recreate(t, k)
		raw(t, k, values("a", "b", "c")...)
		cut := (*pipeline.CutError)(nil)
		if err := next(""); !errors.As(err, &cut) || cut.End != 3 || cut.Read != 5 {
			return fmt.Errorf("got %w, want a cut", err)
		}
		s.(pipeline.Positioned).Begin(1, 3)
		return next("c")
	})
	if err != nil {
		t.Error(err)
	}
	same(t, []string{"a", "b", "c", "d", "e", "b", "c"}, got)
}

func TestLogThatEndsTooEarly(t *testing.T) {
	k := withTopic(t, 1)
	raw(t, k, values("a", "b")...)
	err := begun{open(t, to(k, "g")), 1, 500}.Consume(t.Context(), func(ctx context.Context, s pipeline.Stream) error {
		for {
			if records, err := s.Next(ctx, time.Minute); err != nil || len(records) > 0 {
				return err
			}
		}
	})
	var cut *pipeline.CutError
	if !errors.As(err, &cut) || cut.Read != 500 || !strings.Contains(err.Error(), "ends at offset 2") {
		t.Errorf("got %v", err)
	}
}

func TestMissingTopic(t *testing.T) {
	k := start(t, engine.KafkaOptions{More: []kfake.Opt{kfake.AllowAutoTopicCreation()}})
	for range 2 { // The first must not have made it.
		err := open(t, to(k, "g")).Consume(t.Context(), func(context.Context, pipeline.Stream) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "topic table-events does not exist at "+k.Addrs[0]) {
			t.Fatalf("got %v", err)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	good := kafka.Config{Brokers: []string{"a:9092"}, Topic: "t"}
	for want, change := range map[string]func(*kafka.Config){
		"kafka brokers":           func(c *kafka.Config) { c.Brokers = nil },
		`"a", expected host`:      func(c *kafka.Config) { c.Brokers = []string{"a"} },
		"kafka topic":             func(c *kafka.Config) { c.Topic = "" },
		"kafka max bytes: 3":      func(c *kafka.Config) { c.MaxBytes = 3 },
		"kafka heartbeat":         func(c *kafka.Config) { c.Heartbeat = time.Minute },
		"kafka max backoff":       func(c *kafka.Config) { c.MaxBackoff = time.Hour },
		`mechanism: "gssapi"`:     func(c *kafka.Config) { c.SASL.Mechanism = "gssapi" },
		"SASL mechanism: not set": func(c *kafka.Config) { c.SASL.Password = "secret" },
	} {
		c := good
		change(&c)
		_, err := kafka.Open(c)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := kafka.Open(good); err != nil {
		t.Error(err)
	}
}

func TestAccounts(t *testing.T) {
	for mechanism, name := range map[string]string{
		"plain": "PLAIN", "scram-sha-256": "SCRAM-SHA-256", "scram-sha-512": "SCRAM-SHA-512",
	} {
		t.Run(mechanism, func(t *testing.T) {
			k := start(t, engine.KafkaOptions{
				Topics: map[string]int32{topic: 1}, More: []kfake.Opt{kfake.EnableSASL(), kfake.Superuser(name, "reader", "right")},
			})
			c := finite(to(k, "g"))
			c.SASL = kafka.SASL{Mechanism: mechanism, Username: "reader", Password: "right"}
			produce(t, c, schema.Protobuf, pipelinetest.Events(1, 3))
			if got := collect(t, open(t, c), nil); len(got) != 3 {
				t.Errorf("%d records, want 3", len(got))
			}
			c.SASL.Password = "wrong-password"
			// These brokers close the connection then; Apache Kafka says why, before it does.
			if got := failure(t, c); !strings.Contains(got, "check kafka.sasl") || strings.Contains(got, "wrong-password") {
				t.Errorf("got %q", got)
			}
			k.Cluster.ControlKey(int16(kmsg.SASLAuthenticate), func(req kmsg.Request) (kmsg.Response, error, bool) {
				k.Cluster.KeepControl()
				resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
				resp.ErrorCode = int16(kafkago.SASLAuthenticationFailed)
				return resp, nil, true
			})
			err := open(t, c).Consume(t.Context(), func(context.Context, pipeline.Stream) error { return nil })
			if err == nil || !strings.Contains(err.Error(), "kafka.sasl: the brokers reject") ||
				strings.Contains(err.Error(), "wrong-password") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// failure returns the first failure of a source.
func failure(t *testing.T, c kafka.Config) string {
	t.Helper()
	src := open(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	var g errgroup.Group
	g.Go(func() error {
		return src.Consume(ctx, func(context.Context, pipeline.Stream) error { return nil })
	})
	testkit.Await(t, "a failure", func() bool { return src.Health() != nil })
	got := src.Health().Error()
	cancel()
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
	return got
}

func TestTLS(t *testing.T) {
	web := httptest.NewTLSServer(http.NotFoundHandler()) // For its certificate.
	defer web.Close()
	k := start(t, engine.KafkaOptions{Topics: map[string]int32{topic: 1}, More: []kfake.Opt{kfake.TLS(web.TLS.Clone())}})
	c := finite(to(k, "g"))
	c.TLS = &tls.Config{RootCAs: x509.NewCertPool()}
	c.TLS.RootCAs.AddCert(web.Certificate())
	produce(t, c, schema.Protobuf, pipelinetest.Events(1, 3))
	if got := collect(t, open(t, c), nil); len(got) != 3 {
		t.Errorf("%d records, want 3", len(got))
	}
	c.TLS = &tls.Config{}
	err := open(t, c).Consume(t.Context(), func(context.Context, pipeline.Stream) error { return nil })
	const untrusted = "kafka.tls.ca_file: the certificate of the broker is of an authority that is not trusted"
	if err == nil || !strings.Contains(err.Error(), untrusted) {
		t.Errorf("without the authority: %v", err)
	}
	c.TLS = nil
	if got := failure(t, c); !strings.Contains(got, "kafka.tls.enabled is not set") {
		t.Errorf("without TLS: %q", got)
	}
}

func TestApacheKafka(t *testing.T) {
	addr := os.Getenv(apacheEnv)
	if addr == "" {
		t.Logf("not run: %s is not set; `make kafka` starts an Apache Kafka", apacheEnv)
		return
	}
	name := func(t *testing.T) kafka.Config {
		c := kafka.Config{
			Brokers: []string{addr}, Topic: fmt.Sprintf("events-%d", time.Now().UnixNano()), Group: "g",
			Heartbeat: 200 * time.Millisecond,
		}
		c.Group = c.Topic
		client := &kafkago.Client{Addr: kafkago.TCP(addr)}
		made, err := client.CreateTopics(t.Context(), &kafkago.CreateTopicsRequest{
			Topics: []kafkago.TopicConfig{{Topic: c.Topic, NumPartitions: 3, ReplicationFactor: 1}},
		})
		if err == nil {
			err = made.Errors[c.Topic]
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			client.DeleteTopics(context.WithoutCancel(t.Context()), &kafkago.DeleteTopicsRequest{Topics: []string{c.Topic}})
		})
		return c
	}
	pipelinetest.Source(t, func(t *testing.T, events []schema.Event) pipeline.Source {
		c := name(t)
		produce(t, c, schema.JSON, events)
		return open(t, finite(c))
	})
	t.Run("inflation", func(t *testing.T) { inflation(t, name(t)) })
}
