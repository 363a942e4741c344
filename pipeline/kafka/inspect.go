package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/segmentio/kafka-go"
)

// Topic describes the topic and the committed offsets of the group.
type Topic struct {
	Partitions []Offsets
	Settings   Settings
	// Denied is why the settings are unknown: reading them requires a separate right.
	Denied error
}

// Offsets are the offsets of one partition.
type Offsets struct {
	Partition int
	// First is the first of the log, End is one after the last, Committed is the group's, -1 if none.
	First, End, Committed int64
}

// Settings are the topic's retention settings.
type Settings struct {
	Retention      time.Duration // negative is unlimited
	RetentionBytes int64         // of a partition, negative is unlimited
	Cleanup        string        // delete, compact or both
}

// Inspect queries the brokers once, without retries. It requires the right to read the topic and the group, and for
// Settings the right to describe the configuration of the topic.
func (s *Source) Inspect(ctx context.Context) (Topic, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*requestTimeout)
	defer cancel()
	t, err := s.inspect(ctx)
	if err != nil {
		err, _ = s.explain(err)
	}
	return t, err
}

func (s *Source) inspect(ctx context.Context) (Topic, error) {
	var t Topic
	topic := s.config.Topic
	ids, err := s.partitions(ctx)
	if err != nil {
		return t, err
	}
	var requests []kafka.OffsetRequest
	for _, id := range ids {
		requests = append(requests, kafka.FirstOffsetOf(id), kafka.LastOffsetOf(id))
	}
	bounds, err := s.client.ListOffsets(ctx, &kafka.ListOffsetsRequest{
		Topics: map[string][]kafka.OffsetRequest{topic: requests},
	})
	if err != nil {
		return t, err
	}
	for _, o := range bounds.Topics[topic] {
		if o.Error != nil {
			return t, fmt.Errorf("offsets of partition %d: %w", o.Partition, o.Error)
		}
		t.Partitions = append(t.Partitions, Offsets{
			Partition: o.Partition, First: o.FirstOffset, End: o.LastOffset, Committed: -1,
		})
	}
	slices.SortFunc(t.Partitions, func(a, b Offsets) int { return cmp.Compare(a.Partition, b.Partition) })
	committed, err := s.committed(ctx, ids)
	if err != nil {
		return t, fmt.Errorf("offsets of group %s: %w", s.config.Group, err)
	}
	for _, o := range committed.Topics[topic] {
		for i := range t.Partitions {
			if t.Partitions[i].Partition == o.Partition {
				t.Partitions[i].Committed = o.CommittedOffset
			}
		}
	}
	t.Settings, t.Denied = s.settings(ctx)
	return t, nil
}

// committed returns the committed offsets. It retries until the group has a coordinator: brokers create it with the
// first group.
func (s *Source) committed(ctx context.Context, ids []int) (*kafka.OffsetFetchResponse, error) {
	pause := backoff{max: time.Second}
	for {
		got, err := s.client.OffsetFetch(ctx, &kafka.OffsetFetchRequest{
			GroupID: s.config.Group, Topics: map[string][]int{s.config.Topic: ids},
		})
		if err == nil {
			err = got.Error
		}
		var code kafka.Error
		switch {
		case errors.Is(err, kafka.GroupIdNotFound): // The group never had a member.
			return &kafka.OffsetFetchResponse{}, nil
		case !errors.As(err, &code) || !code.Temporary() || !pause.wait(ctx):
			return got, err
		}
	}
}

func (s *Source) settings(ctx context.Context) (Settings, error) {
	var out Settings
	topic := kafka.DescribeConfigRequestResource{
		ResourceType: kafka.ResourceTypeTopic, ResourceName: s.config.Topic,
		ConfigNames: []string{"retention.ms", "retention.bytes", "cleanup.policy"},
	}
	got, err := s.client.DescribeConfigs(ctx, &kafka.DescribeConfigsRequest{
		Resources: []kafka.DescribeConfigRequestResource{topic},
	})
	if err != nil {
		return out, err
	}
	for _, r := range got.Resources {
		if r.Error != nil {
			return out, r.Error
		}
		for _, e := range r.ConfigEntries {
			n, err := strconv.ParseInt(e.ConfigValue, 10, 64)
			switch e.ConfigName {
			case "retention.ms":
				// More than the largest duration, 292 years, is unlimited.
				out.Retention = time.Duration(n) * time.Millisecond
				if n > int64(1<<63-1)/int64(time.Millisecond) {
					out.Retention = -1
				}
			case "retention.bytes":
				out.RetentionBytes = n
			case "cleanup.policy":
				out.Cleanup, err = e.ConfigValue, nil
			}
			if err != nil {
				return out, fmt.Errorf("%s is %q: %w", e.ConfigName, e.ConfigValue, err)
			}
		}
	}
	return out, nil
}
