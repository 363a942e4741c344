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
	var set rows.Set
	e := &set.Events
	for o := range int64(n) {
		raw := sha256.Sum256(fmt.Append(nil, o))
		e.PropertyID, e.PitID, e.TableID = append(e.PropertyID, "ac-1"), append(e.PitID, "p1"), append(e.TableID, "PB-01")
		e.EventID.AppendString(fmt.Sprintf("0198c1f2-5f2e-7b1c-8f5c-%012d", o))
		e.Seq, e.At, e.GamingDay = append(e.Seq, uint64(o)), append(e.At, o*1e9), append(e.GamingDay, "2026-11-21")
		e.ShoeID, e.Round = append(e.ShoeID, "PB-01-20261121-01"), append(e.Round, uint32(o))
		e.Kind, e.Format = append(e.Kind, "wager_placed"), append(e.Format, schema.JSON)
		e.SHA256.Append(raw[:])
		e.Offset = append(e.Offset, o)
	}
	for b.Loop() {
		set.Archived()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/record")
}
