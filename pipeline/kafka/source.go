package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
	"golang.org/x/sync/errgroup"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/internal/tlscause"
)

// Source reads a topic.
type Source struct {
	config    Config
	client    *kafka.Client
	dialer    *kafka.Dialer
	transport *kafka.Transport
	health    *health
}

var _ pipeline.Source = (*Source)(nil)

// Open checks the configuration. It makes no connection.
func Open(config Config) (*Source, error) {
	config = config.withDefaults()
	transport, dialer, err := config.connections()
	if err != nil {
		return nil, err
	}
	return &Source{
		config:    config,
		client:    &kafka.Client{Addr: kafka.TCP(config.Brokers...), Transport: transport},
		dialer:    dialer,
		transport: transport,
		health:    newHealth(config.Log, config.Failed),
	}, nil
}

// Close closes the connections; no Consume may be running.
func (s *Source) Close() { s.transport.CloseIdleConnections() }

// Health is nil while all requests succeed, or else one of the current failures.
func (s *Source) Health() error { return s.health.first() }

// Consume reads the topic. Requests without an answer are retried without limit; a topic that does not exist, rejected
// credentials and other configuration errors end it.
func (s *Source) Consume(ctx context.Context, work func(context.Context, pipeline.Stream) error) error {
	partitions, err := s.topic(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	if s.config.Group == "" {
		return s.all(ctx, partitions, work)
	}
	return s.share(ctx, len(partitions), work)
}

// topic returns the partitions of the topic when a broker answers.
func (s *Source) topic(ctx context.Context) ([]int, error) {
	const what = "brokers"
	pause := backoff{max: s.config.MaxBackoff}
	for {
		partitions, err := s.partitions(ctx)
		switch {
		case err == nil:
			s.health.clear(what)
			return partitions, nil
		case ctx.Err() != nil:
			return nil, nil
		}
		err, fatal := s.explain(err)
		if fatal {
			return nil, err
		}
		s.health.add(what, err)
		if !pause.wait(ctx) {
			return nil, nil
		}
	}
}

// explain adds the probable cause to an error of the brokers. A fatal error is not retried.
func (s *Source) explain(err error) (explained error, fatal bool) {
	// Remove the prefix with the library's function, such as kafka.(*Client).Metadata.
	for strings.HasPrefix(err.Error(), "kafka.(*") && errors.Unwrap(err) != nil {
		err = errors.Unwrap(err)
	}
	if unknownTopic(err) {
		return fmt.Errorf("kafka topic %s does not exist at %s; create it first: %w",
			s.config.Topic, strings.Join(s.config.Brokers, ","), err), true
	}
	if fatal := misconfigured(err); fatal != nil {
		return fatal, true
	}
	var network *net.OpError
	switch {
	case errors.As(err, &network) && network.Op == "dial":
		err = fmt.Errorf("a broker does not answer, check kafka.brokers and the brokers' advertised.listeners: %w", network)
	case tlscause.Closed(err) && s.config.TLS == nil && tlscause.Serves(s.config.Brokers):
		err = fmt.Errorf("the brokers require TLS at this port, and kafka.tls.enabled is not set: %w", err)
	case tlscause.Closed(err):
		err = fmt.Errorf("the brokers closed the connection (if they run, check kafka.sasl): %w", err)
	case s.config.TLS != nil && noAnswer(err): // A plain listener reads a TLS handshake as the start of a long request.
		err = fmt.Errorf("the brokers do not answer (if they run, they may speak no TLS at this port: "+
			"check kafka.tls.enabled): %w", err)
	}
	return err, false
}

func (s *Source) partitions(ctx context.Context) ([]int, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	// Unlike a request of the consumer group, this never creates a topic.
	got, err := s.client.Metadata(ctx, &kafka.MetadataRequest{Topics: []string{s.config.Topic}})
	if err != nil {
		return nil, err
	}
	for _, t := range got.Topics {
		if t.Name != s.config.Topic {
			continue
		}
		if t.Error != nil {
			return nil, t.Error
		}
		ids := make([]int, len(t.Partitions))
		for i, p := range t.Partitions {
			ids[i] = p.ID
		}
		return ids, nil
	}
	return nil, kafka.UnknownTopicOrPartition
}

// all reads every partition without a group.
func (s *Source) all(ctx context.Context, ids []int, work func(context.Context, pipeline.Stream) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, id := range ids {
		group.Go(func() error { return s.read(ctx, newPartition(s, id, 0, nil), -1, work) })
	}
	return group.Wait()
}

// watch returns true when the number of partitions of the topic has changed, which moves tables.
func (s *Source) watch(ctx context.Context, partitions *int) bool {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		// The fetches report errors.
		if ids, err := s.partitions(ctx); err == nil && len(ids) != *partitions {
			s.config.Log.Warn("the number of partitions has changed: tables may move in the middle of a shoe",
				"topic", s.config.Topic, "before", *partitions, "now", len(ids))
			*partitions = len(ids)
			return true
		}
	}
}

// read gives one partition to work until it does not ask for it again.
func (s *Source) read(
	ctx context.Context, p *partition, committed int64, work func(context.Context, pipeline.Stream) error,
) error {
	for {
		err := s.readOnce(ctx, p, committed, work)
		if !errors.Is(err, pipeline.ErrAgain) || ctx.Err() != nil {
			return err
		}
		p = newPartition(s, p.id, p.generation, p.commit)
	}
}

// readOnce gives one partition to work, and fetches ahead of it.
func (s *Source) readOnce(
	ctx context.Context, p *partition, committed int64, work func(context.Context, pipeline.Stream) error,
) error {
	// The fetches end with the work; the work does not end with the fetches.
	fetching, stop := context.WithCancel(ctx)
	var group errgroup.Group
	group.Go(func() error {
		p.fetch(fetching, max(committed, -1))
		return nil
	})
	err := work(ctx, p)
	stop()
	s.health.clear(p.name)
	return errors.Join(err, group.Wait())
}
