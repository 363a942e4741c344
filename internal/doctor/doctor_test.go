package doctor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/pipeline/kafka"
)

// only is the one check that was made.
func only(t *testing.T, p *patient) Check {
	t.Helper()
	if len(p.checks) != 1 {
		t.Fatalf("%d checks, want one: %+v", len(p.checks), p.checks)
	}
	if c := p.checks[0]; (c.Status == OK) == (c.Mend != "") {
		t.Errorf("what is well needs no mending, and all else does: %+v", c)
	}
	return p.checks[0]
}

func TestLag(t *testing.T) {
	now := time.Now()
	for name, c := range map[string]struct {
		log         kafka.Offsets
		to, low     int64
		at          time.Time
		none        bool // no journal
		status, say string
	}{
		"up to date":        {log: kafka.Offsets{End: 100, Committed: 40}, to: 99, low: 40, at: now.Add(-time.Hour), status: OK, say: "0 records behind; a restart reads 60 records again"},
		"at work":           {log: kafka.Offsets{End: 100, Committed: -1}, to: 98, at: now, status: OK, say: "1 record behind; a restart reads 100 records again"},
		"stands still":      {log: kafka.Offsets{End: 100}, to: 98, at: now.Add(-time.Hour), status: Fail, say: "1 record behind, and nothing was written for 1h0m0s"},
		"far behind":        {log: kafka.Offsets{End: 500_000}, to: 98, at: now, status: Warn, say: "499901 records behind"},
		"lost":              {log: kafka.Offsets{First: 200, End: 300}, to: 98, low: 98, at: now, status: Fail, say: "partition 0: offsets 99 to 199 were dropped before they were audited"},
		"made anew":         {log: kafka.Offsets{End: 10}, to: 98, at: now, status: Fail, say: "partition 0 ends at offset 10, but the journal has 98"},
		"never begun":       {log: kafka.Offsets{First: 5, End: 10}, none: true, status: Warn, say: "nothing of the topic was audited yet: 5 records"},
		"empty":             {none: true, status: OK, say: "the topic is empty"},
		"all of it expired": {log: kafka.Offsets{First: 99, End: 99}, to: 98, low: 99, at: now, status: OK, say: "0 records behind"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &patient{told: true}
			if !c.none {
				p.progress = []clickhouse.Progress{{To: c.to, Low: c.low, WrittenAt: c.at}}
			}
			p.lag(&kafka.Topic{Partitions: []kafka.Offsets{c.log}})
			if got := only(t, p); got.Status != c.status || !strings.Contains(got.Seen, c.say) {
				t.Errorf("got %+v, want %s: %s", got, c.status, c.say)
			}
		})
	}
	// A restart would begin before the log does: what is read is well, a table that is open is not.
	p := &patient{told: true, progress: []clickhouse.Progress{{To: 99, Low: 40, WrittenAt: now}}}
	p.lag(&kafka.Topic{Partitions: []kafka.Offsets{{First: 50, End: 100, Committed: 40}}})
	if len(p.checks) != 2 || p.checks[0].Status != Warn || !strings.Contains(p.checks[0].Seen, "offsets 40 to 49") || p.checks[1].Status != OK {
		t.Errorf("%+v", p.checks)
	}
}

func TestRetentionAndClock(t *testing.T) {
	day := 24 * time.Hour
	for want, s := range map[string]kafka.Settings{
		"ok: kept for 168h":      {Retention: 7 * day, RetentionBytes: -1, Cleanup: "delete"},
		"ok: kept for ever":      {Retention: -1, RetentionBytes: -1},
		"warn: kept for 48h":     {Retention: 2 * day, RetentionBytes: -1},
		"warn: keeps 1000 bytes": {Retention: -1, RetentionBytes: 1000},
		"fail: kept for 1h":      {Retention: time.Hour, RetentionBytes: -1},
		"fail: compaction":       {Retention: -1, RetentionBytes: -1, Cleanup: "compact,delete"},
	} {
		p := &patient{}
		p.retention(&kafka.Topic{Settings: s})
		status, say, _ := strings.Cut(want, ": ")
		if got := only(t, p); got.Status != status || !strings.Contains(got.Seen, say) {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
	p := &patient{}
	p.retention(&kafka.Topic{Denied: errors.New("not for you")})
	if got := only(t, p); got.Status != Warn || !strings.Contains(got.Seen, "not for you") {
		t.Errorf("got %+v", got)
	}
	for ahead, want := range map[time.Duration]string{3 * time.Millisecond: OK, -2 * time.Second: Warn, time.Hour: Fail, -time.Hour: Fail} {
		p := &patient{ahead: ahead}
		p.clock()
		if got := only(t, p); got.Status != want {
			t.Errorf("%v ahead: %+v, want %s", ahead, got, want)
		}
	}
}
