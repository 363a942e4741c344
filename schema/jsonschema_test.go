package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/shoeproof/shoeproof/schema"
)

// published is the compiled JSON Schema of an event, through the AsyncAPI document of the topic.
func published(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	for _, name := range []string{"events.schema.json", "asyncapi.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := compiler.AddResource(name, doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	s, err := compiler.Compile("asyncapi.json#/components/messages/json/payload")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// accepts reports whether the JSON Schema accepts an event.
func accepts(s *jsonschema.Schema, text []byte) bool {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	return err == nil && s.Validate(doc) == nil
}

// The golden events, and each golden shoe of a game, are events of the published JSON Schema.
func TestGoldenEventsAreOfTheSchema(t *testing.T) {
	s, files := published(t), []string{"testdata/events.ndjson"}
	shoes, err := filepath.Glob("../testdata/shoes/*.ndjson")
	if err != nil || len(shoes) < 5 {
		t.Fatalf("%d golden shoes: %v", len(shoes), err)
	}
	for _, path := range append(files, shoes...) {
		r, err := schema.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			n++
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(rec.Value))
			if err == nil {
				err = s.Validate(doc)
			}
			if err != nil {
				t.Errorf("%s: %.200s: %v", rec, rec.Value, err)
				break
			}
		}
		if err := r.Close(); err != nil || n == 0 {
			t.Errorf("%s: %d events, %v", path, n, err)
		}
	}
}

// The published JSON Schema and the decoder accept and refuse the same changes of the golden events: a field that is
// left out, a field that is unknown, and values of another type.
func TestSchemaAgreesWithDecoder(t *testing.T) {
	s := published(t)
	text, err := os.ReadFile("testdata/events.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	seen, refused := map[string]bool{}, 0
	for line := range bytes.Lines(text) {
		var ev map[string]any
		if err := json.Unmarshal(line, &ev); err != nil {
			t.Fatal(err)
		}
		for what, changed := range changes(ev) {
			b, err := json.Marshal(changed)
			if err != nil {
				t.Fatal(err)
			}
			if seen[string(b)] {
				continue
			}
			seen[string(b)] = true
			rejected := schema.NewDecoder().Decode(schema.JSON, b, new(schema.Event))
			if (rejected == nil) != accepts(s, b) {
				t.Errorf("%s: the decoder gives %v, the schema accepts: %v\n%s", what, rejected, accepts(s, b), b)
			}
			if rejected != nil {
				refused++
			}
		}
	}
	if refused < 300 || len(seen)-refused < 300 {
		t.Errorf("%d of %d changes are refused: too few of one kind", refused, len(seen))
	}
}

// changes are copies of an event with one change, by what was changed.
func changes(ev map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{"nothing": ev}
	var walk func(path []string, in map[string]any)
	walk = func(path []string, in map[string]any) {
		for name, value := range in {
			at := append(append([]string{}, path...), name)
			out["without "+strings.Join(at, ".")] = with(ev, at, nil)
			inner, isObject := value.(map[string]any)
			switch {
			case isObject && name != "pay_tables" && name != "posted_odds" && name != "posted_rows" && name != "options":
				out["unknown in "+strings.Join(at, ".")] = with(ev, append(at, "no_such_field"), "x")
				walk(at, inner)
			case isObject:
			default:
				out["boolean "+strings.Join(at, ".")] = with(ev, at, true)
				out["list "+strings.Join(at, ".")] = with(ev, at, []any{"1x"})
				out["negative "+strings.Join(at, ".")] = with(ev, at, -1)
				// The generator of the schema cannot import the limit.
				out["most money "+strings.Join(at, ".")] = with(ev, at, int64(schema.MaxAmount))
				out["too much money "+strings.Join(at, ".")] = with(ev, at, int64(schema.MaxAmount)+1)
			}
		}
	}
	walk(nil, ev)
	return out
}

// with is a deep copy of an event with another value at a path, or without it.
func with(ev map[string]any, path []string, value any) map[string]any {
	out := make(map[string]any, len(ev))
	maps.Copy(out, ev)
	switch inner, _ := ev[path[0]].(map[string]any); {
	case len(path) > 1:
		out[path[0]] = with(inner, path[1:], value)
	case value == nil:
		delete(out, path[0])
	default:
		out[path[0]] = value
	}
	return out
}
