package detectors

import "github.com/shoeproof/shoeproof/baccarat"

var d12 = &Detector{
	ID: "d12", Name: "vigorish short", Tier: Tolerance,
	Observes: "the part of the vigorish due on each wager that was neither taken nor marked",
	Null:     "at most the tolerated part is missing on average",
	Reports:  "the shortfall in money",
	Keys:     []KeyKind{OfDealer, OfPatron, OfTable},
	Starts:   visits,
	start:    func(b *Budget) process { return &vigorish{keyed: newKeyed(b, len(shortStakes))} },
}

// shortStakes are the stakes of the evidence on a shortfall. The maximum stake is 1 over the tolerance.
var shortStakes = [...]float64{1, 3, 9, 19, 60}

// vigorish is d12.
type vigorish struct {
	inert
	keyed
}

func (d *vigorish) Round(r *Round, out *factors) {
	tolerated := d.budget.Policy.Short
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.VigDue <= 0 || w.Done != baccarat.Pay { // an unpaid wager is an error of settlement
			continue
		}
		short := min(max(w.VigDue-w.VigTaken, 0), w.VigDue)
		part := float64(short) / float64(w.VigDue)
		var experts [len(shortStakes)]float64
		for k, stake := range shortStakes {
			experts[k] = 1 + min(stake, 1/tolerated)*(part-tolerated)
		}
		for _, key := range [...]Key{{OfDealer, r.Dealer}, {OfPatron, bettor(r, w)}, {OfTable, r.Table}} {
			if key.ID != "" {
				d.keyed.add(Factor{Key: key, Observed: part, Expected: tolerated, Money: short}, r.At, experts[:], out)
			}
		}
	}
}
