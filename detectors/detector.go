package detectors

import (
	"fmt"
	"strings"
)

// Tier is what the null hypothesis of a detector rests on.
type Tier uint8

// Tiers.
const (
	// Exact rests on the probabilities of the game.
	Exact Tier = iota
	// Tolerance rests on a rate of honest errors that the house accepts. It counts towards the budget.
	Tolerance
	// Certain reports a fact or a misread card. It has no odds.
	Certain
	// Calibrated rests on the history of the key. It is outside the budget, and its alarms state that.
	Calibrated
)

func (t Tier) String() string { return [...]string{"exact", "tolerance", "certain", "calibrated"}[t] }

// KeyKind is the kind of subject that evidence is about.
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
	OfBatch    // a set of cards
	OfTray     // a chip tray between two counts
	OfSupplier // of cards or of shufflers
	keyKinds
)

var keyWords = [keyKinds]string{
	"shoe", "table", "patron", "dealer", "dealer+patron", "pair", "device", "pit", "batch", "tray", "supplier",
}

func (k KeyKind) String() string { return keyWords[k] }

// Ends reports whether keys of the kind end with the shoe. The detectors in the stream decide about these.
func (k KeyKind) Ends() bool { return k == OfShoe || k == OfTray }

// Key is the subject of evidence.
type Key struct {
	Kind KeyKind
	// ID is the id of the shoe, table, patron and so on. Two ids are joined by "+".
	ID string
}

func (k Key) String() string { return k.Kind.String() + ":" + k.ID }

// MarshalText writes the key as String does.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (k *Key) UnmarshalText(text []byte) error {
	key, ok := ParseKey(string(text))
	if !ok {
		return fmt.Errorf("parse key %q: unknown kind", text)
	}
	*k = key
	return nil
}

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

// Detector is a test for one kind of irregularity.
type Detector struct {
	// ID is stored in evidence and findings and never changes: d01 to d20.
	ID, Name string
	Tier     Tier
	// Observes, Null and Reports describe its input, its null hypothesis and the content of an alarm.
	Observes, Null, Reports string
	Keys                    []KeyKind
	// Starts is the expected sum of start weights in a table-year for a kind of key. It is nil outside the budget.
	Starts func(Volume, KeyKind) float64

	// whole is set for a detector that compares the rounds of a whole shoe, or needs facts that are known at its end.
	whole bool
	// feed is set for a detector of the feed itself: a frozen round does not stop it.
	feed bool
	// lnFixed is the logarithm of the threshold of a detector outside the budget; 0 means none.
	lnFixed float64
	// start makes the process for one host.
	start func(*Budget) process
}

// number is that of the id.
func (d *Detector) number() uint8 { return 10*(d.ID[1]-'0') + d.ID[2] - '0' }

// process is a detector in one host. Its methods are called in the order of the events of the table.
type process interface {
	// Begin is called before the first card of a shoe, End after its last.
	Begin(*Shoe, *factors)
	Round(*Round, *factors)
	End(*Shoe, *factors)
}

// trayObserver is a process that observes the chip tray.
type trayObserver interface {
	Tray(*Tray, *factors)
}

// explainer is a process that describes the evidence about a key.
type explainer interface {
	Explain(Key) string
}

// forgetter is a process that can drop keys: those that are stale, given when they were seen last.
type forgetter interface {
	forget(stale func(key Key, last int64) bool)
}

// inert does nothing. Processes embed it for the methods that they do not need.
type inert struct{}

func (inert) Begin(*Shoe, *factors)  {}
func (inert) Round(*Round, *factors) {}
func (inert) End(*Shoe, *factors)    {}

// All returns the detectors in the order of their ids.
func All() []*Detector {
	return []*Detector{
		d01, d02, d03, d04, d05, d06, d07, d08, d09, d10,
		d11, d12, d13, d14, d15, d16, d17, d18, d19, d20,
	}
}
