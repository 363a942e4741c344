package law

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// nodeOf returns the YAML node of a decoded value. Writing the value as text and parsing the text gives an equal node,
// but takes as long as the rest of reading a rulebook.
func nodeOf(value any) (*yaml.Node, error) {
	scalar := func(tag, text string) (*yaml.Node, error) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: text}, nil
	}
	switch v := value.(type) {
	case map[string]any:
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: make([]*yaml.Node, 0, 2*len(v))}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			of, err := nodeOf(v[key])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, of)
		}
		return n, nil
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: make([]*yaml.Node, len(v))}
		for i := range v {
			var err error
			if n.Content[i], err = nodeOf(v[i]); err != nil {
				return nil, fmt.Errorf("%d: %w", i, err)
			}
		}
		return n, nil
	case nil:
		return scalar("!!null", "null")
	case string:
		return scalar("!!str", v)
	case bool:
		return scalar("!!bool", strconv.FormatBool(v))
	case int:
		return scalar("!!int", strconv.Itoa(v))
	case time.Time:
		return scalar("!!timestamp", v.Format(time.RFC3339Nano))
	default: // floats and numbers beyond int, which no rulebook needs
		n := new(yaml.Node)
		if err := n.Encode(v); err != nil {
			return nil, err
		}
		return n, nil
	}
}
