// Package enginetest has what the tests of the engine and of the packages above it share: options, tables to audit, and
// how much of a long test to run.
package enginetest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// Options are the options of an engine with the shipped rulebooks, loaded once: rulebooks are read-only.
var Options = sync.OnceValue(func() engine.Options {
	books, err := rules.Shipped()
	if err != nil {
		panic(err)
	}
	days, err := calendar.Default()
	if err != nil {
		panic(err)
	}
	return engine.Options{Books: books, Calendar: days, PatronKey: []byte("test"), Version: "test"}
})

// Soak is the number of a `make soak`, the short one, or with -short a fraction of it.
func Soak(short, long int) int {
	switch {
	case os.Getenv("SHOEPROOF_SOAK") != "":
		return long
	case testing.Short():
		return max(short/8, 1)
	}
	return short
}

// Skips reports whether a test leaves out the case number i: with -short it tries each 16th. A case is replayed by one
// goroutine, so the race detector needs no more of them.
func Skips(i int) bool { return testing.Short() && i%16 > 0 }

// Stride is how many positions a test steps over between two that it tries.
func Stride(short, long int) int {
	switch {
	case os.Getenv("SHOEPROOF_SOAK") != "":
		return long
	case testing.Short():
		return 4 * short
	}
	return short
}

// Seeds are the seeds of the case number i: all up to long in a `make soak`, or else some of the first 24, other ones
// for the next case.
func Seeds(i, short, long int) []uint64 {
	seeds := make([]uint64, Soak(short, long))
	for k := range seeds {
		seeds[k] = uint64(k)
		if len(seeds) < long {
			seeds[k] = uint64(i+24*k/len(seeds)) % 24
		}
	}
	return seeds
}

// Faulty is tables with one fault each, as their own streams.
func Faulty(t testing.TB, tables int) [][]schema.Event {
	t.Helper()
	var floor [][]schema.Event
	faults := fault.All()
	for i := range tables {
		events, _, err := fault.Plant(
			deal.Options{Table: fmt.Sprintf("t-%02d", i)}, faults[i*len(faults)/tables], uint64(i),
		)
		if err != nil {
			t.Fatal(err)
		}
		floor = append(floor, events)
	}
	return floor
}

// Casino is tables that open, play shoes, close and open again, and as many with a fault.
func Casino(t testing.TB, tables int) [][]schema.Event {
	t.Helper()
	floor := Faulty(t, tables/2)
	kinds := deal.Kinds()
	for i := range tables - len(floor) {
		config, err := deal.Config(kinds[i%len(kinds)], uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		table := deal.NewTable(deal.Options{Table: fmt.Sprintf("d-%02d", i), Config: config, Seed: uint64(i)})
		floor = append(floor, slices.Concat(table.Open(), table.ShoeOf(
			3,
		), table.ShoeOf(2), table.ShoeOf(2), table.Close(),
			table.Open(), table.ShoeOf(2), table.ShoeOf(2), table.ShoeOf(4)))
	}
	return floor
}

// Mixed interleaves tables at random, each in its own order.
func Mixed(floor [][]schema.Event, rng *rand.Rand) []schema.Event {
	at := make([]int, len(floor))
	var order []int
	for i := range floor {
		for range floor[i] {
			order = append(order, i)
		}
	}
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	events := make([]schema.Event, 0, len(order))
	for _, i := range order {
		events = append(events, floor[i][at[i]])
		at[i]++
	}
	return events
}

// Encode writes events as they arrive.
func Encode(events []schema.Event) [][]byte {
	values := make([][]byte, len(events))
	for i := range events {
		values[i] = schema.AppendProto(nil, &events[i])
	}
	return values
}
