package shoe

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// alternate exchanges the batch in play for the batch in the shuffling device.
func (w *Writer) alternate() {
	w.ShoeID = ""
	was, back := w.Batch, w.BackColor
	w.Batch, w.BackColor = w.Table+"-b1", "red"
	if was == w.Batch {
		w.Batch, w.BackColor = w.Table+"-b2", "blue"
	}
	w.Emit(&schema.BatchReported{
		BatchID: was, DeckCount: w.Config.Decks, BackColor: back,
		State: schema.BatchStateInShuffler,
	})
	w.Emit(&schema.BatchReported{
		BatchID: w.Batch, DeckCount: w.Config.Decks, BackColor: w.BackColor,
		State: schema.BatchStateInPlay,
	})
}

// Prepare emits a shoe from its shuffle to the first round.
func (w *Writer) Prepare(s *Plan) {
	w.out = slices.Grow(w.out, 35*len(s.Rounds))
	total := int(w.Config.Decks) * 52
	w.ShoeID, w.RoundNumber, w.cardSeq, w.cuttingCardRound, w.carried = s.ID, 0, 0, 0, 0
	w.cuttingCardAt = total - s.Behind
	if s.Preparation != nil {
		w.replay(s.Preparation)
		w.cardSeq = len(s.Burn)
		return
	}
	if w.Config.AutomatedShuffler {
		w.alternate()
		w.ShoeID = s.ID
	}
	if w.early != s.ID {
		w.Shuffle()
	}
	w.Emit(&schema.ShoeLaced{BatchID: w.Batch, CardCount: s.Laced, Evenness: "even"})
	if w.Config.ReshuffleAfterLacing {
		w.Emit(&schema.ShoeShuffled{
			BatchID: w.Batch, Phase: schema.ShufflePhaseAfterLacing,
			Method: schema.ShuffleMethodManual,
		})
	}
	for _, o := range s.CutOffers {
		w.Emit(&schema.CutOffered{Seat: o.Seat, Accepted: o.Accepted, BacksAwayFromDealer: true})
	}
	w.cut(s.CutBy, s.CutDepth)
	depth := s.CutDepth
	if s.Recut != nil {
		w.afterCut(depth, s.Behind+9, s.Recut.After)
		if s.Recut.After > 3 {
			w.burn(s.Burn)
		}
		w.emitBy(&schema.RecutOrdered{ByRole: schema.RoleSupervisor, ByID: w.Supervisor, Reason: "cut not square"},
			schema.Actor{Role: schema.RoleSupervisor, ID: w.Supervisor})
		depth = s.Recut.Depth
		w.cut(s.Recut.Seat, depth)
	}
	w.afterCut(depth, s.Behind, 3)
	if s.Recut != nil && s.Recut.After > 3 {
		w.burn(s.Recut.Burn)
	} else {
		w.burn(s.Burn)
	}
	if w.House.Punto && !s.KeepsCurator {
		w.chooseCurator(s, 0)
	}
}

// afterCut emits the first steps that follow a cut, at most all three of them.
func (w *Writer) afterCut(depth uint32, behind, steps int) {
	if steps > 0 {
		w.Emit(&schema.ShoeTransposed{BatchID: w.Batch, MovedCount: depth})
	}
	if steps > 1 {
		w.Emit(&schema.CutcardPlaced{Which: 1, CardsBehind: uint32(behind)})
		w.Emit(&schema.CutcardPlaced{Which: 2})
	}
	if steps > 2 {
		w.Emit(&schema.ShoeLoaded{
			BatchID: w.Batch, DeckCount: w.Config.Decks, CuttingCards: 2, BackColor: w.BackColor,
			BackDesign: w.backDesign, Device: schema.ShoeDeviceDealingShoe, Location: "dealer-left",
		})
	}
}

// cut emits a cut by a seat, 0 for the dealer.
func (w *Writer) cut(seat, depth uint32) {
	stack := w.Config.Decks*52 - uint32(w.cardSeq)
	p := &schema.ShoeCut{ByRole: schema.RoleDealer, DepthFromFront: depth, StackSize: stack}
	by := w.dealer
	if seat > 0 {
		p.ByRole, p.Seat = schema.RolePatron, seat
		by = w.patron(seat)
	}
	w.emitBy(p, by)
}

// ShuffleOther emits the shuffle of the batch that is not in play, for the shoe with an id, while the present shoe is
// dealt.
func (w *Writer) ShuffleOther(id string) {
	shoe, round, batch := w.ShoeID, w.RoundNumber, w.Batch
	w.early, w.ShoeID, w.RoundNumber = id, id, 0
	w.Batch = w.Table + "-b1"
	if batch == w.Batch {
		w.Batch = w.Table + "-b2"
	}
	w.emitBy(&schema.ShoeShuffled{
		BatchID: w.Batch, Phase: schema.ShufflePhaseInitial, Method: schema.ShuffleMethodDevice,
	}, schema.Actor{Role: schema.RoleDevice})
	w.ShoeID, w.RoundNumber, w.Batch = shoe, round, batch
}

// Shuffle emits the shuffle that begins a shoe.
func (w *Writer) Shuffle() {
	p := &schema.ShoeShuffled{BatchID: w.Batch, Phase: schema.ShufflePhaseInitial, Method: schema.ShuffleMethodManual}
	if w.Config.AutomatedShuffler {
		p.Method = schema.ShuffleMethodDevice
	}
	w.Emit(p)
}

func (w *Writer) burn(cards []Card) {
	if len(cards) == 0 {
		return
	}
	b := &schema.ShoeBurned{
		Reason: schema.BurnReasonOpening, Indicator: cards[0].String(), Count: uint32(len(cards) - 1),
		Cards: cardNames(cards[1:]), Shown: schema.BurnShownAll, Destination: w.House.burnedTo(),
	}
	if !w.House.NewYork {
		b.Discarded = schema.BurnDiscardedAfterShown
	} else {
		b.Shown = schema.BurnShownFirstOnly
		for i := range b.Cards {
			b.Cards[i] = "??"
		}
	}
	w.Emit(b)
	w.cardSeq += len(cards)
}

// chooseCurator offers the shoe to the seats in order and assigns it to the first that accepts.
func (w *Writer) chooseCurator(s *Plan, after uint32) {
	for _, o := range CuratorOffers(w.seats, s.Declining, after) {
		w.Emit(&schema.CuratorOffered{Seat: o.Seat, Accepted: o.Accepted})
		if o.Accepted {
			w.Curator = o.Seat
			w.Emit(&schema.CuratorAssigned{Seat: o.Seat})
		}
	}
}

// CuratorOffers returns the offers of the shoe. They run counterclockwise from the seat after the one given, 0 for
// the lowest seat, until a seat accepts; the last seat always does.
func CuratorOffers(seats []Occupant, shy []uint32, after uint32) []Offer {
	first, last := 0, len(seats)
	for i, s := range seats {
		if s.Seat <= after {
			first = i + 1
		}
		if s.Seat == after && len(seats) > 1 {
			last--
		}
	}
	var out []Offer
	for k := range last {
		seat := seats[(first+k)%len(seats)].Seat
		takes := k == last-1 || !slices.Contains(shy, seat)
		out = append(out, Offer{seat, takes})
		if takes {
			break
		}
	}
	return out
}

// Finish emits the end of a shoe and the collection of the outstanding vigorish.
func (w *Writer) Finish(s *Plan) {
	w.RoundNumber = 0
	w.Emit(&schema.ShoeEnded{Reason: "cutting card", Remaining: uint32(int(w.Config.Decks)*52 - w.cardSeq)})
	for _, at := range slices.Backward(slices.Clone(w.seats)) {
		w.collectMarks(Collection{Seat: at.Seat}, s.RoundsUpOutstanding)
	}
	w.countTray(schema.TrayOccasionCheck, s.Fill, s.Missing)
	w.ShoeID = ""
}

// collectMarks collects a seat's outstanding vigorish and removes its markers.
func (w *Writer) collectMarks(c Collection, ceil bool) {
	var ids []string
	var sum int64
	keep := w.marks[:0]
	for _, m := range w.marks {
		if m.Seat == c.Seat && (c.Markers == 0 || len(ids) < c.Markers) {
			ids, sum = append(ids, m.Wager), sum+m.Amount
			continue
		}
		keep = append(keep, m)
	}
	w.marks = keep
	if len(ids) == 0 {
		return
	}
	amount := sum
	if ceil {
		amount = (sum + w.House.Unit - 1) / w.House.Unit * w.House.Unit
	}
	w.Emit(&schema.VigorishCollected{
		Seat: c.Seat, Amount: amount, VigorishKind: schema.VigorishKindOutstanding,
		WagerIDs: ids,
	})
	w.Emit(&schema.VigorishMarkerRemoved{Seat: c.Seat, Amount: sum})
}
