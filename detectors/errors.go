package detectors

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
)

// rates are how many times more errors than are tolerated an alternative has.
var rates = [...]float64{2, 5, 10, 20, 100}

// rate is the likelihood ratio of a Bernoulli observation at so many times the tolerated rate, for every rate of at most
// that a factor whose mean is at most 1.
func rate(tolerated, times float64, error bool) float64 {
	p := min(tolerated*times, 0.5)
	if error {
		return p / tolerated
	}
	return (1 - p) / (1 - tolerated)
}

var d11 = &Detector{
	ID: "d11", Name: "settlement errors", Tier: Tolerance,
	Looks:  "whether each wager was settled as the law has it, and whom an error favoured",
	Null:   "at most the tolerated rate of errors, and no more than half of them in the patron's favour",
	Shows:  "the errors and what they came to",
	Keys:   []KeyKind{OfDealer, OfDealerPatron, OfTable},
	Starts: visits,
	New:    func(p *Promise) Process { return &settlements{keyed: newKeyed(p, 2*len(rates))} },
}

type settlements struct {
	nothing
	keyed   keyed
	patrons []errorsOf
}

// error says whether a wager was settled otherwise than the law has it, and what the patron gained by it.
func (w *Wager) error() (wrong bool, gain int64) {
	if w.Ruled == baccarat.Undetermined || w.Done == baccarat.Undetermined {
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

// Round weighs a round once for each key: a card misread, or a winner called wrongly, makes all wagers of a round wrong at
// once. The chance that any of n wagers is wrong is at most n times the tolerated rate, whatever their dependence.
func (d *settlements) Round(r *Round, out *Factors) {
	var all errorsOf
	d.patrons = d.patrons[:0]
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Ruled == baccarat.Undetermined || w.Done == baccarat.Undetermined {
			continue
		}
		all.take(w)
		at := slices.IndexFunc(d.patrons, func(p errorsOf) bool { return p.who == who(r, w) })
		if at < 0 {
			at = len(d.patrons)
			d.patrons = append(d.patrons, errorsOf{who: who(r, w)})
		}
		d.patrons[at].take(w)
	}
	if all.settled == 0 {
		return
	}
	d.weigh(Key{OfTable, r.Table}, r, &all, out)
	if r.Dealer == "" {
		return
	}
	d.weigh(Key{OfDealer, r.Dealer}, r, &all, out)
	for i := range d.patrons {
		d.weigh(Key{OfDealerPatron, r.Dealer + "+" + d.patrons[i].who}, r, &d.patrons[i], out)
	}
}

// errorsOf are the wagers of a round, or of one bettor in it, how many were settled wrongly, and what that came to.
type errorsOf struct {
	who            string
	settled, wrong int
	gain           int64
}

func (e *errorsOf) take(w *Wager) {
	wrong, gain := w.error()
	e.settled++
	e.gain += gain
	if wrong {
		e.wrong++
	}
}

func (d *settlements) weigh(key Key, r *Round, x *errorsOf, out *Factors) {
	tolerated := min(d.keyed.promise.Policy.Errors*float64(x.settled), 0.25)
	var experts [2 * len(rates)]float64
	for k, times := range rates {
		e := rate(tolerated, times, x.wrong > 0)
		sign := 1.0
		switch {
		case x.wrong > 0 && x.gain > 0:
			sign = 1.8
		case x.wrong > 0 && x.gain < 0:
			sign = 0.2
		}
		experts[2*k], experts[2*k+1] = e, e*sign
	}
	f := Factor{Key: key, Money: x.gain, Due: tolerated}
	if x.wrong > 0 {
		f.Seen = 1
	}
	d.keyed.take(f, r.At, experts[:], out)
}

var d12 = &Detector{
	ID: "d12", Name: "vigorish short", Tier: Tolerance,
	Looks:  "what part of the vigorish owed for each wager was neither taken nor marked",
	Null:   "on average at most the tolerated part is missing",
	Shows:  "the shortfall in money",
	Keys:   []KeyKind{OfDealer, OfPatron, OfTable},
	Starts: visits,
	New:    func(p *Promise) Process { return &vigorish{keyed: newKeyed(p, len(shortBets))} },
}

// shortBets are the evidence's stakes on a shortfall, in units of what can be staked at a tolerance of 0.5 %.
var shortBets = [...]float64{1, 3, 9, 19, 60}

type vigorish struct {
	nothing
	keyed keyed
}

func (d *vigorish) Round(r *Round, out *Factors) {
	tolerated := d.keyed.promise.Policy.Short
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.VigDue <= 0 || w.Done != baccarat.Pay { // of what was not paid none is owed: that is an error of settlement
			continue
		}
		short := min(max(w.VigDue-w.VigTaken, 0), w.VigDue)
		part := float64(short) / float64(w.VigDue)
		var experts [len(shortBets)]float64
		for k, bet := range shortBets {
			experts[k] = 1 + min(bet, 1/tolerated)*(part-tolerated)
		}
		for _, key := range [...]Key{{OfDealer, r.Dealer}, {OfPatron, who(r, w)}, {OfTable, r.Table}} {
			if key.ID != "" {
				d.keyed.take(Factor{Key: key, Seen: part, Due: tolerated, Money: short}, r.At, experts[:], out)
			}
		}
	}
}

var d13 = &Detector{
	ID: "d13", Name: "procedure", Tier: Tolerance,
	Looks:  "how often rounds break rules of draw, deal, burn, cut and order",
	Null:   "at most the tolerated rate",
	Shows:  "the rate, where each breach is a finding of its own",
	Keys:   []KeyKind{OfDealer, OfTable},
	Starts: visits,
	New:    func(p *Promise) Process { return &procedure{keyed: newKeyed(p, len(rates))} },
}

type procedure struct {
	nothing
	keyed keyed
}

func (d *procedure) Round(r *Round, out *Factors) {
	tolerated := d.keyed.promise.Policy.Slips
	var experts [len(rates)]float64
	for k, times := range rates {
		experts[k] = rate(tolerated, times, r.Breaches > 0)
	}
	f := Factor{Due: tolerated}
	if r.Breaches > 0 {
		f.Seen = 1
	}
	for _, key := range [...]Key{{OfDealer, r.Dealer}, {OfTable, r.Table}} {
		if key.ID != "" {
			f.Key = key
			d.keyed.take(f, r.At, experts[:], out)
		}
	}
}
