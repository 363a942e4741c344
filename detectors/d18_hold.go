package detectors

var d18 = &Detector{
	ID: "d18", Name: "hold", Tier: Calibrated,
	Observes: "the profit of patrons and its expectation, in standard deviations: a control chart without alarms",
	Null:     "a normal approximation; an edge of one point takes about 356,000 wagers to show at one in a billion",
	Reports:  "the hold of a day; audit report hold-tests gives the tests of COMAR 36.05.03.25 and K.A.R. 112-108-51",
	Keys:     []KeyKind{OfTable, OfPit},
	start:    func(*Budget) process { return &holdChart{} },
}

// holdChart is d18. Its factors are 1: it only charts.
type holdChart struct{ inert }

func (holdChart) save() any { return struct{}{} }

func (holdChart) load(decode func(any) error) error { return decode(&struct{}{}) }

func (holdChart) Round(r *Round, out *factors) {
	if !r.playable() {
		return
	}
	var x result
	for i := range r.Wagers {
		if w := &r.Wagers[i]; r.hasTerms(w) {
			x.add(r, w)
		}
	}
	if x.max <= x.min {
		return
	}
	f := Factor{Money: x.net}
	f.Observed, f.Expected = x.scaled()
	for _, key := range [...]Key{{OfTable, r.Table}, {OfPit, r.Pit}} {
		if key.ID != "" {
			f.Key = key
			out.add(f)
		}
	}
}
