package play

import (
	"time"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// maxAgain is how many events later an event may be published again under another id and number.
const maxAgain = 6

// publishedAgain reports whether an event is one of the latest events, published again under another id and number: it
// has its content and its time. Wagers, cards and motions of money have an id or a number of their own. The time of a
// clock that counts whole seconds proves nothing. A step of the preparation may be done twice and recorded at once:
// then the preparation is not proved.
func (t *Table) publishedAgain(c *turn, s *Shoe) bool {
	if c.at%int64(time.Second) == 0 {
		return false
	}
	is := func(seq record.Seq) bool { return seq != 0 && seq+maxAgain >= c.seq && t.TimeOf(uint64(seq)) == c.at }
	if p, ok := t.now.Payload.(*schema.ShoeBurned); ok {
		return burnedAgain(s.Burns, p, is)
	}
	if r := s.Live(c.round); r != nil {
		return roundAgain(r, t.now.Payload, is)
	}
	s.Gaps.Prepare = s.Gaps.Prepare || !s.Prepared && prepareAgain(&s.Prep, t.now.Payload, is)
	return offeredAgain(s, t.now.Payload, is)
}

// prepareAgain reports whether a shuffle, a transposing or a cutting card is there already.
func prepareAgain(prep *record.Preparation, p schema.Payload, is func(record.Seq) bool) bool {
	switch p := p.(type) {
	case *schema.ShoeShuffled:
		return record.Any(prep.Shuffles, func(h *record.Shuffle) bool { return is(h.Seq) && *h == shuffleOf(h.Seq, p) })
	case *schema.ShoeTransposed:
		return record.Any(prep.Transposed, func(c *record.Change) bool {
			return is(c.Seq) && c.Amount == int64(p.MovedCount)
		})
	case *schema.CutcardPlaced:
		return record.Any(prep.Cutcards, func(c *record.PlacedCutcard) bool {
			return is(c.Seq) && *c == record.PlacedCutcard{Seq: c.Seq, Which: p.Which, Behind: p.CardsBehind}
		})
	default:
		return false
	}
}

// burnedAgain reports whether a burn is there already. One that took fewer cards than its first card calls for may have
// gone on.
func burnedAgain(burns []record.Burn, p *schema.ShoeBurned, is func(record.Seq) bool) bool {
	return record.Any(burns, func(b *record.Burn) bool {
		return is(b.Seq) && b.Indicator != baccarat.Unread && b.Indicator == readCard(p.Indicator) &&
			b.Count == p.Count && int(b.Count) >= b.Indicator.BurnValue() &&
			b.Opening == (p.Reason == schema.BurnReasonOpening)
	})
}

// offeredAgain reports whether an offer of the cut, an order to recut, or an offer, an assignment or a pass of the
// shoe is there already.
func offeredAgain(s *Shoe, p schema.Payload, is func(record.Seq) bool) bool {
	step := record.CuratorStep{}
	switch p := p.(type) {
	case *schema.CutOffered:
		return record.Any(s.Prep.Offers, func(o *record.CutOffer) bool { return is(o.Seq) && *o == offerOf(o.Seq, p) })
	case *schema.RecutOrdered:
		return record.Any(s.Prep.Recuts, func(r *record.Recut) bool {
			return is(r.Seq) && r.By == baccarat.Role(p.ByRole) && r.Reason == p.Reason
		})
	case *schema.CuratorOffered:
		step.Kind, step.Seat, step.Accepted = record.CuratorOffered, p.Seat, p.Accepted
	case *schema.CuratorAssigned:
		step.Kind, step.Seat = record.CuratorAssigned, p.Seat
	case *schema.CuratorPassed:
		step.Kind, step.Seat, step.Cause = record.CuratorPassed, p.Seat, record.PassCause(p.Cause)
		step.Ground, step.By = p.Ground, baccarat.Role(p.OrderedByRole)
	default:
		return false
	}
	return record.Any(s.Curators, func(o *record.CuratorStep) bool {
		return is(o.Seq) && o.Kind == step.Kind && o.Seat == step.Seat && o.Accepted == step.Accepted &&
			o.Cause == step.Cause && o.Ground == step.Ground && o.By == step.By
	})
}

// roundAgain reports whether a call, an instruction, a change of a wager or the end of a round is there already.
func roundAgain(r *record.Round, p schema.Payload, is func(record.Seq) bool) bool {
	switch p := p.(type) {
	case *schema.Announced:
		return record.Any(r.Calls, func(a *record.Call) bool { return is(a.Seq) && *a == callOf(a.Seq, p) })
	case *schema.DealInstructed:
		return record.Any(r.Instructions, func(i *record.Instructed) bool {
			return is(i.Seq) && *i == instructionOf(i.Seq, p)
		})
	case *schema.WagerChanged:
		return changedAgain(wagerOf(r, p.WagerID), p, is)
	case *schema.RoundEnded:
		was := r.Corrected
		return was.Seq != 0 && is(was.Seq) && was == endOf(&turn{seq: was.Seq}, p)
	default:
		return false
	}
}

// changedAgain reports whether a change of a wager is there already. Of a raise or a lowering the amount is not known
// then: two equal chips may be seen at one moment.
func changedAgain(w *record.Wager, p *schema.WagerChanged, is func(record.Seq) bool) bool {
	if w == nil {
		return false
	}
	at := record.Index(w.Changes, func(c *record.WagerChange) bool { return is(c.Seq) && changesAgain(w, c, p) })
	if at < 0 {
		return false
	}
	c := &w.Changes[at]
	c.Unread = c.Unread || c.Amount != 0
	return true
}

// changesAgain reports whether a change of a wager has the content of an event.
func changesAgain(w *record.Wager, c *record.WagerChange, p *schema.WagerChanged) bool {
	switch p.Change {
	case schema.WagerChangeRaised:
		return c.Amount > 0 && c.Amount == magnitude(p.Delta)
	case schema.WagerChangeLowered:
		return c.Withdrawn || c.Amount < 0 && -c.Amount == magnitude(p.Delta)
	case schema.WagerChangeWithdrawn:
		return c.Withdrawn
	case schema.WagerChangeMoved:
		moved := c.Amount == 0 && !c.Withdrawn && !c.Unread
		return moved && w.Spot == baccarat.Spot(p.ToSpot) && w.SpotName == p.ToSpotName
	default:
		return false
	}
}
