package ingest

import (
	"os"
	"runtime/debug"
)

// LimitMemory has the collector keep to what so many partitions need, unless GOMEMLIMIT says otherwise. It
// is for the whole process. A partition of a long backlog takes about 20 MiB, most of it the flush that
// is sent and pages of the log; without a limit the collector would let twice that grow.
func LimitMemory(partitions int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(72+28*partitions) << 20)
	}
}
