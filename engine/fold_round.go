package engine

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/rules"
	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/schema/rows"
)

// foldRound takes in what happens in a round, and asks the rules whose stage is reached. It returns
// false when the round is settled already and the event is for the shoe's ledger.
func (t *table) foldRound(s *shoe, ev *schema.Event, seq record.Seq, b *rows.Set) bool {
	if p, ok := ev.Payload.(*schema.VigorishCollected); ok && p.VigorishKind == schema.VigorishKindOutstanding {
		return false
	}
	if _, ok := ev.Payload.(*schema.RoundStarted); ok && s.played(ev.Round) {
		t.lost(1, ev)
		t.feed(b, ev, feedFault{
			rule: "feed.conflict", subject: finding.OfRange(ev.Seq, ev.Seq),
			expected: "rounds numbered 1, 2 and so on within the shoe", observed: fmt.Sprintf("round %d begins again", ev.Round),
			seqs: []uint64{ev.Seq}, ids: []string{ev.EventID},
		})
	}
	r := t.in(s, ev, b)
	if r == nil {
		return false
	}
	switch p := ev.Payload.(type) {
	case *schema.RoundStarted:
		r.Started = seq
	case *schema.WagerPlaced:
		t.wager(r, p, seq)
	case *schema.WagerChanged:
		changeWager(r, p, seq)
	case *schema.WagerHandled:
		if w := wagerOf(r, p.WagerID); w != nil {
			w.Handled = append(w.Handled, record.Touched{Seq: seq, Role: baccarat.Role(p.ByRole)})
		}
	case *schema.VerbalConfirmed:
		if w := wagerOf(r, p.WagerID); w != nil {
			w.Confirmed = append(w.Confirmed, record.Touched{Seq: seq, Role: baccarat.Role(p.ByRole)})
		}
	case *schema.CashConverted:
		if w := wagerOf(r, p.WagerID); w != nil {
			w.Converted, w.ConvertedAt = record.Change{Seq: seq, Amount: p.Amount}, ev.At
		}
	case *schema.Announced:
		t.announce(s, r, p, seq, b)
	case *schema.DealInstructed:
		r.Instructions = append(r.Instructions, record.Instructed{Seq: seq, Hand: baccarat.Hand(p.Hand), Draw: p.Instruction == schema.InstructionDraw})
	case *schema.CardDealt:
		t.deal(s, r, p, seq, b)
	case *schema.CardRevealed:
		reveal(r, p.CardSeq, seq)
	case *schema.CardMoved:
		moveCard(r, p, seq)
	case *schema.CardCarriedOver:
		t.carryCard(s, p.CardSeq, seq)
	case *schema.CardTouched:
		r.Touches = append(r.Touches, record.Touched{Seq: seq, Role: baccarat.Role(p.ByRole), Seat: p.Seat})
	case *schema.WagerCollected:
		t.settlement(s, r, record.StepCollected, p.WagerID, p.Seat, p.Amount, seq, b)
	case *schema.WagerPaid:
		t.settlement(s, r, record.StepPaid, p.WagerID, p.Seat, p.Amount, seq, b)
	case *schema.WagerReturned:
		t.settlement(s, r, record.StepReturned, p.WagerID, p.Seat, p.Amount, seq, b)
	case *schema.VigorishMarked:
		at := r.WagerIndex(p.WagerID)
		*r.NewStep() = record.Step{
			Seq: seq, Kind: record.StepVigMarked, Seat: seatOf(r, at, p.Seat), Amount: p.Amount, Wager: at, Marker: baccarat.Marker(p.Marker), Area: p.Area,
			By: ev.Actor.ID,
		}
		t.moved(s, r, b)
	case *schema.VigorishCollected:
		t.charge(s, r, p, seq, b)
	case *schema.RoundVoided:
		r.Voided = record.Voided{Seq: seq, Insufficient: p.Cause == schema.VoidCauseInsufficientCards}
		r.Left = s.left()
		s.voidedAt = 0
		if r.Voided.Insufficient {
			s.voidedAt = seq
		}
	case *schema.RoundEnded:
		r.Ended = record.Ended{Seq: seq, Result: baccarat.Result(p.Result), Player: p.PlayerCount, Banker: p.BankerCount, Cards: p.CardsDealt}
		t.recorded(s, r, b)
	default:
		// What is left is a squeeze or a discard, or an event of the shoe that carries the round's number.
		return t.foldSqueeze(s, r, ev, seq)
	}
	return true
}

// played says whether a round of this number, or a later one, was played already: what is said of it from
// here on cannot be told from what was said before.
func (s *shoe) played(round uint32) bool {
	for _, r := range []*record.Round{s.round, s.settling} {
		if r != nil && r.No >= round {
			return r.No > round || len(r.Cards) > 0 || r.Ended.Seq != 0 || r.Voided.Seq != 0
		}
	}
	k := len(s.Rounds)
	return k > 0 && round <= s.Rounds[k-1].No
}

func wagerOf(r *record.Round, id string) *record.Wager {
	if i := r.WagerIndex(id); i >= 0 {
		return &r.Wagers[i]
	}
	return nil
}

func (t *table) wager(r *record.Round, p *schema.WagerPlaced, seq record.Seq) {
	w := r.NewWager()
	*w = record.Wager{
		ID: p.WagerID, Placed: seq, PlacedAt: t.now.At, Seat: p.Seat, Spot: baccarat.Spot(p.Spot), Amount: p.Amount, Coupon: p.Coupon,
		Medium: baccarat.Medium(p.Medium), AreaOK: p.AreaOK, SpotName: p.SpotName, Patron: p.PatronRef,
		Changes: w.Changes[:0], Handled: w.Handled[:0], Confirmed: w.Confirmed[:0],
	}
	if w.Patron == "" {
		w.Patron = t.patrons[p.Seat]
	}
}

func changeWager(r *record.Round, p *schema.WagerChanged, seq record.Seq) {
	w := wagerOf(r, p.WagerID)
	if w == nil {
		return
	}
	w.Changes = append(w.Changes, record.Change{Seq: seq, Amount: p.Delta})
	delta := max(p.Delta, -p.Delta)
	switch p.Change {
	case schema.WagerChangeRaised:
		w.Amount += delta
	case schema.WagerChangeLowered:
		w.Amount = max(w.Amount-delta, 0)
	case schema.WagerChangeWithdrawn:
		w.Gone = true
	case schema.WagerChangeMoved:
		w.Spot = baccarat.Spot(p.ToSpot)
	}
}

func (t *table) announce(s *shoe, r *record.Round, p *schema.Announced, seq record.Seq, b *rows.Set) {
	code := baccarat.Code(p.Code)
	if code == baccarat.LastHand {
		s.LastHandCalls = append(s.LastHandCalls, seq)
		return
	}
	r.Calls = append(r.Calls, record.Call{Seq: seq, Code: code, Hand: baccarat.Hand(p.Hand), Value: p.Value, Treasure: baccarat.Treasure(p.Treasure)})
	switch code {
	case baccarat.NoMoreBets:
		if r == s.round && !s.progress.betting {
			s.progress.betting = true
			t.ask(s, r, rules.Betting, b)
		}
	case baccarat.PlayerWins, baccarat.BankerWins, baccarat.TieHand:
		if r == s.round {
			s.progress.called = true
			t.dealt(s, r, b)
		}
	}
}

func (t *table) deal(s *shoe, r *record.Round, p *schema.CardDealt, seq record.Seq, b *rows.Set) {
	card, err := baccarat.ParseCard(p.Card)
	if err != nil {
		card = baccarat.Unread
	}
	carried := r.Carried != 0 && p.CardSeq == r.Carried
	if r == s.round && !carried {
		t.firstCard(s, r, seq, b)
	}
	r.Cards = append(r.Cards, record.DealtCard{
		Seq: seq, CardSeq: p.CardSeq, BySeat: p.BySeat, Hand: baccarat.Hand(p.Hand), Final: baccarat.Hand(p.Hand), Index: uint8(min(p.Index, 255)),
		Card: card, Face: baccarat.Face(p.Face), Place: baccarat.Place(p.PlacedAt), LeftHand: p.DrawingHand == schema.DealerHandLeft,
		Handed: p.DrawingHand != schema.DealerHandUnspecified, ByRole: baccarat.Role(p.ByRole), Reported: p.ReportedValue, HasReported: p.HasReportedValue,
		Back: p.BackColor, Carried: carried, Curator: t.curator,
	})
	r.Recompose()
	r.Curator, t.dealtBy = t.curator, p.BySeat
	if carried {
		return
	}
	// A card found face up has left the shoe already, also when it is dealt nevertheless.
	if !slices.ContainsFunc(s.FaceUps, func(f record.FoundFaceUp) bool { return f.CardSeq == p.CardSeq }) {
		t.out(s, card)
	}
	s.LastCard = seq
	r.Left = s.left()
}

// left is how many cards the shoe still holds, by its decks.
func (s *shoe) left() int { return max(int(52*s.Loaded.Decks)-int(s.Out), 0) }

// firstCard reaches the stages that a round's first card from the shoe begins.
func (t *table) firstCard(s *shoe, r *record.Round, seq record.Seq, b *rows.Set) {
	if t.prev != nil && s == t.shoe {
		if !t.prev.closed {
			t.prev.NextCard = seq
		}
		t.closePrev(b)
	}
	if !s.prepared {
		s.prepared = true
		t.prepare(s, b)
	}
	if s.settling != nil {
		s.settling.Next = seq
		t.settle(s, &s.settling, b)
	}
	t.changed(s, b)
	if r.FirstCard() == 0 {
		r.Before = len(s.Order)
	}
	if !s.progress.betting {
		s.progress.betting = true
		t.ask(s, r, rules.Betting, b)
	}
}

func reveal(r *record.Round, cardSeq uint32, seq record.Seq) {
	for i := range r.Cards {
		if c := &r.Cards[i]; c.CardSeq == cardSeq {
			c.Revealed = seq
		}
	}
}

func moveCard(r *record.Round, p *schema.CardMoved, seq record.Seq) {
	r.Moves = append(r.Moves, record.Move{Seq: seq, CardSeq: p.CardSeq, To: record.MovePlace(p.To)})
	to := baccarat.NoHand
	switch p.To {
	case schema.MovePlacePlayer:
		to = baccarat.Player
	case schema.MovePlaceBanker:
		to = baccarat.Banker
	case schema.MovePlaceUnderShoeRight, schema.MovePlaceLayout, schema.MovePlaceUnspecified:
		return
	}
	for i := range r.Cards {
		if c := &r.Cards[i]; c.CardSeq == p.CardSeq && c.Final != to {
			c.Final, c.Fate, c.FateAt = to, record.MovedAway, seq
			r.Recompose()
		}
	}
}

// carryCard keeps a card for the next round.
func (t *table) carryCard(s *shoe, cardSeq uint32, seq record.Seq) {
	s.carried = cardSeq
	for _, r := range []*record.Round{s.round, s.settling} {
		if r == nil {
			continue
		}
		for i := range r.Cards {
			if c := &r.Cards[i]; c.CardSeq == cardSeq {
				c.Final, c.Fate, c.FateAt = baccarat.NoHand, record.CarriedOver, seq
				r.Recompose()
			}
		}
	}
}

// seatOf is the seat of a step, which may leave it to its wager.
func seatOf(r *record.Round, wager int, said uint32) uint32 {
	if said == 0 && wager >= 0 {
		return r.Wagers[wager].Seat
	}
	return said
}

func (t *table) settlement(s *shoe, r *record.Round, kind record.StepKind, id string, seat uint32, amount int64, seq record.Seq, b *rows.Set) {
	at := r.WagerIndex(id)
	step := r.NewStep()
	*step = record.Step{Seq: seq, Kind: kind, Seat: seatOf(r, at, seat), Amount: amount, Wager: at, Wagers: step.Wagers[:0], By: t.now.Actor.ID}
	if at >= 0 {
		w := &r.Wagers[at]
		into := &w.Collected
		switch kind {
		case record.StepPaid:
			into = &w.Paid
		case record.StepReturned:
			into = &w.Returned
		}
		into.Seq = seq
		into.Times++
		into.Amount += amount
	}
	t.moved(s, r, b)
}

func (t *table) charge(s *shoe, r *record.Round, p *schema.VigorishCollected, seq record.Seq, b *rows.Set) {
	step := r.NewStep()
	named := step.Wagers[:0]
	for _, id := range p.WagerIDs {
		if at := r.WagerIndex(id); at >= 0 {
			named = append(named, at)
		}
	}
	kind := record.StepVigCollected
	if p.VigorishKind == schema.VigorishKindTie25 {
		kind = record.StepTieCharge
	}
	*step = record.Step{Seq: seq, Kind: kind, Seat: p.Seat, Amount: p.Amount, Wager: -1, Wagers: named, By: t.now.Actor.ID}
	t.moved(s, r, b)
}

// moved notes that money of a round moved: its hands are over, unless a card is still due.
func (t *table) moved(s *shoe, r *record.Round, b *rows.Set) {
	if r == s.round {
		s.progress.moneyMoved = true
		t.dealt(s, r, b)
	}
}
