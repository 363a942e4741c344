package engine_test

import (
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"
)

// Every moment within the bounds is of the day and the shift, and none outside, also where clocks are set.
func TestBounds(t *testing.T) {
	calendar, err := calendar.Default()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		day, shift string
		want       time.Duration
	}{
		{"2026-11-19", "", 24 * time.Hour},
		{"2026-11-19", "night", 8 * time.Hour},
		{"2026-10-31", "", 25 * time.Hour}, // clocks go back at 02:00 of the morning after
		{"2026-10-31", "night", 9 * time.Hour},
		{"2026-03-07", "", 23 * time.Hour},
		{"2026-03-08", "", 24 * time.Hour},
	} {
		from, until, err := calendar.Bounds(c.day, c.shift)
		if err != nil || time.Duration(until-from) != c.want {
			t.Errorf("%s %s: %v, want %v: %v", c.day, c.shift, time.Duration(until-from), c.want, err)
		}
		for at := from - int64(time.Hour); at < until+int64(time.Hour); at += int64(7 * time.Minute) {
			day, shift := calendar.Of(at)
			within := day == c.day && (c.shift == "" || shift == c.shift)
			if within != (at >= from && at < until) {
				t.Fatalf("%s %s: %v is %s, %s", c.day, c.shift, time.Unix(0, at), day, shift)
			}
		}
	}
	for _, bad := range [][2]string{{"yesterday", ""}, {"2026-11-19", "graveyard"}, {"2026-02-30", ""}} {
		if _, _, err := calendar.Bounds(bad[0], bad[1]); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
}
