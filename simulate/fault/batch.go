package fault

func batchFaults() []Fault {
	kinds := only("ny-shuffler")
	second := func(set string) func(*scene) string {
		return func(sc *scene) string {
			id := sc.table.Writer().Table + "-b2: "
			return "set deck_received batch_id=" + id + set + "\nset each batch_state batch_id=" + id + set
		}
	}
	return []Fault{
		{
			Rule: "batch.two-equal", Doc: "batches of unequal size", Kinds: kinds, notInRound: true, everyShoe: true,
			edit: second("deck_count+=1"),
		},
		{
			Rule: "batch.back-colors-differ", Doc: "both batches red", Kinds: kinds, notInRound: true, everyShoe: true,
			edit: second("back_color=red"),
		},
		{
			Rule: "batch.alternate-every-shoe", Doc: "one batch for two shoes running", Kinds: kinds, notInRound: true,
			betweenShoes: func(sc *scene) error {
				sc.table.Writer().Batch, sc.table.Writer().BackColor = sc.table.Writer().Table+"-b2", "blue"
				return nil
			},
		},
		{
			Rule: "batch.other-in-shuffler", Doc: "both batches in play", Kinds: kinds, notInRound: true,
			edit: editing("set nth=1 batch_state state=IN_SHUFFLER: state=IN_PLAY"),
		},
		{
			Rule: "batch.discard-single", Doc: "cards of both batches in the rack", Kinds: kinds, notInRound: true,
			edit: func(sc *scene) string {
				return "insert after " +
					sc.inRound("round_ended: batch_state shoe_id= round=0 batch_id=%s-b2 deck_count=%d "+
						"back_color=blue state=IN_DISCARD_RACK",
						sc.table.Writer().Table, sc.table.Config().Decks)
			},
		},
	}
}
