package fault_test

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/fault"
)

// The banker draws where the drawing table requires it to stay. An audit must report this and nothing else.
func Example() {
	all := fault.All()
	i := slices.IndexFunc(all, func(f fault.Fault) bool { return f.Rule == "draw.banker.must-stay" })
	events, want, err := fault.Plant(deal.Options{Table: "pb-01"}, all[i], 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s\n", all[i].Rule, all[i].Doc)
	fmt.Printf("must be found in round %d\n", want[0].Round)
	for i := range events {
		p, ok := events[i].Payload.(*schema.CardDealt)
		if ok && events[i].Round == want[0].Round && events[i].ShoeID == "pb-01-20260102-01" {
			fmt.Printf("%v %s\n", p.Hand, p.Card)
		}
	}
	// Output:
	// draw.banker.must-stay: the banker draws where the table requires it to stay
	// must be found in round 5
	// PLAYER Kh
	// BANKER 6h
	// PLAYER 3c
	// BANKER Ts
	// PLAYER Tc
	// BANKER Qd
}
