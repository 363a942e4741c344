package script

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// played is two shoes of twelve rounds at a table of a kind.
func played(t *testing.T, kind string, seed uint64) []schema.Event {
	t.Helper()
	config, err := deal.Config(kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: seed, Table: kind})
	events := table.Open()
	events = append(events, table.ShoeOf(12)...)
	events = append(events, table.ShoeOf(12)...)
	return append(events, table.Close()...)
}

func TestRereadWritesTheSameShoe(t *testing.T) {
	for _, kind := range deal.Kinds() {
		for seed := range uint64(4) {
			events := played(t, kind, seed)
			for n := 1; n <= 2; n++ {
				r, err := reread(events, n)
				if err != nil {
					t.Fatal(err)
				}
				got := r.write()
				want := events[r.from:r.to]
				if d := cmp.Diff(bare(want), bare(got)); d != "" {
					t.Fatalf("%s seed %d shoe %d: (-written +written again)\n%s", kind, seed, n, d)
				}
			}
		}
	}
}

func bare(events []schema.Event) []schema.Event {
	out := make([]schema.Event, len(events))
	for i := range events {
		out[i] = events[i]
		out[i].At, out[i].EventID, out[i].Video = 0, "", schema.Video{}
	}
	return out
}

// A shoe from which any event was taken is written again, or the error says why not.
func TestRecomputeOfWhatLacksAnEvent(t *testing.T) {
	again, err := Parse("recompute")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Fixtures() {
		events, err := Fixture(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range events {
			if events[i].ShoeID == "" {
				continue
			}
			lacks := slices.Concat(events[:i], events[i+1:])
			if _, err := again.Apply(lacks); err != nil && !strings.HasPrefix(err.Error(), "line 1: recompute: ") &&
				!strings.HasPrefix(err.Error(), "line 1: shoe ") {
				t.Errorf("%s without event %d, %v: %v", name, i+1, events[i].Payload.Kind(), err)
			}
		}
	}
}
