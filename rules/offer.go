package rules

// Terms are what the law and the house's elections make of a wager on a spot when a coup comes out so:
// what becomes of it, and the odds if it is paid. Vigorish is apart; a patron's other wagers, which may
// outshine a treasure, are not looked at.
func (l *Law) Terms(c *Config, s Spot, coup *Coup) (Disposition, Odds) {
	d := l.disposition(c, s, coup)
	if d != Pay {
		return d, Odds{}
	}
	return d, l.odds(c, s, coup)
}

func (l *Law) disposition(config *Config, s Spot, c *Coup) Disposition {
	result := c.Result()
	switch s {
	case SpotBanker, SpotPlayer:
		switch {
		case result == Tie, s == SpotBanker && config.Mode == EZ && c.Dragon7():
			return Return
		case s == SpotBanker:
			return payIf(result == BankerWon)
		}
		return payIf(result == PlayerWon)
	case SpotTie:
		return payIf(result == Tie)
	case SpotPlayerPair:
		return payIf(c.PlayerPair)
	case SpotBankerPair:
		return payIf(c.BankerPair)
	case SpotDragonBonusPlayer, SpotDragonBonusBanker:
		return bonusDisposition(c.DragonBonus(bonusHand(s)))
	case SpotDragon7:
		return payIf(c.Dragon7())
	case SpotPanda8:
		return payIf(c.Panda8())
	case SpotFortune7, SpotGolden8, SpotHeavenly9, SpotBlazing7s, SpotCoverAll:
		if l.Treasures[config.TreasuresTable] != nil {
			return payIf(l.treasureOdds(config, s, c).Known())
		}
	}
	return Undetermined
}

// odds are what a winning wager is paid: the posted odds where the law gives a floor.
func (l *Law) odds(config *Config, s Spot, c *Coup) Odds {
	switch {
	case s == SpotBanker && config.Mode == NoVig6 && c.B == 6:
		return leastForSix.Odds
	case s.SideBet() == SideDragonBonus:
		return l.BonusTables[config.BonusTable][c.DragonBonus(bonusHand(s))]
	case s.SideBet() == SideTreasures:
		return l.treasureOdds(config, s, c)
	case l.Odds[s].Floor && config.Posted[s].Known():
		return config.Posted[s]
	}
	return l.Odds[s].Odds
}

// treasureOdds are what the elected paytable pays a treasure wager on a coup, unknown if it loses.
// Heavenly 9 in both hands outranks one hand: Coup.Treasure names the better row.
func (l *Law) treasureOdds(config *Config, s Spot, c *Coup) Odds {
	event := c.Treasure()
	odds := l.Treasures[config.TreasuresTable][event]
	switch s {
	case SpotFortune7:
		return oddsIf(event == Fortune7, odds)
	case SpotGolden8:
		return oddsIf(event == Golden8, odds)
	case SpotHeavenly9:
		return oddsIf(event == Heavenly9Both || event == Heavenly9One, odds)
	case SpotBlazing7s:
		return oddsIf(event == Blazing7sThree || event == Blazing7sTwo, odds)
	}
	recognised := odds.Known() || (event == Blazing7sTwo && l.Options["coverall_unrecognised"] == "win")
	return oddsIf(event != NoTreasure && recognised, l.CoverAll[config.TreasuresTable])
}

func bonusDisposition(row BonusRow) Disposition {
	switch row {
	case BonusLost:
		return Collect
	case BonusPush:
		return Return
	}
	return Pay
}

func oddsIf(ok bool, o Odds) Odds {
	if ok {
		return o
	}
	return Odds{}
}

// leastForSix is the floor of the no-vigorish variation. 9 NYCRR 5324.21(c)(6).
var leastForSix = SpotOdds{Odds{1, 2}, true}

// CardsDue is how many cards the rules still call for at the least, as the hands stand: whether the
// banker hand draws may depend on the player's third card.
func (l *Law) CardsDue(c *Coup) int {
	switch {
	case c.NP < 2 || c.NB < 2:
		return 4 - int(min(c.NP, 2)) - int(min(c.NB, 2))
	case c.NP == 2 && l.Drawing.PlayerDraws(c.P2, c.B2), c.NB == 2 && l.Drawing.BankerDraws(c.P2, c.B2, c.Third):
		return 1
	}
	return 0
}
