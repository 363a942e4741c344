package shoe

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// Bank is the Banker's part of a round of chemin de fer. N.J.A.C. 19:47-4.5 to 4.7.
type Bank struct {
	// Relinquishes: the Banker relinquishes the shoe before the round, which Bids then auction.
	Relinquishes bool
	Bids         []Bid
	AssignedTo   uint32 // the seat that receives the shoe, 0 for the highest bidder
	Wager        Stake
	Calls        []Banco
}

// Bid is a bid for the bank.
type Bid struct {
	Seat   uint32
	Amount int64
}

// Banco is a call of suivi or banco.
type Banco struct {
	Seat uint32
	Call schema.BancoCall
}

// Auction returns the bid that wins the shoe: the highest, and the first counterclockwise from the
// dealer of equal bids. 19:47-4.5(b).
func Auction(bids []Bid) Bid {
	var best Bid
	for _, b := range bids {
		if b.Amount > best.Amount || b.Amount == best.Amount && b.Seat < best.Seat {
			best = b
		}
	}
	return best
}

// auctionShoe emits a change of the Banker.
func (w *Writer) auctionShoe(b *Bank) {
	if b.Relinquishes {
		w.emitBy(&schema.BankerRelinquished{Seat: w.Banker, Cause: "VOLUNTARY"}, w.patron(w.Banker))
	}
	if len(b.Bids) == 0 {
		return
	}
	for _, x := range b.Bids {
		w.emitBy(&schema.BidOffered{Seat: x.Seat, Amount: x.Amount}, w.patron(x.Seat))
	}
	best := Auction(b.Bids)
	for _, x := range b.Bids {
		if x.Seat == b.AssignedTo {
			best = x
		}
	}
	w.Banker = best.Seat
	w.Emit(&schema.BankerAssigned{Seat: best.Seat, Amount: best.Amount})
}

// betBank emits the Banker's wager and the calls that follow it.
func (w *Writer) betBank(b *Bank) {
	st := &b.Wager
	w.emitBy(&schema.BankerWagered{WagerID: st.ID, Seat: st.Seat, Amount: st.Amount, Medium: st.Medium},
		schema.Actor{Role: schema.RoleBanker, ID: w.patronAt(st.Seat)})
	if st.Medium == schema.WagerMediumCash {
		w.Emit(&schema.CashConverted{WagerID: st.ID, Amount: st.Amount})
	}
	for _, c := range b.Calls {
		w.emitBy(&schema.BancoAnnounced{Seat: c.Seat, Call: c.Call}, w.patron(c.Seat))
	}
}

// settleBank settles the Banker's wager against the other wagers, up to what they cover together.
func (w *Writer) settleBank(r *Round) {
	b := &r.Bank.Wager
	var covered int64
	for i := range r.Stakes {
		covered += r.Stakes[i].Amount
	}
	against := slices.Clone(r.Stakes)
	slices.SortStableFunc(against, func(a, b Stake) int { return int(b.Seat) - int(a.Seat) })
	each := func(event func(st *Stake) schema.Payload) {
		for i := range against {
			w.Emit(event(&against[i]))
		}
	}
	switch r.Coup.Result() {
	case schema.ResultBanker:
		each(func(st *Stake) schema.Payload {
			return &schema.WagerCollected{WagerID: st.ID, Seat: st.Seat, Amount: st.Amount}
		})
		w.Emit(&schema.WagerPaid{WagerID: b.ID, Seat: b.Seat, Amount: covered})
	case schema.ResultPlayer:
		w.Emit(&schema.WagerCollected{WagerID: b.ID, Seat: b.Seat, Amount: covered})
		each(func(st *Stake) schema.Payload {
			return &schema.WagerPaid{WagerID: st.ID, Seat: st.Seat, Amount: st.Amount}
		})
	default:
		w.Emit(&schema.WagerReturned{WagerID: b.ID, Seat: b.Seat, Amount: b.Amount})
		each(func(st *Stake) schema.Payload {
			return &schema.WagerReturned{WagerID: st.ID, Seat: st.Seat, Amount: st.Amount}
		})
	}
}
