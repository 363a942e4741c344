package script_test

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/script"
)

// A winning wager of the first round of a fixture is paid short.
func Example() {
	events, err := script.Fixture("S-PB")
	if err != nil {
		fmt.Println(err)
		return
	}
	edits, err := script.Parse("set round=1 wager_paid seat=7: amount=9500")
	if err != nil {
		fmt.Println(err)
		return
	}
	if events, err = edits.Apply(events); err != nil {
		fmt.Println(err)
		return
	}
	for i := range events {
		if p, ok := events[i].Payload.(*schema.WagerPaid); ok && events[i].ShoeID == "s-pb-1" && events[i].Round == 1 {
			fmt.Printf("seat %d is paid %d\n", p.Seat, p.Amount)
		}
	}
	// Output:
	// seat 7 is paid 9500
	// seat 5 is paid 10300
}
