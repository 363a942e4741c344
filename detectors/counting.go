package detectors

import (
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
	// A bettor is looked at for each spot, and begins anew with each shoe: some eight starts a visit.
	Starts: func(v Volume, k KeyKind) float64 { return 8 * visits(v, k) },
	New:    func(p *Promise) Process { return newCounting(p) },
}

// countable are the spots whose value moves enough with the cards left to be counted.
var countable = [...]rules.Spot{
	rules.SpotTie, rules.SpotPlayerPair, rules.SpotBankerPair, rules.SpotDragonBonusPlayer, rules.SpotDragonBonusBanker, rules.SpotDragon7,
	rules.SpotPanda8, rules.SpotFortune7, rules.SpotGolden8, rules.SpotHeavenly9, rules.SpotBlazing7s, rules.SpotCoverAll,
}

const (
	libraryShoes = 1000
	// libraryRounds is how many rounds of a shoe are compared, at most: the library has them in each shoe, or fewer are.
	libraryRounds = 78
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

type counting struct {
	promise *Promise
	offer   *Offer
	decks   int
	good    paths
	rounds  int
	chances habitPowers
	patrons map[string]*bettor
	tables  map[string]*bettor
	here    []*bettor // in this shoe
}

// bettor is a patron, or all of a table; present are the rounds of this shoe in which he made any wager.
type bettor struct {
	key     Key
	present [2]uint64
	spots   [len(countable)]*counter
}

// counter is what is known of a bettor and a spot; bets are of this shoe, gain is the theoretical advantage of its
// wagers and stake what was staked in it, also in rounds behind those that are compared.
type counter struct {
	session session
	mixture mixture
	bets    [2]uint64
	gain    float64
	stake   int64
	// exposed is the advantage over the stretch of shoes up to now in which it was highest: without any the alarm waits.
	exposed float64
}

func newCounting(p *Promise) *counting {
	return &counting{promise: p, chances: newHabitPowers(), patrons: map[string]*bettor{}, tables: map[string]*bettor{}}
}

func (d *counting) Begin(*Shoe, *Factors) {
	d.good, d.rounds, d.here, d.offer = paths{}, 0, d.here[:0], nil
}

func (d *counting) Round(r *Round, _ *Factors) {
	t := d.rounds
	d.rounds++
	if r.Odds == nil || r.Offer == nil || (d.offer != nil && d.offer != r.Offer) {
		return
	}
	d.offer, d.decks = r.Offer, r.Decks
	var v [len(countable)]float64
	for i, spot := range countable {
		if terms := &r.Offer.Terms[spot]; terms.Offered {
			v[i] = terms.EV(r.Odds)
			for k, worth := range worths {
				if v[i] > worth && t < libraryRounds {
					d.good[i][k][t/64] |= 1 << (t % 64)
				}
			}
		}
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		name := who(r, w)
		d.note(d.of(d.patrons, Key{OfPatron, name}), t, r, w, &v)
		d.note(d.of(d.tables, Key{OfTable, r.Table}), t, r, w, &v)
	}
}

// of finds a bettor.
func (d *counting) of(all map[string]*bettor, key Key) *bettor {
	b := all[key.ID]
	if b == nil {
		b = &bettor{key: key}
		all[key.ID] = b
	}
	return b
}

func (d *counting) note(b *bettor, t int, r *Round, w *Wager, v *[len(countable)]float64) {
	if t < libraryRounds {
		if b.present == [2]uint64{} {
			d.here = append(d.here, b)
		}
		b.present[t/64] |= 1 << (t % 64)
	}
	k := slices.Index(countable[:], w.Spot)
	if k < 0 || w.Late || !r.Offer.Terms[w.Spot].Offered {
		return
	}
	c := b.spots[k]
	if c == nil {
		c = &counter{mixture: newMixture(countingExperts, 0.01)}
		b.spots[k] = c
	}
	if t < libraryRounds {
		c.bets[t/64] |= 1 << (t % 64)
	}
	c.gain += float64(w.Stake) * v[k]
	c.stake += w.Stake
}

// End compares the shoe with the library, for all who made the wager in it.
func (d *counting) End(s *Shoe, out *Factors) {
	for _, b := range d.here {
		for spot, c := range b.spots {
			if c == nil {
				continue
			}
			c.exposed = max(c.exposed, 0) + c.gain
			if c.bets != [2]uint64{} && d.offer != nil && out.wants(b.key.Kind) {
				d.weigh(b, spot, s, out)
			}
			c.bets, c.gain, c.stake = [2]uint64{}, 0, 0
		}
		b.present = [2]uint64{}
	}
}

func (d *counting) weigh(b *bettor, spot int, s *Shoe, out *Factors) {
	c, kind := b.spots[spot], b.key.Kind
	lib := d.offer.library(d.decks)
	limit := and(b.present, span(lib.rounds))
	bets := and(c.bets, limit)
	n, all := ones(bets), ones(limit)
	var experts [countingExperts]float64
	for k := range worths {
		f := func(good [2]uint64) float64 {
			g, both := ones(and(good, limit)), ones(and(good, bets))
			return d.chances.of(both, g-both, n-both, all-n-g+both)
		}
		own := f(d.good[spot][k])
		sum := own
		for i := range lib.shoes {
			sum += f(lib.shoes[i][spot][k])
		}
		e := 0.0
		if sum > 0 {
			e = float64(len(lib.shoes)+1) * own / sum
		}
		for j, courage := range courages {
			experts[k*len(courages)+j] = 1 - courage + courage*e
		}
	}
	mean := 0.0
	for i := range lib.shoes {
		mean += float64(ones(and(lib.shoes[i][spot][0], bets)))
	}
	mean /= float64(len(lib.shoes))
	shoes := d.promise.Volume.Shoes / visits(d.promise.Volume, kind)
	out.Add(Factor{
		Key: Key{kind, b.key.ID + "/" + countable[spot].String()}, LnE: c.mixture.take(experts[:]), Start: c.session.start(s.At, max(shoes, 1)),
		Seen: float64(ones(and(d.good[spot][0], bets))), Due: mean, Times: max(n, 1), Money: c.stake, Hold: c.exposed <= 0,
	})
}

// habitPowers are the powers of the habits' chances, as far as a shoe has rounds.
type habitPowers [len(counterHabits)][4][libraryRounds + 1]float64

func newHabitPowers() (p habitPowers) {
	for h, habit := range counterHabits {
		for i, chance := range [4]float64{habit[0], 1 - habit[0], habit[1], 1 - habit[1]} {
			p[h][i][0] = 1
			for k := range libraryRounds {
				p[h][i][k+1] = p[h][i][k] * chance
			}
		}
	}
	return p
}

// of is the likelihood of a pattern of wagers, summed over the habits of counters: bets and none in good rounds, bets and
// none in others.
func (p *habitPowers) of(goodBet, goodNone, badBet, badNone int) float64 {
	sum := 0.0
	for h := range p {
		x := &p[h]
		sum += x[0][goodBet] * x[1][goodNone] * x[2][badBet] * x[3][badNone]
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
