package detectors

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"

	"github.com/shoeproof/shoeproof/baccarat"
)

// A host that is restored from its state, at any call, behaves as a host that was never stopped.
func TestRestoredHost(t *testing.T) {
	cheats := []func(*table){
		func(*table) {}, pastPost, unread, lean, otherCards(0, 2), repeatSlug, fourRiffles,
		func(tb *table) { unread(tb); tb.freeze = func(r *Round) { r.Frozen = tb.rng.IntN(3) == 0 } },
	}
	rapid.Check(t, func(rt *rapid.T) {
		tb := newTable(t, rapid.Uint64().Draw(rt, "seed"))
		rapid.SampledFrom(cheats).Draw(rt, "cheat")(tb)
		every := rapid.IntRange(1, 60).Draw(rt, "every")
		budget := DefaultBudget()
		kept, stopped := NewLive(budget), NewLive(budget)
		calls := 0
		tb.hook = func() {
			if calls++; calls%2 != 0 { // after the first of both hosts
				return
			}
			if !slices.Equal(kept.Factors, stopped.Factors) {
				rt.Fatalf("call %d: factors\n%+v, want\n%+v", calls, stopped.Factors, kept.Factors)
			}
			if len(kept.Alarms)+len(stopped.Alarms) > 0 && !reflect.DeepEqual(kept.Alarms, stopped.Alarms) {
				rt.Fatalf("call %d: alarms\n%+v, want\n%+v", calls, stopped.Alarms, kept.Alarms)
			}
			if rapid.IntRange(0, every).Draw(rt, "stop") == 0 {
				*stopped = *restored(rt, stopped, budget)
			}
		}
		for range 2 {
			tb.play(kept, stopped)
			if a, b := stateOf(rt, kept), stateOf(rt, stopped); !bytes.Equal(a, b) {
				rt.Fatal("the states differ")
			}
		}
	})
}

func stateOf(t rapid.TB, h *Host) []byte {
	data, err := h.AppendState(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func restored(t rapid.TB, h *Host, b Budget) *Host {
	r, err := RestoreLive(b, stateOf(t, h))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// repeatSlug repeats a run of the previous shoe.
func repeatSlug(tb *table) {
	tb.shuffle = func(before []Card) []baccarat.Card {
		run := PlayerFirst.discards(before)[30:45]
		others := rest(run)
		tb.rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		return slices.Insert(others, 40, run...)
	}
}

func fourRiffles(tb *table) {
	tb.shuffle = func(before []Card) []baccarat.Card {
		pack := cardsOf(before)
		pack = append(pack, rest(pack)...)
		for range 4 {
			pack = riffle(tb, pack)
		}
		return pack
	}
}

// goldenState is a state in the middle of the second shoe of a fixed stream: a run of the first shoe repeats, a
// reader leaves cards unread, and late bets win.
func goldenState(t *testing.T) []byte {
	tb := newTable(t, 15)
	repeatSlug(tb)
	pastPost(tb)
	tb.pack = otherCardsPack(0, 2)
	tb.settle = func(r *Round) {
		if r.Round%9 == 0 {
			r.Cards[0].Card = baccarat.Unread
		}
	}
	h, calls := NewLive(DefaultBudget()), 0
	var data []byte
	tb.hook = func() {
		if calls++; calls == 100 {
			data = stateOf(t, h)
		}
	}
	tb.play(h)
	tb.play(h)
	return data
}

// The format is that of the golden file. SHOEPROOF_UPDATE=1 writes it; a new format needs a new version.
func TestStateFormat(t *testing.T) {
	path := fmt.Sprintf("testdata/live-state-%d.cbor", stateVersion)
	made := goldenState(t)
	if os.Getenv("SHOEPROOF_UPDATE") != "" {
		if err := os.WriteFile(path, made, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(made, golden) {
		t.Errorf("the state of the fixed stream differs from %s", path)
	}
	h, err := RestoreLive(DefaultBudget(), golden)
	if err != nil {
		t.Fatal(err)
	}
	if again := stateOf(t, h); !bytes.Equal(again, golden) {
		t.Error("the restored state is encoded in another way")
	}
	if live := h.processes[slices.Index(h.detectors, d04)].(*slug).copies[2].Live; len(live) == 0 {
		t.Error("the golden state has no run of cards")
	}
}

// dataMaps are the maps of a state whose keys are data.
var dataMaps = []string{
	".Ledger.Accounts", ".Detectors.d02", ".Detectors.d03", ".Detectors.d05.Visits", ".Detectors.d16", ".Detectors.d19",
}

// A state with a field that is renamed, added or missing, at any level, is refused.
func TestForeignState(t *testing.T) {
	var tree any
	golden := goldenState(t)
	mode, err := encoding()
	if err != nil {
		t.Fatal(err)
	}
	if err := cbor.Unmarshal(golden, &tree); err != nil {
		t.Fatal(err)
	}
	levels := 0
	refused := func(what string) {
		t.Helper()
		levels++
		data, err := mode.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := RestoreLive(DefaultBudget(), data); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch x := v.(type) {
		case []any:
			if len(x) > 0 { // elements are alike
				walk(path+"[]", x[0])
			}
		case map[any]any:
			keys := []string{}
			for k := range x {
				keys = append(keys, k.(string))
			}
			slices.Sort(keys)
			for _, k := range keys {
				value := x[k]
				if slices.Contains(dataMaps, path) {
					delete(x, k)
					x["none"+k] = value
					refused(path + ": key " + k + " of an unknown kind")
					delete(x, "none"+k)
				} else {
					delete(x, k)
					refused(path + ": without " + k)
					x[k+"s"] = value
					refused(path + ": " + k + " renamed")
					x[k] = value
					refused(path + ": " + k + " twice, once renamed")
					delete(x, k+"s")
				}
				x[k] = value
				walk(path+"."+k, value)
			}
		}
	}
	if data, _ := mode.Marshal(tree); !bytes.Equal(data, golden) {
		t.Fatal("the tree is encoded in another way")
	}
	walk("", tree)
	if levels < 250 {
		t.Errorf("%d changes, want 250 or more", levels)
	}
	t.Logf("%d changes refused", levels)
}

// States that no release writes are refused with an error that names the part, and never cause a panic.
func TestInvalidState(t *testing.T) {
	golden := goldenState(t)
	for name, c := range map[string]struct {
		change func(*hostState)
		want   string
	}{
		"other version":     {func(s *hostState) { s.Version = 3 }, "version 3, this release reads version 2"},
		"unknown detector":  {func(s *hostState) { s.Detectors["d21"] = s.Detectors["d04"] }, `unknown detector "d21"`},
		"detector missing":  {func(s *hostState) { delete(s.Detectors, "d04") }, "no state of detector d04"},
		"state of another":  {func(s *hostState) { s.Detectors["d04"] = s.Detectors["d05"] }, "detector d04"},
		"account of none":   {addAccount("d21", Key{OfShoe, "s"}), `unknown detector "d21"`},
		"account of a pit":  {addAccount("d04", Key{OfPit, "p"}), "of a pit"},
		"account of a pair": {addAccount("d15", Key{OfPair, "p"}), `unknown detector "d15"`},
		"pointer too far": {func(s *hostState) {
			s.Detectors["d04"] = changed(t, s.Detectors["d04"], func(x *slugState) { x.Copies[2].Live[0].At = 1000 })
		}, "copy model 2: pointer outside"},
		"weights missing": {func(s *hostState) {
			s.Detectors["d05"] = changed(t, s.Detectors["d05"], func(x *weakShuffleState) { x.Packets[0].Weights = nil })
		}, "0 weights for"},
		"experts missing": {func(s *hostState) {
			s.Detectors["d03"] = changed(t, s.Detectors["d03"], func(x *map[Key]*keyedMixture) {
				for _, m := range *x {
					m.Mixture = m.Mixture[:3]
				}
			})
		}, "mixture of 3 weights, want 44"},
	} {
		_, err := RestoreLive(DefaultBudget(), changed(t, golden, c.change))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	for n := 0; n < len(golden); n += 1 + n/64 {
		if _, err := RestoreLive(DefaultBudget(), golden[:n]); err == nil {
			t.Fatalf("the first %d bytes of a state are accepted", n)
		}
	}
}

func addAccount(detector string, key Key) func(*hostState) {
	return func(s *hostState) { s.Ledger.Accounts[accountName{detector, key}] = &accountState{} }
}

// changed decodes a state, changes it and encodes it.
func changed[T any](t *testing.T, data []byte, change func(*T)) []byte {
	t.Helper()
	var state T
	d, err := decoding(maxLiveKeys)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Unmarshal(data, &state); err != nil {
		t.Fatal(err)
	}
	change(&state)
	e, err := encoding()
	if err != nil {
		t.Fatal(err)
	}
	out, err := e.Marshal(&state)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
