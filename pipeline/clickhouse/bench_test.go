//go:build unix

package clickhouse

import (
	"fmt"
	"io"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// floor is a batch of events such as a partition of 50 tables gives.
func floor(rows int) *pipeline.Batch {
	b := &pipeline.Batch{Range: pipeline.Range{Topic: "table-events", Records: uint64(rows)}}
	kinds := []string{"card_dealt", "wager_placed", "wager_paid", "wager_collected", "announced", "vigorish_marked"}
	raw := make([]byte, 0, 160)
	e := &b.Events
	for i := range rows {
		table := i % 50
		e.PropertyID.Append("ac-1")
		e.PitID.Append(fmt.Sprintf("p%d", table/10))
		e.TableID.Append(fmt.Sprintf("mb-%02d", table))
		e.Seq = append(e.Seq, uint64(i/50))
		e.EventID.AppendString(fmt.Sprintf("01JD%022d", i))
		e.At = append(e.At, 1_795_000_000_000_000_000+int64(i)*20_000_000)
		e.GamingDay.Append("2026-11-19")
		e.ShoeID.Append(fmt.Sprintf("mb-%02d-20261119-09", table))
		e.Round = append(e.Round, uint32(i/1000))
		e.Kind.Append(kinds[i%len(kinds)])
		e.Format = append(e.Format, schema.Protobuf)
		raw = fmt.Appendf(raw[:0], "ac-1 mb-%02d %030d 6c face up from the shoe, seen by shoe-7 and the dealer d114",
			table, i*2654435761)
		e.Raw.Append(raw)
		e.SHA256.AppendString(fmt.Sprintf("%032d", i*2654435761))
		e.Partition = append(e.Partition, 3)
		e.Offset, e.Copy = append(e.Offset, int64(i)), append(e.Copy, 3)
		e.Topic.Append("t")
	}
	return b
}

func BenchmarkWriteEvents(b *testing.B) {
	for _, rows := range []int{500, 5_000, 50_000} {
		b.Run(fmt.Sprint(rows), func(b *testing.B) {
			s := open(b, migrated(b))
			batch := floor(rows)
			b.ReportAllocs()
			for b.Loop() {
				batch.Range.To++ // another token
				write(b, s, batch)
			}
			b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// One flush with few rows in every table: what a batch costs however small it is.
func BenchmarkWriteEveryTable(b *testing.B) {
	s := open(b, migrated(b))
	batch := floor(500)
	batch.Vigorish = make([]rows.Vigorish, 10)
	batch.Shoes, batch.Configs, batch.Notices = make([]rows.Shoe, 1), make([]rows.Config, 1), make([]rows.Notice, 1)
	batch.Snapshots, batch.Findings = make([]rows.Snapshot, 1), make([]finding.Finding, 3)
	b.ReportAllocs()
	for b.Loop() {
		batch.Range.To++
		write(b, s, batch)
	}
}

// What a row costs this process: encoding, without the network and the server.
func BenchmarkEncodeEvents(b *testing.B) {
	const n = 5000
	events := table{Table: *rows.Find("events")}
	batch, e := floor(n), &encoder{}
	b.ReportAllocs()
	for b.Loop() {
		e.out = io.Discard
		if err := e.block(&events, []part{{View: events.View(&batch.Set)}}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
