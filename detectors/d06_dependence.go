package detectors

import (
	"fmt"
	"math"

	"github.com/shoeproof/shoeproof/baccarat"
)

var d06 = &Detector{
	ID: "d06", Name: "bets follow cards to come", Tier: Exact,
	Observes: "the first to sixth cards, by the side on which a patron bets and by the size of the stake",
	Null:     "the next card is any of the cards not seen, independently of the bets",
	Reports:  "the cards that come with each side: marked cards, sorted edges, a peeked or signalled card",
	Keys:     []KeyKind{OfPatron, OfTable, OfDealerPatron, OfDealer},
	Starts:   visits,
	start: func(b *Budget) process {
		return &dependence{
			budget: b, keyedStates: keyedStates[dependenceState]{keys: map[Key]*dependenceState{}},
			dealers: newAccomplices(b, knownPrior[:]),
		}
	},
}

// groupings divide card values into groups: high cards and others, tens and others, each value by itself. A patron
// who knows the group of a card knows which side it helps.
var groupings = [...][10]int{
	{0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
	{0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
}

// cardParts are the parts of rounds in which a patron may know one card.
var cardParts = [...]float64{.1, .3, .6, .95}

const (
	cardPositions = 6
	// priorCards is the weight, in cards, of the honest distribution in a learned one.
	priorCards = 20
	// knownExperts know one card of a hand: by the side, and of the first cards by the stake.
	knownExperts      = (4 + stakePositions) * len(cardParts)
	stakePositions    = 2
	dependenceExperts = cardPositions*len(groupings) + knownExperts
)

// knownPrior is the first weight of each expert who knows a card: most who do know the first one.
var knownPrior = [knownExperts]float64{
	.1, .1, .1, .1, // the first card of the player, of the banker, the second ones
	.025, .025, .025, .025,
	.025, .025, .025, .025,
	.025, .025, .025, .025,
	.05, .05, .05, .05, // the first card of the player, of the banker, by the stake
	.025, .025, .025, .025,
}

// newDependenceMixture gives a quarter of the weight to the experts who learn, and the rest to those who know a card.
func newDependenceMixture() mixture {
	const learning = .25
	m := newMixture(dependenceExperts)
	for i := range m {
		if known := i - cardPositions*len(groupings); known < 0 {
			m[i] = learning / (cardPositions * float64(len(groupings)))
		} else {
			m[i] = (1 - learning) * knownPrior[known]
		}
	}
	return m
}

// dependence is d06.
type dependence struct {
	inert
	budget *Budget
	keyedStates[dependenceState]
	factors [dependenceExperts]float64
	// size and column describe the stake of the slip that was scored last.
	size   stakeSize
	column int
	// dealers are tested by the factors of knownExperts.
	dealers accomplices
	// honest is the distribution of each card given those before it, by position and grouping.
	honest [cardPositions][len(groupings)][10]float64
}

// dependenceState is the state of one key: which cards came with each side.
type dependenceState struct {
	Visit   visit
	Mixture mixture
	// Came counts the values of the cards by position, for the sides and sizes of stake with a bet; Of is 1 + the index
	// for each of them.
	Came [][cardPositions]valueCounts
	Of   [8]uint8
	// Usual are the latest stakes; nil for a dealer and a patron, who have the stakes of the patron.
	Usual *median
}

func (s *dependenceState) visited() int64 { return s.Visit.Last }

// came returns the counts of a side and size of stake.
func (s *dependenceState) came(column int) *[cardPositions]valueCounts {
	if s.Of[column] == 0 {
		s.Came = append(s.Came, [cardPositions]valueCounts{})
		s.Of[column] = uint8(len(s.Came))
	}
	return &s.Came[s.Of[column]-1]
}

func (s *dependenceState) check() error {
	for _, at := range s.Of {
		if int(at) > len(s.Came) {
			return fmt.Errorf("column %d of %d", at, len(s.Came))
		}
	}
	return s.Mixture.check(dependenceExperts)
}

func (d *dependence) Round(r *Round, out *factors) {
	patrons, table := r.bySlip(&d.budget.Policy)
	if table == nil || table.wagers == 0 || len(r.Cards) < 4 {
		return
	}
	d.distribute(r)
	d.dealers.begin()
	eachSlip(r, patrons, table, func(key Key, x *slip) { d.score(key, r, x, out) })
	d.dealers.score(r, out)
}

func (d *dependence) forget(stale func(Key, int64) bool) {
	d.keyedStates.forget(stale)
	d.dealers.forget(stale)
}

func (d *dependence) streams() []stream {
	own := byKey(d.keys, (*dependenceState).check)
	own.ready = func(key Key, s *dependenceState) {
		if key.Kind == OfDealerPatron {
			s.Usual = nil
		}
	}
	return append([]stream{own}, d.dealers.streams()...)
}

// distribute computes the distribution of each card given those before it in the round.
func (d *dependence) distribute(r *Round) {
	left := r.Left
	for j := 0; j < min(len(r.Cards), cardPositions); j++ {
		n := left.Values()
		total := float64(n.Total())
		for g := range groupings {
			d.honest[j][g] = [10]float64{}
			for v, count := range n {
				d.honest[j][g][groupings[g][v]] += float64(count) / total
			}
		}
		left[r.Cards[j].Card]--
	}
}

// readable reports whether a card was read and is possible: misread cards before it may have used up its value.
func (d *dependence) readable(r *Round, j int) bool {
	if j >= len(r.Cards) || r.Cards[j].Card == baccarat.Unread {
		return false
	}
	return d.honest[j][len(groupings)-1][r.Cards[j].Card.Value()] > 0
}

func (d *dependence) score(key Key, r *Round, x *slip, out *factors) {
	if !out.wants(key.Kind) || x.side == baccarat.NoSpot {
		return
	}
	s := d.keys[key]
	if s == nil {
		s = &dependenceState{Mixture: newDependenceMixture()}
		d.keys[key] = s
	}
	f := Factor{Key: key, Start: s.Visit.start(r.At, roundsPerVisit(d.budget.Volume, key.Kind)), Money: x.net}
	if key.Kind != OfDealerPatron { // which follows that of the patron
		d.stake(s, x)
	}
	d.scoreGroups(s, r, d.column)
	d.scoreKnown(r, x.side, &f)
	d.scoreStake(r, x.side, d.size)
	if key.Kind == OfPatron {
		d.dealers.add(key.ID, d.factors[cardPositions*len(groupings):])
	}
	f.LnE = s.Mixture.update(0.001, d.factors[:])
	if key.Kind == OfTable {
		f.LnE = d.dealers.beside(r, f.LnE)
	}
	out.add(f)
}

// stake compares the stake of a slip with the latest ones.
func (d *dependence) stake(s *dependenceState, x *slip) {
	if s.Usual == nil {
		s.Usual = &median{}
	}
	stake := x.sides[x.side]
	d.size, d.column = s.Usual.size(stake), int(x.side)
	if s.Usual.far(stake) {
		d.column += 4
	}
	s.Usual.add(stake)
}

// scoreGroups tests the groups of the cards against the distribution learned for the side and the size of the stake.
func (d *dependence) scoreGroups(s *dependenceState, r *Round, column int) {
	n, all := 0, s.came(column)
	for j := range cardPositions {
		if !d.readable(r, j) {
			for range groupings {
				d.factors[n] = 1
				n++
			}
			continue
		}
		came, v := &all[j], r.Cards[j].Card.Value()
		groups, bets := came.grouped(v)
		for g, of := range groups {
			honest := d.honest[j][g][groupings[g][v]]
			d.factors[n] = (float64(of) + float64(priorCards*honest)) / (float64(bets) + priorCards) / honest
			n++
		}
		if came[v] < math.MaxUint16 {
			came[v]++
		}
	}
}

// valueCounts counts cards by value, up to 65,535: there are many keys.
type valueCounts [10]uint16

// grouped counts the cards in the group of a value, by grouping, and all cards.
func (c *valueCounts) grouped(v uint8) (groups [len(groupings)]uint32, all uint32) {
	low, tens := uint32(0), uint32(c[0])
	for _, n := range c[:6] {
		low += uint32(n)
	}
	all = low
	for _, n := range c[6:] {
		all += uint32(n)
	}
	if groupings[0][v] == 1 {
		low = all - low
	}
	if v != 0 {
		tens = all - tens
	}
	return [...]uint32{low, tens, uint32(c[v])}, all
}

// scoreKnown tests one card of each hand against knowledge of it: who knows that a card is 6 to 9 bets on its hand,
// otherwise on the other hand.
func (d *dependence) scoreKnown(r *Round, side baccarat.Spot, f *Factor) {
	for j := range 4 {
		experts := d.factors[cardPositions*len(groupings)+j*len(cardParts):][:len(cardParts)]
		if side == baccarat.SpotTie || !d.readable(r, j) {
			for i := range experts {
				experts[i] = 1
			}
			continue
		}
		c := r.Cards[j]
		own := baccarat.SpotPlayer
		if c.Hand == baccarat.Banker {
			own = baccarat.SpotBanker
		}
		chance := d.honest[j][0][1]
		if side != own {
			chance = 1 - chance
		}
		hit := (groupings[0][c.Card.Value()] == 1) == (side == own)
		for i, part := range cardParts {
			experts[i] = followed(part, chance, hit)
		}
		if j == 0 {
			f.Expected = chance
			if hit {
				f.Observed = 1
			}
		}
	}
}

// followed is the likelihood ratio of a card, given a bet of a patron who follows it in a part of the rounds and
// otherwise bets one way as often as the other: (1+part)/2 of the bets fit the card. Chance is that of a card that fits
// the bet; the mean over the cards is 1.
func followed(part, chance float64, fits bool) float64 {
	mean := 1 + float64(part*(float64(2*chance)-1))
	if fits {
		return (1 + part) / mean
	}
	return (1 - part) / mean
}

// scoreStake tests the first card of each hand against knowledge of it that shows in the stake: who knows the card bets
// much if it helps the side, and little if it does not.
func (d *dependence) scoreStake(r *Round, side baccarat.Spot, size stakeSize) {
	for j := range stakePositions {
		experts := d.factors[cardPositions*len(groupings)+(4+j)*len(cardParts):][:len(cardParts)]
		for i := range experts {
			experts[i] = 1
		}
		if size == usualStake || side == baccarat.SpotTie || !d.readable(r, j) {
			continue
		}
		own := (r.Cards[j].Hand == baccarat.Player) == (side == baccarat.SpotPlayer)
		chance := d.honest[j][0][1]
		if own != (size == bigStake) {
			chance = 1 - chance
		}
		high := groupings[0][r.Cards[j].Card.Value()] == 1
		hit := high == (own == (size == bigStake))
		for i, part := range cardParts {
			experts[i] = followed(part, chance, hit)
		}
	}
}
