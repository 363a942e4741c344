package detectors

import "github.com/shoeproof/shoeproof/baccarat"

var d09 = &Detector{
	ID: "d09", Name: "results", Tier: Exact,
	Observes: "the profit of all wagers, with its exact expectation in each round",
	Null:     "undealt cards are a uniform draw from the cards not seen, and bets are made without knowledge of them",
	Reports:  "the profit beyond expectation: slow, mostly the size of what other detectors report",
	Keys:     []KeyKind{OfPatron, OfDealer, OfTable, OfPit},
	Starts:   visits,
	start:    func(b *Budget) process { return &results{keyed: newKeyed(b, len(resultStakes))} },
}

// resultStakes are the parts of the evidence that are staked on the next result.
var resultStakes = [...]float64{.01, .03, .1, .3}

// results is d09.
type results struct {
	inert
	keyed
}

func (d *results) Round(r *Round, out *factors) {
	if !r.playable() {
		return
	}
	var all result
	for i := range r.Wagers {
		if !r.hasTerms(&r.Wagers[i]) {
			continue
		}
		all.add(r, &r.Wagers[i])
		name := bettor(r, &r.Wagers[i])
		if r.before(i, name) {
			continue
		}
		var own result
		for j := i; j < len(r.Wagers); j++ {
			if w := &r.Wagers[j]; r.hasTerms(w) && bettor(r, w) == name {
				own.add(r, w)
			}
		}
		d.score(Key{OfPatron, name}, r, &own, out)
	}
	for _, key := range [...]Key{{OfDealer, r.Dealer}, {OfTable, r.Table}, {OfPit, r.Pit}} {
		if key.ID != "" {
			d.score(key, r, &all, out)
		}
	}
}

func (d *results) score(key Key, r *Round, x *result, out *factors) {
	if x.mean <= x.min {
		return
	}
	var experts [len(resultStakes)]float64
	for i, stake := range resultStakes {
		experts[i] = 1 + stake*(x.profit-x.mean)/(x.mean-x.min)
	}
	f := Factor{Key: key, Money: x.net}
	f.Observed, f.Expected = x.scaled()
	d.keyed.add(f, r.At, experts[:], out)
}

// result is the profit of a set of wagers by the law, with its mean and its bounds; minor units.
type result struct {
	profit, mean, min, max float64
	net                    int64
}

func (x *result) add(r *Round, w *Wager) {
	terms := &r.Offer.Terms[w.Spot]
	stake := float64(w.Stake)
	x.profit += float64(stake * terms.Of(&r.Coup))
	x.mean += float64(stake * terms.EV(r.Odds))
	x.min += float64(stake * terms.Min)
	x.max += float64(stake * terms.Max)
	x.net += w.net()
}

// scaled returns the profit and its mean, mapped to [0, 1] by the bounds.
func (x *result) scaled() (observed, expected float64) {
	width := x.max - x.min
	return (x.profit - x.min) / width, (x.mean - x.min) / width
}

// hasTerms reports whether a wager has odds and was placed in time.
func (r *Round) hasTerms(w *Wager) bool {
	return w.Spot <= baccarat.SpotOther && r.Offer.Terms[w.Spot].Offered && !w.Late && w.Stake > 0
}

// before reports whether a bettor has a wager earlier in the list.
func (r *Round) before(i int, name string) bool {
	for j := range i {
		if w := &r.Wagers[j]; r.hasTerms(w) && bettor(r, w) == name {
			return true
		}
	}
	return false
}
