package pipelinetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
)

// Stored is a Sink with the number of rows of its tables, each row counted once.
type Stored struct {
	Sink  pipeline.Sink
	Count func(t *testing.T, table string) int
}

// tables returns the tables that have rows in a Batch.
func tables() []string {
	return []string{
		"events", "rounds", "wagers", "vigorish", "shoes", "table_configs", "notices", "table_memory",
		"findings", "dead_letters",
	}
}

func write(t *testing.T, s Stored, set ...*pipeline.Batch) {
	t.Helper()
	if err := s.Sink.Write(t.Context(), set...); err != nil {
		t.Fatal(err)
	}
}

func holds(t *testing.T, s Stored, want int) {
	t.Helper()
	for _, table := range tables() {
		if got := s.Count(t, table); got != want {
			t.Errorf("%s holds %d rows, want %d", table, got, want)
		}
	}
}

// Sink tests a sink. Open returns one with empty tables.
func Sink(t *testing.T, open func(t *testing.T) Stored) {
	testSets(t, open)
	t.Run("keeps every row of every table", func(t *testing.T) {
		s := open(t)
		write(t, s, Batch(0, 100))
		write(t, s, Batch(100, 250))
		holds(t, s, 250)
	})
	t.Run("keeps a range written twice once", func(t *testing.T) {
		s := open(t)
		write(t, s, Batch(0, 40))
		write(t, s, Batch(0, 40))
		holds(t, s, 40)
	})
	t.Run("keeps rows of overlapping ranges once", func(t *testing.T) {
		s := open(t)
		write(t, s, Batch(0, 40))
		write(t, s, Batch(20, 60))
		write(t, s, Batch(0, 60))
		holds(t, s, 60)
	})
	t.Run("does not use the batch after Write returns", func(t *testing.T) {
		s := open(t)
		b := Batch(0, 10)
		write(t, s, b)
		b.Reset()
		fill(b, 10, 20)
		write(t, s, b)
		holds(t, s, 20)
	})
	t.Run("accepts a batch without rows", func(t *testing.T) {
		s := open(t)
		b := Batch(0, 0)
		b.Range = pipeline.Range{Topic: "table-events", From: 0, To: 9, Low: 10, Records: 10}
		write(t, s, b)
		holds(t, s, 0)
	})
	t.Run("writes nothing when the context is done", func(t *testing.T) {
		s := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := s.Sink.Write(ctx, Batch(0, 5)); err == nil {
			t.Error("no error")
		}
		write(t, s, Batch(0, 5))
		holds(t, s, 5)
	})
}

// testSets tests that a set of partitions is kept like its parts.
func testSets(t *testing.T, open func(t *testing.T) Stored) {
	t.Run("keeps a set of partitions, written twice, once", func(t *testing.T) {
		s := open(t)
		for range 2 {
			write(t, s, Batch(0, 40), elsewhere(Batch(40, 60)))
		}
		holds(t, s, 60)
	})
	t.Run("keeps a partition of a set that is written again alone or in another set once", func(t *testing.T) {
		s := open(t)
		write(t, s, Batch(0, 40), elsewhere(Batch(40, 60)))
		write(t, s, Batch(0, 40))
		write(t, s, Batch(60, 70), elsewhere(Batch(40, 60)))
		holds(t, s, 70)
	})
}

// Batch returns one row of each table for each offset of a range, without to. The rows are a function of the range.
func Batch(from, to int) *pipeline.Batch {
	b := &pipeline.Batch{}
	fill(b, from, to)
	return b
}

// elsewhere moves a batch to another partition.
func elsewhere(b *pipeline.Batch) *pipeline.Batch {
	b.Range.Partition++
	return b
}

func fill(b *pipeline.Batch, from, to int) {
	b.Range = pipeline.Range{
		Topic: "table-events", Partition: 3, From: int64(from), To: int64(to) - 1, Low: int64(from),
		Records: uint64(to - from),
	}
	for i := from; i < to; i++ {
		fillRow(b, i)
	}
}

const (
	property, pit, table, shoe = "ac-1", "p3", "mb-07", "mb-07-1"
	day, shift, dealer         = "2026-11-19", "night", "d114"
)

func fillRow(b *pipeline.Batch, i int) {
	at, seq := 1_795_130_045_120_000_000+int64(i)*1_000_000_000, uint64(i+1)
	wager := fmt.Sprintf("w%d", i)
	shoeID := fmt.Sprintf("mb-07-%d", i)
	raw := fmt.Appendf(nil, `{"event_id":"e%d"}`, i)
	sum := sha256.Sum256(raw)

	fillEvent(&b.Events, i, at, raw, sum[:])
	fillRound(&b.Rounds, i, at)
	fillWager(&b.Wagers, i, at)
	b.Vigorish = append(b.Vigorish, rows.Vigorish{
		PropertyID: property, TableID: table, ShoeID: shoe, Round: uint32(i), At: at, GamingDay: day, WagerID: wager, Seat: 5,
		Kind: "COMMISSION", Won: 10_000, Least: 500, Most: 500, Marked: 500, Collected: 500,
		MarkedSeq: seq, CollectedSeq: seq,
	})
	b.Shoes = append(b.Shoes, rows.Shoe{
		PropertyID: property, PitID: pit, TableID: table, ShoeID: shoeID, At: at, EndedAt: at + 1,
		GamingDay: day, Shift: shift,
		Ruleset: "nj-19-47", Game: "MINIBACCARAT", ConfigID: "c1", Decks: 8, CardsOut: 400, Remaining: 16, Rounds: 80,
		FirstSeq: seq, LastSeq: seq, Rulebook: "nj-19-47@1", Engine: "test",
	})
	b.Configs = append(b.Configs, rows.Config{
		PropertyID: property, PitID: pit, TableID: table, Seq: seq, At: at, EffectiveAt: at, Opened: true,
		ConfigID: "c1", Ruleset: "nj-19-47", Game: "MINIBACCARAT", Mode: "COMMISSION", Percent: 5, Procedure: 1, Config: "{}",
	})
	b.Notices = append(b.Notices, rows.Notice{
		PropertyID: property, PitID: pit, TableID: table, Seq: seq, At: at, NoticeAt: at, EffectiveAt: at,
		Topic: "VIGORISH_PERCENT", Filed: true, Written: true, Recipients: []string{"COMMISSION"},
	})
	b.Snapshots = append(b.Snapshots, rows.Snapshot{
		PropertyID: property, TableID: table, Seq: seq, At: at, State: "{}", Engine: "test",
	})
	b.Findings = append(b.Findings, finding.Finding{
		ID: fmt.Sprintf("%032x", i), Kind: "deviation", Verdict: "BREACH", Rule: "draw.banker", Severity: finding.Major,
		Citations: []string{"N.J.A.C. 19:47-3.9"}, PropertyID: property, PitID: pit, TableID: table, ShoeID: shoe,
		Round: uint32(i), Seat: 0,
		Subject: "hand:BANKER", DealerID: dealer, At: schema.Time(at), GamingDay: day, Shift: shift,
		Expected: "stay", Observed: "draw",
		Currency: "USD", Evidence: finding.Evidence{Seqs: []uint64{seq}, EventIDs: []string{fmt.Sprintf("e%d", i)}},
		Rulebook: "nj-19-47@1", Engine: "test",
	})
	b.DeadLetters = append(b.DeadLetters, rows.DeadLetter{
		Topic: "table-events", Partition: 3, Offset: int64(i), Reason: "event at byte 0: no payload", Raw: raw,
	})
}

func fillEvent(e *rows.Events, i int, at int64, raw, sum []byte) {
	e.PropertyID.Append(property)
	e.PitID.Append(pit)
	e.TableID.Append(table)
	e.Seq = append(e.Seq, uint64(i+1))
	e.EventID.AppendString(fmt.Sprintf("e%d", i))
	e.At, e.Round = append(e.At, at), append(e.Round, uint32(i))
	e.GamingDay.Append(day)
	e.ShoeID.Append(shoe)
	e.Kind.Append("round_started")
	e.Format, e.Partition, e.Offset = append(e.Format, schema.JSON), append(e.Partition, 3), append(e.Offset, int64(i))
	e.Raw.Append(raw)
	e.SHA256.Append(sum)
}

func fillRound(r *rows.Rounds, i int, at int64) {
	r.PropertyID, r.PitID, r.TableID = append(r.PropertyID, property), append(r.PitID, pit), append(r.TableID, table)
	r.ShoeID, r.Round, r.At = append(r.ShoeID, shoe), append(r.Round, uint32(i)), append(r.At, at)
	r.GamingDay, r.Shift, r.DealerID = append(r.GamingDay, day), append(r.Shift, shift), append(r.DealerID, dealer)
	r.Ruleset, r.ConfigID, r.Result = append(r.Ruleset, "nj-19-47"), append(r.ConfigID, "c1"), append(r.Result, "BANKER")
	r.PlayerCount, r.BankerCount = append(r.PlayerCount, 6), append(r.BankerCount, 7)
	r.PlayerCards, r.BankerCards = append(r.PlayerCards, 2), append(r.BankerCards, 2)
	r.Cards.AppendString("P 6c Kh B 7d Ks")
	r.Wagers, r.Staked, r.Paid = append(r.Wagers, 1), append(r.Staked, 10_000), append(r.Paid, 9_500)
	r.ExpectedPay, r.Collected, r.Returned = append(r.ExpectedPay, 9_500), append(r.Collected, 0), append(r.Returned, 0)
	r.Vigorish, r.Auditable = append(r.Vigorish, 500), append(r.Auditable, true)
	r.FirstSeq, r.EndSeq = append(r.FirstSeq, uint64(i+1)), append(r.EndSeq, uint64(i+1))
}

func fillWager(w *rows.Wagers, i int, at int64) {
	w.PropertyID, w.TableID, w.ShoeID = append(w.PropertyID, property), append(w.TableID, table), append(w.ShoeID, shoe)
	w.Round, w.At, w.GamingDay = append(w.Round, uint32(i)), append(w.At, at), append(w.GamingDay, day)
	w.WagerID.AppendString(fmt.Sprintf("w%d", i))
	w.Seat, w.Spot = append(w.Seat, 5), append(w.Spot, "BANKER")
	w.Stake, w.Coupon = append(w.Stake, 10_000), append(w.Coupon, 0)
	w.Medium, w.Patron = append(w.Medium, "CHIPS"), append(w.Patron, "")
	w.Disposition, w.Expected = append(w.Disposition, "PAID"), append(w.Expected, "PAID")
	w.Paid, w.ExpectedPaid = append(w.Paid, 9_500), append(w.ExpectedPaid, 9_500)
	w.Collected, w.Returned = append(w.Collected, 0), append(w.Returned, 0)
	w.PlacedSeq = append(w.PlacedSeq, uint64(i+1))
}
