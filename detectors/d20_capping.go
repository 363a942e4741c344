package detectors

import "github.com/shoeproof/shoeproof/baccarat"

var d20 = &Detector{
	ID: "d20", Name: "stakes changed after the bets were closed", Tier: Exact,
	Observes: "stakes that a device read differently when bets were closed and at settlement: raised on winners, " +
		"lowered on losers",
	Null:    "a change is independent of the result: it is a misread or a correction",
	Reports: "each change with its direction and its amount",
	Keys:    []KeyKind{OfPatron, OfDealer, OfTable},
	Starts:  visits,
	start:   func(b *Budget) process { return &capping{keyed: newKeyed(b, len(knownParts))} },
}

// capping is d20.
type capping struct {
	inert
	keyed
}

// Round scores the largest change of each key: the changes of one round depend on one result.
func (d *capping) Round(r *Round, out *factors) {
	if !r.playable() {
		return
	}
	var largest *Wager
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if !d.changed(r, w) {
			continue
		}
		if d.isLargest(r, i) {
			d.score(Key{OfPatron, bettor(r, w)}, r, w, out)
		}
		if largest == nil || w.change() > largest.change() {
			largest = w
		}
	}
	if largest == nil {
		return
	}
	d.score(Key{OfTable, r.Table}, r, largest, out)
	if r.Dealer != "" {
		d.score(Key{OfDealer, r.Dealer}, r, largest, out)
	}
}

// isLargest reports whether the change of wager i is the largest of its bettor, the first of several.
func (d *capping) isLargest(r *Round, i int) bool {
	w := &r.Wagers[i]
	for j := range r.Wagers {
		o := &r.Wagers[j]
		larger := o.change() > w.change() || o.change() == w.change() && j < i
		if j != i && larger && d.changed(r, o) && bettor(r, o) == bettor(r, w) {
			return false
		}
	}
	return true
}

// change is the difference between the two readings of the stake.
func (w *Wager) change() int64 { return max(w.AtSettlement-w.AtLock, w.AtLock-w.AtSettlement) }

// readAfter reports whether the second reading is of what lay there after the settlement: the stake beside its
// winnings, or nothing after a losing stake was taken. Each such reading would be evidence against its patron.
func (w *Wager) readAfter() bool {
	beside := w.AtSettlement - w.AtLock
	return w.Done == baccarat.Pay && (beside == w.Paid || beside == w.Paid-w.VigTaken) ||
		w.Done == baccarat.Collect && w.AtSettlement == 0
}

func (d *capping) changed(r *Round, w *Wager) bool {
	return w.HasReads && w.change() >= d.budget.Policy.Chip && !w.readAfter() &&
		w.Spot <= baccarat.SpotOther && r.Offer.Terms[w.Spot].Offered
}

func (d *capping) score(key Key, r *Round, w *Wager, out *factors) {
	win, lose := chances(r, w.Spot)
	profit := r.Offer.Terms[w.Spot].Of(&r.Coup)
	if profit == 0 || win <= 0 || lose <= 0 {
		return
	}
	raised := w.AtSettlement > w.AtLock
	chance := win / (win + lose)
	if !raised {
		chance = 1 - chance
	}
	d.addContaminated(Factor{Key: key, Money: w.change(), Expected: chance}, r.At, (profit > 0) == raised, out)
}
