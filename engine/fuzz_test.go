package engine_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// FuzzTable bends a legal shoe at random: order, holes, numbers, kinds, repeated and absent events. Nothing makes the
// engine stop, grow without bound or answer differently the second time, even if it is stopped and restored in between.
// The script is read two bytes at a time: what to do, and where.
func FuzzTable(f *testing.F) {
	f.Add(uint64(1), []byte{0, 0, 1, 10, 2, 20, 3, 30})
	f.Add(uint64(2), []byte{4, 40, 5, 50, 6, 60, 7, 70, 8, 80, 9, 90, 10, 100, 11, 110})
	f.Add(uint64(3), []byte{12, 1, 13, 200, 14, 128, 15, 9, 16, 3, 17, 66, 18, 77})
	f.Add(uint64(4), bytes.Repeat([]byte{4, 1, 4, 250, 8, 31}, 20))
	f.Add(uint64(5), []byte{19, 10, 19, 200, 20, 0, 20, 255, 21, 128})
	bases := map[uint64][]schema.Event{}
	f.Fuzz(func(t *testing.T, seed uint64, script []byte) {
		kinds := deal.Kinds()
		key := seed % uint64(2*len(kinds))
		if bases[key] == nil {
			bases[key] = legalTable(t, kinds[key%uint64(len(kinds))], "fz", key, 5)
		}
		if len(script) > 400 {
			script = script[:400]
		}
		rng := rand.New(rand.NewPCG(seed, 9))
		values := bend(bases[key], script, rng)
		stretch := 1 + rng.Int64N(200)
		first := outcome(t, values, stretch, len(values))
		stop := rng.IntN(len(values) + 1)
		for i, rows := range outcome(t, values, stretch, stop) {
			if rows != first[i] {
				t.Fatalf("record %d of %d: other rows the second time, stopped at %d", i, len(values), stop)
			}
		}
	})
}

// The findings that two misread cards leave come in the same order each time: two of them differ in their hand alone.
func TestSameOrder(t *testing.T) {
	const seed = 210
	script := []byte{51, 142, 151, 110, 71, 73, 170, 158, 52, 12, 104, 67, 13, 118, 93, 139, 226, 157, 55, 142, 248, 93}
	kinds := deal.Kinds()
	key := seed % uint64(2*len(kinds))
	base := legalTable(t, kinds[key%uint64(len(kinds))], "fz", key, 5)
	values := bend(base, script, rand.New(rand.NewPCG(seed, 9)))
	instructions := 0
	for _, f := range findingsOf(values) {
		if f.Rule == "deal.instruction-followed" {
			instructions++
		}
	}
	if instructions != 2 {
		t.Fatalf("%d findings about instructions, want one of each hand", instructions)
	}
	first := outcome(t, values, 0, len(values))
	for range 20 {
		if !slices.Equal(outcome(t, values, 0, len(values)), first) {
			t.Fatal("the same feed gave different rows the second time")
		}
	}
}

// outcome returns a hash of the rows of each record, and of the end. The engine stops at a record, and another one,
// restored from its snapshots, continues.
func outcome(t *testing.T, values [][]byte, stretch int64, stop int) (hashes []string) {
	t.Helper()
	opt := enginetest.Options()
	opt.Stretch = stretch
	e, b := engine.New(opt), &rows.Set{}
	var snapshots []rows.Snapshot
	began := time.Now()
	for i := range values {
		low, clock := e.Low(int64(i))
		if low < 0 || low > int64(i) {
			t.Fatalf("low %d after %d records", low, i)
		}
		if i == stop {
			e = engine.New(opt)
			if err := e.Restore(newest(snapshots, int64(i)), clock); err != nil {
				t.Fatal(err)
			}
			for again := int(low); again < i; again++ {
				applyAt(e, values, again, b)
				b.Reset()
			}
		}
		applyAt(e, values, i, b)
		hashes, snapshots = append(hashes, b.Hash()), append(snapshots, b.Snapshots...)
		b.Reset()
	}
	e.Finish(b)
	e.Open()
	testkit.Within(t, fmt.Sprintf("%d records", len(values)), time.Since(began), 20*time.Second)
	return append(hashes, b.Hash())
}

var wild = []uint64{0, 1, 255, 256, math.MaxInt32, math.MaxUint32, 1 << 40, math.MaxInt64, math.MaxUint64}

// bend changes a feed by a script.
func bend(base []schema.Event, script []byte, rng *rand.Rand) [][]byte {
	events := make([]schema.Event, len(base))
	for i := range base {
		events[i] = base[i].Clone()
	}
	for i := 0; i+1 < len(script); i += 2 {
		if len(events) < 2 {
			break
		}
		at := int(script[i+1]) * (len(events) - 1) / 255
		ev, num := &events[at], wild[rng.IntN(len(wild))]
		switch script[i] % 22 {
		case 0:
			events = slices.Delete(events, at, at+1)
		case 1:
			events = slices.Delete(events, at, min(len(events), at+rng.IntN(200)))
		case 2:
			events = slices.Insert(events, at, events[rng.IntN(len(events))].Clone())
		case 3:
			to := min(len(events), at+2+rng.IntN(100))
			rng.Shuffle(to-at, func(a, b int) { events[at+a], events[at+b] = events[at+b], events[at+a] })
		case 4:
			ev.Seq = max(1, num)
		case 5:
			ev.Round = uint32(num)
		case 6:
			ev.ShoeID = []string{"", "x", events[rng.IntN(len(events))].ShoeID}[rng.IntN(3)]
		case 7:
			ev.EventID = events[rng.IntN(len(events))].EventID
		case 8:
			ev.At = max(1, ev.At+int64(rng.IntN(2_000_000)-1_000_000)*int64(time.Second))
		case 9:
			ev.At = max(1, int64(num>>1))
		case 10:
			ev.Payload = events[rng.IntN(len(events))].Clone().Payload
		case 11:
			ev.Seq, ev.EventID = 1, "again"
		case 12, 13, 14, 15:
			bendPayload(ev.Payload, num, rng, events)
		case 16: // all cards of the shoe, and more, to one round
			for j := range events {
				if _, ok := events[j].Payload.(*schema.CardDealt); ok {
					events[j].Round = ev.Round
				}
			}
		case 17: // the table is not configured
			events = slices.DeleteFunc(events, func(e schema.Event) bool {
				k := e.Payload.Kind()
				return k == schema.KindTableOpened || k == schema.KindTableConfigured
			})
		case 18:
			for j := range events[:at] {
				events[j].ShoeID = ev.ShoeID
			}
		case 19: // everything behind jumps ahead
			for j := range events[at:] {
				events[at+j].Seq += num >> 2
			}
		case 20: // renumber, so that what came before is no hole
			for j := range events {
				events[j].Seq = uint64(j + 1)
			}
		case 21:
			ev.TableID = []string{"fz", "other"}[rng.IntN(2)]
		}
	}
	return enginetest.Encode(events)
}

// bendPayload gives a payload a value that no table would report.
func bendPayload(p schema.Payload, num uint64, rng *rand.Rand, events []schema.Event) {
	money := int64(num >> 1)
	switch p := p.(type) {
	case *schema.CardDealt:
		switch rng.IntN(5) {
		case 0:
			p.CardSeq = uint32(num)
		case 1:
			p.Index = uint32(num)
		case 2:
			p.Card = "??"
		case 3:
			p.BySeat, p.ReportedValue, p.HasReportedValue = uint32(num), uint32(num), true
		case 4:
			p.Hand = 3 - p.Hand
		}
	case *schema.WagerPlaced:
		p.Amount, p.Coupon, p.Seat = money, money, uint32(num)
		if other, ok := events[rng.IntN(len(events))].Payload.(*schema.WagerPlaced); ok {
			p.WagerID = other.WagerID
		}
	case *schema.WagerChanged:
		p.Delta = -money
	case *schema.WagerPaid:
		p.Amount, p.WagerID = money, "nobody's"
	case *schema.WagerCollected:
		p.Amount, p.Seat = money, uint32(num)
	case *schema.WagerReturned:
		p.Amount = money
	case *schema.VigorishMarked:
		p.Amount, p.Seat, p.Area = money, uint32(num), uint32(num)
	case *schema.VigorishCollected:
		p.Amount, p.Seat, p.WagerIDs = money, uint32(num), nil
	case *schema.VigorishMarkerRemoved:
		p.Amount = money
	case *schema.ShoeLoaded:
		p.DeckCount, p.CuttingCards = uint32(num), uint32(num)
	case *schema.ShoeBurned:
		p.Count, p.Cards = uint32(num), nil
	case *schema.ShoeEnded:
		p.Remaining = uint32(num)
	case *schema.RoundEnded:
		p.PlayerCount, p.CardsDealt = uint32(num), uint32(num)
	case *schema.CutcardSeen:
		p.AfterCardSeq = uint32(num)
	case *schema.ShoeCut:
		p.Seat, p.DepthFromFront, p.StackSize = uint32(num), uint32(num), uint32(num)
	case *schema.CutOffered:
		p.Seat = uint32(num)
	case *schema.TableOpened:
		bendConfig(&p.Config, num, rng)
	case *schema.TableConfigured:
		bendConfig(&p.Config, num, rng)
	}
}

func bendConfig(c *schema.TableConfig, num uint64, rng *rand.Rand) {
	switch rng.IntN(5) {
	case 0:
		c.Ruleset = "unknown"
	case 1:
		c.Decks = uint32(num)
	case 2:
		c.Vigorish.Percent, c.Vigorish.Unit = uint32(num), int64(num>>1)
	case 3:
		c.Seats, c.Feeds, c.SideBets = nil, nil, nil
	case 4:
		c.PayTables, c.PostedOdds = nil, nil
	}
}

// A round of a hundred thousand wagers takes neither long nor more memory than its events.
func TestManyWagers(t *testing.T) {
	events := legalTable(t, "nj-mini", "many", 1, 3)
	at := in(t, events, 1, 2, schema.KindWagerPlaced)
	n := enginetest.Soak(4000, 100_000)
	extra := make([]schema.Event, n)
	for i := range extra {
		extra[i] = events[at].Clone()
		extra[i].EventID = "x-" + string(rune('a'+i%26)) + "-" + time.Duration(i).String()
		extra[i].Payload.(*schema.WagerPlaced).WagerID = extra[i].EventID
	}
	events = slices.Insert(events, at+1, extra...)
	for i := range events {
		events[i].Seq = uint64(i + 1)
	}
	values := enginetest.Encode(events)
	began := time.Now()
	unsettled := 0
	for _, f := range findingsOf(values) {
		if f.Rule == "payout.unsettled" {
			unsettled++
		}
	}
	testkit.Within(t, fmt.Sprintf("%d wagers in a round", n), time.Since(began),
		time.Duration(enginetest.Soak(8, 120))*time.Second)
	if unsettled != n {
		t.Errorf("%d wagers found unsettled, want %d", unsettled, n)
	}
}

// Wild numbers take no memory.
func TestWildNumbersTakeNoMemory(t *testing.T) {
	base := legalTable(t, "nj-mini", "wild", 1, 3)
	var m0, m1 runtime.MemStats
	opt := enginetest.Options()
	opt.NoArchive = true
	e, b := engine.New(opt), &rows.Set{}
	runtime.GC()
	runtime.ReadMemStats(&m0)
	for i := range 2_000 {
		ev := base[i%len(base)].Clone()
		ev.EventID = time.Duration(i).String()
		ev.Seq, ev.At = uint64(i+1)<<48, base[0].At+int64(i)*int64(time.Second)
		ev.Round, ev.ShoeID = uint32(i)<<16, time.Duration(i).String()
		e.Apply(
			&engine.Record{Offset: int64(i), Format: schema.Protobuf, Value: schema.AppendProto(nil, &ev)}, "t", 0, b,
		)
	}
	e.Finish(b)
	b.Reset()
	*b = rows.Set{}
	runtime.GC()
	runtime.ReadMemStats(&m1)
	if grown := int64(m1.HeapAlloc) - int64(m0.HeapAlloc); grown > 4<<20 {
		t.Errorf("%d KiB for one table", grown>>10)
	}
	runtime.KeepAlive(e)
}
