package rules

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// Ground is what the cards say about a void round. The one ground that the texts know is that too few cards remain to
// complete the round. N.J.A.C. 19:47-3.12(d).
type Ground uint8

// Grounds.
const (
	// GroundUnknown: it depends on a card that was not dealt or not read, or on a shoe that was not fully reported.
	GroundUnknown Ground = iota
	// ShortOfCards: the shoe cannot complete the round.
	ShortOfCards
	// CardsLeft: the shoe can complete the round.
	CardsLeft
	// HandComplete: no card is due.
	HandComplete
)

// GroundOf computes the ground of a void round from the drawing rules and the cards that were left.
func GroundOf(l *law.Law, s *record.Shoe, r *record.Round) Ground {
	if l == nil || unread(r) || len(r.Cards) == 0 {
		return GroundUnknown
	}
	low, high := l.CardsToCome(r.Coup())
	switch {
	case high == 0:
		return HandComplete
	case s.Loaded.Seq == 0 || s.Joined || s.Missing || s.CardsLost:
		return GroundUnknown
	case r.Left < low:
		return ShortOfCards
	case r.Left >= high:
		return CardsLeft
	}
	return GroundUnknown
}

func (p *Pass) ground() Ground { return GroundOf(p.Law.Law, p.Shoe, p.Round) }

// cancelled reports whether the round was declared void, or recorded as void and not settled by its cards.
func (p *Pass) cancelled() bool {
	r := p.Round
	return (r.Voided.Seq != 0 || r.Ended.Result == baccarat.Void) && !SettledByCards(p.Law.Law, r)
}

// SettledByCards reports whether a round that was declared or is recorded as void is complete and was settled by its
// cards: more of its wagers were settled as the cards have it than as in a void round, and a winner was paid if there
// is one. Its money is then judged by the cards, and that it is void by outcome.void-ground.
func SettledByCards(l *law.Law, r *record.Round) bool {
	if l == nil || r.Config == nil || r.Config.Game == baccarat.CheminDeFer ||
		r.Voided.Seq == 0 && r.Ended.Result != baccarat.Void || unread(r) {
		return false
	}
	c := Settling(l, r)
	if _, due := l.CardsToCome(r.Coup()); !c.Complete || due > 0 {
		return false
	}
	asVoid, asDealt, winners, paid := 0, 0, 0, 0 // the wagers that were settled otherwise
	for i := range r.Wagers {
		w := &r.Wagers[i]
		want, got := outcomeUnder(l, r.Config, w, c), w.Disposition()
		if w.Gone || want == baccarat.Undetermined || got == baccarat.Undetermined {
			continue
		}
		if got != baccarat.Return {
			asVoid++
		}
		if got != want {
			asDealt++
		}
		if want == baccarat.Pay {
			winners++
			if got == baccarat.Pay {
				paid++
			}
		}
	}
	return asDealt < asVoid && (paid > 0 || winners == 0)
}

// citeVoid cites the clause that has the wagers of a void round returned; false if the round is not void, or the
// rulebook has no such clause.
func (p *Pass) citeVoid(f *Finding) bool {
	void, ok := p.Law.Cited("outcome.void-round")
	if ok = ok && p.cancelled(); ok {
		f.Cites, f.Basis = slices.Clone(void.Citations), BasisOf(void)
	}
	return ok
}

// Returns reports whether a wager is to be returned: by the cards, or because the round was declared void.
func Returns(l *law.Law, r *record.Round, w *record.Wager) bool {
	if l == nil || r.Config == nil || r.Voided.Seq != 0 {
		return r.Voided.Seq != 0
	}
	c := Settling(l, r)
	return c.Complete && outcomeUnder(l, r.Config, w, c) == baccarat.Return
}

// seized reports whether a wager of a void round was collected that does not lose by the cards: it would be wrong in a
// round that is void as in any other, and the outcome is judged.
func (p *Pass) seized(w *record.Wager) bool {
	c := p.coup()
	if w.Gone || !p.cancelled() || w.Disposition() != baccarat.Collect || p.ground() != HandComplete {
		return false
	}
	d := p.outcomeOf(w, c)
	return d == baccarat.Pay || d == baccarat.Return
}

// voidedAt is the event by which the round is void.
func (p *Pass) voidedAt() record.Seq {
	if p.Round.Voided.Seq != 0 {
		return p.Round.Voided.Seq
	}
	return p.Round.Ended.Seq
}

// withheld are the wagers that won by the cards of a void round and were not paid, and what was due to them.
func (p *Pass) withheld() (wagers []*record.Wager, due int64) {
	c := p.coup()
	for i := range p.Round.Wagers {
		w := &p.Round.Wagers[i]
		if w.Gone || w.Disposition() == baccarat.Pay || p.outcomeOf(w, c) != baccarat.Pay {
			continue
		}
		wagers = append(wagers, w)
		if odds := p.oddsOf(w, c); odds.Known() {
			won := odds.Winnings(w.Amount)
			due += min(won, baccarat.MaxAmount-due)
		}
	}
	return wagers, due
}

// ranShort reports whether the cards ran short and the rulebook has the rule that judges that: a hand that cannot be
// dealt is no error of drawing.
func (p *Pass) ranShort() bool {
	return p.Law.shortVoid && p.ground() == ShortOfCards
}
