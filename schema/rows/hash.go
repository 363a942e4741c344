package rows

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// Hash is the SHA-256, in hex, of all rows in their order. The journal keeps it, so its bytes never change for the
// same rows. Of an archived event it has the hash in place of the raw bytes.
func (s *Set) Hash() string {
	if s.tables == nil {
		s.tables = declared()
	}
	raw := s.Events.Raw
	s.Events.Raw = Text{}
	defer func() { s.Events.Raw = raw }()
	var all sum
	for i := range s.tables {
		t := &s.tables[i]
		v := t.View(s)
		if !t.list {
			for k := range t.Columns {
				if c := &t.Columns[k]; !c.Derived {
					c.hash(&all, v)
				}
			}
			continue
		}
		all.add(binary.AppendUvarint(all.pending, uint64(v.Len)))
		for row := range v.Len {
			for k := range t.Columns {
				all.add(t.Columns[k].append(all.pending, v, row))
			}
		}
	}
	return all.hex()
}

// hash adds a whole column of a struct of columns: the number of the values, then each as append encodes it. Each type
// has a loop without a call, since a batch has two dozen values an event.
func (c *Column) hash(all *sum, v View) {
	switch c.Type {
	case stringType:
		hashValues(all, *value[[]string](v, c, 0), func(dst []byte, some []string) []byte {
			for _, s := range some {
				dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
			}
			return dst
		})
	case wordsType:
		words := value[Words](v, c, 0)
		hashValues(all, words.keys, func(dst []byte, some []uint32) []byte {
			for _, key := range some {
				s := words.texts[key]
				dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
			}
			return dst
		})
	case bytesType:
		text := value[Text](v, c, 0)
		all.add(binary.AppendUvarint(all.pending, uint64(text.Len())))
		for i := range text.Len() {
			all.add(appendText(all.pending, text.At(i)))
		}
	case boolType:
		hashValues(all, *value[[]bool](v, c, 0), func(dst []byte, some []bool) []byte {
			for _, b := range some {
				dst = appendBool(dst, b)
			}
			return dst
		})
	case int64Type:
		hashValues(all, *value[[]int64](v, c, 0), appendInts)
	case int32Type:
		hashValues(all, *value[[]int32](v, c, 0), appendInts)
	case uint8Type:
		all.add(appendText(all.pending, *value[[]uint8](v, c, 0)))
	case uint32Type:
		hashValues(all, *value[[]uint32](v, c, 0), appendUints)
	case uint64Type:
		hashValues(all, *value[[]uint64](v, c, 0), appendUints)
	case formatType:
		hashValues(all, *value[[]schema.Format](v, c, 0), appendUints)
	case float64Type:
		hashValues(all, *value[[]float64](v, c, 0), func(dst []byte, some []float64) []byte {
			for _, x := range some {
				dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(x))
			}
			return dst
		})
	default:
		panic("rows: no column of a struct of columns has the type of " + c.Name)
	}
}

// hashValues adds the number of values and the values, some at a time: the encoding of a whole column would leave the
// cache before it is hashed.
func hashValues[V any](all *sum, values []V, encode func(dst []byte, some []V) []byte) {
	all.add(binary.AppendUvarint(all.pending, uint64(len(values))))
	for some := range slices.Chunk(values, 256) {
		all.add(encode(all.pending, some))
	}
}

func appendInts[N int32 | int64](dst []byte, values []N) []byte {
	for _, n := range values {
		dst = binary.AppendVarint(dst, int64(n))
	}
	return dst
}

func appendUints[N schema.Format | uint32 | uint64](dst []byte, values []N) []byte {
	for _, n := range values {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	return dst
}

// append encodes a value of a list so that two encodings are equal only if the values are: lists and texts have their
// length in front.
func (c *Column) append(dst []byte, v View, row int) []byte {
	switch c.Type {
	case stringType:
		return appendText(dst, *value[string](v, c, row))
	case stringsType:
		list := *value[[]string](v, c, row)
		if c.Optional && len(list) == 0 {
			return dst
		}
		return appendTexts(dst, list)
	case bytesType:
		return appendText(dst, *value[[]byte](v, c, row))
	case boolType:
		return appendBool(dst, *value[bool](v, c, row))
	case int32Type:
		return binary.AppendVarint(dst, int64(*value[int32](v, c, row)))
	case int64Type:
		return binary.AppendVarint(dst, *value[int64](v, c, row))
	case uint8Type:
		return binary.AppendUvarint(dst, uint64(*value[uint8](v, c, row)))
	case uint32Type:
		return binary.AppendUvarint(dst, uint64(*value[uint32](v, c, row)))
	case uint64Type:
		return binary.AppendUvarint(dst, *value[uint64](v, c, row))
	case float64Type:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(*value[float64](v, c, row)))
	case formatType:
		return binary.AppendUvarint(dst, uint64(*value[schema.Format](v, c, row)))
	case severityType:
		return appendText(dst, value[finding.Severity](v, c, row).String())
	case proofType:
		e := value[finding.Evidence](v, c, row)
		dst = binary.AppendUvarint(dst, uint64(len(e.Seqs)))
		for _, seq := range e.Seqs {
			dst = binary.AppendUvarint(dst, seq)
		}
		return appendTexts(dst, e.EventIDs)
	}
	return dst
}

func appendText[T string | []byte](dst []byte, s T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendTexts(dst []byte, list []string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(list)))
	for _, s := range list {
		dst = appendText(dst, s)
	}
	return dst
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}
