package engine_test

import (
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
)

// A successor of the patron key masks what is written about gaming days from its own, the keys before it the days
// before; no finding depends on the key. A replay gives the same masks again.
func TestPatronKeySuccessor(t *testing.T) {
	plain := enginetest.Options()
	events := slices.Concat(enginetest.Faulty(t, enginetest.Soak(16, 60))...)
	want := replayWith(t, plain, events)
	if len(want.Wagers.Patron) == 0 || len(want.Findings) == 0 {
		t.Fatal("no wagers or findings")
	}
	day := slices.Max(want.Wagers.GamingDay)
	with := func(keys ...engine.PatronKey) engine.Options {
		o := plain
		o.Successors = keys
		return o
	}
	second := engine.PatronKey{From: day, Secret: []byte("second key of patrons")}
	for name, c := range map[string]struct {
		options engine.Options
		changes bool
	}{
		"of a later day": {with(engine.PatronKey{From: "9999-01-01", Secret: second.Secret}), false},
		"of this day":    {with(second), true},
		"and one more later": {
			with(second, engine.PatronKey{From: "9999-01-01", Secret: []byte("third key of patrons")}), true,
		},
	} {
		got := replayWith(t, c.options, events)
		masks := map[string]string{}
		for i, mask := range got.Wagers.Patron {
			first := want.Wagers.Patron[i]
			changes := c.changes && want.Wagers.GamingDay[i] >= day && first != ""
			if (mask != first) != changes || masks[first+want.Wagers.GamingDay[i]] != "" &&
				masks[first+want.Wagers.GamingDay[i]] != mask {
				t.Fatalf("a key %s: the mask %s of a wager of %s is %s", name, first, want.Wagers.GamingDay[i], mask)
			}
			masks[first+want.Wagers.GamingDay[i]] = mask
		}
		if len(got.Findings) != len(want.Findings) {
			t.Errorf("a key %s: %d findings, want %d", name, len(got.Findings), len(want.Findings))
		}
		for i := range min(len(got.Findings), len(want.Findings)) {
			if got.Findings[i].ID != want.Findings[i].ID {
				t.Errorf("a key %s: finding %s became %s", name, line(&want.Findings[i]), line(&got.Findings[i]))
			}
		}
		if again := replayWith(t, c.options, events); !slices.Equal(again.Wagers.Patron, got.Wagers.Patron) {
			t.Errorf("a key %s: a replay gives other masks", name)
		}
	}
	o := with(second)
	masks := o.Masks("P-1")
	if len(masks) != 2 || masks[0] != o.Mask("P-1", day) || masks[1] != plain.Mask("P-1", day) ||
		o.PatronKeyID(day) == plain.PatronKeyID(day) || o.PatronKeyID("2000-01-01") != plain.PatronKeyID(day) {
		t.Errorf("masks %v, ids %s and %s", masks, o.PatronKeyID(day), plain.PatronKeyID(day))
	}
}
