package clickhouse

import (
	"testing"
	"time"
)

// A table whose clock is wrong moves the watermark of no other table.
func TestWatermark(t *testing.T) {
	const second, hour = int64(time.Second), int64(time.Hour)
	const now, patience = 500_000 * hour, 120 * second
	wild, _ := time.Parse(time.DateOnly, "2262-01-01")
	for _, c := range []struct {
		name  string
		feeds []feedTime
		want  int64
	}{
		{"no event", nil, 0},
		{"two tables", []feedTime{{"a", now, now, false}, {"b", now - 30*second, now, false}}, now - 30*second},
		{"one is closed", []feedTime{{"a", now, now, false}, {"b", now - 30*second, now, true}}, now},
		{"all are closed", []feedTime{{"a", now - 9, now, true}, {"b", now - 30*second, now, true}}, now - 9},
		{"one is an hour behind", []feedTime{{"a", now, now, false}, {"b", now - hour, now, false}}, now},
		{"one is eight hours ahead", []feedTime{{"a", now - 5, now, false}, {"b", now + 8*hour, now, false}}, now - 5},
		{"one has a wild time", []feedTime{{"a", wild.UnixNano(), now - hour, false}, {"b", now - 5, now, false}}, now - 5},
		{"a closed one has a wild time", []feedTime{{"a", wild.UnixNano(), now, true}, {"b", now - 5, now, false}}, now - 5},
		{
			"one is ahead, the others have closed",
			[]feedTime{{"a", now + 8*hour, now, false}, {"b", now - hour, now - hour, true}},
			now - hour,
		},
		{"a clock that is seconds ahead", []feedTime{{"a", now - 5, now, false}, {"b", now + 3*second, now, false}}, now - 5},
		{"a clock before 1970", []feedTime{{"a", -9e18, now, false}, {"b", now - 5, now, false}}, now - 5},
		{
			"an event of before had a wild time",
			[]feedTime{{"a", wild.UnixNano(), now - 9, false}, {"a", now, now, false}},
			now,
		},
		{
			"a clock that was an hour behind",
			[]feedTime{{"a", now - hour, now - 9, false}, {"a", now - 5, now, false}, {"b", now, now, false}},
			now - 5,
		},
		{
			"play of next year after play of today",
			[]feedTime{{"a", now, now, false}, {"a", now + 9000*hour, now + 9, false}},
			now + 9000*hour,
		},
		{
			"play of last year",
			[]feedTime{{"a", now - 9000*hour, now, true}, {"b", now - 9000*hour + 7, now, true}},
			now - 9000*hour + 7,
		},
		{
			"play of next year",
			[]feedTime{{"a", now + 9000*hour, now, true}, {"b", now + 9000*hour + 7, now, true}},
			now + 9000*hour + 7,
		},
	} {
		if got, _ := watermark(c.feeds, patience); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, time.Unix(0, got).UTC(), time.Unix(0, c.want).UTC())
		}
	}
}
