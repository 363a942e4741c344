package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// house is what a configuration fixes about the way of play.
type house struct {
	ny, punto, midi, chemin bool
	// bucket tables keep discards in a bucket: punto banco and chemin de fer.
	bucket bool
	// unit is the rounding unit that the law allows.
	unit    int64
	percent int64
	mode    schema.VigorishMode
	odds    [20]odds
	// bonus is the dragon bonus by margin, 4 to 9; sevens the Blazing 7s with two and three cards.
	bonus     [10]int64
	sevens    [4]int64
	faceDown  bool
	pairs     bool
	treasures bool
	totals    bool
	markers   [2]schema.Marker
}

type odds struct{ to, per int64 }

func newHouse(cfg *schema.TableConfig) house {
	h := house{
		ny:       strings.HasPrefix(cfg.Ruleset, "ny"),
		punto:    cfg.Game == schema.GamePuntoBanco,
		midi:     cfg.Game == schema.GameMidibaccarat,
		chemin:   cfg.Game == schema.GameCheminDeFer,
		percent:  int64(cfg.Vigorish.Percent),
		mode:     cfg.Vigorish.Mode,
		faceDown: cfg.DealingStyle == schema.DealingStyleFaceDown,
		markers:  [2]schema.Marker{schema.MarkerButton, schema.MarkerCoin},
	}
	h.bucket = h.punto || h.chemin
	if h.ny {
		h.markers[0] = schema.MarkerLammer
	}
	h.unit = lawUnit(cfg.Game, h.percent)
	for spot := schema.SpotBanker; spot <= schema.SpotOther; spot++ {
		h.odds[spot] = standardOdds(spot)
		if text, ok := cfg.PostedOdds[spot.String()]; ok {
			if o, err := parseOdds(text); err == nil {
				h.odds[spot] = o
			}
		}
	}
	switch cfg.PayTables["dragon_bonus"] {
	case "B":
		h.bonus = [10]int64{4: 1, 5: 3, 6: 4, 7: 7, 8: 8, 9: 20}
	case "C":
		h.bonus = [10]int64{4: 2, 5: 2, 6: 4, 7: 4, 8: 10, 9: 30}
	default:
		h.bonus = [10]int64{4: 1, 5: 2, 6: 4, 7: 6, 8: 10, 9: 30}
	}
	h.sevens = [4]int64{2: 50, 3: 200}
	if cfg.PayTables["treasures"] == "1" {
		h.sevens = [4]int64{3: 400}
	}
	h.pairs = slices.Contains(cfg.SideBets, schema.SideBetPair)
	h.treasures = slices.Contains(cfg.SideBets, schema.SideBetTreasures)
	h.totals = slices.Contains(cfg.SideBets, schema.SideBetTotalCard)
	return h
}

// lawUnit is the rounding unit of a commission. N.J.A.C. 19:47-3.3(c), 7.3(c); 9 NYCRR 5324.21(c)(3).
func lawUnit(game schema.Game, percent int64) int64 {
	switch {
	case game != schema.GamePuntoBanco:
		return 5
	case percent == 4:
		return 20
	}
	return 25
}

func (h *house) burnedTo() schema.BurnDestination {
	if h.bucket {
		return schema.BurnDestinationBucket
	}
	return schema.BurnDestinationRack
}

func (h *house) discards() string {
	if h.bucket {
		return "discard-bucket"
	}
	return "discard-rack"
}

func standardOdds(spot schema.Spot) odds {
	switch spot {
	case schema.SpotTie:
		return odds{8, 1}
	case schema.SpotPlayerPair, schema.SpotBankerPair:
		return odds{11, 1}
	case schema.SpotDragon7, schema.SpotFortune7:
		return odds{40, 1}
	case schema.SpotPanda8, schema.SpotGolden8:
		return odds{25, 1}
	case schema.SpotCoverAll:
		return odds{6, 1}
	}
	return odds{1, 1}
}

func parseOdds(s string) (odds, error) {
	to, per, ok := strings.Cut(s, ":")
	a, err1 := strconv.ParseInt(to, 10, 32)
	b, err2 := strconv.ParseInt(per, 10, 32)
	if !ok || err1 != nil || err2 != nil || b < 1 || a < 0 {
		return odds{}, fmt.Errorf("odds %q: want two whole numbers such as 8:1", s)
	}
	return odds{a, b}, nil
}

func (o odds) pay(stake int64) int64 { return stake * o.to / o.per }

// outcome is what becomes of a wager.
type outcome uint8

const (
	lost outcome = iota
	won
	pushed
)

// settle tells what a wager comes to and, if it won, what it is paid.
func (h *house) settle(st *stake, c *coup) (outcome, int64) {
	straight := func(wins bool) (outcome, int64) {
		if wins {
			return won, h.odds[st.spot].pay(st.amount)
		}
		return lost, 0
	}
	result := c.result()
	switch st.spot {
	case schema.SpotBanker:
		switch {
		case result == schema.ResultTie, h.mode == schema.VigorishModeEz && c.dragon7():
			return pushed, 0
		case result == schema.ResultBanker && h.mode == schema.VigorishModeNovig6 && c.count(banker) == 6:
			return won, odds{1, 2}.pay(st.amount)
		}
		return straight(result == schema.ResultBanker)
	case schema.SpotPlayer:
		if result == schema.ResultTie {
			return pushed, 0
		}
		return straight(result == schema.ResultPlayer)
	case schema.SpotTie:
		return straight(result == schema.ResultTie)
	case schema.SpotPlayerPair:
		return straight(c.pair(player))
	case schema.SpotBankerPair:
		return straight(c.pair(banker))
	case schema.SpotDragonBonusPlayer:
		return h.dragonBonus(st.amount, c, player)
	case schema.SpotDragonBonusBanker:
		return h.dragonBonus(st.amount, c, banker)
	case schema.SpotDragon7:
		return straight(c.dragon7())
	case schema.SpotPanda8:
		return straight(c.panda8())
	}
	return h.settleTreasure(st, c)
}

func (h *house) settleTreasure(st *stake, c *coup) (outcome, int64) {
	var times int64
	t := c.treasure()
	switch st.spot {
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
			times = h.sevens[3]
		case schema.TreasureBlazing7sTwo:
			times = h.sevens[2]
		}
	case schema.SpotCoverAll:
		if h.recognised(t) {
			times = 6
		}
	}
	if times == 0 {
		return lost, 0
	}
	return won, st.amount * times
}

// recognised says whether the elected pay table pays a treasure at all.
func (h *house) recognised(t schema.Treasure) bool {
	return t != schema.TreasureNone && (t != schema.TreasureBlazing7sTwo || h.sevens[2] > 0)
}

func (h *house) dragonBonus(amount int64, c *coup, s int) (outcome, int64) {
	o := 1 - s
	margin := c.count(s) - c.count(o)
	switch {
	case c.natural(s) && c.natural(o) && margin == 0:
		return pushed, 0
	case c.natural(s) && (margin > 0 || !c.natural(o)):
		return won, amount
	case c.natural(s), c.natural(o), margin < 4:
		return lost, 0
	}
	return won, amount * h.bonus[margin]
}

// vigorish is the commission on what was won.
func (h *house) vigorish(winnings int64, exact bool) int64 {
	if part := winnings * h.percent; exact && part%100 == 0 {
		return part / 100
	}
	per := 100 * h.unit
	return (winnings*h.percent + per - 1) / per * h.unit
}
