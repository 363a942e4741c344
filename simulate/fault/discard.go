package fault

func discardFaults() []Fault {
	return []Fault{{
		Rule: "discard.order-preserved", Doc: "the discards mixed", Kinds: append(nyAll(), midi()...),
		edit: func(sc *scene) string { return "set " + sc.inRound("discard_placed: order_preserved=false") },
	}}
}
