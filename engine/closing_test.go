package engine_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// eventsOf are the events and the findings of a scenario of the law.
func eventsOf(t *testing.T, name string) ([]schema.Event, []finding.Finding) {
	t.Helper()
	sc, err := scenario.Read("../testdata/scenarios/law/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	r, err := sc.Run(enginetest.Options(), rules.ShippedWith)
	if err != nil {
		t.Fatal(err)
	}
	return r.Events, r.Findings
}

// What is due when a table closes is reported alike at the end of the stream, when the table opens again, and by an
// engine that resumes from a snapshot after the closing.
func TestMoneyDueAtClosingIsReportedAlike(t *testing.T) {
	events, want := eventsOf(t, "X902-settled-after-closing.breach")
	if len(want) != 1 {
		t.Fatalf("%d findings", len(want))
	}
	last := events[len(events)-1]
	opens := slices.IndexFunc(events, func(e schema.Event) bool { return e.Payload.Kind() == schema.KindTableOpened })
	again := events[opens]
	again.EventID, again.Seq, again.At = "opened-again", last.Seq+1, last.At+int64(1e12)
	values := enginetest.Encode(append(slices.Clone(events), again))
	closes := slices.IndexFunc(events, func(e schema.Event) bool { return e.Payload.Kind() == schema.KindTableClosed })
	for _, resumed := range []bool{false, true} {
		opt := enginetest.Options()
		opt.Stretch = 1
		e, b, restarts := engine.New(opt), &rows.Set{}, 0
		for i := range values {
			applyAt(e, values, i, b)
			snapshots := newest(b.Snapshots, int64(i+1))
			if !resumed || i <= closes || snapshots[0].Offset != int64(i) {
				continue
			}
			restarts++
			if e = engine.New(opt); e.Restore(snapshots, 0) != nil {
				t.Fatalf("no engine resumes after record %d", i)
			}
		}
		if d := cmp.Diff(want, finding.Latest(b.Findings)); d != "" {
			t.Errorf("resumed %v: findings of a table that opens again differ (-want +got):\n%s", resumed, d)
		}
		if len(b.Shoes) != 2 || resumed != (restarts > 1) {
			t.Errorf("resumed %v: %d shoes, %d restarts", resumed, len(b.Shoes), restarts)
		}
	}
}
