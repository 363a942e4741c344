package detectors

import "github.com/shoeproof/shoeproof/baccarat"

var d09 = &Detector{
	ID: "d09", Name: "results", Tier: Exact,
	Looks:  "the profit of all wagers beside its exact expectation in each round",
	Null:   "the cards still to come are a uniform draw from those not seen, and the bets were made without knowing them",
	Shows:  "how much more is won than the game gives: slow, so mostly the size of what others found",
	Keys:   []KeyKind{OfPatron, OfDealer, OfTable, OfPit},
	Starts: visits,
	New:    func(p *Promise) Process { return &results{keyed: newKeyed(p, len(bets))} },
}

// bets are the parts of the evidence that are staked on the next result.
var bets = [...]float64{.01, .03, .1, .3}

type results struct {
	nothing
	keyed keyed
}

// result is what a round brought somebody, in minor units as the law has it: profit, its mean and its bounds.
type result struct {
	profit, mean, least, most float64
	net                       int64
}

func (x *result) add(r *Round, w *Wager) {
	terms := &r.Offer.Terms[w.Spot]
	stake := float64(w.Stake)
	x.profit += stake * terms.Of(&r.Coup)
	x.mean += stake * terms.EV(r.Odds)
	x.least += stake * terms.Least
	x.most += stake * terms.Most
	x.net += w.net()
}

func (d *results) Round(r *Round, out *Factors) {
	if r.Odds == nil || r.Offer == nil || !r.Played {
		return
	}
	var all result
	for i := range r.Wagers {
		if !r.weighable(&r.Wagers[i]) {
			continue
		}
		all.add(r, &r.Wagers[i])
		name := who(r, &r.Wagers[i])
		if r.before(i, name) {
			continue
		}
		var own result
		for j := i; j < len(r.Wagers); j++ {
			if w := &r.Wagers[j]; r.weighable(w) && who(r, w) == name {
				own.add(r, w)
			}
		}
		d.weigh(Key{OfPatron, name}, r, &own, out)
	}
	for _, key := range [...]Key{{OfDealer, r.Dealer}, {OfTable, r.Table}, {OfPit, r.Pit}} {
		if key.ID != "" {
			d.weigh(key, r, &all, out)
		}
	}
}

func (d *results) weigh(key Key, r *Round, x *result, out *Factors) {
	if x.mean <= x.least {
		return
	}
	var experts [len(bets)]float64
	for i, bet := range bets {
		experts[i] = 1 + bet*(x.profit-x.mean)/(x.mean-x.least)
	}
	width := x.most - x.least
	d.keyed.take(Factor{Key: key, Money: x.net, Seen: (x.profit - x.least) / width, Due: (x.mean - x.least) / width}, r.At, experts[:], out)
}

// weighable says that a wager has odds and was placed in time.
func (r *Round) weighable(w *Wager) bool {
	return w.Spot <= baccarat.SpotOther && r.Offer.Terms[w.Spot].Offered && !w.Late && w.Stake > 0
}

// before says that a bettor has a wager earlier in the list.
func (r *Round) before(i int, name string) bool {
	for j := range i {
		if w := &r.Wagers[j]; r.weighable(w) && who(r, w) == name {
			return true
		}
	}
	return false
}
