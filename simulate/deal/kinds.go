package deal

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Kinds returns the kinds of table that the package can play, such as "nj-punto" or "ny-ez".
func Kinds() []string {
	return []string{
		"nj-punto", "nj-mini", "nj-mini-tie25", "pair-punto", "pair-mini", "treasures-punto", "treasures-mini",
		"ny-mini", "ny-tie25", "ny-ez", "ny-novig6", "ny-dragon-bonus", "ny-midi", "ny-midi-ez", "ny-midi-bonus",
		"ny-shuffler", "ny-preshuffled", "total-punto", "total-mini", "royal-punto", "nj-chemin",
	}
}

// Config returns a legal configuration of a kind of table. What a casino may elect follows from the seed.
func Config(kind string, seed uint64) (schema.TableConfig, error) {
	r := rand.New(rand.NewPCG(seed, 0xc0f1))
	c := schema.TableConfig{
		Currency: "USD", Decks: 8, Game: schema.GameMinibaccarat, Ruleset: "nj-19-47",
		PaymentProcedure: 1 + r.Uint32N(4),
		DealingStyle:     schema.DealingStyleFaceUp,
		PostedOdds:       map[string]string{"BANKER": "1:1", "PLAYER": "1:1", "TIE": "8:1"},
		MinWager:         100, MaxWager: 10_000_000, ReshuffleAfterLacing: r.IntN(3) == 0,
		Vigorish: schema.Vigorish{
			Mode: schema.VigorishModeCommission, Percent: 4 + r.Uint32N(2),
			Timing: schema.VigorishTiming(1 + r.Uint32N(3)),
		},
	}
	if r.IntN(4) == 0 {
		c.Decks = 6
	}
	if r.IntN(4) == 0 {
		c.PostedOdds["TIE"] = "9:1"
	}
	if r.IntN(3) == 0 && !strings.HasPrefix(kind, "ny") {
		c.Options = map[string]string{"recut_by": "next-entitled"}
	}
	down := r.IntN(3) == 0
	bonus, treasures := string("ABC"[r.IntN(3)]), string("12"[r.IntN(2)])
	c.SupplementalRequiresMain = r.IntN(2) == 0 && strings.HasPrefix(kind, "pair-")
	if !slices.Contains(Kinds(), kind) {
		return c, fmt.Errorf("kind of table %q: want one of %v", kind, Kinds())
	}
	game(&c, kind)
	wagers(&c, kind, bonus, treasures)
	if c.Game == schema.GameMidibaccarat || c.Game == schema.GameMinibaccarat && down {
		c.DealingStyle = schema.DealingStyleFaceDown
	}
	if c.Vigorish.Mode == schema.VigorishModeCommission && r.IntN(3) > 0 {
		c.Vigorish.Unit = shoe.LawUnit(c.Game, int64(c.Vigorish.Percent))
	}
	c.ConfigID = kind + "-1"
	shoe.Complete(&c)
	return c, nil
}

// game sets the ruleset, the game and the cards of a kind.
func game(c *schema.TableConfig, kind string) {
	switch {
	case strings.HasSuffix(kind, "-punto"):
		c.Game = schema.GamePuntoBanco
	case strings.HasPrefix(kind, "ny-midi"):
		c.Game = schema.GameMidibaccarat
	case kind == "nj-chemin":
		c.Game, c.PostedOdds = schema.GameCheminDeFer, nil
	}
	switch prefix, _, _ := strings.Cut(kind, "-"); prefix {
	case "ny":
		c.Ruleset, c.ReshuffleAfterLacing = "ny-5324-21", false
	case "pair", "total":
		c.Ruleset = "nj-19-47-pair"
	case "treasures", "royal":
		c.Ruleset = "nj-13-69f"
	}
	c.AutomatedShuffler, c.PreShuffled = kind == "ny-shuffler", kind == "ny-preshuffled"
	if kind == "royal-punto" {
		c.Decks = 8
	}
}

// wagers sets the side bets of a kind, with their pay tables and odds, and its vigorish.
func wagers(c *schema.TableConfig, kind, bonus, treasures string) {
	switch kind {
	case "pair-punto", "pair-mini":
		c.SideBets = []schema.SideBet{schema.SideBetPair}
		c.PostedOdds["PLAYER_PAIR"], c.PostedOdds["BANKER_PAIR"] = "11:1", "11:1"
	case "treasures-punto", "treasures-mini":
		c.SideBets, c.PayTables = []schema.SideBet{schema.SideBetTreasures}, map[string]string{"treasures": treasures}
		c.PostedOdds["FORTUNE_7"], c.PostedOdds["GOLDEN_8"], c.PostedOdds["COVER_ALL"] = "40:1", "25:1", "6:1"
	case "total-punto", "total-mini":
		c.SideBets = []schema.SideBet{schema.SideBetTotalCard}
	case "royal-punto":
		c.SideBets = []schema.SideBet{schema.SideBetRoyal}
	case "nj-chemin":
		c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeNone}
	case "ny-dragon-bonus", "ny-midi-bonus":
		c.SideBets, c.PayTables = []schema.SideBet{schema.SideBetDragonBonus}, map[string]string{"dragon_bonus": bonus}
	case "nj-mini-tie25", "ny-tie25":
		c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeTie25}
	case "ny-ez", "ny-midi-ez":
		c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeEz}
		c.SideBets = []schema.SideBet{schema.SideBetDragon7, schema.SideBetPanda8}
		c.PostedOdds["DRAGON_7"], c.PostedOdds["PANDA_8"] = "40:1", "25:1"
	case "ny-novig6":
		c.Vigorish = schema.Vigorish{Mode: schema.VigorishModeNovig6}
	}
}
