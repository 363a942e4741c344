package ingest

import (
	"os"
	"runtime/debug"
	gometrics "runtime/metrics"
	"sync"
)

// A Limit is the memory limit of the process. It is what a long backlog needs (200 MiB, most of it flush.rows in
// transit, and 16 for each partition) or, if tables have more, 1.5 times the live heap, so that the collector does not
// run all the time. Without a limit the heap grows to twice the live heap. A nil Limit sets none, and GOMEMLIMIT takes
// precedence.
type Limit struct {
	mu       sync.Mutex
	min, set int64
}

// read sets the number of partitions.
func (l *Limit) read(partitions int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.min = int64(200+16*partitions) << 20
	l.mu.Unlock()
	l.update()
}

// update sets the limit from the live heap of the last collection.
func (l *Limit) update() {
	if l == nil || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	live := []gometrics.Sample{{Name: "/gc/heap/live:bytes"}}
	gometrics.Read(live)
	if limit := max(l.min, int64(live[0].Value.Uint64())*3/2); limit != l.set {
		l.set = limit
		debug.SetMemoryLimit(limit)
	}
}
