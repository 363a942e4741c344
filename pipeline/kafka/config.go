// Package kafka reads table events from Kafka, and writes them for demonstrations and tests.
//
// A consumer group assigns the partitions; each partition is read by one Fetch after the other. Offsets are committed
// for operators only: the sink knows what is durable.
//
// Producers must not use transactions: records of aborted transactions would be read.
package kafka

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/sasl"
	"github.com/segmentio/kafka-go/sasl/plain"
	"github.com/segmentio/kafka-go/sasl/scram"
)

// Config is the configuration of a Source or a Writer.
type Config struct {
	Brokers []string // host:port; it is enough that one of them answers
	Topic   string
	// Group is the consumer group that shares the partitions. Without it this process reads all
	// partitions and commits nothing.
	Group    string
	ClientID string
	// Replaces removes the members of the group with this ClientID at the start: they are stale members of an
	// earlier process, whose partitions would otherwise be unassigned until their sessions time out.
	Replaces bool
	TLS      *tls.Config // nil is plain TCP
	SASL     SASL

	MaxBytes       int           // of one Fetch; a partition buffers two; 128 KiB for 0
	SessionTimeout time.Duration // after it a member without heartbeats loses its partitions; 10 s for 0
	Heartbeat      time.Duration // also the delay until a rebalance is noticed; 2 s for 0
	MaxBackoff     time.Duration // between attempts while brokers do not answer; 5 s for 0, at most 30 s

	// StopAtEnd ends each partition at the offset that was its end when reading it began.
	StopAtEnd bool
	// Failed, if not nil, is called at each failed request with one of a few causes.
	Failed func(cause string)
	// Log receives a warning for each cause, at most once in 10 s. May be nil.
	Log *slog.Logger
}

// SASL is an account at the brokers.
type SASL struct {
	Mechanism          string // "", "plain", "scram-sha-256" or "scram-sha-512"
	Username, Password string
}

// Upper limits of the configuration.
const (
	maxBytes   = 64 << 20
	maxBackoff = 30 * time.Second
)

func (c Config) withDefaults() Config {
	c.ClientID = cmp.Or(c.ClientID, "shoeproof")
	c.MaxBytes = cmp.Or(c.MaxBytes, 128<<10)
	c.SessionTimeout = cmp.Or(c.SessionTimeout, 10*time.Second)
	c.Heartbeat = cmp.Or(c.Heartbeat, 2*time.Second)
	c.MaxBackoff = cmp.Or(c.MaxBackoff, 5*time.Second)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// check returns an error that names the first invalid setting.
func (c Config) check() error {
	if len(c.Brokers) == 0 {
		return errors.New("kafka brokers: none, expected host:port")
	}
	for _, b := range c.Brokers {
		if _, port, err := net.SplitHostPort(b); err != nil || port == "" {
			return fmt.Errorf("kafka brokers: %q, expected host:port", b)
		}
	}
	switch {
	case c.Topic == "":
		return errors.New("kafka topic: none")
	case c.MaxBytes < 1024 || c.MaxBytes > maxBytes:
		return fmt.Errorf("kafka max bytes: %d, expected 1024 to %d", c.MaxBytes, maxBytes)
	case c.Heartbeat < time.Millisecond || c.Heartbeat*2 > c.SessionTimeout:
		return fmt.Errorf("kafka heartbeat: %v, expected at most half of the session timeout %v",
			c.Heartbeat, c.SessionTimeout)
	case c.MaxBackoff < 0 || c.MaxBackoff > maxBackoff:
		return fmt.Errorf("kafka max backoff: %v, expected at most %v", c.MaxBackoff, maxBackoff)
	}
	return nil
}

func (c Config) mechanism() (sasl.Mechanism, error) {
	var algorithm scram.Algorithm
	switch strings.ToLower(c.SASL.Mechanism) {
	case "":
		if c.SASL.Username != "" || c.SASL.Password != "" {
			return nil, errors.New("kafka SASL mechanism: not set, but a user name or password is; " +
				"expected plain, scram-sha-256 or scram-sha-512")
		}
		return nil, nil
	case "plain":
		return plain.Mechanism{Username: c.SASL.Username, Password: c.SASL.Password}, nil
	case "scram-sha-256":
		algorithm = scram.SHA256
	case "scram-sha-512":
		algorithm = scram.SHA512
	default:
		return nil, fmt.Errorf("kafka SASL mechanism: %q, expected plain, scram-sha-256 or scram-sha-512",
			c.SASL.Mechanism)
	}
	m, err := scram.Mechanism(algorithm, c.SASL.Username, c.SASL.Password)
	if err != nil {
		return nil, fmt.Errorf("kafka SASL user name or password: %w", err)
	}
	return m, nil
}

// connections returns the two kinds of connections that kafka-go makes: one for data, one for the consumer group.
func (c Config) connections() (*kafka.Transport, *kafka.Dialer, error) {
	if err := c.check(); err != nil {
		return nil, nil, err
	}
	m, err := c.mechanism()
	if err != nil {
		return nil, nil, err
	}
	transport := &kafka.Transport{
		ClientID: c.ClientID, TLS: c.TLS, SASL: m, DialTimeout: 5 * time.Second,
		// The delay until a new leader of a partition is found.
		MetadataTTL: 2 * time.Second, MetadataTopics: []string{c.Topic},
	}
	dialer := &kafka.Dialer{
		ClientID: c.ClientID, TLS: c.TLS, SASLMechanism: m, Timeout: 5 * time.Second, DualStack: true,
	}
	return transport, dialer, nil
}
