//go:build unix

package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
	"github.com/shoeproof/shoeproof/schema"
)

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	os.Exit(m.Run())
}

func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("starts engines")
	}
	t.Setenv("TMPDIR", t.TempDir())
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"demo", "--once", "--tables", "9", "--shoes", "1", "--speed", "5000"}, nil,
		&stdout, &stderr)
	if code != cli.Done {
		t.Errorf("exit code %d, want %d:\n%s", code, cli.Done, stderr.String())
	}
	for _, want := range []string{
		"12 shoes of 9 tables audited", "3 planted, 3 found; other findings: 0",
		"TABLE ", "v_findings_by_rule",
	} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("want %q in:\n%s", want, stdout.String())
		}
	}
	nothingLeft(t)
}

// It ends in a console that answers, and leaves nothing either.
func TestDemoOpensTheConsole(t *testing.T) {
	if testing.Short() {
		t.Skip("starts engines")
	}
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	stdout := &until{line: "Everything runs until Ctrl-C", then: cancel}
	var stderr bytes.Buffer
	if code := run(ctx, []string{
		"demo", "--tables", "3", "--shoes", "1", "--speed", "5000", "--console",
		"127.0.0.1:0",
	}, nil, stdout, &stderr); code != cli.Done {
		t.Errorf("exit code %d, want %d:\n%s", code, cli.Done, stderr.String())
	}
	nothingLeft(t)
}

// Stopped in the middle of play, it ends every process and leaves no file.
func TestDemoInterrupted(t *testing.T) { interrupt(t, "demo", "--tables", "3") }

func TestUp(t *testing.T) {
	out := interrupt(t, "up", "--tables", "3", "--speed", "100")
	if !strings.Contains(out, "ingest --kafka-brokers 127.0.0.1:") {
		t.Errorf("want the command line of ingest in:\n%s", out)
	}
}

func interrupt(t *testing.T, args ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts engines")
	}
	t.Setenv("TMPDIR", t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	stdout := &until{line: "times real time", then: cancel}
	var stderr bytes.Buffer
	if code := run(ctx, args, nil, stdout, &stderr); code != cli.Done {
		t.Errorf("exit code %d, want %d:\n%s", code, cli.Done, stderr.String())
	}
	nothingLeft(t)
	return stdout.String()
}

func TestWrongUsage(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, args := range [][]string{
		{"demo", "--speed", "0"},
		{"demo", "--tables", "0"},
		{"demo", "--shoes", "0"},
		{"demo", "now"},
		{"demo", "--console", "0.0.0.0:8480"},
		{"demo", "--console", taken.Addr().String()},
		{"up", "--speed", "-1"},
		{"up", "--tables", "501"},
		{"demo", "--fault-every", "-1"},
		{"bogus"},
		{"clickhouse", "--prot", "1"},
		{"clickhouse", "--config-file", "nothing.xml"},
	} {
		var stderr bytes.Buffer
		if code := run(t.Context(), args, nil, io.Discard, &stderr); code != cli.Usage || stderr.Len() == 0 {
			t.Errorf("%v: exit code %d, want %d, and a word: %s", args, code, cli.Usage, stderr.String())
		}
	}
}

func nothingLeft(t *testing.T) {
	t.Helper()
	left, err := os.ReadDir(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range left {
		t.Errorf("left behind: %s", l.Name())
	}
}

// until acts once a line was written.
type until struct {
	line string
	then func()

	mu  sync.Mutex
	buf bytes.Buffer
}

func (u *until) Write(b []byte) (int, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	n, err := u.buf.Write(b)
	if strings.Contains(u.buf.String(), u.line) {
		u.then()
	}
	return n, err
}

func (u *until) String() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.buf.String()
}

// The events of a floor come in the order of time, each table's without a hole, and nothing
// before its moment.
func TestFloorIsInOrder(t *testing.T) {
	start := time.Date(2026, 3, 2, 18, 0, 0, 0, time.UTC)
	f, err := newFloor(floorOptions{tables: 8, seed: 3, every: 4, shoes: 1, start: start})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.planted) != 2 {
		t.Errorf("%d faults, want 2", len(f.planted))
	}
	seqs, shoes := map[string]uint64{}, map[string]bool{}
	at := int64(0)
	var ev schema.Event
	for moment := start.Add(-2 * time.Hour); ; moment = moment.Add(time.Minute) {
		ok, over := true, false
		for ok {
			if ev, ok, over = f.next(moment.UnixNano()); !ok {
				break
			}
			if ev.At < at || ev.At > moment.UnixNano() || ev.Seq != seqs[ev.TableID]+1 {
				t.Fatalf("table %s, event %d at %d: the one before was %d, at %d; now is %v", ev.TableID, ev.Seq, ev.At,
					seqs[ev.TableID], at, moment)
			}
			at, seqs[ev.TableID] = ev.At, ev.Seq
			if ev.ShoeID != "" {
				shoes[ev.ShoeID] = true
			}
		}
		if over {
			break
		}
	}
	if len(shoes) != f.shoes() {
		t.Errorf("%d shoes, want %d", len(shoes), f.shoes())
	}
}

func TestEveryCommandHasAnExample(t *testing.T) {
	if names := cli.WithoutExample(command(io.Discard)); len(names) > 0 {
		t.Errorf("no example: %v", names)
	}
}
