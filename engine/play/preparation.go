package play

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// maxBatches bounds the sets of decks of a table, newest last.
const maxBatches = 8

// foldCards takes in what is done with cards before they are in a shoe.
func (t *Table) foldCards(c *turn) {
	t.keep(t.now)
	switch p := t.now.Payload.(type) {
	case *schema.DeckReceived:
		t.received(c, t.batch(p.BatchID), p)
	case *schema.CardsInspected:
		t.inspected(c, t.batch(p.BatchID), p)
	case *schema.CardsVerified:
		t.verified(c, t.batch(p.BatchID), p)
	case *schema.CardsSpread:
		t.spread(c, t.batch(p.BatchID), p)
	case *schema.CardsViewed:
		b := t.batch(p.BatchID)
		if !repeats(b, b.Viewed, b.Viewers > 0 && b.Viewed > b.Spread) {
			b.Viewed, b.Viewers = c.seq, p.ParticipantsPresent
		}
	case *schema.CardsWashed:
		b := t.batch(p.BatchID)
		if s := t.Shoe; s != nil && s.LastCard != 0 && s.Ended.Seq == 0 && b.Dealt != 0 && s.Batch() == b.ID {
			s.Prep.Washed = cmp.Or(s.Prep.Washed, c.seq)
		}
		if !repeats(b, b.Washed, b.WashFace == baccarat.FaceDown && b.Washed > b.Viewed) {
			b.Washed, b.WashFace = c.seq, baccarat.Face(p.Face)
		}
	case *schema.CardsStacked:
		if b := t.batch(p.BatchID); !repeats(b, b.Stacked, b.Stacked > b.Washed) {
			b.Stacked = c.seq
		}
	case *schema.BatchReported:
		t.batchState(c, p)
	default: // fold sends nothing else
	}
}

// received takes in a receipt of decks. One that was published before, under another event id, changes nothing.
func (t *Table) received(c *turn, b *record.Batch, p *schema.DeckReceived) {
	back := record.Back{Color: p.BackColor, Design: p.BackDesign}
	if b.Receipts > 0 && b.Dealt == 0 && b.Decks == p.DeckCount && b.PreShuffled == p.PreShuffled &&
		back == (record.Back{Color: b.BackColor, Design: b.BackDesign}) {
		countDecks(b, p.DeckCount)
		return
	}
	t.forNew(b)
	if len(b.Backs) > 0 {
		countDecks(b, p.DeckCount)
	}
	b.ID, b.Received, b.Decks, b.PreShuffled = p.BatchID, c.seq, p.DeckCount, p.PreShuffled
	b.BackColor, b.BackDesign, b.Receipts = p.BackColor, p.BackDesign, b.Receipts+1
	b.Backs = append(b.Backs, back)
}

// verified takes in a verification. A further one, by another person, changes nothing.
func (t *Table) verified(c *turn, b *record.Batch, p *schema.CardsVerified) {
	another := b.VerifiedBy != "" && (b.Floor != "" && b.VerifiedBy != b.Floor || b.VerifiedBy == b.InspectedBy)
	right := b.VerifierRole == baccarat.RoleFloorperson && !another && b.Verified > b.Inspected
	if right && baccarat.Role(p.VerifierRole) != baccarat.RoleFloorperson || repeats(b, b.Verified, right) {
		return
	}
	b.Verified, b.VerifiedBy, b.VerifierRole = c.seq, p.VerifierID, baccarat.Role(p.VerifierRole)
	b.Floor = t.Floor
}

// spread takes in the spreading of the cards.
func (t *Table) spread(c *turn, b *record.Batch, p *schema.CardsSpread) {
	arranged := b.InSequence && (!b.Arranged || t.Law == nil || b.Columns == t.Law.SpreadColumns)
	if repeats(b, b.Spread, b.SpreadFace == baccarat.FaceUp && arranged && b.Spread > b.Verified) {
		return
	}
	b.Spread, b.SpreadFace, b.InSequence = c.seq, baccarat.Face(p.Face), p.SuitSequenceOK
	b.Arranged, b.Columns = p.Arrangement != 0, p.Arrangement == schema.ArrangementColumns
}

// inspected takes in an inspection. An inspection that is repeated after the cards were shuffled, or after another step
// that follows it, does not undo the first: the texts of New Jersey want one before the first shuffle. The text of New
// York wants a shuffle after the latest one. What another than the calling dealer inspected, the calling dealer may
// inspect until the first shuffle. N.J.A.C. 19:47-3.4; 9 NYCRR 5324.21(d).
func (t *Table) inspected(c *turn, b *record.Batch, p *schema.CardsInspected) {
	b.Missing, b.Extra = len(p.Missing), len(p.Extra)
	another := b.Calling != "" && b.InspectedBy != "" && b.InspectedBy != b.Calling
	// Another dealer who inspects as well takes nothing from the inspection by the dealer who calls the game.
	beside := b.Inspected != 0 && b.Calling != "" && b.InspectedBy == b.Calling && p.DealerID != "" &&
		p.DealerID != t.Calling
	if beside || repeats(b, b.Inspected, !another || b.Shuffled != 0) {
		b.Reinspected = c.seq
		return
	}
	b.Inspected, b.InspectedBy, b.NewDeckOrder = c.seq, p.DealerID, p.NewDeckOrder
	b.InspectedAs, b.Calling = baccarat.Role(t.now.Actor.Role), t.Calling
	if b.InspectedBy == "" && b.InspectedAs == baccarat.RoleDealer {
		b.InspectedBy = t.now.Actor.ID
	}
}

// repeats reports whether a step of the opening was done, was right, and another one followed it: to do it again
// replaces nothing. A step that was wrong, or that nothing followed, is done again.
func repeats(b *record.Batch, done record.Seq, right bool) bool {
	return done != 0 && right && max(b.Verified, b.Spread, b.Viewed, b.Washed, b.Stacked, b.Shuffled) > done
}

// forNew leaves of a batch what was done with the cards that are received now. What was reported before the first
// receipt, or since the cards before were dealt, was done with them: the receipt is recorded late.
func (t *Table) forNew(b *record.Batch) {
	s, done := t.Shoe, b.Dealt
	inPlay := s != nil && s.Batch() == b.ID && s.Out > 0 && s.Ended.Seq == 0 && t.History.Whole
	switch {
	case b.Receipts == 0 && (b.Dealt == 0 || inPlay):
		return
	case b.Dealt == 0:
		done = ^record.Seq(0)
	default:
		b.Backs, b.Counts = nil, nil // other cards take the place of those that were dealt
	}
	for _, step := range []*record.Seq{
		&b.Inspected, &b.Reinspected, &b.Verified, &b.Spread, &b.Viewed, &b.Washed, &b.Stacked,
	} {
		if *step <= done {
			*step = 0
		}
	}
	b.Shuffled, b.Reshuffled, b.Dealt = 0, 0, 0
}

// countDecks counts a further receipt of a batch.
func countDecks(b *record.Batch, decks uint32) {
	if len(b.Counts) == 0 {
		b.Counts = append(b.Counts, b.Decks)
	}
	if len(b.Counts) < record.MaxCounts {
		b.Counts = append(b.Counts, decks)
	}
}

// batchState notes where a batch is, and cards of two batches meeting in the discard rack.
func (t *Table) batchState(c *turn, p *schema.BatchReported) {
	at := t.History.BatchesAt
	report := record.BatchAt{
		Seq: c.seq, ID: p.BatchID, Decks: p.DeckCount, BackColor: p.BackColor, State: record.BatchState(p.State),
	}
	known := false
	for i := range at {
		if at[i].ID == p.BatchID {
			at[i], known = report, true
			continue
		}
		played := t.Shoe != nil && t.Shoe.Batch() == at[i].ID && t.Shoe.Out > 0
		mixes := report.ID != "" && at[i].ID != "" && (at[i].State == record.BatchInRack || played)
		if report.State == record.BatchInRack && mixes && t.Shoe != nil {
			t.Shoe.RackMixed = c.seq
		}
	}
	if !known {
		if len(at) == maxBatches {
			at = slices.Delete(at, 0, 1)
		}
		at = append(at, report)
	}
	t.History.BatchesAt = at
	if report.State == record.BatchInShuffler {
		t.shuffledAgain(c, p.BatchID)
	}
}

// rack notes cards of a shoe that come into the discard rack while another batch lies there.
func (t *Table) rack(s *Shoe, seq record.Seq) {
	for _, at := range t.History.BatchesAt {
		other := at.ID != "" && s.Batch() != "" && at.ID != s.Batch()
		if s == t.Shoe && s.RackMixed == 0 && other && at.State == record.BatchInRack {
			s.RackMixed, s.RackHeld = seq, at.Seq
		}
	}
}

// foldPreparation takes in how a shoe is made ready.
func (t *Table) foldPreparation(c *turn, s *Shoe) {
	prep := &s.Prep
	switch p := t.now.Payload.(type) {
	case *schema.ShoeShuffled:
		prep.Shuffles = append(prep.Shuffles, t.shuffle(c, p))
	case *schema.ShoeLaced:
		prep.Laced = append(prep.Laced, record.Laced{
			Seq: c.seq, Cards: p.CardCount, Uneven: strings.EqualFold(p.Evenness, "uneven"),
		})
	case *schema.CutOffered:
		t.firstOffer(prep)
		prep.Offers = append(prep.Offers, offerOf(c.seq, p))
	case *schema.ShoeCut:
		t.firstOffer(prep)
		prep.Cuts = append(prep.Cuts, record.Cut{
			Seq: c.seq, By: baccarat.Role(p.ByRole), Seat: p.Seat, Depth: p.DepthFromFront, Stack: p.StackSize,
		})
	case *schema.RecutOrdered:
		prep.Recuts = append(prep.Recuts, record.Recut{
			Seq: c.seq, By: baccarat.Role(p.ByRole), Reason: p.Reason, Late: s.Prepared, Burned: len(s.Burns) > 0,
		})
	case *schema.ShoeTransposed:
		prep.Transposed = append(prep.Transposed, record.Change{Seq: c.seq, Amount: int64(p.MovedCount)})
	case *schema.CutcardPlaced:
		prep.Cutcards = append(prep.Cutcards, record.PlacedCutcard{Seq: c.seq, Which: p.Which, Behind: p.CardsBehind})
	default:
		t.foldCurator(c, s)
	}
}

func offerOf(seq record.Seq, p *schema.CutOffered) record.CutOffer {
	return record.CutOffer{Seq: seq, Seat: p.Seat, Accepted: p.Accepted, BacksAway: p.BacksAwayFromDealer}
}

// firstOffer notes who sits at the table when the stack is first offered.
func (t *Table) firstOffer(prep *record.Preparation) {
	if len(prep.Offers) == 0 {
		prep.Occupied = append(prep.Occupied[:0], t.History.Occupied...)
	}
}

// foldCurator takes in who holds the shoe, or the bank.
func (t *Table) foldCurator(c *turn, s *Shoe) {
	switch p := t.now.Payload.(type) {
	case *schema.CuratorOffered:
		s.curatorStep(record.CuratorStep{
			Seq: c.seq, Kind: record.CuratorOffered, Seat: p.Seat, Accepted: p.Accepted,
			Occupied: t.History.Occupied,
		})
		t.History.CuratorOffers = true
		switch {
		case p.Accepted: // the participant to accept the shoe is the curator, N.J.A.C. 19:47-3.6(c)
			t.hold(p.Seat)
		case p.Seat == t.Curator:
			t.Released = true
		}
	case *schema.CuratorAssigned:
		s.curatorStep(record.CuratorStep{
			Seq: c.seq, Kind: record.CuratorAssigned, Seat: p.Seat, Occupied: t.History.Occupied,
		})
		t.hold(p.Seat)
	case *schema.CuratorPassed:
		s.curatorStep(record.CuratorStep{
			Seq: c.seq, Kind: record.CuratorPassed, Seat: p.Seat, Cause: record.PassCause(p.Cause), Ground: p.Ground,
			By: baccarat.Role(p.OrderedByRole),
		})
		t.Released = t.Released || p.Seat == t.Curator
	case *schema.BidOffered:
		s.Bids = append(s.Bids, record.Bid{Seq: c.seq, Seat: p.Seat, Amount: p.Amount})
	case *schema.BankerAssigned:
		s.Bids = append(s.Bids, record.Bid{Seq: c.seq, Seat: p.Seat, Amount: p.Amount, Assigned: true})
		t.hold(p.Seat)
	case *schema.BankerRelinquished:
		t.Curator = 0
	default: // nothing else is about a shoe outside its rounds
	}
}

// hold gives the shoe, or the bank, to a seat.
func (t *Table) hold(seat uint32) { t.Curator, t.Released, t.Left = seat, false, Leaving{} }

// holder is the seat of the curator, or of the Banker, 0 if the shoe was passed and not assigned again.
func (t *Table) holder() uint32 {
	if t.Released {
		return 0
	}
	return t.Curator
}

// drawsFor is the seat that has to draw a card. It is 0 if the curator, or the Banker, left the seat within the round,
// and another one draws: no sentence says who completes the round.
func (t *Table) drawsFor(r *record.Round, p *schema.CardDealt) uint32 {
	if first := r.FirstCard(); first != 0 && t.Left.Left > first && p.BySeat != t.holder() {
		return 0
	}
	return t.holder()
}

// leave notes that the patron of a seat goes. Who has the shoe, or the bank, has it no longer.
func (t *Table) leave(c *turn, p *schema.SeatVacated) {
	if seat := t.holder(); seat != 0 && seat == p.Seat {
		t.Left = Leaving{cmp.Or(t.Patrons[seat], p.PatronRef), record.Replaced{Left: c.seq}}
	}
}

// take notes who sits down in the seat of the curator, or of the Banker, after it was left.
func (t *Table) take(c *turn, p *schema.SeatOccupied) {
	switch l := &t.Left; {
	case l.Left == 0 || p.Seat != t.holder():
	case l.Patron != "" && l.Patron == p.PatronRef:
		*l = Leaving{}
	default:
		l.Taken, l.Another = c.seq, l.Patron != "" && p.PatronRef != ""
	}
}

// replaced is how another patron than the shoe or the bank was given to came to the seat that draws the first card of a
// round; zero if none did. After it that patron has the shoe, or the bank.
func (t *Table) replaced(s *Shoe, r *record.Round, p *schema.CardDealt) (by record.Replaced) {
	seat := t.holder()
	if seat == 0 || p.ByRole == schema.RoleDealer || p.BySeat != 0 && p.BySeat != seat {
		return by
	}
	if t.Left.Taken != 0 {
		by, t.Left = t.Left.Replaced, Leaving{}
	}
	before := s.bankBefore(seat)
	if r.Bank == 0 || before == "" {
		return by
	}
	switch now := &r.Wagers[r.Bank-1]; now.Patron {
	case "":
	case before:
		return record.Replaced{}
	default:
		by.Taken, by.Another = cmp.Or(by.Taken, now.Placed), true
	}
	return by
}

// bankBefore is the Banker of the round before at a seat. It is empty if the Banker is unknown, or if the bank was bid
// for or assigned since.
func (s *Shoe) bankBefore(seat uint32) string {
	if record.Any(s.Bids, func(b *record.Bid) bool { return b.Seq > s.LastCard }) {
		return ""
	}
	n, banker, patron := len(s.Bank), uint32(0), ""
	switch before := s.Settling; {
	case before != nil && before.Bank != 0:
		banker, patron = before.Wagers[before.Bank-1].Seat, before.Wagers[before.Bank-1].Patron
	case before == nil && n > 0:
		banker, patron = s.Bank[n-1].Banker, s.Bank[n-1].Patron
	}
	if banker != seat {
		return ""
	}
	return patron
}

// curatorStep notes a step with where it fell.
func (s *Shoe) curatorStep(step record.CuratorStep) {
	if r := s.Round; r != nil {
		step.Round = r.No
		step.InRound = len(r.Cards) > 0 && r.Ended.Seq == 0 && r.Voided.Seq == 0
		if len(r.Cards) == 0 && s.Settling != nil {
			step.Round = s.Settling.No
		}
	} else if n := len(s.Rounds); n > 0 {
		step.Round = s.Rounds[n-1].No
	}
	s.Curators = append(s.Curators, step)
}

// LastShoe is what a table takes from a shoe into the next.
type LastShoe struct {
	Curator, ToDeal uint32
	// Kept means that the banker hand lost the last round, and that the curator did not pass the shoe.
	Kept  bool
	Batch string
	Order []baccarat.Card
	Void  record.Seq
	Card  record.Seq
	Shoes int // since the table opened
	// Wagers are the ids of the wagers that still owed vigorish when the shoe was closed, and "" if others may have.
	Wagers []string `cbor:",omitempty"`
}

// bequeathHolder keeps who had a shoe when its play was over. The next shoe may have a curator of its own before this
// one is closed.
func (t *Table) bequeathHolder(s *Shoe) {
	t.Last.Curator, t.Last.ToDeal, t.Last.Kept = t.Curator, t.DealtBy, false
	if n := len(s.Rounds); n > 0 && !t.Released {
		r := &s.Rounds[n-1]
		t.Last.Kept = r.Result == baccarat.PlayerWon && r.Complete && !r.Missing && r.Curator == t.Curator &&
			!record.Any(s.Curators, func(step *record.CuratorStep) bool { return step.Seq > r.Card })
	}
}

// bequeath keeps what the next shoe needs from a shoe that is done.
func (t *Table) bequeath(s *Shoe) {
	l := &t.Last
	if s.Succeeded == 0 {
		t.bequeathHolder(s)
	}
	l.Batch = s.Loaded.Batch
	l.Order = append(l.Order[:0], s.Order...)
	l.Void, l.Card, l.Wagers = s.VoidedAt, s.LastCard, nil
	for i := range s.Dues {
		if d := &s.Dues[i]; d.Open() > 0 || d.CollectedAt == 0 {
			l.Wagers = append(l.Wagers, d.Wager)
		}
	}
	if s.Joined || s.Missing {
		l.Wagers = append(l.Wagers, "")
	}
	l.Shoes++
}

// inherit gives a shoe what came before it.
func (t *Table) inherit(s *Shoe) {
	l := &t.Last
	s.Prep.First, s.Prep.LastDealer, s.Prep.BatchBefore, s.Prep.VoidBefore = l.Shoes == 0, l.Curator, l.Batch, l.Void
	s.Prep.LastToDeal, s.Prep.LastKept, s.Prep.CardBefore = l.ToDeal, l.Kept, l.Card
	s.Prep.Before = append(s.Prep.Before[:0], l.Order...)
	t.History.Whole = !t.Joined && !t.Incomplete
}
