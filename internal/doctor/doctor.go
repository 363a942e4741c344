// Package doctor checks everything that ingest needs: its configuration, ClickHouse with its clock, schema and
// grants, the Kafka topic with its retention, and the consumer lag. Each failed check names a fix. It changes
// nothing and joins no consumer group.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
	"github.com/shoeproof/shoeproof/schema/migrations"
)

// The statuses of a check.
const (
	OK   = "ok"
	Warn = "warn"
	Fail = "fail"
)

// Check is the result of one check.
type Check struct {
	Area   string `json:"area"`
	Status string `json:"status"` // ok, warn or fail
	Seen   string `json:"seen"`
	Fix    string `json:"fix,omitempty"`
}

// Options are the input of the checks.
type Options struct {
	Config    *settings.Ingest
	ConfigErr error  // of settings.Load
	Version   string // of this program
	Role      string // that the ClickHouse user must have, a name of migrations.Role
}

// run is a run of the checks.
type run struct {
	Options
	checks []Check

	progress []clickhouse.Progress
	known    bool          // progress was read
	ahead    time.Duration // of ClickHouse's clock against this machine's
}

// Run returns the checks in the order in which failures should be fixed. It ends within a minute.
func Run(ctx context.Context, o Options) []Check {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	r := &run{Options: o}
	r.configuration()
	r.clickhouse(ctx)
	r.kafka(ctx)
	return r.checks
}

// Failed is the number of checks that failed.
func Failed(checks []Check) int {
	n := 0
	for _, c := range checks {
		if c.Status == Fail {
			n++
		}
	}
	return n
}

func (r *run) add(area, status, fix, layout string, args ...any) {
	r.checks = append(r.checks, Check{area, status, fmt.Sprintf(layout, args...), fix})
}

// fail adds a check that failed with an error.
func (r *run) fail(area string, err error, fix string) { r.add(area, Fail, fix, "%v", err) }

func (r *run) configuration() {
	const fix = "ingest config print shows each setting and its origin"
	if r.ConfigErr == nil {
		r.add("configuration", OK, "", "all settings of ingest are valid")
		return
	}
	complaints := settings.Complaints{}
	if !errors.As(r.ConfigErr, &complaints) {
		r.fail("configuration", r.ConfigErr, fix)
	}
	for _, err := range complaints {
		r.fail("configuration", err, fix)
	}
}

func (r *run) clickhouse(ctx context.Context) {
	config, err := r.Config.ClickHouse.Store(r.Version, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return // reported by configuration
	}
	store, err := clickhouse.Connect(ctx, config)
	if err != nil {
		r.fail("clickhouse", err, "check the settings named above, then the server and the network path to it")
		return
	}
	defer func() { _ = store.Close() }()
	version, ahead, err := store.Server(ctx)
	if err != nil {
		r.fail("clickhouse", err, "check the server's log")
		return
	}
	r.ahead = ahead
	r.add("clickhouse", OK, "", "%s answers as ClickHouse %s to user %q", strings.Join(config.Addrs, ","), version,
		config.User)
	r.clock()
	if err := store.CheckSchema(ctx); err != nil {
		r.fail("schema", err, "run audit migrate with the migrator's user")
		return
	}
	r.add("schema", OK, "", "database %s has the schema of this release", config.Database)
	r.grants(ctx, store, migrations.Layout{Database: config.Database, Cluster: config.Cluster})
	if r.progress, err = store.Progress(ctx, r.Config.Kafka.Topic); err != nil {
		r.fail("journal", err, "grant the user its role, see audit grants")
		return
	}
	r.known = true
}

// clock compares the clocks of log lines, certificates and the journal. Findings use the tables' clocks.
func (r *run) clock() {
	const fix = "synchronize both clocks by NTP"
	off := r.ahead.Abs().Round(time.Millisecond)
	switch {
	case off >= time.Minute:
		r.add("clock", Fail, fix, "the clocks of ClickHouse and of this machine differ by %v", off)
	case off >= time.Second:
		r.add("clock", Warn, fix, "the clocks of ClickHouse and of this machine differ by %v", off)
	default:
		r.add("clock", OK, "", "the clocks of ClickHouse and of this machine differ by %v", off)
	}
}

func (r *run) grants(ctx context.Context, store *clickhouse.Store, layout migrations.Layout) {
	user := r.Config.ClickHouse.User
	roles, err := layout.Roles()
	if err != nil {
		r.fail("grants", err, "")
		return
	}
	role := roles[slices.IndexFunc(roles, func(x migrations.Role) bool { return x.Name == r.Role })]
	// Rights that only the migrator, or no user, should have.
	never := []string{"DROP TABLE ON " + layout.Database + ".*", "ACCESS MANAGEMENT ON *.*"}
	if role.Name != "migrator" {
		never = append(never, "ALTER TABLE ON "+layout.Database+".*")
	}
	if role.Name == "reader" || role.Name == "console" {
		never = append(never, "SELECT ON "+layout.Database+".events")
	}
	has, err := store.Has(ctx, slices.Concat(role.Grants, never))
	switch {
	case errors.Is(err, clickhouse.ErrCannotTell):
		r.add("grants", Warn, "compare SHOW GRANTS with audit grants", "this server does not support the query: %v", err)
		return
	case err != nil:
		r.fail("grants", err, "")
		return
	}
	var missing, excess []string
	for _, g := range role.Grants {
		if !has[g] {
			missing = append(missing, g)
		}
	}
	for _, g := range never {
		if has[g] {
			excess = append(excess, g)
		}
	}
	fix := "run the statements of audit grants and grant the user role " + layout.Database + "_" + role.Name
	switch {
	case len(missing) > 0:
		r.add("grants", Fail, fix, "user %q lacks %s of role %s: %s", user, count(len(missing), "right", "rights"), role.Name,
			some(missing))
	case len(excess) > 0:
		r.add("grants", Warn, fix, "user %q has all rights of role %s and more than it needs: %s", user, role.Name,
			some(excess))
	default:
		r.add("grants", OK, "", "user %q has the rights of role %s and none to drop or alter", user, role.Name)
	}
}

// some lists the first strings of a list and the number of the others.
func some(list []string) string {
	const limit = 3
	if len(list) > limit {
		return strings.Join(list[:limit], ", ") + fmt.Sprintf(" and %d more", len(list)-limit)
	}
	return strings.Join(list, ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

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
		if i := slices.IndexFunc(r.progress, func(g clickhouse.Progress) bool { return int(g.Partition) == o.Partition }); i >= 0 {
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
					"partition %d: offsets %d to %d expired before they were audited", o.Partition, next, o.First-1)
			case g.Low < o.First:
				r.add("lag", Warn, "increase the topic's retention beyond the time that a table is open",
					"partition %d: offsets %d to %d, from which a restart reads, expired", o.Partition, g.Low, o.First-1)
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
