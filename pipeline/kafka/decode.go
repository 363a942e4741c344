package kafka

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"strings"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// decode copies the records of a Fetch into the page, and sets next to the offset of the next Fetch: one after the last
// record that was read, not the high watermark, because a response may end before it.
func (p *partition) decode(in kafka.RecordReader, pg *page) error {
	batches := []kafka.RecordReader{in}
	if stream, ok := in.(*protocol.RecordStream); ok {
		batches = stream.Records
	}
	start, beyond := p.next, int64(-1)
	for _, b := range batches {
		control := false
		switch b := b.(type) {
		case *protocol.ControlBatch:
			control = true // The end of a transaction: one record that is no event.
			beyond = max(beyond, b.BaseOffset+1)
		case *protocol.RecordBatch:
			beyond = max(beyond, b.BaseOffset)
		}
		if err := p.batch(b, control, pg); err != nil {
			return err
		}
	}
	if p.next > start || beyond < 0 {
		p.empty = 0
		return nil
	}
	if beyond > p.next {
		p.next, p.empty = beyond, 0
		return nil
	}
	// There are batches, and no record at next or later: compaction removed the last records of a
	// batch. There is no record at offset next; without a step every Fetch would return the same.
	if p.empty++; p.empty >= emptyFetches {
		p.next++
		p.empty = 0
	}
	return nil
}

// batch copies the records of one batch, and returns their memory to kafka-go.
func (p *partition) batch(in kafka.RecordReader, control bool, pg *page) error {
	for {
		r, err := in.ReadRecord()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read topic %s, partition %d after offset %d: %w", p.Topic(), p.id, p.next, err)
		}
		// A Fetch returns whole batches, with the records before the requested offset.
		if !control && r.Offset >= p.next && (p.until < 0 || r.Offset < p.until) {
			err = pg.add(r)
		}
		if !control && r.Offset >= p.next {
			p.next = r.Offset + 1
		}
		if r.Key != nil {
			r.Key.Close()
		}
		if r.Value != nil {
			r.Value.Close()
		}
		if err != nil {
			return fmt.Errorf("read topic %s, partition %d, offset %d: %w", p.Topic(), p.id, r.Offset, err)
		}
	}
}

// reset empties the page. It keeps the buffer up to a size.
func (pg *page) reset(keep int) {
	if cap(pg.data) > keep {
		pg.data = nil
	}
	clear(pg.records)
	pg.records, pg.data, pg.err = pg.records[:0], pg.data[:0], nil
}

func (pg *page) add(r *kafka.Record) error {
	key, err := pg.copy(r.Key)
	if err != nil {
		return err
	}
	value, err := pg.copy(r.Value)
	if err != nil {
		return err
	}
	rec := pipeline.Record{Offset: r.Offset, Key: key, Value: value, Format: schema.Protobuf}
	if len(r.Headers) > 0 {
		rec.Format, rec.Bad = formatOf(r.Headers)
	}
	if r.Value == nil && rec.Bad == nil {
		rec.Bad = errors.New("a tombstone: the record has no value")
	}
	pg.records = append(pg.records, rec)
	return nil
}

func (pg *page) copy(b kafka.Bytes) ([]byte, error) {
	if b == nil || b.Len() == 0 {
		return nil, nil
	}
	start, n := len(pg.data), b.Len()
	if start+n > cap(pg.data) {
		// Records already in the page keep the old buffer.
		pg.data = make([]byte, 0, max(2*cap(pg.data), n, 1<<16))
		start = 0
	}
	pg.data = pg.data[:start+n]
	_, err := io.ReadFull(b, pg.data[start:])
	return pg.data[start : start+n : start+n], err
}

// formatOf reads the header content-type.
func formatOf(headers []kafka.Header) (schema.Format, error) {
	format := schema.Format(0)
	for _, h := range headers {
		if !strings.EqualFold(h.Key, contentType) {
			continue
		}
		f, ok := formatNamed(string(h.Value))
		if !ok {
			return schema.Protobuf, fmt.Errorf("content-type %.80q, expected %s or %s", h.Value, jsonType, protobufType)
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
