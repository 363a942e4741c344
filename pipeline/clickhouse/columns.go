package clickhouse

import (
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"github.com/shoeproof/shoeproof/schema"
)

// columns appends the columns of one block, in the order in which a fill names them. Without a
// batch it only notes the names: the INSERT statement is made from the same lines that fill it.
type columns struct {
	*scratch
	batch driver.Batch
	names []string
	rows  int
	err   error
}

// scratch is what appending needs and keeps for the next batch.
type scratch struct {
	texts  []string
	words  []*string
	bytes  [][]byte
	times  []time.Time
	bytes8 []int8
	// known holds one pointer for each word seen, see columns.word.
	known map[string]*string
}

func newScratch() *scratch { return &scratch{known: map[string]*string{}} }

// knownMost bounds the words that a scratch remembers.
const knownMost = 20_000

// add appends a slice, as the driver takes it.
func (c *columns) add(name string, n int, v any) {
	if c.batch == nil {
		c.names = append(c.names, name)
		return
	}
	at := len(c.names)
	c.names = append(c.names, name)
	switch {
	case c.err != nil:
	case n != c.rows:
		c.err = fmt.Errorf("column %s has %d values, expected %d: %w", name, n, c.rows, ErrRows)
	default:
		if err := c.batch.Column(at).Append(v); err != nil {
			c.err = fmt.Errorf("column %s: %w: %w", name, ErrRows, err)
		}
	}
}

// word appends to a LowCardinality(String). The driver looks each value up in a map of interfaces;
// a pointer costs it no allocation and a cheap hash, and it takes nil for the empty string. Equal
// words must have equal pointers, or its dictionary grows.
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
		own := strings.Clone(v) // The row's string may hold a larger buffer.
		p = &own
		c.known[own] = p
	}
	return p
}

// text appends a column of byte strings. The driver allocates a string for each []byte that it is
// given, and copies a string at once: so it gets views, which end before the batch changes.
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

// at appends moments to a DateTime64(9). The driver takes an int64 for milliseconds.
func (c *columns) at(name string, values []int64) {
	c.times = c.times[:0]
	for _, v := range values {
		c.times = append(c.times, time.Unix(0, v))
	}
	c.add(name, len(values), c.times)
}

// day appends gaming days to a Date32. What is no day, or outside its years, becomes its zero,
// 1900-01-01: a strange clock must not stop the table.
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
	c.bytes8 = c.bytes8[:0]
	for _, v := range values {
		if v != schema.Protobuf && v != schema.JSON {
			v = 0
		}
		c.bytes8 = append(c.bytes8, int8(v))
	}
	c.add(name, len(values), c.bytes8)
}

// column appends one field of a slice of rows.
func column[R, V any](c *columns, name string, rows []R, field func(*R) V) {
	c.add(name, len(rows), each(rows, field))
}

func wordsOf[R any](c *columns, name string, rows []R, field func(*R) string) {
	c.word(name, each(rows, field))
}

func timesOf[R any](c *columns, name string, rows []R, field func(*R) int64) {
	c.at(name, each(rows, field))
}

func daysOf[R any](c *columns, name string, rows []R, field func(*R) string) {
	c.day(name, each(rows, field))
}

func each[R, V any](rows []R, field func(*R) V) []V {
	values := make([]V, len(rows))
	for i := range rows {
		values[i] = field(&rows[i])
	}
	return values
}
