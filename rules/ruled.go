package rules

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
)

// ruled has what the law makes of each wager of the round. Half a dozen rules want it of each wager of each round, so
// that it is computed once for the rules of a stage: while they are evaluated nothing changes the round, the law or
// what the law reads of the configuration. Outside of an evaluation it is empty, and nothing is kept.
type ruled []baccarat.Disposition

// notRuled is of a wager that no rule has read yet.
const notRuled = ^baccarat.Disposition(0)

// begin makes room for the wagers of a round; there is none for rules of a shoe.
func (d ruled) begin(r *record.Round) ruled {
	d = d[:0]
	if r != nil {
		for range r.Wagers {
			d = append(d, notRuled)
		}
	}
	return d
}

// disposition is what the law makes of a wager on the cards that count; Undetermined when the cards
// are not known, the round was cancelled or the spot has no rule in the texts.
func (p *Pass) disposition(w *record.Wager) baccarat.Disposition {
	for i := range p.ruled {
		if &p.Round.Wagers[i] != w {
			continue
		}
		if p.ruled[i] == notRuled {
			p.ruled[i] = p.dispose(w)
		}
		return p.ruled[i]
	}
	return p.dispose(w)
}
