package detectors

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
)

var d12 = &Detector{
	ID: "d12", Name: "vigorish short", Tier: Tolerance,
	Observes: "the part of the vigorish due in each round that was neither taken nor marked",
	Null:     "at most the tolerated part is missing on average",
	Reports:  "the shortfall in money",
	Keys:     []KeyKind{OfDealer, OfPatron, OfTable},
	Starts:   visits,
	whole:    true,
	start:    func(b *Budget) process { return &vigorish{keyed: newKeyed(b, len(shortStakes))} },
}

// shortStakes are the stakes of the evidence on a shortfall. The maximum stake is 1 over the tolerance.
var shortStakes = [...]float64{1, 3, 9, 19, 60}

// vigorish is d12.
type vigorish struct {
	inert
	keyed
	patrons []vigorishSum
}

// vigorishSum sums the vigorish of a round, or of one bettor in it.
type vigorishSum struct {
	bettor     string
	wagers     int
	due, short int64
}

// Round scores a round once for each key: a dealer who forgets a round forgets all its wagers at once. The part that is
// missing of the sum has at most the tolerated mean, whatever the dependence between the wagers.
func (d *vigorish) Round(r *Round, out *factors) {
	var all vigorishSum
	d.patrons = d.patrons[:0]
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.VigDue <= 0 || w.Done != baccarat.Pay { // an unpaid wager is an error of settlement
			continue
		}
		name := bettor(r, w)
		at := slices.IndexFunc(d.patrons, func(p vigorishSum) bool { return p.bettor == name })
		if at < 0 {
			at = len(d.patrons)
			d.patrons = append(d.patrons, vigorishSum{bettor: name})
		}
		d.patrons[at].add(w)
		all.add(w)
	}
	if all.due == 0 {
		return
	}
	for i := range d.patrons {
		d.score(Key{OfPatron, d.patrons[i].bettor}, r, &d.patrons[i], out)
	}
	d.score(Key{OfTable, r.Table}, r, &all, out)
	if r.Dealer != "" {
		d.score(Key{OfDealer, r.Dealer}, r, &all, out)
	}
}

func (s *vigorishSum) add(w *Wager) {
	s.wagers++
	s.due += w.VigDue
	s.short += min(max(w.VigDue-w.VigTaken, 0), w.VigDue)
}

func (d *vigorish) score(key Key, r *Round, x *vigorishSum, out *factors) {
	tolerated, part := d.budget.Policy.Short, float64(x.short)/float64(x.due)
	var experts [len(shortStakes)]float64
	for k, stake := range shortStakes {
		experts[k] = 1 + float64(min(stake, 1/tolerated)*(part-tolerated))
	}
	n := float64(x.wagers)
	f := Factor{Key: key, Observed: part * n, Expected: tolerated * n, Times: x.wagers, Money: x.short}
	d.keyed.add(f, r.At, experts[:], out)
}
