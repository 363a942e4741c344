package rows_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// BenchmarkArchived is the digests that ingest makes of each flush.
func BenchmarkArchived(b *testing.B) {
	const n = 10_000
	set := archive(n)
	for b.Loop() {
		set.Archived()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/record")
}

// The journal keeps the digests, so that records that were stored by an earlier release are proved by a later one.
func TestArchivedNeverChanges(t *testing.T) {
	set := archive(100) // more bytes than maxPending
	set.DeadLetters = []rows.DeadLetter{{Offset: 100, Raw: []byte("?"), Where: "byte 0", Reason: "no event"}}
	records, sum, derived := set.Archived()
	if want := "7272f3f54067f6b857400f7867e518c8af6c9efdc22e12f6d4d32a4c2b7f9f89"; records != 101 || sum != want {
		t.Errorf("%d records, %s, want 101, %s", records, sum, want)
	}
	if want := "7532b620cd14b989b3993387b9c4be2ad88c0ef30b6215b2280187c51a8d3963"; derived != want {
		t.Errorf("derived: %s, want %s", derived, want)
	}
}

// archive is a number of events.
func archive(n int64) *rows.Set {
	set := &rows.Set{}
	e := &set.Events
	for o := range n {
		raw := sha256.Sum256(fmt.Append(nil, o))
		e.PropertyID.Append("ac-1")
		e.PitID.Append("p1")
		e.TableID.Append("PB-01")
		e.EventID.AppendString(fmt.Sprintf("0198c1f2-5f2e-7b1c-8f5c-%012d", o))
		e.Seq, e.At, e.Round = append(e.Seq, uint64(o)), append(e.At, o*1e9), append(e.Round, uint32(o))
		e.GamingDay.Append("2026-11-21")
		e.ShoeID.Append("PB-01-20261121-01")
		e.Kind.Append("wager_placed")
		e.Format = append(e.Format, schema.JSON)
		e.SHA256.Append(raw[:])
		e.Offset = append(e.Offset, o)
	}
	return set
}
