package engine

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/schema"
)

// Terms are the law and the configuration that a stored configuration names, in the canonical JSON of
// table_configs; false when no rulebook has it.
func (o *Options) Terms(config string) (*law.Law, *law.Config, bool, error) {
	value := `{"event_id":"x","property_id":"x","pit_id":"x","table_id":"x","seq":1,"at":"2026-01-01T00:00:00Z","table_configured":{"config":` + config + `}}`
	var ev schema.Event
	if err := schema.NewDecoder().Decode(schema.JSON, []byte(value), &ev); err != nil {
		return nil, nil, false, fmt.Errorf("read a stored configuration: %w", err)
	}
	c := &ev.Payload.(*schema.TableConfigured).Config
	book, ok := o.Books[c.Ruleset]
	if !ok {
		return nil, nil, false, nil
	}
	l, ok := book.Law(baccarat.Game(c.Game))
	return l, configOf(c, l), ok, nil
}

// configOf reads a configuration of the contract as the rules see it. Odds that cannot be read were
// rejected by the decoder. Interpretive options count only where the rulebook leaves them to the
// house.
func configOf(c *schema.TableConfig, l *law.Law) *law.Config {
	out := &law.Config{
		ID: c.ConfigID, Ruleset: c.Ruleset, Game: baccarat.Game(c.Game), Currency: c.Currency, Decks: c.Decks,
		Seats: append([]uint32(nil), c.Seats...), Mode: baccarat.VigorishMode(c.Vigorish.Mode), Percent: int64(c.Vigorish.Percent),
		Procedure: c.PaymentProcedure, BonusTable: c.PayTables["dragon_bonus"], TreasuresTable: c.PayTables["treasures"],
		SupplementalRequiresMain: c.SupplementalRequiresMain, ReshuffleAfterLacing: c.ReshuffleAfterLacing,
		FaceDown: c.DealingStyle == schema.DealingStyleFaceDown, AutomatedShuffler: c.AutomatedShuffler, PreShuffled: c.PreShuffled,
		MinWager: c.MinWager, MaxWager: c.MaxWager,
	}
	for _, s := range c.SideBets {
		out.SideBets = append(out.SideBets, baccarat.SideBet(s))
	}
	for _, f := range c.Feeds {
		out.Feeds |= 1 << f
	}
	for s := range out.Posted {
		if odds, err := baccarat.ParseOdds(c.PostedOdds[baccarat.Spot(s).String()]); err == nil {
			out.Posted[s] = odds
		}
	}
	out.Options = map[string]string{}
	for k, v := range c.Options {
		if l != nil && l.Elects(k, v) {
			out.Options[k] = v
		}
	}
	return out
}
