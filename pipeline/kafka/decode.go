package kafka

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"mime"

	"github.com/segmentio/kafka-go/compress"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// decode reads records of the last Fetch until the page is full, and sets next to the offset of the next Fetch. The
// rest stays compressed for the next page: a batch inflates to many times its size.
func (p *partition) decode(ctx context.Context, pg *page) error {
	for !pg.full() && (p.open != nil || len(p.batches) > 0) {
		if p.open == nil {
			p.openNext(ctx, pg)
			continue
		}
		start := len(pg.data)
		r, err := p.open.next(pg)
		switch {
		case err == nil:
			if !p.add(r, pg) {
				pg.data = pg.data[:start]
			}
			continue
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !errors.Is(err, io.EOF):
			p.refuse(p.open, err, pg)
		}
		p.next = max(p.next, p.open.last+1) // Compaction may have removed the last records.
		p.close()
	}
	return nil
}

// close ends the open batch.
func (p *partition) close() {
	if p.open != nil {
		p.open.close()
		p.open = nil
	}
}

// add appends a record that the page is to have: a Fetch returns whole batches, with the records before its offset.
func (p *partition) add(r pipeline.Record, pg *page) bool {
	if r.Offset < p.next {
		return false
	}
	p.next = r.Offset + 1
	if p.until >= 0 && r.Offset >= p.until {
		return false
	}
	pg.records = append(pg.records, r)
	return true
}

// refuse makes the records of a batch that cannot be read one dead letter. The brokers check no compressed batch that
// they do not have to open, so that a retry would read the same bytes forever.
func (p *partition) refuse(b *batch, err error, pg *page) {
	// Below next if all its offsets were read and it has more records.
	from := min(max(p.next, b.base), b.last)
	bad := &pipeline.OversizeError{
		What:  fmt.Sprintf("batch with %s: %v: a compressed batch", finding.OffsetRange(from, b.last), err),
		Bytes: int64(len(b.raw)), SHA256: sha256.Sum256(b.raw),
	}
	if !errors.Is(err, errInflates) {
		bad.What, bad.Malformed = fmt.Sprintf("batch with %s: %v", finding.OffsetRange(from, b.last), err), true
	}
	if p.until < 0 || from < p.until {
		pg.records = append(pg.records, pipeline.Record{Offset: from, Bad: bad})
	}
	p.next = max(p.next, b.last+1)
}

// openNext opens the next batch of the response.
func (p *partition) openNext(ctx context.Context, pg *page) {
	in, first := p.batches, p.first
	raw, rest, err := cutBatch(in)
	p.batches, p.first = rest, false
	switch {
	case err != nil && first:
		p.tooLong(in, pg)
	case err != nil: // The response ends within a batch.
		p.batches = nil
	case raw[magicAt] < 2:
		last := int64(binary.BigEndian.Uint64(raw))
		if err := p.old(ctx, raw, pg); err != nil && ctx.Err() == nil {
			p.refuse(&batch{raw: raw, base: last, last: last}, err, pg)
		}
	default:
		if p.body == nil {
			p.body = bufio.NewReaderSize(nil, 32<<10)
		}
		p.open = openBatch(ctx, raw, p.body)
	}
}

// tooLong steps past a first batch beyond maxResponse.
func (p *partition) tooLong(in []byte, pg *page) {
	base := int64(binary.BigEndian.Uint64(in))
	last := base
	if in[magicAt] == 2 {
		last += int64(binary.BigEndian.Uint32(in[deltaAt:]))
	}
	what := "batch with " + finding.OffsetRange(max(p.next, base), last)
	p.add(pipeline.Record{
		Offset: max(p.next, base),
		Bad:    &pipeline.OversizeError{What: what, Bytes: int64(len(in)) + p.left, SHA256: p.sum},
	}, pg)
	p.next = max(p.next, last+1)
}

// old reads a message of the formats 0 and 1, which brokers before 4 may still have. kafka-go decodes it after its
// inflated size has been found to be small.
func (p *partition) old(ctx context.Context, raw []byte, pg *page) error {
	const attributesAt, keyAt0, keyAt1 = 17, 18, 26
	if codec := compress.Compression(raw[attributesAt] & 7); codec != compress.None {
		f := wire{r: bytes.NewReader(raw), left: int64(len(raw))}
		f.skip(keyAt0 + int64(raw[magicAt])*(keyAt1-keyAt0))
		f.skip(int64(max(0, f.int32())))
		value := make([]byte, max(0, min(int64(f.int32()), f.left)))
		f.read(value)
		in, err := inflate(codec, value)
		if err != nil || f.err != nil {
			return errors.Join(f.err, err)
		}
		_, err = io.Copy(io.Discard, &bounded{ctx, in, 2 * pipeline.MaxEvent})
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	size := binary.BigEndian.AppendUint32(nil, uint32(len(raw)))
	set := protocol.RecordSet{}
	if _, err := set.ReadFrom(io.MultiReader(bytes.NewReader(size), bytes.NewReader(raw))); err != nil {
		return err
	}
	for {
		m, err := set.Records.ReadRecord()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		r := pipeline.Record{Offset: m.Offset, Format: schema.Protobuf}
		if r.Key, err = protocol.ReadAll(m.Key); err == nil {
			r.Value, err = protocol.ReadAll(m.Value)
		}
		if err != nil {
			return err
		}
		p.add(limited(r), pg)
	}
}

// Limits of a page, beyond which the next record begins another one.
const (
	pageBytes   = 4 << 20
	pageRecords = 16 << 10
)

func (pg *page) full() bool { return pg.taken >= pageBytes || len(pg.records) >= pageRecords }

// reset empties the page. It keeps the buffer up to a size.
func (pg *page) reset(keep int) {
	if cap(pg.data) > keep {
		pg.data = nil
	}
	clear(pg.records)
	pg.records, pg.data, pg.taken, pg.err = pg.records[:0], pg.data[:0], 0, nil
}

// take returns n bytes of the page.
func (pg *page) take(n int) []byte {
	start := len(pg.data)
	if start+n > cap(pg.data) {
		// Records already in the page keep the old buffer.
		pg.data = make([]byte, 0, max(min(2*cap(pg.data), pageBytes), n, 1<<16))
		start = 0
	}
	pg.data = pg.data[:start+n]
	pg.taken += n
	return pg.data[start : start+n : start+n]
}

// formatOf is the format that the headers content-type name.
func formatOf(types []string) (schema.Format, error) {
	format := schema.Format(0)
	for _, name := range types {
		f, ok := formatNamed(name)
		if !ok {
			return schema.Protobuf, fmt.Errorf("content-type %.80q, expected %s or %s", name, jsonType, protobufType)
		}
		if format != 0 && f != format {
			return schema.Protobuf, errors.New("two content-type headers with different formats")
		}
		format = f
	}
	if format == 0 {
		return schema.Protobuf, nil
	}
	return format, nil
}

// traceParent is the header with the trace context of the publisher.
const traceParent = "traceparent"

// The header with the format of an event. The default is Protobuf.
const (
	contentType  = "content-type"
	jsonType     = "application/json"
	protobufType = "application/x-protobuf"
)

func formatNamed(name string) (schema.Format, bool) {
	switch name { // The common case, without a parse.
	case jsonType:
		return schema.JSON, true
	case protobufType:
		return schema.Protobuf, true
	}
	media, _, err := mime.ParseMediaType(name)
	if err != nil {
		return 0, false
	}
	switch media {
	case jsonType:
		return schema.JSON, true
	case protobufType, "application/protobuf", "application/vnd.google.protobuf":
		return schema.Protobuf, true
	}
	return 0, false
}
