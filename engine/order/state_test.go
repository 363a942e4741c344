package order

import (
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/schema"
)

// A snapshot of an earlier release, of a table that was joined in mid-stream, does not have the gap before it. What
// comes from there is late all the same, and once.
func TestStateOfAnEarlierRelease(t *testing.T) {
	q, err := Restore(&State{Log: LogState{Base: 1000}, Started: true, Begin: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][]Kind{{Archive, Fault}, {Duplicate}} {
		var kinds []Kind
		for item := range q.Receive(&schema.Event{EventID: "e", Seq: 7, At: 1}, sha256.Sum256([]byte("e")), false) {
			kinds = append(kinds, item.Kind)
		}
		if !slices.Equal(kinds, want) {
			t.Errorf("items %v, want %v", kinds, want)
		}
	}
	if again, err := Restore(new(q.State())); err != nil || !slices.Equal(again.gaps, []Span{{1, 6}, {8, 999}}) {
		t.Errorf("gaps %v, %v", again.gaps, err)
	}
}
