// Ingest reads table events from Kafka, audits them and stores the results in ClickHouse.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // images have no zones

	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/internal/heap"
	"github.com/shoeproof/shoeproof/internal/ingest"
)

// version is set by the linker.
var version = "unknown"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	command := ingest.Command(ingest.Options{Version: version, Limit: &heap.Limit{Percent: 118}})
	return cli.Execute(ctx, command, args, cli.Streams{In: stdin, Out: stdout, Err: stderr})
}
