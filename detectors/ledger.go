package detectors

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// ledger runs a start-weighted Shiryaev-Roberts statistic for every detector and key.
type ledger struct {
	budget   Budget
	accounts map[accountKey]*account
}

// accountKey names a detector by its id, and a key.
type accountKey struct {
	Detector string
	Key      Key
}

// MarshalText writes the id of the detector, a space and the key.
func (k accountKey) MarshalText() ([]byte, error) {
	return []byte(k.Detector + " " + k.Key.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (k *accountKey) UnmarshalText(text []byte) error {
	detector, key, ok := strings.Cut(string(text), " ")
	if !ok {
		return fmt.Errorf("parse account %q: want a detector and a key", text)
	}
	k.Detector = detector
	return k.Key.UnmarshalText([]byte(key))
}

// account is the evidence about a detector and key since the last alarm, or the rest of the key after an alarm.
type account struct {
	Resting bool
	// Case reports that the rest is after an alarm that was reported, not after one that belongs to another case.
	Case bool `cbor:",omitempty"`
	// AlarmAt is when the alarm was raised, Latest the time of the last factor; ns.
	AlarmAt, Latest int64
	// LnR is the logarithm of the statistic.
	LnR    float64
	Since  Location
	Rounds int
	Money  int64
	Effect effect
	Top    []Weight
}

// Weight is the evidence of one round.
type Weight struct {
	Location Location
	LnE      float64
}

// topRounds is the number of rounds that an alarm lists.
const topRounds = 8

// An account whose visit has ended is kept while its evidence is rare under honest play and its last round is recent:
// weak evidence begins again with the next visit, so that memory is bounded by the play of a few hours.
const (
	keepFor = 30 * 24 * 3600 * int64(1e9) // ns
	// batchGap is the minimum absence that ends the visit of a set of cards, which rests overnight; ns.
	batchGap = 30 * 3600 * int64(1e9)
)

// keeps reports whether the account of a key whose visit has ended is kept.
func (l *ledger) keeps(detector string, key Key, now int64) bool {
	a := l.accounts[accountKey{detector, key}]
	if a == nil || a.Resting || now-a.Latest > keepFor {
		return false
	}
	rare := 100.0
	if key.Kind == OfDealerPatron || key.Kind == OfPair { // there are many more of them
		rare = 1000
	}
	return a.LnR >= math.Log(rare)
}

// ended reports whether the visit of a key that was seen last has ended.
func ended(key Key, last, now int64) bool {
	gap := visitGap
	if key.Kind == OfBatch {
		gap = batchGap
	}
	return now-last > gap
}

// forget drops the accounts whose visit has ended, except those that it keeps.
func (l *ledger) forget(now int64) {
	maps.DeleteFunc(l.accounts, func(k accountKey, a *account) bool {
		return ended(k.Key, a.Latest, now) && !l.keeps(k.Detector, k.Key, now)
	})
}

// restMax is the maximum rest of a key that stays after an alarm; ns.
const restMax = 6 * visitGap

func newLedger(b Budget) *ledger { return &ledger{budget: b, accounts: map[accountKey]*account{}} }

// add takes a factor and returns the alarm that it raises, or nil. After an alarm the account rests until the next
// visit of the key, at most for restMax, and then starts at 0: persistent evidence gives one finding a visit. Certain
// facts do not rest.
func (l *ledger) add(f *Factor) *Alarm {
	key := accountKey{f.Detector.ID, f.Key}
	a := l.accounts[key]
	if a != nil && a.Resting && (f.Location.At-a.Latest > visitGap || f.Location.At-a.AlarmAt > restMax) {
		a = nil
	}
	if a == nil {
		a = &account{LnR: math.Inf(-1), Since: f.Location}
		l.accounts[key] = a
	}
	a.Latest = f.Location.At
	if a.Resting && !f.Certain {
		return nil
	}
	if !f.Info {
		a.LnR = lnAdd(a.LnR, math.Log(f.Start)) + f.LnE
		a.Rounds++
	}
	a.Money += f.Money
	a.Effect.add(f.Observed, f.Expected, max(f.Times, 1))
	a.keepTop(Weight{f.Location, f.LnE})
	threshold := l.budget.LnThreshold(f.Detector, f.Key.Kind)
	if !f.Certain && (a.LnR < threshold || f.Defer) {
		return nil
	}
	switch {
	case f.Info: // beside the evidence
	case f.Certain:
		delete(l.accounts, key)
	default:
		l.rest(key, f.Location.At)
	}
	alarm := &Alarm{
		Detector: f.Detector, Key: f.Key, Location: f.Location, Since: a.Since, LnE: a.LnR, LnThreshold: threshold,
		Certain: f.Certain, Info: f.Info, Note: f.Note, Rounds: a.Rounds, Money: a.Money, Top: a.Top,
		effect: a.Effect, budget: &l.budget,
	}
	if f.Certain {
		alarm.LnE, alarm.LnThreshold = 0, 0
	}
	return alarm
}

// rest has the account of a key rest after an alarm.
func (l *ledger) rest(key accountKey, at int64) {
	l.accounts[key] = &account{Resting: true, AlarmAt: at, Latest: at, LnR: math.Inf(-1)}
}

// endShoes drops the accounts of keys that end with the shoe.
func (l *ledger) endShoes() {
	for k := range l.accounts {
		if k.Key.Kind.Ends() {
			delete(l.accounts, k)
		}
	}
}

// keepTop keeps the rounds with the strongest evidence.
func (a *account) keepTop(w Weight) {
	if len(a.Top) >= topRounds && w.LnE <= a.Top[topRounds-1].LnE || w.LnE <= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(a.Top, w, func(x, w Weight) int { return cmp.Compare(w.LnE, x.LnE) })
	if len(a.Top) >= topRounds {
		a.Top = a.Top[:topRounds-1]
	}
	a.Top = slices.Insert(a.Top, at, w)
}

// lnAdd is ln(e^a + e^b).
func lnAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}
