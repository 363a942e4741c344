//go:build unix

package nightly

import (
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// A run compares the tables of a pit by what they used, as a replay does: the first and last rounds come from
// ClickHouse.
func TestPitIsJudgedByUse(t *testing.T) {
	s := database(t)
	b := &pipeline.Batch{}
	for i, procedure := range []uint32{1, 3, 2} { // the third table plays no round
		config, err := deal.Config("nj-punto", 1)
		if err != nil {
			t.Fatal(err)
		}
		config.PaymentProcedure = procedure
		table := deal.NewTable(deal.Options{
			Property: property, Pit: "p1", Table: string(rune('a' + i)), Seed: 7, Config: config,
			Start: opens.Add(time.Duration(i) * time.Second),
		})
		all := table.Open()
		if procedure != 2 {
			all = append(all, table.Shoe()...)
		}
		if procedure != 1 {
			all = append(all, table.Close()...)
		}
		if err := auditor.New(options()).Replay(auditor.Records(all), &b.Set, nil); err != nil {
			t.Fatal(err)
		}
		if procedure == 1 { // replaced after its last round, which the second table plays beside
			next := b.Configs[len(b.Configs)-1]
			next.EffectiveAt, next.Seq = next.EffectiveAt+int64(6*time.Hour), next.Seq+100_000
			b.Configs = append(b.Configs, next)
		}
	}
	floor := auditor.NewFloor(options())
	floor.Note(slices.Clone(b.Configs))
	floor.NoteRounds(&b.Rounds)
	want := floor.Findings()
	if len(want) != 1 || want[0].Rule != "order.pit-uniform" {
		t.Fatalf("a replay finds %d, want one pit: %+v", len(want), want)
	}
	b.Range = pipeline.Range{Topic: "t", To: 1, Records: 2}
	if err := s.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	r := &run{Options: Options{Property: property, Engine: options()}, store: s}
	from, until, err := r.Engine.Calendar.Bounds("2026-11-19", "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.floor(t.Context(), window{"2026-11-19", from, until}, nil)
	if diff := gocmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-replay +run):\n%s", err, diff)
	}
	// Events are missing between the configuration and the first round: another configuration may be among them.
	gap := finding.New(finding.Identity{PropertyID: property, TableID: "a", Rule: "feed.gap", Subject: "range:9-9"},
		finding.DataFault, finding.Unauditable, finding.Info)
	gap.At, gap.GamingDay, gap.Observed = schema.Time(b.Configs[0].At+1), "2026-11-19", "missing"
	of := func(replayed []finding.Finding) {
		t.Helper()
		r := &run{Options: Options{Property: property, Engine: options()}, store: s}
		got, err := r.floor(t.Context(), window{"2026-11-19", from, until}, replayed)
		if err != nil || len(got) != 1 || got[0].Verdict != finding.Unauditable {
			t.Errorf("%+v, %v; want one pit that cannot be judged", got, err)
		}
	}
	of([]finding.Finding{gap})
	missing := &pipeline.Batch{Range: pipeline.Range{Topic: "t", From: 2, To: 2, Records: 1}}
	missing.Findings = []finding.Finding{gap}
	if err := s.Write(t.Context(), missing); err != nil {
		t.Fatal(err)
	}
	of(nil)
}
