package play

import (
	"fmt"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// compare reports what an event says about the table, the shoe or the round that earlier events contradict, where no
// rule reads it. The event is folded as it is. The round is nil for what happens outside rounds. Where events are lost,
// the record does not contradict.
func (t *Table) compare(c *turn, s *Shoe, r *record.Round) {
	want, got := "", ""
	if r != nil {
		want, got = t.compareRound(s, r)
	} else if !s.Missing && !s.Joined {
		want, got = t.compareShoe(s)
	}
	if want != "" {
		c.yield(Stage{Kind: Inconsistent, Shoe: s, Round: r, Expected: want, Observed: got})
	}
}

func (t *Table) compareRound(s *Shoe, r *record.Round) (want, got string) {
	switch p := t.now.Payload.(type) {
	case *schema.WagerPlaced:
		if p.Coupon > p.Amount && p.Amount != 0 {
			return "a coupon that is part of the wager", fmt.Sprintf("wager %s with a coupon above its amount", p.WagerID)
		}
		return seatExists(r, p.Seat, p.WagerID)
	case *schema.BankerWagered:
		return seatExists(r, p.Seat, p.WagerID)
	case *schema.CardDealt:
		known := cardOf(r, p.CardSeq) != nil // published before
		if !known && p.Index != 0 && !r.Missing && record.Any(r.Cards, func(d *record.DealtCard) bool {
			return d.Hand == baccarat.Hand(p.Hand) && uint32(d.Index) >= p.Index
		}) {
			return "the cards of a hand in the order of their index",
				fmt.Sprintf("card %d of the %v after a card of the same or a higher index", p.Index, p.Hand)
		}
	case *schema.CardRevealed:
		if !r.Missing && p.CardSeq != 0 && cardOf(r, p.CardSeq) == nil {
			return "a card of the round", fmt.Sprintf("card %d revealed, which the round does not have", p.CardSeq)
		}
	case *schema.RoundEnded:
		if r.Voided.Seq != 0 && p.Result != schema.ResultVoid && p.Result != schema.ResultUnspecified {
			return "VOID, as the round was declared", fmt.Sprintf("%v recorded", p.Result)
		}
	default: // nothing else repeats what the round has
	}
	return "", ""
}

// seatExists compares the seat of a wager with those of the configuration.
func seatExists(r *record.Round, seat uint32, wager string) (want, got string) {
	if seat == 0 || r.Config == nil || len(r.Config.Seats) == 0 || slices.Contains(r.Config.Seats, seat) {
		return "", ""
	}
	return "a seat of the table's configuration", fmt.Sprintf("wager %s at seat %d", wager, seat)
}

func (t *Table) compareShoe(s *Shoe) (want, got string) {
	switch p := t.now.Payload.(type) {
	case *schema.ShoeLaced:
		return otherBatch(s, p.BatchID, "laced")
	case *schema.ShoeTransposed:
		return otherBatch(s, p.BatchID, "transposed")
	case *schema.CuratorPassed:
		if t.Curator != 0 && p.Seat != 0 && p.Seat != t.Curator {
			return fmt.Sprintf("the shoe passed by seat %d, which has it", t.Curator), fmt.Sprintf("by seat %d", p.Seat)
		}
	case *schema.BankerRelinquished:
		if t.Curator != 0 && p.Seat != 0 && p.Seat != t.Curator {
			return fmt.Sprintf("the bank relinquished by seat %d, which has it", t.Curator), fmt.Sprintf("by seat %d", p.Seat)
		}
	default: // nothing else repeats what the shoe has
	}
	return "", ""
}

// otherBatch compares the batch of a step with the batch that was shuffled.
func otherBatch(s *Shoe, batch, step string) (want, got string) {
	shuffles := s.Prep.Shuffles
	if batch == "" || len(shuffles) == 0 || record.Any(shuffles, func(h *record.Shuffle) bool {
		return h.Batch == "" || h.Batch == batch
	}) {
		return "", ""
	}
	return fmt.Sprintf("batch %s, which was shuffled, %s", shuffles[0].Batch, step), "batch " + batch
}
