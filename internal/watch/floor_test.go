//go:build unix

package watch

import (
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Tables of a pit are compared by what they used. A watch, which reads configurations and first rounds from ClickHouse,
// finds what a replay finds: a procedure that was elected and never used binds no table. If events are missing between
// a configuration and its first round, another one may be among them, and the pit cannot be judged.
func TestPitIsJudgedByUse(t *testing.T) {
	t.Run("whole", func(t *testing.T) { judgePit(t, finding.Breach, false) })
	t.Run("events missing", func(t *testing.T) { judgePit(t, finding.Unauditable, true) })
}

func judgePit(t *testing.T, verdict finding.Verdict, missing bool) {
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
	if missing {
		gap := finding.New(finding.Identity{PropertyID: "ac-1", TableID: "a", Rule: "feed.gap", Subject: "range:9-9"},
			finding.DataFault, finding.Unauditable, finding.Info)
		gap.At, gap.GamingDay, gap.Observed = schema.Time(b.Configs[0].At+1), "2026-11-19", "missing"
		b.Findings = append(b.Findings, gap)
	}
	floor := auditor.NewFloor(options())
	floor.NoteAll(&rows.Set{Configs: slices.Clone(b.Configs), Rounds: b.Rounds, Findings: b.Findings})
	want := pitFindings(floor.Findings())
	if len(want) != 1 || !strings.HasPrefix(want[0], string(verdict)) {
		t.Fatalf("a replay finds %v, want one table that differs, %s", want, verdict)
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
	live, err := s.Findings(t.Context(), clickhouse.Filter{PropertyID: "ac-1", Rule: "order.pit-uniform", Live: true})
	if err != nil || len(live) > 0 {
		t.Errorf("%v, %v: a replay, which reads one table, would not find them", pitFindings(live), err)
	}
}

func pitFindings(all []finding.Finding) (found []string) {
	for i := range all {
		if f := &all[i]; f.Rule == "order.pit-uniform" {
			found = append(found, string(f.Verdict)+" "+f.ID+" "+f.TableID+" "+f.Observed)
		}
	}
	return found
}
