package law

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Nearest returns the known word that is most similar to a wrong one, or none.
func Nearest(wrong string, known []string) string {
	best, limit := "", 1+len(wrong)/6
	for _, k := range known {
		if d := distance(wrong, k); d <= limit {
			best, limit = k, d-1
		}
	}
	return best
}

// distance is the Levenshtein distance.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

// noSuch is the error of a name that is not one of many. It may be the beginning of the name that was meant.
func noSuch(what, name string, known []string) error {
	near := Nearest(name, known)
	if i := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(k, name) }); near == "" && i >= 0 {
		near = known[i]
	}
	if near != "" {
		return fmt.Errorf("there is no such %s, did you mean %s?", what, near)
	}
	return fmt.Errorf("there is no such %s", what)
}

// hint guesses the key of a rulebook that was meant.
func hint(key string) string {
	keys := map[string]bool{}
	keysOf(reflect.TypeFor[bookFile](), keys)
	if keys[key] {
		return " at this place"
	}
	known := slices.Sorted(maps.Keys(keys))
	if near := Nearest(key, known); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// keysOf collects the keys of a type and of the types below it.
func keysOf(t reflect.Type, keys map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		keysOf(t.Elem(), keys)
	case reflect.Struct:
		for f := range t.Fields() {
			name := f.Tag.Get("yaml")
			if name == "" || keys[name] && f.Type.Kind() == reflect.Pointer {
				continue
			}
			seen := keys[name]
			keys[name] = true
			if !seen || f.Type.Kind() != reflect.Struct && f.Type.Kind() != reflect.Slice {
				keysOf(f.Type, keys)
			}
		}
	default:
	}
}
