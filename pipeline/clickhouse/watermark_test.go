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
		{"two tables", []feedTime{{now, now, false}, {now - 30*second, now, false}}, now - 30*second},
		{"one is closed", []feedTime{{now, now, false}, {now - 30*second, now, true}}, now},
		{"all are closed", []feedTime{{now - 9, now, true}, {now - 30*second, now, true}}, now - 9},
		{"one is an hour behind", []feedTime{{now, now, false}, {now - hour, now, false}}, now},
		{"one is eight hours ahead", []feedTime{{now - 5, now, false}, {now + 8*hour, now, false}}, now - 5},
		{"one has a wild time", []feedTime{{wild.UnixNano(), now - hour, false}, {now - 5, now, false}}, now - 5},
		{"a closed one has a wild time", []feedTime{{wild.UnixNano(), now, true}, {now - 5, now, false}}, now - 5},
		{
			"one is ahead, the others have closed",
			[]feedTime{{now + 8*hour, now, false}, {now - hour, now - hour, true}},
			now - hour,
		},
		{"a clock that is seconds ahead", []feedTime{{now - 5, now, false}, {now + 3*second, now, false}}, now - 5},
		{"a clock before 1970", []feedTime{{-9e18, now, false}, {now - 5, now, false}}, now - 5},
		{
			"play of last year",
			[]feedTime{{now - 9000*hour, now, true}, {now - 9000*hour + 7, now, true}},
			now - 9000*hour + 7,
		},
		{
			"play of next year",
			[]feedTime{{now + 9000*hour, now, true}, {now + 9000*hour + 7, now, true}},
			now + 9000*hour + 7,
		},
	} {
		if got, _ := watermark(c.feeds, patience); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, time.Unix(0, got).UTC(), time.Unix(0, c.want).UTC())
		}
	}
}
