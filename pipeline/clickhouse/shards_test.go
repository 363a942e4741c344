//go:build unix

package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/cmd/devstack/engine/enginetest"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// twoShards are two servers, each of which knows both as the cluster "floor".
func twoShards(t *testing.T) [2]*engine.ClickHouse {
	t.Helper()
	server.Start(t) // or skips
	return enginetest.Shards(t)
}

// wholeFloor are the batches of a small floor with a fault, in flushes of some hundred records.
func wholeFloor(t *testing.T) []*pipeline.Batch {
	t.Helper()
	books, err := rules.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	calendar, err := calendar.Default()
	if err != nil {
		t.Fatal(err)
	}
	var events []schema.Event
	for i, kind := range deal.Kinds() {
		config, err := deal.Config(kind, 1)
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{
			Config: config, Seed: uint64(i), Property: "sim", Pit: "p1",
			Table: fmt.Sprintf("t-%02d", i),
		})
		mine := slices.Concat(table.Open(), table.ShoeOf(4), table.Close())
		if i%3 == 0 {
			mine = slices.Delete(mine, 30, 31) // a hole, so that there are findings
		}
		events = append(events, mine...)
	}
	e := auditor.New(auditor.Options{
		Books: books, Calendar: calendar, PatronKey: []byte("sixteen bytes or more"),
		Version: "test",
	})
	var all []*pipeline.Batch
	b := &pipeline.Batch{}
	var value []byte
	for i := range events {
		value = schema.AppendProto(value[:0], &events[i])
		if b.Range.Records == 0 {
			b.Range = pipeline.Range{Topic: "table-events", Partition: 1, From: int64(i)}
		}
		e.Apply(&pipeline.Record{Offset: int64(i), Format: schema.Protobuf, Value: value}, "table-events", 1, &b.Set)
		b.Range.Records++
		b.Range.To = int64(i)
		if b.Range.Records == 400 || i == len(events)-1 {
			all = append(all, b)
			b = &pipeline.Batch{}
		}
	}
	return all
}

// Two shards keep what one server keeps: every row once, a table's rows together, and the same bytes are read.
func TestTwoShards(t *testing.T) {
	batches := wholeFloor(t)
	one := open(t, migrated(t))
	shards := twoShards(t)
	cfg := Config{
		Addrs: []string{shards[0].Addr, shards[1].Addr}, Database: "audit", Cluster: "floor", Bare: true, User: "default",
		RulesVersion: "r1", Engine: "test", RowVersion: 7,
	}
	starters := make(chan error, 2)
	for range 2 { // two that migrate at once
		go func() { _, _, err := Migrate(context.WithoutCancel(t.Context()), cfg); starters <- err }()
	}
	if err := errors.Join(<-starters, <-starters); err != nil {
		t.Fatal(err)
	}
	two := open(t, cfg)
	recorded(t, shards[1], "cluster.sql", cfg.Database)
	if changed, hidden, err := two.Definitions(t.Context()); err != nil || len(changed) > 0 || hidden > 0 {
		t.Errorf("definitions of two migrated shards: %v, %d hidden, %v", changed, hidden, err)
	}
	for i, b := range batches {
		write(t, one, b)
		write(t, two, b)
		if i%3 == 0 {
			write(t, two, b) // as after an answer that was lost
		}
	}

	tables := []string{
		"events", "rounds", "wagers", "vigorish", "shoes", "table_configs", "notices", "findings",
		"open_findings", "dead_letters",
	}
	for _, table := range tables {
		columns := "*"
		if table == "open_findings" {
			columns = "* EXCEPT (arrived_at, changed_at)" // by the server's clock
		}
		query := "SELECT " + columns + " FROM %s." + table + " FINAL ORDER BY ALL FORMAT JSONEachRow"
		want := text(t, server.Start(t), fmt.Sprintf(query, one.cfg.Database))
		if want == "" && table != "dead_letters" {
			t.Errorf("%s has no rows", table)
		}
		for i, shard := range shards {
			if have := text(t, shard, fmt.Sprintf(query, cfg.Database)); have != want {
				t.Errorf("%s, asked at shard %d (-one server +shards):\n%s", table, i,
					gocmp.Diff(strings.Split(want, "\n"), strings.Split(have, "\n")))
			}
		}
	}
	var here [2]string
	for i, shard := range shards {
		here[i] = text(t, shard,
			"SELECT DISTINCT property_id, table_id FROM audit.events_local ORDER BY ALL FORMAT TSV")
		for _, table := range []string{"rounds", "wagers", "shoes", "findings", "open_findings", "table_configs"} {
			if n := text(t, shard,
				"SELECT count() FROM audit."+table+"_local WHERE (property_id, table_id) NOT IN (SELECT property_id, "+
					"table_id FROM audit.events_local) FORMAT TSV"); n != "0\n" {
				t.Errorf("%s of shard %d: %s rows of tables whose events are on the other", table, i, strings.TrimSpace(n))
			}
		}
	}
	if here[0] == "" || here[1] == "" {
		t.Errorf("all tables are on one shard:\n%s--\n%s", here[0], here[1])
	}
	for line := range strings.Lines(here[0]) {
		if strings.Contains(here[1], line) {
			t.Errorf("table %q is on both shards", strings.TrimSpace(line))
		}
	}

	// A shard that is away holds the batch back; then it is stored once.
	away := batches[slices.IndexFunc(batches, func(b *pipeline.Batch) bool {
		return slices.ContainsFunc(b.Events.TableID.Texts(),
			func(table string) bool { return strings.Contains(here[1], "\t"+table+"\n") })
	})]
	moved := *away
	moved.Range.From, moved.Range.To = moved.Range.From+1_000_000, moved.Range.To+1_000_000
	shards[1].Kill()
	done := make(chan error, 1)
	go func() { done <- two.Write(context.WithoutCancel(t.Context()), &moved) }()
	select {
	case err := <-done:
		t.Fatalf("the batch was taken without its shard: %v", err)
	case <-time.After(time.Second): // any time will do: it must not be done
	}
	if err := shards[1].Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := text(t, shards[0],
		"SELECT count() - uniqExact(property_id, table_id, seq, event_id, sha256) FROM audit.events FINAL FORMAT "+
			"TSV"); n != "0\n" {
		t.Errorf("%s events are there twice", strings.TrimSpace(n))
	}
}

// text is what a server answers.
// text is the answer to a query, which may have to reach the other shard.
func text(t *testing.T, c *engine.ClickHouse, query string) string {
	t.Helper()
	answer, err := enginetest.Query(t.Context(), c, "default", query)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
