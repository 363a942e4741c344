//go:build unix

package nightly

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine/clickhousetest"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/internal/watch"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// BenchmarkHistory audits a gaming day of 100 tables with the whole command: as the only one of its database, then
// behind SHOEPROOF_DAYS (30 without it) days of the same rounds, wagers, vigorish, shoes, evidence and configurations.
// Each time the night before has stored its state. It prints what the audit takes, and a pass of a watch that has
// nothing to score.
func BenchmarkHistory(b *testing.B) {
	days, err := strconv.Atoi(cmp.Or(os.Getenv("SHOEPROOF_DAYS"), "30"))
	if err != nil {
		b.Fatalf("SHOEPROOF_DAYS: %v", err)
	}
	cfg := server.Migrated(b)
	store := clickhousetest.Open(b, cfg)
	f := newHouse(100, eventsToStore(b))
	ingest(b, store, f)
	scoreLive(b, cfg.Database)
	for b.Loop() {
		auditBehind(b, store, f, cfg.Database, "alone")
		copyBack(b, store, days)
		for range 2 {
			auditBehind(b, store, f, cfg.Database, fmt.Sprintf("behind %d days", days))
		}
	}
}

// auditBehind audits the first day of a house, and begins a watch.
func auditBehind(b *testing.B, store *clickhouse.Store, f *house, database, name string) {
	b.Helper()
	o := watch.Options{Property: property, Engine: options()}
	before := opens.AddDate(0, 0, -1).Format(time.DateOnly)
	if _, err := watch.ScoreDay(b.Context(), store, store, o, before); err != nil {
		b.Fatal(err)
	}
	rest(b, store)
	order := archiveRun{Database: database, Days: f.days[:1], Workers: 4, Score: true}
	s := auditAgain(b, &order, f)
	b.Logf("%s: %.0f events/s, us/event: process %.2f, ClickHouse %.2f", name, 1e6/s.wall, s.process, s.server)
	pid := server.Start(b).PID()
	began, from := time.Now(), testkit.ProcessorTime(b, pid)
	scoreLive(b, database)
	b.Logf("a watch that begins, with nothing to score: %v, ClickHouse %v", time.Since(began),
		testkit.ProcessorTime(b, pid)-from)
}

// copyBack copies the facts of a day to each of so many days before it.
func copyBack(b *testing.B, store *clickhouse.Store, days int) {
	b.Helper()
	for table, times := range map[string]string{
		"rounds": "settled_at", "wagers": "placed_at", "vigorish": "at", "shoes": "closed_at", "evidence": "at",
		"table_configs": "effective_at",
	} {
		with := fmt.Sprintf("at - toIntervalDay(n) AS at, %s - toIntervalDay(n) AS %[1]s", times)
		if times == "at" {
			with = "at - toIntervalDay(n) AS at"
		}
		if table != "table_configs" {
			with += ", gaming_day - n AS gaming_day, concat(shoe_id, '-', toString(n)) AS shoe_id"
		}
		query := fmt.Sprintf("INSERT INTO %s SELECT c.* REPLACE (%s) FROM %[1]s AS c CROSS JOIN "+
			"(SELECT number + 1 AS n FROM numbers(%[3]d)) AS d SETTINGS asterisk_include_alias_columns = 0, "+
			"max_partitions_per_insert_block = 0", store.Table(table), with, days)
		ctx, stop := context.WithTimeout(b.Context(), 10*time.Minute)
		err := store.Conn().Exec(ctx, query)
		if stop(); err != nil {
			b.Fatalf("copy %s: %v", table, err)
		}
	}
	rest(b, store)
}
