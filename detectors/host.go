package detectors

import "slices"

// Factor is the result of a detector for one round and key.
type Factor struct {
	Detector *Detector
	Key      Key
	Location Location
	// LnE is the natural logarithm of the factor, Start the weight of a start before it.
	LnE, Start float64
	// Observed is the observation, from 0 to 1, and Expected its mean under honest play, as reported to people. Times
	// is the number of observations of the round that they sum up.
	Observed, Expected float64
	Times              int
	// Money is the amount at issue, minor units.
	Money int64
	// Defer delays an alarm until a later factor: there is evidence, but no money was at stake.
	Defer bool
	// Certain raises the alarm whatever the ledger holds. Note describes the fact.
	Certain bool
	Note    string
	// Info marks a certain fact that has an honest explanation.
	Info bool
}

// factors collects the factors of one call.
type factors struct {
	detector *Detector
	location Location
	keeps    func(KeyKind) bool
	list     []Factor
	from     int // index of the first factor of the detector
}

// wants reports whether the host keeps keys of a kind.
func (f *factors) wants(k KeyKind) bool { return f.keeps(k) }

// lnMin stands for an impossible observation: a finite number can be stored and summed.
const lnMin = -700

// add takes a factor of a key that the host keeps, and fills in detector and location. Factors of the same key in one
// call are combined into one, with the start of the first.
func (f *factors) add(a Factor) {
	if !f.keeps(a.Key.Kind) {
		return
	}
	a.Detector, a.Location, a.Times, a.LnE = f.detector, f.location, max(a.Times, 1), max(a.LnE, lnMin)
	for i := f.from; i < len(f.list); i++ {
		if b := &f.list[i]; b.Key == a.Key && !b.Certain && !a.Certain {
			b.LnE += a.LnE
			b.Observed += a.Observed
			b.Expected += a.Expected
			b.Times += a.Times
			b.Money += a.Money
			return
		}
	}
	f.list = append(f.list, a)
}

// Host runs detectors over rounds and passes their factors to the ledger. It is not safe for concurrent use.
type Host struct {
	// Factors and Alarms are the results of the last call. The next call overwrites them.
	Factors []Factor
	Alarms  []Alarm

	ledger    *ledger
	detectors []*Detector
	processes []process
	factors   factors
	keeps     func(KeyKind) bool
	names     interned // nil if all keys end with the shoe
	slips     slips    // of the last round
}

// NewHost starts detectors for all kinds of key.
func NewHost(budget Budget, detectors []*Detector) *Host {
	return newHost(budget, detectors, func(KeyKind) bool { return true })
}

// NewLive starts the detectors of the stream of one table, for the keys that end with the shoe. Begin takes them back
// to their start, so that a host serves one shoe after the other.
func NewLive(budget Budget) *Host {
	return newHost(budget, withKeys(true), KeyKind.Ends)
}

// Stored are the detectors of stored facts, for the keys that outlive a shoe, in two hosts. The first takes each round
// and shoe before the second, which may be at work on an earlier one: detectors of different causes know nothing of
// each other, but for d19 in the first host, which freezes rounds.
type Stored [2]*Host

// NewStored starts the detectors. Those of the cause "play", which take as long as all others, are in the second host.
func NewStored(budget Budget) (s Stored) {
	for i := range s {
		s[i] = newHost(budget, slices.DeleteFunc(withKeys(false), func(d *Detector) bool {
			return (d.cause() == "play") != (i == 1)
		}), outlives)
	}
	return s
}

// outlives reports whether keys of a kind outlive a shoe.
func outlives(k KeyKind) bool { return !k.Ends() }

// withKeys returns the detectors whose key ends with the shoe, or whose key does not.
func withKeys(ends bool) []*Detector {
	return slices.DeleteFunc(All(), func(d *Detector) bool {
		return !slices.ContainsFunc(d.Keys, func(k KeyKind) bool { return k.Ends() == ends })
	})
}

func newHost(budget Budget, detectors []*Detector, keeps func(KeyKind) bool) *Host {
	h := &Host{ledger: newLedger(budget), detectors: detectors, keeps: keeps, factors: factors{keeps: keeps}}
	if keeps(OfPatron) {
		h.names = interned{}
	}
	for _, d := range detectors {
		h.processes = append(h.processes, d.start(&h.ledger.budget))
	}
	return h
}

// Begin takes the start of a shoe. The accounts of keys that end with the shoe are dropped.
func (h *Host) Begin(s *Shoe) {
	if h.keeps(OfShoe) {
		h.ledger.endShoes()
	}
	h.each(s.Location, s.Frozen, Every, func(p process, f *factors) { p.Begin(s, f) })
}

// Round takes a settled round. It freezes a round whose reader d19 suspects.
func (h *Host) Round(r *Round) {
	r.Frozen, r.names, r.slips = r.Frozen || h.suspects(r), h.names, &h.slips
	h.slips.summed = false
	if h.names != nil {
		r.Dealer = h.names.of(r.Dealer)
		for i := range r.Wagers {
			r.Wagers[i].Patron = h.names.of(r.Wagers[i].Patron)
		}
	}
	h.each(r.Location, r.Frozen, r.Part, func(p process, f *factors) { p.Round(r, f) })
}

// suspects reports whether d19 has raised an alarm about the reader of a round in this visit: what rests on its
// readings waits.
func (h *Host) suspects(r *Round) bool {
	for _, key := range [...]Key{{OfShoe, r.Shoe}, {OfDevice, r.Reader}} {
		a := h.ledger.find(d19, key)
		if a != nil && a.resting && r.At-a.latest <= visitGap && r.At-a.alarmAt <= restMax {
			return true
		}
	}
	return false
}

// End takes the end of a shoe.
func (h *Host) End(s *Shoe) {
	h.each(s.Location, s.Frozen, Every, func(p process, f *factors) { p.End(s, f) })
}

// Tray takes the interval between two counts of a chip tray.
func (h *Host) Tray(t *Tray) {
	h.each(t.Location, t.Frozen, Every, func(p process, f *factors) {
		if o, ok := p.(trayObserver); ok {
			o.Tray(t, f)
		}
	})
}

// Forget drops, between two shoes, what is known of keys whose visit has ended, except strong and recent evidence. Now
// is event time: a host that is called at the same times has the same state.
func (h *Host) Forget(now int64) {
	for i, p := range h.processes {
		if f, ok := p.(forgetter); ok {
			d := h.detectors[i]
			f.forget(func(key Key, last int64) bool {
				return ended(key, last, now) && !h.ledger.find(d, key).keeps(key.Kind, now)
			})
		}
	}
	h.ledger.forget(now)
	h.names.forget(h.ledger)
}

// each calls the processes of a part and passes their factors to the ledger. Factors of a frozen round are dropped,
// which is a factor of 1.
func (h *Host) each(at Location, frozen bool, part Part, call func(process, *factors)) {
	h.factors.list, h.factors.location, h.Alarms = h.factors.list[:0], at, h.Alarms[:0]
	for i, p := range h.processes {
		if !part.takes(h.detectors[i]) {
			continue
		}
		from := len(h.factors.list)
		h.factors.detector, h.factors.from = h.detectors[i], from
		call(p, &h.factors)
		if frozen && !h.detectors[i].feed {
			h.factors.list = h.factors.list[:from]
		}
		for k := from; k < len(h.factors.list); k++ {
			a := h.ledger.add(&h.factors.list[k])
			if a == nil {
				continue
			}
			h.note(a)
			h.Alarms = append(h.Alarms, *a)
		}
	}
	if h.Factors = h.factors.list; len(h.Alarms) > 0 {
		h.oneCase()
	}
}

// note adds what the detector knows of the key of an alarm.
func (h *Host) note(a *Alarm) {
	if x, ok := h.processes[slices.Index(h.detectors, a.Detector)].(explainer); ok && a.Note == "" {
		a.Note = x.Explain(a.Key)
	}
}
