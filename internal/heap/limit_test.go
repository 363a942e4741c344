package heap

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// The limit is the minimum until more is in use; GOMEMLIMIT overrides both.
func TestLimit(t *testing.T) {
	none := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(none) })
	limit := func() int64 { return debug.SetMemoryLimit(-1) >> 20 }
	var l Limit
	if l.AtLeast(264); limit() != 264 {
		t.Errorf("%d MiB, want 264", limit())
	}
	tables := make([]byte, 240<<20)
	runtime.GC()
	if l.Update(); limit() < 360 || limit() > 380 {
		t.Errorf("%d MiB with 240 in use, want half as much again", limit())
	}
	less := Limit{Percent: 125}
	if less.AtLeast(264); limit() < 300 || limit() > 318 {
		t.Errorf("%d MiB with 240 in use, want a quarter more", limit())
	}
	runtime.KeepAlive(tables)
	runtime.GC()
	if l.Update(); limit() != 264 {
		t.Errorf("%d MiB when they are gone, want 264", limit())
	}
	t.Setenv("GOMEMLIMIT", "1GiB")
	if l.AtLeast(328); limit() != 264 {
		t.Errorf("%d MiB, want those of before: GOMEMLIMIT is set", limit())
	}
	(*Limit)(nil).AtLeast(264)
}
