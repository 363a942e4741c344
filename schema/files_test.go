package schema_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/schema"
)

var names = []string{"e.ndjson", "e.ndjson.gz", "e.ndjson.zst", "e.pb", "e.pb.gz", "e.pb.zst"}

// golden decodes testdata/events.ndjson.
func golden(t *testing.T) []schema.Event {
	t.Helper()
	records, errs := readAll(t, open(t, "testdata/events.ndjson"))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	d := schema.NewDecoder()
	var events []schema.Event
	for _, record := range records {
		var ev schema.Event
		if err := d.Decode(record.Format, record.Value, &ev); err != nil {
			t.Fatalf("%v: %v", record, err)
		}
		events = append(events, ev.Clone())
	}
	return events
}

func open(t *testing.T, name string) *schema.Reader {
	t.Helper()
	r, err := schema.OpenFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readAll(t *testing.T, r *schema.Reader) (records []schema.Record, errs []string) {
	t.Helper()
	for {
		record, err := r.Next()
		if err == io.EOF { //nolint:errorlint // The bare io.EOF is promised.
			break
		}
		if err != nil {
			if errors.Is(err, io.EOF) {
				t.Fatalf("an error that may be taken for the end: %v", err)
			}
			errs = append(errs, err.Error())
			continue
		}
		record.Value = bytes.Clone(record.Value)
		records = append(records, record)
	}
	if _, err := r.Next(); err != io.EOF { //nolint:errorlint // The bare io.EOF is promised.
		t.Errorf("after the end: %v, want EOF", err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	return records, errs
}

func write(t *testing.T, name string, events []schema.Event) {
	t.Helper()
	if err := schema.WriteFile(name, events); err != nil {
		t.Fatal(err)
	}
}

func TestFilesRoundTrip(t *testing.T) {
	want := golden(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			write(t, path, want)
			records, errs := readAll(t, open(t, path))
			if len(errs) > 0 || len(records) != len(want) {
				t.Fatalf("%d records, errors %q", len(records), errs)
			}
			d := schema.NewDecoder()
			for i, record := range records {
				var ev schema.Event
				if err := d.Decode(record.Format, record.Value, &ev); err != nil {
					t.Fatalf("%v: %v", record, err)
				}
				if diff := cmp.Diff(want[i], ev.Clone()); diff != "" {
					t.Fatalf("%v: %s", record, diff)
				}
			}
			if last := records[len(records)-1]; record0Line(name) != records[0].Line ||
				(last.Line > 0) != (last.Line == len(want)) {
				t.Errorf("lines %d and %d", records[0].Line, last.Line)
			}
		})
	}
}

func record0Line(name string) int {
	if strings.Contains(name, "ndjson") {
		return 1
	}
	return 0
}

// A truncated file loses its last record and reports that. All records before it are read.
func TestFilesCut(t *testing.T) {
	want := golden(t)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name)
			write(t, path, want)
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, whole[:len(whole)-3], 0o600); err != nil {
				t.Fatal(err)
			}
			records, errs := readAll(t, open(t, path))
			d := schema.NewDecoder()
			for _, record := range records {
				if err := d.Decode(record.Format, record.Value, new(schema.Event)); err != nil {
					errs = append(errs, fmt.Sprintf("%v: %v", record, err))
				}
			}
			if len(errs) != 1 || !strings.Contains(errs[0], path) {
				t.Errorf("%d records, errors %q; want one error that names the file", len(records), errs)
			}
		})
	}
}

func TestFilesRejected(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string]string{
		"absent.pb":  "no such file",
		"absent":     "no such file",
		"text.csv":   "unknown kind of file, expected .ndjson or .pb",
		"text.gz":    "unknown kind of file",
		"folder.pb":  "a directory",
		"folder.csv": "unknown kind of file",
		"text.pb.gz": "gzip: invalid header",
		"object.pb":  "the content is JSON, expected Protobuf by the name",
	} {
		path := filepath.Join(dir, name)
		switch {
		case strings.HasPrefix(name, "folder"):
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		case strings.HasPrefix(name, "object"):
			if err := os.WriteFile(path, []byte(` {"v":1}`+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		case strings.HasPrefix(name, "text"):
			if err := os.WriteFile(path, []byte("plain text, not packed"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := schema.OpenFile(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	if _, err := schema.CreateFile(filepath.Join(dir, "events.csv")); err == nil {
		t.Error("created events.csv")
	}
}

// The frame of an event of 123 bytes with an id of 34 bytes begins with a brace, a line feed and a quote, as JSON may.
func TestFrameLikeAnObject(t *testing.T) {
	ev := schema.Event{
		EventID: strings.Repeat("e", 34), PropertyID: "ac-1", TableID: "t", Seq: 1, At: 1, Payload: &schema.ShoeEnded{},
	}
	for len(schema.AppendProto(nil, &ev)) < 123 {
		ev.TableID += "t"
	}
	path := filepath.Join(t.TempDir(), "events.pb")
	write(t, path, []schema.Event{ev})
	content, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(content, []byte("{\n\"e")) {
		t.Fatalf("%q, %v", content, err)
	}
	stream, err := schema.OpenStream(bytes.NewReader(content), "-")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*schema.Reader{open(t, path), stream} {
		if records, errs := readAll(t, r); len(records) != 1 || len(errs) != 0 || records[0].Format != schema.Protobuf {
			t.Errorf("%v, %v", records, errs)
		}
	}
}

// The error of a truncated file, and of a file of another format than its name has, names the cause.
func TestFilesDamaged(t *testing.T) {
	for _, name := range []string{"events.ndjson.gz", "events.ndjson.zst", "events.pb.gz", "events.pb.zst"} {
		path := filepath.Join(t.TempDir(), name)
		write(t, path, golden(t))
		packed, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cases := map[string][]byte{"the compressed data ends early, the file is truncated": packed[:len(packed)*3/4]}
		if strings.HasSuffix(name, ".zst") {
			cases["not zstd, or damaged"] = []byte("{}\n{}\n")
		}
		for want, bytes := range cases {
			if err := os.WriteFile(path, bytes, 0o600); err != nil {
				t.Fatal(err)
			}
			const lost = "the rest of the file cannot be read"
			if _, errs := readAll(t, open(t, path)); len(errs) != 1 || !strings.Contains(errs[0], lost+": "+want) {
				t.Errorf("%s: %v, want %q", name, errs, want)
			}
		}
	}
}

func TestFilesEmpty(t *testing.T) {
	for _, name := range names {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if records, errs := readAll(t, open(t, path)); len(records)+len(errs) > 0 {
			t.Errorf("%s: %v %v", name, records, errs)
		}
		write(t, path, nil)
		if records, errs := readAll(t, open(t, path)); len(records)+len(errs) > 0 {
			t.Errorf("%s with no events: %v %v", name, records, errs)
		}
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 17<<20)
	for _, tt := range []struct {
		name, in string
		format   schema.Format
		want     []string // records as where=value, or errors
	}{
		{"lines", "{}\n\n \r\n{\"a\"\r\nb", schema.JSON, []string{"f:1=0={}", "f:4=7={\"a\"", "f:5=13=b"}},
		{"a byte order mark", "\ufeff{}\n\ufeffb", schema.JSON, []string{"f:1=3={}", "f:2=6=\ufeffb"}},
		{"a byte order mark alone", "\ufeff\n{}", schema.JSON, []string{"f:2=4={}"}},
		{"a long line", "a\n" + long + "\nb\n", schema.JSON, []string{
			"f:1=0=a",
			"read events: f:2: a line of more than 16777216 bytes", "f:3=17825795=b",
		}},
		{"a long last line", long, schema.JSON, []string{"read events: f:1: a line of more than 16777216 bytes"}},
		{"a line longer than the buffer", long[:1<<20] + "\nb", schema.JSON, []string{
			"f:1=0=" + long[:1<<20],
			"f:2=1048577=b",
		}},
		{"frames", "\x01a\x00\x02bc", schema.Protobuf, []string{"f at byte 1=1=a", "f at byte 3=3=", "f at byte 4=4=bc"}},
		{"a cut frame", "\x01a\x05bc", schema.Protobuf, []string{
			"f at byte 1=1=a",
			"read events: f at byte 3: the file ends 2 bytes into a record of 5",
		}},
		{"a cut length", "\x01a\x85", schema.Protobuf, []string{
			"f at byte 1=1=a",
			"read events: f at byte 2: the file ends within the length of a record",
		}},
		{"a wrong length", "\x01a\xff\xff\xff\xff\x01b", schema.Protobuf, []string{
			"f at byte 1=1=a",
			"read events: f at byte 2: a record of more than 16777216 bytes; the rest of the file is not read",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := schema.NewReader(strings.NewReader(tt.in), tt.format, "f")
			var got []string
			for {
				record, err := r.Next()
				if err == io.EOF { //nolint:errorlint // The bare io.EOF is promised.
					break
				}
				if err != nil {
					got = append(got, err.Error())
					continue
				}
				got = append(got, fmt.Sprintf("%v=%d=%s", record, record.Offset, record.Value))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

type failing struct{ left io.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.left.Read(p)
	if errors.Is(err, io.EOF) {
		err = errors.New("the disk is on fire")
	}
	return n, err
}

func (failing) Write([]byte) (int, error) { return 0, errors.New("the disk is full") }

func TestFilesFailing(t *testing.T) {
	for _, format := range []schema.Format{schema.JSON, schema.Protobuf} {
		in := strings.NewReader(map[schema.Format]string{schema.JSON: "{}\n{", schema.Protobuf: "\x01a\x05b"}[format])
		records, errs := readAll(t, schema.NewReader(failing{in}, format, "f"))
		if len(records) != 1 || len(errs) != 1 || !strings.Contains(errs[0], "on fire") {
			t.Errorf("%v: %v %q", format, records, errs)
		}
		w := schema.NewWriter(failing{}, format, "f")
		if err := w.Write(new(schema.Event)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err == nil || !strings.Contains(err.Error(), "close f: the disk is full") {
			t.Errorf("%v: %v", format, err)
		}
	}
}
