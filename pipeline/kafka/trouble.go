package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/shoeproof/shoeproof/pipeline/internal/tlscause"
)

// quiet is how long a cause is not logged again.
const quiet = 10 * time.Second

// troubles is what does not work at the moment.
type troubles struct {
	log  *slog.Logger
	told func(cause string)

	mu     sync.Mutex
	now    map[string]error // by what is affected
	logged map[string]note  // by cause
}

type note struct {
	at     time.Time
	hidden int
}

func newTroubles(log *slog.Logger, told func(cause string)) *troubles {
	if told == nil {
		told = func(string) {}
	}
	return &troubles{log: log, told: told, now: map[string]error{}, logged: map[string]note{}}
}

// add notes that something, such as "partition 3", does not work.
func (t *troubles) add(what string, err error) {
	why := cause(err)
	t.told(why)
	t.mu.Lock()
	t.now[what] = err
	n := t.logged[why]
	if !n.at.IsZero() && time.Since(n.at) < quiet {
		n.hidden++
		t.logged[why] = n
		t.mu.Unlock()
		return
	}
	t.logged[why] = note{at: time.Now()}
	t.mu.Unlock()
	t.log.Warn("trouble with Kafka, trying again", "at", what, "cause", why, "error", err, "unsaid", n.hidden)
}

func (t *troubles) clear(what string) {
	t.mu.Lock()
	delete(t.now, what)
	t.mu.Unlock()
}

func (t *troubles) first() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(t.now)) {
		return fmt.Errorf("%s: %w", what, t.now[what])
	}
	return nil
}

// cause is one of few words for an error, so that a thousand partitions do not make a thousand lines.
func cause(err error) string {
	var code kafka.Error
	var network *net.OpError
	switch {
	case errors.As(err, &code):
		return code.Title()
	case gone(err):
		return kafka.UnknownTopicOrPartition.Title()
	case errors.Is(err, protocol.ErrNoLeader):
		return kafka.LeaderNotAvailable.Title()
	case errors.As(err, &network), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "network"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	}
	return "other"
}

// silent says that a connection came about, and then nothing.
func silent(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "read" && network.Timeout()
}

// gone says that the brokers do not know the topic, or the partition.
func gone(err error) bool {
	return errors.Is(err, kafka.UnknownTopicOrPartition) || errors.Is(err, protocol.ErrNoTopic) || errors.Is(err, protocol.ErrNoPartition)
}

// misconfigured explains an error that no amount of waiting mends, or returns nil.
func misconfigured(err error) error {
	if err := tlscause.Explain("kafka.tls", "the broker", err); err != nil {
		return err
	}
	var code kafka.Error
	if !errors.As(err, &code) {
		return nil
	}
	switch code {
	case kafka.SASLAuthenticationFailed:
		return fmt.Errorf("kafka.sasl: the brokers refuse the user name or password: %w", err)
	case kafka.UnsupportedSASLMechanism, kafka.IllegalSASLState:
		return fmt.Errorf("kafka.sasl.mechanism: the brokers do not take it: %w", err)
	case kafka.TopicAuthorizationFailed, kafka.ClusterAuthorizationFailed:
		return fmt.Errorf("kafka.topic: this account may not read it: %w", err)
	case kafka.GroupAuthorizationFailed:
		return fmt.Errorf("kafka.group: this account may not join it: %w", err)
	case kafka.InvalidSessionTimeout:
		return fmt.Errorf("kafka session timeout: outside of what the brokers allow: %w", err)
	case kafka.InvalidGroupId, kafka.InconsistentGroupProtocol:
		return fmt.Errorf("kafka.group: not one that can be joined: %w", err)
	case kafka.InvalidTopic:
		return fmt.Errorf("kafka.topic: no legal name: %w", err)
	}
	return nil
}

// backoff grows from 100 ms to a most.
type backoff struct {
	most time.Duration
	last time.Duration
}

// wait is false if ctx ended first.
func (b *backoff) wait(ctx context.Context) bool {
	b.last = min(cmp.Or(2*b.last, 100*time.Millisecond), b.most)
	timer := time.NewTimer(b.last/2 + rand.N(b.last/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
