// Package testkit has what the tests of many packages share: waiting for a condition, a server that takes
// connections one by one, a log that is read while it is written, the browser, and a proxy before a server. It
// imports nothing of this module but its own subpackages, so that the tests of every package can use it. Package
// internal/scenario reads scenarios.
package testkit

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit/proxy"
)

// Chromium returns the path of a Chromium, or "" if none is installed. The headless shell, the renderer without the
// desktop browser around it, comes first: it takes half the processor time.
func Chromium() string {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Soak returns the second value when SHOEPROOF_SOAK is set: the size of a test in its long form.
func Soak[T any](short, long T) T {
	if os.Getenv("SHOEPROOF_SOAK") != "" {
		return long
	}
	return short
}

// limit bounds a wait. It is long because another program may have the processors: a wait that succeeds is short.
func limit() time.Duration { return Soak(5*time.Minute, 15*time.Minute) }

// Await returns when the condition holds. It fails the test when that takes too long, before the deadline of the
// test binary.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	patience := limit()
	if d, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if at, limited := d.Deadline(); limited {
			patience = min(patience, time.Until(at)*9/10)
		}
	}
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	// A condition may be a query of a server, which works instead of answering it again and again.
	for pause := 5 * time.Millisecond; !holds(); pause = min(pause*5/4, 200*time.Millisecond) {
		select {
		case <-time.After(pause):
		case <-t.Context().Done():
			t.Fatalf("the test ended while it waited for: %s", what)
		case <-timeout.C:
			t.Fatalf("not within %v: %s", patience.Round(time.Second), what)
		}
	}
}

// Within fails the test if something took longer than its limit. On a machine that other programs keep busy the limit
// is longer, by as much as the machine is slower than it would be alone.
func Within(t testing.TB, what string, took, limit time.Duration) {
	t.Helper()
	if took <= limit {
		return
	}
	slower := slowness()
	if took > time.Duration(float64(limit)*slower) {
		t.Errorf(
			"%s took %v, want at most %v on a machine that is %.1f times slower than alone", what, took, limit, slower,
		)
	}
}

// slowness is the factor by which other programs slow a thread down: the mean time of a piece of work divided by the
// shortest time, which no other program interrupted.
func slowness() float64 {
	const pieces = 400
	block := make([]byte, 512<<10) // half a millisecond
	var all time.Duration
	shortest := time.Duration(math.MaxInt64)
	for range pieces {
		from := time.Now()
		block[0] ^= sha256.Sum256(block)[0]
		took := time.Since(from)
		all, shortest = all+took, min(shortest, took)
	}
	return max(1, float64(all)/pieces/float64(shortest))
}

// Proxy returns a proxy that runs until the end of the test.
func Proxy(t testing.TB, o proxy.Options) *proxy.Proxy {
	t.Helper()
	p, err := proxy.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// A Log is a stream that can be read while it is written.
type Log struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *Log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(b)
}

func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// Count is how often a text occurs.
func (l *Log) Count(s string) int { return strings.Count(l.String(), s) }

// ProcessorTime is the user and system time of a process, as Linux counts it.
func ProcessorTime(t testing.TB, pid int) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	ticks := 0 // of 10 ms, Linux's USER_HZ
	for _, field := range fields[11:13] {
		n, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
