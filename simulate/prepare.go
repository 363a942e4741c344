package simulate

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

const minute = int64(60_000_000_000)

// opening is what a table opens with.
type opening struct {
	seats   []seated
	dealers []schema.DealerAssigned
	// listed gives the seats with table_opened; otherwise each patron sits down after it.
	listed bool
	posted bool // notices are filed
}

// open writes the opening of the table up to the stacked cards.
func (w *writer) open(o *opening) {
	start := w.at
	w.dealer = schema.Actor{Role: schema.RoleDealer, ID: o.dealers[0].DealerID}
	w.at = start - 60*minute
	if o.posted {
		w.file(schema.NoticeTopicPaymentProcedure, start)
		if w.cfg.ReshuffleAfterLacing {
			w.file(schema.NoticeTopicReshuffleOption, start)
		}
	}
	if w.cfg.PreShuffled {
		w.file(schema.NoticeTopicPreShuffled, start)
	}
	w.at = start
	opened := &schema.TableOpened{Config: w.cfg}
	for _, s := range o.seats {
		if o.listed {
			opened.OccupiedSeats = append(opened.OccupiedSeats, s.seat)
			w.sit(s.seat, s.patron)
		}
	}
	w.emit(opened)
	for _, item := range attestations(&w.cfg) {
		w.emit(&schema.LayoutAttested{Item: item, Present: true, AttestedBy: w.floor})
	}
	for i := range o.dealers {
		w.emit(&o.dealers[i])
	}
	if !o.listed {
		for _, s := range o.seats {
			w.sit(s.seat, s.patron)
			w.emit(&schema.SeatOccupied{Seat: s.seat, PatronRef: s.patron})
		}
	}
	w.count(schema.TrayOccasionOpener, 0, 0)
	w.cards()
}

func (w *writer) file(topic schema.NoticeTopic, effective int64) {
	w.pass(2000)
	w.emit(&schema.NoticeFiled{
		Topic: topic, FiledAt: w.at, EffectiveAt: effective, Written: true,
		Recipients: []schema.Recipient{schema.RecipientCommission, schema.RecipientSurveillance},
	})
}

// attestations are the items that a configuration needs on file.
func attestations(cfg *schema.TableConfig) []string {
	items := []string{"cutting-card-appearance", "vig-areas"}
	has := func(b schema.SideBet) bool { return slices.Contains(cfg.SideBets, b) }
	if newHouse(cfg).ny {
		items = append(items, "ny-minimum", "payout-odds", "lammer-storage")
		if has(schema.SideBetDragonBonus) {
			items = append(items, "dragon-bonus-area")
		}
		switch cfg.Vigorish.Mode {
		case schema.VigorishModeEz:
			items = append(items, "ez-areas", "ez-push-notice")
		case schema.VigorishModeNovig6:
			items = append(items, "novig-notice")
		}
		if cfg.Game == schema.GameMidibaccarat {
			items = append(items, "midi-discard-rack")
		}
		return items
	}
	items = append(items, "layout-approval")
	for _, x := range []struct {
		bet   schema.SideBet
		items []string
	}{
		{schema.SideBetPair, []string{"pair-areas"}},
		{schema.SideBetTotalCard, []string{"total-card-odds"}},
		{schema.SideBetBonus, []string{"bonus-odds"}},
		{schema.SideBetTreasures, []string{"treasures-areas", "treasures-odds"}},
	} {
		if has(x.bet) {
			items = append(items, x.items...)
		}
	}
	return items
}

// cards receives and opens the sets of cards: one, or two of different colour for a shuffling device.
func (w *writer) cards() {
	w.receive(w.table + "-b1")
	if w.cfg.AutomatedShuffler {
		w.back = "blue"
		w.receive(w.table + "-b2")
	}
}

func (w *writer) receive(batch string) {
	w.batch = batch
	arrangement, verifier, who := schema.ArrangementRows, schema.RoleFloorperson, w.floor
	if w.house.bucket {
		arrangement = schema.ArrangementColumns
	}
	if w.house.ny {
		verifier, who = schema.RoleSupervisor, w.boss
	}
	w.emit(&schema.DeckReceived{
		BatchID: w.batch, DeckCount: w.cfg.Decks, BackColor: w.back, BackDesign: w.design, PreShuffled: w.cfg.PreShuffled,
	})
	if w.cfg.PreShuffled {
		return
	}
	w.pass(180_000)
	w.emit(&schema.CardsInspected{BatchID: w.batch, DealerID: w.dealer.ID, NewDeckOrder: true})
	w.emitBy(&schema.CardsVerified{BatchID: w.batch, VerifierRole: verifier, VerifierID: who}, schema.Actor{Role: verifier, ID: who})
	w.emit(&schema.CardsSpread{BatchID: w.batch, Face: schema.FaceUp, Arrangement: arrangement, SuitSequenceOK: true})
	w.pass(20_000)
	w.emit(&schema.CardsViewed{BatchID: w.batch, ParticipantsPresent: uint32(max(len(w.seats), 1))})
	w.emit(&schema.CardsWashed{BatchID: w.batch, Face: schema.FaceDown})
	w.emit(&schema.CardsStacked{BatchID: w.batch})
}

// alternate takes the other set of cards out of the shuffling device and puts the last one in.
func (w *writer) alternate() {
	w.shoeID = ""
	was, back := w.batch, w.back
	w.batch, w.back = w.table+"-b1", "red"
	if was == w.batch {
		w.batch, w.back = w.table+"-b2", "blue"
	}
	w.emit(&schema.BatchReported{BatchID: was, DeckCount: w.cfg.Decks, BackColor: back, State: schema.BatchStateInShuffler})
	w.emit(&schema.BatchReported{BatchID: w.batch, DeckCount: w.cfg.Decks, BackColor: w.back, State: schema.BatchStateInPlay})
}

// prepare writes a shoe from its shuffle to the first round.
func (w *writer) prepare(s *shoePlan) {
	total := int(w.cfg.Decks) * 52
	w.shoeID, w.round, w.cardSeq, w.sighted, w.carried = s.id, 0, 0, 0, 0
	w.sighting = total - s.behind
	if s.prep != nil {
		w.replay(s.prep)
		w.cardSeq = len(s.burn)
		return
	}
	if w.cfg.AutomatedShuffler {
		w.alternate()
		w.shoeID = s.id
	}
	w.shuffle()
	w.emit(&schema.ShoeLaced{BatchID: w.batch, CardCount: s.laced, Evenness: "even"})
	if w.cfg.ReshuffleAfterLacing {
		w.emit(&schema.ShoeShuffled{BatchID: w.batch, Phase: schema.ShufflePhaseAfterLacing, Method: schema.ShuffleMethodManual})
	}
	for _, o := range s.offers {
		w.emit(&schema.CutOffered{Seat: o.seat, Accepted: o.accepted, BacksAwayFromDealer: true})
	}
	w.cut(s.cutBy, s.depth)
	depth := s.depth
	if s.again != nil {
		w.emitBy(&schema.RecutOrdered{ByRole: schema.RoleSupervisor, ByID: w.boss, Reason: "cut not square"}, schema.Actor{Role: schema.RoleSupervisor, ID: w.boss})
		depth = s.again.depth
		w.cut(s.again.seat, depth)
	}
	w.emit(&schema.ShoeTransposed{BatchID: w.batch, MovedCount: depth})
	w.emit(&schema.CutcardPlaced{Which: 1, CardsBehind: uint32(s.behind)})
	w.emit(&schema.CutcardPlaced{Which: 2})
	w.emit(&schema.ShoeLoaded{
		BatchID: w.batch, DeckCount: w.cfg.Decks, CuttingCards: 2, BackColor: w.back, BackDesign: w.design,
		Device: schema.ShoeDeviceDealingShoe, Location: "dealer-left",
	})
	w.burn(s.burn)
	if w.house.punto && !s.keep {
		w.chooseCurator(s, 0)
	}
}

// cut cuts the stack, for the dealer when no seat is given.
func (w *writer) cut(seat, depth uint32) {
	p := &schema.ShoeCut{ByRole: schema.RoleDealer, DepthFromFront: depth, StackSize: w.cfg.Decks * 52}
	by := w.dealer
	if seat > 0 {
		p.ByRole, p.Seat = schema.RolePatron, seat
		by = w.patron(seat)
	}
	w.emitBy(p, by)
}

func (w *writer) shuffle() {
	p := &schema.ShoeShuffled{BatchID: w.batch, Phase: schema.ShufflePhaseInitial, Method: schema.ShuffleMethodManual}
	if w.cfg.AutomatedShuffler {
		p.Method = schema.ShuffleMethodDevice
	}
	w.emit(p)
}

func (w *writer) burn(cards []card) {
	if len(cards) == 0 {
		return
	}
	b := &schema.ShoeBurned{
		Reason: schema.BurnReasonOpening, Indicator: cards[0].String(), Count: uint32(len(cards) - 1),
		Cards: names(cards[1:]), Shown: schema.BurnShownAll, Destination: w.house.burnedTo(),
	}
	if w.house.ny {
		b.Shown = schema.BurnShownFirstOnly
		for i := range b.Cards {
			b.Cards[i] = "??"
		}
	}
	w.emit(b)
	w.cardSeq = len(cards)
}

// chooseCurator offers the shoe and gives it to the one who takes it.
func (w *writer) chooseCurator(s *shoePlan, after uint32) {
	for _, o := range curatorOffers(w.seats, s.shy, after) {
		w.emit(&schema.CuratorOffered{Seat: o.seat, Accepted: o.accepted})
		if o.accepted {
			w.curator = o.seat
			w.emit(&schema.CuratorAssigned{Seat: o.seat})
		}
	}
}

// curatorOffers run counterclockwise from the seat after the one that passes, from the lowest seat
// after 0, until somebody takes the shoe; the last one asked always does.
func curatorOffers(seats []seated, shy []uint32, after uint32) []offer {
	first, last := 0, len(seats)
	for i, s := range seats {
		if s.seat <= after {
			first = i + 1
		}
		if s.seat == after && len(seats) > 1 {
			last--
		}
	}
	var out []offer
	for k := range last {
		seat := seats[(first+k)%len(seats)].seat
		takes := k == last-1 || !slices.Contains(shy, seat)
		out = append(out, offer{seat, takes})
		if takes {
			break
		}
	}
	return out
}

// finish writes the end of a shoe and the collection of what is still owed.
func (w *writer) finish(s *shoePlan) {
	w.round = 0
	w.emit(&schema.ShoeEnded{Reason: "cutting card", Remaining: uint32(int(w.cfg.Decks)*52 - w.cardSeq)})
	for _, at := range slices.Backward(slices.Clone(w.seats)) {
		w.collectMarks(collection{seat: at.seat}, s.ceilEnd)
	}
	w.count(schema.TrayOccasionCheck, s.fill, s.gone)
	w.shoeID = ""
}

// collectMarks takes a seat's outstanding vigorish and lifts its markers.
func (w *writer) collectMarks(c collection, ceil bool) {
	var ids []string
	var sum int64
	keep := w.marks[:0]
	for _, m := range w.marks {
		if m.seat == c.seat && (c.marks == 0 || len(ids) < c.marks) {
			ids, sum = append(ids, m.wager), sum+m.amount
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
		amount = (sum + w.house.unit - 1) / w.house.unit * w.house.unit
	}
	w.emit(&schema.VigorishCollected{Seat: c.seat, Amount: amount, VigorishKind: schema.VigorishKindOutstanding, WagerIDs: ids})
	w.emit(&schema.VigorishMarkerRemoved{Seat: c.seat, Amount: sum})
}
