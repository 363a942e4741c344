package detectors

var d13 = &Detector{
	ID: "d13", Name: "procedure", Tier: Tolerance,
	Observes: "rounds that break rules of draw, deal, burn, cut and order",
	Null:     "at most the tolerated rate",
	Reports:  "the rate; each breach is also a finding of its own rule",
	Keys:     []KeyKind{OfDealer, OfTable},
	Starts:   visits,
	whole:    true,
	start:    func(b *Budget) process { return &procedure{keyed: newKeyed(b, len(rates))} },
}

// procedure is d13.
type procedure struct {
	inert
	keyed
}

func (d *procedure) Round(r *Round, out *factors) {
	tolerated := d.budget.Policy.Slips
	var experts [len(rates)]float64
	for k, times := range rates {
		experts[k] = rateRatio(tolerated, times, r.Breaches > 0)
	}
	f := Factor{Expected: tolerated}
	if r.Breaches > 0 {
		f.Observed = 1
	}
	for _, key := range [...]Key{{OfDealer, r.Dealer}, {OfTable, r.Table}} {
		if key.ID != "" {
			f.Key = key
			d.keyed.add(f, r.At, experts[:], out)
		}
	}
}
