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

// logInterval is the min time between two log lines of one cause.
const logInterval = 10 * time.Second

// health has the requests that fail at the moment.
type health struct {
	log    *slog.Logger
	failed func(cause string)

	mu     sync.Mutex
	now    map[string]error // by group, brokers or partition
	logged map[string]note  // by cause
}

type note struct {
	at         time.Time
	suppressed int
}

func newHealth(log *slog.Logger, failed func(cause string)) *health {
	if failed == nil {
		failed = func(string) {}
	}
	return &health{log: log, failed: failed, now: map[string]error{}, logged: map[string]note{}}
}

// add records that requests fail for something, such as "partition 3".
func (h *health) add(what string, err error) {
	why := cause(err)
	h.failed(why)
	h.mu.Lock()
	h.now[what] = err
	n := h.logged[why]
	if !n.at.IsZero() && time.Since(n.at) < logInterval {
		n.suppressed++
		h.logged[why] = n
		h.mu.Unlock()
		return
	}
	h.logged[why] = note{at: time.Now()}
	h.mu.Unlock()
	h.log.Warn("Kafka request failed, retrying", "at", what, "cause", why, "error", err, "suppressed", n.suppressed)
}

func (h *health) clear(what string) {
	h.mu.Lock()
	delete(h.now, what)
	h.mu.Unlock()
}

func (h *health) first() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(h.now)) {
		return fmt.Errorf("%s: %w", what, h.now[what])
	}
	return nil
}

// cause is the class of an error. A thousand partitions with one cause log one line.
func cause(err error) string {
	var code kafka.Error
	var network *net.OpError
	switch {
	case errors.As(err, &code):
		return code.Title()
	case unknownTopic(err):
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

// noAnswer is true if a connection was made and the read timed out.
func noAnswer(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "read" && network.Timeout()
}

// unknownTopic is true if the brokers do not know the topic, or the partition.
func unknownTopic(err error) bool {
	return errors.Is(err, kafka.UnknownTopicOrPartition) || errors.Is(err, protocol.ErrNoTopic) ||
		errors.Is(err, protocol.ErrNoPartition)
}

// misconfigured explains an error that no retry fixes, or returns nil.
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
		return fmt.Errorf("kafka.sasl: the brokers reject the user name or password: %w", err)
	case kafka.UnsupportedSASLMechanism, kafka.IllegalSASLState:
		return fmt.Errorf("kafka.sasl.mechanism: the brokers do not support it: %w", err)
	case kafka.TopicAuthorizationFailed, kafka.ClusterAuthorizationFailed:
		return fmt.Errorf("kafka.topic: the account may not read it: %w", err)
	case kafka.GroupAuthorizationFailed:
		return fmt.Errorf("kafka.group: the account may not join it: %w", err)
	case kafka.InvalidSessionTimeout:
		return fmt.Errorf("kafka session timeout: outside the limits of the brokers: %w", err)
	case kafka.InvalidGroupId, kafka.InconsistentGroupProtocol:
		return fmt.Errorf("kafka.group: invalid, or its members use another protocol: %w", err)
	case kafka.InvalidTopic:
		return fmt.Errorf("kafka.topic: invalid name: %w", err)
	}
	return nil
}

// backoff is a wait between attempts that grows from 100 ms to max.
type backoff struct {
	max  time.Duration
	last time.Duration
}

// wait returns false if ctx ends first.
func (b *backoff) wait(ctx context.Context) bool {
	b.last = min(cmp.Or(2*b.last, 100*time.Millisecond), b.max)
	timer := time.NewTimer(b.last/2 + rand.N(b.last/2+1))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
