package schema_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/schema"
)

// A stream is read as what it is, whatever its events look like at their start.
func TestOpenStream(t *testing.T) {
	event := func(id string) schema.Event {
		return schema.Event{
			EventID: id, PropertyID: "ac-1", TableID: "t", Seq: 7, At: 1795395294419000000, ShoeID: "s", Round: 3,
			Payload: &schema.RoundStarted{},
		}
	}
	for length := 1; length <= 256; length++ {
		ev := event(strings.Repeat("e", length))
		text, proto := schema.AppendJSON(nil, &ev), schema.AppendProto(nil, &ev)
		frame := append(binary.AppendUvarint(nil, uint64(len(proto))), proto...)
		for name, stream := range map[string][]byte{
			"json": text, "json after blank lines": append([]byte("\n\n  "), text...),
			"json with a byte order mark": append([]byte("\ufeff"), text...),
			"json with blanks":            []byte("{ " + string(text[1:])),
			"json.gz":                     gzipped(t, text), "json.zst": zstdPacked(t, text),
			"protobuf": frame, "protobuf.gz": gzipped(t, frame), "protobuf.zst": zstdPacked(t, frame),
		} {
			r, err := schema.OpenStream(bytes.NewReader(stream), "-")
			if err != nil {
				t.Fatalf("%s of %d bytes: %v", name, len(stream), err)
			}
			rec, err := r.Next()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			var got schema.Event
			if err := schema.NewDecoder().Decode(rec.Format, rec.Value, &got); err != nil || got.EventID != ev.EventID {
				t.Errorf("%s with an id of %d bytes: %v", name, length, err)
			}
			if _, err := r.Next(); !errors.Is(err, io.EOF) {
				t.Errorf("%s: a second record, %v", name, err)
			}
		}
	}
	r, err := schema.OpenStream(strings.NewReader(""), "-")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("an empty stream: %v", err)
	}
}
