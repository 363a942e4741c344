//go:build unix

package clickhouse

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
)

// A set of partitions is one insert per table and one of the journal. Sent again it is stored once, also on the disk.
// A partition of it that its new owner writes alone is visible once, and the journal continues with the new owner.
func TestSetIsOneInsert(t *testing.T) {
	s := open(t, migrated(t))
	set := func() []*pipeline.Batch {
		all := []*pipeline.Batch{floor(30), floor(20), floor(10)}
		for i, b := range all {
			b.Range.Partition, b.Range.To, b.Range.Generation, b.Range.Hash = int32(i), 9, 3, "h"
			b.Events.PitID.Reset()
			b.Events.PropertyID.Reset()
			for row := range b.Events.Seq {
				b.Events.PitID.Append(fmt.Sprint("pit ", i))
				b.Events.PropertyID.Append(fmt.Sprint("property ", i))
				b.Findings = append(b.Findings, finding.Finding{ID: fmt.Sprint(i, row), At: 1, GamingDay: "2026-11-19"})
			}
		}
		return all
	}
	stored := func() {
		t.Helper()
		for _, table := range []string{"events", "findings", "journal"} {
			want := uint64(60)
			if table == "journal" {
				want = 3
			}
			if n := rowsOf(t, s, table); n != want {
				t.Errorf("%s: %d rows on the disk, want %d", table, n, want)
			}
			if n := value[uint64](t, s, "SELECT uniqExact(_block_number) FROM "+s.name(table)); n != 1 {
				t.Errorf("%s: %d blocks, want 1", table, n)
			}
		}
	}
	for range 2 {
		if err := s.Write(t.Context(), set()...); err != nil {
			t.Fatal(err)
		}
		stored()
	}
	alone := set()[1]
	alone.Range.Generation++
	write(t, s, alone)
	for _, table := range []string{"events", "findings"} {
		if n := value[uint64](t, s, "SELECT count() FROM "+s.name(table)+" FINAL"); n != 60 {
			t.Errorf("%s: %d rows, want 60", table, n)
		}
	}
	for partition, want := range []int32{3, 4, 3} {
		last, _, _, err := s.Last(t.Context(), "table-events", int32(partition), math.MaxInt64)
		if err != nil || last.Generation != want {
			t.Errorf("partition %d: generation %d, %v, want %d", partition, last.Generation, err, want)
		}
	}
}

// Rows that are refused in the middle of a column leave nothing behind for the next insert.
func TestRefusedRowsLeaveNothing(t *testing.T) {
	s := open(t, migrated(t))
	refused := floor(20)
	refused.Range.Partition, refused.Range.To = 1, 9
	refused.Events.Kind.Append("one too many")
	if err := s.Write(t.Context(), floor(30), refused); !errors.Is(err, ErrRows) {
		t.Fatalf("got %v, want %v", err, ErrRows)
	}
	write(t, s, floor(10))
	if n := value[uint64](t, s, "SELECT countIf(kind != 'one too many') FROM "+s.name("events")); n != 10 {
		t.Errorf("%d events, want 10", n)
	}
}
