package rows

import (
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// View reads the rows of one table by column, without reflection per row. It is valid until the rows change.
type View struct {
	Len int

	base   unsafe.Pointer // the first row of a list, or the struct of columns
	stride uintptr        // of a list, otherwise 0
}

// View reads the table's rows of a set.
func (t *Table) View(s *Set) View {
	rows := reflect.ValueOf(s).Elem().Field(t.field)
	if t.list {
		return View{rows.Len(), rows.UnsafePointer(), t.row.Size()}
	}
	v := View{base: rows.Addr().UnsafePointer()}
	switch first := rows.Field(t.Columns[0].field).Addr().Interface().(type) {
	case *Words:
		v.Len = first.Len()
	case *[]string:
		v.Len = len(*first)
	}
	return v
}

// ViewOf reads a list of rows of a table that TableOf declared.
func ViewOf[R any](list []R) View {
	return View{len(list), unsafe.Pointer(unsafe.SliceData(list)), unsafe.Sizeof(*new(R))}
}

// at is the address of a column in a row of a list, or of the whole column. The caller reads it as the type that the
// column was declared with.
func (v View) at(c *Column, row int) unsafe.Pointer {
	return unsafe.Add(v.base, uintptr(row)*v.stride+c.offset)
}

func value[V any](v View, c *Column, row int) *V { return (*V)(v.at(c, row)) }

// Buffers hold the values of one column while it is written. They are reused.
type Buffers struct {
	strings  []string
	lists    [][]string
	bytes    [][]byte
	bools    []bool
	int32s   []int32
	int64s   []int64
	uint8s   []uint8
	uint32s  []uint32
	uint64s  []uint64
	float64s []float64
	formats  []schema.Format
	proofs   []finding.Evidence
	instants []time.Time
}

// Release forgets what the last values point to.
func (b *Buffers) Release() {
	clear(b.strings[:cap(b.strings)])
	clear(b.lists[:cap(b.lists)])
	clear(b.bytes[:cap(b.bytes)])
	clear(b.proofs[:cap(b.proofs)])
}

// Values returns the values of a column, and how many there are. They are a slice of the Go type, of strings for a
// severity, a *Text or a *Words. They are valid until the next call with these buffers.
func (c *Column) Values(v View, b *Buffers) (values any, n int) {
	switch c.Type {
	case stringType:
		return gather(v, c, &b.strings)
	case wordsType:
		words := value[Words](v, c, 0)
		return words, words.Len()
	case stringsType:
		return gather(v, c, &b.lists)
	case bytesType:
		if v.stride == 0 {
			text := value[Text](v, c, 0)
			return text, text.Len()
		}
		return gather(v, c, &b.bytes)
	case boolType:
		return gather(v, c, &b.bools)
	case int32Type:
		return gather(v, c, &b.int32s)
	case int64Type:
		return gather(v, c, &b.int64s)
	case uint8Type:
		return gather(v, c, &b.uint8s)
	case uint32Type:
		return gather(v, c, &b.uint32s)
	case uint64Type:
		return gather(v, c, &b.uint64s)
	case float64Type:
		return gather(v, c, &b.float64s)
	case formatType:
		return gather(v, c, &b.formats)
	case proofType:
		return gather(v, c, &b.proofs)
	case instantType:
		return gather(v, c, &b.instants)
	case severityType:
		b.strings = b.strings[:0]
		for row := range v.Len {
			b.strings = append(b.strings, value[finding.Severity](v, c, row).String())
		}
		return b.strings, v.Len
	}
	return nil, 0
}

func gather[V any](v View, c *Column, buffer *[]V) (any, int) {
	if v.stride == 0 {
		values := *value[[]V](v, c, 0)
		return values, len(values)
	}
	values := slices.Grow((*buffer)[:0], v.Len)
	for row := range v.Len {
		values = append(values, *value[V](v, c, row))
	}
	*buffer = values
	return values, len(values)
}
