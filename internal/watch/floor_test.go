//go:build unix

package watch

import (
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Tables of a pit are compared by what they used. A watch, which reads configurations and first rounds from ClickHouse,
// finds what a replay finds: a procedure that was elected and never used binds no table.
func TestPitIsJudgedByUse(t *testing.T) {
	s := database(t)
	b := &pipeline.Batch{}
	var events int64
	for i, procedure := range []uint32{1, 3, 2} {
		config, err := deal.Config("nj-punto", 1)
		if err != nil {
			t.Fatal(err)
		}
		config.PaymentProcedure = procedure
		table := deal.NewTable(deal.Options{
			Property: "ac-1", Pit: "p1", Table: string(rune('a' + i)), Seed: 7, Config: config,
			Start: time.Date(2026, 11, 19, 12, 0, i, 0, time.UTC),
		})
		all := table.Open()
		if procedure != 2 {
			all = append(all, table.Shoe()...)
		}
		all = append(all, table.Close()...)
		events += int64(len(all))
		if err := auditor.New(options()).Replay(auditor.Records(all), &b.Set, nil); err != nil {
			t.Fatal(err)
		}
	}
	floor := auditor.NewFloor(options())
	floor.Note(slices.Clone(b.Configs))
	floor.NoteRounds(&b.Rounds)
	want := pitFindings(floor.Findings())
	if len(want) != 1 {
		t.Fatalf("a replay finds %d tables that differ, want one", len(want))
	}
	b.Range = pipeline.Range{Topic: "t", To: events - 1, Records: uint64(events)}
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	w := newWatcher(s, Options{Property: "ac-1", Patience: 24 * 365 * time.Hour, Engine: options()})
	for range 2 {
		if _, err := w.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := s.Findings(t.Context(), clickhouse.Filter{PropertyID: "ac-1", Rule: "order.pit-uniform"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, pitFindings(stored)); diff != "" {
		t.Errorf("(-replay +watch):\n%s", diff)
	}
}

func pitFindings(all []finding.Finding) (found []string) {
	for i := range all {
		if f := &all[i]; f.Rule == "order.pit-uniform" {
			found = append(found, f.ID+" "+f.TableID+" "+f.Observed)
		}
	}
	return found
}
