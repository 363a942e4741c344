package shoe

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// settleRound collects the losing wagers, returns the pushes and pays the winners by the elected procedure, from the
// highest seat down. N.J.A.C. 19:47-3.10(b), 9 NYCRR 5324.21(i).
func (w *Writer) settleRound(r *Round) {
	var room [32]Settlement
	dues := room[:0]
	for i := range r.Stakes {
		if st := &r.Stakes[i]; !st.Withdrawn {
			dues = append(dues, w.House.Done(st, &r.Coup))
		}
	}
	slices.SortStableFunc(dues, func(a, b Settlement) int { return int(b.Seat) - int(a.Seat) })
	for i := range dues {
		if d := &dues[i]; d.Outcome == Lost {
			w.Emit(&schema.WagerCollected{WagerID: d.ID, Seat: d.Seat, Amount: d.Amount})
		}
	}
	for i := range dues {
		if d := &dues[i]; d.Outcome == Pushed {
			w.Emit(&schema.WagerReturned{WagerID: d.ID, Seat: d.Seat, Amount: d.Amount})
		}
	}
	if percent := w.House.TiePercent(&r.Coup); percent > 0 {
		w.chargeTies(dues, percent)
	}
	if r.Ascending {
		slices.SortStableFunc(dues, func(a, b Settlement) int { return int(a.Seat) - int(b.Seat) })
	}
	if r.PairsApart {
		pairs := slices.DeleteFunc(slices.Clone(dues), func(d Settlement) bool { return !IsPairSpot(d.Spot) })
		w.bySeat(slices.DeleteFunc(slices.Clone(dues), func(d Settlement) bool { return IsPairSpot(d.Spot) }), w.pay)
		w.bySeat(pairs, w.pay)
		w.bySeat(dues, func(seat []Settlement) { w.charge(r, seat) })
		return
	}
	w.payWinners(r, dues)
}

func (w *Writer) chargeTies(dues []Settlement, percent int64) {
	for i := range dues {
		d := &dues[i]
		if d.Spot != schema.SpotBanker {
			continue
		}
		if charge := (d.Amount - d.Coupon) * percent / 100; charge > 0 {
			w.Emit(&schema.VigorishCollected{
				Seat: d.Seat, Amount: charge, VigorishKind: schema.VigorishKindTie25,
				WagerIDs: []string{d.ID},
			})
		}
	}
}

func (w *Writer) payWinners(r *Round, dues []Settlement) {
	switch w.Config.PaymentProcedure {
	case 2:
		w.bySeat(dues, func(seat []Settlement) { w.charge(r, seat) })
		w.bySeat(dues, w.pay)
	case 3:
		w.bySeat(dues, func(seat []Settlement) { w.pay(seat); w.charge(r, seat) })
	case 4:
		w.bySeat(dues, func(seat []Settlement) { w.charge(r, seat); w.pay(seat) })
	default:
		w.bySeat(dues, w.pay)
		w.bySeat(dues, func(seat []Settlement) { w.charge(r, seat) })
	}
}

// bySeat calls do with the settlements of each seat.
func (w *Writer) bySeat(dues []Settlement, do func([]Settlement)) {
	for len(dues) > 0 {
		n := 1
		for n < len(dues) && dues[n].Seat == dues[0].Seat {
			n++
		}
		do(dues[:n])
		dues = dues[n:]
	}
}

func (w *Writer) pay(seat []Settlement) {
	for i := range seat {
		if d := &seat[i]; d.Outcome == Won {
			w.Emit(&schema.WagerPaid{WagerID: d.ID, Seat: d.Seat, Amount: d.Winnings})
		}
	}
}

// charge collects or marks the vigorish of a seat.
func (w *Writer) charge(r *Round, seat []Settlement) {
	var sum int64
	var ids []string
	for i := range seat {
		d := &seat[i]
		switch {
		case d.Vigorish == 0:
		case d.Deferred:
			marker := w.House.markers[int(d.Seat)/2%2]
			w.Emit(&schema.VigorishMarked{
				WagerID: d.ID, Seat: d.Seat, Amount: d.Vigorish, Marker: marker,
				Area: d.Seat,
			})
			w.marks = append(w.marks, Marker{d.ID, d.Seat, d.Vigorish})
		case r.VigorishTogether:
			sum, ids = sum+d.Vigorish, append(ids, d.ID)
		default:
			w.Emit(&schema.VigorishCollected{
				Seat: d.Seat, Amount: d.Vigorish, VigorishKind: schema.VigorishKindRound,
				WagerIDs: []string{d.ID},
			})
		}
	}
	if len(ids) > 0 {
		w.Emit(&schema.VigorishCollected{
			Seat: seat[0].Seat, Amount: sum, VigorishKind: schema.VigorishKindRound,
			WagerIDs: ids,
		})
	}
}
