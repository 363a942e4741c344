package rows

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"

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
	h := sha256.New()
	for i := range s.tables {
		t := &s.tables[i]
		v := t.View(s)
		if t.list {
			h.Write(binary.AppendUvarint(s.scratch[:0], uint64(v.Len)))
		} else {
			v.Len = 1 // the columns follow as lists
		}
		for row := range v.Len { // row by row: the snapshots of a flush may have megabytes
			s.scratch = s.scratch[:0]
			for k := range t.Columns {
				if t.list {
					s.scratch = t.Columns[k].append(s.scratch, v, row)
					continue
				}
				s.scratch = t.Columns[k].appendAll(s.scratch[:0], v)
				h.Write(s.scratch)
				s.scratch = s.scratch[:0]
			}
			h.Write(s.scratch)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// appendAll encodes a whole column of a struct of columns: the number of the values, then each as append encodes it.
// Each type has a loop without a call, since a batch has two dozen values an event.
func (c *Column) appendAll(dst []byte, v View) []byte {
	switch c.Type {
	case stringType:
		if !c.Optional { // as in append
			values := *value[[]string](v, c, 0)
			dst = binary.AppendUvarint(dst, uint64(len(values)))
			for _, s := range values {
				dst = append(binary.AppendUvarint(dst, uint64(len(s))), s...)
			}
		}
	case bytesType:
		text := value[Text](v, c, 0)
		dst = binary.AppendUvarint(dst, uint64(text.Len()))
		for i := range text.Len() {
			dst = appendText(dst, text.At(i))
		}
	case boolType:
		values := *value[[]bool](v, c, 0)
		dst = binary.AppendUvarint(dst, uint64(len(values)))
		for _, b := range values {
			dst = appendBool(dst, b)
		}
	case int64Type:
		if !c.Optional { // as in append
			dst = appendInts(dst, *value[[]int64](v, c, 0))
		}
	case int32Type:
		dst = appendInts(dst, *value[[]int32](v, c, 0))
	case uint8Type:
		dst = appendText(dst, *value[[]uint8](v, c, 0))
	case uint32Type:
		dst = appendUints(dst, *value[[]uint32](v, c, 0))
	case uint64Type:
		dst = appendUints(dst, *value[[]uint64](v, c, 0))
	case formatType:
		dst = appendUints(dst, *value[[]schema.Format](v, c, 0))
	case float64Type:
		values := *value[[]float64](v, c, 0)
		dst = binary.AppendUvarint(dst, uint64(len(values)))
		for _, x := range values {
			dst = binary.BigEndian.AppendUint64(dst, math.Float64bits(x))
		}
	default:
		panic("rows: no column of a struct of columns has the type of " + c.Name)
	}
	return dst
}

func appendInts[N int32 | int64](dst []byte, values []N) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(values)))
	for _, n := range values {
		dst = binary.AppendVarint(dst, int64(n))
	}
	return dst
}

func appendUints[N schema.Format | uint32 | uint64](dst []byte, values []N) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(values)))
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
		if c.Optional { // the topic, which the range of a batch has
			return dst
		}
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
		if c.Optional { // settled_at, which follows from the events
			return dst
		}
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
