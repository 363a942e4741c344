package detectors

import "github.com/shoeproof/shoeproof/baccarat"

var d16 = &Detector{
	ID: "d16", Name: "late bets", Tier: Exact,
	Observes: "the wins of wagers placed, raised or moved last, or after the first card, with their exact probabilities",
	Null:     "a late wager is made with no more knowledge than an early one",
	Reports:  "the late wagers and their results",
	Keys:     []KeyKind{OfShoe, OfPatron, OfDealer},
	Starts:   visits,
	start:    func(b *Budget) process { return &lateBets{keyed: newKeyed(b, len(knownParts))} },
}

// lateBets is d16.
type lateBets struct {
	inert
	keyed
}

func (d *lateBets) Begin(*Shoe, *factors) { d.keyed.begin() }

// Round scores one wager of each bettor, the largest late one, and for all bettors the largest late wager of the round.
func (d *lateBets) Round(r *Round, out *factors) {
	if !r.playable() || r.First == 0 {
		return
	}
	policy := &d.budget.Policy
	var largest *Wager
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if !r.isLate(w, policy) {
			continue
		}
		if largest == nil || w.Stake > largest.Stake {
			largest = w
		}
		if r.isLargestLate(i, policy) {
			d.score(Key{OfPatron, bettor(r, w)}, r, w, out)
		}
	}
	if largest == nil {
		return
	}
	d.score(Key{OfShoe, r.Shoe}, r, largest, out)
	if r.Dealer != "" {
		d.score(Key{OfDealer, r.Dealer}, r, largest, out)
	}
}

// isLate reports whether a wager came within the window before the first card, or after it. Two clocks may differ by
// the bound: a wager that may have been early is not late.
func (r *Round) isLate(w *Wager, p *Policy) bool {
	return w.Spot <= baccarat.SpotOther && r.Offer.Terms[w.Spot].Offered && w.Stake > 0 &&
		(w.Late || r.First-w.Placed <= p.LateWindow-p.ClockBound)
}

// isLargestLate reports whether wager i is the largest late one of its bettor, the first of several.
func (r *Round) isLargestLate(i int, p *Policy) bool {
	w := &r.Wagers[i]
	for j := range r.Wagers {
		o := &r.Wagers[j]
		larger := o.Stake > w.Stake || o.Stake == w.Stake && j < i
		if j != i && larger && r.isLate(o, p) && bettor(r, o) == bettor(r, w) {
			return false
		}
	}
	return true
}

func (d *lateBets) score(key Key, r *Round, w *Wager, out *factors) {
	win, lose := chances(r, w.Spot)
	profit := r.Offer.Terms[w.Spot].Of(&r.Coup)
	if profit == 0 || win <= 0 || lose <= 0 {
		return
	}
	f := Factor{Key: key, Money: w.net(), Expected: win / (win + lose)}
	d.addContaminated(f, r.At, profit > 0, out)
}
