package kafka

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/segmentio/kafka-go/compress"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// maxRecord is the largest record that is read into memory: an event of the max size, its key and its headers.
const maxRecord = pipeline.MaxEvent + 64<<10

// batch is an open batch of format 2, of which a page may take a part.
type batch struct {
	raw        []byte
	base, last int64
	left       int32 // records not yet read
	inflated   io.ReadCloser
	body       *bufio.Reader
}

// Places in a batch of format 2. The formats 0 and 1 have the length and the format in the same places.
const (
	lengthAt, magicAt, crcAt, attributesAt, deltaAt, countAt, recordsAt = 8, 16, 17, 21, 23, 57, 61
)

const controlBatch = 1 << 5 // of the attributes: the end of a transaction, a record that is no event

// errShort is the end of a response within a batch, which the next Fetch returns whole.
var errShort = errors.New("the response ends within the first batch")

// cutBatch splits the bytes of the first batch from the response.
func cutBatch(in []byte) (raw, rest []byte, err error) {
	if len(in) <= magicAt {
		return nil, nil, errShort
	}
	n := int64(binary.BigEndian.Uint32(in[lengthAt:])) + lengthAt + 4
	if n > int64(len(in)) {
		return nil, nil, errShort
	}
	magic := in[magicAt]
	if n <= magicAt || magic > 2 || magic == 2 && n < recordsAt {
		return nil, nil, fmt.Errorf("a batch of format %d has %d bytes", magic, n)
	}
	return in[:n], in[n:], nil
}

// check returns an error if the batches changed since the producer sent them: the next Fetch may be right.
func (f *fetched) check() error {
	for in, first := f.batches, true; len(in) > 0; first = false {
		raw, rest, err := cutBatch(in)
		switch {
		case errors.Is(err, errShort) && (!first || f.left > 0):
			return nil
		case err != nil:
			return err
		}
		sum, want := crc32.Checksum(raw[attributesAt:], crc32.MakeTable(crc32.Castagnoli)), raw[crcAt:]
		if raw[magicAt] < 2 {
			sum, want = crc32.ChecksumIEEE(raw[magicAt:]), raw[magicAt-4:]
		}
		if want := binary.BigEndian.Uint32(want); sum != want {
			return fmt.Errorf("a batch has CRC %08x, expected %08x", sum, want)
		}
		in = rest
	}
	return nil
}

// openBatch opens a batch of format 2.
func openBatch(ctx context.Context, raw []byte, body *bufio.Reader) *batch {
	b := &batch{raw: raw, body: body, base: int64(binary.BigEndian.Uint64(raw))}
	b.last = b.base + int64(binary.BigEndian.Uint32(raw[deltaAt:]))
	attributes := binary.BigEndian.Uint16(raw[attributesAt:])
	if attributes&controlBatch != 0 {
		return b
	}
	inflated, err := inflate(compress.Compression(attributes&7), raw[recordsAt:])
	if err != nil {
		inflated = io.NopCloser(failing{err})
	}
	b.inflated = inflated
	b.left = int32(binary.BigEndian.Uint32(raw[countAt:]))
	body.Reset(&bounded{ctx, inflated, maxInflated})
	return b
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func (b *batch) close() {
	if b.inflated != nil {
		_ = b.inflated.Close()
	}
}

// next reads one record into the page, io.EOF after the last. Of a record beyond maxRecord it reads only the hash.
func (b *batch) next(pg *page) (pipeline.Record, error) {
	if b.left <= 0 {
		return pipeline.Record{}, io.EOF
	}
	b.left--
	n, err := binary.ReadVarint(b.body)
	switch {
	case err != nil:
		return pipeline.Record{}, short(err)
	case n < 0:
		return pipeline.Record{}, fmt.Errorf("a record of %d bytes", n)
	case n > maxRecord:
		return b.oversize(n)
	}
	data := pg.take(int(n))
	if _, err := io.ReadFull(b.body, data); err != nil {
		return pipeline.Record{}, short(err)
	}
	return b.parse(data)
}

func short(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (b *batch) parse(data []byte) (pipeline.Record, error) {
	f := fields{data: data}
	f.bytes(1) // attributes
	f.number() // time
	r := pipeline.Record{Offset: b.base + f.number(), Key: f.nullable(), Value: f.nullable(), Format: schema.Protobuf}
	var types []string
	for headers := f.number(); headers > 0 && !f.bad; headers-- {
		name, content := f.nullable(), f.nullable()
		switch {
		case strings.EqualFold(string(name), contentType):
			types = append(types, string(content))
		case string(name) == traceParent:
			r.TraceParent = content
		}
	}
	if f.bad || r.Offset < b.base || r.Offset > b.last {
		return r, errContradiction
	}
	r.Format, r.Bad = formatOf(types)
	return limited(r), nil
}

// limited makes a tombstone or an oversize event a record without a value.
func limited(r pipeline.Record) pipeline.Record {
	switch {
	case r.Bad != nil:
	case r.Value == nil:
		r.Bad = errors.New("a tombstone: the record has no value")
	case len(r.Value) > pipeline.MaxEvent:
		r.Bad = &pipeline.OversizeError{What: "event", Bytes: int64(len(r.Value)), SHA256: sha256.Sum256(r.Value)}
		r.Value = nil
	}
	return r
}

var errContradiction = errors.New("a record contradicts its batch")

// oversize reads past a record of n bytes, and hashes its value.
func (b *batch) oversize(n int64) (pipeline.Record, error) {
	in := &counted{r: b.body, left: n}
	_, _ = in.ReadByte() // attributes
	_, _ = binary.ReadVarint(in)
	delta, _ := binary.ReadVarint(in)
	r := pipeline.Record{Offset: b.base + delta}
	key, _ := binary.ReadVarint(in)
	_, _ = io.CopyN(io.Discard, in, max(0, min(key, in.left)))
	size, _ := binary.ReadVarint(in)
	hash := sha256.New()
	size, _ = io.CopyN(hash, in, max(0, min(size, in.left)))
	// An error of the stream returns here: everything before it leaves a rest.
	if _, err := io.CopyN(io.Discard, in, in.left); err != nil {
		return r, short(err)
	}
	if r.Offset < b.base || r.Offset > b.last {
		return r, errContradiction
	}
	r.Bad = &pipeline.OversizeError{What: "event", Bytes: size, SHA256: [sha256.Size]byte(hash.Sum(nil))}
	return r, nil
}

// counted is the rest of a record.
type counted struct {
	r    *bufio.Reader
	left int64
}

func (c *counted) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, io.EOF
	}
	n, err := c.r.Read(p[:min(int64(len(p)), c.left)])
	c.left -= int64(n)
	return n, err
}

func (c *counted) ReadByte() (byte, error) {
	if c.left <= 0 {
		return 0, io.EOF
	}
	c.left--
	return c.r.ReadByte()
}

// fields reads the fields of a record. After an error all are empty.
type fields struct {
	data []byte
	bad  bool
}

func (f *fields) bytes(n int64) []byte {
	if n < 0 || n > int64(len(f.data)) {
		f.bad = true
		return nil
	}
	out := f.data[:n:n]
	f.data = f.data[n:]
	return out
}

func (f *fields) number() int64 {
	v, n := binary.Varint(f.data)
	if n <= 0 {
		f.bad = true
		return 0
	}
	f.data = f.data[n:]
	return v
}

// nullable is nil for a field of length -1, and not nil for an empty one.
func (f *fields) nullable() []byte {
	n := f.number()
	if f.bad || n == -1 {
		return nil
	}
	return f.bytes(n)
}
