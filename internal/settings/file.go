package settings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/shoeproof/shoeproof/law"
	"go.yaml.in/yaml/v3"
)

// mostBytes is more than any configuration or secret has.
const mostBytes = 1 << 20

// configFile is a file as it was written: the text of each setting, and its line.
type configFile struct {
	path   string
	values map[string]any
	lines  map[string]int
	known  map[string]bool // true for a setting, false for a map of them
	maps   map[string]bool // settings that are maps
	wrong  []error
}

// readFile reads a YAML file. Every key that is not known is a complaint, as is every alias: a file
// that doubles itself ten times over is no configuration.
func readFile(path string, all []leaf) (*configFile, error) {
	f := &configFile{path: path, values: map[string]any{}, lines: map[string]int{}, known: map[string]bool{}, maps: map[string]bool{}}
	for i := range all {
		key := all[i].key
		f.known[key] = true
		f.maps[key] = all[i].field.Kind() == reflect.Map
		for at := strings.LastIndexByte(key, '.'); at > 0; at = strings.LastIndexByte(key[:at], '.') {
			f.known[key[:at]] = f.known[key[:at]] || false
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
		return nil, law.Unreadable(path, err)
	}
	var second yaml.Node
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: more than one document", path)
	}
	f.mapping("", doc.Content[0])
	return f, nil
}

func readSmall(path string) ([]byte, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(in, mostBytes+1))
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	if len(data) > mostBytes {
		return nil, fmt.Errorf("%s: more than %d bytes", path, mostBytes)
	}
	return data, nil
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
			f.complain(name, "%s: unknown key%s", key, f.guess(key))
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
		names = append(names, k)
	}
	if near := nearest(key, sorted(names)); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

func (f *configFile) setting(key string, n *yaml.Node) {
	f.lines[key] = n.Line
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		delete(f.lines, key)
	case n.Kind == yaml.ScalarNode:
		f.values[key] = n.Value
	case n.Kind == yaml.SequenceNode:
		f.values[key] = f.scalars(key, n, 1)
	case n.Kind == yaml.MappingNode && f.maps[key]:
		f.values[key] = f.scalars(key, n, 2)
	default:
		f.complain(n, "%s: want a value", key)
	}
}

// scalars are a list's words, or with width 2 a map's, as name=value.
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
