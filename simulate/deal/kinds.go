package deal

import (
	"fmt"
	"math/rand/v2"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Kinds names the kinds of table that the package can play, such as "nj-punto" or "ny-ez".
func Kinds() []string {
	return []string{
		"nj-punto", "nj-mini", "nj-mini-tie25", "pair-punto", "pair-mini", "treasures-punto", "treasures-mini",
		"ny-mini", "ny-tie25", "ny-ez", "ny-novig6", "ny-dragon-bonus", "ny-midi", "ny-midi-ez", "ny-midi-bonus",
		"ny-shuffler", "ny-preshuffled", "total-punto", "total-mini", "royal-punto", "nj-chemin",
	}
}

// Config is a legal configuration of a kind of table. What the house may elect follows from the seed.
func Config(kind string, seed uint64) (schema.TableConfig, error) {
	r := rand.New(rand.NewPCG(seed, 0xc0f1))
	c := schema.TableConfig{
		Currency: "USD", Decks: 8, Game: schema.GameMinibaccarat, Ruleset: "nj-19-47", PaymentProcedure: 1 + r.Uint32N(4),
		DealingStyle: schema.DealingStyleFaceUp, PostedOdds: map[string]string{"BANKER": "1:1", "PLAYER": "1:1", "TIE": "8:1"},
		MinWager: 100, MaxWager: 10_000_000, ReshuffleAfterLacing: r.IntN(3) == 0,
		Vigorish: schema.Vigorish{
			Mode: schema.VigorishModeCommission, Percent: 4 + r.Uint32N(2), Timing: schema.VigorishTiming(1 + r.Uint32N(3)),
		},
	}
	if r.IntN(4) == 0 {
		c.Decks = 6
	}
	if r.IntN(4) == 0 {
		c.PostedOdds["TIE"] = "9:1"
	}
	if r.IntN(3) == 0 && kind[:2] != "ny" {
		c.Options = map[string]string{"recut_by": "next-entitled"}
	}
	down := r.IntN(3) == 0
	table := string("ABC"[r.IntN(3)])
	sevens := string("12"[r.IntN(2)])
	main := r.IntN(2) == 0
	switch kind {
	case "nj-punto", "pair-punto", "treasures-punto", "total-punto", "royal-punto":
		c.Game, down = schema.GamePuntoBanco, false
	case "nj-mini", "nj-mini-tie25", "pair-mini", "treasures-mini", "total-mini":
	case "ny-mini", "ny-tie25", "ny-ez", "ny-novig6", "ny-dragon-bonus", "ny-shuffler", "ny-preshuffled":
		c.Ruleset, c.ReshuffleAfterLacing = "ny-5324-21", false
	case "ny-midi", "ny-midi-ez", "ny-midi-bonus":
		c.Ruleset, c.ReshuffleAfterLacing, c.Game, down = "ny-5324-21", false, schema.GameMidibaccarat, true
	case "nj-chemin":
		c.Game, down, c.PostedOdds = schema.GameCheminDeFer, false, nil
	default:
		return c, fmt.Errorf("kind of table %q: want one of %v", kind, Kinds())
	}
	switch kind {
	case "pair-punto", "pair-mini":
		c.Ruleset, c.SideBets, c.SupplementalRequiresMain = "nj-19-47-pair", []schema.SideBet{schema.SideBetPair}, main
		c.PostedOdds["PLAYER_PAIR"], c.PostedOdds["BANKER_PAIR"] = "11:1", "11:1"
	case "treasures-punto", "treasures-mini":
		c.Ruleset, c.SideBets = "nj-13-69f", []schema.SideBet{schema.SideBetTreasures}
		c.PayTables = map[string]string{"treasures": sevens}
		c.PostedOdds["FORTUNE_7"], c.PostedOdds["GOLDEN_8"], c.PostedOdds["COVER_ALL"] = "40:1", "25:1", "6:1"
	case "total-punto", "total-mini":
		c.Ruleset, c.SideBets = "nj-19-47-pair", []schema.SideBet{schema.SideBetTotalCard}
	case "royal-punto":
		c.Ruleset, c.SideBets, c.Decks = "nj-13-69f", []schema.SideBet{schema.SideBetRoyal}, 8
	case "ny-shuffler":
		c.AutomatedShuffler = true
	case "ny-preshuffled":
		c.PreShuffled = true
	case "nj-chemin":
		c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeNone}
	case "ny-dragon-bonus", "ny-midi-bonus":
		c.SideBets, c.PayTables = []schema.SideBet{schema.SideBetDragonBonus}, map[string]string{"dragon_bonus": table}
	case "nj-mini-tie25", "ny-tie25":
		c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeTie25}
	case "ny-ez", "ny-midi-ez":
		c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeEz}
		c.SideBets = []schema.SideBet{schema.SideBetDragon7, schema.SideBetPanda8}
		c.PostedOdds["DRAGON_7"], c.PostedOdds["PANDA_8"] = "40:1", "25:1"
	case "ny-novig6":
		c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeNovig6}
	}
	if down {
		c.DealingStyle = schema.DealingStyleFaceDown
	}
	if c.Vigorish.Mode == schema.VigorishModeCommission && r.IntN(3) > 0 {
		c.Vigorish.Unit = shoe.LawUnit(c.Game, int64(c.Vigorish.Percent))
	}
	c.ConfigID = kind + "-1"
	shoe.Complete(&c)
	return c, nil
}
