package play

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// compare reports an event of a round that contradicts itself or earlier events, where no rule reads it. The event is
// folded as it is.
func (t *Table) compare(c *turn, s *Shoe, r *record.Round) {
	if want, got := t.contradiction(s, r); want != "" {
		c.yield(Stage{Kind: Inconsistent, Shoe: s, Round: r, Expected: want, Observed: got})
	}
}

func (t *Table) contradiction(s *Shoe, r *record.Round) (want, got string) {
	switch p := t.now.Payload.(type) {
	case *schema.WagerPlaced:
		if p.Coupon > p.Amount && p.Amount != 0 && r.WagerIndex(p.WagerID) < 0 {
			return "a coupon that is part of the wager", fmt.Sprintf("wager %s with a coupon above its amount", p.WagerID)
		}
	case *schema.CardDealt:
		repeated := p.Index == 0 || r.Card(p.CardSeq) != nil
		if !repeated && !r.Missing && record.Any(r.Cards, func(d *record.DealtCard) bool {
			return d.Hand == baccarat.Hand(p.Hand) && d.Final == d.Hand && d.Fate == record.Kept && uint32(d.Index) >= p.Index
		}) {
			return "the cards of a hand in the order of their index",
				fmt.Sprintf("card %d of the %v after a card of the same or a higher index", p.Index, p.Hand)
		}
		if s.startsOver(r, p.CardSeq) && !r.Missing {
			if s.keptUnannounced(r, p.CardSeq, readCard(p.Card)) != nil {
				return "card_carried_over of a card that begins the next round",
					fmt.Sprintf("card %d begins the round, and was not announced as kept", p.CardSeq)
			}
			return "a card number that the shoe has not used",
				fmt.Sprintf("card %d begins the round, after card %d", p.CardSeq, s.Numbered)
		}
		if s.Ended.Seq != 0 && s.LastCard < s.Ended.Seq && len(r.Cards) == 0 {
			return "no round after the recorded end of the shoe",
				fmt.Sprintf("card %d begins a round after it", p.CardSeq)
		}
	case *schema.CardRevealed:
		if !r.Missing && p.CardSeq != 0 && p.CardSeq != r.Carried && r.Card(p.CardSeq) == nil {
			return "a card of the round", fmt.Sprintf("card %d revealed, which the round does not have", p.CardSeq)
		}
	case *schema.CardCarriedOver:
		return s.misnamed(r, p.CardSeq)
	case *schema.CardsHanded:
		return cardsOfOther(r, record.Squeeze{
			Kind: record.SqueezeHanded, Hand: baccarat.Hand(p.Hand), Seat: p.Seat, Cards: p.CardSeqs,
		})
	case *schema.CardsReturned:
		return cardsOfOther(r, record.Squeeze{
			Kind: record.SqueezeReturned, Hand: baccarat.Hand(p.Hand), Seat: p.Seat, Cards: p.CardSeqs,
		})
	default: // nothing else repeats what the round has
	}
	return "", ""
}

// cardsOfOther is the contradiction of cards that are handed out or returned under one hand and are of the other.
func cardsOfOther(r *record.Round, s record.Squeeze) (want, got string) {
	if h, named := handOf(r, &s); h != s.Hand || !named {
		return fmt.Sprintf("cards of the %v hand", s.Hand), fmt.Sprintf("cards of the %v hand", s.Hand.Other())
	}
	return "", ""
}
