package rules

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// RefuseChanges takes back the changes of wagers that came after the end of the betting and that the dealer refused:
// the wager was settled as it lay before them, and not as it lay after. No wager is "made, increased or withdrawn"
// after no more bets, so the wager before the change is paid or collected. N.J.A.C. 19:47-3.2(d),
// 7.2(d); 9 NYCRR 5324.21(b)(3). At chemin de fer it is a wager against the Banker. That the change was made stays on
// record.
func RefuseChanges(l *law.Law, r *record.Round) {
	closed := betsClosed(r)
	if l == nil || r.Config == nil || closed == 0 || r.Voided.Seq != 0 || r.Ended.Result == baccarat.Void {
		return
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if r.Config.Game == baccarat.CheminDeFer && w.Spot != baccarat.SpotAgainstBanker {
			continue // of the Banker's wager another amount may win or lose
		}
		before, ok := asClosed(w, closed)
		if !ok {
			continue
		}
		if c := Settling(l, r); settledAs(l, r.Config, w, c) || !settledAs(l, r.Config, &before, c) {
			continue
		}
		w.Changes = append(w.Changes, record.WagerChange{
			Seq: max(w.Paid.Seq, w.Collected.Seq, w.Returned.Seq), Amount: before.Amount - w.Amount, Spot: w.Spot,
			GivenBack: true,
		})
		w.Amount, w.Spot, w.Gone = before.Amount, before.Spot, false
	}
}

// asClosed is a wager as it lay at the end of the betting, if it was changed later. The name of a further side bet is
// not kept of a wager that was moved.
func asClosed(w *record.Wager, closed record.Seq) (before record.Wager, ok bool) {
	if n := len(w.Changes); n == 0 || w.Changes[n-1].Seq <= closed {
		return before, false
	}
	for _, c := range w.Changes {
		if c.Seq > closed && (c.GivenBack || c.Spot == baccarat.SpotOther || w.Spot == baccarat.SpotOther) {
			return before, false
		}
	}
	before = *w
	before.Amount, before.Spot = w.StoodAt(closed)
	before.Gone = false
	return before, before.Amount > 0
}

// settledAs reports whether a wager was settled exactly as the cards have it. More than its amount may be returned
// beside that: the part that was refused.
func settledAs(l *law.Law, config *law.Config, w *record.Wager, c *baccarat.Coup) bool {
	if w.Gone {
		return w.Net().Paid == 0 && w.Net().Collected == 0
	}
	switch got := w.Disposition(); {
	case !c.Complete || got == baccarat.Undetermined:
		return false
	case w.Spot == baccarat.SpotAgainstBanker:
		return got == cheminOutcome(w, c.Result()) && moved(w) == w.Amount
	case got != outcomeUnder(l, config, w, c):
		return false
	case got == baccarat.Pay:
		return oddsUnder(l, config, w, c).Pays(moved(w), w.Amount)
	}
	return moved(w) == w.Amount
}
