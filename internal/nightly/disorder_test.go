//go:build unix

package nightly

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/internal/testkit"
	"github.com/shoeproof/shoeproof/schema"
)

// Events come out of order, late, twice and with other bytes. The run finds what the live audit found, but for what
// follows from events that came late.
func TestDisorder(t *testing.T) {
	first, seeds := uint64(1), testkit.Soak(2, 40)
	if one, err := strconv.ParseUint(os.Getenv("SHOEPROOF_DISORDER"), 10, 64); err == nil {
		first, seeds = one, 1
	}
	for seed := first; seed < first+uint64(seeds); seed++ {
		const tables = 16
		f := play(t, tables, tables*3/4, 1)
		byTable := map[string][]schema.Event{}
		for i := range f.events {
			ev := &f.events[i]
			byTable[ev.TableID] = append(byTable[ev.TableID], *ev)
		}
		var l log
		done := map[string][]string{}
		for i, name := range sorted(byTable) {
			events := byTable[name]
			slices.SortStableFunc(events, func(a, b schema.Event) int { return int(a.Seq) - int(b.Seq) })
			events, did := disordered(events, rand.New(rand.NewPCG(seed, uint64(i))))
			done[name] = did
			l.append(events...)
		}
		store := database(t)
		ingest(t, store, &l)
		res := night(t, store, nil)
		for i := range res.Findings {
			if got := &res.Findings[i]; got.Rule == "feed.reconcile" {
				t.Errorf("seed %d: %s\n%s", seed, brief(got), strings.Join(done[got.TableID], "; "))
			}
		}
		if r := &res.Run; r.Late != r.Missing+r.Extra+r.Changed {
			t.Errorf("seed %d: %+v", seed, r)
		}
	}
}

func sorted[V any](of map[string]V) (names []string) {
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// disordered changes the order in which the events of a table arrive, and returns how.
func disordered(events []schema.Event, rng *rand.Rand) ([]schema.Event, []string) {
	var did []string
	order := slices.Clone(events)
	find := func(seq uint64) int {
		return slices.IndexFunc(order, func(ev schema.Event) bool { return ev.Seq == seq })
	}
	move := func(at, by int) {
		ev := order[at]
		order = slices.Insert(slices.Delete(order, at, at+1), min(at+by, len(order)-1), ev)
	}
	for range 1 + rng.IntN(5) {
		at := 70 + rng.IntN(max(len(order)-80, 1))
		if at >= len(order) {
			break
		}
		ev := order[at]
		by := 1 + rng.IntN(20)
		what := fmt.Sprintf("event %d of round %d (%T)", ev.Seq, ev.Round, ev.Payload)
		far := 80 + rng.IntN(600)
		switch rng.IntN(7) {
		case 0:
			did = append(did, fmt.Sprintf("%s %d later", what, by))
			move(at, by)
		case 1:
			did = append(did, fmt.Sprintf("%s %d later, late", what, far))
			move(at, far)
		case 2:
			did = append(did, fmt.Sprintf("%s twice, %d later", what, far))
			order = slices.Insert(order, min(at+far, len(order)), ev.Clone())
		case 3:
			did = append(did, what+" is missing")
			order = slices.Delete(order, at, at+1)
		case 4, 5, 6: // contested, of an event in order, out of order, or late
			other := ev.Clone()
			other.At += int64(time.Millisecond)
			kind := rng.IntN(3)
			moved := []int{0, by, far}[kind]
			after := []int{1, 1 + rng.IntN(40), far}[rng.IntN(3)]
			did = append(did, fmt.Sprintf("%s %d later, contested %d later", what, moved, after))
			move(at, moved)
			i := find(ev.Seq)
			order = slices.Insert(order, min(i+after, len(order)), other)
		}
	}
	return order, did
}
