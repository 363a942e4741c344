package schema_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/eventspb"
)

var update = flag.Bool("update", false, "rewrite testdata")

// Whatever protobuf-go and protojson write, we read; whatever we write, they read; and it is the
// same message each time.
func TestOracle(t *testing.T) {
	d := schema.NewDecoder()
	for i, payload := range payloadFields() {
		t.Run(string(payload.Name()), func(t *testing.T) {
			b := newBuilder(t, uint64(i))
			for range 300 {
				agree(t, d, b.event(payload), b)
			}
		})
	}
}

func agree(t *testing.T, d *schema.Decoder, want *eventspb.TableEvent, b *builder) {
	t.Helper()
	wire, err := proto.MarshalOptions{Deterministic: true}.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var ev schema.Event
	if err := d.Decode(schema.Protobuf, wire, &ev); err != nil {
		t.Fatalf("our Protobuf decoder: %v\n%v", err, want)
	}
	fromProto := ev.Clone()
	if got := schema.AppendProto(nil, &ev); !bytes.Equal(got, wire) {
		t.Fatalf("our Protobuf differs from protobuf-go's:\n%x\n%x\n%v", got, wire, want)
	}
	ours := schema.AppendJSON(nil, &ev)
	got := &eventspb.TableEvent{}
	if err := (protojson.UnmarshalOptions{}).Unmarshal(ours, got); err != nil {
		t.Fatalf("protojson reads our JSON: %v\n%s", err, ours)
	}
	if !proto.Equal(got, want) {
		t.Fatalf("our JSON means something else:\n%s\n%v", ours, want)
	}

	opts := protojson.MarshalOptions{UseProtoNames: true, Multiline: b.rng.IntN(2) == 0}
	theirs, err := opts.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{theirs, ours, reordered(t, ours)} {
		if err := d.Decode(schema.JSON, text, &ev); err != nil {
			t.Fatalf("our JSON decoder: %v\n%s", err, text)
		}
		fromJSON := ev.Clone()
		if diff := cmp.Diff(fromProto, fromJSON); diff != "" {
			t.Fatalf("JSON and Protobuf differ: %s\n%s", diff, text)
		}
	}
}

// reordered is the same object with its keys in another order and other escapes.
func reordered(t *testing.T, text []byte) []byte {
	t.Helper()
	var v map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.MarshalIndent(v, " ", "\t")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// One event of each kind with every field, as it stands in testdata.
func TestGolden(t *testing.T) {
	const name = "testdata/events.ndjson"
	d := schema.NewDecoder()
	var got []byte
	for i, payload := range payloadFields() {
		b := newBuilder(t, 0)
		b.full = true
		want := b.event(payload)
		agree(t, d, want, b)
		wire, err := proto.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var ev schema.Event
		if err := d.Decode(schema.Protobuf, wire, &ev); err != nil {
			t.Fatal(err)
		}
		if k := schema.Kinds()[i]; ev.Payload.Kind() != k || k.String() != string(payload.Name()) {
			t.Errorf("kind %v, %v, want %s", ev.Payload.Kind(), k, payload.Name())
		}
		got = append(schema.AppendJSON(got, &ev), '\n')
	}
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update accepts):\n%s", name, diff)
	}
}

// What one Decode gave must survive the next ones, but for the payload, and Clone saves that too.
func TestKeep(t *testing.T) {
	d := schema.NewDecoder()
	b := newBuilder(t, 7)
	type kept struct {
		ev   schema.Event
		wire []byte
	}
	var all []kept
	for range 20 {
		for _, payload := range payloadFields() {
			wire, err := proto.MarshalOptions{Deterministic: true}.Marshal(b.event(payload))
			if err != nil {
				t.Fatal(err)
			}
			input := bytes.Clone(wire)
			var ev schema.Event
			if err := d.Decode(schema.Protobuf, input, &ev); err != nil {
				t.Fatal(err)
			}
			all = append(all, kept{ev.Clone(), wire})
			clear(input)
		}
	}
	for _, k := range all {
		if got := schema.AppendProto(nil, &k.ev); !bytes.Equal(got, k.wire) {
			t.Fatalf("a kept event changed: %s", schema.AppendJSON(nil, &k.ev))
		}
	}
}
