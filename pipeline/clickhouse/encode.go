package clickhouse

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// encoder encodes the rows of an insert as one block of the native protocol, and sends it in pieces. It reads the
// values where they are: no column is copied as a whole.
type encoder struct {
	out io.Writer
	buf proto.Buffer
	err error // of out

	values   rows.Buffers
	words    rows.Words
	days     []int32
	lists    [][]string
	proofs   []finding.Evidence
	constant []uint32
}

// piece is how many bytes the encoder collects before it sends them, chunk how many numbers it encodes at once.
const (
	piece = 128 << 10
	chunk = 8 << 10
)

// block sends a block with the rows of all parts.
func (e *encoder) block(t *table, parts []part) error {
	n := 0
	for _, p := range parts {
		n += p.Len
	}
	e.buf.Reset()
	proto.ClientCodeData.Encode(&e.buf)
	proto.ClientData{}.EncodeAware(&e.buf, proto.Version)
	head := proto.Block{Info: proto.BlockInfo{BucketNum: -1}, Columns: len(t.Columns) + len(t.Added), Rows: n}
	head.EncodeAware(&e.buf, proto.Version)
	for i := range t.Columns {
		if err := e.column(&t.Columns[i], parts); err != nil {
			return err
		}
	}
	for _, name := range t.Added {
		e.begin(name, "UInt32")
		for _, p := range parts {
			value := t.version
			if name == "epoch" {
				value = p.epoch
			}
			e.constant = append(e.constant[:0], slices.Repeat([]uint32{value}, min(p.Len, chunk))...)
			for left := p.Len; left > 0; left -= chunk {
				proto.ColUInt32(e.constant[:min(left, chunk)]).EncodeColumn(&e.buf)
				e.send(piece)
			}
		}
	}
	e.values.Release()
	e.send(0)
	return e.err
}

// send sends what is encoded if it has at least a number of bytes.
func (e *encoder) send(atLeast int) {
	if len(e.buf.Buf) < atLeast {
		return
	}
	if e.err == nil {
		_, e.err = e.out.Write(e.buf.Buf)
	}
	e.buf.Reset()
}

// begin encodes what is before the values of a column.
func (e *encoder) begin(name, kind string) {
	e.buf.PutString(name)
	e.buf.PutString(kind)
	e.buf.PutBool(false) // no custom serialization
}

func (e *encoder) column(c *rows.Column, parts []part) error {
	e.begin(c.Name, c.ClickHouse)
	for _, p := range parts {
		values, n := c.Values(p.View, &e.values)
		if n != p.Len {
			return fmt.Errorf("column %s has %d values, want %d: %w", c.Name, n, p.Len, ErrRows)
		}
		if err := e.part(c, values); err != nil {
			return fmt.Errorf("column %s: %w: %w", c.Name, ErrRows, err)
		}
		e.send(piece)
	}
	e.end(c)
	return e.err
}

// part encodes the values of a part. Values whose encoding begins with something about all parts wait for end.
func (e *encoder) part(c *rows.Column, values any) error {
	switch values := values.(type) {
	case *rows.Text:
		for i := range values.Len() {
			v := values.At(i)
			switch {
			case c.As != rows.Hash:
				e.buf.PutUVarInt(uint64(len(v)))
			case len(v) != 32:
				return fmt.Errorf("a hash has %d bytes", len(v))
			}
			e.buf.PutRaw(v)
			e.send(piece)
		}
	case *rows.Words:
		e.wordsOf(c.As, values)
	case []string:
		e.strings(c.As, values)
	case [][]byte:
		for _, v := range values {
			e.buf.PutUVarInt(uint64(len(v)))
			e.buf.PutRaw(v)
			e.send(piece)
		}
	case [][]string:
		e.lists = append(e.lists, values...)
	case []finding.Evidence:
		e.proofs = append(e.proofs, values...)
	case []time.Time:
		for _, v := range values {
			e.buf.PutInt64(milliOf(v))
		}
	case []schema.Format:
		for _, v := range values {
			if v != schema.Protobuf && v != schema.JSON {
				v = 0
			}
			e.buf.PutByte(byte(v))
		}
	default:
		return e.numbers(values)
	}
	return nil
}

func (e *encoder) numbers(values any) error {
	switch values := values.(type) {
	case []bool:
		fixed(e, proto.ColBool(values))
	case []uint8:
		fixed(e, proto.ColUInt8(values))
	case []int32:
		fixed(e, proto.ColInt32(values))
	case []int64: // also Unix nanoseconds, which are a DateTime64(9)
		fixed(e, proto.ColInt64(values))
	case []uint32:
		fixed(e, proto.ColUInt32(values))
	case []uint64:
		fixed(e, proto.ColUInt64(values))
	case []float64:
		fixed(e, proto.ColFloat64(values))
	default:
		return fmt.Errorf("no encoding of %T", values)
	}
	return nil
}

func fixed[C interface {
	~[]V
	EncodeColumn(b *proto.Buffer)
}, V any](e *encoder, values C) {
	for some := range slices.Chunk(values, chunk) {
		some.EncodeColumn(&e.buf)
		e.send(piece)
	}
}

func (e *encoder) strings(as rows.Conversion, values []string) {
	switch as {
	case rows.Word:
		for _, v := range values {
			e.words.Append(v)
		}
	case rows.Day:
		last, day := "", dayOf("")
		for _, v := range values {
			if v != last {
				last, day = v, dayOf(v)
			}
			e.buf.PutInt32(day)
		}
	default:
		e.texts(values)
	}
}

func (e *encoder) wordsOf(as rows.Conversion, values *rows.Words) {
	switch as {
	case rows.Word:
		e.words.AppendAll(values)
	case rows.Day:
		for _, text := range values.Texts() {
			e.days = append(e.days, dayOf(text))
		}
		for _, key := range values.Keys() {
			e.buf.PutInt32(e.days[key])
		}
		e.days = e.days[:0]
	default:
		texts := values.Texts()
		for _, key := range values.Keys() {
			e.buf.PutString(texts[key])
			e.send(piece)
		}
	}
}

func (e *encoder) texts(values []string) {
	for _, v := range values {
		e.buf.PutString(v)
		e.send(piece)
	}
}

// end encodes the values that waited.
func (e *encoder) end(c *rows.Column) {
	switch {
	case c.ClickHouse == "LowCardinality(String)":
		e.buf.PutInt64(sharedDictionary)
		e.dictionary()
	case c.ClickHouse == "Array(LowCardinality(String))":
		e.buf.PutInt64(sharedDictionary)
		offset := uint64(0)
		for _, list := range e.lists {
			offset += uint64(len(list))
			e.buf.PutUInt64(offset)
			for _, v := range list {
				e.words.Append(v)
			}
		}
		e.dictionary()
	case c.ClickHouse == "Array(String)":
		offsets(e, e.lists, func(list []string) int { return len(list) })
		for _, list := range e.lists {
			e.texts(list)
		}
	case len(e.proofs) > 0: // Tuple(seqs Array(UInt64), event_ids Array(String))
		offsets(e, e.proofs, func(p finding.Evidence) int { return len(p.Seqs) })
		for i := range e.proofs {
			fixed(e, proto.ColUInt64(e.proofs[i].Seqs))
		}
		offsets(e, e.proofs, func(p finding.Evidence) int { return len(p.EventIDs) })
		for i := range e.proofs {
			e.texts(e.proofs[i].EventIDs)
		}
	}
	clear(e.lists)
	clear(e.proofs)
	e.lists, e.proofs = e.lists[:0], e.proofs[:0]
	e.send(piece)
}

// offsets encodes where each list of a column of lists ends.
func offsets[L any](e *encoder, lists []L, length func(L) int) {
	offset := uint64(0)
	for _, list := range lists {
		offset += uint64(length(list))
		e.buf.PutUInt64(offset)
	}
}

// The encoding of a LowCardinality: a version, then the flags of a dictionary that is sent with the keys, beside the
// width of a key.
const (
	sharedDictionary  = 1
	withDictionary    = 1<<9 | 1<<10
	keysOfOneByte     = 0
	keysOfTwoBytes    = 1
	keysOfFourBytes   = 2
	maxKeysOfOneByte  = 1 << 8
	maxKeysOfTwoBytes = 1 << 16
)

func (e *encoder) dictionary() {
	texts, all := e.words.Texts(), e.words.Keys()
	if len(all) == 0 {
		return
	}
	width := int64(keysOfFourBytes)
	switch {
	case len(texts) <= maxKeysOfOneByte:
		width = keysOfOneByte
	case len(texts) <= maxKeysOfTwoBytes:
		width = keysOfTwoBytes
	}
	e.buf.PutInt64(withDictionary | width)
	e.buf.PutInt64(int64(len(texts)))
	e.texts(texts)
	e.buf.PutInt64(int64(len(all)))
	for keys := range slices.Chunk(all, chunk) {
		switch width {
		case keysOfOneByte:
			for _, key := range keys {
				e.buf.Buf = append(e.buf.Buf, byte(key))
			}
		case keysOfTwoBytes:
			for _, key := range keys {
				e.buf.Buf = binary.LittleEndian.AppendUint16(e.buf.Buf, uint16(key))
			}
		default:
			proto.ColUInt32(keys).EncodeColumn(&e.buf)
		}
		e.send(piece)
	}
	e.words.Reset()
}

// dayOf is a gaming day as a Date32. Text that is no day, or outside the years of the type, becomes its zero,
// 1900-01-01: a wrong clock must not stop the table.
func dayOf(v string) int32 {
	day, err := time.Parse(time.DateOnly, v)
	if err != nil || day.Year() < 1900 || day.Year() > 2299 {
		day = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return int32(day.Unix() / (24 * 60 * 60))
}

// milliOf is a time as a DateTime64(3); the zero time is 0.
func milliOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}
