package pipeline

import (
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// configOf reads a configuration of the contract as the rules see it. Odds that cannot be read were
// rejected by the decoder. Interpretive options count only where the rulebook leaves them to the
// house.
func configOf(c *schema.TableConfig, law *rules.Law) *rules.Config {
	out := &rules.Config{
		ID: c.ConfigID, Ruleset: c.Ruleset, Game: rules.Game(c.Game), Currency: c.Currency, Decks: c.Decks,
		Seats: append([]uint32(nil), c.Seats...), Mode: rules.VigorishMode(c.Vigorish.Mode), Percent: int64(c.Vigorish.Percent),
		Procedure: c.PaymentProcedure, BonusTable: c.PayTables["dragon_bonus"], TreasuresTable: c.PayTables["treasures"],
		SupplementalRequiresMain: c.SupplementalRequiresMain, ReshuffleAfterLacing: c.ReshuffleAfterLacing,
		FaceDown: c.DealingStyle == schema.DealingStyleFaceDown, AutomatedShuffler: c.AutomatedShuffler, PreShuffled: c.PreShuffled,
		MinWager: c.MinWager, MaxWager: c.MaxWager,
	}
	for _, s := range c.SideBets {
		out.SideBets = append(out.SideBets, rules.SideBet(s))
	}
	for _, f := range c.Feeds {
		out.Feeds |= 1 << f
	}
	for s := range out.Posted {
		if odds, err := rules.ParseOdds(c.PostedOdds[rules.Spot(s).String()]); err == nil {
			out.Posted[s] = odds
		}
	}
	out.Options = map[string]string{}
	for k, v := range c.Options {
		if law != nil && law.Elects(k, v) {
			out.Options[k] = v
		}
	}
	return out
}
