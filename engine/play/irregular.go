package play

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// faceUp notes a card found face up in the shoe. It belongs to the round in progress, or to the one about to be dealt.
func (s *Shoe) faceUp(c *turn, p *schema.CardFoundFaceup) {
	card := readCard(p.Card)
	if s.IsFaceUp(p.CardSeq) {
		return // published before, under another event id
	}
	burned := record.Any(s.Burns, func(b *record.Burn) bool {
		further := b.First
		if b.Opening { // its first card is the indicator, which the burn takes as well
			further++
		}
		return p.CardSeq >= b.First && p.CardSeq < further+b.Count
	})
	s.FaceUps = append(s.FaceUps, record.FoundFaceUp{
		Seq: c.seq, CardSeq: p.CardSeq, Card: card, Destination: p.Destination, AmongBurned: burned, Burn: -1,
		Round: s.comingRound(c.round),
	})
	if !burned {
		s.takeOut(c, card)
	}
}

func (t *Table) burn(c *turn, s *Shoe, p *schema.ShoeBurned) {
	opening := p.Reason == schema.BurnReasonOpening
	indicator := readCard(p.Indicator)
	b := record.Burn{
		Seq: c.seq, Opening: opening, Indicator: indicator, First: s.Out + 1, Count: p.Count, Cards: len(p.Cards),
		Shown: baccarat.Shown(p.Shown), Destination: baccarat.Destination(p.Destination),
		Discarded: record.BurnDiscarded(p.Discarded), AfterCard: s.Prepared,
		AllRead: !slices.Contains(p.Cards, "??"), Round: s.comingRound(0),
	}
	s.Burns = append(s.Burns, b)
	if b.Destination == baccarat.Rack {
		t.rack(s, c.seq)
	}
	if opening {
		s.takeOut(c, indicator)
	} else {
		s.answer(len(s.Burns)-1, indicator)
	}
	for i := range min(p.Count, 52*8) {
		card := baccarat.Unread
		if int(i) < len(p.Cards) {
			card = readCard(p.Cards[i])
		}
		s.takeOut(c, card)
	}
}

// answer links a burn for an irregularity to what it answers: cards found face up that no burn answers yet, or the card
// beyond those due that it names, which leaves its hand.
func (s *Shoe) answer(burn int, indicator baccarat.Card) {
	answered := false
	for i := range s.FaceUps {
		if f := &s.FaceUps[i]; f.Burn < 0 {
			f.Burn, answered = burn, true
		}
	}
	if answered {
		return
	}
	if b := s.completes(burn); b != nil {
		b.More += s.Burns[burn].Count
		return
	}
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r == nil {
			continue
		}
		d, certain := burnable(r, indicator)
		if d == nil {
			continue
		}
		d.Final, d.Fate, d.FateAt, d.Burn = baccarat.NoHand, record.Burned, s.Burns[burn].Seq, burn
		r.Missing = r.Missing || !certain
		r.Recompose()
		return
	}
}

// completes is the burn before this one if both name one indicator in one round, and that one took fewer cards than the
// indicator has: the dealer completes it. It is nil if this is a burn of its own.
func (s *Shoe) completes(burn int) *record.Burn {
	if burn == 0 {
		return nil
	}
	before, b := &s.Burns[burn-1], &s.Burns[burn]
	if before.Opening || before.Round != b.Round || before.Indicator != b.Indicator ||
		b.Indicator == baccarat.Unread || before.Further() >= b.Indicator.BurnValue() {
		return nil
	}
	return before
}

// burnable is the latest card of a round that a burn with this indicator takes, nil if none. If one of the two was not
// read it is any third card, and certain only if there is exactly one. If none agrees with the indicator, one of the
// two was misread: it is the latest third card, and never certain.
func burnable(r *record.Round, indicator baccarat.Card) (card *record.DealtCard, certain bool) {
	var candidates []*record.DealtCard
	var misread *record.DealtCard
	for i := range slices.Backward(r.Cards) {
		d := &r.Cards[i]
		switch {
		case d.Fate != record.Kept && !(d.Fate == record.DiscardedCard && d.FateAt == r.Ended.Seq) ||
			d.Index <= 2 && d.Final != baccarat.NoHand:
		case d.Card == indicator && indicator != baccarat.Unread:
			return d, true
		case d.Card == baccarat.Unread || indicator == baccarat.Unread:
			candidates = append(candidates, d)
		case misread == nil:
			misread = d
		}
	}
	if len(candidates) == 0 {
		return misread, misread == nil
	}
	return candidates[0], len(candidates) == 1
}

// setAside takes a card beyond the third out of its hand if the recorded end of the round does not count it. It is put
// away then, whether a discard of its own follows or one with the other cards of the round.
func setAside(r *record.Round) {
	var player, banker [8]baccarat.Card // no allocation for a round
	hands := [2][]baccarat.Card{player[:0], banker[:0]}
	for i := range r.Cards {
		d := &r.Cards[i]
		if d.Final != baccarat.NoHand && !(d.Index > 3 && d.Final == d.Hand) {
			hands[d.Final-baccarat.Player] = append(hands[d.Final-baccarat.Player], d.Card)
		}
	}
	without := baccarat.NewCoup(hands[0], hands[1])
	end := &r.Ended
	if !without.Complete || end.Player != uint32(without.P) || end.Banker != uint32(without.B) ||
		end.Cards == uint32(r.Coup().Cards()) {
		return
	}
	for i := range r.Cards {
		if d := &r.Cards[i]; d.Index > 3 && d.Final == d.Hand && d.Fate == record.Kept {
			d.Final, d.Fate, d.FateAt = baccarat.NoHand, record.DiscardedCard, end.Seq
			r.Recompose()
		}
	}
}

// cutcard notes the cutting card. If it appears in front of the first card of a round it belongs to the round about to
// be dealt, unless the rulebook reads it as the one before.
func (s *Shoe) cutcard(c *turn, p *schema.CutcardSeen) {
	round := s.comingRound(c.round)
	dealing := s.Round != nil && s.Round.No == round && len(s.Round.Cards) > 0
	if !dealing && round > 1 && s.Law != nil && s.Law.Options["cutcard_first_card"] == "belongs_to_previous" {
		round--
	}
	s.Cutcard = append(
		s.Cutcard, record.Sighting{Seq: c.seq, Round: round, AfterCard: p.AfterCardSeq, SetAside: p.SetAside},
	)
}

// collect takes in vigorish collected for what was settled before.
func (t *Table) collect(c *turn, s *Shoe, p *schema.VigorishCollected) {
	if p.VigorishKind != schema.VigorishKindOutstanding {
		amount := p.Amount
		if p.VigorishKind == schema.VigorishKindTie25 {
			if amount = s.CollectTie(p.Seat, amount, p.WagerIDs, c.seq); amount == 0 {
				return
			}
		}
		s.Collect(p.Seat, amount, p.WagerIDs, c.seq)
		return
	}
	for _, r := range [2]*record.Round{s.Settling, s.Round} {
		if r != nil && marksSeat(r, p.Seat, p.WagerIDs) {
			s.Later = append(s.Later, LateCollection{p.Seat, p.Amount, slices.Clone(p.WagerIDs), c.seq})
			return
		}
	}
	t.owing(s, p.Seat).Collect(p.Seat, p.Amount, p.WagerIDs, c.seq)
}

// marksSeat reports whether vigorish was marked in a round for a seat, or for a wager that is named.
func marksSeat(r *record.Round, seat uint32, named []string) bool {
	return record.Any(r.Steps, func(s *record.Step) bool {
		return s.Kind == record.StepVigMarked &&
			(s.Seat == seat || s.Wager >= 0 && slices.Contains(named, r.Wagers[s.Wager].ID))
	})
}
