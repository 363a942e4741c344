package suspicion

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/engine/play"
	"github.com/shoeproof/shoeproof/record"
)

// viewRound makes the view of a round that is settled.
func (t *Table) viewRound(s *play.Shoe, r *record.Round) *detectors.Round {
	if t.shoe != s {
		t.begin(s)
	}
	t.cards.advance(s, r.Before)
	v := &t.view
	*v = detectors.Round{
		Location: detectors.Location{
			Property: t.Play.Property, Pit: s.Pit, Table: t.Play.ID, Shoe: s.ID, Round: r.No, At: r.At, Seq: r.Started,
		},
		Dealer: r.Dealer, Batch: s.Loaded.Batch, Shuffler: t.seen.Shuffler, Reader: t.seen.Reader,
		Decks: int(t.cards.Decks), Left: t.cards.Left, Locked: t.Log.Time(uint64(lockedBy(r))),
		First: t.Log.Time(uint64(r.FirstCard())), Ended: t.Log.Time(uint64(r.Ended.Seq)),
		Coup: *r.Coup(), Frozen: r.Missing, Cards: v.Cards[:0], Wagers: v.Wagers[:0],
	}
	for i := range r.Cards {
		if c := &r.Cards[i]; !c.Carried {
			read := detectors.Card{Card: c.Card, Hand: c.Hand, Index: c.Index}
			if r.Misreads[0].Card == i+1 || r.Misreads[1].Card == i+1 {
				read.Card, v.Misread = baccarat.Unread, true
			}
			v.Cards = append(v.Cards, read)
		}
	}
	t.cards.Dealt = append(t.cards.Dealt, v.Cards...)
	v.Offer = t.offerOf(s, r)
	if v.Offer != nil && v.Decks > 0 && v.Offer.Kernel.Odds(&v.Left, &t.odds) {
		v.Odds = &t.odds
	}
	v.Played = v.Counts(s.Law, play.Result(r) == baccarat.Void, play.Irregular(r))
	judged := t.Play.View(&t.pass, s, r)
	for i := range r.Wagers {
		v.Wagers = append(v.Wagers, t.viewWager(s, r, &r.Wagers[i], judged))
	}
	return v
}

// lockedBy is the event that ended the betting of a round, 0 if there was none.
func lockedBy(r *record.Round) record.Seq {
	if c := r.CallOf(baccarat.NoMoreBets); c != nil {
		return c.Seq
	}
	return 0
}

// offerOf is what the table offered in a round, nil if that is not known.
func (t *Table) offerOf(s *play.Shoe, r *record.Round) *detectors.Offer {
	if r.Config == nil || s.Law == nil {
		return nil
	}
	if t.law != s.Law || t.config != r.Config {
		t.law, t.config, t.offer = s.Law, r.Config, t.offer.Next(s.Law, r.Config)
	}
	return t.offer
}

func (t *Table) viewWager(s *play.Shoe, r *record.Round, w *record.Wager, judged bool) detectors.Wager {
	day, _ := t.Clock.Of(r.At)
	v := detectors.Wager{
		ID: w.ID, Patron: t.Rekey(w.Patron, day), Seat: w.Seat, Spot: w.Spot, SpotName: w.SpotName, Stake: w.Amount,
		Done:   w.Disposition(),
		Paid:   w.Net().Paid,
		AtLock: -1, AtSettlement: -1,
	}
	if judged {
		v.Ruled, v.Due = t.pass.Due(w)
	}
	if w.Gone {
		v.Stake = 0
	}
	placed := made(w)
	v.Placed = t.Log.Time(uint64(placed))
	v.Late = r.FirstCard() != 0 && placed > r.FirstCard()
	if read, ok := t.seen.take(w.ID); ok {
		v.AtLock, v.AtSettlement = read.Lock, read.Settlement
		v.HasReads = v.AtLock >= 0 && v.AtSettlement >= 0
	}
	if judged && r.Config != nil && r.Config.Reports(baccarat.FeedVigorish) {
		v.VigDue, v.VigTaken = vigorish(s, r, w.ID)
	}
	return v
}

// made is the event at which a wager was placed, raised or moved last. A move that the dealer took back does not count.
func made(w *record.Wager) record.Seq {
	at := w.Placed
	for i, c := range w.Changes {
		to, back := w.Spot, false
		if i+1 < len(w.Changes) {
			to, back = w.Changes[i+1].Spot, w.Changes[i+1].GivenBack
		}
		if moved := c.Spot != to && !back; !c.GivenBack && (c.Amount > 0 || moved) {
			at = c.Seq
		}
	}
	return at
}

// vigorish is what a wager of a round owes at least, and what was marked or taken.
func vigorish(s *play.Shoe, r *record.Round, wager string) (due, taken int64) {
	for i := len(s.Dues) - 1; i >= 0 && s.Dues[i].Round == r.No; i-- {
		d := &s.Dues[i]
		if d.Wager != wager || d.Tie {
			continue
		}
		vig, _ := s.Law.Rate(d.Kind, d.Percent)
		due = vig.Least(d.Won)
		taken = max(d.Marked, d.Collected, d.Took)
		if taken == 0 && d.CollectedAt != 0 {
			taken = due // taken together with others
		}
	}
	return due, taken
}

// begin turns to a shoe.
func (t *Table) begin(s *play.Shoe) {
	t.shoe = s
	if t.restored {
		t.host, t.restored = nil, false
	}
	decks := s.Loaded.Decks
	if decks == 0 && s.Config != nil {
		decks = s.Config.Decks
	}
	decks = min(decks, 100) // what detectors compute grows with it, and a record may have any number
	c := &t.cards
	c.Decks, c.Left, c.Out, c.Dealt = decks, exact.Full(int(decks)), 0, c.Dealt[:0]
	v := t.viewShoe(s)
	t.detectors().Begin(&v)
}

func (t *Table) viewShoe(s *play.Shoe) detectors.Shoe {
	return detectors.Shoe{
		Location: detectors.Location{
			Property: t.Play.Property, Pit: s.Pit, Table: t.Play.ID, Shoe: s.ID, At: s.At, Seq: s.First,
		},
		Dealer: t.Play.Dealer, Batch: s.Loaded.Batch, Shuffler: t.seen.Shuffler, Decks: int(t.cards.Decks),
		Before: t.cards.Before.Of(s.Batch()), Left: t.cards.Left, Whole: !s.Missing && !s.Joined, Lost: s.Missing,
	}
}

// advance counts out the cards up to a position.
func (c *Cards) advance(s *play.Shoe, to int) {
	for to = min(to, len(s.Order)); c.Out < to; c.Out++ {
		if card := s.Order[c.Out]; card != baccarat.Unread {
			c.Left[card]--
		}
	}
}

// detectors are the detectors of the shoe that is viewed, or of the next one: a count of the tray leaves nothing in
// them.
func (t *Table) detectors() *detectors.Host {
	if t.host == nil {
		t.host = detectors.NewLive(t.Budget)
	}
	return t.host
}
