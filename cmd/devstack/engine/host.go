//go:build unix

package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/ebitengine/purego"
	"golang.org/x/sync/errgroup"
)

// clickHouseVerb is the hidden first argument that makes this executable a ClickHouse server.
const clickHouseVerb = "__clickhouse"

// lifelineFD is the child's end of a pipe. Only the parent has the other end, so
// the pipe closes when the parent ends in whatever way. Linux's parent-death
// signal is no substitute: it is sent when the parent's *thread* ends.
const lifelineFD = 3

var errParentGone = errors.New("the parent closed the lifeline")

// HostClickHouse runs a ClickHouse server and does not return, if this process was
// started as one. Otherwise it does nothing.
func HostClickHouse() {
	if len(os.Args) < 3 || os.Args[1] != clickHouseVerb {
		return
	}
	if err := serveClickHouse(os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "clickhouse:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serveClickHouse serves until the parent closes its end of the lifeline or
// dies. The first of args is the path of the library, the others are arguments of
// `clickhouse local`. The process must exit when it returns: the engine's
// threads are still running.
func serveClickHouse(args []string) error {
	if err := preload(args[0]); err != nil {
		return fmt.Errorf("read ClickHouse: %w", err)
	}
	lib, err := purego.Dlopen(args[0], purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return fmt.Errorf("load %s: %w", args[0], err)
	}
	for _, name := range []string{"chdb_query_cmdline", "chdb_result_error"} {
		if _, err := purego.Dlsym(lib, name); err != nil {
			return fmt.Errorf("find %s in %s: %w", name, args[0], err)
		}
	}
	var (
		query  func(argc int32, argv **byte) uintptr
		reason func(result uintptr) string
	)
	purego.RegisterLibFunc(&query, lib, "chdb_query_cmdline")
	purego.RegisterLibFunc(&reason, lib, "chdb_result_error")

	g, ctx := errgroup.WithContext(context.Background())
	g.Go(func() error {
		_, _ = io.Copy(io.Discard, os.NewFile(lifelineFD, "lifeline"))
		return errParentGone
	})
	g.Go(func() error {
		argv := cStrings(append([]string{"clickhouse"}, args[1:]...))
		result := query(int32(len(argv)), &argv[0])
		runtime.KeepAlive(argv)
		if result == 0 {
			return errors.New("the server ended unexpectedly")
		}
		return fmt.Errorf("the server ended unexpectedly: %s", reason(result))
	})
	<-ctx.Done() // Not Wait: the query never returns.
	if err := context.Cause(ctx); !errors.Is(err, errParentGone) {
		return err
	}
	return nil
}

// preload reads a file, so that its pages are in memory: faulting in 540 MB page by
// page takes up to a minute on a busy disk, reading it in order takes some seconds,
// and 0.1 s when it is cached.
func preload(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // only read
	block := make([]byte, 1<<20)
	for {
		if _, err := f.Read(block); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func cStrings(args []string) []*byte {
	out := make([]*byte, len(args))
	for i, a := range args {
		out[i] = &append([]byte(a), 0)[0]
	}
	return out
}
