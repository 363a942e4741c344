package rules

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// bet is the definition of a side bet in the rulebook, nil if it has none.
func (p *Pass) bet(w *record.Wager) *law.Wager { return p.Law.Wager(w.Spot, w.SpotName) }

// spot is the word of the spot of a wager.
func (p *Pass) spot(w *record.Wager) string {
	if b := p.bet(w); b != nil {
		return b.Name
	}
	return w.Spot.String()
}

// outcomeOf is what becomes of a wager on a coup, other wagers of the patron aside.
func (p *Pass) outcomeOf(w *record.Wager, c *baccarat.Coup) baccarat.Disposition {
	if b := p.bet(w); b != nil {
		return p.Law.Settle(p.Config, b, c)
	}
	return p.Law.Disposition(p.Config, w.Spot, c)
}

// oddsOf are what a wager is paid if it wins on a coup.
func (p *Pass) oddsOf(w *record.Wager, c *baccarat.Coup) baccarat.Odds {
	if b := p.bet(w); b != nil {
		return p.Law.Paid(p.Config, b, c)
	}
	return p.Law.PaidOdds(p.Config, w.Spot, c)
}
