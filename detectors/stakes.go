package detectors

import "github.com/shoeproof/shoeproof/baccarat"

var d16 = &Detector{
	ID: "d16", Name: "late bets", Tier: Exact,
	Looks:  "whether wagers placed or raised last, or after the first card, win more often than their exact chance",
	Null:   "a late wager knows no more than an early one",
	Shows:  "the late wagers and how they came out",
	Keys:   []KeyKind{OfShoe, OfPatron, OfDealer},
	Starts: visits,
	New:    func(p *Promise) Process { return &lateBets{keyed: newKeyed(p, len(tilts))} },
}

type lateBets struct {
	nothing
	keyed keyed
}

func (d *lateBets) Begin(*Shoe, *Factors) { d.keyed.begin() }

func (d *lateBets) Round(r *Round, out *Factors) {
	if r.Odds == nil || r.Offer == nil || !r.Played || r.First == 0 {
		return
	}
	policy := &d.keyed.promise.Policy
	// One wager of each bettor, the largest; for all of them together, the largest late one of the round.
	var most *Wager
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if !r.isLate(w, policy) {
			continue
		}
		if most == nil || w.Stake > most.Stake {
			most = w
		}
		largest := true
		for j := range r.Wagers {
			o := &r.Wagers[j]
			same := j != i && r.isLate(o, policy) && who(r, o) == who(r, w)
			largest = largest && !(same && (o.Stake > w.Stake || o.Stake == w.Stake && j < i))
		}
		if largest {
			d.weigh(Key{OfPatron, who(r, w)}, r, w, out)
		}
	}
	if most != nil {
		d.weigh(Key{OfShoe, r.Shoe}, r, most, out)
		if r.Dealer != "" {
			d.weigh(Key{OfDealer, r.Dealer}, r, most, out)
		}
	}
}

// isLate says that a wager came within the window before the first card, or after it. Two clocks differ by up to the bound:
// what may have been early is not late.
func (r *Round) isLate(w *Wager, p *Policy) bool {
	return w.Spot <= baccarat.SpotOther && r.Offer.Terms[w.Spot].Offered && w.Stake > 0 && (w.Late || r.First-w.Placed <= p.LateWindow-p.ClockBound)
}

func (d *lateBets) weigh(key Key, r *Round, w *Wager, out *Factors) {
	win, lose := chances(r, w.Spot)
	profit := r.Offer.Terms[w.Spot].Of(&r.Coup)
	if profit == 0 || win <= 0 || lose <= 0 {
		return
	}
	contaminate(&d.keyed, Factor{Key: key, Money: w.net()}, r.At, profit > 0, win/(win+lose), out)
}

// contaminate weighs that something came about, of which the chance is known, against that a cheat brings it about in some
// part of rounds.
func contaminate(k *keyed, f Factor, at int64, came bool, chance float64, out *Factors) {
	var experts [len(tilts)]float64
	for i, eps := range tilts {
		experts[i] = 1 - eps
		if came {
			experts[i] += eps / chance
		}
	}
	f.Due = chance
	if came {
		f.Seen = 1
	}
	k.take(f, at, experts[:], out)
}

// chances are the probabilities that a wager on a spot wins and loses.
func chances(r *Round, spot baccarat.Spot) (win, lose float64) {
	t := &r.Offer.Terms[spot]
	if t.OnPair {
		return r.Odds.Pair, 1 - r.Odds.Pair
	}
	for _, class := range r.Offer.Kernel.Classes() {
		switch p := t.Profit[class]; {
		case p > 0:
			win += r.Odds.P[class]
		case p < 0:
			lose += r.Odds.P[class]
		}
	}
	return win, lose
}

var d20 = &Detector{
	ID: "d20", Name: "stakes changed after the bets were closed", Tier: Exact,
	Looks:  "stakes that a device read differently when bets were closed and at settlement: up on winners, down on losers",
	Null:   "a change knows nothing of the result: it is a misread or a correction",
	Shows:  "each change with its direction and what it was worth",
	Keys:   []KeyKind{OfPatron, OfDealer, OfTable},
	Starts: visits,
	New:    func(p *Promise) Process { return &capping{keyed: newKeyed(p, len(tilts))} },
}

type capping struct {
	nothing
	keyed keyed
}

func (d *capping) Round(r *Round, out *Factors) {
	if r.Odds == nil || r.Offer == nil || !r.Played {
		return
	}
	// Changes of one round hang on one result: for each key the largest speaks.
	var all *Wager
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if !d.changed(r, w) {
			continue
		}
		largest := true
		for j := range r.Wagers {
			o := &r.Wagers[j]
			if j != i && d.changed(r, o) && who(r, o) == who(r, w) {
				largest = largest && (w.change() > o.change() || w.change() == o.change() && i < j)
			}
		}
		if largest {
			d.weigh(Key{OfPatron, who(r, w)}, r, w, out)
		}
		if all == nil || w.change() > all.change() {
			all = w
		}
	}
	if all != nil {
		d.weigh(Key{OfTable, r.Table}, r, all, out)
		if r.Dealer != "" {
			d.weigh(Key{OfDealer, r.Dealer}, r, all, out)
		}
	}
}

// change is by how much the stake was read differently.
func (w *Wager) change() int64 { return max(w.AtSettlement-w.AtLock, w.AtLock-w.AtSettlement) }

func (d *capping) changed(r *Round, w *Wager) bool {
	return w.HasReads && w.change() >= d.keyed.promise.Policy.Chip && w.Spot <= baccarat.SpotOther && r.Offer.Terms[w.Spot].Offered
}

func (d *capping) weigh(key Key, r *Round, w *Wager, out *Factors) {
	win, lose := chances(r, w.Spot)
	profit := r.Offer.Terms[w.Spot].Of(&r.Coup)
	if profit == 0 || win <= 0 || lose <= 0 {
		return
	}
	up := w.AtSettlement > w.AtLock
	chance := win / (win + lose)
	if !up {
		chance = 1 - chance
	}
	contaminate(&d.keyed, Factor{Key: key, Money: w.change()}, r.At, (profit > 0) == up, chance, out)
}
