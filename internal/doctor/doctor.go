// Package doctor looks at everything that ingest needs, and says what is wrong and how to mend it. It
// changes nothing.
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

// What a check came to.
const (
	OK   = "ok"
	Warn = "warn"
	Fail = "fail"
)

// Check is one thing looked at.
type Check struct {
	Area   string `json:"area"`
	Status string `json:"status"` // ok, warn or fail
	Seen   string `json:"seen"`
	Mend   string `json:"mend,omitempty"`
}

// Options are what to look at.
type Options struct {
	Config  *settings.Ingest
	Wrong   error  // what settings.Load complained of
	Version string // of this program
	Role    string // of the ClickHouse user, as migrations.Role names it
}

// patient is who is looked at.
type patient struct {
	Options
	ctx    context.Context
	checks []Check

	progress []clickhouse.Progress
	told     bool          // progress is known
	ahead    time.Duration // ClickHouse's clock
}

// Look gives the checks in the order in which things should be mended. It ends within a minute.
func Look(ctx context.Context, o Options) []Check {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	p := &patient{Options: o, ctx: ctx}
	p.configuration()
	p.clickhouse()
	p.kafka()
	return p.checks
}

// Sound says that no check failed.
func Sound(checks []Check) bool {
	return !slices.ContainsFunc(checks, func(c Check) bool { return c.Status == Fail })
}

func (p *patient) add(area, status, mend, layout string, args ...any) {
	p.checks = append(p.checks, Check{area, status, fmt.Sprintf(layout, args...), mend})
}

// wrong is a check that failed with an error.
func (p *patient) wrong(area string, err error, mend string) { p.add(area, Fail, mend, "%v", err) }

func (p *patient) configuration() {
	const mend = "ingest config print shows each setting and where it comes from"
	if p.Wrong == nil {
		p.add("configuration", OK, "", "all settings of ingest are good")
		return
	}
	complaints := settings.Complaints{}
	if !errors.As(p.Wrong, &complaints) {
		p.wrong("configuration", p.Wrong, mend)
	}
	for _, err := range complaints {
		p.wrong("configuration", err, mend)
	}
}

func (p *patient) clickhouse() {
	config, err := p.Config.ClickHouse.Store(p.Version, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return // The configuration says so.
	}
	store, err := clickhouse.Connect(p.ctx, config)
	if err != nil {
		p.wrong("clickhouse", err, "look at the settings named above, then at the server and the way to it")
		return
	}
	defer func() { _ = store.Close() }()
	version, ahead, err := store.Server(p.ctx)
	if err != nil {
		p.wrong("clickhouse", err, "look at the server's log")
		return
	}
	p.ahead = ahead
	p.add("clickhouse", OK, "", "%s answers as ClickHouse %s to user %q", strings.Join(config.Addrs, ","), version, config.User)
	p.clock()
	if err := store.CheckSchema(p.ctx); err != nil {
		p.wrong("schema", err, "audit migrate, with the migrator's user")
		return
	}
	p.add("schema", OK, "", "database %s has the schema of this release", config.Database)
	p.grants(store, migrations.Layout{Database: config.Database, Cluster: config.Cluster})
	if p.progress, err = store.Progress(p.ctx, p.Config.Kafka.Topic); err != nil {
		p.wrong("journal", err, "give the user its role: audit grants")
		return
	}
	p.told = true
}

// The clocks of log lines, of certificates and of the journal; findings go by the tables' own.
func (p *patient) clock() {
	const mend = "set both clocks by NTP"
	off := p.ahead.Abs().Round(time.Millisecond)
	switch {
	case off >= time.Minute:
		p.add("clock", Fail, mend, "ClickHouse's clock and ours are %v apart", off)
	case off >= time.Second:
		p.add("clock", Warn, mend, "ClickHouse's clock and ours are %v apart", off)
	default:
		p.add("clock", OK, "", "ClickHouse's clock and ours are %v apart", off)
	}
}

func (p *patient) grants(store *clickhouse.Store, layout migrations.Layout) {
	user := p.Config.ClickHouse.User
	roles, err := layout.Roles()
	if err != nil {
		p.wrong("grants", err, "")
		return
	}
	role := roles[slices.IndexFunc(roles, func(r migrations.Role) bool { return r.Name == p.Role })]
	// Rights that none but the migrator, or none at all, should have.
	never := []string{"DROP TABLE ON " + layout.Database + ".*", "ACCESS MANAGEMENT ON *.*"}
	if role.Name != "migrator" {
		never = append(never, "ALTER TABLE ON "+layout.Database+".*")
	}
	if role.Name == "reader" || role.Name == "console" {
		never = append(never, "SELECT ON "+layout.Database+".events")
	}
	has, err := store.Has(p.ctx, slices.Concat(role.Grants, never))
	switch {
	case errors.Is(err, clickhouse.ErrCannotTell):
		p.add("grants", Warn, "compare SHOW GRANTS with audit grants", "this server cannot be asked: %v", err)
		return
	case err != nil:
		p.wrong("grants", err, "")
		return
	}
	var lacks, more []string
	for _, g := range role.Grants {
		if !has[g] {
			lacks = append(lacks, g)
		}
	}
	for _, g := range never {
		if has[g] {
			more = append(more, g)
		}
	}
	mend := "run what audit grants prints, and give the user role " + layout.Database + "_" + role.Name
	switch {
	case len(lacks) > 0:
		p.add("grants", Fail, mend, "user %q lacks %s of the %s's rights: %s", user, count(len(lacks), "one", "ones"), role.Name, some(lacks))
	case len(more) > 0:
		p.add("grants", Warn, mend, "user %q has all rights of the %s, and more than it needs: %s", user, role.Name, some(more))
	default:
		p.add("grants", OK, "", "user %q has the rights of the %s and none to drop or alter", user, role.Name)
	}
}

// some are the first of many.
func some(list []string) string {
	const most = 3
	if len(list) > most {
		return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
	}
	return strings.Join(list, ", ")
}

func count(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("1 %s", one)
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (p *patient) kafka() {
	config, err := p.Config.Kafka.Source("shoeproof-doctor", slog.New(slog.DiscardHandler))
	if err != nil {
		return // The configuration says so.
	}
	source, err := kafka.Open(config)
	if err != nil {
		return
	}
	defer source.Close()
	topic, err := source.Inspect(p.ctx)
	if err != nil {
		p.wrong("kafka", err, "look at the settings named above, then at the brokers and the way to them")
		return
	}
	p.add("kafka", OK, "", "topic %s at %s has %s", config.Topic, strings.Join(config.Brokers, ","), count(len(topic.Partitions), "partition", "partitions"))
	p.retention(&topic)
	p.lag(&topic)
}

// A restart reads again from the oldest open shoe, and ClickHouse may be away over a long weekend.
const (
	leastRetention = 24 * time.Hour
	goodRetention  = 96 * time.Hour
)

func (p *patient) retention(t *kafka.Topic) {
	const mend = "set retention.ms to 7 days and cleanup.policy to delete, with kafka-configs"
	s := t.Settings
	switch {
	case t.Denied != nil:
		p.add("retention", Warn, "give the account DescribeConfigs on the topic, or look by hand", "how long the topic keeps records is not known: %v", t.Denied)
	case strings.Contains(s.Cleanup, "compact"):
		p.add("retention", Fail, mend, "cleanup.policy is %s: compaction drops events", s.Cleanup)
	case s.Retention >= 0 && s.Retention < leastRetention:
		p.add("retention", Fail, mend, "records are kept for %v, less than a restart may need", s.Retention)
	case s.Retention >= 0 && s.Retention < goodRetention:
		p.add("retention", Warn, mend, "records are kept for %v, less than ClickHouse may be away", s.Retention)
	case s.RetentionBytes >= 0:
		p.add("retention", Warn, "set retention.bytes to -1", "a partition keeps %d bytes, whatever their age", s.RetentionBytes)
	case s.Retention < 0:
		p.add("retention", OK, "", "records are kept for ever")
	default:
		p.add("retention", OK, "", "records are kept for %v", s.Retention)
	}
}

// lag holds the log against the journal, which is what counts, and against the group's offsets.
func (p *patient) lag(t *kafka.Topic) {
	if !p.told {
		p.add("lag", Warn, "", "not known: the journal was not read")
		return
	}
	var behind, uncommitted, records int64
	var newest time.Time
	lost := false
	for _, o := range t.Partitions {
		records += o.End - o.First
		next := o.First
		if i := slices.IndexFunc(p.progress, func(g clickhouse.Progress) bool { return int(g.Partition) == o.Partition }); i >= 0 {
			g := p.progress[i]
			if g.WrittenAt.After(newest) {
				newest = g.WrittenAt
			}
			switch next = g.To + 1; {
			case next > o.End:
				lost = true
				p.add("lag", Fail, "the topic was made anew, or lost records: see whether ingest goes on; if it stops, publish under another topic's name, or bring the records back",
					"partition %d ends at offset %d, but the journal has %d", o.Partition, o.End, g.To)
			case next < o.First:
				lost = true
				p.add("lag", Fail, "they are gone; let the topic keep records for longer", "partition %d: offsets %d to %d were dropped before they were audited", o.Partition, next, o.First-1)
			case g.Low < o.First:
				p.add("lag", Warn, "let the topic keep records for longer than tables stay open",
					"partition %d: offsets %d to %d, where a restart would begin, were dropped", o.Partition, g.Low, o.First-1)
			}
		}
		behind += max(0, o.End-max(next, o.First))
		uncommitted += max(0, o.End-max(o.Committed, o.First))
	}
	for _, g := range p.progress {
		if !slices.ContainsFunc(t.Partitions, func(o kafka.Offsets) bool { return o.Partition == int(g.Partition) }) {
			lost = true
			p.add("lag", Fail, "the topic was made anew: publish under another topic's name, or bring the records back", "the journal has partition %d, the topic has not", g.Partition)
		}
	}
	if lost {
		return
	}
	const start, stuck, far = "start ingest", 5 * time.Minute, 100_000
	committed := fmt.Sprintf("; a restart reads %s again", count(int(uncommitted), "record", "records"))
	switch idle := time.Since(newest) + p.ahead; {
	case records > 0 && len(p.progress) == 0:
		p.add("lag", Warn, start, "nothing of the topic was audited yet: %s", count(int(behind), "record", "records"))
	case behind > 0 && idle > stuck:
		p.add("lag", Fail, "see that ingest runs, /readyz and its log", "%s behind, and nothing was written for %v", count(int(behind), "record", "records"), idle.Round(time.Second))
	case behind > far:
		p.add("lag", Warn, "wait, or run more of ingest, up to one a partition", "%s behind", count(int(behind), "record", "records"))
	case len(p.progress) == 0:
		p.add("lag", OK, "", "the topic is empty")
	default:
		p.add("lag", OK, "", "%s behind%s", count(int(behind), "record", "records"), committed)
	}
}
