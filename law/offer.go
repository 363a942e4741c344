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
		case s == baccarat.SpotBanker && config.Mode == baccarat.NoVigorishMode && l.mayPush(c):
			return baccarat.Undetermined // a push under one kind of vigorish, a win under another
		case result == baccarat.Tie, s == baccarat.SpotBanker && l.Knows(config.Mode) && l.Pushes(config.Mode, c):
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
	if s == baccarat.SpotBanker && l.Knows(config.Mode) {
		if line := l.chargeLine(config.Mode, c); line != nil && !line.Returns {
			return line.Odds.Odds
		}
	}
	posted := config.Posted[s]
	if l.Odds[s].Floor && posted.Known() && l.Odds[s].Compare(posted.To, posted.For) > 0 {
		return posted
	}
	return l.Odds[s].Odds
}

// chargeLine is the line of the banker wager that a kind of vigorish applies to a coup, nil if it changes nothing.
func (l *Law) chargeLine(m baccarat.VigorishMode, c *baccarat.Coup) *Line {
	if int(m) >= len(l.charges) || l.charges[m] == nil {
		return nil
	}
	for i := range l.charges[m].Lines {
		if line := &l.charges[m].Lines[i]; line.When.Holds(c) {
			return line
		}
	}
	return nil
}

// Pushes reports whether a kind of vigorish returns the banker wager on a coup that it would win.
func (l *Law) Pushes(m baccarat.VigorishMode, c *baccarat.Coup) bool {
	line := l.chargeLine(m, c)
	return line != nil && line.Returns
}

// mayPush reports whether a kind of vigorish that the text knows pushes.
func (l *Law) mayPush(c *baccarat.Coup) bool {
	for m := range l.charges {
		if mode := baccarat.VigorishMode(m); l.charges[m] != nil && l.Knows(mode) && l.Pushes(mode, c) {
			return true
		}
	}
	return false
}

// Reduced are the odds that a kind of vigorish sets for a banker wager that wins on a coup, unknown if it sets none. A
// table whose kind of vigorish was not reported may have any that the text knows.
func (l *Law) Reduced(m baccarat.VigorishMode, c *baccarat.Coup) SpotOdds {
	for i := range l.charges {
		mode := baccarat.VigorishMode(i)
		if (m == mode || m == baccarat.NoVigorishMode) && l.charges[i] != nil && l.Knows(mode) {
			if line := l.chargeLine(mode, c); line != nil && !line.Returns {
				return line.Odds
			}
		}
	}
	return SpotOdds{}
}

// ChargeOdds are the odds of the line with a name under a kind of vigorish, unknown if it has no such line.
func (l *Law) ChargeOdds(m baccarat.VigorishMode, name string) SpotOdds {
	if int(m) >= len(l.charges) || !l.Knows(m) {
		return SpotOdds{}
	}
	return l.OddsOfLine(&Config{}, l.charges[m], name)
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
	switch {
	case n != 2 || l.Game == baccarat.CheminDeFer:
		return n > 2
	case h == baccarat.Banker:
		return !l.Drawing.BankerDraws(c.P2, c.B2, c.Third)
	}
	return !l.Drawing.PlayerDraws(c.P2, c.B2)
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
