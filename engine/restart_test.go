package engine_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/internal/scenario"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// An engine that is stopped after each record, and restored from its snapshot, gives the findings of one that was not:
// in the middle of a round, a burn in parts, a preparation or a change of the game.
func TestRestartAfterEachRecord(t *testing.T) {
	all, err := filepath.Glob("../testdata/scenarios/law/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range all {
		name := filepath.Base(file)
		inParts, _ := filepath.Match("X113[0-4]*", name)
		if game, _ := filepath.Match("X1240*", name); !inParts && !game && i%enginetest.Stride(64, 1) != 0 {
			continue
		}
		sc, err := scenario.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if sc.Section("rulebook") != "" {
			continue // the engines below have the shipped rulebooks
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			events, want := eventsOf(t, strings.TrimSuffix(name, ".txtar"))
			if d := cmp.Diff(finding.Latest(want), restarted(t, events, 1)); d != "" {
				t.Errorf("after restarts (-want +got):\n%s", d)
			}
		})
	}
}

// restarted are the findings of engines of which each is stopped at a snapshot, at the earliest stretch records after
// the one before, and the next one is restored from it.
func restarted(t *testing.T, events []schema.Event, stretch int64) []finding.Finding {
	t.Helper()
	opt := enginetest.Options()
	opt.Stretch = stretch
	e, b := engine.New(opt), &rows.Set{}
	values, restarts, read := enginetest.Encode(events), 0, &rows.Set{}
	for i := range values {
		applyAt(e, values, i, b)
		snapshots := newest(b.Snapshots, int64(i+1))
		if len(snapshots) == 0 || b.Snapshots[len(b.Snapshots)-1].Offset != int64(i) {
			continue
		}
		low, clock := e.Low(int64(i + 1))
		e, b.Snapshots = engine.New(opt), snapshots
		if err := e.Restore(snapshots, clock); err != nil {
			t.Fatal(err)
		}
		for before := int(low); before <= i; before++ { // of tables that have no snapshot of this record
			applyAt(e, values, before, read)
		}
		restarts++
	}
	if int64(restarts) < int64(len(values))/stretch/2 {
		t.Errorf("%d restarts in %d records", restarts, len(values))
	}
	e.Finish(b)
	e.Unsettled(b)
	compareTables(opt, b)
	return b.Findings
}
