package cheat_test

import (
	"fmt"

	"github.com/shoeproof/shoeproof/simulate/cheat"
	"github.com/shoeproof/shoeproof/simulate/deal"
)

// Twenty cards of the last shoe come again in their order. The label names the shoe and the rounds.
func Example() {
	c, err := cheat.Find("s3-20")
	if err != nil {
		fmt.Println(err)
		return
	}
	table := cheat.NewTable(deal.Options{Seed: 5, Table: "mb-01"}, cheat.Options{Cheat: c, From: 2})
	table.Open()
	for range 3 {
		table.Shoe()
	}
	label := table.Label()
	fmt.Println(label.Doc)
	fmt.Println("begins with", label.Shoe)
	fmt.Println("named by", label.Detectors)
	// Output:
	// 20 cards of the last shoe come again in their order
	// begins with mb-01-20260102-02
	// named by [d04 d05 d07]
}
