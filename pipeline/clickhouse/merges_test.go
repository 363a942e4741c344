package clickhouse

import (
	"fmt"
	"testing"

	"github.com/shoeproof/shoeproof/internal/testkit"
)

// A merge takes 16 parts at least, 64 of events, also where the first is a hundred times as large as the others: with
// fewer, the large part would be written again with each small one (migrations 32, 38 and 44).
func TestMergesTakeManyParts(t *testing.T) {
	for table, least := range map[string]uint64{"shoes": 16, "events": 64} {
		t.Run(table, func(t *testing.T) {
			s := open(t, migrated(t))
			insert := func(rows int) {
				t.Helper()
				if err := s.conn.Exec(t.Context(), fmt.Sprintf(`INSERT INTO %s (property_id, table_id, shoe_id, at)
					SELECT 'p', hex(rand64()), 's', toDateTime('2026-01-05 20:00:00') FROM numbers(%d)`, s.name(table), rows)); err != nil {
					t.Fatal(err)
				}
			}
			parts := func() uint64 {
				return value[uint64](t, s, "SELECT count() FROM system.parts WHERE active AND table = '"+table+
					"' AND database = '"+s.cfg.Database+"'")
			}
			insert(50_000)
			for range least - 1 {
				insert(1)
			}
			testkit.Await(t, "a merge", func() bool { return parts() != least })
			if n := parts(); n != 1 {
				t.Errorf("%d parts after the first merge, want 1", n)
			}
		})
	}
}
