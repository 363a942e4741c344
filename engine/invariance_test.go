package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/shoeproof/shoeproof/engine/enginetest"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema/rows"

	"github.com/shoeproof/shoeproof/schema"
)

// amends reports whether a finding differs from its earlier row only in further findings that it covers.
func amends(t testing.TB, earlier string, f finding.Finding) bool {
	t.Helper()
	var old finding.Finding
	if err := json.Unmarshal([]byte(earlier), &old); err != nil {
		t.Fatal(err)
	}
	if len(old.Covers) >= len(f.Covers) || !slices.Equal(old.Covers, f.Covers[:len(old.Covers)]) {
		return false
	}
	f.Covers = old.Covers
	text, err := json.Marshal(&f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text) == earlier
}

// rowsByID are findings as JSON by their ids; the same id must have the same bytes each time, except that a later row
// may name more findings that it covers.
func rowsByID(t testing.TB, into map[string]string, findings []finding.Finding) map[string]string {
	t.Helper()
	if into == nil {
		into = map[string]string{}
	}
	for i := range findings {
		text, err := json.Marshal(&findings[i])
		if err != nil {
			t.Fatal(err)
		}
		if old, ok := into[findings[i].ID]; ok && old != string(text) && !amends(t, old, findings[i]) {
			t.Errorf("finding %s has two contents:\n%s\n%s", findings[i].ID, old, text)
		}
		into[findings[i].ID] = string(text)
	}
	return into
}

// golden is what one engine finds in a floor that arrives in order.
func golden(t testing.TB, floor [][]schema.Event) map[string]string {
	t.Helper()
	rows := rowsByID(t, nil, findingsOf(enginetest.Encode(slices.Concat(floor...))))
	if len(rows) < len(floor)/2 {
		t.Fatalf("%d findings at %d tables, want a floor with faults", len(rows), len(floor))
	}
	return rows
}

func equalRows(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if got[id] != want[id] {
			t.Errorf("%s:\nwant %s\ngot  %s", what, want[id], got[id])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(got)) {
		if want[id] == "" {
			t.Errorf("%s: not in the golden run: %s", what, got[id])
		}
	}
}

// However a feed is delivered, the findings are the same bytes.
func TestDelivery(t *testing.T) {
	floor := enginetest.Faulty(t, enginetest.Soak(16, 64))
	want := golden(t, floor)
	inOrder := func(rng *rand.Rand) [][]byte { return enginetest.Encode(enginetest.Mixed(floor, rng)) }
	for _, delivery := range []struct {
		name string
		feed func(rng *rand.Rand) [][]byte
	}{
		{"interleaved", inOrder},
		{"a tenth twice", func(rng *rand.Rand) [][]byte {
			var out [][]byte
			for i, v := range inOrder(rng) {
				if out = append(out, v); rng.IntN(10) == 0 {
					out = append(out, v)
				}
				if rng.IntN(20) == 0 {
					out = append(out, out[max(0, i-rng.IntN(300))])
				}
			}
			return out
		}},
		{"one event a thousand times", func(rng *rand.Rand) [][]byte {
			v := inOrder(rng)
			i := rng.IntN(len(v))
			return slices.Concat(v[:i], slices.Repeat([][]byte{v[i]}, 1000), v[i:])
		}},
		{"everything once more", func(rng *rand.Rand) [][]byte {
			v := inOrder(rng)
			return slices.Concat(v, v)
		}},
		{"resent from an earlier point", func(rng *rand.Rand) [][]byte {
			v := inOrder(rng)
			i := len(v)/2 + rng.IntN(len(v)/2)
			return slices.Concat(v[:i], v[i-rng.IntN(i):i], v[i:])
		}},
		{"within 64 positions", func(rng *rand.Rand) [][]byte {
			return enginetest.Encode(enginetest.Mixed(jostled(floor, rng, within64(rng)), rng))
		}},
		{"within 5 seconds", func(rng *rand.Rand) [][]byte {
			within5s := func(events []schema.Event, i int) float64 { return float64(events[i].At)/1e9 + 5*rng.Float64() }
			return enginetest.Encode(enginetest.Mixed(jostled(floor, rng, within5s), rng))
		}},
		{"out of order and twice", func(rng *rand.Rand) [][]byte {
			v := enginetest.Encode(enginetest.Mixed(jostled(floor, rng, within64(rng)), rng))
			var out [][]byte
			for _, x := range v {
				if out = append(out, x); rng.IntN(10) == 0 {
					out = append(out, out[rng.IntN(len(out))])
				}
			}
			return out
		}},
	} {
		t.Run(delivery.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(enginetest.Soak(1, 100)) {
				rng := rand.New(rand.NewPCG(seed, 7))
				equalRows(t, fmt.Sprintf("seed %d", seed), want, rowsByID(t, nil, findingsOf(delivery.feed(rng))))
				if t.Failed() {
					return
				}
			}
		})
	}
}

// jostled puts the events of each table in the order of a key.
func jostled(floor [][]schema.Event, _ *rand.Rand, key func([]schema.Event, int) float64) [][]schema.Event {
	out := make([][]schema.Event, len(floor))
	for i, events := range floor {
		keys := make([]float64, len(events))
		order := make([]int, len(events))
		for j := range events {
			keys[j], order[j] = key(events, j), j
		}
		slices.SortStableFunc(order, func(a, b int) int {
			if keys[a] < keys[b] {
				return -1
			}
			if keys[a] > keys[b] {
				return 1
			}
			return 0
		})
		for _, j := range order {
			out[i] = append(out[i], events[j])
		}
	}
	return out
}

func within64(rng *rand.Rand) func([]schema.Event, int) float64 {
	return func(_ []schema.Event, i int) float64 { return float64(i) + 63*rng.Float64() }
}

// Two engines, each with half of the tables, find what one finds.
func TestTwoEngines(t *testing.T) {
	floor := enginetest.Faulty(t, 12)
	rng := rand.New(rand.NewPCG(1, 2))
	half := rowsByID(t, nil, findingsOf(enginetest.Encode(enginetest.Mixed(floor[:5], rng))))
	equalRows(
		t, "halves", golden(t, floor),
		rowsByID(t, half, findingsOf(enginetest.Encode(enginetest.Mixed(floor[5:], rng)))),
	)
}

// How records are cut into batches changes nothing.
func TestBatchSizes(t *testing.T) {
	floor := enginetest.Faulty(t, 12)
	want := golden(t, floor)
	values := enginetest.Encode(enginetest.Mixed(floor, rand.New(rand.NewPCG(3, 4))))
	for _, size := range []int{1, 97, 50_000} {
		byID := map[string]string{}
		e, b := engine.New(enginetest.Options()), &rows.Set{}
		for i, v := range values {
			e.Apply(&engine.Record{Offset: int64(i), Format: schema.Protobuf, Value: v}, "test", 0, b)
			if (i+1)%size == 0 {
				rowsByID(t, byID, b.Findings)
				b.Reset()
			}
		}
		e.Finish(b)
		equalRows(t, fmt.Sprintf("batches of %d", size), want, rowsByID(t, byID, b.Findings))
	}
}

// Suits decide nothing but the indicator and the copies of a card: with the suits exchanged the same
// rules are broken in the same places.
func TestSuitsAreExchangeable(t *testing.T) {
	floor := enginetest.Faulty(t, enginetest.Soak(24, 100))
	for i, events := range floor {
		exchanged := make([]schema.Event, len(events))
		for j := range events {
			exchanged[j] = events[j].Clone()
			exchangeSuits(exchanged[j].Payload)
		}
		summary := func(findings []finding.Finding) []string {
			var out []string
			for _, f := range findings {
				out = append(out, fmt.Sprint(f.Rule, f.ShoeID, f.Round, f.Seat, f.Subject, f.Verdict, f.Amount))
			}
			return out
		}
		same(
			t, fmt.Sprintf("table %d", i), summary(findingsOf(enginetest.Encode(events))),
			summary(findingsOf(enginetest.Encode(exchanged))),
		)
	}
}

func exchangeSuits(p schema.Payload) {
	swap := func(card *string) {
		if len(*card) == 2 {
			if i := slices.Index([]byte("cdhs"), (*card)[1]); i >= 0 {
				*card = (*card)[:1] + string("dhsc"[i])
			}
		}
	}
	switch p := p.(type) {
	case *schema.CardDealt:
		swap(&p.Card)
	case *schema.CardFoundFaceup:
		swap(&p.Card)
	case *schema.ShoeBurned:
		swap(&p.Indicator)
		for i := range p.Cards {
			swap(&p.Cards[i])
		}
	}
}

func jostleBy(rng *rand.Rand) func([]schema.Event, int) float64 {
	return func(_ []schema.Event, i int) float64 { return float64(i) + 63*rng.Float64() }
}
