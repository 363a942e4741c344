package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
)

func (r *run) kafka(ctx context.Context) {
	config, err := r.Config.Kafka.Source("shoeproof-doctor", slog.New(slog.DiscardHandler))
	if err != nil {
		return // reported by configuration
	}
	source, err := kafka.Open(config)
	if err != nil {
		return
	}
	defer source.Close()
	topic, err := source.Inspect(ctx)
	if err != nil {
		r.fail("kafka", err, "check the settings named above, then the brokers and the network path to them")
		return
	}
	r.add("kafka", OK, "", "topic %s at %s has %s", config.Topic, strings.Join(config.Brokers, ","),
		count(len(topic.Partitions), "partition", "partitions"))
	r.retention(&topic)
	r.lag(&topic)
}

// A restart reads again from the oldest open shoe, and ClickHouse may be unavailable over a long weekend.
const (
	minRetention  = 24 * time.Hour
	goodRetention = 96 * time.Hour
)

func (r *run) retention(t *kafka.Topic) {
	const fix = "set retention.ms to 7 days and cleanup.policy to delete with kafka-configs"
	s := t.Settings
	switch {
	case t.Denied != nil:
		r.add("retention", Warn, "grant the account DescribeConfigs on the topic, or check by hand",
			"the retention of the topic is unknown: %v", t.Denied)
	case strings.Contains(s.Cleanup, "compact"):
		r.add("retention", Fail, fix, "cleanup.policy is %s: compaction drops events", s.Cleanup)
	case s.Retention >= 0 && s.Retention < minRetention:
		r.add("retention", Fail, fix, "records are kept for %v, less than a restart may need", s.Retention)
	case s.Retention >= 0 && s.Retention < goodRetention:
		r.add("retention", Warn, fix, "records are kept for %v, less than an outage of ClickHouse may last", s.Retention)
	case s.RetentionBytes >= 0:
		r.add("retention", Warn, "set retention.bytes to -1", "a partition keeps %d bytes of any age", s.RetentionBytes)
	case s.Retention < 0:
		r.add("retention", OK, "", "records are kept without limit")
	default:
		r.add("retention", OK, "", "records are kept for %v", s.Retention)
	}
}

// recreated is the usual cause of a journal that is ahead of the log.
const recreated = "the topic was recreated, or lost records"

// lag compares the log with the journal, which is authoritative, and with the group's offsets.
func (r *run) lag(t *kafka.Topic) {
	if !r.known {
		r.add("lag", Warn, "", "unknown: the journal was not read")
		return
	}
	var behind, uncommitted, records int64
	var newest time.Time
	lost := false
	for _, o := range t.Partitions {
		records += o.End - o.First
		next := o.First
		if i := slices.IndexFunc(r.progress,
			func(g clickhouse.Progress) bool { return int(g.Partition) == o.Partition }); i >= 0 {
			g := r.progress[i]
			if g.WrittenAt.After(newest) {
				newest = g.WrittenAt
			}
			switch next = g.To + 1; {
			case next > o.End:
				lost = true
				r.add("lag", Fail, recreated+". If ingest stops, publish under a new topic name or restore the records",
					"partition %d ends at offset %d, but the journal has %d", o.Partition, o.End, g.To)
			case next < o.First:
				lost = true
				r.add("lag", Fail, "the records are lost; increase the topic's retention",
					"partition %d: expired before the audit: %s", o.Partition, finding.OffsetRange(next, o.First-1))
			case g.Low < o.First:
				r.add("lag", Warn, "increase the topic's retention beyond the time that a table is open",
					"partition %d: %s, from which a restart reads, expired", o.Partition,
					finding.OffsetRange(g.Low, o.First-1))
			}
		}
		behind += max(0, o.End-max(next, o.First))
		uncommitted += max(0, o.End-max(o.Committed, o.First))
	}
	for _, g := range r.progress {
		if !slices.ContainsFunc(t.Partitions, func(o kafka.Offsets) bool { return o.Partition == int(g.Partition) }) {
			lost = true
			r.add("lag", Fail, recreated+": publish under a new topic name or restore the records",
				"the journal has partition %d, the topic does not", g.Partition)
		}
	}
	if lost {
		return
	}
	const start, stuck, far = "start ingest", 5 * time.Minute, 100_000
	committed := fmt.Sprintf("; a restart reads %s again", count(int(uncommitted), "record", "records"))
	switch idle := time.Since(newest) + r.ahead; {
	case records > 0 && len(r.progress) == 0:
		r.add("lag", Warn, start, "no record of the topic was audited yet: %s", count(int(behind), "record", "records"))
	case behind > 0 && idle > stuck:
		r.add("lag", Fail, "check that ingest runs, its /readyz and its log", "%s behind, and no flush for %v",
			count(int(behind), "record", "records"), idle.Round(time.Second))
	case behind > far:
		r.add("lag", Warn, "wait, or run more ingest processes, at most one per partition", "%s behind",
			count(int(behind), "record", "records"))
	case len(r.progress) == 0:
		r.add("lag", OK, "", "the topic is empty")
	default:
		r.add("lag", OK, "", "%s behind%s", count(int(behind), "record", "records"), committed)
	}
}
