package detectors

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
)

var d10 = &Detector{
	ID: "d10", Name: "dealer and patron", Tier: Exact,
	Looks:  "settlement errors in favour of one patron with one dealer, beside those of the dealer's other patrons",
	Null:   "the dealer errs in favour of all patrons alike, at whatever rate",
	Shows:  "both rates",
	Keys:   []KeyKind{OfDealerPatron},
	Starts: visits,
	New:    func(p *Promise) Process { return &links{promise: p, keys: map[Key]*link{}} },
}

// sharedRounds is from how many rounds together a link is looked at.
const sharedRounds = 50

type links struct {
	nothing
	promise *Promise
	keys    map[Key]*link
	bettors []favours // of a round
}

// link compares the rate of a pair (in) with that of the rest (out) by blocks of one observation of each: the e-value of
// Turner, Ly and Gruenwald for two by two tables (J. Statist. Plann. Inference, 2024), with rates learned from past
// blocks.
type link struct {
	session       session
	rounds        int
	blocks        float64
	inSum, outSum float64
}

func (d *links) Round(r *Round, out *Factors) {
	if r.Dealer == "" || !out.wants(OfDealerPatron) {
		return
	}
	d.sort(r)
	if len(d.bettors) < 2 {
		return
	}
	for i := range d.bettors {
		in, other := &d.bettors[i], &d.bettors[(i+1)%len(d.bettors)]
		key := Key{OfDealerPatron, r.Dealer + "+" + in.who}
		l := d.keys[key]
		if l == nil {
			l = &link{}
			d.keys[key] = l
		}
		l.rounds++
		// Who makes more wagers has more errors: as many of each are compared.
		n := min(len(in.errors), len(other.errors))
		favoured := slices.Contains(in.errors[:n], true)
		e := l.block(favoured, slices.Contains(other.errors[:n], true))
		if l.rounds < sharedRounds {
			continue
		}
		start := l.session.start(r.At, roundsPer(d.promise.Volume, OfDealerPatron))
		f := Factor{Key: key, LnE: math.Log(e), Start: start, Due: (l.outSum + .5) / (l.blocks + 1)}
		if favoured {
			f.Seen = 1
		}
		out.Add(f)
	}
}

// favours are a bettor's wagers of a round: whether an error favoured each.
type favours struct {
	who    string
	errors []bool
}

// sort lists the bettors in the order of their first wager.
func (d *links) sort(r *Round) {
	d.bettors = d.bettors[:0]
	for i := range r.Wagers {
		w := &r.Wagers[i]
		name := who(r, w)
		at := slices.IndexFunc(d.bettors, func(f favours) bool { return f.who == name })
		if at < 0 {
			at = len(d.bettors)
			d.bettors = slices.Grow(d.bettors, 1)[:at+1]
			d.bettors[at].who, d.bettors[at].errors = name, d.bettors[at].errors[:0]
		}
		_, gain := w.error()
		d.bettors[at].errors = append(d.bettors[at].errors, gain > 0)
	}
}

// block is the factor of one observation of each kind.
func (l *link) block(in, out bool) float64 {
	a, b := (l.inSum+.1)/(l.blocks+10), (l.outSum+.1)/(l.blocks+10)
	p := (a + b) / 2
	e := 1.0
	if a > b {
		e = ratio(in, a, p) * ratio(out, b, p)
	}
	l.blocks++
	if in {
		l.inSum++
	}
	if out {
		l.outSum++
	}
	return e
}

func ratio(y bool, p, p0 float64) float64 {
	if y {
		return p / p0
	}
	return (1 - p) / (1 - p0)
}

var d15 = &Detector{
	ID: "d15", Name: "offsetting bets", Tier: Certain,
	Looks: "two accounts that bet the same amounts on opposite sides in most of the rounds that they share",
	Null:  "a rule, not odds: at least 30 rounds, 90 % of them opposite with stakes within a tenth, and the turnover of the policy",
	Shows: "rounds together, the part that offset, turnover and net result",
	Keys:  []KeyKind{OfPair},
	New:   func(p *Promise) Process { return &offsets{promise: p, pairs: map[string]*offset{}} },
}

type offsets struct {
	nothing
	promise *Promise
	pairs   map[string]*offset
}

// offset is a pair's visit: once it was reported, it rests until the next.
type offset struct {
	last, reported   int64 // ns
	rounds, opposite int
	turnover, net    int64
}

// mainBet is what a bettor has on the Player and the Banker spot.
type mainBet struct {
	who            string
	player, banker int64
	net            int64
}

func (d *offsets) Round(r *Round, out *Factors) {
	if d.promise.Policy.Differential || !r.Played || !out.wants(OfPair) {
		return
	}
	var list []mainBet
	for i := range r.Wagers {
		w := &r.Wagers[i]
		if w.Spot != baccarat.SpotPlayer && w.Spot != baccarat.SpotBanker || w.Patron == "" {
			continue
		}
		at := -1
		for j := range list {
			if list[j].who == w.Patron {
				at = j
			}
		}
		if at < 0 {
			list, at = append(list, mainBet{who: w.Patron}), len(list)
		}
		if w.Spot == baccarat.SpotPlayer {
			list[at].player += w.Stake
		} else {
			list[at].banker += w.Stake
		}
		list[at].net += w.net()
	}
	for i := range list {
		for j := i + 1; j < len(list); j++ {
			d.take(&list[i], &list[j], r.At, out)
		}
	}
}

func (d *offsets) take(a, b *mainBet, at int64, out *Factors) {
	if strings.Compare(a.who, b.who) > 0 {
		a, b = b, a
	}
	key := a.who + "+" + b.who
	o := d.pairs[key]
	if o == nil {
		o = &offset{}
		d.pairs[key] = o
	}
	if o.reported != 0 && at-o.last <= visitEnds && at-o.reported <= restsAtMost {
		o.last = at
		return
	}
	o.last, o.reported = at, 0
	o.rounds++
	x, y := a.player-a.banker, b.player-b.banker
	if x != 0 && y != 0 && (x > 0) != (y > 0) && 10*max(x, -x) >= 9*max(y, -y) && 10*max(y, -y) >= 9*max(x, -x) {
		o.opposite++
		o.turnover += max(x, -x) + max(y, -y)
		o.net += a.net + b.net
	}
	if o.rounds < 30 || 10*o.opposite < 9*o.rounds || o.turnover < d.promise.Policy.OffsetTurnover {
		return
	}
	out.Add(Factor{
		Key: Key{OfPair, key}, Certain: true, Money: o.turnover,
		Note: fmt.Sprintf("opposite bets of like stakes in %d of %d rounds together, net %d on a turnover of %d minor units", o.opposite, o.rounds, o.net, o.turnover),
	})
	*o = offset{last: at, reported: at}
}

var d14 = &Detector{
	ID: "d14", Name: "chip tray", Tier: Certain,
	Looks: "the tray from one count to the next: fills, credits, stakes taken and winnings paid",
	Null:  "it closes to the smallest chip",
	Shows: "what is missing or too much, and the sums that lead there",
	Keys:  []KeyKind{OfTray},
	New:   func(p *Promise) Process { return &tray{policy: &p.Policy} },
}

type tray struct {
	nothing
	policy *Policy
}

func (d *tray) Tray(t *Tray, out *Factors) {
	due := t.Open + t.Fills - t.Credits + t.Won + t.Vigs - t.Paid
	gap := t.Close - due
	// Chips sold at the table leave the tray without an event: then only a surplus is a fact.
	if !t.Whole || max(gap, -gap) < d.policy.Chip || gap < 0 && !d.policy.BoughtAtCage {
		return
	}
	out.Add(Factor{
		Key: Key{OfTray, fmt.Sprintf("%s/%d", t.Table, t.Seq)}, Certain: true, Money: max(gap, -gap),
		Note: fmt.Sprintf("counted %d, due %d: opened %d, fills %d, credits %d, stakes taken %d, vigorish %d, winnings paid %d",
			t.Close, due, t.Open, t.Fills, t.Credits, t.Won, t.Vigs, t.Paid),
	})
}
