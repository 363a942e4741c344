package engine

import (
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// maxBatches bounds the sets of decks that a table remembers, newest last.
const maxBatches = 8

// batch finds a set of decks of the table, or begins to remember it.
func (t *table) batch(id string) *record.Batch {
	list := t.memory.Batches
	for i := range list {
		if list[i].ID == id {
			return &list[i]
		}
	}
	if len(list) == maxBatches {
		list = slices.Delete(list, 0, 1)
	}
	t.memory.Batches = append(list, record.Batch{ID: id})
	return &t.memory.Batches[len(t.memory.Batches)-1]
}

// foldCards takes in what is done with cards before they are in a shoe.
func (t *table) foldCards(ev *schema.Event) {
	seq := record.Seq(ev.Seq)
	t.keep(ev)
	switch p := ev.Payload.(type) {
	case *schema.DeckReceived:
		b := t.batch(p.BatchID)
		*b = record.Batch{ID: p.BatchID, Received: seq, Decks: p.DeckCount, BackColor: p.BackColor, PreShuffled: p.PreShuffled}
	case *schema.CardsInspected:
		b := t.batch(p.BatchID)
		b.Inspected, b.InspectedBy, b.NewDeckOrder, b.Missing, b.Extra = seq, p.DealerID, p.NewDeckOrder, len(p.Missing), len(p.Extra)
	case *schema.CardsVerified:
		b := t.batch(p.BatchID)
		b.Verified, b.VerifiedBy, b.VerifierRole = seq, p.VerifierID, baccarat.Role(p.VerifierRole)
	case *schema.CardsSpread:
		b := t.batch(p.BatchID)
		b.Spread, b.SpreadFace, b.InSequence = seq, baccarat.Face(p.Face), p.SuitSequenceOK
		b.Arranged, b.Columns = p.Arrangement != 0, p.Arrangement == schema.ArrangementColumns
	case *schema.CardsViewed:
		b := t.batch(p.BatchID)
		b.Viewed, b.Viewers = seq, p.ParticipantsPresent
	case *schema.CardsWashed:
		b := t.batch(p.BatchID)
		b.Washed, b.WashFace = seq, baccarat.Face(p.Face)
	case *schema.CardsStacked:
		t.batch(p.BatchID).Stacked = seq
	case *schema.BatchReported:
		t.batchState(p, seq)
	default: // fold sends nothing else
	}
}

// batchState notes where a batch is, and cards of two batches meeting in the discard rack.
func (t *table) batchState(p *schema.BatchReported, seq record.Seq) {
	at := t.memory.BatchesAt
	report := record.BatchAt{Seq: seq, ID: p.BatchID, Decks: p.DeckCount, BackColor: p.BackColor, State: record.BatchState(p.State)}
	known := false
	for i := range at {
		if at[i].ID == p.BatchID {
			at[i], known = report, true
			continue
		}
		played := t.shoe != nil && t.shoe.Loaded.Batch == at[i].ID && t.shoe.Out > 0
		if report.State == record.BatchInRack && (at[i].State == record.BatchInRack || played) && t.shoe != nil {
			t.shoe.RackMixed = seq
		}
	}
	if !known {
		if len(at) == maxBatches {
			at = slices.Delete(at, 0, 1)
		}
		at = append(at, report)
	}
	t.memory.BatchesAt = at
}

// rack notes cards of a shoe that come into the discard rack while another batch lies there.
func (t *table) rack(s *shoe, seq record.Seq) {
	for _, at := range t.memory.BatchesAt {
		if s == t.shoe && s.RackMixed == 0 && at.ID != s.Loaded.Batch && at.State == record.BatchInRack {
			s.RackMixed, s.RackHeld = seq, at.Seq
		}
	}
}

// foldPreparation takes in how a shoe is made ready; false for other events.
func (t *table) foldPreparation(s *shoe, ev *schema.Event, seq record.Seq) bool {
	prep := &s.Prep
	switch p := ev.Payload.(type) {
	case *schema.ShoeShuffled:
		prep.Shuffles = append(prep.Shuffles, record.Shuffle{Seq: seq, Batch: p.BatchID, AfterLacing: p.Phase == schema.ShufflePhaseAfterLacing})
		if b := t.batch(p.BatchID); b.Shuffled == 0 {
			b.Shuffled = seq
		}
	case *schema.ShoeLaced:
		prep.Laced = append(prep.Laced, record.Laced{Seq: seq, Cards: p.CardCount})
	case *schema.CutOffered:
		if len(prep.Offers) == 0 {
			prep.Occupied = append(prep.Occupied[:0], t.memory.Occupied...)
		}
		prep.Offers = append(prep.Offers, record.CutOffer{Seq: seq, Seat: p.Seat, Accepted: p.Accepted, BacksAway: p.BacksAwayFromDealer})
	case *schema.ShoeCut:
		if len(prep.Offers) == 0 {
			prep.Occupied = append(prep.Occupied[:0], t.memory.Occupied...)
		}
		prep.Cuts = append(prep.Cuts, record.Cut{Seq: seq, By: baccarat.Role(p.ByRole), Seat: p.Seat, Depth: p.DepthFromFront, Stack: p.StackSize})
	case *schema.RecutOrdered:
		prep.Recuts = append(prep.Recuts, record.Recut{Seq: seq, By: baccarat.Role(p.ByRole), Reason: p.Reason, Late: s.prepared, Burned: len(s.Burns) > 0})
	case *schema.ShoeTransposed:
		prep.Transposed = append(prep.Transposed, record.Change{Seq: seq, Amount: int64(p.MovedCount)})
	case *schema.CutcardPlaced:
		prep.Cutcards = append(prep.Cutcards, record.PlacedCutcard{Seq: seq, Which: p.Which, Behind: p.CardsBehind})
	case *schema.CuratorOffered:
		t.curatorStep(s, ev, record.CuratorStep{Seq: seq, Kind: record.CuratorOffered, Seat: p.Seat, Accepted: p.Accepted, Occupied: slices.Clone(t.memory.Occupied)})
	case *schema.CuratorAssigned:
		t.curatorStep(s, ev, record.CuratorStep{Seq: seq, Kind: record.CuratorAssigned, Seat: p.Seat})
		t.curator = p.Seat
	case *schema.CuratorPassed:
		t.curatorStep(s, ev, record.CuratorStep{
			Seq: seq, Kind: record.CuratorPassed, Seat: p.Seat, Cause: record.PassCause(p.Cause), Ground: p.Ground, By: baccarat.Role(p.OrderedByRole),
		})
	case *schema.BidOffered:
		s.Bids = append(s.Bids, record.Bid{Seq: seq, Seat: p.Seat, Amount: p.Amount})
	case *schema.BankerAssigned:
		s.Bids = append(s.Bids, record.Bid{Seq: seq, Seat: p.Seat, Amount: p.Amount, Assigned: true})
		t.curator = p.Seat
	case *schema.BankerRelinquished:
		t.curator = 0
	default:
		return false
	}
	return true
}

// curatorStep notes a step with where it fell.
func (t *table) curatorStep(s *shoe, ev *schema.Event, step record.CuratorStep) {
	if r := s.round; r != nil {
		step.Round = r.No
		step.InRound = len(r.Cards) > 0 && r.Ended.Seq == 0 && r.Voided.Seq == 0
		if len(r.Cards) == 0 && s.settling != nil {
			step.Round = s.settling.No
		}
	} else if n := len(s.Rounds); n > 0 {
		step.Round = s.Rounds[n-1].No
	}
	s.Curators = append(s.Curators, step)
}

// foldSqueeze takes in cards handed to patrons, moved and put away; false for other events.
func (t *table) foldSqueeze(s *shoe, r *record.Round, ev *schema.Event, seq record.Seq) bool {
	switch p := ev.Payload.(type) {
	case *schema.CardsHanded:
		r.Squeezes = append(r.Squeezes, record.Squeeze{
			Seq: seq, Kind: record.SqueezeHanded, Hand: baccarat.Hand(p.Hand), Seat: p.Seat, Cards: slices.Clone(p.CardSeqs), Face: baccarat.Face(p.Face),
		})
	case *schema.CardsReturned:
		r.Squeezes = append(r.Squeezes, record.Squeeze{
			Seq: seq, Kind: record.SqueezeReturned, Hand: baccarat.Hand(p.Hand), Seat: p.Seat, Cards: slices.Clone(p.CardSeqs), Face: baccarat.Face(p.Face),
		})
		if p.Face == schema.FaceUp {
			for _, c := range p.CardSeqs {
				reveal(r, c, seq)
			}
		}
	case *schema.SqueezeOffered:
		r.Squeezes = append(r.Squeezes, record.Squeeze{Seq: seq, Kind: record.SqueezeOffered, Hand: baccarat.Hand(p.Hand), Seat: p.Seat, Accepted: p.Accepted, Occupied: slices.Clone(t.memory.Occupied)})
	case *schema.SqueezeRelinquished:
		r.Squeezes = append(r.Squeezes, record.Squeeze{
			Seq: seq, Kind: record.SqueezeRelinquished, Hand: baccarat.Hand(p.Hand), Seat: p.Seat, Cause: record.PassCause(p.Cause), Ground: p.Ground, By: baccarat.Role(p.OrderedByRole),
		})
	case *schema.DiscardPlaced:
		if strings.Contains(strings.ToLower(p.Destination), "rack") {
			t.rack(s, seq)
		}
		r.Discards = append(r.Discards, record.Discarded{Seq: seq, Cards: len(p.CardSeqs), Destination: p.Destination, InOrder: p.OrderPreserved})
		t.discard(r, p.CardSeqs, seq)
	case *schema.BankerWagered:
		w := r.NewWager()
		*w = record.Wager{
			ID: p.WagerID, Placed: seq, Seat: p.Seat, Spot: baccarat.SpotBanker, Amount: p.Amount, Medium: baccarat.Medium(p.Medium), AreaOK: true,
			Patron: t.patrons[p.Seat], Changes: w.Changes[:0], Handled: w.Handled[:0], Confirmed: w.Confirmed[:0],
		}
		r.Bank = len(r.Wagers)
	case *schema.BancoAnnounced:
		r.Bancos = append(r.Bancos, record.Banco{Seq: seq, Seat: p.Seat, Call: record.BancoCall(p.Call)})
	default:
		return false
	}
	return true
}

// discard takes cards beyond those due out of their hands when they are put away before the round's
// end; the cards of the round itself are put away after it.
func (t *table) discard(r *record.Round, cards []uint32, seq record.Seq) {
	for i := range r.Cards {
		c := &r.Cards[i]
		if slices.Contains(cards, c.CardSeq) && (c.Index <= 2 || (c.Index == 3 && r.Ended.Seq != 0)) {
			return
		}
	}
	for i := range r.Cards {
		c := &r.Cards[i]
		if slices.Contains(cards, c.CardSeq) {
			c.Final, c.Fate, c.FateAt = baccarat.NoHand, record.DiscardedCard, seq
			r.Recompose()
		}
	}
}

// carry is what a table takes from a shoe into the next.
type carry struct {
	lastDealer uint32
	lastToDeal uint32
	batch      string
	order      []baccarat.Card
	void       record.Seq
	shoes      int // since the table opened
}

// carryOn remembers a shoe that is done.
func (t *table) carryOn(s *shoe) {
	c := &t.carry
	c.lastDealer, c.lastToDeal, c.batch = t.curator, t.dealtBy, s.Loaded.Batch
	c.order = append(c.order[:0], s.Order...)
	c.void = s.voidedAt
	c.shoes++
}

// inherit gives a shoe what came before it.
func (t *table) inherit(s *shoe) {
	c := &t.carry
	s.Prep.First, s.Prep.LastDealer, s.Prep.BatchBefore, s.Prep.VoidBefore = c.shoes == 0, c.lastDealer, c.batch, c.void
	s.Prep.LastToDeal = c.lastToDeal
	s.Prep.Before = append(s.Prep.Before[:0], c.order...)
	t.memory.Whole = !t.joined && !t.holed
}
