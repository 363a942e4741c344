package engine_test

import (
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// Records that the log lost before they were read are a finding that names the offsets.
func TestRetentionGap(t *testing.T) {
	e := engine.New(enginetest.Options())
	b := &rows.Set{}
	e.Apply(
		&engine.Record{Offset: 7, Bad: &engine.GapError{Topic: "table-events", Partition: 3, From: 7, To: 11}},
		"table-events", 3, b,
	)
	if len(b.Findings) != 1 || len(b.DeadLetters) != 0 {
		t.Fatalf("%d findings and %d dead letters, want one finding", len(b.Findings), len(b.DeadLetters))
	}
	if f := b.Findings[0]; f.Rule != "feed.retention" || f.Subject != "range:7-11" || f.TableID != "table-events/3" ||
		f.Verdict != "UNAUDITABLE" {
		t.Errorf("finding %+v", f)
	}
}
