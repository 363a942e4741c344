package play

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// prepare reaches Prepared at the first card of a shoe: until then a step of its preparation may come.
func (t *Table) prepare(c *turn, s *Shoe) {
	s.Prepared = true
	s.BeginAgain()
	if s.Law == nil || s.Config == nil {
		s.enforce(t)
	}
	if r := s.Round; r != nil && r.Config == nil { // it began before the first configuration
		r.Config, r.ConfigAt = s.Config, s.ConfigAt
	}
	if s.Auditable(nil) {
		t.inherit(s)
	}
	c.reach(Prepared, s, nil)
	if b := t.History.Batch(s.Batch()); b != nil && b.Dealt == 0 {
		b.Dealt = c.seq
	}
}

// changed reaches Changed if the round is the first with cards under its configuration.
func (t *Table) changed(c *turn, s *Shoe, r *record.Round) {
	changes := t.History.Changes
	at := record.Index(changes, func(c *record.ConfigChange) bool { return c.Seq == r.ConfigAt })
	if at < 0 || changes[at].Judged {
		return
	}
	g := &s.Gaps
	changes[at].Used, changes[at].Doubtful = true, s.Missing || s.Joined || g.Prepare || g.Law || g.Elections
	c.reach(Changed, s, nil)
	t.History.Debts = t.History.Debts[:0]
	for i := range changes[:at+1] {
		changes[i].Judged = true
	}
}

// betting reaches Betting for the round in progress, once.
func (t *Table) betting(c *turn, s *Shoe) {
	if !s.Progress.Betting {
		s.Progress.Betting = true
		c.reach(Betting, s, s.Round)
	}
}

// dealt reaches Dealt once the deal is over: a result was called, money moved or the end was recorded. While a card is
// due, or lies in a hand where none was due, only the recorded counts show whether the cards are all that were dealt.
func (t *Table) dealt(c *turn, s *Shoe) {
	p, r := &s.Progress, s.Round
	undealt := len(r.Cards) == 0 && Result(r) == baccarat.Void // no card of it settles the round before
	if p.Dealt || s.Law == nil || undealt {
		return
	}
	if undecided := s.moveUnreported(r); r.Ended.Seq == 0 && (r.Errant || undecided || s.Law.CardsDue(r.Coup()) > 0) {
		return
	}
	p.Dealt = true
	t.reachDealt(c, s, r)
}

// reachDealt reaches Dealt for a round of which no card is to come.
func (t *Table) reachDealt(c *turn, s *Shoe, r *record.Round) {
	if lacksCard(s, r) {
		t.cardLost(c, s, r)
	}
	c.reach(Dealt, s, r)
}

// cardLost notes that a card of a round was not reported: nothing about the round is proved.
func (t *Table) cardLost(c *turn, s *Shoe, r *record.Round) {
	s.CardsLost = true
	if !r.Missing {
		r.Missing = true
		c.reach(CardLost, s, r)
	}
}

// lacksCard reports whether a card of a round was not reported.
func lacksCard(s *Shoe, r *record.Round) bool {
	coup := r.Coup()
	switch {
	case r.Voided.Seq != 0 && r.Ended.Cards > uint32(len(r.Cards)):
		return true
	case r.Voided.Seq == 0 && r.Ended.Cards > uint32(coup.Cards()) && (!coup.Complete || s.Law.CardsDue(coup) > 0):
		return true // the recorded end counts more cards while one is due
	}
	return skipsIndex(r, baccarat.Player) || skipsIndex(r, baccarat.Banker) || skipsNumber(s, r)
}

// skipsIndex reports whether an index of a hand is left out.
func skipsIndex(r *record.Round, h baccarat.Hand) bool {
	index, cards := uint8(0), uint8(0)
	for i := range r.Cards {
		switch d := &r.Cards[i]; {
		case d.Hand == h:
			index, cards = max(index, d.Index), cards+1
		case d.Fate == record.MovedAway && d.Final == h: // moved to the hand
			cards++
		}
	}
	return index > cards
}

// skipsNumber reports whether a number between two cards of a round is left out. What an irregularity takes has numbers
// too, so that the cards before and after it are compared each for themselves. While a card is due and no recorded end
// counts the cards, they are also compared with one another, by the count of what was taken.
func skipsNumber(s *Shoe, r *record.Round) bool {
	var low, high, cards, taken uint32
	acts, due := 0, r.Ended.Seq == 0 && s.Law.CardsDue(r.Coup()) > 0
	counts := due && r.Config != nil && r.Config.Reports(baccarat.FeedBurn)
	skips := func() bool { return cards > 1 && high-low >= cards }
	for i := range r.Cards {
		d := &r.Cards[i]
		if d.Carried || s.IsFaceUp(d.CardSeq) {
			continue
		}
		of, n := s.takenBetween(r.Started, d.Seq)
		if cards > 0 && of != acts {
			if skips() || counts && d.CardSeq > high+n-taken+1 {
				return true
			}
			cards = 0
		}
		if cards == 0 {
			low, high = d.CardSeq, d.CardSeq
		}
		low, high, cards, acts, taken = min(low, d.CardSeq), max(high, d.CardSeq), cards+1, of, n
	}
	return skips()
}

// takenBetween is the number of irregularity burns and cards found face up between two events, and of the cards that
// they took.
func (s *Shoe) takenBetween(from, to record.Seq) (acts int, cards uint32) {
	for i := range s.Burns {
		if b := &s.Burns[i]; !b.Opening && b.Seq > from && b.Seq < to {
			acts, cards = acts+1, cards+b.Count
		}
	}
	for i := range s.FaceUps {
		f := &s.FaceUps[i]
		if f.Seq <= from || f.Seq >= to {
			continue
		}
		if acts++; !f.AmongBurned {
			cards++
		}
	}
	return acts, cards
}

// irregularFrom is the first irregularity burn or card found face up after an event, the highest number if none.
func (s *Shoe) irregularFrom(started record.Seq) record.Seq {
	from := ^record.Seq(0)
	for i := range s.Burns {
		if b := &s.Burns[i]; !b.Opening && b.Seq > started {
			from = min(from, b.Seq)
		}
	}
	for i := range s.FaceUps {
		if f := &s.FaceUps[i]; f.Seq > started {
			from = min(from, f.Seq)
		}
	}
	return from
}

// kept reports whether the recorded counts prove that every card of a round stayed in its hand.
func kept(r *record.Round) bool {
	c := r.Coup()
	counted := !record.Any(r.Cards, func(d *record.DealtCard) bool {
		return d.Index > 2 && (d.Card == baccarat.Unread || d.Card.Value() == 0)
	})
	return counted && r.Ended.MatchesCounts(c)
}

// recorded reaches Recorded: the end of a round was recorded.
func (t *Table) recorded(c *turn, s *Shoe, r *record.Round) {
	if r.Errant {
		r.Missing = r.Missing || !kept(r)
	}
	if r == s.Round {
		t.dealt(c, s)
	}
	c.reach(Recorded, s, r)
}

// finishDealing reaches Dealt for a deal that nothing ended: the next round has begun, or the shoe is over. If a card
// is due, the number of the next card shows whether it was dealt and not reported.
func (t *Table) finishDealing(c *turn, s *Shoe) {
	r := s.Round
	r.Missing = r.Missing || r.Errant && r.Ended.Seq == 0
	if s.Progress.Dealt || len(r.Cards) == 0 || s.Law == nil {
		return
	}
	s.moveUnreported(r)
	if lacksCard(s, r) {
		t.cardLost(c, s, r)
	}
	if r.Voided.Seq != 0 {
		return
	}
	s.Progress.Dealt = true
	if s.AwaitsNumber = !r.Missing && r.Ended.Seq == 0 && s.Law.CardsDue(r.Coup()) > 0; !s.AwaitsNumber {
		c.reach(Dealt, s, r)
	}
}

// nextNumber compares the number of the first card of a round with the number that follows from the cards before it.
// A number that is left out belongs to a card of the round before, unless its recorded end counts its cards. What an
// irregularity takes has numbers too, and is judged by its count.
func (t *Table) nextNumber(c *turn, s *Shoe, p *schema.CardDealt) {
	before, due := s.Settling, s.next()
	if s.Numbered == 0 || s.Law == nil {
		return
	}
	first := p.Hand == schema.HandPlayer && p.Index == 1
	if p.CardSeq > due && first && s.irregularFrom(before.Started) == ^record.Seq(0) &&
		before.Config != nil && before.Config.Reports(baccarat.FeedBurn) {
		missing := before.Missing || before.Ended.Seq == 0
		t.cardLost(c, s, before)
		before.Missing = missing
	}
	if s.AwaitsNumber {
		if p.CardSeq != due {
			before.Missing, s.CardsLost = true, true
		}
		t.lateDealt(c, s, before)
	}
}

// next is the number of the next card of a shoe. Where no card with a number is on record, the cards are counted.
func (s *Shoe) next() uint32 { return s.Numbered + s.Out - s.NumberedOut + 1 }

// lateDealt reaches Dealt for the round before the one in progress.
func (t *Table) lateDealt(c *turn, s *Shoe, r *record.Round) {
	s.AwaitsNumber = false
	c.reach(Dealt, s, r)
}

// collectOwed takes outstanding vigorish of a seat in the shoe to which it is owed.
func (t *Table) collectOwed(s *Shoe, seat uint32, amount int64, named []string, at record.Seq) {
	o := t.owing(s, seat)
	o.collect(seat, amount, t.meant(o, seat, amount, named), at)
}

// collect takes outstanding vigorish of a seat. A sum that names wagers of other seats as well has what is marked of
// each of them: the patron has moved.
func (s *Shoe) collect(seat uint32, amount int64, wagers []string, at record.Seq) {
	here, there := int64(0), int64(0)
	owes := func(d *record.Due) bool { return d.Open() > 0 && slices.Contains(wagers, d.Wager) }
	for i := range s.Dues {
		switch d := &s.Dues[i]; {
		case !owes(d):
		case d.Seat == seat:
			here = baccarat.Add(here, d.Open())
		default:
			there = baccarat.Add(there, d.Open())
		}
	}
	if here == 0 || amount <= there || amount-here <= there/2 { // it is nearer to its own alone
		there = 0
	}
	for i := range s.Dues {
		if d := &s.Dues[i]; there > 0 && d.Seat != seat && owes(d) {
			s.Collect(s.Law, d.Seat, d.Open(), []string{d.Wager}, at)
		}
	}
	s.Collect(s.Law, seat, amount-there, wagers, at)
}

// dealtBehind reports whether the first card of a round came after the next round began: its deal ended when there was
// no card of it, and Dealt was not reached.
func (s *Shoe) dealtBehind(r *record.Round) bool {
	next := s.Round
	return next != nil && next != r && r.Voided.Seq == 0 && s.Law != nil && r.FirstCard() > next.Started
}

// settle enters a round into its shoe and reaches Settled.
func (t *Table) settle(c *turn, s *Shoe, which **record.Round) {
	r := *which
	if r == nil {
		return
	}
	*which = nil
	if s.AwaitsNumber { // no card came after it
		r.Missing, s.CardsLost = true, true
		t.lateDealt(c, s, r)
	}
	if s.dealtBehind(r) {
		t.reachDealt(c, s, r)
	}
	l := s.LawOf(r)
	rules.RefuseChanges(l, r)
	rules.PlaceMotions(l, r)
	rules.GiveBack(l, r)
	rules.PlaceMarks(l, &s.Shoe, r)
	for _, late := range s.Later {
		s.Await(late.Seat, late.Seq)
	}
	s.Enter(l, r, rules.Settling(l, r), rules.SettledByCards(l, r))
	if Result(r) == baccarat.Void {
		ground, last := rules.GroundOf(l, &s.Shoe, r), &s.Rounds[len(s.Rounds)-1]
		last.Short = ground == rules.ShortOfCards
		last.MaybeShort = ground == rules.GroundUnknown && r.Voided.Insufficient
	}
	if l != nil {
		s.Rounds[len(s.Rounds)-1].Irregular = rules.IrregularDeal(l, r)
	}
	for _, late := range s.Later {
		t.collectOwed(s, late.Seat, late.Amount, late.Wagers, late.Seq)
	}
	for i := range s.Dues {
		// What was collected so far came before the next first card.
		if d := &s.Dues[i]; d.Round == r.No && d.Tie && d.CollectedAt != 0 {
			d.AtOnce = true
		}
	}
	s.Later = s.Later[:0]
	if s.NextShuffled != 0 {
		s.OweLate(r.No)
	}
	s.Entered()
	c.reach(Settled, s, r)
	for i := range r.Cards {
		if d := &r.Cards[i]; d.Fate == record.CarriedOver {
			s.Kept = keptOf(r, d.CardSeq)
		}
	}
	s.enterBank(r)
	t.rounds = append(t.rounds, r)
}

// enterBank keeps what later rounds of chemin de fer look back on.
func (s *Shoe) enterBank(r *record.Round) {
	if r.Bank == 0 || r.Wagers[r.Bank-1].Gone && len(r.Cards) == 0 {
		return // he withdrew it, and dealt no card: it is no wager of his
	}
	w := &r.Wagers[r.Bank-1]
	s.Bank = append(s.Bank, record.BankRound{
		No: r.No, Banker: w.Seat, Amount: w.Amount, Result: Result(r), Against: r.Against(),
		Changed: r.BankChanged() || r.ShortBanco(), Patron: w.Patron, Begins: r.Replaced.Taken != 0,
		Equaled: r.EqualedBy(),
		Unreported: r.Missing || r.TwoBanks() || w.Unread() ||
			record.Any(r.Steps, func(s *record.Step) bool { return s.Unplaced() }),
	})
}

// closeShoe reaches Closed.
func (t *Table) closeShoe(c *turn, s *Shoe) {
	if s.Closed {
		return
	}
	s.Closed = true
	t.bequeath(s)
	c.reach(Closed, s, nil)
}
