package main

import (
	"io"
	"math"
	"runtime/debug"
	"strings"
	"testing"
)

// The commands that read a property set their memory limit, before they connect.
func TestMemoryLimit(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	none := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(none) })
	for _, c := range []struct {
		minimum int64
		args    []string
	}{
		{768, []string{"run", "--property", "ac-1", "--worker", "refused"}},
		{400, []string{"watch", "--property", "ac-1", "--since", "refused"}},
	} {
		debug.SetMemoryLimit(math.MaxInt64)
		run(t.Context(), c.args, strings.NewReader(""), io.Discard, io.Discard)
		if limit := debug.SetMemoryLimit(-1) >> 20; limit < c.minimum || limit > 2*c.minimum {
			t.Errorf("audit %s: %d MiB, want %d", strings.Join(c.args, " "), limit, c.minimum)
		}
	}
}
