//go:build unix

package kafka_test

import (
	"fmt"
	"maps"
	"runtime"
	"testing"
	"time"

	"github.com/shoeproof/shoeproof/engine/calendar"

	"github.com/google/go-cmp/cmp"

	"github.com/shoeproof/shoeproof/cmd/devstack/engine"
	auditor "github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/pipeline"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// Findings and facts are the same bytes on one processor or two, in batches of any size, and however the
// tables are spread over partitions; only the locations of records differ.
func TestSpreadChangesNothing(t *testing.T) {
	books, err := rules.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	calendar, err := calendar.Default()
	if err != nil {
		t.Fatal(err)
	}
	opt := auditor.Options{
		Books: books, Calendar: calendar, PatronKey: []byte("test"), Version: "test",
		NoArchive: true, Idle: time.Minute, Stretch: 1000,
	}
	var events []schema.Event
	faults := fault.All()
	for i := range 16 {
		broken, _, err := fault.Plant(deal.Options{Table: fmt.Sprintf("t-%02d", i)}, faults[i*len(faults)/16], uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, broken...)
	}
	var want map[string]map[string]string
	for _, partitions := range []int32{1, 4, 12} {
		k := start(t, engine.KafkaOptions{Topics: map[string]int32{topic: partitions}})
		produce(t, to(k, ""), schema.Protobuf, events)
		for _, processors := range []int{1, 2} {
			for _, size := range []int{1, 97, 50_000} {
				sink := pipeline.NewMemorySink()
				before := runtime.GOMAXPROCS(processors)
				err := pipeline.Run(t.Context(), open(t, finite(to(k, ""))), sink, pipeline.RunOptions{
					NewStep: func() pipeline.Step { return auditor.New(opt) }, Now: time.Now, FlushRows: size, Journal: sink,
				})
				runtime.GOMAXPROCS(before)
				if err != nil {
					t.Fatal(err)
				}
				got := map[string]map[string]string{}
				for _, table := range sink.Tables() {
					got[table] = maps.Clone(sink.Rows(table))
				}
				delete(got, "table_memory")
				if want == nil {
					if want = got; len(want["findings"]) < 8 {
						t.Fatalf("%d findings of 16 faults", len(want["findings"]))
					}
					continue
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%d partitions, %d processors, batches of %d (-first +this):\n%.2000s", partitions,
						processors, size, diff)
				}
			}
		}
	}
}
