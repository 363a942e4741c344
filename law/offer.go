package law

import "github.com/shoeproof/shoeproof/baccarat"

// Terms are what the law and the house's elections make of a wager on a spot when a coup comes out so:
// what becomes of it, and the odds if it is paid. Vigorish is apart; a patron's other wagers, which may
// outshine a treasure, are not looked at.
func (l *Law) Terms(c *Config, s baccarat.Spot, coup *baccarat.Coup) (baccarat.Disposition, baccarat.Odds) {
	d := l.Disposition(c, s, coup)
	if d != baccarat.Pay {
		return d, baccarat.Odds{}
	}
	return d, l.PaidOdds(c, s, coup)
}

// Disposition is what becomes of a wager on a spot when a coup comes out so, other wagers of the patron aside.
func (l *Law) Disposition(config *Config, s baccarat.Spot, c *baccarat.Coup) baccarat.Disposition {
	result := c.Result()
	switch s {
	case baccarat.SpotBanker, baccarat.SpotPlayer:
		switch {
		case s == baccarat.SpotBanker && config.Mode == baccarat.NoVigorishMode && l.WinOrPush(config.Kind(), c):
			return baccarat.Undetermined // a push under one kind of vigorish, a win under another
		case result == baccarat.Tie, s == baccarat.SpotBanker && l.Knows(config.Kind()) && l.Pushes(config.Kind(), c):
			return baccarat.Return
		case s == baccarat.SpotBanker:
			return baccarat.PayIf(result == baccarat.BankerWon)
		}
		return baccarat.PayIf(result == baccarat.PlayerWon)
	case baccarat.SpotTie:
		return baccarat.PayIf(result == baccarat.Tie)
	}
	if w := l.Wager(s, ""); w != nil {
		return l.Settle(config, w, c)
	}
	return baccarat.Undetermined
}

// PaidOdds are what a winning wager is paid: the posted odds where the law gives a floor, never less than that.
func (l *Law) PaidOdds(config *Config, s baccarat.Spot, c *baccarat.Coup) baccarat.Odds {
	if w := l.Wager(s, ""); w != nil {
		return l.Paid(config, w, c)
	}
	if s == baccarat.SpotBanker {
		if odds := l.reduced(config.Kind(), c); odds.Known() {
			posted := l.PostedReduced(config, odds)
			if odds.Floor && posted.Known() && odds.Compare(posted.To, posted.For) > 0 {
				return posted
			}
			return odds.Odds
		}
	}
	posted := config.Posted[s]
	if l.Odds[s].Floor && posted.Known() && l.Odds[s].Compare(posted.To, posted.For) > 0 {
		return posted
	}
	return l.Odds[s].Odds
}

// CardsToCome are the smallest and the largest number of cards with which hands are completed: whether the banker hand
// draws may depend on a third card of the player hand that was not dealt.
func (l *Law) CardsToCome(c *baccarat.Coup) (low, high int) {
	low = l.CardsDue(c)
	switch {
	case c.NP < 2 || c.NB < 2:
		return low, low + 2
	case c.NP > 2 || c.NB > 2 || !l.Drawing.PlayerDraws(c.P2, c.B2):
		return low, low
	}
	least := 1
	for third := range uint8(10) {
		if l.Drawing.BankerDraws(c.P2, c.B2, third) {
			high = 1
		} else {
			least = 0
		}
	}
	return low + least, low + high
}

// Excess reports whether a further card of a hand is more than the rules of drawing allow. In chemin de fer, where a
// participant may elect to draw, only a fourth card is.
func (l *Law) Excess(c *baccarat.Coup, h baccarat.Hand) bool {
	n := c.NP
	if h == baccarat.Banker {
		n = c.NB
	}
	if n != 2 || l.Game == baccarat.CheminDeFer {
		return n > 2
	}
	return !l.Draws(c, h)
}

// Draws reports whether the drawing table calls for a third card of a hand.
func (l *Law) Draws(c *baccarat.Coup, h baccarat.Hand) bool {
	if h == baccarat.Banker {
		return l.Drawing.BankerDraws(c.P2, c.B2, c.Third)
	}
	return l.Drawing.PlayerDraws(c.P2, c.B2)
}

// CardsDue is the minimum number of cards that the rules still require for these hands: whether the
// banker hand draws may depend on the player's third card.
func (l *Law) CardsDue(c *baccarat.Coup) int {
	switch {
	case c.NP < 2 || c.NB < 2:
		return 4 - int(min(c.NP, 2)) - int(min(c.NB, 2))
	case c.NP == 2 && l.Drawing.PlayerDraws(c.P2, c.B2), c.NB == 2 && l.Drawing.BankerDraws(c.P2, c.B2, c.Third):
		return 1
	}
	return 0
}
