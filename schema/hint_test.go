package schema_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/shoeproof/shoeproof/schema"
)

// An event that a publisher wrapped or encoded by mistake is refused, and the hint names the mistake.
func TestHint(t *testing.T) {
	ev := schema.Event{
		EventID: "e-1", PropertyID: "ac-1", TableID: "mb-07", Seq: 7, At: 1795395294419000000, ShoeID: "s", Round: 3,
		Payload: &schema.RoundStarted{},
	}
	text, proto := schema.AppendJSON(nil, &ev), schema.AppendProto(nil, &ev)
	quoted, err := json.Marshal(string(text))
	if err != nil {
		t.Fatal(err)
	}
	glue := append([]byte{3, 0}, make([]byte, 16)...)
	for _, c := range []struct {
		format schema.Format
		value  []byte
		want   string
	}{
		{schema.Protobuf, text, "JSON without the header content-type"},
		{schema.Protobuf, append([]byte("\n "), text...), "JSON without the header content-type"},
		{schema.JSON, proto, "Protobuf under the header"},
		{schema.JSON, gzipped(t, text), "gzip data"},
		{schema.Protobuf, zstdPacked(t, proto), "zstd data"},
		{schema.JSON, utf16Of(text, false), "UTF-16"},
		{schema.JSON, utf16Of(text, true), "UTF-16"},
		{schema.JSON, append([]byte("\ufeff"), text...), "a byte order mark"},
		{schema.JSON, append([]byte{0, 0, 0, 1, 44}, text...), "schema registry"},
		{schema.Protobuf, append([]byte{0, 0, 0, 1, 44, 0}, proto...), "schema registry"},
		{schema.Protobuf, append([]byte{0, 0, 0, 1, 44}, text...), "schema registry"},
		{schema.JSON, append(glue, text...), "AWS Glue"},
		{schema.Protobuf, append(binary.AppendUvarint(nil, uint64(len(proto))), proto...), "a length before the event"},
		{schema.JSON, []byte(base64.StdEncoding.EncodeToString(text)), "base64"},
		{schema.Protobuf, []byte(base64.StdEncoding.EncodeToString(text)), "base64"},
		{schema.JSON, quoted, "encoded twice"},
		{schema.JSON, []byte("[" + string(text) + "]"), "a list of events"},
		{schema.JSON, []byte(`{"specversion":"1.0","id":"1","data":` + string(text) + `}`), "CloudEvents"},
		{schema.JSON, []byte(`{"schema":{"type":"struct"},"payload":` + string(text) + `}`), "Kafka Connect"},
		{schema.JSON, bytes.Replace(text, []byte("event_id"), []byte("eventId"), 1), "camel case"},
		{schema.JSON, []byte(string(text) + "\n" + string(text)), "several events"},
		{schema.JSON, []byte(strings.ReplaceAll(string(text), `"`, "'")), "json.dumps"},
		{schema.JSON, []byte("<event/>"), "XML"},
		{schema.JSON, []byte("{"), "several lines"},
		{schema.JSON, []byte("event_id,seq"), "CSV"},
	} {
		if err := schema.NewDecoder().Decode(c.format, c.value, new(schema.Event)); err == nil {
			t.Errorf("%v %.30q is accepted", c.format, c.value)
		}
		if got := schema.Hint(c.format, c.value); !strings.Contains(got, c.want) {
			t.Errorf("%v %.30q: hint %q, want %q in it", c.format, c.value, got, c.want)
		}
	}
	// A fault within an event is no question of its encoding.
	for _, c := range []struct {
		format schema.Format
		value  []byte
	}{
		{schema.JSON, bytes.Replace(text, []byte(`"seq":7`), []byte(`"seq":-7`), 1)},
		{schema.JSON, text[:len(text)-5]},
		{schema.Protobuf, proto[:len(proto)-1]},
		{schema.JSON, nil},
		{schema.Protobuf, nil},
	} {
		if err := schema.NewDecoder().Decode(c.format, c.value, new(schema.Event)); err == nil {
			t.Errorf("%v %q is accepted", c.format, c.value)
		}
		if got := schema.Hint(c.format, c.value); got != "" {
			t.Errorf("%v %q: hint %q, want none", c.format, c.value, got)
		}
	}
}

func gzipped(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(b)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zstdPacked(t *testing.T, b []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(b, nil)
}

// utf16Of is ASCII text in UTF-16 without a byte order mark.
func utf16Of(b []byte, bigEndian bool) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(string(b))) {
		if bigEndian {
			out = binary.BigEndian.AppendUint16(out, unit)
		} else {
			out = binary.LittleEndian.AppendUint16(out, unit)
		}
	}
	return out
}
