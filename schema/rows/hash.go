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
				if s.scratch = t.Columns[k].append(s.scratch, v, row); !t.list {
					h.Write(s.scratch)
					s.scratch = s.scratch[:0]
				}
			}
			h.Write(s.scratch)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// append encodes a value of a list, or a whole column, so that two encodings are equal only if the values are: lists
// and texts have their length in front.
func (c *Column) append(dst []byte, v View, row int) []byte {
	switch c.Type {
	case stringType:
		if c.Optional { // the topic, which the range of a batch has
			return dst
		}
		return encode(dst, v, c, row, appendText[string])
	case stringsType:
		if c.Optional && len(*value[[]string](v, c, row)) == 0 {
			return dst
		}
		return encode(dst, v, c, row, appendTexts)
	case bytesType:
		if v.stride == 0 {
			return appendColumn(dst, value[Text](v, c, 0))
		}
		return encode(dst, v, c, row, appendText[[]byte])
	case boolType:
		return encode(dst, v, c, row, appendBool)
	case int32Type:
		return encode(dst, v, c, row, func(dst []byte, n int32) []byte { return binary.AppendVarint(dst, int64(n)) })
	case int64Type:
		if c.Optional { // settled_at, which follows from the events
			return dst
		}
		return encode(dst, v, c, row, binary.AppendVarint)
	case uint8Type:
		if v.stride == 0 {
			return appendText(dst, *value[[]uint8](v, c, 0))
		}
		return encode(dst, v, c, row, func(dst []byte, n uint8) []byte { return binary.AppendUvarint(dst, uint64(n)) })
	case uint32Type:
		return encode(dst, v, c, row, func(dst []byte, n uint32) []byte { return binary.AppendUvarint(dst, uint64(n)) })
	case uint64Type:
		return encode(dst, v, c, row, binary.AppendUvarint)
	case float64Type:
		return encode(dst, v, c, row, func(dst []byte, x float64) []byte {
			return binary.BigEndian.AppendUint64(dst, math.Float64bits(x))
		})
	case formatType:
		return encode(dst, v, c, row, func(dst []byte, f schema.Format) []byte {
			return binary.AppendUvarint(dst,
				uint64(f))
		})
	case severityType:
		return encode(dst, v, c, row, func(dst []byte, s finding.Severity) []byte { return appendText(dst, s.String()) })
	case proofType:
		return encode(dst, v, c, row, func(dst []byte, e finding.Evidence) []byte {
			dst = binary.AppendUvarint(dst, uint64(len(e.Seqs)))
			for _, seq := range e.Seqs {
				dst = binary.AppendUvarint(dst, seq)
			}
			return appendTexts(dst, e.EventIDs)
		})
	}
	return dst
}

func encode[V any](dst []byte, v View, c *Column, row int, one func([]byte, V) []byte) []byte {
	if v.stride > 0 {
		return one(dst, *value[V](v, c, row))
	}
	values := *value[[]V](v, c, 0)
	dst = binary.AppendUvarint(dst, uint64(len(values)))
	for _, value := range values {
		dst = one(dst, value)
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

func appendColumn(dst []byte, t *Text) []byte {
	dst = binary.AppendUvarint(dst, uint64(t.Len()))
	for i := range t.Len() {
		dst = appendText(dst, t.At(i))
	}
	return dst
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}
