package detectors

import (
	"math"
	"math/bits"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
)

var d08 = &Detector{
	ID: "d08", Name: "counting", Tier: Exact,
	Looks: "in which rounds of a shoe a patron makes a side wager, and in which the cards left give it a positive expectation",
	Null:  "the shoe is as good as any other for the same pattern of wagers: compared with simulated ones, dealt for this shoe alone from the cards that it began with",
	Shows: "the shoes in which he bet when it paid, and the theoretical advantage of his wagers",
	Keys:  []KeyKind{OfPatron, OfTable},
	// A bettor is looked at for each spot, and begins anew with each shoe: some eight starts a visit.
	Starts: func(v Volume, k KeyKind) float64 { return 8 * visits(v, k) },
	New:    func(p *Promise) Process { return newCounting(p) },
}

// countable are the spots whose value moves enough with the cards left to be counted.
var countable = [...]baccarat.Spot{
	baccarat.SpotTie, baccarat.SpotPlayerPair, baccarat.SpotBankerPair, baccarat.SpotDragonBonusPlayer, baccarat.SpotDragonBonusBanker, baccarat.SpotDragon7,
	baccarat.SpotPanda8, baccarat.SpotFortune7, baccarat.SpotGolden8, baccarat.SpotHeavenly9, baccarat.SpotBlazing7s, baccarat.SpotCoverAll,
}

const (
	libraryShoes = 200
	// libraryRounds is how many rounds of a shoe are compared, at most: the library has them in each shoe, or fewer are.
	libraryRounds = 78
	// libraryEnd is how many cards a shoe of the library has left at the most when its last round begins.
	libraryEnd = 14
)

// worths are the expectations above which a round counts as a good one.
var worths = [...]float64{0, 0.04}

// paths are the good rounds of a shoe, a bit each, by spot and worth.
type paths [len(countable)][len(worths)][2]uint64

// library are simulated shoes from the cards that one shoe began with. It is dealt anew for each shoe: one library for all would err for one
// pattern of wagers to the same side for ever. Rounds is how many rounds each of its shoes has at least.
type library struct {
	shoes  [libraryShoes]paths
	rounds int
}

// tags are how a round's worth on a spot is told from the cards left: of a pair exactly, of others to first order, as counters do. Then it is good if
// the sum of the cards' weights, by worth and value, is above 0.
type tags struct {
	offered, pair bool
	win           float64
	weights       [len(worths)][10]int64
}

// system are the tags of all spots.
type system [len(countable)]tags

// weightUnit is 1 of a count's weights.
const weightUnit = 1e9

// system makes the tags, once for a number of decks, from what the first card of each value takes away.
func (o *Offer) system(decks int) *system {
	o.mu.Lock()
	defer o.mu.Unlock()
	if all := o.systems[decks]; all != nil {
		return all
	}
	all := &system{}
	full := exact.Full(decks)
	var before, after exact.Odds
	o.Kernel.Odds(&full, &before)
	for i, spot := range countable {
		terms := &o.Terms[spot]
		all[i] = tags{offered: terms.Offered, pair: terms.OnPair, win: terms.Win}
	}
	for v := range uint8(10) {
		left := full
		left[(v+9)%10+1]-- // clubs: the ace, 2 to 9, and the ten
		o.Kernel.Odds(&left, &after)
		for i, spot := range countable {
			if c := &all[i]; c.offered && !c.pair {
				value := o.Terms[spot].EV(&before)
				effect := float64(full.Total()-1) * (o.Terms[spot].EV(&after) - value)
				for k, worth := range worths {
					c.weights[k][v] = int64(math.Round(weightUnit * (value - worth - effect)))
				}
			}
		}
	}
	if o.systems == nil {
		o.systems = map[int]*system{}
	}
	o.systems[decks] = all
	return all
}

// tally is what is counted of the cards left: their number, the ordered pairs of one rank among them, and the sums of the weights.
type tally struct {
	cards, pairs int64
	ranks        [14]int64
	sums         [len(countable)][len(worths)]int64
}

func newTally(all *system, spots []int, left *exact.Composition) (t tally) {
	t.cards, t.ranks = left.Total(), left.Ranks()
	values := left.Values()
	for _, n := range t.ranks {
		t.pairs += n * (n - 1)
	}
	for _, i := range spots {
		for k := range worths {
			for v, n := range values {
				t.sums[i][k] += all[i].weights[k][v] * n
			}
		}
	}
	return t
}

// take takes a card away and returns its value.
func (t *tally) take(all *system, spots []int, rank uint8) uint8 {
	t.cards--
	t.ranks[rank]--
	t.pairs -= 2 * t.ranks[rank]
	v := rank
	if v >= 10 {
		v = 0
	}
	for _, i := range spots {
		for k := range worths {
			t.sums[i][k] -= all[i].weights[k][v]
		}
	}
	return v
}

// note marks round t of the spots for which it is a good one.
func (t *tally) note(all *system, spots []int, round int, good *paths) {
	for _, i := range spots {
		for k, worth := range worths {
			yes := t.sums[i][k] > 0
			if all[i].pair {
				yes = float64(t.pairs)*(all[i].win+1) > (worth+1)*float64(t.cards*(t.cards-1))
			}
			if yes {
				good[i][k][round/64] |= 1 << (round % 64)
			}
		}
	}
}

// counterHabits are the chances that a counter makes the wager in a good round and in another.
var counterHabits = [...][2]float64{{.9, .03}, {.6, .05}, {.4, .1}, {.25, .1}}

// courages are the parts of the evidence that are staked on a shoe.
var courages = [...]float64{.25, .5, .75, .95}

const countingExperts = len(worths) * len(courages)

type counting struct {
	promise *Promise
	offer   *Offer
	system  *system
	spots   []int // of countable, that are offered
	first   exact.Composition
	good    paths
	rounds  int
	library library
	dealt   bool // library is of this shoe
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
	d.good, d.rounds, d.here, d.offer, d.dealt = paths{}, 0, d.here[:0], nil, false
}

func (d *counting) Round(r *Round, _ *Factors) {
	t := d.rounds
	if d.offer != nil {
		d.rounds++
	}
	if r.Odds == nil || r.Offer == nil || (d.offer != nil && d.offer != r.Offer) {
		return
	}
	if d.offer == nil {
		d.offer, d.first, d.system, d.spots = r.Offer, r.Left, r.Offer.system(r.Decks), d.spots[:0]
		d.rounds = 1
		for i := range d.system {
			if d.system[i].offered {
				d.spots = append(d.spots, i)
			}
		}
	}
	if t < libraryRounds {
		now := newTally(d.system, d.spots, &r.Left)
		now.note(d.system, d.spots, t, &d.good)
	}
	var v [len(countable)]float64
	for _, i := range d.spots {
		v[i] = r.Offer.Terms[countable[i]].EV(r.Odds)
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
	if !d.dealt {
		d.deal(s)
	}
	lib := &d.library
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

// deal deals the library of a shoe, for the spots that somebody has bet on. The seed is a hash of the shoe: the same library wherever it is weighed.
func (d *counting) deal(s *Shoe) {
	d.dealt, d.library = true, library{rounds: libraryRounds}
	spots := slices.DeleteFunc(slices.Clone(d.spots), func(i int) bool {
		return !slices.ContainsFunc(d.here, func(b *bettor) bool { return b.spots[i] != nil && b.spots[i].bets != [2]uint64{} })
	})
	g := seeded("library", s.Property, s.Table, s.Shoe)
	full := newTally(d.system, spots, &d.first)
	var order []uint8
	for rank, n := range full.ranks {
		order = append(order, slices.Repeat([]uint8{uint8(rank)}, int(n))...)
	}
	drawing := d.offer.drawing
	for i := range d.library.shoes {
		left, at, round := full, 0, 0
		next := func() uint8 {
			j := at + g.below(len(order)-at)
			order[at], order[j] = order[j], order[at]
			at++
			return left.take(d.system, spots, order[at-1])
		}
		for ; left.cards > libraryEnd && round < libraryRounds; round++ {
			left.note(d.system, spots, round, &d.library.shoes[i])
			player := next()
			banker := next()
			player, banker = (player+next())%10, (banker+next())%10
			third := baccarat.NoThird
			if drawing.PlayerDraws(player, banker) {
				third = next()
			}
			if drawing.BankerDraws(player, banker, third) {
				next()
			}
		}
		d.library.rounds = min(d.library.rounds, round)
	}
}
