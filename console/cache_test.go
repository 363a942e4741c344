package console

import (
	"testing"
	"time"
)

// Nobody waits for figures that are asked for again, and nobody sees any that are older than twice their time.
func TestFiguresAreAskedForBehind(t *testing.T) {
	now := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	c := &cache{now: func() time.Time { return now }, behind: make(chan func(), 1)}
	asked := 0
	look := func(after time.Duration, want int) {
		t.Helper()
		now = now.Add(after)
		got, err := cachedFor(c, "figures", 30*time.Second, func() (int, error) { asked++; return asked, nil })
		if err != nil || got != want {
			t.Errorf("at %v: answer %d, %v, want %d", now, got, err, want)
		}
	}
	look(0, 1)
	look(29*time.Second, 1)
	look(2*time.Second, 1) // old, and asked for behind
	look(time.Second, 1)   // once
	(<-c.behind)()
	look(0, 2)
	look(31*time.Second, 2)
	look(30*time.Second, 3) // nobody asked behind: too old
	(<-c.behind)()
	look(0, 3) // the question that was left is answered already
	if asked != 3 {
		t.Errorf("asked %d times, want 3", asked)
	}
}
