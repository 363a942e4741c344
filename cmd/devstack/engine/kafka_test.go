//go:build unix

package engine_test

import (
	"net"
	"os"
	"strings"
	"testing"

	"github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
)

// apacheEnv names the variable with the address of an Apache Kafka 4, from `make kafka`.
const apacheEnv = "SHOEPROOF_TEST_KAFKA"

func startKafka(t *testing.T, o engine.KafkaOptions) *engine.Kafka {
	t.Helper()
	k, err := engine.StartKafka(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Stop)
	return k
}

func TestKafkaRoundTrip(t *testing.T) {
	k := startKafka(t, engine.KafkaOptions{Brokers: 3, Topics: map[string]int32{"tables": 4}})
	if len(k.Addrs) != 3 {
		t.Errorf("brokers %v, want 3", k.Addrs)
	}
	roundTrip(t, k.Addrs[0], "tables", 4)
}

func TestKafkaKeepsItsFolder(t *testing.T) {
	o := engine.KafkaOptions{Topics: map[string]int32{"tables": 1}, DataDir: t.TempDir()}
	k := startKafka(t, o)
	write(t, k.Addrs[0], "tables", 10)
	k.Stop()
	k = startKafka(t, o)
	if got := read(t, k.Addrs[0], "tables", 0); len(got) != 10 {
		t.Errorf("%d records after a restart, want 10", len(got))
	}
}

// TestKafkaClientIsNewEnough is about kafka-go: each request that ingest makes
// must be of a version that Apache Kafka 4 answers.
func TestKafkaClientIsNewEnough(t *testing.T) {
	k := startKafka(t, engine.KafkaOptions{Topics: map[string]int32{"tables": 2}})
	requests := k.RecordRequests()
	everyRequest(t, k.Addrs[0], func() bool {
		for r := range requests.Seen() {
			if r.Key == kmsg.Heartbeat {
				return true
			}
		}
		return false
	})
	if below := requests.BelowMin(); len(below) > 0 {
		t.Errorf("Apache Kafka 4 refuses: %s", strings.Join(below, "; "))
	}
	asked := map[kmsg.Key]bool{}
	for r := range requests.Seen() {
		asked[r.Key] = true
	}
	for _, key := range []kmsg.Key{
		kmsg.Produce, kmsg.Fetch, kmsg.ListOffsets, kmsg.Metadata, kmsg.OffsetCommit, kmsg.OffsetFetch, kmsg.FindCoordinator,
		kmsg.JoinGroup, kmsg.SyncGroup, kmsg.Heartbeat, kmsg.LeaveGroup, kmsg.ApiVersions, kmsg.CreateTopics,
		kmsg.DeleteTopics,
	} {
		if !asked[key] {
			t.Errorf("the test made no %s request", key.Name())
		}
	}
}

func TestRequestsBelowMin(t *testing.T) {
	k := startKafka(t, engine.KafkaOptions{Topics: map[string]int32{"tables": 1}})
	requests := k.RecordRequests()
	old := kmsg.NewListOffsetsRequest() // of version 0
	broker, err := net.Dial("tcp", k.Addrs[0])
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	if _, err := broker.Write(kmsg.NewRequestFormatter().AppendRequest(nil, &old, 1)); err != nil {
		t.Fatal(err)
	}
	testkit.Await(t, "a request", func() bool { return len(requests.Seen()) > 0 })
	if got := requests.BelowMin(); len(got) != 1 || !strings.HasPrefix(got[0], "ListOffsets v0") {
		t.Errorf("got %q, want the one request of version 0", got)
	}
}

func apacheKafka(t *testing.T) string {
	t.Helper()
	addr := os.Getenv(apacheEnv)
	if addr == "" {
		t.Skipf("%s is not set: `make kafka` starts an Apache Kafka", apacheEnv)
	}
	return addr
}

func TestApacheKafkaRoundTrip(t *testing.T) {
	everyRequest(t, apacheKafka(t), func() bool { return true })
}

// TestFloorsAreApache compares our table with the versions that the server advertises.
func TestFloorsAreApache(t *testing.T) {
	client := &kafka.Client{Addr: kafka.TCP(apacheKafka(t))}
	got, err := client.ApiVersions(t.Context(), &kafka.ApiVersionsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	floors := engine.MinVersions()
	for _, api := range got.ApiKeys {
		key := kmsg.Key(api.ApiKey)
		floor := floors[key]
		switch oldest := int16(api.MinVersion); {
		case oldest > floor && key < kmsg.ShareGroupHeartbeat: // What follows is younger than Kafka 4.0.
			t.Errorf("%s: Apache Kafka asks for v%d, our floor is v%d", key.Name(), oldest, floor)
		case oldest < floor && key != kmsg.JoinGroup && key != kmsg.Produce: // See MinVersions.
			t.Errorf("%s: Apache Kafka is content with v%d, our floor is v%d", key.Name(), oldest, floor)
		}
	}
}
