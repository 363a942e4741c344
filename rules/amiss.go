package rules

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// Amiss reports whether a wager of a round is settled, and not as the cards have it: a correction may follow.
func Amiss(l *law.Law, r *record.Round) bool {
	c := Settling(l, r)
	if l == nil || r.Config == nil || !c.Complete || r.Voided.Seq != 0 || r.Ended.Result == baccarat.Void {
		return false
	}
	return record.Any(r.Wagers, func(w *record.Wager) bool {
		n := w.Net()
		if w.Gone || w.Amount == 0 || w.Settlements() == 0 {
			return false
		}
		switch outcomeUnder(l, r.Config, w, c) {
		case baccarat.Pay:
			odds := oddsUnder(l, r.Config, w, c)
			return n.Collected > 0 || odds.Known() && !odds.Pays(n.Paid, w.Amount)
		case baccarat.Collect:
			return n.Paid > 0 || n.Returned > 0 || n.Collected != w.Amount
		case baccarat.Return:
			return n.Paid > 0 || n.Collected > 0 || n.Returned != w.Amount
		default:
			return false
		}
	})
}
