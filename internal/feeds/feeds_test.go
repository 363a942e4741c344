package feeds

import (
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

func TestPrint(t *testing.T) {
	now := time.Date(2026, 11, 22, 15, 0, 0, 0, time.UTC)
	feeds := []clickhouse.TableFeed{
		{PropertyID: "ac-1", PitID: "p1", TableID: "a", Seq: 40, Kind: "table_closed", ReceivedAt: now, At: now},
		{
			PropertyID: "ac-1", PitID: "p1", TableID: "b", Seq: 27, Kind: "table_closed", ReceivedAt: now, At: now,
			Missing: 20, Events: 7, Since: now.Add(-time.Minute),
		},
		{PropertyID: "ac-1", PitID: "p1", TableID: "c", Seq: 9, Kind: "card_dealt", ReceivedAt: now.Add(-time.Hour), At: now},
	}
	for format, want := range map[string][]string{
		"table": {
			"ac-1      p1   a      closed   40          table_closed  2026-11-22 15:00:00  -          -       -",
			"waiting  27          table_closed  2026-11-22 15:00:00  20         7       2026-11-22 14:59:00",
			"ac-1      p1   c      stale    9           card_dealt    2026-11-22 14:00:00  -          -       -",
		},
		"ndjson": {
			`{"state":"closed","property_id":"ac-1",`,
			`"missing":20,"waiting_events":7,"waiting_since":"2026-11-22T14:59:00Z"}`, `{"state":"stale",`,
		},
	} {
		var out strings.Builder
		if err := Print(&out, format, feeds, now); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(out.String(), line) {
				t.Errorf("%s has no %q:\n%s", format, line, out.String())
			}
		}
	}
}
