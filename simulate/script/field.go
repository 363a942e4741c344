package script

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shoeproof/shoeproof/schema"
)

// fieldText returns a field of an event as the contract writes it, and whether the event has the field.
func fieldText(ev *schema.Event, field string) (string, bool) {
	v, ok := lookup(ev, field)
	if !ok {
		return "", false
	}
	return format(v), true
}

// lookup finds a field by its name in the contract; dots descend into nested fields.
func lookup(ev *schema.Event, path string) (reflect.Value, bool) {
	switch path {
	case "round", "seq", "at", "shoe_id", "event_id", "actor.role", "actor.id":
		return descend(reflect.ValueOf(ev).Elem(), strings.Split(path, "."))
	}
	return descend(reflect.ValueOf(ev.Payload).Elem(), strings.Split(path, "."))
}

func descend(v reflect.Value, path []string) (reflect.Value, bool) {
	for i, name := range path {
		switch v.Kind() {
		case reflect.Struct:
			found := false
			for f := range v.NumField() {
				if isNamed(v.Type().Field(f).Name, name) {
					v, found = v.Field(f), true
					break
				}
			}
			if !found {
				return v, false
			}
		case reflect.Map:
			return v, i == len(path)-1
		default:
			return v, false
		}
	}
	return v, true
}

// isNamed reports whether the contract's name of a Go field is the one given. Most fields differ in the first letter.
func isNamed(field, name string) bool {
	if name == "" || field != "VigorishKind" && field[0]|0x20 != name[0] {
		return false
	}
	return fieldName(field) == name
}

// fieldsOf names the fields of the value at which a path ended; none of a value without fields.
func fieldsOf(v reflect.Value) string {
	if v.Kind() != reflect.Struct {
		return ""
	}
	var names []string
	for f := range v.Type().Fields() {
		if f.IsExported() {
			names = append(names, fieldName(f.Name))
		}
	}
	return ", want one of " + strings.Join(names, ", ")
}

var goInitialisms = strings.NewReplacer("IDs", "Ids", "ID", "Id", "OK", "Ok")

// fieldName returns the contract's name of a Go field: WagerIDs is wager_ids, VigorishKind is kind.
func fieldName(name string) string {
	if name == "VigorishKind" {
		return "kind"
	}
	name = goInitialisms.Replace(name)
	var b strings.Builder
	for i, c := range name {
		if c >= 'A' && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

func format(v reflect.Value) string {
	if s, ok := reflect.TypeAssert[fmt.Stringer](v); ok {
		return s.String()
	}
	if v.Kind() == reflect.Slice {
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = format(v.Index(i))
		}
		return strings.Join(parts, ",")
	}
	return fmt.Sprint(v.Interface())
}

// assign changes one field of an event.
func assign(ev *schema.Event, a assignment) error {
	v, ok := lookup(ev, a.field)
	if !ok {
		return fmt.Errorf("%s has no field %s%s", ev.Payload.Kind(), a.field, fieldsOf(v))
	}
	if v.Kind() == reflect.Map {
		key := a.field[strings.LastIndexByte(a.field, '.')+1:]
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		v.SetMapIndex(reflect.ValueOf(key), reflect.ValueOf(a.value))
		return nil
	}
	if a.op != "=" {
		return addTo(v, a)
	}
	if err := setText(v, a.value); err != nil {
		return fmt.Errorf("%s: %w", a.field, err)
	}
	if d, ok := ev.Payload.(*schema.CardDealt); ok && a.field == "reported_value" {
		d.HasReportedValue = true
	}
	return nil
}

// assignAll changes fields of an event in order.
func assignAll(ev *schema.Event, set []assignment) error {
	for _, a := range set {
		if err := assign(ev, a); err != nil {
			return err
		}
	}
	return nil
}

// addTo adds a number or a duration to a field.
func addTo(v reflect.Value, a assignment) error {
	n, err := strconv.ParseInt(a.value, 10, 64)
	if err != nil {
		d, err := time.ParseDuration(a.value)
		if err != nil {
			return fmt.Errorf("%s: %q: want a number or a duration", a.field, a.value)
		}
		n = int64(d)
	}
	if a.op == "-=" {
		n = -n
	}
	switch {
	case v.CanInt() && n != math.MinInt64 && (v.Int()+n > v.Int()) == (n > 0): // an overflow changes the direction
		v.SetInt(v.Int() + n)
	case v.CanUint() && (n >= 0 || v.Uint() >= uint64(-n)) && !v.OverflowUint(v.Uint()+uint64(n)):
		v.SetUint(v.Uint() + uint64(n))
	default:
		return fmt.Errorf("%s: cannot add %s to %s", a.field, a.value, format(v))
	}
	return nil
}

// setText sets a field from text.
func setText(v reflect.Value, s string) error {
	if _, ok := reflect.TypeAssert[fmt.Stringer](v); ok {
		// An enum; its values are dense from zero.
		for n := range uint64(64) {
			v.SetUint(n)
			if format(v) == s {
				return nil
			}
		}
		return fmt.Errorf("%q: unknown value", s)
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Bool:
		b, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("%q: want true or false", s)
		}
		v.SetBool(b)
	case reflect.Int64:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			at, err := time.Parse(time.RFC3339Nano, s)
			if n = at.UnixNano(); err != nil || !time.Unix(0, n).Equal(at) {
				return fmt.Errorf("%q: want a whole number, or a time from 1678 to 2261", s)
			}
		}
		v.SetInt(n)
	case reflect.Uint32, reflect.Uint64:
		n, err := strconv.ParseUint(s, 10, v.Type().Bits())
		if err != nil {
			return fmt.Errorf("%q: want a whole number", s)
		}
		v.SetUint(n)
	case reflect.Float64:
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return fmt.Errorf("%q: want a number", s)
		}
		v.SetFloat(f)
	case reflect.Slice:
		return putList(v, s)
	default:
		return fmt.Errorf("cannot be set: name one of its fields")
	}
	return nil
}

func putList(v reflect.Value, s string) error {
	list := reflect.MakeSlice(v.Type(), 0, 0)
	if s != "" {
		for part := range strings.SplitSeq(s, ",") {
			x := reflect.New(v.Type().Elem()).Elem()
			if err := setText(x, part); err != nil {
				return err
			}
			list = reflect.Append(list, x)
		}
	}
	v.Set(list)
	return nil
}

// fields returns the fields of a payload that are not empty, as field=value; nested fields with dots.
func fields(p schema.Payload) []string {
	return appendFields(nil, "", reflect.ValueOf(p).Elem())
}

func appendFields(out []string, prefix string, v reflect.Value) []string {
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case f.IsZero() || strings.HasPrefix(name, "Has"):
		case f.Kind() == reflect.Struct:
			out = appendFields(out, prefix+fieldName(name)+".", f)
		case f.Kind() == reflect.Map:
			keys := f.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for _, k := range keys {
				out = append(out, fmt.Sprintf("%s%s.%s=%v", prefix, fieldName(name), k, f.MapIndex(k)))
			}
		default:
			value := format(f)
			if strings.ContainsAny(value, " \t:") {
				value = strconv.Quote(value)
			}
			out = append(out, prefix+fieldName(name)+"="+value)
		}
	}
	return out
}
