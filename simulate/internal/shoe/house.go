package shoe

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
)

// House is how a table plays under its configuration.
type House struct {
	NewYork, Punto, Midi, Chemin bool
	// Bucket: the table keeps its discards in a bucket, as punto banco and chemin de fer do.
	Bucket bool
	// Unit is the rounding unit of the commission that the law allows.
	Unit    int64
	Percent int64
	Mode    schema.VigorishMode
	odds    [20]Odds
	// DragonBonusOdds are the odds of the dragon bonus by winning margin, 4 to 9. blazing7sOdds are the odds of the
	// Blazing 7s by cards in a hand, 2 or 3.
	DragonBonusOdds [10]int64
	blazing7sOdds   [4]int64
	faceDown        bool
	pairs           bool
	treasures       bool
	totals          bool
	markers         [2]schema.Marker
	// charge is the kind of vigorish if it is a word of the rulebook, nil for one of the contract.
	charge *Charge
	// Bets are the side bets on offer that are words of the rulebook, payTables the elected pay tables.
	Bets      []Bet
	payTables map[string]string
}

// play adds the side bets of a rulebook that the configuration offers.
func (h *House) play(cfg *schema.TableConfig, g *Game) {
	if g == nil {
		return
	}
	h.Bets, h.payTables, h.charge = nil, cfg.PayTables, nil
	if cfg.Vigorish.Mode == schema.VigorishModeOther {
		h.charge = g.Charges[cfg.Vigorish.ModeName]
	}
	for _, b := range g.Bets {
		if slices.Contains(cfg.FurtherSideBets, b.SideBet) ||
			slices.ContainsFunc(cfg.SideBets, func(x schema.SideBet) bool { return x.String() == b.SideBet }) {
			h.Bets = append(h.Bets, b)
		}
	}
}

func newHouse(cfg *schema.TableConfig) House {
	h := House{
		NewYork:  strings.HasPrefix(cfg.Ruleset, "ny"),
		Punto:    cfg.Game == schema.GamePuntoBanco,
		Midi:     cfg.Game == schema.GameMidibaccarat,
		Chemin:   cfg.Game == schema.GameCheminDeFer,
		Percent:  int64(cfg.Vigorish.Percent),
		Mode:     cfg.Vigorish.Mode,
		faceDown: cfg.DealingStyle == schema.DealingStyleFaceDown,
		markers:  [2]schema.Marker{schema.MarkerButton, schema.MarkerCoin},
	}
	h.Bucket = h.Punto || h.Chemin
	if h.NewYork {
		h.markers[0] = schema.MarkerLammer
	}
	h.Unit = LawUnit(cfg.Game, h.Percent)
	for spot := schema.SpotBanker; spot <= schema.SpotOther; spot++ {
		h.odds[spot] = StandardOdds(spot)
		if text, ok := cfg.PostedOdds[spot.String()]; ok {
			if o, err := parseOdds(text); err == nil {
				h.odds[spot] = o
			}
		}
	}
	switch cfg.PayTables["dragon_bonus"] {
	case "B":
		h.DragonBonusOdds = [10]int64{4: 1, 5: 3, 6: 4, 7: 7, 8: 8, 9: 20}
	case "C":
		h.DragonBonusOdds = [10]int64{4: 2, 5: 2, 6: 4, 7: 4, 8: 10, 9: 30}
	default:
		h.DragonBonusOdds = [10]int64{4: 1, 5: 2, 6: 4, 7: 6, 8: 10, 9: 30}
	}
	h.blazing7sOdds = [4]int64{2: 50, 3: 200}
	if cfg.PayTables["treasures"] == "1" {
		h.blazing7sOdds = [4]int64{3: 400}
	}
	h.pairs = slices.Contains(cfg.SideBets, schema.SideBetPair)
	h.treasures = slices.Contains(cfg.SideBets, schema.SideBetTreasures)
	h.totals = slices.Contains(cfg.SideBets, schema.SideBetTotalCard)
	return h
}

// LawUnit returns the rounding unit of a commission. N.J.A.C. 19:47-3.3(c), 7.3(c); 9 NYCRR 5324.21(c)(3).
func LawUnit(game schema.Game, percent int64) int64 {
	switch {
	case game != schema.GamePuntoBanco:
		return 5
	case percent == 4:
		return 20
	}
	return 25
}

// FitUnit sets the rounding unit for a new percentage, unless the table charges exact amounts.
func FitUnit(c *schema.TableConfig) {
	if c.Vigorish.Unit > 0 {
		c.Vigorish.Unit = LawUnit(c.Game, int64(c.Vigorish.Percent))
	}
}

func (h *House) burnedTo() schema.BurnDestination {
	if h.Bucket {
		return schema.BurnDestinationBucket
	}
	return schema.BurnDestinationRack
}

func (h *House) discards() string {
	if h.Bucket {
		return "discard-bucket"
	}
	return "discard-rack"
}

// Complete fills in decks, seats, feeds, id and currency where a configuration leaves them empty.
func Complete(c *schema.TableConfig) {
	c.Decks = cmp.Or(c.Decks, 8)
	if len(c.Seats) == 0 {
		seats := uint32(7)
		if c.Game == schema.GamePuntoBanco || c.Game == schema.GameCheminDeFer {
			seats = 14
		}
		for s := uint32(1); s <= seats; s++ {
			if s != 13 {
				c.Seats = append(c.Seats, s)
			}
		}
	}
	if len(c.Feeds) == 0 {
		for f := schema.FeedPreparation; f <= schema.FeedChipTray; f++ {
			c.Feeds = append(c.Feeds, f)
		}
	}
	c.ConfigID, c.Currency = cmp.Or(c.ConfigID, "c1"), cmp.Or(c.Currency, "USD")
}

// SideSpots returns the spots of the side bets that a configuration offers.
func SideSpots(c *schema.TableConfig) []schema.Spot {
	var out []schema.Spot
	for _, b := range c.SideBets {
		switch b {
		case schema.SideBetPair:
			out = append(out, schema.SpotPlayerPair, schema.SpotBankerPair)
		case schema.SideBetDragonBonus:
			out = append(out, schema.SpotDragonBonusPlayer)
			if c.Options["dragon_bonus_hands"] != "[player]" {
				out = append(out, schema.SpotDragonBonusBanker)
			}
		case schema.SideBetDragon7:
			out = append(out, schema.SpotDragon7)
		case schema.SideBetPanda8:
			out = append(out, schema.SpotPanda8)
		case schema.SideBetTreasures:
			out = append(out, schema.SpotFortune7, schema.SpotGolden8, schema.SpotHeavenly9, schema.SpotBlazing7s,
				schema.SpotCoverAll)
		}
	}
	return out
}

// attestations returns the layout items that a configuration needs on file.
func attestations(cfg *schema.TableConfig) []string {
	items := []string{"cutting-card-appearance", "vig-areas"}
	has := func(b schema.SideBet) bool { return slices.Contains(cfg.SideBets, b) }
	if newHouse(cfg).NewYork {
		items = append(items, "ny-minimum", "payout-odds", "lammer-storage")
		if has(schema.SideBetDragonBonus) {
			items = append(items, "dragon-bonus-area")
		}
		switch cfg.Vigorish.Mode {
		case schema.VigorishModeEz:
			items = append(items, "ez-areas", "ez-push-notice")
		case schema.VigorishModeNovig6:
			items = append(items, "novig-notice")
		}
		if cfg.Game == schema.GameMidibaccarat {
			items = append(items, "midi-discard-rack")
		}
		return items
	}
	items = append(items, "layout-approval")
	for _, x := range []struct {
		bet   schema.SideBet
		items []string
	}{
		{schema.SideBetPair, []string{"pair-areas"}},
		{schema.SideBetTotalCard, []string{"total-card-odds"}},
		{schema.SideBetBonus, []string{"bonus-odds"}},
		{schema.SideBetTreasures, []string{"treasures-areas", "treasures-odds"}},
	} {
		if has(x.bet) {
			items = append(items, x.items...)
		}
	}
	return items
}
