package clickhouse

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/shoeproof/shoeproof/schema"
)

// columns appends the columns of one block.
type columns struct {
	*scratch
	batch driver.Batch
	into  []column.Interface // the columns of batch
	next  int                // the position of the column
	rows  int                // of the part
	err   error
}

// scratch is the storage of a block in the making. It is reused.
type scratch struct {
	values   rows.Buffers
	texts    []string
	words    []*string
	bytes    [][]byte
	times    []time.Time
	enums    []int8
	constant []uint32
	// known has one pointer for each word, see columns.word.
	known map[string]*string
}

func newScratch() *scratch { return &scratch{known: map[string]*string{}} }

// maxKnown bounds the words that a scratch keeps.
const maxKnown = 20_000

// table appends all columns of the rows of a table.
func (c *columns) table(t *table, parts []part) {
	for i := range t.Columns {
		c.next = i
		c.reserve(&t.Columns[i], parts)
		for _, p := range parts {
			c.rows = p.Len
			c.column(&t.Columns[i], p.View)
		}
	}
	for i, name := range t.Added {
		c.next = len(t.Columns) + i
		for _, p := range parts {
			value := t.version
			if name == "epoch" {
				value = p.epoch
			}
			c.rows = p.Len
			c.constant = slices.Grow(c.constant[:0], p.Len)[:p.Len]
			for i := range c.constant {
				c.constant[i] = value
			}
			c.add(name, p.Len, c.constant)
		}
	}
	c.values.Release()
}

// reserve gives a column of texts its size at once, where it would grow twenty times: strings of all bytes are appended
// and taken back.
func (c *columns) reserve(col *rows.Column, parts []part) {
	c.texts = c.texts[:0]
	for _, p := range parts {
		values, _ := col.Values(p.View, &c.values)
		if text, ok := values.(*rows.Text); ok && col.As != rows.Hash {
			c.texts = append(c.texts, unsafe.String(unsafe.SliceData(text.All()), len(text.All())))
		}
	}
	if len(c.texts) == 0 || c.err != nil || c.next >= len(c.into) {
		return
	}
	if _, err := c.into[c.next].Append(c.texts); err != nil {
		c.err = fmt.Errorf("column %s: %w: %w", col.Name, ErrRows, err)
	}
	c.into[c.next].Reset()
	clear(c.texts)
}

func (c *columns) column(col *rows.Column, v rows.View) {
	values, n := col.Values(v, &c.values)
	switch values := values.(type) {
	case *rows.Text:
		if col.As == rows.Hash {
			c.hash(col.Name, values)
		} else {
			c.text(col.Name, values)
		}
		return
	case []string:
		switch col.As {
		case rows.Word:
			c.word(col.Name, values)
			return
		case rows.Day:
			c.day(col.Name, values)
			return
		}
	case []int64:
		if col.As == rows.Time {
			c.at(col.Name, values)
			return
		}
	case []schema.Format:
		c.format(col.Name, values)
		return
	}
	c.add(col.Name, n, values)
}

// add appends the values of a part to the column, a slice as the driver takes it.
func (c *columns) add(name string, n int, v any) {
	switch {
	case c.err != nil:
	case n != c.rows:
		c.err = fmt.Errorf("column %s has %d values, want %d: %w", name, n, c.rows, ErrRows)
	default:
		if err := c.batch.Column(c.next).Append(v); err != nil {
			c.err = fmt.Errorf("column %s: %w: %w", name, ErrRows, err)
		}
	}
}

// word appends to a LowCardinality(String). The driver looks each value up in a map of interfaces. A pointer costs no
// allocation and a cheap hash; nil is the empty string. Equal words must have equal pointers, or the dictionary of the
// column grows.
func (c *columns) word(name string, values []string) {
	c.words = c.words[:0]
	last, pointer := "", (*string)(nil)
	for _, v := range values {
		if v != last {
			last, pointer = v, c.pointer(v)
		}
		c.words = append(c.words, pointer)
	}
	c.add(name, len(values), c.words)
}

func (c *columns) pointer(v string) *string {
	if v == "" {
		return nil
	}
	p, ok := c.known[v]
	if !ok {
		word := strings.Clone(v) // the row's string may keep a larger buffer alive
		p = &word
		c.known[word] = p
	}
	return p
}

// text appends a column of byte strings. The driver allocates a string for each []byte, but copies a string at once.
// So it gets strings that share the bytes of the column; they are dropped before the batch changes.
func (c *columns) text(name string, t *rows.Text) {
	c.texts = c.texts[:0]
	for i := range t.Len() {
		v := t.At(i)
		c.texts = append(c.texts, unsafe.String(unsafe.SliceData(v), len(v)))
	}
	c.add(name, t.Len(), c.texts)
	clear(c.texts)
}

// hash appends to a FixedString.
func (c *columns) hash(name string, t *rows.Text) {
	c.bytes = c.bytes[:0]
	for i := range t.Len() {
		c.bytes = append(c.bytes, t.At(i))
	}
	c.add(name, t.Len(), c.bytes)
	clear(c.bytes)
}

// at appends Unix nanoseconds to a DateTime64(9). The driver takes an int64 for milliseconds.
func (c *columns) at(name string, values []int64) {
	c.times = c.times[:0]
	for _, v := range values {
		c.times = append(c.times, time.Unix(0, v))
	}
	c.add(name, len(values), c.times)
}

// day appends gaming days to a Date32. Text that is no day, or outside the years of the type, becomes its zero,
// 1900-01-01: a wrong clock must not stop the table.
func (c *columns) day(name string, values []string) {
	c.times = c.times[:0]
	last, day := "", unknownDay()
	for _, v := range values {
		if v != last {
			last, day = v, dayOf(v)
		}
		c.times = append(c.times, day)
	}
	c.add(name, len(values), c.times)
}

func dayOf(v string) time.Time {
	day, err := time.Parse(time.DateOnly, v)
	if err != nil || day.Year() < 1900 || day.Year() > 2299 {
		return unknownDay()
	}
	return day
}

func unknownDay() time.Time { return time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC) }

func (c *columns) format(name string, values []schema.Format) {
	c.enums = c.enums[:0]
	for _, v := range values {
		if v != schema.Protobuf && v != schema.JSON {
			v = 0
		}
		c.enums = append(c.enums, int8(v))
	}
	c.add(name, len(values), c.enums)
}
