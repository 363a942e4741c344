package schema_test

import (
	"fmt"
	"runtime"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/eventspb"
)

// floor is the mix of a floor of tables in play, interleaved, some 17 events a round.
func floor(format schema.Format) (records [][]byte, size int) {
	card := func(hand schema.Hand, index, seq uint32, c string) schema.Payload {
		return &schema.CardDealt{
			Hand: hand, Index: index, Card: c, CardSeq: seq, Face: schema.FaceUp,
			PlacedAt: schema.CardPlaceHandArea,
		}
	}
	const tables, rounds = 40, 10
	seq := make([]uint64, tables)
	for round := uint32(1); round <= rounds; round++ {
		wager := func(table, n int) string { return fmt.Sprintf("w-%02d-%d-%d", table, round, n) }
		script := func(table int) []schema.Payload {
			id := func(n int) string { return wager(table, n) }
			first := 10 + round*5
			return []schema.Payload{
				&schema.RoundStarted{},
				&schema.WagerPlaced{
					WagerID: id(1), Seat: 3, Spot: schema.SpotPlayer, Amount: 2500, Medium: schema.WagerMediumChips,
					PatronRef: "p-77", AreaOK: true,
				},
				&schema.WagerPlaced{
					WagerID: id(2), Seat: 5, Spot: schema.SpotBanker, Amount: 10000,
					Medium: schema.WagerMediumChips, PatronRef: "p-12", AreaOK: true,
				},
				&schema.WagerPlaced{
					WagerID: id(3), Seat: 5, Spot: schema.SpotTie, Amount: 500, Medium: schema.WagerMediumChips,
					PatronRef: "p-12", AreaOK: true,
				},
				&schema.Announced{Code: schema.CallNoMoreBets},
				card(schema.HandPlayer, 1, first, "6c"), card(schema.HandBanker, 1, first+1, "Kh"),
				card(schema.HandPlayer, 2, first+2, "Td"), card(schema.HandBanker, 2, first+3, "7s"),
				&schema.Announced{Code: schema.CallFinalCount, Hand: schema.HandPlayer, Value: 6},
				&schema.Announced{Code: schema.CallBankerWins},
				&schema.WagerCollected{WagerID: id(1), Seat: 3, Amount: 2500},
				&schema.WagerCollected{WagerID: id(3), Seat: 5, Amount: 500},
				&schema.WagerPaid{WagerID: id(2), Seat: 5, Amount: 10000},
				&schema.VigorishMarked{WagerID: id(2), Seat: 5, Amount: 500, Marker: schema.MarkerLammer, Area: 5},
				&schema.DiscardPlaced{
					CardSeqs: []uint32{first, first + 1, first + 2, first + 3}, Destination: "rack",
					OrderPreserved: true,
				},
				&schema.RoundEnded{Result: schema.ResultBanker, PlayerCount: 6, BankerCount: 7, CardsDealt: 4},
			}
		}
		for step := range script(0) {
			for table := range tables {
				seq[table]++
				ev := schema.Event{
					EventID:    fmt.Sprintf("01J%03d%020d", table, seq[table]),
					PropertyID: "ac-1", PitID: fmt.Sprintf("p%d", table/10), TableID: fmt.Sprintf("mb-%02d", table),
					Seq: seq[table], At: 1795130045_120000000 + int64(seq[table])*1_700_000_000,
					ShoeID: fmt.Sprintf("mb-%02d-20261119-09", table), Round: round,
					Actor:   schema.Actor{Role: schema.RoleDealer, ID: fmt.Sprintf("d%d", 100+table)},
					Source:  schema.Source{DeviceID: fmt.Sprintf("shoe-%d", table), Kind: schema.SourceKindShoe},
					Payload: script(table)[step],
				}
				var record []byte
				if format == schema.JSON {
					record = schema.AppendJSON(nil, &ev)
				} else {
					record = schema.AppendProto(nil, &ev)
				}
				records = append(records, record)
				size += len(record)
			}
		}
	}
	return records, size / len(records)
}

func BenchmarkDecodeProto(b *testing.B) { benchDecode(b, schema.Protobuf) }
func BenchmarkDecodeJSON(b *testing.B)  { benchDecode(b, schema.JSON) }

func benchDecode(b *testing.B, format schema.Format) {
	records, size := floor(format)
	d := schema.NewDecoder()
	var ev schema.Event
	b.ReportAllocs()
	b.SetBytes(int64(size))
	i := 0
	for b.Loop() {
		if err := d.Decode(format, records[i], &ev); err != nil {
			b.Fatal(err)
		}
		if i++; i == len(records) {
			i = 0
		}
	}
}

func BenchmarkAppendProto(b *testing.B) { benchAppend(b, schema.AppendProto) }
func BenchmarkAppendJSON(b *testing.B)  { benchAppend(b, schema.AppendJSON) }

func benchAppend(b *testing.B, encode func([]byte, *schema.Event) []byte) {
	records, _ := floor(schema.Protobuf)
	d := schema.NewDecoder()
	events := make([]schema.Event, 1000)
	for i := range events {
		var ev schema.Event
		if err := d.Decode(schema.Protobuf, records[i], &ev); err != nil {
			b.Fatal(err)
		}
		events[i] = ev.Clone()
	}
	var dst []byte
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		dst = encode(dst[:0], &events[i])
		if i++; i == len(events) {
			i = 0
		}
	}
}

// A decoder remembers wagers, and not with each of them all the ids that came around it.
func TestDecoderHoldsLittle(t *testing.T) {
	ev := schema.Event{
		PropertyID: "ac-1", TableID: "t-01", ShoeID: "s-1", Round: 1, At: 1,
		Payload: &schema.WagerPlaced{Seat: 3, Spot: schema.SpotPlayer, Amount: 2500, Medium: schema.WagerMediumChips},
	}
	var buf []byte
	d, into := schema.NewDecoder(), schema.Event{}
	held := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := held()
	for i := range 200_000 {
		ev.Seq, ev.EventID = uint64(i+1), fmt.Sprintf("0192f3c4-5d6e-7f80-91a2-%012d", i)
		w := ev.Payload.(*schema.WagerPlaced)
		w.WagerID = "w"
		if i%8 == 0 {
			w.WagerID = fmt.Sprintf("wager-%012d", i)
		}
		buf = schema.AppendProto(buf[:0], &ev)
		if err := d.Decode(schema.Protobuf, buf, &into); err != nil {
			t.Fatal(err)
		}
	}
	if kib := (held() - before) >> 10; kib > 2048 {
		t.Errorf("a decoder holds %d KiB after 200,000 events, want at most 2 MiB", kib)
	}
	runtime.KeepAlive(d)
}

// A decoder that has seen the floor must not allocate, but for the chunk that fresh ids share.
func TestDecodeAllocations(t *testing.T) {
	for _, format := range []schema.Format{schema.Protobuf, schema.JSON} {
		records, _ := floor(format)
		d := schema.NewDecoder()
		var ev schema.Event
		all := func() {
			for _, record := range records {
				if err := d.Decode(format, record, &ev); err != nil {
					t.Fatal(err)
				}
			}
		}
		all()
		if per := testing.AllocsPerRun(3, all) / float64(len(records)); per > 0.05 {
			t.Errorf("%v: %.3f allocations an event, expected hardly any", format, per)
		}
	}
}

// What the oracle takes for the same, as the measure of the machine.
func BenchmarkProtobufGo(b *testing.B) {
	records, _ := floor(schema.Protobuf)
	ev := &eventspb.TableEvent{}
	i := 0
	for b.Loop() {
		if err := proto.Unmarshal(records[i], ev); err != nil {
			b.Fatal(err)
		}
		if i++; i == len(records) {
			i = 0
		}
	}
}
