package law

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/baccarat"
)

var update = flag.Bool("update", false, "rewrite docs/rulebook.schema.json")

// The JSON Schema of a rulebook, for editors, is what the loader reads.
func TestRulebookSchema(t *testing.T) {
	words := map[string][]string{
		"unseen": slices.DeleteFunc(wordsOf[baccarat.VigorishMode](), func(word string) bool { return word == "OTHER" }),
		"media":  wordsOf[baccarat.Medium](), "markers": wordsOf[baccarat.Marker](),
		"dealt_by": dealers(), "third_card_face": wordsOf[baccarat.Face](),
		"third_card_place": wordsOf[baccarat.Place](),
		"shown":            wordsOf[baccarat.Shown](), "to": wordsOf[baccarat.Destination](),
	}
	root := schemaOf(reflect.TypeFor[bookFile](), words)
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "Shoeproof rulebook"
	root["required"] = []string{"name"}
	root["$defs"] = map[string]any{"condition": schemaOfFields(reflect.TypeFor[conditionFile](), words)}
	got, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const path = "../docs/rulebook.schema.json"
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the loader reads (%v): go test ./law -run Schema -update", path, err)
	}
}

// written are the types that read more than one form, and the condition, which contains itself.
var written = map[reflect.Type]map[string]any{
	reflect.TypeFor[conditionFile](): {"$ref": "#/$defs/condition"},
	reflect.TypeFor[numbersFile]():   {"type": []string{"integer", "string", "array", "null"}},
	reflect.TypeFor[listFile]():      {"type": []string{"string", "array", "null"}},
	reflect.TypeFor[paysFile]():      {"type": []string{"string", "object", "null"}},
}

func schemaOf(t reflect.Type, enums map[string][]string) map[string]any {
	if p, ok := written[t]; ok {
		return maps.Clone(p)
	}
	return schemaOfFields(t, enums)
}

func schemaOfFields(t reflect.Type, enums map[string][]string) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), enums)
	case reflect.Struct:
		properties := map[string]any{}
		for f := range t.Fields() {
			name := f.Tag.Get("yaml")
			p := schemaOf(f.Type, enums)
			// In an overlay null takes a key of the book below away.
			if kind, ok := p["type"].(string); ok {
				p["type"] = []string{kind, "null"}
			}
			if w, ok := enums[name]; ok {
				enum := append([]string{}, w...)
				if items, ok := p["items"].(map[string]any); ok {
					items["enum"] = enum
				} else {
					p["enum"] = enum
				}
			}
			properties[name] = p
		}
		return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	case reflect.Map:
		value := schemaOf(t.Elem(), enums)
		if kind, ok := value["type"].(string); ok {
			value["type"] = []string{kind, "null"}
		}
		return map[string]any{"type": "object", "additionalProperties": value}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem(), enums)}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	}
	return map[string]any{"type": "integer"}
}
