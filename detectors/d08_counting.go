package detectors

import (
	"errors"
	"maps"
	"math/bits"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
)

var d08 = &Detector{
	ID: "d08", Name: "counting", Tier: Exact,
	Observes: "the rounds of a shoe with a side wager of a patron, and those in which the cards left " +
		"give it a positive expectation",
	Null:    "for the pattern of wagers, the shoe is equivalent to shoes simulated from the cards that it began with",
	Reports: "the shoes in which the patron bet when it paid, and the theoretical advantage of these wagers",
	Keys:    []KeyKind{OfPatron, OfTable},
	// A bettor has an account for each spot, and starts again with each shoe: about eight starts a visit.
	Starts: func(v Volume, k KeyKind) float64 { return countingStarts * visits(v, k) },
	whole:  true,
	start:  func(b *Budget) process { return newCounting(b) },
}

const countingStarts = 8

// countable are the spots of the contract whose expectation depends enough on the cards left to be counted. Side bets
// that are words of a rulebook are counted too.
var countable = [...]baccarat.Spot{
	baccarat.SpotTie, baccarat.SpotPlayerPair, baccarat.SpotBankerPair, baccarat.SpotDragonBonusPlayer,
	baccarat.SpotDragonBonusBanker, baccarat.SpotDragon7, baccarat.SpotPanda8, baccarat.SpotFortune7,
	baccarat.SpotGolden8, baccarat.SpotHeavenly9, baccarat.SpotBlazing7s, baccarat.SpotCoverAll,
}

// counterHabits are the probabilities that a counter makes the wager in a good round and in another round.
var counterHabits = [...][2]float64{{.9, .03}, {.6, .05}, {.4, .1}, {.25, .1}}

// countingStakes are the parts of the evidence that are staked on a shoe.
var countingStakes = [...]float64{.25, .5, .75, .95}

const countingExperts = len(goodFrom) * len(countingStakes)

// counting is d08. It compares the wagers of a bettor in a shoe with the same wagers in simulated shoes; see library.
type counting struct {
	budget  *Budget
	chances habitPowers
	patrons map[string]*counterState
	tables  map[string]*counterState

	// Of this shoe: what it offers, the spots of system that are offered, the cards it began with, its good rounds, and
	// who bet in it.
	offer   *Offer
	system  *countSystem
	spots   []int
	first   exact.Composition
	good    goodRounds
	rounds  int
	library library
	dealt   bool // library is that of this shoe
	present []*counterState
}

// counterState is the state of a patron, or of a table. Present are the rounds of this shoe with a wager.
type counterState struct {
	Key     Key
	Present roundSet
	Spots   []*spotCount // in the order of the first wager
}

// find returns the state of a spot, nil if there is none.
func (b *counterState) find(spot string) *spotCount {
	for _, c := range b.Spots {
		if c.Spot == spot {
			return c
		}
	}
	return nil
}

// spotCount is the state of a bettor and a spot, by its word.
type spotCount struct {
	Spot    string
	Visit   visit
	Mixture mixture
	// Bets are the rounds of this shoe with a wager on the spot, Gain the theoretical advantage of these wagers and Stake
	// their sum, also in rounds that are not compared.
	Bets  roundSet
	Gain  float64
	Stake int64
	// Exposed is the maximum, over stretches of shoes that end now, of the advantage. Unless it is positive the alarm
	// waits.
	Exposed float64
}

func newCounting(b *Budget) *counting {
	return &counting{
		budget: b, chances: newHabitPowers(), patrons: map[string]*counterState{}, tables: map[string]*counterState{},
	}
}

func (d *counting) Begin(*Shoe, *factors) {
	d.good, d.rounds, d.present, d.offer, d.dealt = goodRounds{}, 0, d.present[:0], nil, false
}

func (d *counting) Round(r *Round, _ *factors) {
	t := d.rounds
	if d.offer != nil {
		d.rounds++
	}
	if r.Odds == nil || r.Offer == nil || (d.offer != nil && d.offer != r.Offer) {
		return
	}
	if d.offer == nil {
		d.open(r)
	}
	now := newTally(d.system, d.spots, &r.Left)
	if t < libraryRounds {
		now.mark(d.system, d.spots, t, &d.good)
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		for _, b := range [...]*counterState{
			find(d.patrons, Key{OfPatron, bettor(r, w)}), find(d.tables, Key{OfTable, r.Table}),
		} {
			if d.join(b, t); !w.Late {
				d.bet(b, t, r, w, &now)
			}
		}
	}
}

// open prepares for a shoe, at its first round with odds.
func (d *counting) open(r *Round) {
	d.offer, d.first, d.system, d.spots = r.Offer, r.Left, r.Offer.countSystem(r.Decks), d.spots[:0]
	d.rounds = 1
	for i := range d.system {
		if d.system[i].offered {
			d.spots = append(d.spots, i)
		}
	}
}

// find finds or adds a bettor.
func find(all map[string]*counterState, key Key) *counterState {
	b := all[key.ID]
	if b == nil {
		b = &counterState{Key: key}
		all[key.ID] = b
	}
	return b
}

// join records that a bettor has a wager in round t.
func (d *counting) join(b *counterState, t int) {
	if t >= libraryRounds {
		return
	}
	if b.Present == (roundSet{}) {
		d.present = append(d.present, b)
	}
	b.Present.add(t)
}

// bet takes a wager in round t, given the cards left.
func (d *counting) bet(b *counterState, t int, r *Round, w *Wager, left *tally) {
	k := slices.IndexFunc(d.spots, func(i int) bool {
		if w.Spot == baccarat.SpotOther {
			return i >= len(countable) && d.system[i].spot == w.SpotName
		}
		return i < len(countable) && countable[i] == w.Spot
	})
	if k < 0 {
		return
	}
	tags := &d.system[d.spots[k]]
	c := b.find(tags.spot)
	if c == nil {
		c = &spotCount{Spot: tags.spot, Mixture: newMixture(countingExperts)}
		b.Spots = append(b.Spots, c)
	}
	if t < libraryRounds {
		c.Bets.add(t)
	}
	c.Gain += float64(float64(w.Stake) * tags.value(r, left, d.spots[k]))
	c.Stake += w.Stake
}

// End compares the shoe with the library, for every bettor and spot with a wager in it.
func (d *counting) End(s *Shoe, out *factors) {
	for _, b := range d.present {
		for _, c := range b.Spots {
			c.Exposed = max(c.Exposed, 0) + c.Gain
			if c.Bets != (roundSet{}) && d.offer != nil && !s.Lost && out.wants(b.Key.Kind) {
				d.score(b, c, s, out)
			}
			c.Bets, c.Gain, c.Stake = roundSet{}, 0, 0
		}
		b.Present = roundSet{}
	}
}

func (d *counting) score(b *counterState, c *spotCount, s *Shoe, out *factors) {
	kind := b.Key.Kind
	spot := slices.IndexFunc(d.system[:], func(t countTags) bool { return t.spot == c.Spot })
	if !d.dealt {
		d.deal(s)
	}
	limit := b.Present.and(firstRounds(d.library.rounds))
	bets := c.Bets.and(limit)
	experts := d.compare(spot, bets, limit)
	mean := 0.0
	for i := range d.library.shoes {
		mean += float64(d.library.shoes[i][spot][0].and(bets).size())
	}
	mean /= float64(len(d.library.shoes))
	out.add(Factor{
		Key:   b.spotKey(c),
		LnE:   c.Mixture.update(0.01, experts[:]),
		Start: c.Visit.start(s.At, shoesPerVisit(d.budget.Volume, kind)) * d.share(),

		Observed: float64(d.good[spot][0].and(bets).size()), Expected: mean, Times: max(bets.size(), 1),
		Money: c.Stake, Defer: c.Exposed <= 0,
	})
}

// share keeps the starts of a visit within their number at a table with many side bets of its rulebook.
func (d *counting) share() float64 {
	further := 0
	for _, i := range d.spots {
		if i >= len(countable) {
			further++
		}
	}
	return countingStarts / max(countingStarts, float64(further))
}

// compare returns the factor of each expert: the likelihood of the wagers given the good rounds of this shoe, over
// its mean for this shoe and the shoes of the library.
func (d *counting) compare(spot int, bets, limit roundSet) (experts [countingExperts]float64) {
	n, all := bets.size(), limit.size()
	for k := range goodFrom {
		likelihood := func(good roundSet) float64 {
			g, both := good.and(limit).size(), good.and(bets).size()
			return d.chances.likelihood(both, g-both, n-both, all-n-g+both)
		}
		own := likelihood(d.good[spot][k])
		sum := own
		for i := range d.library.shoes {
			sum += likelihood(d.library.shoes[i][spot][k])
		}
		e := 0.0
		if sum > 0 {
			e = float64(len(d.library.shoes)+1) * own / sum
		}
		for j, stake := range countingStakes {
			experts[k*len(countingStakes)+j] = 1 - stake + float64(stake*e)
		}
	}
	return experts
}

// forget drops the spots of bettors that are stale, between two shoes.
func (d *counting) forget(stale func(Key, int64) bool) {
	for _, all := range []map[string]*counterState{d.patrons, d.tables} {
		maps.DeleteFunc(all, func(_ string, b *counterState) bool {
			b.Spots = slices.DeleteFunc(b.Spots, func(c *spotCount) bool { return stale(b.spotKey(c), c.Visit.Last) })
			return len(b.Spots) == 0
		})
	}
}

// spotKey is the key of the account of a bettor and a spot.
func (b *counterState) spotKey(c *spotCount) Key { return Key{b.Key.Kind, b.Key.ID + "/" + c.Spot} }

// streams are the bettors between two shoes.
func (d *counting) streams() []stream {
	return []stream{byName(d.patrons, (*counterState).check), byName(d.tables, (*counterState).check)}
}

func (b *counterState) check() error {
	for _, c := range b.Spots {
		if c == nil {
			return errors.New("no state of a spot")
		}
		if err := c.Mixture.check(countingExperts); err != nil {
			return err
		}
	}
	return nil
}

// habitPowers are the powers of the probabilities of the habits, up to the number of rounds.
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

// likelihood is the likelihood of a pattern of wagers, summed over the habits: the numbers of good rounds with and
// without the wager, and of other rounds with and without it.
func (p *habitPowers) likelihood(goodBet, goodNone, badBet, badNone int) float64 {
	sum := 0.0
	for h := range p {
		x := &p[h]
		sum += float64(x[0][goodBet] * x[1][goodNone] * x[2][badBet] * x[3][badNone])
	}
	return sum
}

// roundSet is a set of rounds of a shoe, a bit each.
type roundSet [2]uint64

func (s *roundSet) add(t int)              { s[t/64] |= 1 << (t % 64) }
func (s roundSet) and(o roundSet) roundSet { return roundSet{s[0] & o[0], s[1] & o[1]} }
func (s roundSet) size() int               { return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) }

// firstRounds is the set of the first n rounds.
func firstRounds(n int) (s roundSet) {
	for t := range n {
		s.add(t)
	}
	return s
}
