package play

import (
	"fmt"

	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// fills notes that a round has more facts than it may have; the event is the last that the round takes.
func (t *Table) fills(c *turn, s *Shoe, r *record.Round) {
	if r.Full != 0 || !r.Exceeds(t.adds()) {
		return
	}
	r.Full, r.Missing = c.seq, true
	if r == s.Round {
		s.Progress.Dealt = true
	}
	c.yield(Stage{
		Kind: Crowded, Shoe: s, Round: r,
		Expected: fmt.Sprintf(
			"at most %d wagers, changes, cards, calls and motions of money in a round, and at most %d cards",
			record.MaxFacts, record.MaxDealt,
		),
		Observed: fmt.Sprintf(
			"%d in all, with %s, %s and %s of money: the round is not judged, and its later events are "+
				"left out", r.Facts(), schema.Count(len(r.Wagers), "wager"), schema.Count(len(r.Cards), "card"),
			schema.Count(len(r.Steps), "motion"),
		),
	})
}

// adds is how many facts the event adds to a round at most: two, a step and a change of its wager, and what it names.
func (t *Table) adds() int {
	switch p := t.now.Payload.(type) {
	case *schema.CardsHanded:
		return 2 + len(p.CardSeqs)
	case *schema.CardsReturned:
		return 2 + len(p.CardSeqs)
	case *schema.DiscardPlaced:
		return 2 + len(p.CardSeqs)
	case *schema.VigorishCollected:
		return 2 + len(p.WagerIDs)
	case *schema.WageringOpened:
		return 2 + len(p.Seats) + len(t.History.Occupied)
	default:
		return 2
	}
}

// firstOf are the first elements of a list of an event: enough to make a round exceed its limit.
func firstOf[T any](list []T) []T { return list[:min(len(list), record.MaxFacts+1)] }

// shoeFills notes that the record of a shoe has more entries than it may have, or spans too many events. Of its later
// events only the end counts.
func (t *Table) shoeFills(c *turn, s *Shoe) {
	if s == nil || s.Full != 0 {
		return
	}
	entries := s.Entries()
	for i := range s.Later {
		entries += 1 + len(s.Later[i].Wagers)
	}
	span := c.seq - s.First
	if entries <= record.MaxEntries && span <= record.MaxSpan {
		return
	}
	s.Full, s.Missing = c.seq, true
	if s == t.Shoe { // events about them may follow
		t.Dealer, t.DealtBy, t.Left, t.Curator, t.Gaps.Prepare = "", 0, Leaving{}, 0, true
	}
	for _, r := range [2]*record.Round{s.Settling, s.Round} {
		if r != nil {
			r.Missing = true
		}
	}
	c.yield(Stage{
		Kind: Crowded, Shoe: s,
		Expected: fmt.Sprintf(
			"at most %d entries in the record of a shoe, over at most %d events", record.MaxEntries, record.MaxSpan,
		),
		Observed: fmt.Sprintf(
			"%d entries over %s, with %s and vigorish owed for %s: the later events of the shoe are left out and not judged",
			entries, schema.Count(span, "event"), schema.Count(len(s.Rounds), "round"),
			schema.Count(len(s.Dues), "wager"),
		),
	})
}

// maxSeats is how many seats of a table may be occupied at most, maxItems how many items of its layout are attested.
const maxSeats, maxItems = 256, 256

// crowded notes that a table reports more occupied seats or more items of its layout than it may have. Those beyond the
// limit are left out.
func (t *Table) crowded(c *turn) {
	c.yield(Stage{
		Kind: Crowded, Expected: fmt.Sprintf("at most %d occupied seats and %d items of the layout", maxSeats, maxItems),
		Observed: "more of them: those beyond the limit are left out",
	})
}
