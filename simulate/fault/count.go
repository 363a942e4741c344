package fault

import (
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

func countFaults() []Fault {
	every := anyTable()
	return []Fault{
		{
			Rule: "count.card-values", Doc: "a face card or ten reported as 10", Kinds: every,
			accept: func(_ *scene, c *shoe.Coup) bool { return c.Hands[shoe.Player][0].Value() == 0 },
			edit: func(sc *scene) string {
				return "set " + sc.inRound("card_dealt hand=PLAYER index=1: reported_value=10")
			},
		},
		{
			Rule: "count.point-count", Doc: "the system of record stores the sum instead of the count", Kinds: every,
			edit: func(sc *scene) string { return "set " + sc.inRound("round_ended: banker_count+=10") },
		},
		{
			Rule: "count.reader-suspected", Doc: "a card of 2 to 8 read as the next higher one", Kinds: every,
			alone: true,
			accept: func(_ *scene, c *shoe.Coup) bool {
				rank := c.Hands[shoe.Player][1].Rank()
				return rank >= 2 && rank <= 8
			},
			edit: func(sc *scene) string {
				read := sc.round.Coup.Hands[shoe.Player][1] + 1
				return "set " + sc.inRound("card_dealt hand=PLAYER index=2: card=%v", read)
			},
		},
	}
}
