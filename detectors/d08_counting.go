package detectors

import (
	"fmt"
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
	Starts: func(v Volume, k KeyKind) float64 { return 8 * visits(v, k) },
	whole:  true,
	start:  func(b *Budget) process { return newCounting(b) },
}

// countable are the spots whose expectation depends enough on the cards left to be counted.
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

	// Of this shoe: what it offers, the spots of countable that are offered, the cards it began with, its good rounds, and
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
	Spots   [len(countable)]*spotCount
}

// spotCount is the state of a bettor and a spot.
type spotCount struct {
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
	if t < libraryRounds {
		now := newTally(d.system, d.spots, &r.Left)
		now.mark(d.system, d.spots, t, &d.good)
	}
	var value [len(countable)]float64
	for _, i := range d.spots {
		value[i] = r.Offer.Terms[countable[i]].EV(r.Odds)
	}
	for i := range r.Wagers {
		w := &r.Wagers[i]
		for _, b := range [...]*counterState{
			find(d.patrons, Key{OfPatron, bettor(r, w)}), find(d.tables, Key{OfTable, r.Table}),
		} {
			if d.join(b, t); !w.Late {
				b.bet(t, r, w, &value)
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

// bet takes a wager in round t, given the value of each spot.
func (b *counterState) bet(t int, r *Round, w *Wager, value *[len(countable)]float64) {
	k := slices.Index(countable[:], w.Spot)
	if k < 0 || !r.Offer.Terms[w.Spot].Offered {
		return
	}
	c := b.Spots[k]
	if c == nil {
		c = &spotCount{Mixture: newMixture(countingExperts)}
		b.Spots[k] = c
	}
	if t < libraryRounds {
		c.Bets.add(t)
	}
	c.Gain += float64(w.Stake) * value[k]
	c.Stake += w.Stake
}

// End compares the shoe with the library, for every bettor and spot with a wager in it.
func (d *counting) End(s *Shoe, out *factors) {
	for _, b := range d.present {
		for spot, c := range b.Spots {
			if c == nil {
				continue
			}
			c.Exposed = max(c.Exposed, 0) + c.Gain
			if c.Bets != (roundSet{}) && d.offer != nil && !s.Lost && out.wants(b.Key.Kind) {
				d.score(b, spot, s, out)
			}
			c.Bets, c.Gain, c.Stake = roundSet{}, 0, 0
		}
		b.Present = roundSet{}
	}
}

func (d *counting) score(b *counterState, spot int, s *Shoe, out *factors) {
	c, kind := b.Spots[spot], b.Key.Kind
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
		Key:   b.spotKey(spot),
		LnE:   c.Mixture.update(0.01, experts[:]),
		Start: c.Visit.start(s.At, shoesPerVisit(d.budget.Volume, kind)),

		Observed: float64(d.good[spot][0].and(bets).size()), Expected: mean, Times: max(bets.size(), 1),
		Money: c.Stake, Defer: c.Exposed <= 0,
	})
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
			experts[k*len(countingStakes)+j] = 1 - stake + stake*e
		}
	}
	return experts
}

// forget drops the spots of bettors that are stale, between two shoes.
func (d *counting) forget(stale func(Key, int64) bool) {
	for _, all := range []map[string]*counterState{d.patrons, d.tables} {
		maps.DeleteFunc(all, func(_ string, b *counterState) bool {
			none := true
			for i, c := range b.Spots {
				if c != nil && stale(b.spotKey(i), c.Visit.Last) {
					b.Spots[i] = nil
				}
				none = none && b.Spots[i] == nil
			}
			return none
		})
	}
}

// spotKey is the key of the account of a bettor and a spot.
func (b *counterState) spotKey(spot int) Key {
	return Key{b.Key.Kind, b.Key.ID + "/" + countable[spot].String()}
}

// countingState is the state of counting between two shoes.
type countingState struct{ Patrons, Tables map[string]*counterState }

func (d *counting) save() any { return &countingState{d.patrons, d.tables} }

func (d *counting) load(decode func(any) error) error {
	s := countingState{map[string]*counterState{}, map[string]*counterState{}}
	if err := decode(&s); err != nil {
		return err
	}
	for _, all := range []map[string]*counterState{s.Patrons, s.Tables} {
		for id, b := range all {
			if b == nil {
				return fmt.Errorf("bettor %q: no state", id)
			}
			for _, c := range b.Spots {
				if c != nil && c.Mixture.check(countingExperts) != nil {
					return fmt.Errorf("bettor %q: %w", id, c.Mixture.check(countingExperts))
				}
			}
		}
	}
	d.patrons, d.tables = s.Patrons, s.Tables
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
		sum += x[0][goodBet] * x[1][goodNone] * x[2][badBet] * x[3][badNone]
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
