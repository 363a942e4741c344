package engine_test

import (
	"fmt"

	"github.com/shoeproof/shoeproof/engine"
	"github.com/shoeproof/shoeproof/engine/calendar"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// Records go in, rows come out. Here they are the events of a fixture; rows are facts, and findings if a rule was
// broken.
func Example() {
	books, err := rules.Shipped()
	if err != nil {
		fmt.Println(err)
		return
	}
	days, err := calendar.Default()
	if err != nil {
		fmt.Println(err)
		return
	}
	events, err := script.Fixture("S-PB")
	if err != nil {
		fmt.Println(err)
		return
	}
	auditor := engine.New(engine.Options{Books: books, Calendar: days, PatronKey: []byte("a key"), Version: "example"})
	var out rows.Set
	for i := range events {
		record := engine.Record{Offset: int64(i), Format: schema.Protobuf, Value: schema.AppendProto(nil, &events[i])}
		auditor.Apply(&record, "events", 0, &out)
	}
	auditor.Finish(&out)
	for i := range out.Rounds.Round[:3] {
		fmt.Printf("round %d: %s, %s\n", out.Rounds.Round[i], out.Rounds.Cards.At(i), out.Rounds.Result[i])
	}
	fmt.Println(len(out.Findings), "findings")
	// Output:
	// round 1: P 6c Kh B 7d Ks, BANKER
	// round 2: P 9c Kd B 4h 3s, PLAYER
	// round 3: P 6c Kh B 6d Ks, TIE
	// 0 findings
}
