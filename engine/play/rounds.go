package play

import (
	"cmp"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// foldRound takes in what happens in a round. It is false if the round is settled already: then the event is for the
// ledger of the shoe.
func (t *Table) foldRound(c *turn, s *Shoe) bool {
	if p, ok := t.now.Payload.(*schema.VigorishCollected); ok && p.VigorishKind == schema.VigorishKindOutstanding {
		return false
	}
	if _, ok := t.now.Payload.(*schema.RoundStarted); ok && s.played(c.round) {
		t.Lost(1, t.now)
		t.Late = LateRound{t.now.ShoeID, c.round}
		c.reach(RoundRepeated, s, nil)
	}
	if t.strayFaceUp(c, s) {
		c.reach(Misplaced, s, nil)
		c.round = 0
		return false
	}
	wild := s.leap(c.round) > wildLeap
	reported := wild && t.StrayRound == c.round
	if t.ofAnotherRound(c, s) {
		if t.misplace(c); wild {
			t.StrayRound = c.round
		}
		if !reported { // one finding about a number that is wrong in any case
			c.reach(Misplaced, s, nil)
		}
		return true
	}
	if r := s.discardOf(t.now.Payload, c.round); r != nil {
		c.reach(Misplaced, s, nil)
		if r.Full == 0 {
			t.foldSqueeze(c, s, r)
			t.fills(c, s, r)
		}
		return true
	}
	r := t.roundOf(c, s)
	if r == nil {
		switch p := t.now.Payload; {
		case t.Late == LateRound{t.now.ShoeID, c.round}: // reported as a whole
		case s.Round != nil && (p.Kind() != schema.KindCardDealt && bets(p, s.Round) || handles(p, s.Round)),
			s != t.Shoe && t.ofPlay(c.round):
			t.misplaced(c)
			c.reach(Misplaced, s, nil)
			return true
		case movesMoney(p):
			c.reach(SettledLate, s, nil)
		}
		return false
	}
	if r.Full != 0 {
		return t.passBy(c, s, r)
	}
	t.compare(c, s, r)
	taken := t.foldBetting(c, s, r) || t.foldDeal(c, s, r) || t.foldSettlement(c, s, r) || t.foldSqueeze(c, s, r)
	t.fills(c, s, r)
	return taken
}

// strayFaceUp reports whether a card is found face up under a round that is settled, or that comes after the next one.
// It was found in the round in progress, or before the next.
func (t *Table) strayFaceUp(c *turn, s *Shoe) bool {
	if _, ok := t.now.Payload.(*schema.CardFoundFaceup); !ok || s.Live(c.round) != nil {
		return false
	}
	return s.played(c.round) || s.leap(c.round) > 1 && !s.Missing && !s.Joined && !t.Gaps.Start
}

// ofAnotherRound reports whether an event cannot be of the round that it names: it settles a wager of another one, or
// follows others of a round that has not begun, or is ahead of a round that is not dealt, or has a number that no round
// of the shoe can have, or is of the dealing of a round that ended before another began. The second event that is ahead
// begins the round.
func (t *Table) ofAnotherRound(c *turn, s *Shoe) bool {
	p := t.now.Payload
	if t.isElsewhere(s, c.round) {
		return true
	}
	if n := s.leap(c.round); n > maxRounds && (t.StrayRound != c.round || n > wildLeap) {
		t.StrayRound = c.round
		return true
	}
	if s.ahead(c.round) && !t.Gaps.Start {
		_, started := p.(*schema.RoundStarted)
		_, ended := p.(*schema.RoundEnded)
		undealt := s == t.Shoe && s.undealt() && !started && t.StrayRound != c.round
		if undealt || follows(p) && !ended {
			t.StrayRound = c.round
		}
		return follows(p) || undealt
	}
	before := s.Settling
	return before != nil && s.Round != nil && before.No == c.round && bets(p, before) &&
		(before.Ended.Seq != 0 || opensNext(p, before, s.Round))
}

// discardOf is the round of which all cards of a discard are, if that is not the round that it names; nil for any other
// event. The numbers of the cards are unique in the shoe.
func (s *Shoe) discardOf(p schema.Payload, named uint32) *record.Round {
	d, ok := p.(*schema.DiscardPlaced)
	if !ok {
		return nil
	}
	for _, r := range [2]*record.Round{s.Settling, s.Round} {
		if r != nil && r.No != named && r.HasCards(d.CardSeqs) {
			return r
		}
	}
	return nil
}

// ahead reports whether a round has not begun while one before it is known.
func (s *Shoe) ahead(round uint32) bool { return s.leap(round) > 0 }

// No shoe has maxRounds rounds: a number that is further ahead is wrong, unless a second event has it. One beyond
// wildLeap is wrong in any case: the numbers of the rounds to come would be lower.
const (
	maxRounds = 1 << 12
	wildLeap  = 1 << 20
)

// leap is how far the number of a round is ahead of the latest round; 0 if it is not ahead, or none is known.
func (s *Shoe) leap(round uint32) uint32 {
	latest := round
	if k := len(s.Rounds); s.Round != nil {
		latest = s.Round.No
	} else if k > 0 {
		latest = s.Rounds[k-1].No
	}
	return max(round, latest) - latest
}

// played is true if a round of this number, or a later one, was played already: its events could not be distinguished
// from those that follow.
func (s *Shoe) played(round uint32) bool {
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		if r != nil && r.No >= round {
			return r.No > round || len(r.Cards) > 0 || r.Ended.Seq != 0 || r.Voided.Seq != 0
		}
	}
	k := len(s.Rounds)
	return k > 0 && round <= s.Rounds[k-1].No
}

// foldBetting takes in wagers and announcements; false for other events.
func (t *Table) foldBetting(c *turn, s *Shoe, r *record.Round) bool {
	switch p := t.now.Payload.(type) {
	case *schema.RoundStarted:
		r.Started, r.Begun = c.seq, c.seq
	case *schema.WagerPlaced:
		t.placeWager(c, s, r, p)
	case *schema.WagerChanged:
		changeWager(c, r, p)
	case *schema.WagerHandled:
		if w := wagerOf(r, p.WagerID); w != nil {
			w.Handled = append(w.Handled, record.Touched{Seq: c.seq, Role: baccarat.Role(p.ByRole)})
		}
	case *schema.VerbalConfirmed:
		confirmed := record.Touched{Seq: c.seq, Role: baccarat.Role(p.ByRole)}
		if w := wagerOf(r, p.WagerID); w != nil {
			w.Confirmed = append(w.Confirmed, confirmed)
		} else {
			r.Early = append(r.Early, record.Early{Wager: p.WagerID, Confirmed: confirmed})
		}
	case *schema.CashConverted:
		converted := record.Early{
			Wager: p.WagerID, Converted: record.Change{Seq: c.seq, Amount: p.Amount}, ConvertedAt: c.at,
			ConvertedBy: baccarat.Role(t.now.Actor.Role),
		}
		if w := wagerOf(r, p.WagerID); w != nil {
			converted.Of(w)
		} else {
			r.Early = append(r.Early, converted)
		}
	case *schema.Announced:
		t.announce(c, s, r, p)
	case *schema.BankerWagered:
		if w := wagerOf(r, p.WagerID); w != nil {
			if w.Seat != p.Seat || w.Amount != p.Amount {
				t.dispute(c, s, r)
			}
			return true // published before, under another event id
		}
		w := r.NewWager()
		*w = record.Wager{
			ID: p.WagerID, Placed: c.seq, Seat: p.Seat, Spot: baccarat.SpotBanker, Amount: p.Amount,
			Medium: baccarat.Medium(p.Medium), AreaOK: true, Patron: cmp.Or(p.PatronRef, t.Patrons[p.Seat]),
			Changes: w.Changes[:0], Handled: w.Handled[:0], Confirmed: w.Confirmed[:0],
		}
		r.TakeEarly(w)
		r.Bank = len(r.Wagers)
		settledBefore(s, r)
		if t.holder() == 0 { // the assignment was not reported
			t.hold(p.Seat)
			r.Curator = p.Seat
		}
	case *schema.WageringOpened:
		t.openWagers(c, r, p)
	case *schema.BancoAnnounced:
		r.Bancos = append(r.Bancos, record.Banco{Seq: c.seq, Seat: p.Seat, Call: record.BancoCall(p.Call)})
	default:
		return false
	}
	return true
}

// openWagers notes to whom the wagers against the Banker were opened. Without seats it was to all.
func (t *Table) openWagers(c *turn, r *record.Round, p *schema.WageringOpened) {
	r.Opened = record.Opened{Seq: c.seq, Seats: slices.Clone(firstOf(p.Seats))}
	for _, seat := range t.History.Occupied {
		if len(p.Seats) > 0 && seat != t.Curator && !slices.Contains(p.Seats, seat) {
			r.Opened.LeftOut = append(r.Opened.LeftOut, seat)
		}
	}
}

func (t *Table) placeWager(c *turn, s *Shoe, r *record.Round, p *schema.WagerPlaced) {
	if w := wagerOf(r, p.WagerID); w != nil {
		if len(w.Changes) == 0 && (w.Seat != p.Seat || w.Spot != baccarat.Spot(p.Spot) || w.SpotName != p.SpotName ||
			w.Amount != p.Amount) {
			t.dispute(c, s, r)
		}
		return // published before, under another event id
	}
	w := r.NewWager()
	*w = record.Wager{
		ID: p.WagerID, Placed: c.seq, PlacedAt: c.at, Seat: p.Seat, Spot: baccarat.Spot(p.Spot), Amount: p.Amount,
		Coupon: p.Coupon,
		Medium: baccarat.Medium(p.Medium), AreaOK: p.AreaOK, SpotName: p.SpotName, Patron: p.PatronRef,
		Changes: w.Changes[:0], Handled: w.Handled[:0], Confirmed: w.Confirmed[:0],
	}
	if w.Patron == "" {
		w.Patron = t.Patrons[p.Seat]
	}
	r.TakeEarly(w)
	settledBefore(s, r)
}

// changeWager changes a wager, unless a decision about it was implemented: what is done with the stake then is no
// change of the wager of the round.
func changeWager(c *turn, r *record.Round, p *schema.WagerChanged) {
	w := wagerOf(r, p.WagerID)
	if w == nil {
		r.Early = append(r.Early, record.Early{Wager: p.WagerID, Changed: c.seq})
		return
	}
	delta := magnitude(p.Delta)
	if first := r.FirstCard(); first != 0 && max(w.Paid.Seq, w.Collected.Seq, w.Returned.Seq) > first {
		switch p.Change {
		case schema.WagerChangeRaised:
			w.RaisedBy, w.RaisedAt = baccarat.Add(w.RaisedBy, delta), cmp.Or(w.RaisedAt, c.seq)
			if delta != w.Raise {
				w.RaisedOnce, w.Raise = baccarat.Add(w.RaisedOnce, delta), delta
			}
		case schema.WagerChangeLowered:
			w.RaisedBy -= min(delta, w.RaisedBy)
			w.RaisedOnce, w.Raise = w.RaisedOnce-min(delta, w.RaisedOnce), 0
		}
		return
	}
	change, kind := record.WagerChange{Seq: c.seq, Spot: w.Spot}, p.Change
	if kind == schema.WagerChangeLowered && delta == w.Amount && delta > 0 {
		kind = schema.WagerChangeWithdrawn
	}
	switch kind {
	case schema.WagerChangeRaised:
		placeAgain(r, w)
		change.Amount, change.Unread = delta, delta == 0
	case schema.WagerChangeLowered:
		change.Amount, change.Unread = -min(delta, w.Amount), delta == 0
	case schema.WagerChangeWithdrawn:
		w.Gone, change.Withdrawn = true, true
	case schema.WagerChangeMoved:
		w.Spot, w.SpotName = baccarat.Spot(p.ToSpot), p.ToSpotName
		w.AreaOK = true // nothing says that it lies outside the area to which it was moved
	}
	w.Amount = baccarat.Add(w.Amount, change.Amount)
	w.Changes = append(w.Changes, change)
}

// magnitude is an amount without its sign: the lowest int64 has no opposite.
func magnitude(amount int64) int64 { return max(amount, -max(amount, -baccarat.MaxAmount)) }

// placeAgain turns the withdrawal of a wager that is raised again into a lowering to nothing. What was returned for it
// is then the part by which it was lowered. A wager that was given back before the first card and is raised after it
// stays gone.
func placeAgain(r *record.Round, w *record.Wager) {
	settleLowered(r, w)
	n := len(w.Changes)
	if !w.Gone || n == 0 || !w.Changes[n-1].Withdrawn {
		return
	}
	last := &w.Changes[n-1]
	if last.GivenBack && last.Seq < r.FirstCard() {
		return
	}
	last.Withdrawn, last.GivenBack, last.Amount = false, false, -w.Amount
	w.Gone, w.Amount = false, 0
	if w.Returned.Seq != 0 {
		returnedPart(r, w)
	}
}

func wagerOf(r *record.Round, id string) *record.Wager {
	if i := r.WagerIndex(id); i >= 0 {
		return &r.Wagers[i]
	}
	return nil
}

func (t *Table) announce(c *turn, s *Shoe, r *record.Round, p *schema.Announced) {
	code := baccarat.Code(p.Code)
	if code == baccarat.LastHand {
		s.LastHandCalls = append(s.LastHandCalls, c.seq)
		return
	}
	r.Calls = append(r.Calls, callOf(c.seq, p))
	if r != s.Round {
		return
	}
	switch {
	case code == baccarat.NoMoreBets:
		t.betting(c, s)
	case code.Declares():
		t.dealt(c, s)
	}
}

func callOf(seq record.Seq, p *schema.Announced) record.Call {
	return record.Call{
		Seq: seq, Code: baccarat.Code(p.Code), Hand: baccarat.Hand(p.Hand), Value: p.Value,
		Treasure: baccarat.Treasure(p.Treasure),
	}
}

// foldSettlement takes in what is paid, taken and returned, and the end of the round; false for other events.
func (t *Table) foldSettlement(c *turn, s *Shoe, r *record.Round) bool {
	switch p := t.now.Payload.(type) {
	case *schema.WagerCollected:
		settleWager(
			c, s, r, p.WagerID,
			record.Step{By: t.now.Actor.ID, Kind: record.StepCollected, Seat: p.Seat, Amount: p.Amount},
		)
	case *schema.WagerPaid:
		settleWager(
			c, s, r, p.WagerID, record.Step{By: t.now.Actor.ID, Kind: record.StepPaid, Seat: p.Seat, Amount: p.Amount},
		)
	case *schema.WagerReturned:
		settleWager(
			c, s, r, p.WagerID, record.Step{By: t.now.Actor.ID, Kind: record.StepReturned, Seat: p.Seat, Amount: p.Amount},
		)
	case *schema.VigorishMarked:
		t.mark(c, s, r, p)
	case *schema.VigorishCollected:
		t.charge(c, s, r, p)
	case *schema.RoundVoided:
		s.voided(c, r, p)
		return true
	case *schema.RoundEnded:
		before := r.Ended
		if r.Record(endOf(c, p)); before.Seq != 0 {
			s.reopen(r, before.Seq)
		}
		s.setAside(r)
		if s.Law != nil && lacksCard(s, r) {
			t.cardLost(c, s, r)
		}
		t.recorded(c, s, r)
		return true
	default:
		return false
	}
	// Money moved: the hands are over, unless a card is still due.
	if r == s.Round {
		t.dealt(c, s)
	}
	return true
}

// endOf is the end of a round as an event records it.
func endOf(c *turn, p *schema.RoundEnded) record.Ended {
	return record.Ended{
		Seq: c.seq, Result: baccarat.Result(p.Result), Player: p.PlayerCount, Banker: p.BankerCount, Cards: p.CardsDealt,
	}
}

// voided notes that a round was cancelled.
func (s *Shoe) voided(c *turn, r *record.Round, p *schema.RoundVoided) {
	r.Voided = record.Voided{Seq: c.seq, Insufficient: p.Cause == schema.VoidCauseInsufficientCards}
	r.Left = s.left()
	if r.Carried != 0 && r.Card(r.Carried) == nil {
		s.Carried, s.CarriedDue = r.Carried, r.CarriedDue // It is the next hand's that is dealt.
	}
	s.VoidedAt = 0
	if r.Voided.Insufficient {
		s.VoidedAt = c.seq
	}
}

// passBy takes from an event of a round that is full what the shoe needs: the cards that leave it, the end of the
// round, and that what a seat owes of the round is not known. It is false for an event that is of the shoe.
func (t *Table) passBy(c *turn, s *Shoe, r *record.Round) bool {
	switch p := t.now.Payload.(type) {
	case *schema.CardDealt:
		if p.CardSeq > s.Numbered && !s.IsFaceUp(p.CardSeq) {
			s.takeOut(c, readCard(p.Card))
			s.LastCard, s.Numbered, s.NumberedOut = c.seq, p.CardSeq, s.Out
		}
	case *schema.CardCarriedOver:
		s.Carried = p.CardSeq
	case *schema.WagerPlaced:
		s.Unexplain(p.Seat)
	case *schema.WagerPaid:
		s.Unexplain(p.Seat)
	case *schema.VigorishMarked:
		s.Unexplain(p.Seat)
	case *schema.VigorishCollected:
		s.Unexplain(p.Seat)
	case *schema.RoundEnded:
		r.Record(endOf(c, p))
	case *schema.RoundVoided:
		s.voided(c, r, p)
	case *schema.RoundStarted, *schema.WagerChanged, *schema.WagerHandled, *schema.VerbalConfirmed, *schema.CashConverted,
		*schema.BankerWagered, *schema.WageringOpened, *schema.BancoAnnounced, *schema.DealInstructed,
		*schema.CardRevealed, *schema.CardMoved, *schema.CardTouched, *schema.SqueezeOffered, *schema.SqueezeRelinquished,
		*schema.CardsHanded, *schema.CardsReturned, *schema.WagerCollected, *schema.WagerReturned, *schema.DiscardPlaced:
	default:
		return false
	}
	return true
}

// settleWager enters a step of the settlement of a wager.
func settleWager(c *turn, s *Shoe, r *record.Round, id string, made record.Step) {
	at := r.WagerIndex(id)
	if at >= 0 && at != r.Bank-1 {
		w := &r.Wagers[at]
		settleLowered(r, w)
		if made.Kind == record.StepReturned && r.FirstCard() == 0 && made.Amount <= w.Lowered() && made.Amount != w.Amount {
			w.PartBack, w.PartBackAt = w.PartBack+made.Amount, c.seq
			return // the part by which it was lowered goes back to the patron
		}
	}
	step := r.NewStep()
	made.Seq, made.Seat, made.Wager, made.Wagers = c.seq, seatOf(r, at, made.Seat), at, step.Wagers[:0]
	*step = made
	if at < 0 {
		// What is handed back before a card is dealt settles nothing, and the wager may be made again.
		if id != "" && (made.Kind != record.StepReturned || r.FirstCard() != 0) {
			r.Early = append(r.Early, record.Early{Wager: id, Settled: c.seq})
		}
		return
	}
	enterMotion(s, r, at, made)
}

// settledBefore enters into the latest wager its settlement, which was reported before the wager.
func settledBefore(s *Shoe, r *record.Round) {
	at := len(r.Wagers) - 1
	for i := range r.Early {
		e := &r.Early[i]
		if e.Settled == 0 || e.Wager != r.Wagers[at].ID {
			continue
		}
		step := record.Index(r.Steps, func(m *record.Step) bool { return m.Seq == e.Settled && m.Wager < 0 })
		if step >= 0 {
			m := &r.Steps[step]
			m.Wager, m.Seat = at, seatOf(r, at, m.Seat)
			enterMotion(s, r, at, *m)
		}
	}
}

// enterMotion enters a step of the settlement into its wager.
func enterMotion(s *Shoe, r *record.Round, at int, made record.Step) {
	w := &r.Wagers[at]
	into := &w.Collected
	switch made.Kind {
	case record.StepPaid:
		into = &w.Paid
	case record.StepReturned:
		into = &w.Returned
	}
	if made.Kind == record.StepReturned {
		w.PutBack += max(min(made.Amount, w.Collected.Amount-w.PutBack-winningsTaken(s, r, w)), 0)
	}
	// The whole of a wager that is handed back before a card is dealt settles nothing: it is withdrawn.
	if made.Kind == record.StepReturned && at != r.Bank-1 && r.FirstCard() == 0 && r.Voided.Seq == 0 && !w.Gone &&
		w.Settlements() == 0 && w.Amount > 0 && made.Amount == w.Amount {
		w.Gone = true
		w.Changes = append(w.Changes, record.WagerChange{Seq: made.Seq, Spot: w.Spot, Withdrawn: true, GivenBack: true})
	}
	into.Seq = made.Seq
	into.Times++
	into.Amount = baccarat.Add(into.Amount, made.Amount)
}

// winningsTaken is how much of what was collected took back winnings that were paid by mistake before, of a wager that
// is to be returned: what is returned then is the stake, and does not put back a stake that was collected.
func winningsTaken(s *Shoe, r *record.Round, w *record.Wager) int64 {
	if w.Paid.Seq == 0 || w.Collected.Seq < w.Paid.Seq || !rules.Returns(s.Law, r, w) {
		return 0
	}
	return w.Paid.Amount
}

// settleLowered takes back that a lowered wager was withdrawn: it is settled now, and what was returned before the
// first card, as much as stayed of the wager, was the part by which it was lowered.
func settleLowered(r *record.Round, w *record.Wager) {
	n := len(w.Changes)
	if n == 0 || !w.Changes[n-1].GivenBack || !w.Changes[n-1].Withdrawn || w.Lowered() < w.Amount {
		return
	}
	w.Changes, w.Gone = w.Changes[:n-1], false
	returnedPart(r, w)
}

// returnedPart makes what was returned of a wager before the first card the part by which it was lowered.
func returnedPart(r *record.Round, w *record.Wager) {
	at := r.WagerIndex(w.ID)
	r.Steps = slices.DeleteFunc(r.Steps, func(s record.Step) bool {
		return s.Kind == record.StepReturned && s.Wager == at
	})
	w.PartBack, w.PartBackAt = w.PartBack+w.Returned.Amount, w.Returned.Seq
	w.Returned = record.Settlement{}
}
