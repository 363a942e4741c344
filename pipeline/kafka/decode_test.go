package kafka

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/segmentio/kafka-go"
	"github.com/segmentio/kafka-go/protocol"
)

func stream(batches ...kafka.RecordReader) kafka.RecordReader {
	return &protocol.RecordStream{Records: batches}
}

func batch(base int64, offsets ...int64) kafka.RecordReader {
	records := make([]kafka.Record, len(offsets))
	for i, o := range offsets {
		records[i] = kafka.Record{Offset: o, Value: kafka.NewBytes([]byte("v"))}
	}
	return &protocol.RecordBatch{BaseOffset: base, Records: kafka.NewRecordReader(records...)}
}

func control(base int64) kafka.RecordReader {
	return &protocol.ControlBatch{BaseOffset: base, Records: kafka.NewRecordReader(kafka.Record{Offset: base})}
}

func TestWhereTheNextFetchBegins(t *testing.T) {
	src, err := Open(Config{Brokers: []string{"a:1"}, Topic: "t"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name       string
		next       int64
		in         kafka.RecordReader
		times      int
		want       int64
		wantRecord int
	}{
		{"nothing", 7, stream(), 9, 7, 0},
		{"no stream", 7, kafka.NewRecordReader(), 9, 7, 0},
		{"records", 7, stream(batch(7, 7, 8, 9)), 1, 10, 3},
		{"whole batch", 8, stream(batch(7, 7, 8, 9)), 1, 10, 2},
		{"compacted within", 8, stream(batch(7, 7, 12)), 1, 13, 1},
		{"a marker", 7, stream(control(7)), 1, 8, 0},
		{"records and a marker", 7, stream(batch(7, 7, 8), control(9)), 1, 9, 2},
		{"a marker after a hole", 7, stream(control(20)), 1, 21, 0},
		{"an empty batch further on", 7, stream(batch(30)), 1, 30, 0},
		{"a batch that lost its end, once", 8, stream(batch(5, 5, 6)), 1, 8, 0},
		{"a batch that lost its end, each time", 8, stream(batch(5, 5, 6)), emptyFetches, 9, 0},
	} {
		p := newPartition(src, 0, 0, nil)
		p.next = c.next
		records := 0
		for range c.times {
			pg := &page{}
			if err := p.decode(c.in, pg); err != nil {
				t.Fatal(err)
			}
			records += len(pg.records)
		}
		if p.next != c.want {
			t.Errorf("%s: next is %d, want %d", c.name, p.next, c.want)
		}
		if records != c.wantRecord {
			t.Errorf("%s: %d records, want %d", c.name, records, c.wantRecord)
		}
	}
}

func TestValuesOutliveTheGrowthOfTheirPage(t *testing.T) {
	pg := &page{}
	var want []string
	for i := range 200 {
		v := strings.Repeat(string(rune('a'+i%26)), 1000+i)
		want = append(want, v)
		if err := pg.add(&kafka.Record{Offset: int64(i), Value: kafka.NewBytes([]byte(v))}); err != nil {
			t.Fatal(err)
		}
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
