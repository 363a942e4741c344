package detectors

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// ledger runs a start-weighted Shiryaev-Roberts statistic for every detector and key.
type ledger struct {
	budget   Budget
	accounts map[accountKey]*account
	moments  moments
	// thresholds are the LnThreshold of detectors, by number and kind of key, as far as they were needed; 0 before.
	thresholds [][keyKinds]float64
	// spare are accounts of shoes that have ended.
	spare []*account
}

// threshold is the LnThreshold of the budget, computed once.
func (l *ledger) threshold(d *Detector, kind KeyKind) float64 {
	n := int(d.number())
	if n >= len(l.thresholds) {
		l.thresholds = append(l.thresholds, make([][keyKinds]float64, n+1-len(l.thresholds))...)
	}
	t := &l.thresholds[n][kind]
	if *t == 0 {
		*t = l.budget.LnThreshold(d, kind)
	}
	return *t
}

// accountKey names a detector by its number, and a key. There are several hundred accounts a table.
type accountKey struct {
	id       string
	kind     KeyKind
	detector uint8
}

func keyOf(d *Detector, key Key) accountKey { return accountKey{key.ID, key.Kind, d.number()} }

func (k *accountKey) key() Key { return Key{k.kind, k.id} }

// account is the evidence about a detector and key since the last alarm, or the rest of the key after an alarm.
type account struct {
	resting bool
	// reported is set if the rest is after a reported alarm, not after an alarm that belongs to another case.
	reported bool
	rounds   int32
	// alarmAt is when the alarm was raised, latest the time of the last factor; ns.
	alarmAt, latest int64
	// lnR is the logarithm of the statistic.
	lnR    float64
	since  *moment // nil while it rests
	money  int64
	effect effect
	top    []weight
}

// list returns the rounds with the strongest evidence.
func (a *account) list() (top []Weight) {
	for _, w := range a.top {
		top = append(top, Weight{w.moment.location(), w.lnE})
	}
	return top
}

// first returns the first round with evidence.
func (a *account) first() (since Location) {
	if a.since != nil {
		since = a.since.location()
	}
	return since
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
func (l *ledger) keeps(key accountKey, now int64) bool {
	a := l.accounts[key]
	if a == nil || a.resting || now-a.latest > keepFor {
		return false
	}
	rare := 100.0
	if key.kind == OfDealerPatron || key.kind == OfPair { // there are many more of them
		rare = 1000
	}
	return a.lnR >= math.Log(rare)
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
		return ended(k.key(), a.latest, now) && !l.keeps(k, now)
	})
}

// restMax is the maximum rest of a key that stays after an alarm; ns.
const restMax = 6 * visitGap

func newLedger(b Budget) *ledger {
	return &ledger{budget: b, accounts: map[accountKey]*account{}, moments: moments{places: map[string]*place{}}}
}

// add takes a factor and returns the alarm that it raises, or nil. After an alarm the account rests until the next
// visit of the key, at most for restMax, and then starts at 0: persistent evidence gives one finding a visit. Certain
// facts do not rest.
func (l *ledger) add(f *Factor) *Alarm {
	key := keyOf(f.Detector, f.Key)
	a := l.accounts[key]
	if a != nil && a.resting && (f.Location.At-a.latest > visitGap || f.Location.At-a.alarmAt > restMax) {
		a = nil
	}
	if a == nil {
		a = l.open()
		a.since = l.moments.of(&f.Location)
		l.accounts[key] = a
	}
	a.latest = f.Location.At
	if a.resting && !f.Certain {
		return nil
	}
	if !f.Info {
		a.lnR = lnAdd(a.lnR, math.Log(f.Start)) + f.LnE
		a.rounds++
	}
	a.money += f.Money
	a.effect.add(f.Observed, f.Expected, max(f.Times, 1))
	l.keepTop(a, f)
	threshold := l.threshold(f.Detector, f.Key.Kind)
	if !f.Certain && (a.lnR < threshold || f.Defer) {
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
		Detector: f.Detector, Key: f.Key, Location: f.Location, Since: a.first(), LnE: a.lnR, LnThreshold: threshold,
		Certain: f.Certain, Info: f.Info, Note: f.Note, Rounds: int(a.rounds), Money: a.money,
		Top: a.list(), effect: a.effect, budget: &l.budget,
	}
	if f.Certain {
		alarm.LnE, alarm.LnThreshold = 0, 0
	}
	return alarm
}

// open returns an account without evidence.
func (l *ledger) open() *account {
	if n := len(l.spare); n > 0 {
		a := l.spare[n-1]
		l.spare = l.spare[:n-1]
		*a = account{lnR: math.Inf(-1), top: a.top[:0]}
		return a
	}
	return &account{lnR: math.Inf(-1)}
}

// rest has the account of a key rest after an alarm.
func (l *ledger) rest(key accountKey, at int64) {
	l.accounts[key] = &account{resting: true, alarmAt: at, latest: at, lnR: math.Inf(-1)}
}

// endShoes drops the accounts of keys that end with the shoe.
func (l *ledger) endShoes() {
	for k, a := range l.accounts {
		if k.kind.Ends() {
			delete(l.accounts, k)
			l.spare = append(l.spare, a)
		}
	}
	if l.moments.reuses {
		l.moments.endShoe()
	}
}

// keepTop keeps the rounds with the strongest evidence.
func (l *ledger) keepTop(a *account, f *Factor) {
	if len(a.top) >= topRounds && f.LnE <= a.top[topRounds-1].lnE || f.LnE <= 0 {
		return
	}
	at, _ := slices.BinarySearchFunc(a.top, f.LnE, func(x weight, lnE float64) int { return cmp.Compare(lnE, x.lnE) })
	if len(a.top) >= topRounds {
		a.top = a.top[:topRounds-1]
	}
	a.top = slices.Insert(a.top, at, weight{l.moments.of(&f.Location), f.LnE})
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
