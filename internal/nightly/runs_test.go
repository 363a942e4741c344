//go:build unix

package nightly

import (
	"strings"
	"testing"
	"time"

	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// A shoe that comes again weeks later at another table is found by the night: no detector in the stream compares it.
// Shoes with other cards, and the earlier one, are not named.
func TestNightFindsStoredShoe(t *testing.T) {
	store := database(t)
	b := &pipeline.Batch{}
	var events int64
	for _, p := range []struct {
		table string
		seed  uint64
		start time.Time
	}{{"t-a", 7, opens.AddDate(0, 0, -40)}, {"t-b", 7, opens}, {"t-c", 8, opens}} {
		config, err := deal.Config("nj-mini", 1)
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{
			Property: property, Pit: "p1", Table: p.table, Seed: p.seed, Config: config, Start: p.start,
		})
		all := append(table.Open(), table.Shoe()...)
		events += int64(len(all))
		if err := auditor.New(options()).Replay(auditor.Records(all), &b.Set, nil); err != nil {
			t.Fatal(err)
		}
	}
	b.Range = pipeline.Range{Topic: "t", To: events - 1, Records: uint64(events)}
	if err := store.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	o := options()
	found, err := Runs{&o}.Night(t.Context(), store, property, day, "")
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 {
		t.Fatalf("%d findings, want one: %+v", len(found), found)
	}
	f := found[0]
	if f.TableID != "t-b" || f.Rule != "runs.stored-shoe" || f.Severity != finding.Major || f.GamingDay != day ||
		!strings.Contains(f.Observed, "of table t-a of 2026-10-10") || len(f.Evidence.EventIDs) != 1 {
		t.Errorf("found %+v", f)
	}
}
