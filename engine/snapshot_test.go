package engine_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/schema"
)

// steps are the rows of each record, in one hash, and the snapshots with the record that gave them.
type steps struct {
	hashes    []string
	snapshots []rows.Snapshot
}

func applyAt(e *engine.Engine, values [][]byte, i int, b *rows.Set) {
	e.Apply(&engine.Record{Offset: int64(i), Format: schema.Protobuf, Value: values[i]}, "test", 0, b)
}

// newest is the newest snapshot of each table below an offset.
func newest(snapshots []rows.Snapshot, below int64) []rows.Snapshot {
	last := map[string]rows.Snapshot{}
	for _, s := range snapshots {
		if s.Offset < below {
			last[s.TableID] = s
		}
	}
	return slices.SortedFunc(
		maps.Values(last), func(a, b rows.Snapshot) int { return cmp.Compare(a.TableID, b.TableID) },
	)
}

// An engine is stopped after any record. A second engine is restored from the snapshots before it and reads again from
// the low offset of the first. It gives the same rows for each record from there on, snapshots included.
func TestStopAndRestart(t *testing.T) {
	floor := enginetest.Casino(t, 10)
	inOrder := enginetest.Mixed(floor, rand.New(rand.NewPCG(5, 6)))
	jumbled := enginetest.Mixed(jostled(floor, nil, jostleBy(rand.New(rand.NewPCG(7, 8)))), rand.New(rand.NewPCG(5, 6)))
	for _, c := range []struct {
		name    string
		feed    []schema.Event
		idle    time.Duration
		stretch int64
	}{
		{"in order", inOrder, 0, 0},
		{"in order, often", inOrder, time.Second, 300},
		{"out of order", jumbled, 0, 0},
		{"out of order, often", jumbled, time.Second, 300},
		{"with what is lost, late and twice", bent(jumbled, rand.New(rand.NewPCG(9, 10))), time.Minute, 1000},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			values := enginetest.Encode(c.feed)
			opt := enginetest.Options()
			opt.Idle, opt.Stretch = c.idle, c.stretch
			var all steps
			var lows, clocks []int64
			first, b := engine.New(opt), &rows.Set{}
			for i := range values {
				low, clock := first.Low(int64(i))
				lows, clocks = append(lows, low), append(clocks, clock)
				applyAt(first, values, i, b)
				all.hashes = append(all.hashes, b.Hash())
				all.snapshots = append(all.snapshots, b.Snapshots...)
				b.Reset()
			}
			if len(all.snapshots) < len(floor) {
				t.Fatalf("%d snapshots of %d tables", len(all.snapshots), len(floor))
			}
			again, longest := 0, int64(0)
			step := enginetest.Stride(4001, 7)
			for stop := 0; stop < len(values); stop += step {
				second := engine.New(opt)
				if err := second.Restore(newest(all.snapshots, int64(stop)), clocks[stop]); err != nil {
					t.Fatal(err)
				}
				for i := int(lows[stop]); i < stop; i++ {
					applyAt(second, values, i, b)
					b.Reset()
				}
				again, longest = again+stop-int(lows[stop]), max(longest, int64(stop)-lows[stop])
				for i := stop; i < len(values); i++ {
					if applyAt(second, values, i, b); b.Hash() != all.hashes[i] {
						t.Fatalf(
							"stopped at %d, restarted from %d: record %d gives %d findings, %d snapshots, %d shoes %s", stop,
							lows[stop], i, len(b.Findings), len(b.Snapshots), len(b.Shoes), why(c.feed[i], b),
						)
					}
					b.Reset()
				}
			}
			t.Logf(
				"%d records, %d snapshots; a start reads %d again, at most %d", len(values), len(all.snapshots),
				again*step/len(values), longest,
			)
		})
	}
}

func why(ev schema.Event, b *rows.Set) string {
	out := fmt.Sprintf("table %s seq %d %s", ev.TableID, ev.Seq, ev.Payload.Kind())
	for _, f := range b.Findings {
		out += fmt.Sprintf("\n%+v", f)
	}
	for _, m := range b.Snapshots {
		out += fmt.Sprintf("\n%s %d", m.TableID, len(m.State))
	}
	return out
}

// bent loses, repeats, contradicts and delays some events.
func bent(events []schema.Event, rng *rand.Rand) []schema.Event {
	var out, later []schema.Event
	for _, ev := range events {
		switch rng.IntN(200) {
		case 0:
			continue
		case 1:
			out = append(out, ev)
		case 2:
			later = append(later, ev)
			continue
		case 3:
			other := ev.Clone()
			other.EventID += "x"
			out = append(out, other)
		}
		out = append(out, ev)
		if len(later) > 0 && rng.IntN(100) == 0 {
			out, later = append(out, later[0]), later[1:]
		}
	}
	return out
}

// Where snapshots are written changes no finding and no fact.
func TestSnapshotsChangeNothing(t *testing.T) {
	values := enginetest.Encode(enginetest.Mixed(enginetest.Casino(t, 8), rand.New(rand.NewPCG(1, 2))))
	var want string
	for i, c := range []struct {
		idle    time.Duration
		stretch int64
	}{{0, 0}, {time.Second, 100}, {time.Millisecond, 7}} {
		opt := enginetest.Options()
		opt.Idle, opt.Stretch = c.idle, c.stretch
		e, b := engine.New(opt), &rows.Set{}
		for i := range values {
			applyAt(e, values, i, b)
		}
		snapshots, size := len(b.Snapshots), 0
		for _, m := range b.Snapshots {
			size += len(m.State)
		}
		b.Snapshots = nil
		t.Logf("idle %v, stretch %d: %d snapshots, %d bytes each", c.idle, c.stretch, snapshots, size/snapshots)
		if got := b.Hash(); i == 0 {
			want = got
		} else if got != want {
			t.Errorf("idle %v, stretch %d: other rows", c.idle, c.stretch)
		}
	}
}

// The state of a table in the middle of a shoe is stored when a restart would read many records again for it, and not
// for a short break.
func TestSnapshotOfIdleTable(t *testing.T) {
	const stretch = 300
	casino := enginetest.Casino(t, 2)
	playing, other := casino[0][:100], casino[1]
	last := slices.MaxFunc(playing, func(a, b schema.Event) int { return cmp.Compare(a.At, b.At) }).At
	for _, c := range []struct {
		name  string
		quiet time.Duration // from the last record of the table to each of the other one
		back  int           // offsets from the first record of the table to the snapshot
	}{
		{"short break", 30 * time.Minute, stretch},
		{"long break", 30*time.Minute + 1, stretch / 2},
		{"hours", 6 * time.Hour, stretch / 2},
		{"closed", 6*time.Hour + 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			feed := slices.Clone(playing)
			for _, ev := range other {
				ev = ev.Clone()
				ev.At = last + int64(c.quiet)
				feed = append(feed, ev)
			}
			opt := enginetest.Options()
			opt.Stretch = stretch
			e, b := engine.New(opt), &rows.Set{}
			values := enginetest.Encode(feed)
			var at []int
			for i := range values {
				applyAt(e, values, i, b)
				for _, s := range b.Snapshots {
					if s.TableID == playing[0].TableID {
						at = append(at, i)
					}
				}
				b.Reset()
			}
			if want := []int{max(len(playing), c.back)}; !slices.Equal(at, want) {
				t.Errorf("snapshots after %d, want %d", at, want)
			}
		})
	}
}

// A snapshot names no patron, not even in an event that waits for an earlier one.
func TestSnapshotNamesNoPatron(t *testing.T) {
	const canary = "CANARY-PATRON-"
	floor, rng := enginetest.Casino(t, 4), rand.New(rand.NewPCG(3, 4))
	waits := 0
	for k, events := range floor {
		for i := range events {
			if p, ok := events[i].Payload.(*schema.WagerPlaced); ok {
				p.PatronRef = canary + "1"
			}
		}
		floor[k] = bent(events, rng)
	}
	opt := enginetest.Options()
	opt.Stretch = 7
	e, b := engine.New(opt), &rows.Set{}
	values := enginetest.Encode(enginetest.Mixed(floor, rand.New(rand.NewPCG(1, 2))))
	for i := range values {
		applyAt(e, values, i, b)
	}
	for _, m := range b.Snapshots {
		if strings.Contains(m.State, canary) {
			t.Fatalf("a snapshot of table %s names a patron", m.TableID)
		}
		waits += strings.Count(m.State, engine.Pseudonym(opt.PatronKey, canary+"1"))
	}
	if waits == 0 {
		t.Error("no snapshot has an event that waits")
	}
}

// A snapshot that cannot be read is an error, never a table that is half restored.
func TestSnapshotOfAnotherRelease(t *testing.T) {
	format := func(n int) string {
		text, err := cbor.Marshal(map[string]any{"Format": n})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for what, c := range map[string]struct{ state, want string }{
		"JSON of format 2": {`{"format":2,"table":{}}`, "EOF"},
		"format 4":         {format(4), "format 4, this release reads 12"},
		"format 13":        {format(13), "format 13, this release reads 12"},
		"empty":            {"", "EOF"},
		"no parts":         {format(12), "a field is missing"},
	} {
		err := engine.New(enginetest.Options()).Restore([]rows.Snapshot{{PropertyID: "p", TableID: "t-9", State: c.state}}, 0)
		if !errors.Is(err, engine.ErrSnapshot) || !strings.Contains(err.Error(), "t-9") ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", what, err, c.want)
		}
	}
}
