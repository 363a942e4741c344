package ingest

import (
	"os"
	"runtime/debug"
	gometrics "runtime/metrics"
	"sync"
)

// A Limit is what the collector keeps the whole process to: what the partitions need to read a long backlog,
// about 20 MiB each, most of it the flush that is sent and pages of the log; or, where tables have more, half
// as much again as is in use, so that the collector does not run all the time. Without a limit it would let
// twice that grow. The nil Limit is none, and GOMEMLIMIT comes before any.
type Limit struct {
	mu          sync.Mutex
	least, made int64
}

// read says how many partitions there are.
func (l *Limit) read(partitions int) {
	if l == nil {
		return
	}
	l.mu.Lock()
	l.least = int64(72+28*partitions) << 20
	l.mu.Unlock()
	l.look()
}

// look sees what is in use since the last collection.
func (l *Limit) look() {
	if l == nil || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	live := []gometrics.Sample{{Name: "/gc/heap/live:bytes"}}
	gometrics.Read(live)
	if limit := max(l.least, int64(live[0].Value.Uint64())*3/2); limit != l.made {
		l.made = limit
		debug.SetMemoryLimit(limit)
	}
}
