package deal

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// Game is the side bets of a game of a rulebook that are words of the rulebook alone.
type Game = shoe.Game

// ReadGame reads the side bets of a game from the canonical JSON of a rulebook.
func ReadGame(rulebook []byte, game schema.Game) (*Game, error) { return shoe.ReadGame(rulebook, game) }

// Offer makes a configuration offer all side bets of a rulebook, with pay tables that follow from the seed. A table
// with this game plays in the manner of the shipped rulebook of the configuration and reports the name of its own.
func Offer(c *schema.TableConfig, g *Game, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 0x0ffe6))
	c.FurtherSideBets = nil
	c.PostedOdds, c.PayTables = maps.Clone(c.PostedOdds), maps.Clone(c.PayTables)
	c.Decks = max(c.Decks, g.Decks)
	if len(g.Modes) > 0 && !slices.Contains(g.Modes, c.Vigorish.Mode.String()) {
		c.Vigorish.Mode = schema.VigorishModeCommission
	}
	if g.NamesKinds() {
		g.Elect(c, g.Modes[seed%uint64(len(g.Modes))])
	}
	if (c.Vigorish.Mode == schema.VigorishModeCommission || g.ElectsPercent(c)) &&
		!slices.Contains(g.Percents, c.Vigorish.Percent) &&
		len(g.Percents) > 0 {
		c.Vigorish.Percent = g.Percents[0]
		shoe.FitUnit(c)
	}
	for spot := range c.PostedOdds {
		if odds, ok := g.Exact[spot]; ok {
			c.PostedOdds[spot] = odds
		}
	}
	offered := map[string]bool{}
	for i := range g.Bets {
		b := &g.Bets[i]
		if !offered[b.SideBet] && schema.ParseSideBet(b.SideBet) == 0 {
			c.FurtherSideBets = append(c.FurtherSideBets, b.SideBet)
		}
		offered[b.SideBet] = true
		if tables := b.PayTables(); len(tables) > 0 && c.PayTables[b.Kind] == "" {
			if c.PayTables == nil {
				c.PayTables = map[string]string{}
			}
			c.PayTables[b.Kind] = tables[r.IntN(len(tables))]
		}
		if odds, ok := b.Flat(); ok {
			c.PostedOdds[b.Name] = odds
		}
	}
}
