package kafka

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/compress"
	"github.com/segmentio/kafka-go/protocol"

	"github.com/shoeproof/shoeproof/pipeline"
)

// sent is a batch of format 2 with records at the offsets, of which the last may be missing.
func sent(base, last int64, offsets ...int64) []byte {
	records := []byte{}
	for _, o := range offsets {
		fields := append([]byte{0, 0}, binary.AppendVarint(nil, o-base)...)
		fields = append(fields, 1, 2, 'v', 0) // no key, a value of one byte, no headers
		records = append(binary.AppendVarint(records, int64(len(fields))), fields...)
	}
	return enclosed(base, last, 0, len(offsets), records)
}

func enclosed(base, last int64, attributes uint16, n int, records []byte) []byte {
	b := make([]byte, recordsAt, recordsAt+len(records))
	binary.BigEndian.PutUint64(b, uint64(base))
	binary.BigEndian.PutUint32(b[lengthAt:], uint32(recordsAt+len(records)-lengthAt-4))
	b[magicAt] = 2
	binary.BigEndian.PutUint16(b[attributesAt:], attributes)
	binary.BigEndian.PutUint32(b[deltaAt:], uint32(last-base))
	binary.BigEndian.PutUint32(b[countAt:], uint32(n))
	b = append(b, records...)
	binary.BigEndian.PutUint32(b[crcAt:], crc32.Checksum(b[attributesAt:], crc32.MakeTable(crc32.Castagnoli)))
	return b
}

func control(base int64) []byte { return enclosed(base, base, controlBatch, 1, []byte("marker")) }

// decodedAll gives a response to a partition at an offset.
func decodedAll(t *testing.T, next int64, batches ...[]byte) (*partition, []pipeline.Record) {
	t.Helper()
	src, err := Open(Config{Brokers: []string{"a:1"}, Topic: "t"})
	if err != nil {
		t.Fatal(err)
	}
	p := newPartition(src, 0, 0, nil)
	p.next, p.batches, p.first = next, slices.Concat(batches...), true
	if err := (&fetched{batches: p.batches}).check(); err != nil {
		t.Fatal(err)
	}
	var records []pipeline.Record
	for p.open != nil || len(p.batches) > 0 {
		pg := &page{}
		if err := p.decode(t.Context(), pg); err != nil {
			t.Fatal(err)
		}
		if cap(pg.data) > pageBytes+maxRecord {
			t.Errorf("a page of %d bytes", cap(pg.data))
		}
		records = append(records, pg.records...)
	}
	return p, records
}

func TestWhereTheNextFetchBegins(t *testing.T) {
	for _, c := range []struct {
		name       string
		next       int64
		in         [][]byte
		want       int64
		wantRecord int
	}{
		{"nothing", 7, nil, 7, 0},
		{"records", 7, [][]byte{sent(7, 9, 7, 8, 9)}, 10, 3},
		{"whole batch", 8, [][]byte{sent(7, 9, 7, 8, 9)}, 10, 2},
		{"compacted within", 8, [][]byte{sent(7, 12, 7, 12)}, 13, 1},
		{"a marker", 7, [][]byte{control(7)}, 8, 0},
		{"records and a marker", 7, [][]byte{sent(7, 8, 7, 8), control(9)}, 10, 2},
		{"a marker after a hole", 7, [][]byte{control(20)}, 21, 0},
		{"an empty batch further on", 7, [][]byte{sent(30, 31)}, 32, 0},
		{"a batch that lost its end", 8, [][]byte{sent(5, 9, 5, 6)}, 10, 0},
		{"a response that ends within a batch", 7, [][]byte{sent(7, 7, 7), sent(8, 8, 8)[:65]}, 8, 1},
	} {
		p, records := decodedAll(t, c.next, c.in...)
		if p.next != c.want {
			t.Errorf("%s: next is %d, want %d", c.name, p.next, c.want)
		}
		if len(records) != c.wantRecord {
			t.Errorf("%s: %d records, want %d", c.name, len(records), c.wantRecord)
		}
	}
}

// Bytes that changed on their way are read again; a batch that its producer sent so never gets better.
func TestBatchesThatCannotBeRead(t *testing.T) {
	changed := sent(7, 8, 7, 8)
	changed[len(changed)-2] ^= 1
	if err := (&fetched{batches: changed}).check(); err == nil || !strings.Contains(err.Error(), "CRC") {
		t.Errorf("changed bytes: %v", err)
	}
	if err := (&fetched{batches: sent(7, 7, 7)[:65]}).check(); !errors.Is(err, errShort) {
		t.Errorf("a short response: %v", err)
	}
	whole := sent(7, 9, 7, 8, 9)[recordsAt:]
	declared := binary.AppendUvarint(nil, 1<<32-1) // the length of a snappy block
	for name, in := range map[string][]byte{
		"no gzip":              enclosed(7, 9, uint16(compress.Gzip), 3, []byte("plain")),
		"no snappy":            enclosed(7, 9, uint16(compress.Snappy), 3, []byte{0xff}),
		"a large snappy block": enclosed(7, 9, uint16(compress.Snappy), 3, append(declared, "data"...)),
		"no lz4":               enclosed(7, 9, uint16(compress.Lz4), 3, []byte("plain")),
		"no zstd":              enclosed(7, 9, uint16(compress.Zstd), 3, []byte("plain")),
		"an unknown codec":     enclosed(7, 9, 5, 3, []byte("plain")),
		"too few records":      enclosed(7, 9, 0, 4, whole),
		"a record at its end":  enclosed(7, 9, 0, 3, whole[:len(whole)-1]),
		"a negative length":    enclosed(7, 9, 0, 3, []byte{1}),
		"a long record":        enclosed(7, 9, 0, 1, binary.AppendVarint(nil, 1<<40)),
		"an offset beyond":     enclosed(7, 9, 0, 3, sent(7, 10, 7, 8, 10)[recordsAt:]),
	} {
		p, records := decodedAll(t, 7, in, sent(10, 10, 10))
		if p.next != 11 || len(records) < 2 || records[len(records)-1].Bad != nil {
			t.Fatalf("%s: next is %d after %d records", name, p.next, len(records))
		}
		bad := records[len(records)-2]
		want := fmt.Sprintf("SHA-256 %x", sha256.Sum256(in))
		if bad.Bad == nil || bad.Value != nil || !strings.Contains(bad.Bad.Error(), want) {
			t.Errorf("%s: %v", name, bad.Bad)
		}
	}
}

// Many small records are no more memory than a few large ones.
func TestPagesOfAnInflatedBatch(t *testing.T) {
	const n = 1_000_000
	records := bytes.Repeat([]byte{14, 0, 0, 0, 1, 2, 'v', 0}, n)
	var packed bytes.Buffer
	w := compress.Gzip.Codec().NewWriter(&packed)
	_, _ = w.Write(records)
	_ = w.Close()
	if _, got := decodedAll(t, 7, enclosed(7, 7, uint16(compress.Gzip), n, packed.Bytes())); len(got) != 1 {
		t.Errorf("%d records at one offset, want 1", len(got))
	}
	large := make([]byte, pipeline.MaxEvent+1)
	fields := append(binary.AppendVarint([]byte{0, 0, 0, 1}, int64(len(large))), large...)
	fields = append(fields, 0)
	in := enclosed(7, 7, 0, 1, append(binary.AppendVarint(nil, int64(len(fields))), fields...))
	_, got := decodedAll(t, 7, in)
	want := fmt.Sprintf("event of 16777217 bytes, an event has at most 16777216; SHA-256 %x", sha256.Sum256(large))
	if len(got) != 1 || got[0].Value != nil || got[0].Bad == nil || got[0].Bad.Error() != want {
		t.Errorf("one byte too many: %d records", len(got))
	}
}

// Messages of the formats 0 and 1 are in logs that are older than their brokers.
func TestOldMessages(t *testing.T) {
	message := func(codec compress.Compression) []byte {
		var out bytes.Buffer
		set := protocol.RecordSet{Version: 1, Attributes: protocol.Attributes(codec), Records: protocol.NewRecordReader(
			protocol.Record{Value: protocol.NewBytes([]byte("a"))}, protocol.Record{Value: protocol.NewBytes([]byte("b"))})}
		if _, err := set.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()[4:]
	}
	for _, codec := range []compress.Compression{compress.None, compress.Gzip, compress.Snappy, compress.Lz4} {
		p, got := decodedAll(t, 0, message(codec))
		if p.next != 2 || len(got) != 2 || string(got[0].Value) != "a" || string(got[1].Value) != "b" {
			t.Errorf("%s: %d records, next is %d", codec, len(got), p.next)
		}
	}
}

func TestValuesOutliveTheGrowthOfTheirPage(t *testing.T) {
	pg := &page{}
	var want []string
	for i := range 200 {
		v := strings.Repeat(string(rune('a'+i%26)), 1000+i)
		want = append(want, v)
		value := pg.take(len(v))
		copy(value, v)
		pg.records = append(pg.records, pipeline.Record{Offset: int64(i), Value: value})
	}
	for i, r := range pg.records {
		if string(r.Value) != want[i] {
			t.Fatalf("value %d is damaged", i)
		}
	}
	pg.reset(10)
	if pg.data != nil || len(pg.records) != 0 {
		t.Error("a page keeps more memory than it may")
	}
}

func TestOneLineForEachCause(t *testing.T) {
	var out strings.Builder
	tr := newHealth(slog.New(slog.NewTextHandler(&out, nil)), nil)
	for range 100 {
		tr.add("partition 1", kafka.NotLeaderForPartition)
		tr.add("partition 2", kafka.NotLeaderForPartition)
		tr.add("group", kafka.GroupCoordinatorNotAvailable)
	}
	if n := strings.Count(out.String(), "\n"); n != 2 {
		t.Errorf("%d lines, want 2:\n%s", n, out.String())
	}
	tr.logged[cause(kafka.NotLeaderForPartition)] = note{at: time.Now().Add(-logInterval), suppressed: 199}
	tr.add("partition 1", kafka.NotLeaderForPartition)
	if n := strings.Count(out.String(), "\n"); n != 3 || !strings.Contains(out.String(), "suppressed=199") {
		t.Errorf("%d lines, want 3, the last with suppressed=199:\n%s", n, out.String())
	}
	tr.clear("group")
	tr.clear("partition 1")
	if err := tr.first(); err == nil || !strings.HasPrefix(err.Error(), "partition 2: ") {
		t.Errorf("got %v", err)
	}
	tr.clear("partition 2")
	if err := tr.first(); err != nil {
		t.Errorf("got %v", err)
	}
}
