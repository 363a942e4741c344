//go:build unix

package kafka_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	kafkago "github.com/segmentio/kafka-go"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
)

func TestInspect(t *testing.T) {
	k := withTopic(t, 1)
	raw(t, k, values("a", "b", "c", "d")...)
	k.Cluster.ControlKey(int16(kmsg.OffsetFetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.OffsetFetchResponse) // Once, as brokers that look for the coordinator.
		resp.ErrorCode = int16(kafkago.NotCoordinatorForGroup)
		return resp, nil, true
	})
	look := func() kafka.Topic {
		got, err := open(t, to(k, "g")).Inspect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := kafka.Topic{
		Partitions: []kafka.Offsets{{End: 4, Committed: -1}},
		Settings:   kafka.Settings{Retention: 7 * 24 * time.Hour, RetentionBytes: -1, Cleanup: "delete"},
	}
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Errorf("before the group (-want +got):\n%s", diff)
	}
	collect(t, open(t, finite(to(k, "g"))), func(ctx context.Context, s pipeline.Stream,
		_ *pipeline.Record,
	) error {
		return s.Commit(ctx, 3)
	})
	deleteRecords(t, k, 2)
	want.Partitions[0] = kafka.Offsets{First: 2, End: 4, Committed: 3}
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
