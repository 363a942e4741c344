//go:build unix

package kafka_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	kafkago "github.com/segmentio/kafka-go"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
)

// A member that is stopped in the middle of a rebalance does not wait for a member that holds the rebalance up, and
// leaves the group.
func TestStoppedInRebalance(t *testing.T) {
	k := withTopic(t, 2)
	c := to(k, "g")
	c.SessionTimeout = 30 * time.Second // how long the coordinator waits for the member that holds
	var all errgroup.Group
	consume := func(name string, work func(context.Context, pipeline.Stream) error) (stop func()) {
		c := c
		c.ClientID = name
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan struct{})
		src := open(t, c)
		all.Go(func() error {
			defer close(gone)
			return src.Consume(ctx, work)
		})
		return func() {
			began := time.Now()
			cancel()
			<-gone
			testkit.Within(t, "stopping "+name, time.Since(began), 5*time.Second)
		}
	}
	var hold atomic.Bool
	working, revoked, release := make(chan struct{}, 8), make(chan struct{}, 8), make(chan struct{})
	holds := consume("holds", func(ctx context.Context, _ pipeline.Stream) error {
		<-ctx.Done()
		if hold.Load() {
			<-release
		}
		return nil
	})
	joined := consume("joined", func(ctx context.Context, _ pipeline.Stream) error {
		working <- struct{}{}
		<-ctx.Done()
		if hold.Load() {
			revoked <- struct{}{}
		}
		return nil
	})
	testkit.Await(t, "both are members", func() bool { return len(members(t, c)) == 2 })
	<-working
	hold.Store(true)
	joins := consume("joins", func(ctx context.Context, _ pipeline.Stream) error {
		<-ctx.Done()
		return nil
	})
	<-revoked
	joined()
	if slices.Contains(members(t, c), "joined") {
		t.Error("the member that stopped is still in the group")
	}
	joins()
	close(release)
	holds()
	if err := all.Wait(); err != nil {
		t.Error(err)
	}
}

// members returns the client ids of the members of the group.
func members(t *testing.T, c kafka.Config) []string {
	t.Helper()
	client := &kafkago.Client{Addr: kafkago.TCP(c.Brokers...)}
	got, err := client.DescribeGroups(t.Context(), &kafkago.DescribeGroupsRequest{GroupIDs: []string{c.Group}})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, g := range got.Groups {
		for _, m := range g.Members {
			out = append(out, m.ClientID)
		}
	}
	return out
}
