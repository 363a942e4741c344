package schema_test

import (
	"bytes"
	"encoding/hex"
	"io"
	"os"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/eventspb"
)

// What we accept, protobuf-go accepts with the same meaning, and we write it so that we read the
// same again. What we reject, no one needs to understand.
func fuzzDecode(f *testing.F, format schema.Format, oracle func([]byte, proto.Message) error) {
	d := schema.NewDecoder()
	f.Fuzz(func(t *testing.T, in []byte) {
		input := bytes.Clone(in)
		var ev schema.Event
		err := d.Decode(format, input, &ev)
		if !bytes.Equal(in, input) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if err.Error() == "" {
				t.Error("an error without words")
			}
			return
		}
		theirs := &eventspb.TableEvent{}
		if err := oracle(in, theirs); err != nil {
			t.Fatalf("only we accept it: %v", err)
		}
		dropEmpty(theirs)
		wire := schema.AppendProto(nil, &ev)
		text := schema.AppendJSON(nil, &ev)
		want, err := proto.MarshalOptions{Deterministic: true}.Marshal(theirs)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(wire, want) {
			t.Fatalf("it means something else to us:\n%s\n%v", text, theirs)
		}
		for f, b := range map[schema.Format][]byte{schema.Protobuf: wire, schema.JSON: text} {
			var again schema.Event
			if err := d.Decode(f, b, &again); err != nil {
				t.Fatalf("our own %v: %v\n%s", f, err, text)
			}
			if got := schema.AppendProto(nil, &again); !bytes.Equal(got, wire) {
				t.Fatalf("our own %v reads as %s, was %s", f, schema.AppendJSON(nil, &again), text)
			}
		}
	})
}

// dropEmpty takes away the messages whose absence means the same to us.
func dropEmpty(ev *eventspb.TableEvent) {
	if proto.Size(ev.GetActor()) == 0 {
		ev.Actor = nil
	}
	if proto.Size(ev.GetSource()) == 0 {
		ev.Source = nil
	}
	if proto.Size(ev.GetVideo()) == 0 {
		ev.Video = nil
	}
	for _, config := range []*eventspb.TableConfig{ev.GetTableOpened().GetConfig(), ev.GetTableConfigured().GetConfig()} {
		if config != nil && proto.Size(config.GetVigorish()) == 0 {
			config.Vigorish = nil
		}
	}
}

func FuzzDecodeProto(f *testing.F) {
	for i, payload := range payloadFields() {
		b := newBuilder(f, uint64(i))
		b.full = true
		wire, err := proto.Marshal(b.event(payload))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(wire)
	}
	odd, err := hex.DecodeString("0a01651201702201742801320208014a005a00a2010c0a0a300130023a003201054a00")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(odd)
	fuzzDecode(f, schema.Protobuf, proto.Unmarshal)
}

func FuzzDecodeJSON(f *testing.F) {
	text, err := os.ReadFile("testdata/events.ndjson")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		f.Add(line)
	}
	f.Add([]byte(head + `"wager_changed":{"delta":"-5","wager_id":"\ud83c\udccf"}, "actor":{}}`))
	f.Add([]byte(head + `"stake_read":{"confidence":-0.0e-0,"amount":-0}}`))
	f.Add([]byte(head + `"table_opened":{"config":{"vigorish":{},"options":{"\u0000":null}}}}`))
	fuzzDecode(f, schema.JSON, protojson.Unmarshal)
}

// A reader must end, must not lose count, and must give what the file holds.
func FuzzReader(f *testing.F) {
	f.Add([]byte("{}\n\n{\"a\":1}\r\nrest"), true)
	f.Add([]byte("\x01a\x00\x02bc\x7f"), false)
	f.Add([]byte("\x80\x80\x80\x80\x01"), false)
	d := schema.NewDecoder()
	f.Fuzz(func(t *testing.T, in []byte, lines bool) {
		format := schema.Protobuf
		if lines {
			format = schema.JSON
		}
		r := schema.NewReader(bytes.NewReader(in), format, "f")
		last := int64(-1)
		for n := 0; ; n++ {
			if n > len(in)+1 {
				t.Fatal("more records than bytes")
			}
			record, err := r.Next()
			if err == io.EOF { //nolint:errorlint // The bare io.EOF is promised.
				break
			}
			if err != nil {
				continue
			}
			if record.Offset <= last {
				t.Fatalf("offset %d after %d", record.Offset, last)
			}
			last = record.Offset
			if there := in[record.Offset:]; !bytes.HasPrefix(there, record.Value) {
				t.Fatalf("%v: %q, the file has %q", record, record.Value, there)
			}
			var ev schema.Event
			_ = d.Decode(record.Format, record.Value, &ev)
		}
	})
}
