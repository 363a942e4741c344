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
	if p.CardSeq != 0 && s.IsFaceUp(p.CardSeq) || s.foundLast(p, card) {
		return // published before, under another event id
	}
	round, burn := s.comingRound(c.round), -1
	if at := s.burnedBefore(round, p.CardSeq, card); at >= 0 { // the burn that answers it was reported before it
		b := &s.Burns[at]
		burn, b.Idle, b.First = at, false, b.First+1
	}
	burned := record.Any(s.Burns, func(b *record.Burn) bool {
		further := b.First
		if b.Opening && !b.Part { // its first card is the indicator, which the burn takes as well
			further++
		}
		return p.CardSeq >= b.First && p.CardSeq < further+b.Count
	})
	s.FaceUps = append(s.FaceUps, record.FoundFaceUp{
		Seq: c.seq, CardSeq: p.CardSeq, Card: card, Destination: p.Destination, AmongBurned: burned, Burn: burn,
		Round: round,
	})
	if !burned && !s.dealtAlready(p.CardSeq) {
		s.takeOut(c, card)
	}
}

// foundLast reports whether a card found face up, without a number, is the one that was found last and waits for its
// burn.
func (s *Shoe) foundLast(p *schema.CardFoundFaceup, card baccarat.Card) bool {
	k := len(s.FaceUps)
	if p.CardSeq != 0 || k == 0 {
		return false
	}
	last := &s.FaceUps[k-1]
	return last.CardSeq == 0 && last.Card == card && last.Destination == p.Destination && last.Burn < 0
}

// dealtAlready reports whether a card was dealt into an open round: it has left the shoe.
func (s *Shoe) dealtAlready(number uint32) bool {
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r != nil && number != 0 && r.Card(number) != nil {
			return true
		}
	}
	return false
}

func (t *Table) burn(c *turn, s *Shoe, p *schema.ShoeBurned) {
	opening := p.Reason == schema.BurnReasonOpening
	indicator := readCard(p.Indicator)
	b := record.Burn{
		Seq: c.seq, Opening: opening, Indicator: indicator, First: s.next(), Count: p.Count, Cards: len(p.Cards),
		Shown: baccarat.Shown(p.Shown), Destination: baccarat.Destination(p.Destination),
		Discarded: record.BurnDiscarded(p.Discarded), AfterCard: s.Prepared,
		AllRead: !slices.Contains(p.Cards, "??"), Round: s.comingRound(0),
	}
	s.Burns = append(s.Burns, b)
	if b.Destination == baccarat.Rack {
		t.rack(s, c.seq)
	}
	switch {
	case !opening:
		s.answer(len(s.Burns)-1, indicator)
	case !s.completesParts(len(s.Burns)-1) && !s.continues(len(s.Burns)-1):
		s.takeOut(c, indicator)
	}
	for i := range min(p.Count, 52*8) {
		card := baccarat.Unread
		if int(i) < len(p.Cards) {
			card = readCard(p.Cards[i])
		}
		s.takeOut(c, card)
	}
}

// continues reports whether an opening burn is of further cards with the first card of the one before it, and joins
// the two: that one took too few, and this one names its first card again, or none and as many cards as are left. A
// burn that takes as many with a first card of its own has one.
func (s *Shoe) continues(burn int) bool {
	b, first := &s.Burns[burn], burn-1
	for ; first >= 0 && s.Burns[first].Part; first-- {
	}
	if first < 0 || b.AfterCard || !s.Burns[first].Opening || s.Burns[first].Seq < s.Prep.LastRecut() {
		return false
	}
	f := &s.Burns[first]
	left := f.Indicator.BurnValue() - f.Further()
	again := b.Indicator == f.Indicator && int(b.Count) <= left && int(b.Count)+1 != left
	if f.Indicator == baccarat.Unread || left <= 0 || !again && !(b.Indicator == baccarat.Unread && int(b.Count) == left) {
		return false
	}
	s.joinOpening(first, burn)
	return true
}

// completesParts reports whether an opening burn and those before it are together the further cards which the first one
// lacks, and joins them: each names its first card again, or none, and took none of its own.
func (s *Shoe) completesParts(burn int) bool {
	sum, first := int(s.Burns[burn].Count), burn-1
	for ; first > 0 && s.Burns[first].Opening && sum <= 10; first-- {
		f := &s.Burns[first-1]
		if sum += int(s.Burns[first].Count); f.Opening && f.Indicator.BurnValue()-f.Further() == sum {
			break
		}
	}
	f := &s.Burns[max(first-1, 0)]
	if first < 1 || !f.Opening || f.Part || f.Indicator == baccarat.Unread || f.Seq < s.Prep.LastRecut() ||
		f.Indicator.BurnValue()-f.Further() != sum {
		return false
	}
	for i := first; i <= burn; i++ {
		u := &s.Burns[i]
		if u.AfterCard || u.Part || u.Indicator != f.Indicator && u.Indicator != baccarat.Unread {
			return false
		}
	}
	for i := first; i <= burn; i++ {
		u := &s.Burns[i]
		u.First -= uint32(i - first) // the first cards of the burns between did not leave the shoe
		if i < burn {
			s.stayed(int(u.First)-1, u.Indicator)
		}
		s.joinOpening(first-1, i)
	}
	return true
}

// stayed takes back that a card left the shoe.
func (s *Shoe) stayed(at int, card baccarat.Card) {
	if at < len(s.Order) {
		s.Order, s.OrderAt = slices.Delete(s.Order, at, at+1), slices.Delete(s.OrderAt, at, at+1)
	}
	s.Out--
	s.Seen[card]--
}

// joinOpening joins an opening burn to the burn that it continues.
func (s *Shoe) joinOpening(first, burn int) {
	f, b := &s.Burns[first], &s.Burns[burn]
	f.More, b.Part = f.More+b.Count, true
	switch {
	case b.Count > 0 && b.Cards == 0 || f.Cards == 0 && f.Further() > int(b.Count):
		f.Cards = 0
	default:
		f.Cards += b.Cards
	}
	switch {
	case f.Shown != baccarat.ShownAll || b.Shown == baccarat.ShownAll:
	case b.Shown == baccarat.NoShown:
		f.Shown = baccarat.NoShown
	default:
		f.Shown = baccarat.ShownFirst
	}
	if s.Law != nil && f.Destination == s.Law.BurnTo {
		f.Destination = b.Destination
	}
	if f.Discarded != record.DiscardedBeforeShown && b.Discarded != f.Discarded {
		f.Discarded = b.Discarded
	}
}

// answer links a burn for an irregularity to what it answers: cards found face up that no burn answers yet, or the card
// beyond those due that it names, which leaves its hand.
func (s *Shoe) answer(burn int, indicator baccarat.Card) {
	if s.answersFound(burn, indicator) {
		return
	}
	first := s.begun(burn)
	if first >= 0 && s.Burns[first].Further() < s.owedBy(first) {
		s.join(first, burn)
		return
	}
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r == nil {
			continue
		}
		d, certain := burnable(r, indicator, s.counted(r))
		switch {
		case d == nil, d.Fate == record.Kept && !r.Names(indicator, d) && !s.excess(r):
			continue
		case first >= 0 && !(certain && r.Names(indicator, d)) && !s.repeats(burn):
			s.join(first, burn) // more than were due
			return
		}
		d.Final, d.Fate, d.FateAt, d.Burn = baccarat.NoHand, record.Burned, s.Burns[burn].Seq, burn
		r.Missing = r.Missing || !certain
		r.Recompose()
		return
	}
	switch {
	case s.repeats(burn):
	case first >= 0:
		s.join(first, burn)
	default:
		s.Burns[burn].Idle = true
	}
}

// reopen takes back what an earlier recorded end of the round, which the present one corrects, decided about its cards:
// a card that it counted, against the burn that named it, and a card that it did not count, which counted as put away.
func (s *Shoe) reopen(r *record.Round, end record.Seq) {
	for i := range r.Cards {
		d := &r.Cards[i]
		if away := d.Fate == record.DiscardedCard && d.FateAt == max(end, d.Seq); away && !discarded(r, d) {
			d.Final, d.Fate, d.FateAt = d.Hand, record.Kept, 0
			r.Recompose()
		}
	}
	for i := range s.Burns {
		if b := &s.Burns[i]; b.Idle && b.Round == r.No && b.Seq > r.Started && b.Seq < end {
			b.Idle = false
			s.answer(i, b.Indicator)
		}
	}
}

// discarded reports whether a card was put away.
func discarded(r *record.Round, d *record.DealtCard) bool {
	return record.Any(r.Discards, func(p *record.Discarded) bool { return slices.Contains(p.Cards, d.CardSeq) })
}

// answersFound links a burn to the cards found face up that it answers. A card that a burn took out of the shoe
// requires one only under faceup_recursive, and a burn of another card that lies in a hand is not for cards found
// before.
func (s *Shoe) answersFound(burn int, indicator baccarat.Card) (answers bool) {
	b := &s.Burns[burn]
	names, recursive := false, s.Law != nil && s.Law.Options["faceup_recursive"] == "true"
	open := func(f *record.FoundFaceUp) bool {
		return f.Burn < 0 && s.before(b.Round) <= f.Round && (!f.AmongBurned || recursive || f.Card == indicator)
	}
	for i := range s.FaceUps {
		names = names || open(&s.FaceUps[i]) && s.FaceUps[i].Card == indicator
	}
	if !names && s.inHand(indicator) {
		return false
	}
	for i := range s.FaceUps {
		if f := &s.FaceUps[i]; open(f) {
			f.Burn, answers = burn, true
		}
	}
	return answers
}

// inHand reports whether a card that was read is a third card, or one beyond it, of a round that has one too many.
func (s *Shoe) inHand(card baccarat.Card) bool {
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r == nil || card == baccarat.Unread {
			continue
		}
		if d, certain := burnable(r, card, !s.excess(r)); d != nil && certain && r.Names(card, d) {
			return true
		}
	}
	return false
}

// begun is the burn that another one continues, -1 if that is a burn of its own: both are of one card, or of cards
// found face up together, and come in one round, or no card came between them.
func (s *Shoe) begun(burn int) int {
	b := &s.Burns[burn]
	if b.Indicator == baccarat.Unread {
		return -1
	}
	for first := burn - 1; first >= 0; first-- {
		f, part := &s.Burns[first], &s.Burns[first+1]
		if f.Opening || f.Round != part.Round && f.First+f.Count != part.First {
			return -1
		}
		of := func(u *record.FoundFaceUp) bool { return u.Burn == first && u.Card == b.Indicator }
		if !f.Part && (f.Indicator == b.Indicator || record.Any(s.FaceUps, of)) {
			return first
		}
	}
	return -1
}

// owedBy is how many further cards a burn has to take: with the card that it names, or with the cards found face up
// that it answers.
func (s *Shoe) owedBy(burn int) int {
	found, sum := false, 0
	for i := range s.FaceUps {
		if f := &s.FaceUps[i]; f.Burn == burn && !f.AmongBurned {
			found, sum = true, sum+f.Card.BurnValue()
		}
	}
	if found {
		return sum
	}
	return s.Burns[burn].Indicator.BurnValue()
}

// join adds the cards of a burn to the burn that it continues, with what is wrong with it.
func (s *Shoe) join(first, burn int) {
	f, b := &s.Burns[first], &s.Burns[burn]
	f.More, b.Part = f.More+b.Count, true
	if f.Shown == baccarat.ShownAll {
		f.Shown = b.Shown
	}
	right := f.Destination == baccarat.Bucket || s.Law != nil && f.Destination == s.Law.BurnTo
	if right && b.Destination != baccarat.Bucket {
		f.Destination = b.Destination
	}
}

// repeats reports whether a burn may be one before it, reported again.
func (s *Shoe) repeats(burn int) bool {
	b := &s.Burns[burn]
	return slices.ContainsFunc(s.Burns[:burn], func(f record.Burn) bool {
		return !f.Opening && f.Round == b.Round && f.Indicator == b.Indicator && f.Count == b.Count
	})
}

// burnable is the latest card of a round that a burn with this indicator takes, nil if none. If one of the two was not
// read it is any third card, and certain only if there is exactly one. If none agrees with the indicator, one of the
// two was misread: it is the latest third card, and never certain. Of hands that are lawful it takes none.
func burnable(r *record.Round, indicator baccarat.Card, lawful bool) (card *record.DealtCard, certain bool) {
	var candidates []*record.DealtCard
	var misread *record.DealtCard
	for i := range slices.Backward(r.Cards) {
		d := &r.Cards[i]
		switch {
		case d.Fate != record.Kept && !setAside(r, d) || d.Index <= 2 && d.Final != baccarat.NoHand,
			lawful && d.Fate == record.Kept:
		case r.Names(indicator, d):
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

// cutcard notes the cutting card. If it appears in front of the first card of a round it belongs to the round about to
// be dealt, unless the rulebook reads it as the one before.
func (s *Shoe) cutcard(c *turn, p *schema.CutcardSeen) {
	round := s.comingRound(c.round)
	dealing := s.Round != nil && s.Round.No == round && len(s.Round.Cards) > 0
	if !dealing && round > 1 && s.Law != nil && s.Law.Options["cutcard_first_card"] == "belongs_to_previous" {
		round = s.before(round)
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
		s.collect(p.Seat, amount, p.WagerIDs, c.seq)
		return
	}
	for _, r := range [2]*record.Round{s.Settling, s.Round} {
		if r != nil && marksSeat(r, p.Seat, p.WagerIDs) {
			s.Later = append(s.Later, LateCollection{p.Seat, p.Amount, slices.Clone(firstOf(p.WagerIDs)), c.seq})
			return
		}
	}
	t.collectOwed(s, p.Seat, p.Amount, p.WagerIDs, c.seq)
}

// marksSeat reports whether vigorish was marked in a round for a seat, or for a wager that is named.
func marksSeat(r *record.Round, seat uint32, named []string) bool {
	return record.Any(r.Steps, func(s *record.Step) bool {
		return s.Kind == record.StepVigMarked &&
			(s.Seat == seat || s.Wager >= 0 && slices.Contains(named, r.Wagers[s.Wager].ID))
	})
}
