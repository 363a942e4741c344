package fault

import (
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// floorFaults need two tables of a pit.
func floorFaults() []Fault {
	nyPlain := only("ny-mini", "ny-midi")
	return []Fault{
		{
			Rule: "vig.uniform-property", Doc: "two tables at four and five percent", Kinds: nyPlain, notInRound: true,
			secondTable: func(c *schema.TableConfig) { c.Vigorish.Percent = 9 - c.Vigorish.Percent; shoe.FitUnit(c) },
		},
		{
			Rule: "order.pit-uniform", Doc: "two procedures in one pit", Kinds: append(punto(), nyPlain...),
			notInRound:  true,
			secondTable: func(c *schema.TableConfig) { c.PaymentProcedure = c.PaymentProcedure%4 + 1 },
		},
		{
			Rule: "order.pit-mixed-baccarat", Doc: "another procedure than the baccarat table beside it",
			Kinds: nyPlain, notInRound: true, idleBeside: true,
			secondTable: func(c *schema.TableConfig) {
				c.Game, c.PaymentProcedure, c.SideBets = schema.GameBaccarat, c.PaymentProcedure%4+1, nil
			},
		},
	}
}
