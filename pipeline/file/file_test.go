package file_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/file"
	"github.com/shoeproof/shoeproof/pipeline/pipelinetest"
	"github.com/shoeproof/shoeproof/schema"
)

func write(t *testing.T, name string, events []schema.Event) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := schema.WriteFile(path, events); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSource(t *testing.T) {
	for _, ext := range []string{".ndjson", ".pb", ".ndjson.gz", ".pb.zst"} {
		t.Run(ext, func(t *testing.T) {
			pipelinetest.Source(t, func(t *testing.T, events []schema.Event) pipeline.Source {
				half := len(events) / 2
				src, err := file.Open([]string{write(t, "a"+ext, events[:half]), write(t, "b"+ext, events[half:])}, file.Options{})
				if err != nil {
					t.Fatal(err)
				}
				return src
			})
		})
	}
}

// all reads a source to its end: "partition offset where", or the error of a bad record.
func all(t *testing.T, src pipeline.Source) []string {
	t.Helper()
	var mu sync.Mutex
	var got []string
	err := src.Consume(t.Context(), func(ctx context.Context, s pipeline.Stream) error {
		for {
			records, err := s.Next(ctx, time.Second)
			mu.Lock()
			for _, r := range records {
				line := fmt.Sprintf("%d %d %s", s.Partition(), r.Offset, r.Where)
				if r.Bad != nil {
					line += " BAD " + r.Bad.Error()
				}
				got = append(got, line)
			}
			mu.Unlock()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	return got
}

func TestPlaces(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a.ndjson", "{}\n\n{\"b\":1}\n")
	put(t, "b.pb", "\x02ab\x01c")
	src, err := file.Open([]string{"b.pb", "a.ndjson"}, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0 0 b.pb@1", "0 1 b.pb@4", "0 2 a.ndjson:1", "0 3 a.ndjson:3"}
	if diff := cmp.Diff(want, all(t, src)); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	src, err = file.Open([]string{"b.pb", "a.ndjson"}, file.Options{Each: true})
	if err != nil {
		t.Fatal(err)
	}
	want = []string{"0 0 b.pb@1", "0 1 b.pb@4", "1 0 a.ndjson:1", "1 1 a.ndjson:3"}
	if diff := cmp.Diff(want, all(t, src)); diff != "" {
		t.Errorf("records of each file (-want +got):\n%s", diff)
	}
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestDamageIsARecordAndTheNextFileIsRead(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "a.pb", "\x02ab\x05c")
	put(t, "b.ndjson", "{}\n")
	src, err := file.Open([]string{"a.pb", "b.ndjson"}, file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := all(t, src)
	want := []string{"0 0 a.pb@1", "0 1 a.pb@4 BAD the file ends 1 bytes into a record of 5", "0 2 b.ndjson:1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "ok.ndjson", "{}\n")
	put(t, "empty.ndjson", "")
	put(t, "blank.ndjson", "\n \n")
	put(t, "empty.pb.zst", "")
	put(t, "noise.ndjson.gz", "not packed")
	put(t, "odd.csv", "a,b")
	if err := os.Mkdir("dir.ndjson", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		paths []string
		want  string
	}{
		{nil, "no event files"},
		{[]string{"ok.ndjson", "empty.ndjson"}, "no events in empty.ndjson"},
		{[]string{"blank.ndjson"}, "no events in blank.ndjson"},
		{[]string{"empty.pb.zst"}, "no events in empty.pb.zst"},
		{[]string{"noise.ndjson.gz"}, "noise.ndjson.gz"},
		{[]string{"odd.csv"}, "odd.csv: unknown kind of file"},
		{[]string{"dir.ndjson"}, "in folder dir.ndjson"},
		{[]string{"missing.pb"}, "missing.pb"},
	} {
		if _, err := file.Open(c.paths, file.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q in it", c.paths, err, c.want)
		}
	}
}

func BenchmarkSource(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.pb")
	events := pipelinetest.Events(8, 100_000)
	if err := schema.WriteFile(path, events); err != nil {
		b.Fatal(err)
	}
	src, err := file.Open([]string{path}, file.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		src.Consume(b.Context(), func(ctx context.Context, s pipeline.Stream) error {
			for {
				records, err := s.Next(ctx, time.Second)
				n += len(records)
				if err != nil {
					return nil
				}
			}
		})
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "records/s")
}
