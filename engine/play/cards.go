package play

import (
	"cmp"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// foldDeal takes in cards that are dealt and moved; false for other events.
func (t *Table) foldDeal(c *turn, s *Shoe, r *record.Round) bool {
	switch p := t.now.Payload.(type) {
	case *schema.DealInstructed:
		r.Instructions = append(r.Instructions, instructionOf(c.seq, p))
	case *schema.CardDealt:
		t.deal(c, s, r, p)
	case *schema.CardRevealed:
		reveal(r, p.CardSeq, c.seq, baccarat.Role(p.ByRole))
	case *schema.CardMoved:
		if by := baccarat.Role(t.now.Actor.Role); by == baccarat.RolePatron || by == baccarat.RoleSpectator {
			r.Touches = append(r.Touches, record.Touched{Seq: c.seq, Role: by})
		}
		if moveCard(c, r, p); r.Card(p.CardSeq) == nil {
			t.cardLost(c, s, r)
		}
	case *schema.CardCarriedOver:
		t.carry(c, s, p.CardSeq)
	case *schema.CardTouched:
		touch(c, r, p)
	default:
		return false
	}
	return true
}

func instructionOf(seq record.Seq, p *schema.DealInstructed) record.Instructed {
	return record.Instructed{Seq: seq, Hand: baccarat.Hand(p.Hand), Draw: p.Instruction == schema.InstructionDraw}
}

func touch(c *turn, r *record.Round, p *schema.CardTouched) {
	r.Touches = append(r.Touches, record.Touched{
		Seq: c.seq, Role: baccarat.Role(p.ByRole), Seat: p.Seat, PermittedBy: baccarat.Role(p.PermittedBy),
	})
}

// touchBetween enters a card that was touched outside of a round into the round before, which is not settled yet.
func (t *Table) touchBetween(c *turn, s *Shoe, p *schema.CardTouched) {
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r != nil && len(r.Cards) > 0 {
			if r.Full == 0 {
				touch(c, r, p)
				t.fills(c, s, r)
			}
			return
		}
	}
}

func (t *Table) deal(c *turn, s *Shoe, r *record.Round, p *schema.CardDealt) {
	card := readCard(p.Card)
	s.carryUnannounced(c, r, p.CardSeq, card)
	carried := r.Carried != 0 && p.CardSeq == r.Carried
	if p.CardSeq < s.Numbered && s.startsOver(r, p.CardSeq) {
		s.CardsLost = true // the numbers do not show how many cards are out
	}
	if before := r.Card(p.CardSeq); before != nil && p.CardSeq != 0 {
		if before.Hand != baccarat.Hand(p.Hand) || p.Index != 0 && uint32(before.Index) != p.Index || before.Card != card {
			t.disputeCard(c, s, r, before)
		}
		return // published before, under another event id
	}
	r.Errant = r.Errant || s.Law != nil && r.Config != nil && !r.Config.Reports(baccarat.FeedBurn) &&
		s.Law.Excess(r.Coup(), baccarat.Hand(p.Hand))
	if r == s.Round && !carried {
		if r.FirstCard() == 0 {
			r.Replaced = t.replaced(s, r, p)
		}
		if s.Settling != nil {
			t.nextNumber(c, s, p)
			s.Settling.NextBy = record.Drawn{
				Role: baccarat.Role(p.ByRole), Seat: p.BySeat, Curator: t.holder(), Replaced: r.Replaced,
			}
		}
		t.firstCard(c, s, r)
	}
	r.Cards = append(r.Cards, record.DealtCard{
		Seq: c.seq, CardSeq: p.CardSeq, BySeat: p.BySeat, Hand: baccarat.Hand(p.Hand), Final: baccarat.Hand(p.Hand),
		Index: indexOf(r, p), Card: card, Face: baccarat.Face(p.Face), Place: baccarat.Place(p.PlacedAt),
		LeftHand: p.DrawingHand == schema.DealerHandLeft, Handed: p.DrawingHand != schema.DealerHandUnspecified,
		ByRole: baccarat.Role(p.ByRole), Reported: p.ReportedValue, HasReported: p.HasReportedValue,
		Back: p.BackColor, Design: p.BackDesign, Carried: carried, Curator: t.drawsFor(r, p),
	})
	r.Recompose()
	if r.Cards[len(r.Cards)-1].Index > 2 {
		s.placeThirds(r)
		s.beyondDue(r)
	}
	r.Curator = t.holder()
	t.DealtBy = cmp.Or(p.BySeat, r.Curator)
	if carried {
		t.usedAs(c, s, r)
		return
	}
	// A card found face up has left the shoe already, also if it is dealt nevertheless.
	if !s.IsFaceUp(p.CardSeq) {
		s.takeOut(c, card)
	}
	s.LastCard, s.Numbered, s.NumberedOut = c.seq, max(s.Numbered, p.CardSeq), s.Out
	r.Left = s.left()
}

// startsOver reports whether the first card of a round has a number that the shoe has used.
func (s *Shoe) startsOver(r *record.Round, number uint32) bool {
	return len(r.Cards) == 0 && number <= s.Numbered && number != r.Carried && !s.IsFaceUp(number)
}

// placeThirds gives two third cards that were reported under one hand to the two hands, the first one to the player's,
// if the rules call for both: feed.inconsistent has the event that named the other hand. N.J.A.C. 19:47-3.8(c), (d).
func (s *Shoe) placeThirds(r *record.Round) {
	if s.Law == nil || r.Missing || len(r.Cards) != 6 || r.Config == nil || r.Config.Game == baccarat.CheminDeFer {
		return
	}
	first, second := &r.Cards[4], &r.Cards[5]
	third := func(d *record.DealtCard) bool { return d.Index == 3 && d.Fate == record.Kept && d.Final == d.Hand }
	if first.Hand != second.Hand || !third(first) || !third(second) {
		return
	}
	was := first.Hand
	first.Hand, first.Final, second.Hand, second.Final = baccarat.Player, baccarat.Player, baccarat.Banker, baccarat.Banker
	r.Recompose()
	if c := r.Coup(); c.NP != 3 || c.NB != 3 || s.excess(r) {
		first.Hand, first.Final, second.Hand, second.Final = was, was, was, was
		r.Recompose()
	}
}

// usedAs compares a card that was kept for the round with what it was when it was drawn. A card that was not read then
// counts as what it is now. If it was another card, it is not known which of the two is true.
func (t *Table) usedAs(c *turn, s *Shoe, r *record.Round) {
	d := &r.Cards[len(r.Cards)-1]
	kept := s.Kept
	if s.Settling != nil {
		if now := keptOf(s.Settling, d.CardSeq); now != nil {
			kept = now
		}
	}
	switch {
	case d.Card == baccarat.Unread || kept == nil || kept.Number != d.CardSeq:
	case kept.Misread:
		s.Seen[d.Card]++
	case kept.Card == baccarat.Unread:
		s.recount(baccarat.Unread, d.Card)
	case kept.Card != d.Card:
		s.recount(kept.Card, baccarat.Unread)
		d.Card = baccarat.Unread
		r.Recompose()
		t.dispute(c, s, r)
	}
}

// indexOf is the index of a card in its hand: as reported, otherwise the next one.
func indexOf(r *record.Round, p *schema.CardDealt) uint8 {
	if p.Index != 0 {
		return uint8(min(p.Index, 255))
	}
	index := uint8(1)
	for i := range r.Cards {
		if d := &r.Cards[i]; d.Placed() == baccarat.Hand(p.Hand) {
			index = max(index, d.Index+1)
		}
	}
	return index
}

// beyondDue takes a third card, or one beyond it, out of its hand as it is dealt: if the burn for it was reported
// before it, or if it was drawn after the round.
func (s *Shoe) beyondDue(r *record.Round) {
	d := &r.Cards[len(r.Cards)-1]
	switch at := s.burnedBefore(r.No, d.CardSeq, d.Card); {
	case at >= 0:
		b := &s.Burns[at]
		d.Final, d.Fate, d.FateAt, d.Burn = baccarat.NoHand, record.Burned, d.Seq, at
		b.Idle, b.First = false, b.First+1
	case r.Ended.Seq != 0:
		s.setAside(r)
	}
}

// burnedBefore is the burn in a round that no card on record required, and that named a card with this number, -1 if
// there is none: it was reported before the card.
func (s *Shoe) burnedBefore(round, number uint32, card baccarat.Card) int {
	return record.Index(s.Burns, func(b *record.Burn) bool {
		return b.Idle && b.Round == round && b.Indicator == card && b.First == number
	})
}

// setAside takes a card that is not due out of its hand if the recorded end of the round does not count it. It is put
// away then, whether a discard of its own follows or one with the other cards of the round.
func (s *Shoe) setAside(r *record.Round) {
	s.putBack(r)
	setBeyondAside(r)
	s.setThirdAside(r)
}

// putBack puts a third card that a burn named back into its hand if the recorded end of the round counts it, and the
// rules call for it: the burn was of another card.
func (s *Shoe) putBack(r *record.Round) {
	if r.Ended.Seq == 0 {
		return
	}
	for i := range r.Cards {
		d := &r.Cards[i]
		if d.Fate != record.Burned {
			continue
		}
		d.Final = d.Hand
		if r.Recompose(); s.counted(r) {
			d.Fate, d.FateAt, s.Burns[d.Burn].Idle = record.Kept, 0, true
			return
		}
		d.Final = baccarat.NoHand
		r.Recompose()
	}
}

// counted reports whether the recorded end of a round counts each card of its hands, and the rules call for each: a
// burn that follows takes none of them.
func (s *Shoe) counted(r *record.Round) bool {
	c := r.Coup()
	return c.Complete && int(r.Ended.Cards) == c.Cards() && r.Ended.MatchesCounts(c) && !s.excess(r)
}

// setBeyondAside takes the cards beyond the third out of their hands.
func setBeyondAside(r *record.Round) {
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

// setThirdAside takes a third card that is not due out of its hand if the recorded end has the number of cards and the
// counts without it, and no call has another count. Of a card that was dealt after the end the counts suffice.
func (s *Shoe) setThirdAside(r *record.Round) {
	end := &r.Ended
	if end.Uncounted() && end.Cards == 0 || end.Cards == uint32(r.Coup().Cards()) ||
		!s.cites("irreg.excess.disclosed-burn", r) ||
		record.Any(r.Cards, func(d *record.DealtCard) bool { return d.Index > 3 && d.Final != baccarat.NoHand }) {
		return
	}
	for i := range slices.Backward(r.Cards) {
		d := &r.Cards[i]
		if d.Index != 3 || d.Fate != record.Kept || end.Cards == 0 && d.Seq < end.Seq {
			continue
		}
		d.Final = baccarat.NoHand
		r.Recompose()
		c := r.Coup()
		if c.Complete && (end.Cards == 0 || end.Cards == uint32(c.Cards())) && end.MatchesCounts(c) &&
			s.Law.CardsDue(c) == 0 && !record.Any(r.Calls, func(call *record.Call) bool { return contradicts(call, c) }) {
			d.Fate, d.FateAt = record.DiscardedCard, max(end.Seq, d.Seq)
			return
		}
		d.Final = d.Hand
		r.Recompose()
	}
}

// disputeCard notes that two events give a card of one number another hand or another rank: it counts as not read.
func (t *Table) disputeCard(c *turn, s *Shoe, r *record.Round, d *record.DealtCard) {
	if d.Card != baccarat.Unread {
		s.recount(d.Card, baccarat.Unread)
		d.Card = baccarat.Unread
		r.Recompose()
	}
	t.dispute(c, s, r)
}

// dispute notes that an event has another content than an earlier one about the same card or wager of a round, or about
// the shoe if r is nil. Which of the two is true is not known, so that nothing about it is proved.
func (t *Table) dispute(c *turn, s *Shoe, r *record.Round) {
	if r == nil {
		s.Missing = true
	} else {
		r.Missing = true
	}
	c.reach(Disputed, s, r)
}

// firstCard reaches the stages that the first card of a round from the shoe begins.
func (t *Table) firstCard(c *turn, s *Shoe, r *record.Round) {
	if t.Prev != nil && s == t.Shoe {
		if !t.Prev.Closed {
			t.Prev.NextCard = c.seq
		}
		t.closePrev(c)
	}
	if !s.Prepared {
		t.prepare(c, s)
	}
	if s.Settling != nil {
		s.Settling.Next = c.seq
		t.settle(c, s, &s.Settling)
	}
	t.changed(c, s, r)
	if r.FirstCard() == 0 {
		r.Before = len(s.Order)
	}
	t.betting(c, s)
}

// readCard parses a card; a card that was not read is Unread.
func readCard(text string) baccarat.Card {
	card, err := baccarat.ParseCard(text)
	if err != nil {
		return baccarat.Unread
	}
	return card
}

// takeOut takes a card out of the shoe.
func (s *Shoe) takeOut(c *turn, card baccarat.Card) {
	s.Out++
	s.Seen[card]++
	if len(s.Order) < 52*64 {
		s.Order, s.OrderAt = append(s.Order, card), append(s.OrderAt, c.seq)
	}
}

// reveal turns a card. It is turned once: a later report repeats the first.
func reveal(r *record.Round, cardSeq uint32, seq record.Seq, by baccarat.Role) {
	for i := range r.Cards {
		if d := &r.Cards[i]; d.CardSeq == cardSeq && d.Revealed == 0 {
			d.Revealed, d.RevealedBy = seq, by
		}
	}
}

func moveCard(c *turn, r *record.Round, p *schema.CardMoved) {
	m := record.Move{Seq: c.seq, CardSeq: p.CardSeq, To: record.MovePlace(p.To)}
	r.Moves = append(r.Moves, m)
	to := m.Hand()
	for i := range r.Cards {
		if d := &r.Cards[i]; d.CardSeq == p.CardSeq && to != baccarat.NoHand && d.Final != to {
			d.Final, d.Fate, d.FateAt = to, record.MovedAway, c.seq
			r.Recompose()
		}
	}
}

// foldSqueeze takes in cards handed to patrons and put away; false for other events.
func (t *Table) foldSqueeze(c *turn, s *Shoe, r *record.Round) bool {
	squeeze := record.Squeeze{Seq: c.seq}
	switch p := t.now.Payload.(type) {
	case *schema.CardsHanded:
		squeeze.Kind, squeeze.Hand, squeeze.Seat = record.SqueezeHanded, baccarat.Hand(p.Hand), p.Seat
		squeeze.Cards, squeeze.Face = p.CardSeqs, baccarat.Face(p.Face)
		readHand(r, &squeeze)
	case *schema.CardsReturned:
		squeeze.Kind, squeeze.Hand, squeeze.Seat = record.SqueezeReturned, baccarat.Hand(p.Hand), p.Seat
		squeeze.Cards, squeeze.Face = p.CardSeqs, baccarat.Face(p.Face)
		readHand(r, &squeeze)
		if by := baccarat.Role(t.now.Actor.Role); by == baccarat.RoleSpectator {
			squeeze.By = by
		}
		if p.Face == schema.FaceUp {
			for _, card := range squeeze.Cards {
				reveal(r, card, c.seq, baccarat.RolePatron)
			}
		}
	case *schema.SqueezeOffered:
		squeeze.Kind, squeeze.Hand, squeeze.Seat = record.SqueezeOffered, baccarat.Hand(p.Hand), p.Seat
		squeeze.Accepted = p.Accepted
		t.History.SqueezeOffers = true
	case *schema.SqueezeRelinquished:
		squeeze.Kind, squeeze.Hand, squeeze.Seat = record.SqueezeRelinquished, baccarat.Hand(p.Hand), p.Seat
		squeeze.Cause, squeeze.Ground, squeeze.By = record.PassCause(p.Cause), p.Ground, baccarat.Role(p.OrderedByRole)
	case *schema.DiscardPlaced:
		if record.ToRack(p.Destination) {
			t.rack(s, c.seq)
		}
		d := r.NewDiscard()
		*d = record.Discarded{
			Seq: c.seq, Cards: append(d.Cards[:0], firstOf(p.CardSeqs)...), Destination: p.Destination,
			InOrder: p.OrderPreserved,
		}
		discard(r, p.CardSeqs, c.seq)
		return true
	default:
		return false // an event of the shoe that carries the number of the round
	}
	if handedAlready(r, &squeeze) {
		return true
	}
	step := r.NewSqueeze()
	squeeze.Cards, squeeze.Occupied = append(step.Cards[:0], firstOf(squeeze.Cards)...), t.History.Occupied
	*step = squeeze
	return true
}

// handOf is the hand of which cards are handed out or returned, and whether the numbers are of its cards: as reported,
// or the other one, if the cards that are named are of that hand, and the patron had it before, or they are two and the
// reported hand is not due to the patron. feed.inconsistent has the event.
func handOf(r *record.Round, s *record.Squeeze) (hand baccarat.Hand, named bool) {
	other := s.Hand.Other()
	handed := func(h baccarat.Hand, seat uint32) bool {
		return record.Any(r.Squeezes, func(b *record.Squeeze) bool {
			return b.Kind == record.SqueezeHanded && b.Hand == h && (b.Seat == seat || seat == 0)
		})
	}
	for _, number := range s.Cards {
		if d := r.Card(number); d == nil || d.Hand != other || d.Final != other {
			return s.Hand, true
		}
	}
	had, hadOther := handed(s.Hand, s.Seat), handed(other, s.Seat)
	switch {
	case len(s.Cards) == 0, len(s.Cards) == 1 && (had || !hadOther):
		return s.Hand, true
	case had && !hadOther, s.Kind == record.SqueezeHanded && wagersOn(r, s.Seat, s.Hand) && !wagersOn(r, s.Seat, other) &&
		!handed(s.Hand, 0) && handed(baccarat.Player, 0) == (s.Hand == baccarat.Banker):
		return s.Hand, false
	}
	return other, true
}

// wagersOn reports whether a seat has a wager on a hand.
func wagersOn(r *record.Round, seat uint32, h baccarat.Hand) bool {
	spot := baccarat.SpotPlayer
	if h == baccarat.Banker {
		spot = baccarat.SpotBanker
	}
	return record.Any(r.Wagers, func(w *record.Wager) bool { return w.Seat == seat && w.Spot == spot })
}

// readHand gives cards that are handed out or returned their hand, without the numbers if these are of the other one.
func readHand(r *record.Round, s *record.Squeeze) {
	hand, named := handOf(r, s)
	if s.Hand = hand; !named {
		s.Cards = nil
	}
}

// handedAlready reports whether a hand-out repeats the one before: the cards are still with that patron, or came back
// face up, so that they cannot be handed out face down.
func handedAlready(r *record.Round, s *record.Squeeze) bool {
	for _, before := range slices.Backward(r.Squeezes) {
		seen := before.Kind == record.SqueezeReturned && before.Face == baccarat.FaceUp && s.Face == baccarat.FaceDown &&
			before.Seat == s.Seat && len(s.Cards) > 0 && slices.Equal(before.Cards, s.Cards)
		if before.Hand == s.Hand && !seen {
			return s.Kind == record.SqueezeHanded && before.Kind == s.Kind && before.Seat == s.Seat &&
				before.Face == s.Face && slices.Equal(before.Cards, s.Cards)
		}
	}
	return false
}

// discard takes cards beyond those due out of their hands if they are put away before the end of the round; the cards
// of the round itself are put away after it.
func discard(r *record.Round, cards []uint32, seq record.Seq) {
	for i := range r.Cards {
		d := &r.Cards[i]
		if slices.Contains(cards, d.CardSeq) && (d.Index <= 2 || (d.Index == 3 && r.Ended.Seq != 0)) {
			return
		}
	}
	for i := range r.Cards {
		d := &r.Cards[i]
		if slices.Contains(cards, d.CardSeq) {
			d.Final, d.Fate, d.FateAt = baccarat.NoHand, record.DiscardedCard, seq
			r.Recompose()
		}
	}
}

// recount counts a card as another one, unless it was not counted: a card found face up counts as what it was then, and
// may be dealt as another.
func (s *Shoe) recount(from, to baccarat.Card) {
	if s.Seen[from] > 0 {
		s.Seen[from]--
		s.Seen[to]++
	}
}
