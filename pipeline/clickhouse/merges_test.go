package clickhouse

import (
	"fmt"
	"testing"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// A merge takes 16 parts at least, also where the first is a hundred times as large as the others: with fewer, the
// large part would be written again with each small one (migrations 32 and 38).
func TestMergesTakeManyParts(t *testing.T) {
	s := open(t, migrated(t))
	insert := func(rows int) {
		t.Helper()
		if err := s.conn.Exec(t.Context(), fmt.Sprintf(`INSERT INTO %s (property_id, table_id, shoe_id, at)
			SELECT 'p', 't', hex(rand64()), toDateTime('2026-01-05 20:00:00') FROM numbers(%d)`, s.name("shoes"), rows)); err != nil {
			t.Fatal(err)
		}
	}
	parts := func() uint64 {
		return value[uint64](t, s, "SELECT count() FROM system.parts WHERE active AND table = 'shoes' AND database = '"+
			s.cfg.Database+"'")
	}
	insert(50_000)
	for range 15 {
		insert(1)
	}
	testkit.Await(t, "a merge", func() bool { return parts() != 16 })
	if n := parts(); n != 1 {
		t.Errorf("%d parts after the first merge, want 1", n)
	}
}
