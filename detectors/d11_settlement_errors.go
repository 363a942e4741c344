package detectors

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
)

var d11 = &Detector{
	ID: "d11", Name: "settlement errors", Tier: Tolerance,
	Observes: "wagers that were not settled by the law, and whom the error favoured",
	Null:     "at most the tolerated rate of errors, of which at most half favour the patron",
	Reports:  "the errors and their sum",
	Keys:     []KeyKind{OfDealer, OfDealerPatron, OfTable, OfPatron},
	Starts:   visits,
	start:    func(b *Budget) process { return &settlementErrors{keyed: newKeyed(b, 2*len(rates))} },
}

// settlementErrors is d11.
type settlementErrors struct {
	inert
	keyed
	patrons []errorSum
}

// errorSum sums the wagers of a round, or of one bettor in it: how many were settled, how many wrongly, and the gain
// of patrons.
type errorSum struct {
	bettor         string
	settled, wrong int
	gain           int64
}

// Round scores a round once for each key: a misread card, or a wrongly called winner, makes all wagers of a round
// wrong. The probability that any of n wagers is wrong is at most n times the tolerated rate, whatever their
// dependence.
func (d *settlementErrors) Round(r *Round, out *factors) {
	var all errorSum
	d.patrons = d.patrons[:0]
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if !w.settled() {
			continue
		}
		all.add(w)
		at := slices.IndexFunc(d.patrons, func(p errorSum) bool { return p.bettor == bettor(r, w) })
		if at < 0 {
			at = len(d.patrons)
			d.patrons = append(d.patrons, errorSum{bettor: bettor(r, w)})
		}
		d.patrons[at].add(w)
	}
	if all.settled == 0 {
		return
	}
	d.score(Key{OfTable, r.Table}, r, &all, out)
	for i := range d.patrons {
		d.score(Key{OfPatron, d.patrons[i].bettor}, r, &d.patrons[i], out)
	}
	if r.Dealer == "" {
		return
	}
	d.score(Key{OfDealer, r.Dealer}, r, &all, out)
	for i := range d.patrons {
		d.score(Key{OfDealerPatron, r.with(d.patrons[i].bettor)}, r, &d.patrons[i], out)
	}
}

func (e *errorSum) add(w *Wager) {
	wrong, gain := w.error()
	e.settled++
	e.gain += gain
	if wrong {
		e.wrong++
	}
}

func (d *settlementErrors) score(key Key, r *Round, x *errorSum, out *factors) {
	tolerated := min(d.budget.Policy.Errors*float64(x.settled), 0.25)
	var experts [2 * len(rates)]float64
	for k, times := range rates {
		e := rateRatio(tolerated, times, x.wrong > 0)
		sign := 1.0
		switch {
		case x.wrong > 0 && x.gain > 0:
			sign = 1.8
		case x.wrong > 0 && x.gain < 0:
			sign = 0.2
		}
		experts[2*k], experts[2*k+1] = e, e*sign
	}
	f := Factor{Key: key, Money: x.gain, Expected: tolerated}
	if x.wrong > 0 {
		f.Observed = 1
	}
	d.keyed.add(f, r.At, experts[:], out)
}

// settled reports whether it is known how a wager was settled and how the law settles it. A withdrawn wager has
// neither.
func (w *Wager) settled() bool {
	return w.Ruled != baccarat.Undetermined && w.Done != baccarat.Undetermined && w.Ruled != baccarat.Withdrawn
}

// error reports whether a wager was not settled by the law, and the gain of the patron from that.
func (w *Wager) error() (wrong bool, gain int64) {
	if !w.settled() {
		return false, 0
	}
	value := func(d baccarat.Disposition, winnings int64) int64 {
		switch d {
		case baccarat.Pay:
			return winnings
		case baccarat.Collect:
			return -w.Stake
		}
		return 0
	}
	gain = value(w.Done, w.Paid) - value(w.Ruled, w.Due)
	return gain != 0, gain
}
