package detectors

import "strings"

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
	keyKinds
)

var keyWords = [keyKinds]string{"shoe", "table", "patron", "dealer", "dealer+patron", "pair", "device", "pit", "batch"}

func (k KeyKind) String() string { return keyWords[k] }

// Ends says that keys of the kind end with the shoe: the ledger of the stream decides about them.
func (k KeyKind) Ends() bool { return k == OfShoe }

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
	// Live detectors run in the stream.
	Live bool
	// Starts is the expected sum of start weights in a table-year of the volume, for each kind of key; nil outside
	// the promise.
	Starts func(Volume, KeyKind) float64
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

// Factor is what a detector makes of a round for one key.
type Factor struct {
	Detector *Detector
	Key      Key
	Place    Place
	// LnE is the natural logarithm of the factor, Start the weight of a start before it.
	LnE, Start float64
	// Seen is what was seen, from 0 to 1, and Due its mean under honest play: the effect that people can read.
	Seen, Due float64
	// Money is what was at issue, minor units.
	Money int64
	// Certain raises the alarm whatever the ledger says; Note says what was seen.
	Certain bool
	Note    string
}

// Factors collects the factors of one call.
type Factors struct {
	detector *Detector
	place    Place
	list     []Factor
}

// Add takes a factor; detector and place are filled in.
func (f *Factors) Add(a Factor) {
	a.Detector, a.Place = f.detector, f.place
	f.list = append(f.list, a)
}

// Host runs detectors over rounds and hands what they weigh to a ledger. It is not safe for concurrent use.
type Host struct {
	// Factors and Alarms are of the last call; they are overwritten by the next.
	Factors []Factor
	Alarms  []Alarm
	// Ledger decides about every kind of key that it is given.
	Ledger *Ledger

	detectors []*Detector
	processes []Process
	factors   Factors
}

// NewHost starts detectors.
func NewHost(promise Promise, detectors []*Detector) *Host {
	h := &Host{Ledger: NewLedger(promise), detectors: detectors}
	for _, d := range detectors {
		h.processes = append(h.processes, d.New(&h.Ledger.promise))
	}
	return h
}

// Begin takes the beginning of a shoe.
func (h *Host) Begin(s *Shoe) {
	h.each(s.Place, s.Frozen, func(p Process, f *Factors) { p.Begin(s, f) })
}

// Round takes a round that is settled.
func (h *Host) Round(r *Round) {
	h.each(r.Place, r.Frozen, func(p Process, f *Factors) { p.Round(r, f) })
}

// End takes the end of a shoe.
func (h *Host) End(s *Shoe) { h.each(s.Place, s.Frozen, func(p Process, f *Factors) { p.End(s, f) }) }

// each calls every process, and the ledger for what it weighs. What a bad feed would say is dropped: its factor is 1.
func (h *Host) each(at Place, frozen bool, call func(Process, *Factors)) {
	h.factors.list, h.factors.place, h.Alarms = h.factors.list[:0], at, h.Alarms[:0]
	for i, p := range h.processes {
		from := len(h.factors.list)
		h.factors.detector = h.detectors[i]
		call(p, &h.factors)
		if frozen && h.detectors[i].Tier != Calibrated {
			h.factors.list = h.factors.list[:from]
		}
	}
	h.Factors = h.factors.list
	for i := range h.Factors {
		if a := h.Ledger.Take(&h.Factors[i]); a != nil {
			h.Alarms = append(h.Alarms, *a)
		}
	}
}
