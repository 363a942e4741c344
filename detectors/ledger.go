package detectors

import (
	"cmp"
	"math"
	"slices"
)

// Volume is how much a table plays in a year.
type Volume struct {
	Rounds, Shoes, PatronRounds float64
	// Sessions are visits of a patron to the table, Stints turns of a dealer.
	Sessions, Stints float64
	// Pairings are a patron's meetings with a dealer: each dealer of each visit.
	Pairings float64
}

// Promise is what the house is promised: at most so many false alarms, from all detectors that count towards it
// together, in so many table-years of the volume, if shuffles are uniform, reads are right and bets are made
// without knowledge of cards not yet dealt.
type Promise struct {
	FalseAlarms, TableYears float64
	Volume                  Volume
	Policy                  Policy
}

// Policy are the tolerances that the house sets.
type Policy struct {
	// Errors is the rate of settlement errors that is tolerated, Short the part of vigorish that may be missing,
	// Slips the rate of errors of procedure: a reader that misreads one card in 10,000 makes 1.5 of 10,000 rounds look so.
	Errors, Short, Slips float64
	// LateWindow is how long before the first card a bet counts as late, ClockBound how far two clocks of a table may
	// differ; ns.
	LateWindow, ClockBound int64
	// Chip is the smallest difference of stakes that a reader tells, minor units.
	Chip int64
	// OffsetTurnover is from which turnover a pair of accounts that offset each other is reported, minor units.
	OffsetTurnover int64
	// BoughtAtCage says that no chips are sold at the table: then the tray must close to the chip in both directions.
	BoughtAtCage bool
	// Differential says that the house caps the gap between Player and Banker totals: offsetting is then invited.
	Differential bool
	// PickUps are the orders in which the house may pick up the discards; see Discards.
	PickUps []PickUp
}

// DefaultPromise is 10 false alarms in 1,000 table-years.
func DefaultPromise() Promise {
	return Promise{
		FalseAlarms: 10, TableYears: 1000,
		Volume: Volume{Rounds: 500_000, Shoes: 6_150, PatronRounds: 2_500_000, Sessions: 7_300, Stints: 18_000, Pairings: 45_000},
		Policy: Policy{
			Errors: 0.001, Short: 0.005, Slips: 0.0002, LateWindow: 2e9, ClockBound: 1e8, Chip: 100, OffsetTurnover: 10_000_00, BoughtAtCage: true,
			PickUps: []PickUp{AsDealt, PlayerFirst, BankerFirst},
		},
	}
}

// shared is how many detectors share the promise.
const shared = 14

// LnThreshold is the natural logarithm of the threshold for a detector's keys of one kind: the expected starts over the
// false alarms that are its share. +Inf outside the promise.
func (p *Promise) LnThreshold(d *Detector, kind KeyKind) float64 {
	switch {
	case d.Starts == nil && d.LnFixed > 0:
		return d.LnFixed
	case d.Starts == nil:
		return math.Inf(1)
	}
	share := p.FalseAlarms / shared / float64(len(d.Keys))
	return math.Log(d.Starts(p.Volume, kind) * p.TableYears / share)
}

// Ledger runs a start-weighted Shiryaev-Roberts statistic for every detector and key.
type Ledger struct {
	promise  Promise
	accounts map[accountKey]*account
}

type accountKey struct {
	detector *Detector
	key      Key
}

// account is what is known of a detector and key since the last alarm, and its rest after one.
type account struct {
	rests      bool
	alarm, now int64 // when the alarm was raised, and the last factor; ns
	lnR        float64
	since      Place
	rounds     int
	money      int64
	effect     Effect
	top        []Weight
}

// Weight is what one round adds.
type Weight struct {
	Place Place
	LnE   float64
}

// topRounds is how many of the weightiest rounds an alarm names.
const topRounds = 20

// NewLedger makes an empty one.
func NewLedger(p Promise) *Ledger { return &Ledger{promise: p, accounts: map[accountKey]*account{}} }

// Alarm is a finding in the making.
type Alarm struct {
	Detector *Detector
	Key      Key
	// Place is the round that raised it, Since the first that was weighed.
	Place, Since Place
	// LnE is the evidence, LnThreshold what it had to reach; both are 0 for a certain fact.
	LnE, LnThreshold float64
	Certain          bool
	Note             string
	Rounds           int
	Money            int64
	Effect           Effect
	// Top are the rounds that weigh most, heaviest first.
	Top     []Weight
	promise *Promise
}

// restsAtMost is for how long a key rests after an alarm that never leaves for visitEnds; ns.
const restsAtMost = 6 * visitEnds

// Take weighs a factor and returns the alarm that it raises, if any. The account then rests until the key's next visit, a day at
// most, and begins again: what lasts is one finding a visit. Certain facts do not rest.
func (l *Ledger) Take(f *Factor) *Alarm {
	key := accountKey{f.Detector, f.Key}
	a := l.accounts[key]
	if a != nil && a.rests && (f.Place.At-a.now > visitEnds || f.Place.At-a.alarm > restsAtMost) {
		a = nil
	}
	if a == nil {
		a = &account{lnR: math.Inf(-1), since: f.Place}
		l.accounts[key] = a
	}
	a.now = f.Place.At
	if a.rests && !f.Certain {
		return nil
	}
	a.lnR = lnAdd(a.lnR, math.Log(f.Start)) + f.LnE
	a.rounds++
	a.money += f.Money
	a.effect.Take(f.Seen, f.Due, max(f.Times, 1))
	a.weigh(Weight{f.Place, f.LnE})
	threshold := l.promise.LnThreshold(f.Detector, f.Key.Kind)
	if !f.Certain && (a.lnR < threshold || f.Hold) {
		return nil
	}
	if delete(l.accounts, key); !f.Certain {
		l.accounts[key] = &account{rests: true, alarm: f.Place.At, now: f.Place.At, lnR: math.Inf(-1)}
	}
	alarm := &Alarm{
		Detector: f.Detector, Key: f.Key, Place: f.Place, Since: a.since, LnE: a.lnR, LnThreshold: threshold, Certain: f.Certain,
		Note: f.Note, Rounds: a.rounds, Money: a.money, Effect: a.effect, Top: a.top, promise: &l.promise,
	}
	if f.Certain {
		alarm.LnE, alarm.LnThreshold = 0, 0
	}
	return alarm
}

// LnE is the evidence about a key as it stands, -Inf if there is none.
func (l *Ledger) LnE(d *Detector, key Key) float64 {
	if a := l.accounts[accountKey{d, key}]; a != nil {
		return a.lnR
	}
	return math.Inf(-1)
}

// endShoes drops the accounts of shoes: they have ended.
func (l *Ledger) endShoes() {
	for k := range l.accounts {
		if k.key.Kind.Ends() {
			delete(l.accounts, k)
		}
	}
}

// weigh keeps the heaviest rounds.
func (a *account) weigh(w Weight) {
	if len(a.top) == topRounds && w.LnE <= a.top[topRounds-1].LnE {
		return
	}
	at, _ := slices.BinarySearchFunc(a.top, w, func(x, w Weight) int { return cmp.Compare(w.LnE, x.LnE) })
	if len(a.top) == topRounds {
		a.top = a.top[:topRounds-1]
	}
	a.top = slices.Insert(a.top, at, w)
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
