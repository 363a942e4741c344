package engine

import (
	"slices"
	"strconv"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// shoe is a shoe in the making, with what has been asked and found so far.
type shoe struct {
	record.Shoe
	// name is the producer's shoe id; ID differs when the producer used one twice.
	name   string
	law    *law.Law
	config *law.Config
	pit    string
	taint  shoeTaint

	// round is the one in progress, settling the one before it until the next first card.
	round, settling *record.Round
	progress        progress
	// later are outstanding collections that wait for their round to be settled.
	later []collection

	prepared, ended, closed bool
	unauditable             uint32
	found                   uint32
	// made are the findings so far; ledger decides which of them are reported.
	made   map[mark]struct{}
	ledger ledger
	// said are the rules that could not be judged in this shoe.
	said []*rules.Rule
	// carried is the number of a card kept for the next round, 0 if none.
	carried uint32
	// voidedAt is the voiding of the last round for want of cards, 0 if it was not.
	voidedAt record.Seq
	endedAt  int64
}

// progress is how far the rules have been asked about the round in progress.
type progress struct {
	betting, called, moneyMoved, dealt bool
}

type collection struct {
	seat   uint32
	amount int64
	wagers []string
	seq    record.Seq
}

// mark tells whether a finding was made before.
type mark struct {
	rule    *rules.Rule
	round   uint32
	seat    uint32
	subject finding.Subject
}

// newShoe begins a shoe with its first event.
func (t *table) newShoe(ev *schema.Event, b *rows.Set) {
	t.endShoe(b)
	if t.prev != nil {
		t.closePrev(b)
	}
	if t.shoe != nil {
		t.yield(ev, b)
	}
	var s *shoe
	if n := len(t.spare); n > 0 {
		s, t.spare = t.spare[n-1], t.spare[:n-1]
	} else {
		s = &shoe{}
	}
	s.reset()
	s.ID, s.name, s.At, s.First = ev.ShoeID, ev.ShoeID, ev.At, record.Seq(ev.Seq)
	s.law, s.config, s.pit = t.law, t.config, t.pit
	begins := false
	if p, ok := ev.Payload.(*schema.ShoeShuffled); ok {
		begins = p.Phase != schema.ShufflePhaseAfterLacing
	}
	s.Joined = t.joined && len(t.used) == 0 && !begins
	t.beginTaint(s, begins)
	t.clockSaid = false
	t.shoe = s
	if slices.Contains(t.used, ev.ShoeID) {
		s.ID = ev.ShoeID + "#" + strconv.FormatUint(ev.Seq, 10)
		t.feed(b, ev, feedFault{
			rule: "feed.shoe-reused", subject: finding.OfRange(ev.Seq, ev.Seq),
			expected: "a shoe id that the table has not used", observed: ev.ShoeID + " again",
			seqs: []uint64{ev.Seq}, ids: []string{ev.EventID},
		})
	}
	t.used = append(t.used, ev.ShoeID)
	if len(t.used) > 512 {
		t.used = slices.Delete(t.used, 0, 256)
	}
	if s.Joined {
		t.notice(b, "feed.gap", finding.OfRange(1, ev.Seq-1), "the record of the shoe from its first event", "joined at event "+strconv.FormatUint(ev.Seq, 10))
	}
}

func (s *shoe) reset() {
	s.Shoe.Reset()
	*s = shoe{Shoe: s.Shoe, later: s.later[:0], said: s.said[:0]}
}

// yield makes room for the next shoe: the present one is judged now, or at the next shoe's first
// card where the law says so.
func (t *table) yield(ev *schema.Event, b *rows.Set) {
	s := t.shoe
	s.NextShuffled = record.Seq(ev.Seq)
	s.OwedAtShuffle = s.Owed(s.OwedAtShuffle[:0])
	t.prev, t.shoe = s, nil
	if s.law == nil || !s.law.ClosesAtCard {
		t.closeOne(s, b)
	}
}

// closePrev judges the shoe before the present one, if it still waits.
func (t *table) closePrev(b *rows.Set) {
	t.closeOne(t.prev, b)
	t.spare = append(t.spare, t.prev)
	t.prev, t.boundary = nil, true
	if t.shoe != nil {
		t.log.forget(uint64(t.shoe.First))
	}
}

// closeShoe judges whatever is open: the table has closed.
func (t *table) closeShoe(b *rows.Set) {
	t.endShoe(b)
	if t.prev != nil {
		t.closePrev(b)
	}
	if t.shoe != nil {
		t.closeOne(t.shoe, b)
		t.spare = append(t.spare, t.shoe)
		t.shoe = nil
	}
}

// endShoe settles what is still unsettled: no further card comes from the shoe.
func (t *table) endShoe(b *rows.Set) {
	s := t.shoe
	if s == nil {
		return
	}
	t.settle(s, &s.settling, b)
	if s.round != nil {
		t.finishDealing(s, b)
	}
	t.settle(s, &s.round, b)
}

// of finds the shoe that an event belongs to, beginning a new one if need be; nil outside a shoe.
func (t *table) of(ev *schema.Event, b *rows.Set) *shoe {
	if ev.ShoeID == "" {
		return t.shoe
	}
	if t.shoe != nil && t.shoe.name == ev.ShoeID && !t.reused(ev) {
		return t.shoe
	}
	if t.prev != nil && t.prev.name == ev.ShoeID && !t.reused(ev) {
		return t.prev
	}
	if !t.reused(ev) && slices.Contains(t.used, ev.ShoeID) {
		return nil // a shoe that is closed: too late to be judged
	}
	t.newShoe(ev, b)
	return t.shoe
}

// reused says whether an event begins a shoe under an id that the table has used: only preparing
// cards does, everything else may be a late step of the old shoe.
func (t *table) reused(ev *schema.Event) bool {
	p, ok := ev.Payload.(*schema.ShoeShuffled)
	if !ok || p.Phase == schema.ShufflePhaseAfterLacing || !slices.Contains(t.used, ev.ShoeID) {
		return false
	}
	s := t.shoe
	if s == nil || s.name != ev.ShoeID {
		return true
	}
	return s.Out > 0
}

// spareRound takes a round from the pool.
func (t *table) spareRound(no uint32) *record.Round {
	var r *record.Round
	if n := len(t.rounds); n > 0 {
		r, t.rounds = t.rounds[n-1], t.rounds[:n-1]
	} else {
		r = &record.Round{}
	}
	r.Reset(no)
	return r
}

// in finds the round that an event belongs to, beginning it if need be; nil when it is settled.
func (t *table) in(s *shoe, ev *schema.Event, b *rows.Set) *record.Round {
	switch {
	case ev.Round == 0:
		return nil
	case s.round != nil && s.round.No == ev.Round:
		return s.round
	case s.settling != nil && s.settling.No == ev.Round:
		return s.settling
	case s.round != nil && ev.Round < s.round.No:
		return nil
	case s.round == nil && len(s.Rounds) > 0 && ev.Round <= s.Rounds[len(s.Rounds)-1].No:
		return nil
	}
	t.settle(s, &s.settling, b)
	if s.round != nil {
		t.finishDealing(s, b)
		s.settling, s.round = s.round, nil
	}
	r := t.spareRound(ev.Round)
	r.Started, r.At, r.Config, r.Dealer = record.Seq(ev.Seq), ev.At, t.config, t.dealer
	if r.Dealer == "" && ev.Actor.Role == schema.RoleDealer {
		r.Dealer = ev.Actor.ID
	}
	_, started := ev.Payload.(*schema.RoundStarted)
	t.beginRoundTaint(s, r, started)
	r.Carried, s.carried = s.carried, 0
	r.Curator = t.curator
	s.voidedAt = 0
	s.round, s.progress = r, progress{}
	return r
}
