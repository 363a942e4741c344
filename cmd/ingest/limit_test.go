//go:build unix

package main

import (
	"context"
	"io"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// Ingest sets its memory limit by its partitions: 200 MiB, and 16 for each of four.
func TestMemoryLimit(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	ch, broker := startClickHouse(t, ""), startKafka(t)
	migrate(t, ch)
	none := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(none) })
	debug.SetMemoryLimit(math.MaxInt64)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{
			"--http-listen", "127.0.0.1:0", "--kafka-brokers", broker.Addrs[0], "--clickhouse-addrs", ch.Addr,
		}, strings.NewReader(""), io.Discard, io.Discard)
	}()
	const minimum = 264
	testkit.Await(t, "the memory limit is that of four partitions", func() bool {
		limit := debug.SetMemoryLimit(-1) >> 20
		return limit >= minimum && limit <= 2*minimum
	})
	stop()
	if code := <-done; code != 0 {
		t.Errorf("exit code %d", code)
	}
}
