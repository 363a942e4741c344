package settings

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/shoeproof/shoeproof/export"
	"github.com/shoeproof/shoeproof/law"
)

// maxBytes bounds a configuration or a secret.
const maxBytes = 1 << 20

// configFile is a configuration file: the text and the line of each setting.
type configFile struct {
	path   string
	values map[string]any
	lines  map[string]int
	known  map[string]bool   // true for a setting, false for a section
	maps   map[string]bool   // settings that are maps
	lists  map[string]bool   // settings that are lists or maps
	oldTo  map[string]string // old names of settings
	// renamed are warnings of settings under an old name.
	renamed []string
	wrong   []error
}

// readFile reads a YAML file. An unknown key is a complaint. So is an alias, because nested aliases expand without
// limit.
func readFile(path string, all []setting) (*configFile, error) {
	f := &configFile{
		path: path, values: map[string]any{}, lines: map[string]int{}, known: map[string]bool{},
		maps: map[string]bool{}, lists: map[string]bool{}, oldTo: map[string]string{},
	}
	for i := range all {
		key := all[i].key
		f.known[key] = true
		kind := all[i].field.Kind()
		f.maps[key], f.lists[key] = kind == reflect.Map, kind == reflect.Map || kind == reflect.Slice
		f.section(key)
		if old, ok := all[i].renamed(); ok {
			f.known[old.key] = true
			f.oldTo[old.key] = key
			f.section(old.key)
		}
	}
	data, err := readSmall(path)
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return f, nil
		}
		return nil, law.Unreadable(path, data, err)
	}
	var second yaml.Node
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one document", path)
	}
	f.mapping("", doc.Content[0])
	return f, nil
}

// section makes the sections of a key known.
func (f *configFile) section(key string) {
	for at := strings.LastIndexByte(key, '.'); at > 0; at = strings.LastIndexByte(key[:at], '.') {
		f.known[key[:at]] = f.known[key[:at]] || false
	}
}

// readSmall reads a file of settings.
func readSmall(path string) ([]byte, error) {
	return export.ReadFile(path, maxBytes) //nolint:wrapcheck // names the file
}

func (f *configFile) complain(n *yaml.Node, layout string, args ...any) {
	f.wrong = append(f.wrong, fmt.Errorf("%s:%d: %s", f.path, n.Line, fmt.Sprintf(layout, args...)))
}

func (f *configFile) mapping(under string, n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		f.complain(n, "%s: want keys and values", orFile(under))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		key := strings.Trim(under+"."+name.Value, ".")
		setting, known := f.known[key]
		switch {
		case name.Kind != yaml.ScalarNode || !known:
			f.complain(name, "%s: unknown key%s", law.Printable(key), f.guess(key))
		case seen[key]:
			f.complain(name, "%s: given twice", key)
		case !setting:
			f.mapping(key, value)
		default:
			f.setting(key, value)
		}
		seen[key] = true
	}
}

func orFile(key string) string {
	if key == "" {
		return "the file"
	}
	return key
}

func (f *configFile) guess(key string) string {
	var names []string
	for k := range f.known {
		if f.oldTo[k] == "" {
			names = append(names, k)
		}
	}
	if near := law.Nearest(key, sorted(names)); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

func (f *configFile) setting(key string, n *yaml.Node) {
	if current, ok := f.oldTo[key]; ok {
		f.renamed = append(f.renamed, fmt.Sprintf("%s:%d: %s is now %s", f.path, n.Line, key, current))
		key = current
	}
	if f.lines[key] > 0 {
		f.complain(n, "%s: also given under its old name, want one of the two", key)
		return
	}
	f.lines[key] = n.Line
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		delete(f.lines, key)
	case n.Kind == yaml.ScalarNode:
		f.values[key] = n.Value
	case n.Kind == yaml.SequenceNode && f.lists[key]:
		f.values[key] = f.scalars(key, n, 1)
	case n.Kind == yaml.MappingNode && f.maps[key]:
		f.values[key] = f.scalars(key, n, 2)
	default:
		f.complain(n, "%s: want a value", key)
	}
}

// scalars returns the values of a list or, with width 2, of a map as name=value.
func (f *configFile) scalars(key string, n *yaml.Node, width int) []string {
	out := []string{}
	for i := 0; i+width <= len(n.Content); i += width {
		words := make([]string, width)
		for j, w := range n.Content[i : i+width] {
			if w.Kind != yaml.ScalarNode {
				f.complain(w, "%s: want plain values", key)
				return nil
			}
			words[j] = w.Value
		}
		out = append(out, strings.Join(words, "="))
	}
	return out
}
