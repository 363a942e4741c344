package play

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
)

// shoeOf is the shoe of an event, begun if need be; nil outside a shoe.
func (t *Table) shoeOf(c *turn) *Shoe {
	id := t.now.ShoeID
	if id == "" {
		return t.Shoe
	}
	reused := t.reused(t.now)
	for _, s := range [2]*Shoe{t.Shoe, t.Prev} {
		if s != nil && s.Name == id && !reused {
			if s == t.Shoe {
				t.Stray = "" // the shoe in play goes on
			}
			return s
		}
	}
	if !reused && slices.Contains(t.Used, id) {
		t.tooLate(c)
		return nil
	}
	if p, ok := t.now.Payload.(*schema.ShoeShuffled); ok && !reused && t.awaitsOther(p.BatchID) {
		t.endShoe(c)
	}
	if !reused && t.shuffledEarly(c) {
		return nil
	}
	if !reused && t.strays() {
		t.misplace(c)
		c.reach(Misplaced, t.Shoe, nil)
		return nil
	}
	t.beginShoe(c)
	return t.Shoe
}

// begins reports whether an event begins a shoe.
func (t *Table) begins(ev *schema.Event) bool {
	return t.reused(ev) || t.Shoe.Name != ev.ShoeID && !slices.Contains(t.Used, ev.ShoeID)
}

// tooLate reports an event of a closed shoe, which is not judged.
func (t *Table) tooLate(c *turn) {
	p := t.now.Payload
	v, collects := p.(*schema.VigorishCollected)
	late := LateRound{t.now.ShoeID, t.now.Round}
	switch {
	case late == t.Late && p.Kind() != schema.KindRoundStarted:
	case t.isElsewhere(nil, c.round), t.ofPlay(c.round), t.ofPreparation():
		t.misplace(c)
		c.reach(Misplaced, t.Shoe, nil)
	case movesMoney(p), p.Kind() == schema.KindVigorishMarked,
		collects && v.VigorishKind != schema.VigorishKindOutstanding: // the table's ledger has what is outstanding
		c.reach(SettledLate, nil, nil)
	case p.Kind() == schema.KindRoundStarted:
		t.Late = late
		c.reach(ResumedLate, nil, nil)
	}
}

// reused is true if an event begins a shoe under an id that the table has used: only preparing cards does. Everything
// else may be a late step of the old shoe.
func (t *Table) reused(ev *schema.Event) bool {
	p, ok := ev.Payload.(*schema.ShoeShuffled)
	if !ok || p.Phase == schema.ShufflePhaseAfterLacing || !slices.Contains(t.Used, ev.ShoeID) {
		return false
	}
	return t.Shoe == nil || t.Shoe.Name != ev.ShoeID || t.Shoe.Out > 0
}

// interrupts reports whether an event that begins a shoe is none of its preparation, while another shoe has not ended.
// The end of that shoe was lost with what prepares the next one, or it goes on under another id, or the event names the
// wrong shoe.
func (t *Table) interrupts() bool {
	s := t.Shoe
	if s == nil || s.Ended.Seq != 0 || t.expects(t.now.ShoeID) {
		return false
	}
	if s.LastCard != 0 || s.Loaded.Seq == 0 {
		return (s.LastCard != 0 || s.Round != nil) && !prepares(t.now.Payload)
	}
	switch t.now.Payload.(type) {
	case *schema.ShoeShuffled, *schema.ShoeLoaded: // of other cards
		return false
	default:
		return true
	}
}

// strays reports whether an event of the shoe in play names a shoe that is not known. The second one begins it, if no
// event of the shoe in play comes between them.
func (t *Table) strays() bool {
	s := t.Shoe
	if s == nil || t.Stray == t.now.ShoeID || t.expects(t.now.ShoeID) {
		return false
	}
	stray := false
	switch p := t.now.Payload.(type) {
	case *schema.ShoeShuffled: // begins a shoe
	case *schema.ShoeLoaded: // so does it, unless the shoe in play is to be loaded
		stray = s.Ended.Seq == 0 && s.LastCard == 0 && s.Loaded.Seq == 0 && len(s.Prep.Cuts) > 0
	case *schema.RoundStarted: // so does it, unless the shoe in play waits for its first round, or a round is dealt
		stray = s.Ended.Seq == 0 && (s.LastCard == 0 && s.Loaded.Seq != 0 && s.Round == nil ||
			s.undealt() && len(s.Round.Cards) > 0)
	case *schema.ShoeLaced, *schema.CutOffered, *schema.ShoeCut, *schema.RecutOrdered, *schema.ShoeTransposed,
		*schema.CutcardPlaced:
		stray = s.Ended.Seq == 0 && s.Out == 0
	case *schema.ShoeBurned:
		stray = s.Ended.Seq == 0 && (s.Out == 0 || p.Reason == schema.BurnReasonIrregularity)
	default:
		stray = t.now.Round == 0 || s.Ended.Seq == 0
	}
	if stray {
		t.Stray, t.Named, t.NamedRound = t.now.ShoeID, t.now.ShoeID, t.now.Round
	}
	return stray
}

// expects reports whether a shoe may begin that is not known: it was shuffled before, or a gap may hide the end of the
// shoe in play.
func (t *Table) expects(id string) bool {
	return t.shuffledBefore(id) || t.Gaps.Begin && !t.Shoe.goesOn()
}

// goesOn reports whether a round of the shoe in play began after the latest gap: no other shoe began in the gap.
func (s *Shoe) goesOn() bool { return s.Round != nil && s.Round.Started >= s.Gaps.Behind }

// undealt reports whether the round in progress lacks cards that are due, or has wagers for which no money has moved.
// If money has moved, the deal is over, and a card was not reported.
func (s *Shoe) undealt() bool {
	r := s.Round
	return r != nil && s.Law != nil && r.Ended.Seq == 0 && r.Voided.Seq == 0 && len(r.Steps) == 0 &&
		(len(r.Cards) == 0 || !r.Missing && (len(r.Wagers) > 0 || s.Law.CardsDue(r.Coup()) > 0))
}

// beginShoe begins a shoe with its first event.
func (t *Table) beginShoe(c *turn) {
	if t.interrupts() {
		t.Lost(1, t.now)
		c.yield(Stage{
			Kind: Misplaced, Shoe: t.Shoe, Expected: "one shoe_id for a shoe, until it has ended",
			Observed: fmt.Sprintf("%v begins shoe %s, and shoe %s has not ended: they may be one shoe",
				t.now.Payload.Kind(), t.now.ShoeID, t.Shoe.Name),
		})
	}
	t.StrayRound = 0
	abandoned, waits := t.abandoned(), t.Shoe.awaitsMoney()
	if !waits {
		t.endShoe(c)
	}
	if t.Prev != nil {
		t.closePrev(c)
	}
	ev := t.now
	early := t.takeEarly(ev.ShoeID)
	if t.Shoe != nil {
		t.succeed(c, early, waits)
	}
	s := t.spareShoe()
	s.ID, s.Name, s.At, s.First, s.Pit = ev.ShoeID, ev.ShoeID, ev.At, c.seq, t.Pit
	s.enforce(t)
	s.Prep.Shuffles = append(s.Prep.Shuffles, early...)
	begins := slices.ContainsFunc(early, func(h record.Shuffle) bool { return !h.AfterLacing })
	if p, ok := ev.Payload.(*schema.ShoeShuffled); ok {
		begins = begins || p.Phase != schema.ShufflePhaseAfterLacing
	}
	if len(t.Used) == 0 && !t.Joined && (inPlay(ev) || !t.IsOpen) {
		t.MidStream()
		t.Gaps.Elections = true
	}
	s.Joined = t.Joined && t.first() && !begins
	if s.Joined && len(t.Used) == 0 && inPlay(ev) { // the opening on record, if any, is not of this moment
		t.Gaps.History, t.Gaps.Opened = true, 0
	}
	t.beginShoeGaps(s, begins)
	t.Shoe = s
	c.reach(Began, s, nil)
	if abandoned || t.Named == s.Name && t.NamedRound == 0 { // a step of its preparation is not on its record
		s.Gaps.Prepare, s.Missing = true, true
	}
	if abandoned {
		c.reach(Misplaced, s, nil)
	}
	if slices.Contains(t.Used, ev.ShoeID) {
		s.ID = ev.ShoeID + "#" + strconv.FormatUint(ev.Seq, 10)
		c.reach(ShoeReused, s, nil)
	}
	t.Used = append(t.Used, ev.ShoeID)
	if len(t.Used) > 512 {
		t.Used = slices.Delete(t.Used, 0, 256)
	}
	if s.Joined {
		c.reach(ShoeJoined, s, nil)
	}
}

// inPlay reports whether an event cannot be the first of a shoe: a system that is installed while a table plays
// publishes the opening of the table, perhaps as it was when the day began, and goes on from there. Without an opening
// it is installed while the table plays in any case.
func inPlay(ev *schema.Event) bool {
	switch ev.Payload.(type) {
	case *schema.CardDealt, *schema.DealInstructed, *schema.RoundEnded, *schema.WagerPaid, *schema.WagerCollected,
		*schema.WagerReturned, *schema.VigorishMarked, *schema.VigorishCollected, *schema.VigorishMarkerRemoved,
		*schema.CuratorPassed, *schema.CutcardSeen, *schema.DiscardPlaced, *schema.ShoeEnded:
		return true
	default:
		return ev.Round > 1
	}
}

// abandoned reports whether the shoe before the one that an event begins was shuffled and never loaded, and the event
// is a later step of a preparation: what was done may have been done with the cards of the shoe that begins.
func (t *Table) abandoned() bool {
	s := t.Shoe
	if s == nil || s.Out > 0 || s.Loaded.Seq != 0 || len(s.Prep.Shuffles) == 0 {
		return false
	}
	p, shuffles := t.now.Payload.(*schema.ShoeShuffled)
	return (!shuffles || p.Phase == schema.ShufflePhaseAfterLacing) && !t.isOther(s, batchOf(t.now))
}

func (t *Table) spareShoe() *Shoe {
	if len(t.spare) == 0 {
		t.spare = append(t.spare, &Shoe{})
	}
	n := len(t.spare) - 1
	s := t.spare[n]
	t.spare = t.spare[:n]
	s.reset()
	return s
}

// succeed makes room for the next shoe: the present one is closed now, or at the first card of the next one where the
// law has it so, where the next one has the cards of another batch, or where it waits for the money of its last round.
func (t *Table) succeed(c *turn, early []record.Shuffle, waits bool) {
	s := t.Shoe
	s.Succeeded = c.seq
	t.Gaps.Prepare = t.Gaps.Prepare || s.joinedAtEnd()
	t.bequeathHolder(s)
	t.Last.Kept = t.Last.Kept && !waits // the last round is not entered
	batch := batchOf(t.now)
	if batch == "" && len(early) > 0 {
		batch = early[0].Batch
	}
	other := t.isOther(s, batch)
	_, shuffle := t.now.Payload.(*schema.ShoeShuffled)
	if !other && (!waits || shuffle || s.Ended.Seq != 0) { // else the shoe may go on
		s.reshuffled(c.seq)
	}
	t.Prev, t.Shoe = s, nil
	if s.Law == nil || !s.Law.ClosesAtCard && !other && !waits {
		t.closeShoe(c, s)
	}
}

// joinedAtEnd reports whether the record of a shoe began in its last round or later: who had the shoe, and whether its
// last round was void, is not known.
func (s *Shoe) joinedAtEnd() bool {
	return s.Joined && !record.Any(s.Rounds, func(r *record.RoundSummary) bool { return !r.Missing && r.Card != 0 })
}

// closePrev closes the shoe before the present one, if it is still open, and lets it go.
func (t *Table) closePrev(c *turn) {
	s := t.Prev
	t.endRounds(c, s)
	t.closeShoe(c, s)
	t.Prev = nil
	below := uint64(0)
	if t.Shoe != nil {
		below = uint64(t.Shoe.First)
	}
	t.letGo(c, s, below)
}

// closeShoes closes all shoes: the table has closed.
func (t *Table) closeShoes(c *turn) {
	t.endShoe(c)
	if t.Prev != nil {
		t.closePrev(c)
	}
	if s := t.Shoe; s != nil {
		t.closeShoe(c, s)
		t.owedAtClose(c, s)
		t.Shoe = nil
		below := uint64(0)
		if t.Closing.Seq != 0 {
			below = uint64(t.Closing.Seq) + 1
		}
		t.letGo(c, s, below)
	}
}

// owedAtClose notes the outstanding vigorish of the shoe with which the table closed.
func (t *Table) owedAtClose(c *turn, s *Shoe) {
	if s.TableClosed == 0 || s.NextShuffled != 0 {
		return
	}
	t.History.Debts = t.History.Debts[:0]
	for _, o := range s.Owed(nil) {
		if t.now != nil { // else it is kept since the closing
			t.keep(t.now)
		}
		t.History.Debts = append(t.History.Debts, record.Debt{
			Shoe: s.ID, Seat: o.Seat, Owed: o.Amount, Closed: c.seq, ClosedAt: c.at,
		})
	}
}

func (t *Table) letGo(c *turn, s *Shoe, below uint64) {
	c.yield(Stage{Kind: Gone, Shoe: s, Seq: below})
	t.spare = append(t.spare, s)
}

// endShoe settles what is still unsettled of the present shoe.
func (t *Table) endShoe(c *turn) {
	if t.Shoe != nil {
		t.endRounds(c, t.Shoe)
	}
}

// endRounds settles what is still unsettled of a shoe: no further card comes from it.
func (t *Table) endRounds(c *turn, s *Shoe) {
	t.settle(c, s, &s.Settling)
	if s.Round != nil {
		t.finishDealing(c, s)
		s.CardsLost = s.CardsLost || s.lacksInLast()
	}
	t.settle(c, s, &s.Round)
}

// endShuffled settles the last round of a shoe that has ended, before its cards are shuffled again in the device.
func (t *Table) endShuffled(c *turn, p *schema.BatchReported) {
	s := t.Shoe
	if s == nil || s.Ended.Seq == 0 || p.State != schema.BatchStateInShuffler || p.BatchID == "" {
		return
	}
	if s.Batch() == p.BatchID {
		t.endShoe(c)
	}
}

// Finish settles the last round of a shoe if it has ended: the stream has come to its end. It yields the stages that
// this reaches.
func (t *Table) Finish(s *Shoe) iter.Seq[Stage] {
	return func(yield func(Stage) bool) {
		if s.Ended.Seq != 0 {
			t.endRounds(&turn{s.Ended.Seq, s.EndedAt, 0, yield}, s)
		}
	}
}

// awaitsMoney reports whether money is due of the last round of a shoe, which may be nil: of a wager that is not
// settled, or not as the cards have it, or vigorish that is not charged, or not as it is owed.
func (s *Shoe) awaitsMoney() bool {
	return s != nil && s.dueOf(func(r *record.Round) bool {
		return unsettled(r) || s.uncharged(r) || r.Config.Reports(baccarat.FeedSettlement) && rules.Amiss(s.Law, r) ||
			r.Config.Reports(baccarat.FeedVigorish) && rules.VigAmiss(s.Law, r)
	})
}

// settlementDue reports whether something is still due of the last round of a shoe that ends: its settlement may follow
// the end of the shoe, until the first card of the next one, and so may its correction.
func (s *Shoe) settlementDue() bool {
	return s.awaitsMoney() || s.dueOf(undiscarded)
}

// dueOf reports whether something is due of a round that is open and can be audited.
func (s *Shoe) dueOf(due func(*record.Round) bool) bool {
	for _, r := range [2]*record.Round{s.Settling, s.Round} {
		if r != nil && r.Config != nil && s.Law != nil && due(r) {
			return true
		}
	}
	return false
}

// unsettled reports whether a wager of a round was neither paid nor collected nor returned.
func unsettled(r *record.Round) bool {
	return r.Config.Reports(baccarat.FeedSettlement) && record.Any(r.Wagers, func(w *record.Wager) bool {
		return !w.Gone && w.Settlements() == 0
	})
}

// uncharged reports whether a banker wager owes vigorish that was neither marked nor collected.
func (s *Shoe) uncharged(r *record.Round) bool {
	takes := s.Law.Takes(r.Config, r.Coup())
	if !r.Config.Reports(baccarat.FeedVigorish) || !takes.Won && takes.Tie == 0 {
		return false
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Spot == baccarat.SpotBanker && !w.Gone && !r.Charged(i) {
			return true
		}
	}
	return false
}

// undiscarded reports whether the cards of a round were not put away, at a table that reports where they are put.
func undiscarded(r *record.Round) bool {
	return len(r.Cards) > 0 && len(r.Discards) == 0 && r.Config.Reports(baccarat.FeedRack)
}

// lacksInLast reports whether the cards that the count of a shoe lacks may have been dealt in its last round and not
// reported: no recorded end counts its cards, and no card with a number follows. The round may lack the cards that its
// hands may still get, and one in excess for each hand.
func (s *Shoe) lacksInLast() bool {
	lacking := int(52*s.Loaded.Decks) - int(s.Out+s.Ended.Remaining)
	if s.Ended.Seq == 0 || s.Round.Ended.Seq != 0 || lacking <= 0 || s.Law == nil {
		return false
	}
	_, due := s.Law.CardsToCome(s.Round.Coup())
	if s.Round.Missing {
		due = max(due, maxCards-len(s.Round.Cards))
	}
	return lacking <= due+2
}

// maxCards is how many cards a round has.
const maxCards = 6

// roundOf is the round of an event, begun if need be; nil if it is settled.
func (t *Table) roundOf(c *turn, s *Shoe) *record.Round {
	no := c.round
	switch {
	case no == 0:
		return nil
	case s.Live(no) != nil:
		return s.Live(no)
	case s.Round != nil && no < s.Round.No:
		return nil
	case s.Round == nil && len(s.Rounds) > 0 && no <= s.Rounds[len(s.Rounds)-1].No:
		return nil
	}
	t.settle(c, s, &s.Settling)
	if before := s.Round; before != nil {
		t.finishDealing(c, s)
		dealt := len(before.Cards) > 0 || len(before.Steps) > 0 || before.Ended.Cards > 0 || before.Missing
		if before.Carried != 0 && !dealt {
			s.Carried, s.CarriedDue = before.Carried, before.CarriedDue // It is the next hand's that is dealt.
		}
		s.Settling, s.Round = before, nil
	}
	s.number(no)
	r := t.spareRound(no)
	r.Started, r.At, r.Config, r.ConfigAt, r.Dealer = c.seq, c.at, t.Config, t.ConfigAt, t.Dealer
	if r.Dealer == "" && t.now.Actor.Role == schema.RoleDealer {
		r.Dealer = t.now.Actor.ID
	}
	_, started := t.now.Payload.(*schema.RoundStarted)
	t.beginRoundGaps(s, r, started)
	r.Carried, r.CarriedDue, s.Carried, s.CarriedDue = s.Carried, s.CarriedDue, 0, false
	r.Curator = t.holder()
	s.VoidedAt = 0
	s.Round, s.Progress = r, Progress{}
	return r
}

// spareRound takes a round from the pool.
func (t *Table) spareRound(no uint32) *record.Round {
	if len(t.rounds) == 0 {
		t.rounds = append(t.rounds, &record.Round{})
	}
	n := len(t.rounds) - 1
	r := t.rounds[n]
	t.rounds = t.rounds[:n]
	r.Reset(no)
	return r
}
