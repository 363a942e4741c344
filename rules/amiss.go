package rules

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// Amiss reports whether a wager of a round is settled, and not as the cards have it: a correction may follow.
func Amiss(l *law.Law, r *record.Round) bool {
	c := Settling(l, r)
	if !byCards(l, r, c) {
		return false
	}
	return record.Any(r.Wagers, func(w *record.Wager) bool {
		n := w.Net()
		switch {
		case w.Gone || w.Amount == 0 || w.Settlements() == 0:
			return false
		case l.Game == baccarat.CheminDeFer:
			return cheminAmiss(r, w, c.Result())
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

// byCards reports whether the cards of a round, of which c is the coup, decide what is due.
func byCards(l *law.Law, r *record.Round, c *baccarat.Coup) bool {
	return l != nil && r.Config != nil && c.Complete && r.Voided.Seq == 0 && r.Ended.Result != baccarat.Void
}

// cheminAmiss is Amiss of a wager of chemin de fer, which has no odds: the Banker's moves by what was wagered against
// him or by all of it, another by its amount.
func cheminAmiss(r *record.Round, w *record.Wager, result baccarat.Result) bool {
	least := w.Amount
	if w == bank(r) && result != baccarat.Tie {
		covered := int64(0)
		for i := range r.Wagers {
			if v := &r.Wagers[i]; v.Spot == baccarat.SpotAgainstBanker && !v.Gone {
				covered += v.Amount
			}
		}
		least = min(least, covered)
	}
	want, got := cheminOutcome(w, result), w.Disposition()
	taken, back := w.Net().Collected, w.Net().Returned
	if want == baccarat.Collect && taken >= least && taken+back == w.Amount {
		return false // the part that no participant wagered against went back
	}
	return got != want || moved(w) < least || moved(w) > w.Amount
}

// VigAmiss reports whether vigorish of a round was marked or taken, and is not what a player owes for the round: a
// correction may follow. What was taken may pay what was marked.
func VigAmiss(l *law.Law, r *record.Round) bool {
	c := Settling(l, r)
	if !byCards(l, r, c) {
		return false
	}
	g := giving{law: l, round: r, coup: c}
	return record.Any(r.Wagers, func(w *record.Wager) bool {
		if w.Spot != baccarat.SpotBanker || w.Gone {
			return false
		}
		mine := func(i int) bool { return r.Wagers[i].MayBeOf(w) }
		var marked, took int64
		for i := range r.Steps {
			switch s := &r.Steps[i]; {
			case s.Kind == record.StepVigMarked && s.Wager >= 0 && mine(s.Wager):
				marked = baccarat.Add(marked, s.Amount)
			case tookVig(s) && g.of(s, mine):
				took = baccarat.Add(took, s.Amount)
			}
		}
		low, high := g.due(mine)
		right := func(amount int64) bool { return amount >= low && amount <= high }
		return marked+took > 0 && !right(marked) && !right(took) && !right(baccarat.Add(marked, took))
	})
}
