package engine_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// Each field of each payload of the legal tables is changed, in the first event of each table that reports it,
// until a finding changes with it. The fields for which none does are those that docs/events.md lists.
func TestFieldsThatChangeInSilence(t *testing.T) {
	if testing.Short() {
		t.Skip("replays each table some thousand times")
	}
	noticed := map[string]bool{}
	tables := legalTables(t, 3)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		events := tables[name]
		values := enginetest.Encode(events)
		whole, tried := told(findingsOf(values)), map[string]bool{}
		for i := range events {
			eachField(reflect.ValueOf(events[i].Payload).Elem(), snake(events[i].Payload.Kind().String()),
				func(path string, index []int, field reflect.Value) {
					changes := changesOf(path, field)
					if len(changes) == 0 || noticed[path] || tried[path] {
						return
					}
					tried[path] = true
					noticed[path] = slices.ContainsFunc(changes, func(to reflect.Value) bool {
						ev := events[i].Clone()
						reflect.ValueOf(ev.Payload).Elem().FieldByIndex(index).Set(to)
						return !maps.Equal(whole, told(findingsOf(
							values[:i], enginetest.Encode([]schema.Event{ev}), values[i+1:],
						)))
					})
				})
		}
	}
	var silent []string
	for path, read := range noticed {
		if !read {
			silent = append(silent, path)
		}
	}
	slices.Sort(silent)
	if diff := cmp.Diff(silentFields(t), silent); diff != "" {
		t.Errorf("the fields of docs/events.md whose change is silent differ (-listed +silent):\n%s", diff)
	}
}

// silentFields are the fields that the table of docs/events.md names, sorted.
func silentFields(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile("../docs/events.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "## Fields whose change is silent at the legal tables\n")
	table, _, _ := strings.Cut(rest, "\n## ")
	var fields []string
	for _, m := range regexp.MustCompile("(?m)^\\| (`.*`) \\|").FindAllStringSubmatch(table, -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			fields = append(fields, strings.Trim(name, "`"))
		}
	}
	slices.Sort(fields)
	return fields
}

// told are findings by all that they say.
func told(findings []finding.Finding) map[string]int {
	said := map[string]int{}
	for i := range findings {
		said[line(&findings[i])]++
	}
	return said
}

// eachField calls do for the fields of a payload, and of the structs in it, with path and index.
func eachField(v reflect.Value, path string, do func(path string, index []int, field reflect.Value)) {
	for i := range v.NumField() {
		name := path + "." + snake(v.Type().Field(i).Name)
		if field := v.Field(i); field.Kind() == reflect.Struct {
			eachField(field, name, func(path string, index []int, field reflect.Value) {
				do(path, append([]int{i}, index...), field)
			})
		} else {
			do(name, []int{i}, field)
		}
	}
}

// words are texts that a rule knows.
var words = map[string]string{
	"shoe_laced.evenness": "uneven", "shoe_loaded.location": "dealer-right", "discard_placed.destination": "layout",
	"card_found_faceup.destination": "layout", "cards_verified.verifier_id": "d114",
}

// changesOf are other values of a field. A field that was not reported is not changed, nor the mark of an optional one.
func changesOf(path string, v reflect.Value) (changes []reflect.Value) {
	add := func(set func(to reflect.Value)) {
		to := reflect.New(v.Type()).Elem()
		to.Set(v)
		set(to)
		changes = append(changes, to)
	}
	switch k := v.Kind(); {
	case strings.Contains(path, ".has_") || v.IsZero() && k != reflect.Bool:
	case k == reflect.Bool:
		add(func(to reflect.Value) { to.SetBool(!v.Bool()) })
	case k == reflect.Uint8:
		for word := uint64(1); word < 30; word++ {
			known := reflect.New(v.Type()).Elem()
			known.SetUint(word)
			if word != v.Uint() && strings.IndexFunc(fmt.Sprint(known), unicode.IsLower) < 0 {
				add(func(to reflect.Value) { to.SetUint(word) })
			}
		}
	case k == reflect.Uint32:
		for _, n := range []uint64{v.Uint() + 1, v.Uint() - 1, v.Uint() + 7, 10 * v.Uint()} {
			add(func(to reflect.Value) { to.SetUint(n) })
		}
	case k == reflect.Int64:
		for _, n := range []int64{v.Int() + 500, v.Int() - 500, v.Int() + 3600e9, v.Int() / 10} {
			add(func(to reflect.Value) { to.SetInt(n) })
		}
	case k == reflect.Float64:
		add(func(to reflect.Value) { to.SetFloat(v.Float() / 2) })
	case k == reflect.String:
		add(func(to reflect.Value) { to.SetString(otherText(path, v.String())) })
	case k == reflect.Slice:
		add(func(to reflect.Value) { to.Set(v.Slice(1, v.Len())) })
		add(func(to reflect.Value) { to.Set(v.Slice(0, v.Len()-1)) })
	case k == reflect.Map:
		add(func(to reflect.Value) {
			to.Set(reflect.MakeMap(v.Type()))
			for _, key := range v.MapKeys() {
				to.SetMapIndex(key, reflect.ValueOf("3:1"))
			}
		})
	}
	return changes
}

func otherText(path, text string) string {
	switch {
	case words[path] != "":
		return words[path]
	case len(text) == 2 && text[0] == '7':
		return "4" + text[1:]
	case len(text) == 2: // a card
		return "7" + text[1:]
	}
	return "other-" + text
}

// snake is the name of the contract for a name of Go.
func snake(name string) string {
	name = strings.NewReplacer("IDs", "Ids", "ID", "Id", "OK", "Ok").Replace(name)
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
