package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

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

// Two systems publish a table, each in a partition of its own and with its own numbers: each some kinds of events, or
// by turns. What a partition lacks accuses no one, as if it was lost, and is reported once a shoe.
func TestBeside(t *testing.T) {
	for i, kind := range deal.Kinds() {
		for _, seed := range enginetest.Seeds(i, 2, 8) {
			t.Run(fmt.Sprintf("%s %d", kind, seed), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(seed, 7))
				events, here, turns := twoShoes(t, kind, seed, 25, 5), map[schema.Kind]bool{}, 1+r.IntN(60)
				for k := range schema.Kind(200) {
					here[k] = r.IntN(3) > 0
				}
				for _, split := range []func(int) bool{
					func(k int) bool { return here[events[k].Payload.Kind()] },
					func(k int) bool { return !here[events[k].Payload.Kind()] || isOpening(events[k]) },
					func(k int) bool { return k/turns%2 == 0 },
					func(k int) bool { return k%turns != turns/2 },
				} {
					if f := accusation(partOf(t, events, split)); f != nil {
						t.Errorf("%s", line(f))
					}
				}
			})
		}
	}
}

// partOf are the findings of a partition that has some of these events.
func partOf(t *testing.T, events []schema.Event, has func(int) bool) []finding.Finding {
	e, out, missing, n := engine.New(enginetest.Options()), &rows.Set{}, false, int64(0)
	for k := range events {
		if !has(k) {
			missing = true
			continue
		}
		ev := events[k].Clone()
		ev.Seq = uint64(n + 1)
		if missing {
			e.Beside(1)
		}
		value := schema.AppendProto(nil, &ev)
		e.Apply(&engine.Record{Offset: n, Format: schema.Protobuf, Value: value}, "table-events", 2, out)
		n, missing = n+1, false
	}
	e.Finish(out)
	shoes := map[string]bool{}
	for i := range out.Findings {
		if f := &out.Findings[i]; f.Rule == "feed.partition" {
			if shoes[f.ShoeID] {
				t.Errorf("shoe %q is reported twice", f.ShoeID)
			}
			shoes[f.ShoeID] = true
		}
	}
	return out.Findings
}

// A table moves to another partition, and back after a restart. With numbers of its own there, what is here is not
// judged and accuses no one; with numbers that go on, the gap shows what is missing.
func TestMovedBack(t *testing.T) {
	for i, kind := range deal.Kinds() {
		for _, apart := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s %v", kind, apart), func(t *testing.T) {
				t.Parallel()
				seed := enginetest.Seeds(i, 1, 4)[0]
				events := twoShoes(t, kind, seed, 25, 5)
				step := enginetest.Stride(97, 5)
				for k := 80 + int(seed)%step; k+step < len(events); k += step {
					back := min(k+1+(k*k)%(2*step), len(events)-1)
					here := slices.Clone(events[back:])
					there := engine.Played{
						PropertyID: events[0].PropertyID, TableID: events[0].TableID, Partition: 1, At: events[k].At,
						Until: events[back-1].At, First: uint64(k + 1), Last: uint64(back),
					}
					if apart {
						there.First, there.Last = 1, uint64(back-k)
						for j := range here {
							here[j].Seq = uint64(k + j + 1)
						}
					}
					found := movedBack(t, events[:k], here, there)
					if f := accusation(found); f != nil {
						t.Errorf("moved with event %d to %d: %s", k+1, back, line(f))
					}
					rule := map[bool]string{true: "feed.partition", false: "feed.gap"}
					for _, is := range []bool{true, false} {
						if hasRule(found, rule[is]) != (is == apart) {
							t.Errorf("moved with event %d to %d: %s %v", k+1, back, rule[is], is != apart)
						}
					}
				}
			})
		}
	}
}

// hasRule is true if a rule has a finding.
func hasRule(found []finding.Finding, rule string) bool {
	return slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == rule })
}

// movedBack are the findings of a restart after some events of a table, which was in another partition then.
func movedBack(t *testing.T, before, after []schema.Event, there engine.Played) []finding.Finding {
	e, out := engine.New(enginetest.Options()), &rows.Set{}
	apply := func(events []schema.Event, from int) {
		for i, value := range enginetest.Encode(events) {
			e.Apply(&engine.Record{Offset: int64(from + i), Format: schema.Protobuf, Value: value}, "table-events", 2, out)
		}
	}
	apply(before, 0)
	state := &rows.Set{}
	e.Snapshots(state)
	state.Snapshots[0].Offset = int64(len(before) - 1)
	here := there
	here.Partition, here.At, here.Until = 2, before[0].At, before[len(before)-1].At
	here.First, here.Last = 1, uint64(len(before))
	e = engine.New(enginetest.Options())
	e.Elsewhere([]engine.Played{there, here})
	if err := e.Restore(state.Snapshots, before[len(before)-1].At); err != nil {
		t.Fatal(err)
	}
	apply(after, len(before))
	e.Finish(out)
	return out.Findings
}

// A partition learns between two records what other partitions have played. It starts again where a start would judge
// its last events otherwise: where another one plays the table at the same time, with its own numbers.
func TestLearn(t *testing.T) {
	events := twoShoes(t, deal.Kinds()[0], 1, 25, 5)
	first, last, n := events[0].At, events[len(events)-1].At, uint64(len(events))
	minute := int64(time.Minute)
	of := func(partition int32, at, until int64, first, last uint64) engine.Played {
		return engine.Played{
			PropertyID: events[0].PropertyID, TableID: events[0].TableID, Partition: partition, At: at, Until: until,
			First: first, Last: last,
		}
	}
	here, beside, before := of(2, first, last, 1, n), of(1, first, last, 1, n/2), of(1, first, last-minute, 1, 9)
	for name, c := range map[string]struct {
		start, now []engine.Played
		again      bool
	}{
		"two numberings":              {nil, []engine.Played{beside, here}, true},
		"known":                       {[]engine.Played{beside}, []engine.Played{beside, here}, false},
		"known, and played since":     {[]engine.Played{before}, []engine.Played{beside, here}, false},
		"the first snapshot there":    {nil, []engine.Played{beside}, false},
		"no other partition":          {nil, []engine.Played{here}, false},
		"moved away":                  {nil, []engine.Played{of(1, last+2*minute, last+9*minute, 1, 9), here}, false},
		"moved here":                  {nil, []engine.Played{of(1, first-9*minute, first-minute, 1, 9), here}, false},
		"one numbering, not received": {nil, []engine.Played{of(1, first, last, n+1, n+9), here}, false},
		"another table": {nil, []engine.Played{{
			PropertyID: "other", TableID: events[0].TableID, Partition: 1, At: first, Until: last, First: 1, Last: n,
		}, here}, false},
	} {
		t.Run(name, func(t *testing.T) {
			e, out := engine.New(enginetest.Options()), &rows.Set{}
			e.Elsewhere(c.start)
			for i, value := range enginetest.Encode(events) {
				e.Apply(&engine.Record{Offset: int64(i), Format: schema.Protobuf, Value: value}, "table-events", 2, out)
			}
			if again := e.Learn(c.now, 2); again != c.again {
				t.Errorf("again %v, want %v", again, c.again)
			}
			if c.start != nil && e.Learn(c.now, 2) {
				t.Error("again, of what it knows")
			}
		})
	}
}
