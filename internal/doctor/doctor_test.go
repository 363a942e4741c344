package doctor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/settings"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
)

// only is the only check.
func only(t *testing.T, r *run) Check {
	t.Helper()
	if len(r.checks) != 1 {
		t.Fatalf("%d checks, want one: %+v", len(r.checks), r.checks)
	}
	if c := r.checks[0]; (c.Status == OK) == (c.Fix != "") {
		t.Errorf("only a check that did not pass has a fix: %+v", c)
	}
	return r.checks[0]
}

func TestLag(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		log          kafka.Offsets
		to, low      int64
		at           time.Time
		none         bool // no journal
		status, seen string
	}{
		"up to date": {
			log: kafka.Offsets{End: 100, Committed: 40}, to: 99, low: 40, at: now.Add(-time.Hour),
			status: OK, seen: "0 records behind; a restart reads 60 records again",
		},
		"at work": {
			log: kafka.Offsets{End: 100, Committed: -1}, to: 98, at: now, status: OK,
			seen: "1 record behind; a restart reads 100 records again",
		},
		"stopped": {
			log: kafka.Offsets{End: 100}, to: 98, at: now.Add(-time.Hour), status: Fail,
			seen: "1 record behind, and no flush for 1h0m0s",
		},
		"far behind": {log: kafka.Offsets{End: 500_000}, to: 98, at: now, status: Warn, seen: "499901 records behind"},
		"lost": {
			log: kafka.Offsets{First: 200, End: 300}, to: 98, low: 98, at: now, status: Fail,
			seen: "partition 0: expired before the audit: offsets 99 to 199",
		},
		"recreated": {
			log: kafka.Offsets{End: 10}, to: 98, at: now, status: Fail,
			seen: "partition 0 ends at offset 10, but the journal has 98",
		},
		"never begun": {
			log: kafka.Offsets{First: 5, End: 10}, none: true, status: Warn,
			seen: "no record of the topic was audited yet: 5 records",
		},
		"empty": {none: true, status: OK, seen: "the topic is empty"},
		"all of it expired": {
			log: kafka.Offsets{First: 99, End: 99}, to: 98, low: 99, at: now, status: OK,
			seen: "0 records behind",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{known: true}
			if !c.none {
				r.progress = []clickhouse.Progress{{To: c.to, Low: c.low, WrittenAt: c.at}}
			}
			r.lag(&kafka.Topic{Partitions: []kafka.Offsets{c.log}})
			if got := only(t, r); got.Status != c.status || !strings.Contains(got.Seen, c.seen) {
				t.Errorf("got %+v, want %s: %s", got, c.status, c.seen)
			}
		})
	}
	// A restart would begin before the log does: what is read is well, a table that is open is not.
	r := &run{known: true, progress: []clickhouse.Progress{{To: 99, Low: 40, WrittenAt: now}}}
	r.lag(&kafka.Topic{Partitions: []kafka.Offsets{{First: 50, End: 100, Committed: 40}}})
	if len(r.checks) != 2 || r.checks[0].Status != Warn || !strings.Contains(r.checks[0].Seen, "offsets 40 to 49") ||
		r.checks[1].Status != OK {
		t.Errorf("%+v", r.checks)
	}
}

func TestRetentionAndClock(t *testing.T) {
	day := 24 * time.Hour
	for want, s := range map[string]kafka.Settings{
		"ok: kept for 168h":      {Retention: 7 * day, RetentionBytes: -1, Cleanup: "delete"},
		"ok: kept without limit": {Retention: -1, RetentionBytes: -1},
		"warn: kept for 48h":     {Retention: 2 * day, RetentionBytes: -1},
		"warn: keeps 1000 bytes": {Retention: -1, RetentionBytes: 1000},
		"fail: kept for 1h":      {Retention: time.Hour, RetentionBytes: -1},
		"fail: compaction":       {Retention: -1, RetentionBytes: -1, Cleanup: "compact,delete"},
	} {
		r := &run{}
		r.retention(&kafka.Topic{Settings: s})
		status, seen, _ := strings.Cut(want, ": ")
		if got := only(t, r); got.Status != status || !strings.Contains(got.Seen, seen) {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
	r := &run{}
	r.retention(&kafka.Topic{Denied: errors.New("denied")})
	if got := only(t, r); got.Status != Warn || !strings.Contains(got.Seen, "denied") {
		t.Errorf("got %+v", got)
	}
	for ahead, want := range map[time.Duration]string{
		3 * time.Millisecond: OK, -2 * time.Second: Warn, time.Hour: Fail,
		-time.Hour: Fail,
	} {
		r := &run{ahead: ahead}
		r.clock()
		if got := only(t, r); got.Status != want {
			t.Errorf("%v ahead: %+v, want %s", ahead, got, want)
		}
	}
}

// A table that waits is named, with what it waits for and what ends the wait.
func TestFeeds(t *testing.T) {
	config := settings.DefaultIngest()
	r := &run{Options: Options{Config: &config}}
	r.feeds(nil)
	if got := only(t, r); got.Status != OK {
		t.Errorf("got %+v", got)
	}
	r.checks = nil
	r.feeds([]clickhouse.Waiting{{
		PropertyID: "ac-1", TableID: "pb-3", Missing: 20, Events: 7, Since: time.Date(2026, 11, 22, 14, 59, 0, 0, time.UTC),
	}})
	want := "1 table waits: ac-1/pb-3 for event 20 since 2026-11-22 14:59:00, 7 events wait"
	if got := only(t, r); got.Status != Warn || got.Seen != want || !strings.Contains(got.Fix, "1m0s (reorder.max_wait)") {
		t.Errorf("got %+v, want %s", got, want)
	}
}
