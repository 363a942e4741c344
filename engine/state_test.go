package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// goldenSnapshot is the snapshot of the present format. A change of the format needs another number and another file:
// go test ./engine -run GoldenSnapshot -update.
const goldenSnapshot = "testdata/snapshot-12.cbor"

// midShoe is a table in the middle of a shoe, with a finding that covers another, and an event that waits for the one
// before it.
func midShoe(t *testing.T) [][]byte {
	t.Helper()
	all := fault.All()
	broken := all[slices.IndexFunc(all, func(f fault.Fault) bool { return f.Rule == "payout.banker.odds" })]
	events, _, err := fault.Plant(deal.Options{}, broken, 0)
	if err != nil {
		t.Fatal(err)
	}
	end := slices.IndexFunc(events, func(ev schema.Event) bool { return ev.Round == 5 })
	events = slices.Delete(events[:end:end], end-2, end-1)
	return enginetest.Encode(events)
}

// snapshotOf is the last snapshot that the records give.
func snapshotOf(t *testing.T, values [][]byte) rows.Snapshot {
	t.Helper()
	options := enginetest.Options()
	options.Stretch = int64(len(values) - 1)
	e, out := engine.New(options), &rows.Set{}
	for i := range values {
		applyAt(e, values, i, out)
	}
	if n := len(out.Snapshots); n > 0 && out.Snapshots[n-1].Offset == int64(len(values)-1) {
		return out.Snapshots[n-1]
	}
	t.Fatalf("%d snapshots, want one after the last record", len(out.Snapshots))
	return rows.Snapshot{}
}

func TestGoldenSnapshot(t *testing.T) {
	row := snapshotOf(t, midShoe(t))
	if *update {
		if err := os.WriteFile(goldenSnapshot, []byte(row.State), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(goldenSnapshot)
	if err != nil {
		t.Fatal(err)
	}
	if want, got := shape(t, golden), shape(t, []byte(row.State)); !slices.Equal(want, got) {
		t.Errorf(
			"the fields of a snapshot are not those of %s: the format needs another number\n%s", goldenSnapshot,
			cmp.Diff(want, got),
		)
	}
	row.State = string(golden)
	if err := engine.New(enginetest.Options()).Restore([]rows.Snapshot{row}, 0); err != nil {
		t.Error(err)
	}
}

// shape is the fields of a snapshot, whatever their values.
func shape(t *testing.T, text []byte) []string {
	t.Helper()
	var state any
	if err := cbor.Unmarshal(text, &state); err != nil {
		t.Fatal(err)
	}
	var fields []string
	for path, of := range structsOf("", state) {
		for key := range of {
			fields = append(fields, fmt.Sprintf("%s.%v", path, key))
		}
	}
	slices.Sort(fields)
	return fields
}

// dataMaps are keyed by what the table met, not by fields.
var dataMaps = []string{"Kept", "Patrons", "Attested", "Options"}

// A snapshot with a key that is renamed, added or dropped, at any level, is refused: it is never half read.
func TestSnapshotWithAnotherKeyIsRefused(t *testing.T) {
	golden, err := os.ReadFile(goldenSnapshot)
	if err != nil {
		t.Fatal(err)
	}
	encoding, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	decoding, err := cbor.DecOptions{DefaultMapType: nil}.DecMode()
	if err != nil {
		t.Fatal(err)
	}
	var state any
	if err := decoding.Unmarshal(golden, &state); err != nil {
		t.Fatal(err)
	}
	same, err := encoding.Marshal(state)
	if err != nil || !bytes.Equal(same, golden) {
		t.Fatalf("the golden snapshot is not what it decodes to: %v", err)
	}
	tried := 0
	for path, fields := range structsOf("", state) {
		for key, value := range maps.Clone(fields) {
			delete(fields, key)
			refused(t, encoding, state, fmt.Sprintf("%s without %v", path, key))
			fields["Other"] = value
			refused(t, encoding, state, fmt.Sprintf("%s with %v renamed", path, key))
			delete(fields, "Other")
			fields[key] = value
			tried++
		}
		fields["Other"] = 0
		refused(t, encoding, state, path+" with a key more")
		delete(fields, "Other")
	}
	if tried < 200 {
		t.Errorf("%d keys tried: the golden snapshot has too little in it", tried)
	}
}

// structsOf yields the maps of a decoded snapshot that are structs, of each list the maps of the first element.
func structsOf(path string, v any) func(yield func(string, map[any]any) bool) {
	return func(yield func(string, map[any]any) bool) {
		switch v := v.(type) {
		case map[any]any:
			for key, value := range v {
				if slices.Contains(dataMaps, fmt.Sprint(key)) {
					continue
				}
				for p, fields := range structsOf(fmt.Sprintf("%s.%v", path, key), value) {
					if !yield(p, fields) {
						return
					}
				}
			}
			yield(path, v)
		case []any:
			if len(v) > 0 {
				structsOf(path+"[0]", v[0])(yield)
			}
		}
	}
}

func refused(t *testing.T, encoding cbor.EncMode, state any, what string) {
	t.Helper()
	text, err := encoding.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	row := rows.Snapshot{PropertyID: "p", TableID: "t-9", State: string(text)}
	if err := engine.New(enginetest.Options()).Restore([]rows.Snapshot{row}, 0); !errors.Is(err, engine.ErrSnapshot) {
		t.Errorf("%s: got %v, want ErrSnapshot", what, err)
	}
}
