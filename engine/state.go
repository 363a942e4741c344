package engine

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// State is written as canonical JSON: fields in the order of their declaration without those that are
// zero, maps as pairs in order. It goes through reflection, so that a field that the fold gains is
// remembered without another line; those tagged `memory:"-"` are made anew.
//
// Some types are written by what they mean: a law by its rulebook and game, a rule by its name, a
// host of detectors by its own state, an event as Protobuf. What follows from the options is left out.

// derived says that a type's values are not written.
func derived(t reflect.Type) bool {
	return t.Kind() == reflect.Func
}

// appendState writes v, which must be addressable.
func appendState(dst []byte, v reflect.Value) []byte {
	v = open(v)
	switch x := v.Interface().(type) {
	case *law.Law:
		if x == nil {
			return append(dst, "null"...)
		}
		return appendString(dst, x.Book.Name+"/"+strconv.Itoa(int(x.Game)))
	case *rules.Rule:
		if x == nil {
			return append(dst, "null"...)
		}
		return appendString(dst, x.Name)
	case *detectors.Host:
		if x == nil {
			return append(dst, "null"...)
		}
		state, err := x.AppendState(nil)
		if err != nil {
			panic(err) // live detectors always have a state
		}
		return appendBytes(dst, state)
	case schema.Event:
		return appendBytes(dst, schema.AppendProto(nil, &x))
	}
	switch v.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(dst, v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.AppendUint(dst, v.Uint(), 10)
	case reflect.String:
		return appendString(dst, v.String())
	case reflect.Float64:
		return appendString(dst, strconv.FormatFloat(v.Float(), 'g', -1, 64)) // may be no number
	case reflect.Pointer:
		if v.IsNil() {
			return append(dst, "null"...)
		}
		return appendState(dst, v.Elem())
	case reflect.Interface:
		return appendState(dst, v.Elem().Elem())
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return appendBytes(dst, bytesOf(v))
		}
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendState(dst, v.Index(i))
		}
		return append(dst, ']')
	case reflect.Map:
		return appendMap(dst, v)
	case reflect.Struct:
		return appendStruct(dst, v)
	default:
		panic("pipeline: state of kind " + v.Kind().String() + " in " + v.Type().String())
	}
}

func appendStruct(dst []byte, v reflect.Value) []byte {
	dst = append(dst, '{')
	start := len(dst)
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Tag.Get("memory") == "-" || derived(field.Type) || v.Field(i).IsZero() {
			continue
		}
		before := len(dst)
		if before > start {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, field.Name), ':')
		value := len(dst)
		// An empty list is as good as none.
		if dst = appendState(dst, v.Field(i)); len(dst) == value+2 && field.Type.Kind() != reflect.Pointer && field.Type.Kind() != reflect.String {
			if c := dst[value]; c == '{' || c == '[' || c == '"' {
				dst = dst[:before]
			}
		}
	}
	return append(dst, '}')
}

func appendMap(dst []byte, v reflect.Value) []byte {
	var pairs []string
	key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	for it := v.MapRange(); it.Next(); {
		key.Set(it.Key())
		value.Set(it.Value())
		pair := append(appendState([]byte{'['}, key), ',')
		pairs = append(pairs, string(append(appendState(pair, value), ']')))
	}
	slices.SortFunc(pairs, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	dst = append(dst, '[')
	dst = append(dst, strings.Join(pairs, ",")...)
	return append(dst, ']')
}

// appendString writes text that a decoder has found to be UTF-8.
func appendString(dst []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always can
	}
	return append(dst, text...)
}

func appendBytes(dst, b []byte) []byte {
	dst = append(dst, '"')
	dst = base64.RawStdEncoding.AppendEncode(dst, b)
	return append(dst, '"')
}

func bytesOf(v reflect.Value) []byte {
	if v.Kind() == reflect.Slice {
		return v.Bytes()
	}
	b := make([]byte, v.Len())
	for i := range b {
		b[i] = byte(v.Index(i).Uint())
	}
	return b
}

// open is a value that may be set although its field is not exported.
func open(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

// reader reads state. Laws and rules that are no more are none.
type reader struct {
	books  law.Books
	rules  map[string]*rules.Rule
	budget detectors.Budget
}

func newReader(books law.Books, budget detectors.Budget) *reader {
	r := &reader{books: books, rules: map[string]*rules.Rule{}, budget: budget}
	for _, rule := range rules.All() {
		r.rules[rule.Name] = rule
	}
	return r
}

// read sets v, which must be addressable, to what appendState wrote.
func (r *reader) read(text []byte, v reflect.Value) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var from any
	if err := d.Decode(&from); err != nil {
		return err
	}
	return r.set(v, from)
}

func (r *reader) set(v reflect.Value, from any) error {
	if from == nil {
		return nil
	}
	v = open(v)
	switch p := v.Addr().Interface().(type) {
	case **law.Law:
		return r.law(p, from)
	case **rules.Rule:
		*p = r.rules[fmt.Sprint(from)]
		return nil
	case **detectors.Host:
		state, err := base64.RawStdEncoding.DecodeString(fmt.Sprint(from))
		if err != nil {
			return err
		}
		*p, err = detectors.RestoreLive(r.budget, state)
		return err
	case *schema.Event:
		raw, err := base64.RawStdEncoding.DecodeString(fmt.Sprint(from))
		if err != nil {
			return err
		}
		if err := schema.NewDecoder().Decode(schema.Protobuf, raw, p); err != nil {
			return err
		}
		*p = p.Clone()
		return nil
	}
	switch x := from.(type) {
	case bool:
		return r.scalar(v, reflect.ValueOf(x))
	case json.Number:
		return number(v, x)
	case string:
		return text(v, x)
	case []any:
		return r.list(v, x)
	case map[string]any:
		return r.fields(v, x)
	}
	return fmt.Errorf("%T for %s", from, v.Type())
}

func (r *reader) law(p **law.Law, from any) error {
	name, game, ok := strings.Cut(fmt.Sprint(from), "/")
	n, err := strconv.ParseUint(game, 10, 8)
	if !ok || err != nil {
		return fmt.Errorf("%q for a law", from)
	}
	if book := r.books[name]; book != nil {
		*p, _ = book.Law(baccarat.Game(n))
	}
	return nil
}

func (r *reader) scalar(v, from reflect.Value) error {
	if v.Kind() != from.Kind() {
		return fmt.Errorf("%s for %s", from.Kind(), v.Type())
	}
	v.Set(from.Convert(v.Type()))
	return nil
}

func number(v reflect.Value, n json.Number) error {
	switch {
	case v.CanInt():
		i, err := strconv.ParseInt(string(n), 10, 64)
		if err != nil || v.OverflowInt(i) {
			return fmt.Errorf("%s for %s", n, v.Type())
		}
		v.SetInt(i)
	case v.CanUint():
		i, err := strconv.ParseUint(string(n), 10, 64)
		if err != nil || v.OverflowUint(i) {
			return fmt.Errorf("%s for %s", n, v.Type())
		}
		v.SetUint(i)
	default:
		return fmt.Errorf("a number for %s", v.Type())
	}
	return nil
}

func text(v reflect.Value, s string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
		return nil
	case reflect.Float64:
		f, err := strconv.ParseFloat(s, 64)
		v.SetFloat(f)
		return err
	default:
	}
	b, err := base64.RawStdEncoding.DecodeString(s)
	switch {
	case err != nil:
		return err
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		v.SetBytes(b)
	case v.Kind() == reflect.Array && v.Len() == len(b):
		reflect.Copy(v, reflect.ValueOf(b))
	default:
		return fmt.Errorf("text for %s", v.Type())
	}
	return nil
}

func (r *reader) list(v reflect.Value, from []any) error {
	switch v.Kind() {
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Interface {
			v.Set(reflect.MakeSlice(v.Type(), len(from), len(from)))
		} else if v.Len() != len(from) {
			return fmt.Errorf("%d values for %d", len(from), v.Len())
		}
	case reflect.Array:
		if len(from) != v.Len() {
			return fmt.Errorf("%d values for %s", len(from), v.Type())
		}
	case reflect.Map:
		return r.pairs(v, from)
	default:
		return fmt.Errorf("a list for %s", v.Type())
	}
	for i := range from {
		if err := r.set(v.Index(i), from[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) pairs(v reflect.Value, from []any) error {
	v.Set(reflect.MakeMapWithSize(v.Type(), len(from)))
	for _, pair := range from {
		both, ok := pair.([]any)
		if !ok || len(both) != 2 {
			return fmt.Errorf("no pair for %s", v.Type())
		}
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if err := r.set(key, both[0]); err != nil {
			return err
		}
		if err := r.set(value, both[1]); err != nil {
			return err
		}
		v.SetMapIndex(key, value)
	}
	return nil
}

func (r *reader) fields(v reflect.Value, from map[string]any) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	case reflect.Interface: // of a known type
		v = v.Elem().Elem()
	default:
	}
	if v.Kind() != reflect.Struct {
		return fmt.Errorf("fields for %s", v.Type())
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Tag.Get("memory") == "-" || derived(field.Type) {
			continue
		}
		value, ok := from[field.Name]
		if !ok {
			if field.Type.Kind() != reflect.Map { // an empty one may be written to
				open(v.Field(i)).SetZero()
			}
			continue
		}
		if err := r.set(v.Field(i), value); err != nil {
			return fmt.Errorf("%s: %w", field.Name, err)
		}
	}
	return nil
}
