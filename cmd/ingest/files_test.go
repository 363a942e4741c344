//go:build unix

package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/schema"
)

// Killed at each step of a flush and at random instants, and repeated, an import of files stores the rows of an
// undisturbed one: nothing is lost, nothing is stored twice. Complete, it changes nothing.
func TestFilesKilled(t *testing.T) {
	t.Parallel()
	ch := startClickHouse(t, "")
	for _, name := range []string{"killed", "shoeproof"} {
		databases.MigratedAs(t, ch, name)
	}
	// A hole at the end of the file, behind which events wait: the end of the files gives it up.
	events := hotel(t, 12_000)
	events = append(events[:len(events)-3], events[len(events)-2:]...)
	dir := t.TempDir()
	first, second := filepath.Join(dir, "a.ndjson.gz"), filepath.Join(dir, "b.pb")
	eventFile(t, first, events[:7000])
	eventFile(t, second, events[7000:])

	g := newGate(t, ch.Addr, "killed")
	files := func(addr, database string, more ...string) []string {
		return append([]string{
			"files", "--clickhouse-addrs", addr, "--clickhouse-database", database, "--flush-rows", "2000", "--name",
			"pit-3",
			"--log-level", "error",
		}, append(more, first, second)...)
	}
	random, seams := killings()
	rng := rand.New(rand.NewPCG(seed(t), 21))
	struck := 0
	for _, k := range append(seams[1:5:5], random, seams[2], random, seams[4]) { // no seam of Kafka
		g.set(nil, false)
		c := spawnAs(t, files(g.Addr().String(), "killed")...)
		k.arm(&killer{c: c, rng: rng, clickhouse: g})
		<-c.gone
		if c.cmd.ProcessState.ExitCode() == -1 {
			struck++
		}
	}
	if struck < 5 {
		t.Errorf("%d of 8 processes were killed, want most", struck)
	}
	g.set(nil, false)
	want := runFiles(t, files(ch.Addr, "shoeproof")...)
	if !strings.Contains(want, fmt.Sprintf("files:pit-3: %d records of", len(events))) {
		t.Errorf("it printed %q, want %d records", want, len(events))
	}
	runFiles(t, files(ch.Addr, "killed")...)
	if have, want := contents(t, ch, "killed"), contents(t, ch, "shoeproof"); !maps.Equal(have, want) {
		t.Errorf("after %d kills\n%v\nwant\n%v", struck, have, want)
	}
	if n := number(t, ch, "SELECT count() FROM shoeproof.findings FINAL WHERE rule = 'feed.gap'"); n == 0 {
		t.Error("the hole at the end is no finding")
	}

	before := ask(t, ch, "SELECT max(written_at) FROM shoeproof.journal WHERE to_offset < 11000")
	again := runFiles(t, files(ch.Addr, "shoeproof")...)
	if !strings.Contains(again, "0 finding rows") ||
		!strings.Contains(again, fmt.Sprintf("%d of them before", len(events))) {
		t.Errorf("a complete import printed %q", again)
	}
	if have, want := contents(t, ch, "shoeproof"), contents(t, ch, "killed"); !maps.Equal(have, want) {
		t.Errorf("a repeated import changed rows\n%v\nwant\n%v", have, want)
	}
	if after := ask(t, ch, "SELECT max(written_at) FROM shoeproof.journal WHERE to_offset < 11000"); after != before {
		t.Errorf("a repeated import wrote earlier ranges again: %s, then %s", before, after)
	}

	refusedFiles(t, "stored already, from files:pit-3", "files", "--clickhouse-addrs", ch.Addr,
		"--clickhouse-database", "shoeproof", "--name", "other", second)
	refusedFiles(t, "the records are not those of the earlier import", "files", "--clickhouse-addrs", ch.Addr,
		"--clickhouse-database", "shoeproof", "--name", "pit-3", first)
	refusedFiles(t, `--name "pit 3"`, "files", "--clickhouse-addrs", ch.Addr, "--name", "pit 3", first)
}

// A compressed file that is truncated is refused with its place before anything is stored: the import of the whole file
// would find its first events stored.
func TestFilesTruncated(t *testing.T) {
	t.Parallel()
	for _, ending := range []string{".ndjson.gz", ".ndjson.zst", ".pb.gz", ".pb.zst"} {
		dir := t.TempDir()
		whole, cut := filepath.Join(dir, "a.ndjson"), filepath.Join(dir, "b"+ending)
		events := hotel(t, 3000)
		eventFile(t, whole, events[:100])
		eventFile(t, cut, events[100:])
		packed, err := os.ReadFile(cut)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(cut, packed[:len(packed)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		place := map[bool]string{true: cut + "@", false: cut + ":"}[strings.HasPrefix(ending, ".pb")]
		for _, want := range []string{place, "the file is truncated", "nothing was stored"} {
			refusedFiles(t, want, "files", "--clickhouse-addrs", "127.0.0.1:1", whole, cut)
		}
	}
}

func runFiles(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code != 0 {
		t.Fatalf("ingest %v: exit code %d\n%s", args, code, stderr.String())
	}
	return stdout.String()
}

func refusedFiles(t *testing.T, want string, args ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &stdout, &stderr); code != 2 ||
		!strings.Contains(stderr.String(), want) {
		t.Errorf("ingest %v: exit code %d, want 2 and %q\n%s", args, code, want, stderr.String())
	}
}

func eventFile(t *testing.T, path string, events []schema.Event) {
	t.Helper()
	w, err := schema.CreateFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		if err := w.Write(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}
