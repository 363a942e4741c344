package detectors

import (
	"cmp"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/numeric"
)

// ledger runs a start-weighted Shiryaev-Roberts statistic for every detector and key.
type ledger struct {
	budget Budget
	// accounts are the accounts of each key, a list: several detectors have accounts of one key.
	accounts map[Key]*account
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

// account is the evidence about a detector and key since the last alarm, or the rest of the key after an alarm. There
// are several hundred of them a table: each field counts.
type account struct {
	// next is the account of another detector and the same key.
	next *account
	// top are the rounds with the strongest evidence, strongest first, nil before the first one; listed is their number.
	top      *strongest
	detector uint8
	listed   uint8
	resting  bool
	// reported is set if the rest is after a reported alarm, not after an alarm that belongs to another case.
	reported bool
	rounds   int32
	// since is the first round with evidence, or the alarm after which it rests; 0 of a shoe that rests.
	since momentRef
	// alarmAt is when the alarm was raised, latest the time of the last factor; ns.
	alarmAt, latest int64
	// lnR is the logarithm of the statistic.
	lnR    float64
	money  int64
	effect effect
}

// strongest are the rounds with the strongest evidence, in two lists: a list of pairs would be a third larger.
type strongest struct {
	lnE     [topRounds]float64
	moments [topRounds]momentRef
}

// find returns the account of a detector and a key, nil if there is none.
func (l *ledger) find(d *Detector, key Key) *account { return l.accounts[key].of(d.number()) }

// of finds the account of a detector in a list.
func (a *account) of(detector uint8) *account {
	for a != nil && a.detector != detector {
		a = a.next
	}
	return a
}

// put adds the account of a detector and a key, in place of the one before.
func (l *ledger) put(d *Detector, key Key, a *account) {
	l.remove(d, key)
	a.detector, a.next = d.number(), l.accounts[key]
	l.accounts[key] = a
}

// remove drops the account of a detector and a key.
func (l *ledger) remove(d *Detector, key Key) {
	first := l.accounts[key]
	if first.of(d.number()) == nil {
		return
	}
	first = first.without(func(a *account) bool { return a.detector == d.number() })
	if first == nil {
		delete(l.accounts, key)
		return
	}
	l.accounts[key] = first
}

// without returns a list of accounts without some of them.
func (a *account) without(drop func(*account) bool) *account {
	at := &a
	for *at != nil {
		if x := *at; drop(x) {
			*at = x.next
		} else {
			at = &x.next
		}
	}
	return a
}

// list returns the rounds with the strongest evidence.
func (l *ledger) list(a *account) (top []Weight) {
	for i := range a.listed {
		top = append(top, Weight{l.moments.location(a.top.moments[i]), a.top.lnE[i]})
	}
	return top
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
func (a *account) keeps(kind KeyKind, now int64) bool {
	if a == nil || a.resting || now-a.latest > keepFor {
		return false
	}
	rare := 100.0
	if kind == OfDealerPatron || kind == OfPair { // there are many more of them
		rare = 1000
	}
	return a.lnR >= numeric.Log(rare)
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
	for key, first := range l.accounts {
		left := first.without(func(a *account) bool { return ended(key, a.latest, now) && !a.keeps(key.Kind, now) })
		switch {
		case left == nil:
			delete(l.accounts, key)
		case left != first:
			l.accounts[key] = left
		}
	}
	l.compact()
}

// restMax is the maximum rest of a key that stays after an alarm; ns.
const restMax = 6 * visitGap

func newLedger(b Budget) *ledger {
	return &ledger{budget: b, accounts: map[Key]*account{}, moments: moments{places: map[string]*place{}}}
}

// add takes a factor and returns the alarm that it raises, or nil. After an alarm the account rests until the next
// visit of the key, at most for restMax, and then starts at 0: persistent evidence gives one finding a visit. Certain
// facts do not rest.
func (l *ledger) add(f *Factor) *Alarm {
	a := l.find(f.Detector, f.Key)
	if a != nil && a.resting && (f.Location.At-a.latest > visitGap || f.Location.At-a.alarmAt > restMax) {
		a = nil
	}
	if a == nil {
		a = l.open()
		a.since = l.moments.of(&f.Location)
		l.put(f.Detector, f.Key, a)
	}
	a.latest = f.Location.At
	if a.resting && !f.Certain {
		return nil
	}
	if !f.Info {
		a.lnR = lnAdd(a.lnR, numeric.Log(f.Start)) + f.LnE
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
		l.remove(f.Detector, f.Key)
	default:
		l.rest(f.Detector, f.Key, &f.Location)
	}
	alarm := &Alarm{
		Detector: f.Detector, Key: f.Key, Location: f.Location, Since: l.moments.location(a.since), LnE: a.lnR,
		LnThreshold: threshold,
		Certain:     f.Certain, Info: f.Info, Note: f.Note, Rounds: int(a.rounds), Money: a.money,
		Top: l.list(a), effect: a.effect, budget: &l.budget,
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
		*a = account{lnR: math.Inf(-1), top: a.top}
		return a
	}
	return &account{lnR: math.Inf(-1)}
}

// rest has the account of a key rest after an alarm.
func (l *ledger) rest(d *Detector, key Key, at *Location) {
	a := &account{resting: true, alarmAt: at.At, latest: at.At, lnR: math.Inf(-1)}
	if !key.Kind.Ends() {
		a.since = l.moments.of(at)
	}
	l.put(d, key, a)
}

// endShoes drops the accounts of keys that end with the shoe.
func (l *ledger) endShoes() {
	for key, a := range l.accounts {
		if !key.Kind.Ends() {
			continue
		}
		delete(l.accounts, key)
		for ; a != nil; a = a.next {
			l.spare = append(l.spare, a)
		}
	}
	if len(l.accounts) == 0 {
		l.moments.endShoe()
	}
}

// keepTop keeps the rounds with the strongest evidence.
func (l *ledger) keepTop(a *account, f *Factor) {
	if f.LnE <= 0 || a.listed == topRounds && f.LnE <= a.top.lnE[topRounds-1] {
		return
	}
	if a.top == nil {
		a.top = &strongest{}
	}
	n := int(a.listed)
	at, _ := slices.BinarySearchFunc(a.top.lnE[:n], f.LnE, func(x, lnE float64) int { return cmp.Compare(lnE, x) })
	n = min(n+1, topRounds)
	copy(a.top.lnE[at+1:n], a.top.lnE[at:])
	copy(a.top.moments[at+1:n], a.top.moments[at:])
	a.top.lnE[at], a.top.moments[at], a.listed = f.LnE, l.moments.of(&f.Location), uint8(n)
}

// lnAdd is ln(e^a + e^b).
func lnAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + numeric.Log1p(numeric.Exp(b-a))
}
