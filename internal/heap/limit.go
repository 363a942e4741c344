// Package heap sets the memory limit of a process.
package heap

import (
	"cmp"
	"os"
	"runtime/debug"
	gometrics "runtime/metrics"
	"sync"
)

// A Limit is the memory limit of the process: a minimum or, if that is more, a part of the live heap, so that the
// collector does not run all the time. Without a limit the heap grows to twice the live heap. A nil Limit sets none.
// GOMEMLIMIT takes precedence.
type Limit struct {
	// Percent is that part, 150 if it is 0.
	Percent int64

	mu       sync.Mutex
	min, set int64
}

// New is a limit of a number of MiB, or of a part of the live heap.
func New(mebibytes int, percent int64) *Limit {
	l := &Limit{Percent: percent}
	l.AtLeast(mebibytes)
	return l
}

// AtLeast sets the minimum, in MiB.
func (l *Limit) AtLeast(mebibytes int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.min = int64(mebibytes) << 20
	l.mu.Unlock()
	l.Update()
}

// Update sets the limit from the live heap of the last collection.
func (l *Limit) Update() {
	if l == nil || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	live := []gometrics.Sample{{Name: "/gc/heap/live:bytes"}}
	gometrics.Read(live)
	percent := cmp.Or(l.Percent, 150)
	if limit := max(l.min, int64(live[0].Value.Uint64())/100*percent); limit != l.set {
		l.set = limit
		debug.SetMemoryLimit(limit)
	}
}
