package simulate

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// play writes one round, from what happens before it to what its result makes necessary.
func (w *writer) play(s *shoePlan, i int) {
	r := &s.rounds[i]
	w.round = 0
	if w.sighted > 0 && int(w.sighted) == i {
		w.emit(&schema.Announced{Code: schema.CallLastHand})
	}
	w.between(s, r)
	if r.foundAt == 0 {
		w.faceUp(r, uint32(i)+1)
	}
	w.round = uint32(i) + 1
	w.bet(r)
	w.say(schema.CallNoMoreBets)
	w.read(r, schema.StakeOccasionLock)
	if w.house.punto {
		w.say(schema.CallCards)
	}
	w.dealRound(s, r)
	if r.void != schema.VoidCauseUnspecified {
		w.void(r)
	} else {
		w.callResult(r)
		if r.endedFirst {
			w.endRound(r, r.coup.result())
		}
		if w.house.chemin {
			w.settleBank(r)
		} else {
			w.read(r, schema.StakeOccasionSettlement)
			w.settleRound(r)
		}
		if !r.endedFirst {
			w.endRound(r, r.coup.result())
		}
	}
	w.emit(&schema.DiscardPlaced{CardSeqs: slices.Clone(w.deal.seqs), Destination: w.house.discards(), OrderPreserved: true})
	w.round = 0
	if w.house.punto && r.void == 0 && r.coup.result() == schema.ResultPlayer && !r.clings {
		w.emit(&schema.CuratorPassed{Seat: w.curator, Cause: schema.PassCauseBankerLost})
		w.chooseCurator(s, w.curator)
	}
}

// between writes what happens at the table while no round is on.
func (w *writer) between(s *shoePlan, r *roundPlan) {
	for _, c := range r.collect {
		w.collectMarks(c, false)
	}
	if r.pass {
		w.emit(&schema.CuratorPassed{Seat: w.curator, Cause: schema.PassCauseVoluntary})
		w.chooseCurator(s, w.curator)
	}
	if r.relief != "" {
		position := schema.DealerPositionBase
		if w.house.punto {
			position = schema.DealerPositionCalling
		}
		w.dealer.ID = r.relief
		w.emit(&schema.DealerAssigned{DealerID: r.relief, Position: position, SupervisorID: w.boss})
	}
	w.replay(r.news)
	if r.change != nil {
		if r.topic != schema.NoticeTopicUnspecified {
			w.notify(r.topic)
		}
		w.enact(*r.change)
	}
	for _, c := range r.seating {
		if c.leaves {
			// Nobody leaves with a debt, or with the shoe.
			w.collectMarks(collection{seat: c.seat}, false)
			if w.house.punto && c.seat == w.curator {
				w.emit(&schema.CuratorPassed{Seat: c.seat, Cause: schema.PassCauseVoluntary})
				w.chooseCurator(s, c.seat)
			}
			w.stand(c.seat)
			w.emit(&schema.SeatVacated{Seat: c.seat, PatronRef: c.patron})
			continue
		}
		w.sit(c.seat, c.patron)
		w.emit(&schema.SeatOccupied{Seat: c.seat, PatronRef: c.patron})
	}
	if r.bank != nil {
		w.auctionShoe(r.bank)
	}
}

func (w *writer) bet(r *roundPlan) {
	if r.bets != nil {
		w.replay(r.bets)
		return
	}
	w.emit(&schema.RoundStarted{})
	if r.bank != nil {
		w.betBank(r.bank)
	}
	for i := range r.stakes {
		st := &r.stakes[i]
		patron, spot := schema.Actor{Role: schema.RolePatron, ID: st.patron}, st.spot
		if st.from != schema.SpotUnspecified {
			spot = st.from
		}
		w.emitBy(&schema.WagerPlaced{
			WagerID: st.id, Seat: st.seat, Spot: spot, Amount: st.amount - st.changed, Coupon: st.coupon,
			Medium: st.medium, PatronRef: st.patron, AreaOK: true, SpotName: st.name,
		}, patron)
		if st.medium == schema.WagerMediumVerbalCash {
			w.emit(&schema.VerbalConfirmed{WagerID: st.id, ByRole: schema.RoleDealer})
			w.emitBy(&schema.VerbalConfirmed{WagerID: st.id, ByRole: schema.RoleSupervisor}, schema.Actor{Role: schema.RoleSupervisor, ID: w.boss})
			w.emit(&schema.CashConverted{WagerID: st.id, Amount: st.amount})
		}
	}
	for i := range r.stakes {
		st := &r.stakes[i]
		patron := schema.Actor{Role: schema.RolePatron, ID: st.patron}
		change := &schema.WagerChanged{WagerID: st.id, Delta: max(st.changed, -st.changed)}
		switch {
		case st.withdrawn:
			change.Change, change.Delta = schema.WagerChangeWithdrawn, st.amount
		case st.from != schema.SpotUnspecified:
			change.Change, change.ToSpot = schema.WagerChangeMoved, st.spot
		case st.changed > 0:
			change.Change = schema.WagerChangeRaised
		case st.changed < 0:
			change.Change = schema.WagerChangeLowered
		default:
			continue
		}
		w.emitBy(change, patron)
	}
}

// read has the stakes read, if the table does so.
func (w *writer) read(r *roundPlan, when schema.StakeOccasion) {
	for i := range r.stakes {
		st := &r.stakes[i]
		if !w.reads || st.withdrawn {
			continue
		}
		p := &schema.StakeRead{WagerID: st.id, Amount: st.amount, Occasion: when}
		if when == schema.StakeOccasionSettlement && st.atSettlement > 0 {
			p.Amount = st.atSettlement
		}
		w.emit(p)
	}
}

func (w *writer) say(code schema.Call) { w.emit(&schema.Announced{Code: code}) }

func (w *writer) call(code schema.Call, h int, value int) {
	w.emit(&schema.Announced{Code: code, Hand: handWord(h), Value: uint32(value)})
}

// dealRound writes the cards of a round with the calls that go with them.
func (w *writer) dealRound(s *shoePlan, r *roundPlan) {
	w.deal.seqs = w.deal.seqs[:0]
	w.squeezer = [2]uint32{}
	var first [2][2]uint32
	for n := range 4 {
		h, i := n%2, n/2
		if r.inRow {
			h, i = i, h
		}
		if n > 0 && n == r.foundAt {
			w.faceUp(r, w.round)
		}
		if n > 0 && n == r.passAt {
			w.emit(&schema.CuratorPassed{Seat: w.curator, Cause: schema.PassCauseVoluntary})
			w.chooseCurator(s, w.curator)
		}
		first[h][i] = w.card(r, h, i)
	}
	if w.house.midi {
		for _, seq := range first[banker] {
			w.emit(&schema.CardMoved{CardSeq: seq, From: schema.MovePlaceBanker, To: schema.MovePlaceUnderShoeRight})
		}
	}
	for h := range 2 {
		w.showHand(r, h, first[h][:])
		w.call(schema.CallPointCount, h, r.coup.first(h))
	}
	if r.void != schema.VoidCauseUnspecified {
		for h := range 2 {
			if r.coup.size(h) > 2 {
				w.third(r, h)
			}
		}
		return
	}
	order := [2]int{player, banker}
	if r.bankerFirst {
		order = [2]int{banker, player}
	}
	slipped := r.slip == nil
	for _, h := range order {
		w.third(r, h)
		if !slipped && h == player && r.slip.hand == player && r.coup.size(player) == 2 {
			w.err(r)
			slipped = true
		}
	}
	for h := range 2 {
		for i := 3; i < r.coup.size(h); i++ {
			w.card(r, h, i)
		}
	}
	if !slipped {
		w.err(r)
	}
}

// showHand turns over the first two cards of a hand, where they lie face down.
func (w *writer) showHand(r *roundPlan, h int, seqs []uint32) {
	switch {
	case w.house.midi:
		w.squeeze(r, h, seqs)
		for _, seq := range seqs {
			if h == banker {
				w.emit(&schema.CardMoved{CardSeq: seq, From: schema.MovePlaceUnderShoeRight, To: schema.MovePlaceBanker})
			}
		}
	case w.house.faceDown && !w.house.bucket:
		for _, seq := range seqs {
			w.emit(&schema.CardRevealed{CardSeq: seq, ByRole: schema.RoleDealer})
			if h == banker {
				w.emit(&schema.CardMoved{CardSeq: seq, From: schema.MovePlaceUnderShoeRight, To: schema.MovePlaceBanker})
			}
		}
	}
}

func (w *writer) third(r *roundPlan, h int) {
	c := &r.coup
	if w.house.punto {
		instruction := schema.InstructionStay
		if c.size(h) > 2 {
			instruction = schema.InstructionDraw
		}
		w.emit(&schema.DealInstructed{Hand: handWord(h), Instruction: instruction})
	}
	if c.size(h) < 3 {
		return
	}
	seq := w.cardSeq
	if h == banker && r.slip != nil && r.slip.kind == slipMoved {
		w.emit(&schema.CardMoved{CardSeq: uint32(seq), From: schema.MovePlacePlayer, To: schema.MovePlaceBanker})
	} else {
		seq = int(w.card(r, h, 2))
	}
	if w.house.midi {
		w.turn(h, []uint32{uint32(seq)})
	}
}

// card writes the next card of the shoe, or the one carried over, and returns its number.
func (w *writer) card(r *roundPlan, h, i int) uint32 {
	seq := w.carried
	if r.toBanker && h == player {
		seq = 0
	}
	if seq > 0 {
		w.carried = 0
	} else {
		w.sight()
		w.cardSeq++
		seq = uint32(w.cardSeq)
	}
	face := schema.FaceUp
	if w.house.midi || w.house.faceDown && !w.house.bucket && i < 2 {
		face = schema.FaceDown
	}
	now := w.cardSeq
	w.cardSeq = int(seq)
	x := r.coup.hands[h][i]
	if w.reader != nil {
		x = w.reader(x)
	}
	w.emitCard(h, i, x, face)
	w.cardSeq = now
	w.deal.seqs = append(w.deal.seqs, seq)
	return seq
}

// emitCard writes the card with the latest number.
func (w *writer) emitCard(h, i int, x card, face schema.Face) {
	d := &schema.CardDealt{
		Hand: handWord(h), Index: uint32(i) + 1, Card: x.String(), CardSeq: uint32(w.cardSeq), Face: face,
		PlacedAt: schema.CardPlaceHandArea, ByRole: schema.RoleDealer, DrawingHand: schema.DealerHandLeft,
		ReportedValue: uint32(x.value()), HasReportedValue: x > 0, BackColor: w.back,
	}
	actor := w.dealer
	switch {
	case w.house.bucket:
		d.DrawingHand, d.ByRole, d.BySeat = schema.DealerHandUnspecified, schema.RoleCurator, w.curator
		if w.house.chemin {
			d.ByRole, d.BySeat = schema.RoleBanker, w.banker
		}
		actor = schema.Actor{Role: d.ByRole, ID: w.patronAt(d.BySeat)}
		if i < 2 {
			d.PlacedAt = schema.CardPlaceDealerFront
		}
	case w.house.faceDown && i < 2 && h == banker && !w.house.midi:
		d.PlacedAt = schema.CardPlaceUnderShoeRight
	}
	w.emitBy(d, actor)
}

// sight writes the cutting card when it is what lies in front of the next card.
func (w *writer) sight() {
	if w.sighting != w.cardSeq {
		return
	}
	w.emit(&schema.CutcardSeen{AfterCardSeq: uint32(w.cardSeq), SetAside: true})
	w.sighting, w.sighted = -1, w.round
}

// callResult writes the announcements of the result.
func (w *writer) callResult(r *roundPlan) {
	c := &r.coup
	w.call(schema.CallFinalCount, player, c.count(player))
	w.call(schema.CallFinalCount, banker, c.count(banker))
	if r.sideFirst {
		w.callSides(c)
	}
	switch c.result() {
	case schema.ResultPlayer:
		w.emit(&schema.Announced{Code: schema.CallPlayerWins, Hand: schema.HandPlayer, Value: uint32(c.count(player))})
	case schema.ResultBanker:
		w.emit(&schema.Announced{Code: schema.CallBankerWins, Hand: schema.HandBanker, Value: uint32(c.count(banker))})
	default:
		w.emit(&schema.Announced{Code: schema.CallTieHand, Value: uint32(c.count(player))})
	}
	if !r.sideFirst {
		w.callSides(c)
	}
}

func (w *writer) callSides(c *coup) {
	if w.house.totals {
		w.emit(&schema.Announced{Code: schema.CallTotalCards, Value: uint32(c.cards())})
	}
	if w.house.pairs {
		if c.pair(player) {
			w.emit(&schema.Announced{Code: schema.CallPlayerPair, Hand: schema.HandPlayer})
		}
		if c.pair(banker) {
			w.emit(&schema.Announced{Code: schema.CallBankerPair, Hand: schema.HandBanker})
		}
	}
	if w.house.mode == schema.VigorishModeEz {
		if c.dragon7() {
			w.say(schema.CallDragon7)
		}
		if c.panda8() {
			w.say(schema.CallPanda8)
		}
	}
	if t := c.treasure(); w.house.treasures && w.house.recognised(t) {
		w.emit(&schema.Announced{Code: schema.CallTreasure, Treasure: t})
	}
}

func (w *writer) endRound(r *roundPlan, result schema.Result) {
	w.emit(&schema.RoundEnded{
		Result: result, PlayerCount: uint32(r.coup.count(player)), BankerCount: uint32(r.coup.count(banker)),
		CardsDealt: uint32(r.coup.cards()),
	})
}

// void cancels a round: every wager goes back in full.
func (w *writer) void(r *roundPlan) {
	w.emit(&schema.RoundVoided{Cause: r.void})
	if r.bank != nil {
		st := &r.bank.wager
		w.emit(&schema.WagerReturned{WagerID: st.id, Seat: st.seat, Amount: st.amount})
	}
	for i := range r.stakes {
		if st := &r.stakes[i]; !st.withdrawn {
			w.emit(&schema.WagerReturned{WagerID: st.id, Seat: st.seat, Amount: st.amount})
		}
	}
	w.endRound(r, schema.ResultVoid)
}
