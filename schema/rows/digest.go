package rows

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"time"
)

// FactTables returns the tables that a replay of the archive gives again, row by row: the facts.
func FactTables() []Table {
	return slices.DeleteFunc(declared(), func(t Table) bool {
		return !slices.Contains([]string{"rounds", "wagers", "vigorish", "shoes", "table_configs", "notices"}, t.Name)
	})
}

// Compared returns the columns of a table of facts that are part of the digest of a row: all but the labels of the
// release that wrote it and the time of the settlement, which rows of older releases have from another source. The
// digest of the labels is for rows that this release wrote.
func (t *Table) Compared() []Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool {
		return c.Name == "engine" || c.Name == "rulebook" || c.Name == "settled_at"
	})
}

// Labels returns the columns of a table of facts that Compared leaves out, behind its key; none if there are none.
func (t *Table) Labels() []Column {
	compared := t.Compared()
	if len(compared) == len(t.Columns) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c Column) bool {
		return !c.Key && slices.ContainsFunc(compared, func(x Column) bool { return x.Name == c.Name })
	})
}

// Plain is the SQL expression of the text of a column in the digest of a row. AppendPlain appends the same text.
func (c *Column) Plain() string {
	of := func(x string) string { return "toString(length(" + x + ")), ':', toString(" + x + ")" }
	switch c.Type {
	case stringType, bytesType:
		if c.As == Day {
			return "toString(" + c.Name + "), ','"
		}
		return of(c.Name) + ", ','"
	case stringsType:
		return "toString(length(" + c.Name + ")), ';', arrayStringConcat(arrayMap(x -> concat(" + of("x") + "), " +
			c.Name + ")), ','"
	case boolType:
		return "toString(toUInt8(" + c.Name + ")), ','"
	case float64Type:
		return "toString(reinterpretAsUInt64(" + c.Name + ")), ','"
	case instantType:
		return "toString(toUnixTimestamp64Milli(" + c.Name + ")), ','"
	case int64Type:
		if c.As == Time {
			return "toString(toUnixTimestamp64Nano(" + c.Name + ")), ','"
		}
	}
	return "toString(" + c.Name + "), ','"
}

// AppendPlain appends the texts of columns of a row.
func AppendPlain(dst []byte, columns []Column, v View, row int) []byte {
	for i := range columns {
		dst = columns[i].AppendPlain(dst, v, row)
	}
	return dst
}

// AppendPlain appends the text of a column of a row.
func (c *Column) AppendPlain(dst []byte, v View, row int) []byte {
	switch c.Type {
	case stringType:
		text := *cell[string](v, c, row)
		if c.As != Day {
			dst = append(strconv.AppendInt(dst, int64(len(text)), 10), ':')
		}
		dst = append(dst, text...)
	case bytesType:
		text := value[Text](v, c, 0).At(row) // facts with bytes are columns
		dst = append(append(strconv.AppendInt(dst, int64(len(text)), 10), ':'), text...)
	case stringsType:
		list := *cell[[]string](v, c, row)
		dst = append(strconv.AppendInt(dst, int64(len(list)), 10), ';')
		for _, text := range list {
			dst = append(append(strconv.AppendInt(dst, int64(len(text)), 10), ':'), text...)
		}
	case boolType:
		dst = strconv.AppendInt(dst, flag(*cell[bool](v, c, row)), 10)
	case int32Type:
		dst = strconv.AppendInt(dst, int64(*cell[int32](v, c, row)), 10)
	case int64Type:
		dst = strconv.AppendInt(dst, *cell[int64](v, c, row), 10)
	case uint8Type:
		dst = strconv.AppendUint(dst, uint64(*cell[uint8](v, c, row)), 10)
	case uint32Type:
		dst = strconv.AppendUint(dst, uint64(*cell[uint32](v, c, row)), 10)
	case uint64Type:
		dst = strconv.AppendUint(dst, *cell[uint64](v, c, row), 10)
	case float64Type:
		dst = strconv.AppendUint(dst, math.Float64bits(*cell[float64](v, c, row)), 10)
	case instantType:
		dst = strconv.AppendInt(dst, cell[time.Time](v, c, row).UnixMilli(), 10)
	}
	return append(dst, ',')
}

// cell is the value of a row, also in a struct of columns.
func cell[V any](v View, c *Column, row int) *V {
	if v.stride == 0 {
		return &(*value[[]V](v, c, 0))[row]
	}
	return value[V](v, c, row)
}

// Word returns a text of a row, empty without the column.
func (v View) Word(c *Column, row int) string {
	if c == nil {
		return ""
	}
	return *cell[string](v, c, row)
}

// Instant returns a time of a row.
func (v View) Instant(c *Column, row int) int64 { return *cell[int64](v, c, row) }

// Sum256 is a sum of SHA-256 modulo 2^256. It does not depend on the order of the rows.
type Sum256 [4]uint64

// Add adds a hash, read as a little-endian number as ClickHouse does.
func (s *Sum256) Add(hash [sha256.Size]byte) {
	carry := uint64(0)
	for i := range s {
		s[i], carry = bits.Add64(s[i], binary.LittleEndian.Uint64(hash[8*i:]), carry)
	}
}

// String is the number in decimal.
func (s *Sum256) String() string {
	n := new(big.Int)
	for i := range s {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(s[len(s)-1-i]))
	}
	return n.String()
}
