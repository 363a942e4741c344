package rows

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"reflect"

	"github.com/shoeproof/shoeproof/finding"
)

// Hash is the SHA-256, in hex, of all rows in their order. Of an archived event it takes the hash that
// stands beside the raw bytes.
func (s *Set) Hash() string {
	raw := s.Events.Raw
	s.Events.Raw = Text{}
	defer func() { s.Events.Raw = raw }()
	h := sha256.New()
	write := func(v reflect.Value) { // piece by piece: the memories of a flush may take megabytes
		s.scratch = appendValue(s.scratch[:0], v)
		h.Write(s.scratch)
	}
	for _, rows := range []any{
		&s.Events, &s.Rounds, &s.Wagers, &s.Vigorish, &s.Shoes, &s.Configs, &s.Notices, &s.Snapshots, &s.Findings, &s.Evidence, &s.DeadLetters,
	} {
		v := reflect.ValueOf(rows).Elem()
		if v.Kind() == reflect.Struct {
			for _, column := range v.Fields() {
				write(column)
			}
			continue
		}
		h.Write(binary.AppendUvarint(s.scratch[:0], uint64(v.Len())))
		for i := range v.Len() {
			write(v.Index(i))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// appendValue writes a value so that no two differ in what they mean and agree in what is written:
// lists and texts have their length in front.
func appendValue(dst []byte, v reflect.Value) []byte {
	switch x := v.Addr().Interface().(type) {
	case *Text:
		dst = binary.AppendUvarint(dst, uint64(x.Len()))
		for i := range x.Len() {
			dst = append(binary.AppendUvarint(dst, uint64(len(x.At(i)))), x.At(i)...)
		}
		return dst
	case *[]string:
		dst = binary.AppendUvarint(dst, uint64(len(*x)))
		for _, s := range *x {
			dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
		}
		return dst
	case *[]int64:
		dst = binary.AppendUvarint(dst, uint64(len(*x)))
		for _, n := range *x {
			dst = binary.AppendVarint(dst, n)
		}
		return dst
	case *[]uint64:
		dst = binary.AppendUvarint(dst, uint64(len(*x)))
		for _, n := range *x {
			dst = binary.AppendUvarint(dst, n)
		}
		return dst
	case *[]uint32:
		dst = binary.AppendUvarint(dst, uint64(len(*x)))
		for _, n := range *x {
			dst = binary.AppendUvarint(dst, uint64(n))
		}
		return dst
	case *finding.Severity:
		word := x.String()
		return append(binary.AppendUvarint(dst, uint64(len(word))), word...)
	case *[]byte:
		return append(binary.AppendUvarint(dst, uint64(len(*x))), *x...)
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(dst, 1)
		}
		return append(dst, 0)
	case reflect.String:
		return append(binary.AppendUvarint(dst, uint64(v.Len())), v.String()...)
	case reflect.Float64:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(v.Float()))
	case reflect.Int32, reflect.Int64:
		return binary.AppendVarint(dst, v.Int())
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(dst, v.Uint())
	case reflect.Slice:
		dst = binary.AppendUvarint(dst, uint64(v.Len()))
		for i := range v.Len() {
			dst = appendValue(dst, v.Index(i))
		}
		return dst
	case reflect.Struct:
		for _, field := range v.Fields() {
			dst = appendValue(dst, field)
		}
		return dst
	default:
		panic(fmt.Sprintf("rows: a row with %s", v.Type()))
	}
}
