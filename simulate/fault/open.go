package fault

import (
	"slices"
)

func openFaults() []Fault {
	nj := njAll()
	return []Fault{
		{
			Rule: "open.inspection-before-play", Doc: "new cards shuffled without inspection",
			Kinds: slices.Concat(nj, nyAll(), midi()), notInRound: true,
			edit: editing("delete cards_inspected"),
		},
		{
			Rule: "open.shuffle-before-play", Doc: "new cards dealt as they came",
			Kinds: append(nyAll(), midi()...), notInRound: true,
			edit: editing("delete shoe_shuffled"),
		},
		{
			Rule: "open.inspector-calls", Doc: "another dealer than the calling one inspects", Kinds: punto(),
			notInRound: true,
			edit:       editing("set cards_inspected: dealer_id=d999"),
		},
		{
			Rule: "open.floor-verification", Doc: "the inspection confirmed by a dealer", Kinds: nj, notInRound: true,
			edit: editing("set cards_verified: verifier_role=DEALER"),
		},
		{
			Rule: "open.spread-for-first-participant", Doc: "the cards spread face down", Kinds: nj, notInRound: true,
			edit: editing("set cards_spread: face=DOWN"),
		},
		{
			Rule: "open.spread-arrangement", Doc: "spread in the arrangement of another game", Kinds: nj,
			notInRound: true,
			edit: func(sc *scene) string {
				if sc.table.Writer().House.Bucket {
					return "set cards_spread: arrangement=ROWS"
				}
				return "set cards_spread: arrangement=COLUMNS"
			},
		},
		{
			Rule: "open.wash-face-down-and-stack", Doc: "no wash", Kinds: nj, notInRound: true,
			edit: editing("delete cards_washed"),
		},
		{
			Rule: "open.step-order", Doc: "stacked before the wash", Kinds: nj, notInRound: true,
			edit: editing("swap cards_stacked with cards_washed"),
		},
	}
}
