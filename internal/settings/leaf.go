package settings

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// setting is one setting of a configuration.
type setting struct {
	key, doc string
	field    reflect.Value
}

func leaves(config any) []setting { return walk(reflect.ValueOf(config).Elem(), "") }

func walk(v reflect.Value, under string) []setting {
	var all []setting
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		key := strings.Trim(under+"."+f.Tag.Get("key"), ".")
		if f.Type.Kind() == reflect.Struct {
			all = append(all, walk(v.Field(i), key)...)
			continue
		}
		all = append(all, setting{key, f.Tag.Get("doc"), v.Field(i)})
	}
	return all
}

func (l *setting) secret() bool { return l.field.Type() == reflect.TypeFor[Secret]() }

func (l *setting) flag() string { return strings.NewReplacer(".", "-", "_", "-").Replace(l.key) }

func (l *setting) variable() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(l.key, ".", "_"))
}

// addFlag adds the setting as a flag; the field's value is the default.
func (l *setting) addFlag(fs *pflag.FlagSet) {
	switch v := l.field.Interface().(type) {
	case string:
		fs.String(l.flag(), v, l.doc)
	case bool:
		fs.Bool(l.flag(), v, l.doc)
	case int:
		fs.Int(l.flag(), v, l.doc)
	case time.Duration:
		fs.Duration(l.flag(), v, l.doc)
	case []string:
		fs.StringSlice(l.flag(), v, l.doc)
	case map[string]string:
		fs.StringSlice(l.flag(), pairs(v), l.doc+", as name=06:00")
	}
}

// text is the field in the form of flags, variables and files: a string or a list of strings.
func (l *setting) text() any {
	switch v := l.field.Interface().(type) {
	case []string:
		return v
	case map[string]string:
		return pairs(v)
	case Secret:
		return string(v)
	default:
		return fmt.Sprint(v)
	}
}

func pairs(m map[string]string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, k+"="+m[k])
	}
	return out
}

// set sets the field from a value in the form of text. No error contains a secret: a secret is always valid.
func (l *setting) set(value any) error {
	words, ok := value.([]string)
	if !ok {
		words = split(fmt.Sprint(value))
	}
	one := fmt.Sprint(value)
	switch l.field.Interface().(type) {
	case string, Secret:
		l.field.SetString(one)
	case bool:
		v, err := strconv.ParseBool(one)
		if err != nil {
			return fmt.Errorf("%q, want true or false", one)
		}
		l.field.SetBool(v)
	case int:
		v, err := strconv.Atoi(one)
		if err != nil {
			return fmt.Errorf("%q, want a whole number", one)
		}
		l.field.SetInt(int64(v))
	case time.Duration:
		v, err := time.ParseDuration(one)
		if err != nil {
			return fmt.Errorf("%q, want a duration such as 500ms or 2s", one)
		}
		l.field.SetInt(int64(v))
	case []string:
		l.field.Set(reflect.ValueOf(words))
	case map[string]string:
		m := map[string]string{}
		for _, w := range words {
			k, v, ok := strings.Cut(w, "=")
			if _, twice := m[k]; !ok || k == "" || twice {
				return fmt.Errorf("%q, want distinct names, each with a value, as name=value", w)
			}
			m[k] = v
		}
		l.field.Set(reflect.ValueOf(m))
	}
	return nil
}

func split(list string) []string {
	var out []string
	for w := range strings.SplitSeq(list, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out = append(out, w)
		}
	}
	return out
}
