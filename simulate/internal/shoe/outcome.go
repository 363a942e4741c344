package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

// Outcome is what a wager comes to.
type Outcome uint8

// The outcomes.
const (
	Lost Outcome = iota
	Won
	Pushed
)

// Settle returns what a wager comes to and, if it wins, its winnings.
func (h *House) Settle(st *Stake, c *Coup) (Outcome, int64) {
	straight := func(wins bool) (Outcome, int64) {
		if wins {
			return Won, h.odds[st.Spot].pay(st.Amount)
		}
		return Lost, 0
	}
	result := c.Result()
	switch st.Spot {
	case schema.SpotBanker:
		switch {
		case result == schema.ResultTie, h.Mode == schema.VigorishModeEz && c.Dragon7():
			return Pushed, 0
		case result == schema.ResultBanker && h.Mode == schema.VigorishModeNovig6 && c.Count(Banker) == 6:
			return Won, Odds{1, 2}.pay(st.Amount)
		}
		if line := h.charge.line(c); line != nil && line.Returns {
			return Pushed, 0
		} else if line != nil && line.Pays != "" {
			odds, _ := parseOdds(line.Pays)
			return Won, odds.pay(st.Amount)
		}
		return straight(result == schema.ResultBanker)
	case schema.SpotPlayer:
		if result == schema.ResultTie {
			return Pushed, 0
		}
		return straight(result == schema.ResultPlayer)
	case schema.SpotTie:
		return straight(result == schema.ResultTie)
	case schema.SpotPlayerPair:
		return straight(c.Pair(Player))
	case schema.SpotBankerPair:
		return straight(c.Pair(Banker))
	case schema.SpotDragonBonusPlayer:
		return h.dragonBonus(st.Amount, c, Player)
	case schema.SpotDragonBonusBanker:
		return h.dragonBonus(st.Amount, c, Banker)
	case schema.SpotDragon7:
		return straight(c.Dragon7())
	case schema.SpotPanda8:
		return straight(c.Panda8())
	}
	for i := range h.Bets {
		if b := &h.Bets[i]; st.Spot == schema.SpotOther && b.Name == st.Name {
			return b.settle(h.payTables[b.Kind], st.Amount, c)
		}
	}
	return h.settleTreasure(st, c)
}

func (h *House) settleTreasure(st *Stake, c *Coup) (Outcome, int64) {
	var times int64
	t := c.Treasure()
	switch st.Spot {
	case schema.SpotFortune7:
		if t == schema.TreasureFortune7 {
			times = 40
		}
	case schema.SpotGolden8:
		if t == schema.TreasureGolden8 {
			times = 25
		}
	case schema.SpotHeavenly9:
		switch t {
		case schema.TreasureHeavenly9Both:
			times = 75
		case schema.TreasureHeavenly9One:
			times = 10
		}
	case schema.SpotBlazing7s:
		switch t {
		case schema.TreasureBlazing7sThree:
			times = h.blazing7sOdds[3]
		case schema.TreasureBlazing7sTwo:
			times = h.blazing7sOdds[2]
		}
	case schema.SpotCoverAll:
		if h.recognised(t) {
			times = 6
		}
	}
	if times == 0 {
		return Lost, 0
	}
	return Won, st.Amount * times
}

// recognised reports whether the elected pay table pays a treasure at all.
func (h *House) recognised(t schema.Treasure) bool {
	return t != schema.TreasureNone && (t != schema.TreasureBlazing7sTwo || h.blazing7sOdds[2] > 0)
}

func (h *House) dragonBonus(amount int64, c *Coup, s int) (Outcome, int64) {
	o := 1 - s
	margin := c.Count(s) - c.Count(o)
	switch {
	case c.Natural(s) && c.Natural(o) && margin == 0:
		return Pushed, 0
	case c.Natural(s) && (margin > 0 || !c.Natural(o)):
		return Won, amount
	case c.Natural(s), c.Natural(o), margin < 4:
		return Lost, 0
	}
	return Won, amount * h.DragonBonusOdds[margin]
}

// Vigorish returns the commission on winnings, unrounded if exact is set and the amount can be paid.
func (h *House) Vigorish(winnings int64, exact bool) int64 {
	if part := winnings * h.Percent; exact && part%100 == 0 {
		return part / 100
	}
	per := 100 * h.Unit
	return (winnings*h.Percent + per - 1) / per * h.Unit
}

// IsPairSpot reports whether a spot is one of the two pairs.
func IsPairSpot(spot schema.Spot) bool {
	return spot == schema.SpotPlayerPair || spot == schema.SpotBankerPair
}
