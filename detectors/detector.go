package detectors

import (
	"slices"
	"strings"
)

// Tier is what a detector's null hypothesis rests on.
type Tier uint8

// Tiers.
const (
	// Exact: the game's own probabilities.
	Exact Tier = iota
	// Tolerance: a rate of honest errors that the house allows. Counts towards the promise.
	Tolerance
	// Certain: a fact or a bad reading, no odds.
	Certain
	// Calibrated: the key's own past. Outside the promise and labelled so.
	Calibrated
)

func (t Tier) String() string { return [...]string{"exact", "tolerance", "certain", "calibrated"}[t] }

// KeyKind is what evidence is gathered about.
type KeyKind uint8

// Kinds of key.
const (
	OfShoe KeyKind = iota
	OfTable
	OfPatron
	OfDealer
	OfDealerPatron
	OfPair // two patrons
	OfDevice
	OfPit
	OfBatch // a set of cards
	OfTray  // a tray between two counts
	keyKinds
)

var keyWords = [keyKinds]string{"shoe", "table", "patron", "dealer", "dealer+patron", "pair", "device", "pit", "batch", "tray"}

func (k KeyKind) String() string { return keyWords[k] }

// Ends says that keys of the kind end with the shoe: the ledger of the stream decides about them.
func (k KeyKind) Ends() bool { return k == OfShoe || k == OfTray }

// Key is what evidence is gathered about.
type Key struct {
	Kind KeyKind
	// ID is the shoe, table, patron ..., two joined by "+".
	ID string
}

func (k Key) String() string { return k.Kind.String() + ":" + k.ID }

// ParseKey reads what String writes.
func ParseKey(s string) (Key, bool) {
	word, id, ok := strings.Cut(s, ":")
	for k, w := range keyWords {
		if ok && w == word {
			return Key{KeyKind(k), id}, true
		}
	}
	return Key{}, false
}

// Detector is one way of being suspicious.
type Detector struct {
	// ID is stored in evidence and findings for ever: d01 to d20.
	ID, Name string
	Tier     Tier
	// Looks, Null and Shows say what it looks at, what holds under honest play, and what an alarm shows.
	Looks, Null, Shows string
	Keys               []KeyKind
	// Starts is the expected sum of start weights in a table-year of the volume, for each kind of key; nil outside
	// the promise.
	Starts func(Volume, KeyKind) float64
	// Feed says that it looks at the feed itself: nothing freezes it.
	Feed bool
	// LnFixed is the threshold of a detector outside the promise, as a logarithm; 0 is none.
	LnFixed float64
	// New makes its state for one host.
	New func(*Promise) Process
}

// Process is a detector at work. It is called in the order of the table's events.
type Process interface {
	// Begin is called before the first card of a shoe, End when no more cards come.
	Begin(*Shoe, *Factors)
	Round(*Round, *Factors)
	End(*Shoe, *Factors)
}

// Accountant is a process that looks at the chip tray.
type Accountant interface {
	Tray(*Tray, *Factors)
}

// Explainer is a process that can say in words what the evidence about a key is.
type Explainer interface {
	Explain(Key) string
}

// Factor is what a detector makes of a round for one key.
type Factor struct {
	Detector *Detector
	Key      Key
	Place    Place
	// LnE is the natural logarithm of the factor, Start the weight of a start before it.
	LnE, Start float64
	// Seen is what was seen, from 0 to 1, and Due its mean under honest play: the effect that people can read. Times is how
	// many observations of the round they sum up, 0 for one.
	Seen, Due float64
	Times     int
	// Money is what was at issue, minor units.
	Money int64
	// Hold keeps an alarm back until a later factor: the evidence is there, but nothing was at stake.
	Hold bool
	// Certain raises the alarm whatever the ledger says; Note says what was seen.
	Certain bool
	Note    string
}

// Factors collects the factors of one call.
type Factors struct {
	detector *Detector
	place    Place
	keeps    func(KeyKind) bool
	list     []Factor
	from     int // where the detector's own begin
}

// wants says whether the host keeps keys of a kind.
func (f *Factors) wants(k KeyKind) bool { return f.keeps(k) }

// lnLeast stands for what is impossible: a number that can be stored and summed.
const lnLeast = -700

// Add takes a factor of a key that the host keeps; detector and place are filled in. What a detector adds for one key twice
// in a call is one factor, with the start of the first.
func (f *Factors) Add(a Factor) {
	if !f.keeps(a.Key.Kind) {
		return
	}
	a.Detector, a.Place, a.Times, a.LnE = f.detector, f.place, max(a.Times, 1), max(a.LnE, lnLeast)
	for i := f.from; i < len(f.list); i++ {
		if b := &f.list[i]; b.Key == a.Key && !b.Certain && !a.Certain {
			b.LnE += a.LnE
			b.Seen += a.Seen
			b.Due += a.Due
			b.Times += a.Times
			b.Money += a.Money
			return
		}
	}
	f.list = append(f.list, a)
}

// Host runs detectors over rounds and hands what they weigh to a ledger. It is not safe for concurrent use.
type Host struct {
	// Factors and Alarms are of the last call; they are overwritten by the next.
	Factors []Factor
	Alarms  []Alarm
	Ledger  *Ledger

	detectors []*Detector
	processes []Process
	factors   Factors
	keeps     func(KeyKind) bool
}

// NewHost starts detectors, for all kinds of key.
func NewHost(promise Promise, detectors []*Detector) *Host {
	return newHost(promise, detectors, func(KeyKind) bool { return true })
}

// NewLive starts the detectors that run in the stream of one table, for the keys that end with the shoe.
func NewLive(promise Promise) *Host { return newHost(promise, withKeys(true), KeyKind.Ends) }

// NewStored starts the detectors that run over stored facts, for the keys that outlive a shoe.
func NewStored(promise Promise) *Host {
	return newHost(promise, withKeys(false), func(k KeyKind) bool { return !k.Ends() })
}

// withKeys are the detectors with a key that ends with the shoe, or one that does not.
func withKeys(ends bool) []*Detector {
	var list []*Detector
	for _, d := range All() {
		if slices.ContainsFunc(d.Keys, func(k KeyKind) bool { return k.Ends() == ends }) {
			list = append(list, d)
		}
	}
	return list
}

func newHost(promise Promise, detectors []*Detector, keeps func(KeyKind) bool) *Host {
	h := &Host{Ledger: NewLedger(promise), detectors: detectors, keeps: keeps, factors: Factors{keeps: keeps}}
	for _, d := range detectors {
		h.processes = append(h.processes, d.New(&h.Ledger.promise))
	}
	return h
}

// Begin takes the beginning of a shoe. What is known about keys that end with the shoe is forgotten.
func (h *Host) Begin(s *Shoe) {
	if h.keeps(OfShoe) {
		h.Ledger.endShoes()
	}
	h.each(s.Place, s.Frozen, func(p Process, f *Factors) { p.Begin(s, f) })
}

// Round takes a round that is settled.
func (h *Host) Round(r *Round) {
	h.each(r.Place, r.Frozen, func(p Process, f *Factors) { p.Round(r, f) })
}

// End takes the end of a shoe.
func (h *Host) End(s *Shoe) { h.each(s.Place, s.Frozen, func(p Process, f *Factors) { p.End(s, f) }) }

// Tray takes the interval between two counts of a tray.
func (h *Host) Tray(t *Tray) {
	h.each(t.Place, t.Frozen, func(p Process, f *Factors) {
		if a, ok := p.(Accountant); ok {
			a.Tray(t, f)
		}
	})
}

// each calls every process, and the ledger for what it weighs. What a bad feed would say is dropped: its factor is 1.
func (h *Host) each(at Place, frozen bool, call func(Process, *Factors)) {
	h.factors.list, h.factors.place, h.Alarms = h.factors.list[:0], at, h.Alarms[:0]
	for i, p := range h.processes {
		from := len(h.factors.list)
		h.factors.detector, h.factors.from = h.detectors[i], from
		call(p, &h.factors)
		if frozen && !h.detectors[i].Feed {
			h.factors.list = h.factors.list[:from]
		}
		for k := from; k < len(h.factors.list); k++ {
			a := h.Ledger.Take(&h.factors.list[k])
			if a == nil {
				continue
			}
			if x, ok := p.(Explainer); ok && a.Note == "" {
				a.Note = x.Explain(a.Key)
			}
			h.Alarms = append(h.Alarms, *a)
		}
	}
	h.Factors = h.factors.list
}
