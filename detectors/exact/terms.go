package exact

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
)

// Terms are the payments of a table on one spot: the profit per unit staked, after vigorish, by outcome. They apply
// to any stake: the rounding of vigorish, always up, is left out.
type Terms struct {
	Spot baccarat.Spot
	// Offered is false for a spot without odds in the law, or that depends on the choices of patrons.
	Offered bool
	// OnPair is set for a wager on the pair of a hand. Win is then its profit; its loss is 1.
	OnPair bool
	Win    float64
	Profit [Classes]float64
	// Min and Max bound the profit over the possible outcomes.
	Min, Max float64
	kernel   *Kernel
}

// Terms computes the terms of a spot under the law and the configuration of the table.
func (k *Kernel) Terms(law *law.Law, config *law.Config, spot baccarat.Spot) Terms {
	t := Terms{Spot: spot, kernel: k}
	w := law.Wager(spot, "")
	if w != nil && !countable(w) && !onPair(w) {
		return t
	}
	if spot == baccarat.SpotPlayerPair || spot == baccarat.SpotBankerPair {
		pair := baccarat.Coup{Complete: true, PlayerPair: true, BankerPair: true}
		d, odds := law.Terms(config, spot, &pair)
		t.OnPair, t.Offered = true, d == baccarat.Pay && odds.Known()
		if t.Offered {
			t.Win = float64(odds.To) / float64(odds.For)
			t.Min, t.Max = -1, t.Win
		}
		return t
	}
	return k.terms(law, config, w, t)
}

// WagerTerms computes the terms of a side bet that is a word of the rulebook. They are not offered if the wager depends
// on more than the point counts and numbers of cards.
func (k *Kernel) WagerTerms(law *law.Law, config *law.Config, w *law.Wager) Terms {
	t := Terms{Spot: w.Spot, kernel: k}
	if !countable(w) {
		return t
	}
	return k.terms(law, config, w, t)
}

// countable reports whether a side bet depends on the outcome class alone.
func countable(w *law.Wager) bool {
	return !slices.ContainsFunc(w.Lines, func(x law.Line) bool { return !x.When.OfCounts() })
}

// onPair reports whether a side bet is on the pair of one hand and nothing else.
func onPair(w *law.Wager) bool {
	pair := baccarat.HandCondition{Pair: baccarat.Wanted}
	if len(w.Lines) != 1 {
		return false
	}
	q := &w.Lines[0].When
	hand := q.Player
	if w.Spot == baccarat.SpotBankerPair {
		hand = q.Banker
	}
	one := hand != nil && *hand == pair && (q.Player == nil) != (q.Banker == nil)
	return one && q.Winner|q.Margin|q.Points|q.Cards|q.CardPoints == 0 && q.OneSuit|q.SamePair == 0 && q.Count == nil &&
		q.Either == nil && q.Both == nil && q.Not == nil && q.Any == nil
}

// terms computes the profit for each outcome class: of a side bet, or of the spot of t.
func (k *Kernel) terms(law *law.Law, config *law.Config, w *law.Wager, t Terms) Terms {
	spot := t.Spot
	for _, class := range k.classes {
		c := coupOf(class)
		var d baccarat.Disposition
		var odds baccarat.Odds
		if w == nil {
			d, odds = law.Terms(config, spot, &c)
		} else if d = law.Settle(config, w, &c); d == baccarat.Pay {
			odds = law.Paid(config, w, &c)
		}
		profit := 0.0
		switch {
		case d == baccarat.Undetermined, d == baccarat.Pay && !odds.Known():
			return Terms{Spot: spot, kernel: k}
		case d == baccarat.Collect:
			profit = -1
		case d == baccarat.Pay:
			profit = float64(odds.To) / float64(odds.For)
			if takes := law.Takes(config, &c); spot == baccarat.SpotBanker && takes.Won {
				profit *= 1 - float64(takes.Percent(config))/100
			}
		case spot == baccarat.SpotBanker:
			profit = -float64(law.Takes(config, &c).Tie) / 100 // of the wager, which is returned
		}
		t.Profit[class] = profit
		t.Min, t.Max = min(t.Min, profit), max(t.Max, profit)
	}
	t.Offered = true
	return t
}

// Of returns the profit per unit for a coup.
func (t *Terms) Of(c *baccarat.Coup) float64 {
	if !t.OnPair {
		return t.Profit[Class(c.P, c.B, c.NP, c.NB)]
	}
	if t.Spot == baccarat.SpotPlayerPair && c.PlayerPair || t.Spot == baccarat.SpotBankerPair && c.BankerPair {
		return t.Win
	}
	return -1
}

// EV returns the expected profit per unit staked.
func (t *Terms) EV(o *Odds) float64 {
	if t.OnPair {
		return float64(o.Pair*(t.Win+1)) - 1
	}
	var ev float64
	for _, class := range t.kernel.classes {
		ev += float64(o.P[class] * t.Profit[class])
	}
	return ev
}

// Variance returns the variance of the profit per unit staked.
func (t *Terms) Variance(o *Odds) float64 {
	ev := t.EV(o)
	if t.OnPair {
		return float64(o.Pair*t.Win*t.Win) + 1 - o.Pair - float64(ev*ev)
	}
	var squares float64
	for _, class := range t.kernel.classes {
		squares += float64(o.P[class] * t.Profit[class] * t.Profit[class])
	}
	return squares - float64(ev*ev)
}
