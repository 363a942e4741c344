package play

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/record"
	"github.com/shoeproof/shoeproof/schema"
)

// fold takes one event into the state of its table. Every kind of the contract has its place here: a new one does not
// pass the linter until it has.
func (t *Table) fold(c *turn) {
	switch p := t.now.Payload.(type) {
	case *schema.TableOpened:
		t.openTable(c, p)
	case *schema.TableConfigured:
		t.reconfigure(c, p)
	case *schema.TableClosed:
		t.closeTable(c)
	case *schema.NoticeFiled:
		t.noticeFiled(c, p)
	case *schema.NoticePosted:
		t.noticePosted(c, p)
	case *schema.LayoutAttested:
		t.attest(c, p)
	case *schema.DealerAssigned:
		if p.Position != schema.DealerPositionPaying {
			t.Dealer = p.DealerID
		}
		if p.Position == schema.DealerPositionCalling {
			t.Calling = p.DealerID
		}
	case *schema.FloorAssigned:
		t.Floor = p.FloorpersonID
	case *schema.SeatOccupied:
		t.take(c, p)
		t.occupy(c, p)
	case *schema.SeatVacated:
		t.leave(c, p)
		t.vacate(c, p)
	case *schema.DeckReceived, *schema.CardsInspected, *schema.CardsVerified, *schema.CardsSpread, *schema.CardsViewed,
		*schema.CardsWashed, *schema.CardsStacked:
		t.foldCards(c)
	case *schema.BatchReported:
		t.endShuffled(c, p)
		t.foldCards(c)
	case *schema.ShoeShuffled, *schema.ShoeLaced, *schema.CutOffered, *schema.ShoeCut, *schema.RecutOrdered,
		*schema.ShoeTransposed, *schema.CutcardPlaced, *schema.ShoeLoaded, *schema.ShoeBurned, *schema.CuratorOffered,
		*schema.CuratorAssigned, *schema.CuratorPassed, *schema.CutcardSeen, *schema.ShoeEnded, *schema.BidOffered,
		*schema.BankerAssigned, *schema.BankerRelinquished:
		t.foldPlay(c)
	case *schema.RoundStarted, *schema.WagerPlaced, *schema.WagerChanged, *schema.WagerHandled, *schema.VerbalConfirmed,
		*schema.CashConverted, *schema.Announced, *schema.DealInstructed, *schema.CardDealt, *schema.CardRevealed,
		*schema.CardMoved, *schema.CardCarriedOver, *schema.CardFoundFaceup, *schema.CardTouched,
		*schema.SqueezeOffered,
		*schema.SqueezeRelinquished, *schema.CardsHanded, *schema.CardsReturned, *schema.WagerCollected,
		*schema.WagerPaid,
		*schema.WagerReturned, *schema.VigorishMarked, *schema.VigorishCollected, *schema.VigorishMarkerRemoved,
		*schema.DiscardPlaced, *schema.RoundVoided, *schema.RoundEnded, *schema.BankerWagered, *schema.BancoAnnounced,
		*schema.WageringOpened:
		t.foldPlay(c)
	case *schema.ChipsFilled, *schema.ChipsCredited, *schema.TrayCounted, *schema.DropRemoved, *schema.StakeRead,
		*schema.DeviceReported:
		// For detectors; no rule uses them.
	}
}

func (t *Table) attest(c *turn, p *schema.LayoutAttested) {
	if _, known := t.History.Attested[p.Item]; !known && len(t.History.Attested) >= maxItems {
		t.crowded(c)
		return
	}
	t.History.Attested[p.Item] = record.Attested{Seq: c.seq, At: c.at, Present: p.Present}
	t.keep(t.now)
}

func (t *Table) occupy(c *turn, p *schema.SeatOccupied) {
	before := t.History.Occupied
	at, found := slices.BinarySearch(before, p.Seat)
	if !found && len(before) >= maxSeats {
		t.Gaps.Seating = true
		t.crowded(c)
		return
	}
	t.Patrons[p.Seat] = p.PatronRef
	if !found {
		t.History.Occupied = slices.Concat(before[:at], []uint32{p.Seat}, before[at:])
	}
}

func (t *Table) vacate(c *turn, p *schema.SeatVacated) {
	delete(t.Patrons, p.Seat)
	if t.Shoe != nil && t.Shoe.Round != nil {
		for i := range t.Shoe.Round.Wagers {
			if w := &t.Shoe.Round.Wagers[i]; w.Seat == p.Seat && w.Left == 0 {
				w.Left = c.seq
			}
		}
	}
	if at, found := slices.BinarySearch(t.History.Occupied, p.Seat); found {
		t.History.Occupied = slices.Delete(slices.Clone(t.History.Occupied), at, at+1)
	}
}

// foldPlay takes in what happens to a shoe, in a round or outside of one.
func (t *Table) foldPlay(c *turn) {
	s := t.shoeOf(c)
	if s == nil {
		switch p, ok := t.now.Payload.(*schema.VigorishCollected); {
		case ok && t.owedHere(p) && slices.Contains(t.Last.Wagers, ""): // of the one shoe or the other
			t.Shoe.Collections = append(t.Shoe.Collections, record.Collection{Seq: c.seq, Seat: p.Seat})
		case ok && t.owedHere(p):
			c.reach(Misplaced, t.Shoe, nil)
			t.collect(c, t.Shoe, p)
		case ok:
			t.keep(t.now)
			t.History.CollectDebt(p.Seat, p.Amount, c.seq, c.at)
		}
		return
	}
	if s != t.Shoe && s.LastCard != 0 && t.ofPreparation() {
		t.misplaced(c)
		c.reach(Misplaced, t.Shoe, nil)
		return
	}
	if _, ends := t.now.Payload.(*schema.ShoeEnded); s.Full != 0 && !ends || t.publishedAgain(c, s) {
		return
	}
	t.act(c, s)
	if c.round == 0 {
		c.round = s.unnumbered(t.now.Payload)
	}
	if c.round == 0 || !t.foldRound(c, s) {
		t.foldShoe(c, s)
	}
	t.shoeFills(c, t.Prev)
	t.shoeFills(c, t.Shoe)
}

// unnumbered is the number of the round of a wager that is handled, or of a card that is revealed: the event need not
// name the round. It is 0 for other events.
func (s *Shoe) unnumbered(p schema.Payload) uint32 {
	for _, r := range [2]*record.Round{s.Round, s.Settling} {
		switch p := p.(type) {
		case *schema.WagerHandled:
			if r != nil && r.WagerIndex(p.WagerID) >= 0 {
				return r.No
			}
		case *schema.CardRevealed:
			if r != nil && r.Card(p.CardSeq) != nil {
				return r.No
			}
		default:
			return 0
		}
	}
	return 0
}

// foldShoe takes in what happens to a shoe outside its rounds.
func (t *Table) foldShoe(c *turn, s *Shoe) {
	switch p := t.now.Payload.(type) {
	case *schema.ShoeLoaded:
		s.Prep.Loads = append(s.Prep.Loads, c.seq)
		before := s.Loaded
		s.Loaded = record.Loaded{
			Seq: c.seq, Decks: p.DeckCount, CuttingCards: p.CuttingCards, Batch: p.BatchID,
			BackColor: p.BackColor, BackDesign: p.BackDesign, Location: p.Location,
			DealingShoe: p.Device == schema.ShoeDeviceDealingShoe, OtherDevice: p.Device == schema.ShoeDeviceOther,
		}
		if before.Seq != 0 {
			if before.Seq = c.seq; before != s.Loaded {
				t.dispute(c, s, nil)
			}
		}
	case *schema.ShoeBurned:
		t.burn(c, s, p)
	case *schema.CutcardSeen:
		s.cutcard(c, p)
	case *schema.ShoeEnded:
		if s.Ended.Seq != 0 && s.Ended.Remaining != p.Remaining {
			t.dispute(c, s, nil)
		}
		s.Ended, s.EndedAt = record.ShoeEnded{Seq: c.seq, Remaining: p.Remaining}, c.at
		if s == t.Shoe && !s.settlementDue() {
			t.endShoe(c)
		}
	case *schema.Announced:
		if baccarat.Code(p.Code) == baccarat.LastHand {
			s.LastHandCalls = append(s.LastHandCalls, c.seq)
		}
	case *schema.CardFoundFaceup:
		s.faceUp(c, p)
	case *schema.CardTouched:
		t.touchBetween(c, s, p)
	case *schema.VigorishCollected:
		t.collectLate(c, s, p)
	case *schema.VigorishMarkerRemoved:
		t.takeOff(c, s, p)
	case *schema.VigorishMarked:
		t.markSettled(c, s, p)
	case *schema.CardCarriedOver:
		t.carry(c, s, p.CardSeq)
	default:
		t.foldPreparation(c, s)
	}
}
