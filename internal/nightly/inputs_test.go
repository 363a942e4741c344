//go:build unix

package nightly

import (
	"math"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/pipeline/clickhouse"
)

// scoredInput is what the detectors read of a property.
type scoredInput struct {
	Settled []clickhouse.PlayedRound
	Shoes   []clickhouse.ClosedShoe
	Rounds  [][]clickhouse.PlayedRound
}

func readInput(t *testing.T, store *clickhouse.Store) (in scoredInput) {
	t.Helper()
	var err error
	if in.Settled, err = store.Settled(t.Context(), property, clickhouse.Cursor{}, math.MaxInt64, 100_000); err != nil {
		t.Fatal(err)
	}
	if in.Shoes, err = store.Closed(t.Context(), property, clickhouse.Cursor{}, math.MaxInt64, 100_000); err != nil {
		t.Fatal(err)
	}
	var of []*clickhouse.ClosedShoe
	for i := range in.Shoes {
		of = append(of, &in.Shoes[i])
	}
	if in.Rounds, err = store.RoundsOf(t.Context(), property, of); err != nil {
		t.Fatal(err)
	}
	return in
}

// What a night finds and stores changes nothing that the detectors read: a repeated night scores the same rounds.
func TestNightChangesNoInput(t *testing.T) {
	for name, records := range map[string]func(*testing.T) *log{
		"faults": func(t *testing.T) *log {
			var l log
			l.append(play(t, 24, 24, 1).events...)
			return &l
		},
		"moved": movedTable,
	} {
		t.Run(name, func(t *testing.T) {
			store := database(t)
			ingest(t, store, records(t))
			before := readInput(t, store)
			if len(before.Settled) == 0 {
				t.Fatal("no round was settled")
			}
			night(t, store, nil)
			if diff := gocmp.Diff(before, readInput(t, store)); diff != "" {
				t.Errorf("(-before the night +after):\n%s", diff)
			}
		})
	}
}
