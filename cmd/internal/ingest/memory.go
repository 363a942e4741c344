package ingest

import (
	"os"
	"runtime/debug"
)

// LimitMemory has the collector keep to what so many partitions need, unless GOMEMLIMIT says otherwise. It
// is for the whole process. A partition of a long backlog takes 20 to 30 MiB, most of it pages of the log
// and blocks for ClickHouse; without a limit the collector would let twice that grow.
func LimitMemory(partitions int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(int64(104+28*partitions) << 20)
	}
}
