package play

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
)

// moveUnreported moves a third card that the player hand should not have had to a banker hand that must draw, if the
// final counts have it there, and not where it was dealt: that is its remedy, and the move was not reported. It reports
// whether the recorded end has yet to decide. N.J.A.C. 19:47-3.12(a).
func (s *Shoe) moveUnreported(r *record.Round) (undecided bool) {
	before := *r.Coup()
	if before.NP != 3 || before.NB != 2 || !s.cites("irreg.player-extra.to-banker", r) {
		return false
	}
	at := record.Index(r.Cards, func(d *record.DealtCard) bool {
		return d.Index == 3 && d.Final == baccarat.Player && d.Hand == d.Final && d.Fate == record.Kept
	})
	l := s.LawOf(r)
	if at < 0 || l.Drawing.PlayerDraws(before.P2, before.B2) {
		return false
	}
	d, third := &r.Cards[at], baccarat.NoThird
	if l.ExtraCounts {
		third = d.Card.Value()
	}
	if !l.Drawing.BankerDraws(before.P2, before.B2, third) {
		return false
	}
	d.Final = baccarat.Banker
	r.Recompose()
	moved, kept := finalCounts(r, r.Coup()), finalCounts(r, &before)
	if moved != 0 && kept == 0 {
		d.Fate, d.FateAt = record.MovedAway, moved
		return false
	}
	d.Final = baccarat.Player
	r.Recompose()
	return kept == 0 && r.Ended.Seq == 0
}

// finalCounts is the event that calls or records the final counts of a round, 0 if a coup has other counts. Of several
// calls for a hand the last one counts.
func finalCounts(r *record.Round, c *baccarat.Coup) (by record.Seq) {
	var called [2]bool
	for i := range r.Calls {
		call := &r.Calls[i]
		if contradicts(call, c) && !corrected(r, i) {
			return 0
		}
		if call.Code == baccarat.FinalCount && call.Hand != baccarat.NoHand {
			called[call.Hand-baccarat.Player], by = true, call.Seq
		}
	}
	switch {
	case r.Ended.Seq != 0 && r.Ended.MatchesCounts(c):
		return r.Ended.Seq
	case r.Ended.Seq == 0 && called == [2]bool{true, true}:
		return by
	}
	return 0
}

// corrected reports whether a call of a final count is followed by another one for its hand.
func corrected(r *record.Round, i int) bool {
	return record.Any(r.Calls[i+1:], func(c *record.Call) bool {
		return c.Code == baccarat.FinalCount && c.Hand == r.Calls[i].Hand
	})
}

// contradicts reports whether a call gives a hand another final count than its cards.
func contradicts(call *record.Call, c *baccarat.Coup) bool {
	count := uint32(c.P)
	if call.Hand == baccarat.Banker {
		count = uint32(c.B)
	}
	return call.Code == baccarat.FinalCount && call.Hand != baccarat.NoHand && call.Value != count
}
