package rules

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
)

var discardFamily = []*Rule{
	{
		Name:     "discard.order-preserved",
		Doc:      "The cards of a round go to the discard rack in an order that shows both hands.",
		Breach:   "Cards mixed.",
		Severity: finding.Minor, At: Settled, Needs: baccarat.FeedRack, Check: checkDiscards,
	},
}

func checkDiscards(p *Pass) {
	r := p.Round
	if r.Ended.Seq == 0 || p.cancelled() {
		return
	}
	cards := 0
	for _, d := range r.Discards {
		cards += d.Cards
		if !d.InOrder {
			p.Report(Finding{Expected: "order preserved", Observed: "not preserved", Evidence: []record.Seq{d.Seq}})
			return
		}
	}
	// Cards in the rack are counted only while the round is the last one or the next has begun.
	if want := r.Coup().Cards(); cards < want && r.Next != 0 {
		p.Report(Finding{
			Expected: fmt.Sprintf("%d cards to the rack", want), Observed: fmt.Sprint(cards),
			Evidence: []record.Seq{r.Ended.Seq, r.Next},
		})
	}
}
