package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/enginetest"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// movedAt are the findings of the partition to which a table moves with the first of these events.
func movedAt(events []schema.Event, before ...engine.Played) []finding.Finding {
	e, out := engine.New(enginetest.Options()), &rows.Set{}
	e.Elsewhere(before)
	for i, value := range enginetest.Encode(events) {
		e.Apply(&engine.Record{Offset: int64(i), Format: schema.Protobuf, Value: value}, "table-events", 2, out)
	}
	e.Finish(out)
	return out.Findings
}

// The records of a table move to another partition, with numbers that go on or begin again, with an opening of the
// table or without. That is a finding with both partitions, and accuses no one.
func TestMoved(t *testing.T) {
	for i, kind := range deal.Kinds() {
		for _, opening := range append([]string{"the same numbers"}, openings...) {
			t.Run(kind+" "+opening, func(t *testing.T) {
				t.Parallel()
				seed := enginetest.Seeds(i, 1, 4)[0]
				events := twoShoes(t, kind, seed, 25, 5)
				played := engine.Played{
					PropertyID: events[0].PropertyID, TableID: events[0].TableID, Partition: 1, At: events[0].At,
				}
				step := enginetest.Stride(11, 1)
				for k := 1 + int(seed)%step; k < len(events); k++ {
					if late := events[k].Round > 2; k%step != 0 && !late || late && k%41 != 0 {
						continue
					}
					rest := events[k:]
					if opening != "the same numbers" {
						rest = resumed(events, k, opening)[k:]
					}
					found := movedAt(rest, played)
					if f := accusation(found); f != nil {
						t.Errorf("moved with %T, event %d of %d: %s", events[k].Payload, k+1, len(events), line(f))
					}
					moved := slices.DeleteFunc(found, func(f finding.Finding) bool { return f.Rule != "feed.partition" })
					want := fmt.Sprintf("event %d begins partition 2; the table was in partition 1 before", rest[0].Seq)
					if len(moved) != 1 || moved[0].Observed != want {
						t.Errorf("moved with %T: %d findings, want one: %s", events[k].Payload, len(moved), want)
					}
				}
			})
		}
	}
}

// A system that is installed while a table plays publishes no opening, and what it does not know accuses no one. A
// table that was elsewhere only later has not moved.
func TestBegunInPlay(t *testing.T) {
	for i, kind := range deal.Kinds() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			seed := enginetest.Seeds(i, 1, 4)[0]
			events := twoShoes(t, kind, seed, 25, 5)
			step := enginetest.Stride(11, 1)
			for k := slices.IndexFunc(events, isOpening) + 1 + int(seed)%step; k < len(events); k += step {
				later := engine.Played{
					PropertyID: events[0].PropertyID, TableID: events[0].TableID, Partition: 1, At: events[k].At,
				}
				found := movedAt(resumed(events, k, openings[0])[k:], later)
				if f := accusation(found); f != nil {
					t.Errorf("begun with %T, event %d of %d: %s", events[k].Payload, k+1, len(events), line(f))
				}
				if slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == "feed.partition" }) {
					t.Errorf("begun with %T: feed.partition", events[k].Payload)
				}
			}
		})
	}
}
