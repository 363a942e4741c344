//go:build unix

package nightly

import (
	"slices"
	"strings"
	"testing"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// The records of a table move to another partition in the middle of a shoe. The live audit reads each partition
// alone. The run names both partitions, also as the cause of each difference, and accuses no one.
func TestTableMoves(t *testing.T) {
	store := database(t)
	ingest(t, store, movedTable(t))
	got := night(t, store, nil)
	var moved []string
	differences := 0
	for i := range got.Findings {
		switch f := &got.Findings[i]; {
		case f.Rule == "feed.partition":
			moved = append(moved, f.Observed)
		case f.Rule == "feed.reconcile":
			differences++
			if !strings.HasSuffix(f.Observed, "; the events of the table are in partitions 2 and 1, and the live audit of each "+
				"does not have those of the other") {
				t.Errorf("a difference without its cause: %s", f.Observed)
			}
		case f.Verdict == finding.Breach, f.Verdict == finding.Suspect:
			t.Errorf("%s %s: %s", f.Verdict, f.Rule, f.Observed)
		}
	}
	if len(moved) != 1 || !strings.HasSuffix(moved[0], " begins partition 1; the table was in partition 2 before") ||
		differences == 0 {
		t.Errorf("%q, %d differences", moved, differences)
	}
	if again := night(t, store, nil); again.Run.ID != got.Run.ID {
		t.Errorf("run %s, again %s", got.Run.ID, again.Run.ID)
	}
}

// movedTable is a table whose records move to another partition in the middle of a shoe.
func movedTable(t *testing.T) *log {
	t.Helper()
	config, err := deal.Config("nj-mini", 1)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{
		Property: property, Pit: "p-000", Table: "t-000", Seed: 1, Config: config, Start: opens,
	})
	events := slices.Concat(table.Open(), table.Shoe(), table.Shoe(), table.Close())
	half := len(events) / 2
	var l log
	for i := range events {
		p := &l.records[2-min(1, i/half)]
		*p = append(*p, pipeline.Record{
			Offset: int64(len(*p)), Format: schema.Protobuf, Value: schema.AppendProto(nil, &events[i]),
		})
	}
	return &l
}
