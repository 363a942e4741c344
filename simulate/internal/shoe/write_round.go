package shoe

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// Round emits the round with index i, from the events before it to the events that its result requires.
func (w *Writer) Round(s *Plan, i int) {
	r := &s.Rounds[i]
	w.RoundNumber = 0
	w.replay(r.Shuffled)
	if w.cuttingCardRound > 0 && int(w.cuttingCardRound) == i {
		w.Emit(&schema.Announced{Code: schema.CallLastHand})
	}
	w.between(s, r)
	if r.FaceUpAt == 0 {
		w.burnFaceUp(r, uint32(i)+1)
	}
	w.RoundNumber = uint32(i) + 1
	w.bet(r)
	w.announce(schema.CallNoMoreBets)
	w.readStakes(r, schema.StakeOccasionLock)
	if w.House.Punto {
		w.announce(schema.CallCards)
	}
	w.dealRound(s, r)
	if r.Void != schema.VoidCauseUnspecified {
		w.void(r)
	} else {
		w.callResult(r)
		if r.EndedFirst {
			w.endRound(r, r.Coup.Result())
		}
		if w.House.Chemin {
			w.settleBank(r)
		} else {
			w.readStakes(r, schema.StakeOccasionSettlement)
			w.settleRound(r)
		}
		if !r.EndedFirst {
			w.endRound(r, r.Coup.Result())
		}
	}
	w.Emit(&schema.DiscardPlaced{
		CardSeqs: slices.Clone(w.deal.seqs), Destination: w.House.discards(),
		OrderPreserved: true,
	})
	w.RoundNumber = 0
	if w.House.Punto && r.Void == 0 && r.Coup.Result() == schema.ResultPlayer && !r.KeepsShoe {
		w.Emit(&schema.CuratorPassed{Seat: w.Curator, Cause: schema.PassCauseBankerLost})
		w.chooseCurator(s, w.Curator)
	}
}

// between emits what happens between two rounds.
func (w *Writer) between(s *Plan, r *Round) {
	for _, c := range r.Collections {
		w.collectMarks(c, false)
	}
	if r.PassesShoe {
		w.Emit(&schema.CuratorPassed{Seat: w.Curator, Cause: schema.PassCauseVoluntary})
		w.chooseCurator(s, w.Curator)
	}
	if r.Relief != "" {
		position := schema.DealerPositionBase
		if w.House.Punto {
			position = schema.DealerPositionCalling
		}
		w.dealer.ID = r.Relief
		w.Emit(&schema.DealerAssigned{DealerID: r.Relief, Position: position, SupervisorID: w.Supervisor})
	}
	w.replay(r.Notices)
	if r.Reconfigured != nil {
		if r.Topic != schema.NoticeTopicUnspecified {
			w.GiveNotice(r.Topic)
		}
		w.Configure(*r.Reconfigured)
	}
	if r.Ahead != nil {
		w.announceAhead(r.Ahead)
	}
	for _, c := range r.Seating {
		if c.Leaves {
			// No patron leaves with a debt or with the shoe.
			w.collectMarks(Collection{Seat: c.Seat}, false)
			if w.House.Punto && c.Seat == w.Curator {
				w.Emit(&schema.CuratorPassed{Seat: c.Seat, Cause: schema.PassCauseVoluntary})
				w.chooseCurator(s, c.Seat)
			}
			w.stand(c.Seat)
			w.Emit(&schema.SeatVacated{Seat: c.Seat, PatronRef: c.Patron})
			continue
		}
		w.sit(c.Seat, c.Patron)
		w.Emit(&schema.SeatOccupied{Seat: c.Seat, PatronRef: c.Patron})
	}
	if r.Bank != nil {
		w.auctionShoe(r.Bank)
	}
}

func (w *Writer) bet(r *Round) {
	if r.Bets != nil {
		w.replay(r.Bets)
		return
	}
	w.Emit(&schema.RoundStarted{})
	w.comeIntoForce()
	if r.Bank != nil {
		w.betBank(r.Bank)
	}
	for i := range r.Stakes {
		st := &r.Stakes[i]
		patron, spot := schema.Actor{Role: schema.RolePatron, ID: st.Patron}, st.Spot
		if st.MovedFrom != schema.SpotUnspecified {
			spot = st.MovedFrom
		}
		w.emitBy(&schema.WagerPlaced{
			WagerID: st.ID, Seat: st.Seat, Spot: spot, Amount: st.Amount - st.Change, Coupon: st.Coupon,
			Medium: st.Medium, PatronRef: st.Patron, AreaOK: true, SpotName: st.Name,
		}, patron)
		if st.Medium == schema.WagerMediumVerbalCash {
			w.Emit(&schema.VerbalConfirmed{WagerID: st.ID, ByRole: schema.RoleDealer})
			w.emitBy(&schema.VerbalConfirmed{WagerID: st.ID, ByRole: schema.RoleSupervisor},
				schema.Actor{Role: schema.RoleSupervisor, ID: w.Supervisor})
			w.Emit(&schema.CashConverted{WagerID: st.ID, Amount: st.Amount})
		}
	}
	for i := range r.Stakes {
		st := &r.Stakes[i]
		patron := schema.Actor{Role: schema.RolePatron, ID: st.Patron}
		change := &schema.WagerChanged{WagerID: st.ID, Delta: max(st.Change, -st.Change)}
		switch {
		case st.Withdrawn:
			change.Change, change.Delta = schema.WagerChangeWithdrawn, st.Amount
		case st.MovedFrom != schema.SpotUnspecified:
			change.Change, change.ToSpot = schema.WagerChangeMoved, st.Spot
		case st.Change > 0:
			change.Change = schema.WagerChangeRaised
		case st.Change < 0:
			change.Change = schema.WagerChangeLowered
		default:
			continue
		}
		w.emitBy(change, patron)
	}
}

// readStakes emits stake readings if the table has them.
func (w *Writer) readStakes(r *Round, when schema.StakeOccasion) {
	for i := range r.Stakes {
		st := &r.Stakes[i]
		if !w.readsStakes || st.Withdrawn {
			continue
		}
		p := &schema.StakeRead{WagerID: st.ID, Amount: st.Amount, Occasion: when}
		if when == schema.StakeOccasionSettlement && st.AtSettlement > 0 {
			p.Amount = st.AtSettlement
		}
		w.Emit(p)
	}
}

func (w *Writer) endRound(r *Round, result schema.Result) {
	w.Emit(&schema.RoundEnded{
		Result: result, PlayerCount: uint32(r.Coup.Count(Player)), BankerCount: uint32(r.Coup.Count(Banker)),
		CardsDealt: uint32(r.Coup.Cards()),
	})
}

// void voids a round: every wager is returned in full.
func (w *Writer) void(r *Round) {
	w.Emit(&schema.RoundVoided{Cause: r.Void})
	if r.Bank != nil {
		st := &r.Bank.Wager
		w.Emit(&schema.WagerReturned{WagerID: st.ID, Seat: st.Seat, Amount: st.Amount})
	}
	for i := range r.Stakes {
		if st := &r.Stakes[i]; !st.Withdrawn {
			w.Emit(&schema.WagerReturned{WagerID: st.ID, Seat: st.Seat, Amount: st.Amount})
		}
	}
	w.endRound(r, schema.ResultVoid)
}
