package detectors

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
)

// visits is what a start costs for keys of patrons, dealers and tables: the sum of weights in a table-year, see session.
func visits(v Volume, kind KeyKind) float64 {
	switch kind {
	case OfShoe, OfBatch:
		return v.Shoes
	case OfDealerPatron:
		return v.Pairings
	case OfDealer:
		return v.Stints
	case OfTable, OfPit, OfDevice:
		return 365
	case OfPatron:
	}
	return v.Sessions
}

// roundsPer is how many rounds a visit of a kind of key has on average.
func roundsPer(v Volume, kind KeyKind) float64 {
	rounds := v.Rounds
	if kind == OfPatron || kind == OfDealerPatron || kind == OfPair {
		rounds = v.PatronRounds
	}
	return max(rounds/visits(v, kind), 1)
}

var d07 = &Detector{
	ID: "d07", Name: "foreknowledge", Tier: Exact,
	Looks:  "whether a slip wins, beside its exact chance of winning: every slip, those of at least five times the usual stake, those placed last",
	Null:   "the cards still to come are a uniform draw from those not seen, and the bets were made without knowing them",
	Shows:  "wins against their exact expectation",
	Keys:   []KeyKind{OfPatron, OfTable, OfDealerPatron},
	Starts: visits,
	New:    func(p *Promise) Process { return &foreknowledge{promise: p, keys: map[Key]*tilt{}} },
}

// tilts are the parts of rounds whose outcome a cheat may know.
var tilts = [...]float64{.07, .2, .5, .95}

// The exponential tilts of a slip's profit by its largest: so many, from the first on, each twice the one before.
const (
	thetas     = 5
	thetaFirst = .5
)

const foreknowledgeExperts = 3*len(tilts) + thetas

// foreknowledgePrior is the first weight of each expert: all wagers, big ones, late ones by tilt, and profits.
var foreknowledgePrior = [foreknowledgeExperts]float64{
	.15, .15, .15, .15, .04, .04, .04, .04, .035, .035, .035, .035, .02, .02, .02, .02, .02,
}

type foreknowledge struct {
	nothing
	promise *Promise
	slips   slips
	keys    map[Key]*tilt
	factors [foreknowledgeExperts]float64
}

// tilt is what is kept of a key.
type tilt struct {
	session session
	mixture mixture
	usual   median
}

func (d *foreknowledge) Round(r *Round, out *Factors) {
	patrons, table := d.slips.of(r, &d.promise.Policy)
	if table == nil || table.wagers == 0 {
		return
	}
	for i := range patrons {
		x := &patrons[i]
		d.weigh(Key{OfPatron, x.who}, r, x, out)
		if r.Dealer != "" {
			d.weigh(Key{OfDealerPatron, r.Dealer + "+" + x.who}, r, x, out)
		}
	}
	if len(patrons) > 1 {
		d.weigh(Key{OfTable, r.Table}, r, table, out)
	}
}

func (d *foreknowledge) weigh(key Key, r *Round, x *slip, out *Factors) {
	if !out.wants(key.Kind) || x.most == 0 {
		return
	}
	win, lose := x.chances(r)
	t := d.keys[key]
	if t == nil {
		t = &tilt{mixture: newMixture(foreknowledgeExperts, 0.0005)}
		copy(t.mixture.weights, foreknowledgePrior[:])
		d.keys[key] = t
	}
	start := t.session.start(r.At, roundsPer(d.promise.Volume, key.Kind))
	big := t.usual.n >= 5 && x.stake >= 5*t.usual.value()
	t.usual.take(x.stake)
	// A cheat knows who wins: the main wager speaks for the slip, if there is one.
	won := x.won
	if x.side != baccarat.NoSpot {
		win, lose = chances(r, x.side)
		won = r.Offer.Terms[x.side].Of(&r.Coup)
	}
	if win <= 0 || lose <= 0 {
		return
	}
	chance := win / (win + lose)
	hit := 0.0
	if won > 0 {
		hit = 1
	}
	n := 0
	for stream := range 3 {
		counts := won != 0 && (stream == 0 || stream == 1 && big || stream == 2 && x.late)
		for _, eps := range tilts {
			d.factors[n] = 1
			if counts {
				d.factors[n] = 1 - eps + eps*hit/chance
			}
			n++
		}
	}
	for i, e := range x.tilted(r) {
		d.factors[n+i] = e
	}
	f := Factor{Key: key, LnE: t.mixture.take(d.factors[:]), Start: start, Money: x.net}
	if won != 0 {
		f.Seen, f.Due = hit, chance
	}
	out.Add(f)
}

// median keeps the latest stakes of a key.
type median struct {
	last [25]int64
	n    int
}

func (m *median) take(v int64) {
	m.last[m.n%len(m.last)] = v
	m.n++
}

func (m *median) value() int64 {
	sorted := m.last
	k := min(m.n, len(sorted))
	slices.Sort(sorted[:k])
	return sorted[k/2]
}

// nothing is a process that looks at nothing; others embed it.
type nothing struct{}

func (nothing) Begin(*Shoe, *Factors)  {}
func (nothing) Round(*Round, *Factors) {}
func (nothing) End(*Shoe, *Factors)    {}
