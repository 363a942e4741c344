package law

import (
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// The node of a tree decodes to what its text decodes to: for each shipped book, each example, and each kind of value.
func TestNodeOf(t *testing.T) {
	texts, err := ShippedFiles()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Examples() {
		if texts[name], err = Example(name); err != nil {
			t.Fatal(err)
		}
	}
	texts["kinds"] = []byte("a: [1, -2, 3.5, true, no, ~, 2027-01-01, 2027-01-01T01:02:03.5Z, x, '1', 0x10, 1e3]\n" +
		"b: {c: {}, d: [], e: \"\", 'f g': \"a\\nb\", '1': 18446744073709551615, h: .inf, i: 12:30, j: '2027-01-01'}\n")
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		var tree, want, got any
		var wantBook, gotBook bookFile
		if err := yaml.Unmarshal(texts[name], &tree); err != nil {
			t.Fatal(err)
		}
		text, err := yaml.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		node, err := nodeOf(tree)
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if err := node.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-text +node):\n%s", name, diff)
		}
		if name == "kinds" {
			continue
		}
		if err := yaml.Unmarshal(text, &wantBook); err != nil {
			t.Fatal(err)
		}
		if err := node.Decode(&gotBook); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wantBook, gotBook, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
			t.Errorf("%s as a book (-text +node):\n%s", name, diff)
		}
	}
}
