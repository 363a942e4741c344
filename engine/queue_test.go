package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// A queued configuration is state: an engine restored between its record and its time makes the same findings and
// writes the configuration when it comes into force.
func TestQueueSurvivesASnapshot(t *testing.T) {
	events, err := script.Fixture("S-PB")
	if err != nil {
		t.Fatal(err)
	}
	edits, err := script.Parse("configure before round=1 round_started: vigorish.percent=4 vigorish.unit=20 " +
		"effective_at=2026-03-02T18:11:00Z")
	if err != nil {
		t.Fatal(err)
	}
	if events, err = edits.Apply(events); err != nil {
		t.Fatal(err)
	}
	options := enginetest.Options()
	options.NoArchive = true
	whole := &rows.Set{}
	replayInto(t, options, events, whole)
	if n := len(whole.Configs); n != 3 || whole.Configs[1].EffectiveAt <= whole.Configs[1].At {
		t.Fatalf("%d configurations in force, want the opening, the queued one, and the closing: %+v", n, whole.Configs)
	}
	values := enginetest.Encode(events)
	for _, at := range []int{20, 50} {
		row := snapshotOf(t, values[:at])
		e, got := engine.New(options), &rows.Set{}
		if err := e.Restore([]rows.Snapshot{row}, 0); err != nil {
			t.Fatal(err)
		}
		for i := at; i < len(values); i++ {
			applyAt(e, values, i, got)
		}
		e.Finish(got)
		if d := cmp.Diff(scenario.Text(whole.Findings), scenario.Text(got.Findings)); d != "" {
			t.Errorf("restored after event %d (-whole +restored):\n%s", at, d)
		}
		if len(got.Configs) < 2 || !cmp.Equal(got.Configs[0], whole.Configs[1]) {
			t.Errorf("restored after event %d: configurations %+v, want the queued one of %+v", at, got.Configs, whole.Configs)
		}
	}
}
