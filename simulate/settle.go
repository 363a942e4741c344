package simulate

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// A due is a wager with what it comes to.
type due struct {
	*stake
	amount   int64
	out      outcome
	winnings int64
	vigorish int64
}

// done is what is done with a wager, right or wrong.
func (h *house) done(st *stake, c *coup) due {
	d := due{stake: st, amount: st.amount}
	d.out, d.winnings = h.settle(st, c)
	if st.forced {
		d.out, d.winnings = st.out, st.pays
	}
	if st.atSettlement > 0 {
		d.amount = st.atSettlement
	}
	if d.out == won && d.spot == schema.SpotBanker && h.mode == schema.VigorishModeCommission {
		d.vigorish = h.vigorish(d.winnings, d.exact)
		if st.charge != 0 {
			d.vigorish = max(st.charge, 0)
		}
		if exact := h.vigorish(d.winnings, true); d.taken == exact {
			d.vigorish = exact
		}
	}
	return d
}

// settleRound collects the losing wagers, returns the void ones and pays the winners in the elected
// procedure, from the highest seat down. N.J.A.C. 19:47-3.10(b), 9 NYCRR 5324.21(i).
func (w *writer) settleRound(r *roundPlan) {
	var room [32]due
	dues := room[:0]
	for i := range r.stakes {
		if st := &r.stakes[i]; !st.withdrawn {
			dues = append(dues, w.house.done(st, &r.coup))
		}
	}
	slices.SortStableFunc(dues, func(a, b due) int { return int(b.seat) - int(a.seat) })
	for i := range dues {
		if d := &dues[i]; d.out == lost {
			w.emit(&schema.WagerCollected{WagerID: d.id, Seat: d.seat, Amount: d.amount})
		}
	}
	for i := range dues {
		if d := &dues[i]; d.out == pushed {
			w.emit(&schema.WagerReturned{WagerID: d.id, Seat: d.seat, Amount: d.amount})
		}
	}
	if w.house.mode == schema.VigorishModeTie25 && r.coup.result() == schema.ResultTie {
		w.chargeTies(dues)
	}
	if r.upward {
		slices.SortStableFunc(dues, func(a, b due) int { return int(a.seat) - int(b.seat) })
	}
	if r.apart {
		pairs := slices.DeleteFunc(slices.Clone(dues), func(d due) bool { return !isPair(d.spot) })
		w.bySeat(slices.DeleteFunc(slices.Clone(dues), func(d due) bool { return isPair(d.spot) }), w.pay)
		w.bySeat(pairs, w.pay)
		w.bySeat(dues, func(seat []due) { w.charge(r, seat) })
		return
	}
	w.payWinners(r, dues)
}

func isPair(spot schema.Spot) bool {
	return spot == schema.SpotPlayerPair || spot == schema.SpotBankerPair
}

func (w *writer) chargeTies(dues []due) {
	for i := range dues {
		d := &dues[i]
		if d.spot != schema.SpotBanker {
			continue
		}
		if charge := (d.amount - d.coupon) / 4; charge > 0 {
			w.emit(&schema.VigorishCollected{Seat: d.seat, Amount: charge, VigorishKind: schema.VigorishKindTie25, WagerIDs: []string{d.id}})
		}
	}
}

func (w *writer) payWinners(r *roundPlan, dues []due) {
	switch w.cfg.PaymentProcedure {
	case 2:
		w.bySeat(dues, func(seat []due) { w.charge(r, seat) })
		w.bySeat(dues, w.pay)
	case 3:
		w.bySeat(dues, func(seat []due) { w.pay(seat); w.charge(r, seat) })
	case 4:
		w.bySeat(dues, func(seat []due) { w.charge(r, seat); w.pay(seat) })
	default:
		w.bySeat(dues, w.pay)
		w.bySeat(dues, func(seat []due) { w.charge(r, seat) })
	}
}

// bySeat calls do with the wagers of each seat.
func (w *writer) bySeat(dues []due, do func([]due)) {
	for len(dues) > 0 {
		n := 1
		for n < len(dues) && dues[n].seat == dues[0].seat {
			n++
		}
		do(dues[:n])
		dues = dues[n:]
	}
}

func (w *writer) pay(seat []due) {
	for i := range seat {
		if d := &seat[i]; d.out == won {
			w.emit(&schema.WagerPaid{WagerID: d.id, Seat: d.seat, Amount: d.winnings})
		}
	}
}

// charge takes or marks the vigorish of a seat.
func (w *writer) charge(r *roundPlan, seat []due) {
	var sum int64
	var ids []string
	for i := range seat {
		d := &seat[i]
		switch {
		case d.vigorish == 0:
		case d.marks:
			marker := w.house.markers[int(d.seat)/2%2]
			w.emit(&schema.VigorishMarked{WagerID: d.id, Seat: d.seat, Amount: d.vigorish, Marker: marker, Area: d.seat})
			w.marks = append(w.marks, mark{d.id, d.seat, d.vigorish})
		case r.together:
			sum, ids = sum+d.vigorish, append(ids, d.id)
		default:
			w.emit(&schema.VigorishCollected{Seat: d.seat, Amount: d.vigorish, VigorishKind: schema.VigorishKindRound, WagerIDs: []string{d.id}})
		}
	}
	if len(ids) > 0 {
		w.emit(&schema.VigorishCollected{Seat: seat[0].seat, Amount: sum, VigorishKind: schema.VigorishKindRound, WagerIDs: ids})
	}
}
