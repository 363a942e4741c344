//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	"github.com/shoeproof/shoeproof/internal/cli"
)

func TestMain(m *testing.M) {
	engine.HostClickHouse()
	testscript.Main(m, map[string]func(){
		"audit": func() { os.Exit(run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "join": join, "cut": cut},
	})
}

// exits runs a command that must end with an exit code: exits 2 audit replay nothing.ndjson.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = strconv.Itoa(exit.ExitCode())
	}
	if code != args[0] {
		ts.Fatalf("exit code %s, want %s (%v)", code, args[0], err)
	}
}

// join makes a file of others: join OUT IN...
func join(ts *testscript.TestScript, _ bool, args []string) {
	var all []byte
	for _, name := range args[1:] {
		all = slices.Concat(all, []byte(ts.ReadFile(name)))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), all, 0o600))
}

// cut keeps the first bytes of a file: cut IN BYTES OUT.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(ts.ReadFile(args[0]))[:n], 0o600))
}

// TestInterrupted cancels commands that need no service: each reports that it was interrupted.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	shoe := filepath.Join(t.TempDir(), "shoe.ndjson")
	var out, stderr bytes.Buffer
	if code := run(t.Context(), []string{"simulate", "--fixture", "S-PB", "-o", shoe}, nil, &out, &stderr); code != 0 {
		t.Fatal(code, stderr.String())
	}
	for _, c := range []struct{ args, want string }{
		{"simulate --tables 5", "interrupted: no event is written"},
		{"simulate --fixture S-PB", "interrupted: no event is written"},
		{"test ../../testdata/scenarios", "interrupted after 0 of "},
		{"conform " + shoe, "interrupted: the rest of the files was not read"},
		{"replay " + shoe, "interrupted: the rest of the files was not read"},
	} {
		stderr.Reset()
		code := run(ctx, strings.Fields(c.args), nil, &out, &stderr)
		if code != cli.Failed || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("audit %s: exit code %d, %q; want %d, %q", c.args, code, &stderr, cli.Failed, c.want)
		}
	}
}

// TestFullDisk prints the result of each command to a disk without room.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = full.Close() }()
	scenario := "../../testdata/scenarios/announce.before-settlement.txtar"
	for _, args := range []string{"test " + scenario, "rules", "simulate --fixture S-PB", "simulate --list", "version"} {
		var stderr bytes.Buffer
		code := run(t.Context(), strings.Fields(args), nil, full, &stderr)
		if code != cli.Failed || !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("audit %s: exit code %d, %q", args, code, &stderr)
		}
	}
	key := filepath.Join(t.TempDir(), "log.key")
	var stderr bytes.Buffer
	code := run(t.Context(), []string{"keygen", "audit.example/ac-1/findings", key}, nil, full, &stderr)
	if code != cli.Failed || !strings.Contains(stderr.String(), "no space left on device: the key is removed") {
		t.Errorf("audit keygen: exit code %d, %q", code, &stderr)
	}
	if _, err := os.Stat(key); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the key of a policy that was not printed: %v, want none", err)
	}
}

func TestEveryCommandHasAnExample(t *testing.T) {
	if names := cli.WithoutExample(command()); len(names) > 0 {
		t.Errorf("no example: %v", names)
	}
}
