package deal_test

import (
	"fmt"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// A table plays two rounds. The same seed deals the same cards.
func Example() {
	config, err := deal.Config("nj-mini", 7)
	if err != nil {
		fmt.Println(err)
		return
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: 7, Table: "mb-01"})
	events := table.Open()
	events = append(events, table.ShoeOf(2)...)
	events = append(events, table.Close()...)
	for i := range events {
		switch p := events[i].Payload.(type) {
		case *schema.CardDealt:
			fmt.Printf("round %d: %v %s\n", events[i].Round, p.Hand, p.Card)
		case *schema.RoundEnded:
			fmt.Printf("round %d: %v, %d to %d\n", events[i].Round, p.Result, p.PlayerCount, p.BankerCount)
		}
	}
	// Output:
	// round 1: PLAYER 7s
	// round 1: BANKER Kc
	// round 1: PLAYER 6d
	// round 1: BANKER Ah
	// round 1: PLAYER 4h
	// round 1: BANKER 4s
	// round 1: PLAYER, 7 to 5
	// round 2: PLAYER Kc
	// round 2: BANKER 5d
	// round 2: PLAYER 3h
	// round 2: BANKER 6d
	// round 2: PLAYER Kh
	// round 2: BANKER Td
	// round 2: PLAYER, 3 to 1
}

// Play returns a shoe without its events.
func ExampleTable_Play() {
	config, err := deal.Config("ny-ez", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	table := deal.NewTable(deal.Options{Config: config, Seed: 1, Flawless: true})
	table.Open()
	shoe := table.Play()
	fmt.Printf("%d rounds of %d decks\n", len(shoe.Rounds), shoe.Decks)
	fmt.Printf("first wager: %d on %v\n", shoe.Rounds[0].Stakes[0].Stake, shoe.Rounds[0].Stakes[0].Spot)
	// Output:
	// 59 rounds of 6 decks
	// first wager: 250 on BANKER
}
