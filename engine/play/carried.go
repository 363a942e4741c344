package play

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
)

// carry keeps a card for the next round. If no card of this number is on record, its card_dealt was not published. An
// event about a card that began the next round already, or about a round that is settled, keeps none.
func (t *Table) carry(c *turn, s *Shoe, number uint32) {
	due := false
	of := s.holds(number)
	switch live := s.Live(c.round); {
	case of != nil && (of.Card(number).Carried || c.round != 0 && c.round < of.No && of.Cards[0].CardSeq == number):
		return
	case of != nil:
		d := s.meant(of, of.Card(number))
		number, due = d.CardSeq, s.keep(c, of, d)
	case live != nil:
		t.cardLost(c, s, live)
	case c.round != 0:
		return
	}
	if r := s.Round; r != nil && r != of && of != nil && len(r.Cards) == 0 {
		r.Carried, r.CarriedDue = number, due // The next round began before the event.
		return
	}
	s.Carried, s.CarriedDue = number, due
}

// carryUnannounced keeps the card of the round before that begins a round, whatever was announced.
func (s *Shoe) carryUnannounced(c *turn, r *record.Round, number uint32, card baccarat.Card) {
	if d := s.keptUnannounced(r, number, card); d != nil {
		r.Carried, r.CarriedDue = d.CardSeq, false
		s.keep(c, s.Settling, d)
		return
	}
	if d := s.sameNumber(r, number); d != nil {
		d.Final, d.Fate, d.FateAt = baccarat.NoHand, record.KeptOrDiscarded, c.seq
		s.Settling.Recompose()
	}
}

// keptUnannounced is the card of the round before that begins a round, nil if none does: its number is that of a card
// that was not due. Two cards with one number are not one card.
func (s *Shoe) keptUnannounced(r *record.Round, number uint32, card baccarat.Card) *record.DealtCard {
	d := s.sameNumber(r, number)
	if d == nil || d.Card != card && d.Card != baccarat.Unread && card != baccarat.Unread {
		return nil
	}
	return d
}

// sameNumber is the card of the round before that was not due and has the number of the card that begins a round.
func (s *Shoe) sameNumber(r *record.Round, number uint32) *record.DealtCard {
	before := s.Settling
	if r != s.Round || before == nil || len(r.Cards) > 0 || number == 0 || number == r.Carried {
		return nil
	}
	if d := before.Card(number); d != nil && s.asideOf(before, d) {
		return d
	}
	return nil
}

// holds is the round in play that has a card of this number, nil if none has.
func (s *Shoe) holds(number uint32) *record.Round {
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r != nil && r.Card(number) != nil {
			return r
		}
	}
	return nil
}

// keep takes a card out of its hand for the next round. It reports whether the card was due.
func (s *Shoe) keep(c *turn, r *record.Round, d *record.DealtCard) bool {
	due := s.Law != nil && d.Index == 3 && d.Fate == record.Kept && s.Law.Draws(r.Coup(), d.Hand) && d.Final == d.Hand
	d.Final, d.Fate, d.FateAt = baccarat.NoHand, record.CarriedOver, c.seq
	r.Recompose()
	return due
}

// meant is the card that an event about a card of a round keeps: the card that it names, or the card that is not due
// if the named card is.
func (s *Shoe) meant(r *record.Round, named *record.DealtCard) *record.DealtCard {
	if s.asideOf(r, named) {
		return named
	}
	for i := range slices.Backward(r.Cards) {
		if d := &r.Cards[i]; d.Fate == record.Kept && s.asideOf(r, d) {
			return d
		}
	}
	return named
}

// asideOf reports whether a card of a round is not due in its hand: it was set aside by the recorded end, or the hands
// are lawful without it.
func (s *Shoe) asideOf(r *record.Round, d *record.DealtCard) bool {
	switch {
	case d.Index <= 2:
		return false
	case setAside(r, d):
		return true
	case d.Fate != record.Kept || d.Final != d.Hand || !s.excess(r):
		return false
	}
	d.Final = baccarat.NoHand
	r.Recompose()
	lawful := !s.excess(r)
	d.Final = d.Hand
	r.Recompose()
	return lawful
}

// setAside reports whether the recorded end of a round left a card out of the hands.
func setAside(r *record.Round, d *record.DealtCard) bool {
	return d.Fate == record.DiscardedCard && d.FateAt == max(r.Ended.Seq, d.Seq)
}

// misnamed is the contradiction of a kept card that is due while another card is not.
func (s *Shoe) misnamed(r *record.Round, number uint32) (want, got string) {
	named := r.Card(number)
	if named == nil {
		return "", ""
	}
	if d := s.meant(r, named); d != named {
		return fmt.Sprintf("card %d, which is not due, is kept", d.CardSeq), fmt.Sprintf("card %d is named", number)
	}
	return "", ""
}

// excess reports whether a hand of the round has a card that the rules do not call for, as far as they are known.
func (s *Shoe) excess(r *record.Round) bool {
	c := r.Coup()
	return s.Law == nil || c.NP > 2 && !s.Law.Draws(c, baccarat.Player) || c.NB > 2 && !s.Law.Draws(c, baccarat.Banker) ||
		record.Any(r.Cards, func(d *record.DealtCard) bool {
			return d.Index > 3 && d.Final == d.Hand || d.Card == baccarat.Unread
		})
}
