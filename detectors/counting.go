package detectors

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"sync"

	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/rules"
)

var d08 = &Detector{
	ID: "d08", Name: "counting", Tier: Exact,
	Looks: "in which rounds of a shoe a patron makes a side wager, and in which the cards left give it a positive expectation",
	Null:  "the shoe is as good as any other for the same pattern of wagers: compared with 1,000 simulated shoes",
	Shows: "the shoes in which he bet when it paid, and the theoretical advantage of his wagers",
	Keys:  []KeyKind{OfPatron, OfTable},
	// A patron is looked at for each of some two wagers that he makes.
	Starts: func(v Volume, k KeyKind) float64 { return 2 * visits(v, k) },
	New:    func(p *Promise) Process { return &counting{promise: p, counters: map[counterKey]*counter{}} },
}

// countable are the spots whose value moves enough with the cards left to be counted.
var countable = [...]rules.Spot{
	rules.SpotTie, rules.SpotPlayerPair, rules.SpotBankerPair, rules.SpotDragonBonusPlayer, rules.SpotDragonBonusBanker, rules.SpotDragon7,
	rules.SpotPanda8, rules.SpotFortune7, rules.SpotGolden8, rules.SpotHeavenly9, rules.SpotBlazing7s, rules.SpotCoverAll,
}

const (
	libraryShoes = 1000
	// libraryRounds is how many rounds of a shoe are looked at.
	libraryRounds = 70
)

// worths are the expectations above which a round counts as a good one.
var worths = [...]float64{0, 0.04}

// paths are the good rounds of a shoe, a bit each, by spot and worth.
type paths [len(countable)][len(worths)][2]uint64

// library are simulated shoes under one offer. Rounds is how many rounds each of them has at least.
type library struct {
	once   sync.Once
	shoes  []paths
	rounds int
}

// counterHabits are the chances that a counter makes the wager in a good round and in another.
var counterHabits = [...][2]float64{{.9, .03}, {.6, .05}, {.4, .1}, {.25, .1}}

// courages are the parts of the evidence that are staked on a shoe.
var courages = [...]float64{.25, .5, .75, .95}

const countingExperts = len(worths) * len(courages)

type counterKey struct {
	key  string
	spot int
}

type counting struct {
	promise  *Promise
	offer    *Offer
	decks    int
	good     paths
	rounds   int
	counters map[counterKey]*counter
	order    []counterKey // of this shoe
}

// counter is what is known of a bettor and a spot; the masks are of this shoe.
type counter struct {
	session       session
	mixture       mixture
	present, bets [2]uint64
	exposed       float64
	active        bool
	stake         int64
}

func (d *counting) Begin(*Shoe, *Factors) {
	d.good, d.rounds, d.order, d.offer = paths{}, 0, d.order[:0], nil
}

func (d *counting) Round(r *Round, _ *Factors) {
	if r.Odds == nil || r.Offer == nil || d.rounds >= libraryRounds || (d.offer != nil && d.offer != r.Offer) {
		d.rounds++
		return
	}
	d.offer, d.decks = r.Offer, r.Decks
	t := d.rounds
	d.rounds++
	var v [len(countable)]float64
	for i, spot := range countable {
		if terms := &r.Offer.Terms[spot]; terms.Offered {
			v[i] = terms.EV(r.Odds)
			for k, worth := range worths {
				if v[i] > worth {
					d.good[i][k][t/64] |= 1 << (t % 64)
				}
			}
		}
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		name := who(r, w)
		for k, spot := range countable {
			if r.Offer.Terms[spot].Offered {
				d.note(counterKey{"p" + name, k}, t, w, spot, v[k])
				d.note(counterKey{"t" + r.Table, k}, t, w, spot, v[k])
			}
		}
	}
}

func (d *counting) note(key counterKey, t int, w *Wager, spot rules.Spot, v float64) {
	c := d.counters[key]
	if c == nil {
		c = &counter{mixture: newMixture(countingExperts, 0.01)}
		d.counters[key] = c
	}
	if !c.active {
		c.active = true
		d.order = append(d.order, key)
	}
	c.present[t/64] |= 1 << (t % 64)
	if w.Spot == spot && !w.Late {
		c.bets[t/64] |= 1 << (t % 64)
		c.exposed += float64(w.Stake) * v
		c.stake += w.Stake
	}
}

// End compares the shoe with the library, for all who made the wager in it.
func (d *counting) End(s *Shoe, out *Factors) {
	for _, key := range d.order {
		c := d.counters[key]
		if c.bets != [2]uint64{} && d.offer != nil {
			d.weigh(key, c, s, out)
		}
		*c = counter{session: c.session, mixture: c.mixture, exposed: c.exposed}
	}
}

func (d *counting) weigh(key counterKey, c *counter, s *Shoe, out *Factors) {
	kind := OfPatron
	if key.key[0] == 't' {
		kind = OfTable
	}
	if !out.wants(kind) {
		return
	}
	lib := d.offer.library(d.decks)
	limit := span(lib.rounds)
	for i := range limit {
		limit[i] &= c.present[i]
	}
	bets := and(c.bets, limit)
	n, all := ones(bets), ones(limit)
	var experts [countingExperts]float64
	for k := range worths {
		f := func(good [2]uint64) float64 {
			g := and(good, limit)
			both := ones(and(g, bets))
			return habit4(both, ones(g)-both, n-both, all-n-ones(g)+both)
		}
		own := f(d.good[key.spot][k])
		sum := own
		for i := range lib.shoes {
			sum += f(lib.shoes[i][key.spot][k])
		}
		e := 0.0
		if sum > 0 {
			e = float64(len(lib.shoes)+1) * own / sum
		}
		for j, courage := range courages {
			experts[k*len(courages)+j] = 1 - courage + courage*e
		}
	}
	good := ones(and(and(d.good[key.spot][0], limit), bets))
	mean := 0.0
	for i := range lib.shoes {
		mean += float64(ones(and(lib.shoes[i][key.spot][0], bets)))
	}
	mean /= float64(len(lib.shoes))
	shoes := d.promise.Volume.Shoes / visits(d.promise.Volume, kind)
	out.Add(Factor{
		Key: Key{kind, key.key[1:] + "/" + countable[key.spot].String()}, LnE: c.mixture.take(experts[:]), Start: c.session.start(s.At, max(shoes, 1)),
		Seen: float64(good), Due: mean, Times: max(n, 1), Money: c.stake, Hold: c.exposed <= 0,
	})
}

// habit4 is the likelihood of a pattern of wagers, averaged over the habits of counters: bets and none in good rounds, bets
// and none in others.
func habit4(goodBet, goodNone, badBet, badNone int) float64 {
	sum := 0.0
	for _, h := range counterHabits {
		sum += math.Exp(float64(goodBet)*math.Log(h[0]) + float64(goodNone)*math.Log(1-h[0]) +
			float64(badBet)*math.Log(h[1]) + float64(badNone)*math.Log(1-h[1]))
	}
	return sum
}

func and(a, b [2]uint64) [2]uint64 { return [2]uint64{a[0] & b[0], a[1] & b[1]} }
func ones(a [2]uint64) int         { return bits.OnesCount64(a[0]) + bits.OnesCount64(a[1]) }

// span is a mask of the first n rounds.
func span(n int) (m [2]uint64) {
	for t := range n {
		m[t/64] |= 1 << (t % 64)
	}
	return m
}

// library deals the shoes that patterns of wagers are compared with, once for an offer and a number of decks. The seed is
// their hash: the same library everywhere.
func (o *Offer) library(decks int) *library {
	o.mu.Lock()
	lib := o.libraries[decks]
	if lib == nil {
		lib = &library{}
		if o.libraries == nil {
			o.libraries = map[int]*library{}
		}
		o.libraries[decks] = lib
	}
	o.mu.Unlock()
	lib.once.Do(func() {
		lib.rounds = libraryRounds
		lib.shoes = make([]paths, libraryShoes)
		for i := range lib.shoes {
			lib.rounds = min(lib.rounds, o.deal(decks, i, &lib.shoes[i]))
		}
	})
	return lib
}

// deal plays a shoe to the end, with the burn of its first card and a cutting card 14 cards from the end, and returns its
// rounds.
func (o *Offer) deal(decks, number int, good *paths) int {
	g := seeded("library", strconv.Itoa(decks), strconv.Itoa(number))
	order := make([]rules.Card, 0, 52*decks)
	for c := rules.Card(1); c <= 52; c++ {
		order = append(order, slices.Repeat([]rules.Card{c}, decks)...)
	}
	for i := len(order) - 1; i > 0; i-- {
		j := g.below(i + 1)
		order[i], order[j] = order[j], order[i]
	}
	left := exact.Full(decks)
	left[order[0]]--
	at := 1 + order[0].BurnValue()
	var odds exact.Odds
	next := func() rules.Card {
		c := order[at]
		at++
		left[c]--
		return c
	}
	t := 0
	for ; at+14 < len(order) && t < libraryRounds; t++ {
		o.Kernel.Odds(&left, &odds)
		for i, spot := range countable {
			if terms := &o.Terms[spot]; terms.Offered {
				v := terms.EV(&odds)
				for k, worth := range worths {
					if v > worth {
						good[i][k][t/64] |= 1 << (t % 64)
					}
				}
			}
		}
		player, banker := []rules.Card{next()}, []rules.Card{next()}
		player, banker = append(player, next()), append(banker, next())
		c := rules.NewCoup(player, banker)
		if o.drawing.PlayerDraws(c.P2, c.B2) {
			player = append(player, next())
			c = rules.NewCoup(player, banker)
		}
		if o.drawing.BankerDraws(c.P2, c.B2, c.Third) {
			next()
		}
	}
	return t
}
