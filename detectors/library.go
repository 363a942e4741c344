package detectors

import (
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
)

const (
	libraryShoes = 200
	// libraryRounds is the maximum number of rounds of a shoe that are compared.
	libraryRounds = 78
	// libraryEnd is the maximum number of cards left when the last round of a simulated shoe begins.
	libraryEnd = 14
)

// goodFrom are the expectations above which a round is a good one.
var goodFrom = [...]float64{0, 0.04}

// goodRounds are the good rounds of a shoe, by spot and expectation.
type goodRounds [len(countable)][len(goodFrom)]roundSet

// library holds shoes that are simulated from the cards with which one shoe began. It is dealt again for each shoe: one
// library for all would err to the same side, for the same pattern of wagers, in every shoe. Each of its shoes has at
// least the given number of rounds.
type library struct {
	shoes  [libraryShoes]goodRounds
	rounds int
}

// countTags decide whether a round is good on a spot, from the cards left: exactly for a pair, to first order for
// other spots, as counters do. There the round is good if the sum of the weights of the cards left is above 0.
type countTags struct {
	offered, pair bool
	win           float64
	weights       [len(goodFrom)][10]int64 // by expectation and card value
}

// countSystem holds the tags of all spots.
type countSystem [len(countable)]countTags

// weightUnit is the weight of an expectation of 1.
const weightUnit = 1e9

// countSystem returns the tags for a number of decks. They are computed once, from the effect of removing one card of
// each value.
func (o *Offer) countSystem(decks int) *countSystem {
	o.mu.Lock()
	defer o.mu.Unlock()
	if all := o.counts[decks]; all != nil {
		return all
	}
	all := &countSystem{}
	full := exact.Full(decks)
	var before, after exact.Odds
	o.Kernel.Odds(&full, &before)
	for i, spot := range countable {
		terms := &o.Terms[spot]
		all[i] = countTags{offered: terms.Offered, pair: terms.OnPair, win: terms.Win}
	}
	for v := range uint8(10) {
		left := full
		left[(v+9)%10+1]-- // clubs: the ace, 2 to 9, and the ten
		o.Kernel.Odds(&left, &after)
		for i, spot := range countable {
			if c := &all[i]; c.offered && !c.pair {
				value := o.Terms[spot].EV(&before)
				effect := float64(full.Total()-1) * (o.Terms[spot].EV(&after) - value)
				for k, from := range goodFrom {
					c.weights[k][v] = int64(math.Round(weightUnit * (value - from - effect)))
				}
			}
		}
	}
	if o.counts == nil {
		o.counts = map[int]*countSystem{}
	}
	o.counts[decks] = all
	return all
}

// tally counts the cards left: their number, the ordered pairs of one rank among them, and the sums of the weights.
type tally struct {
	cards, pairs int64
	ranks        [14]int64
	sums         [len(countable)][len(goodFrom)]int64
}

func newTally(all *countSystem, spots []int, left *exact.Composition) (t tally) {
	t.cards, t.ranks = left.Total(), left.Ranks()
	values := left.Values()
	for _, n := range t.ranks {
		t.pairs += n * (n - 1)
	}
	for _, i := range spots {
		for k := range goodFrom {
			for v, n := range values {
				t.sums[i][k] += all[i].weights[k][v] * n
			}
		}
	}
	return t
}

// remove removes a card and returns its value.
func (t *tally) remove(all *countSystem, spots []int, rank uint8) uint8 {
	t.cards--
	t.ranks[rank]--
	t.pairs -= 2 * t.ranks[rank]
	v := rank
	if v >= 10 {
		v = 0
	}
	for _, i := range spots {
		for k := range goodFrom {
			t.sums[i][k] -= all[i].weights[k][v]
		}
	}
	return v
}

// mark adds a round to the good rounds of the spots on which it is good.
func (t *tally) mark(all *countSystem, spots []int, round int, good *goodRounds) {
	for _, i := range spots {
		for k, from := range goodFrom {
			yes := t.sums[i][k] > 0
			if all[i].pair {
				yes = float64(t.pairs)*(all[i].win+1) > (from+1)*float64(t.cards*(t.cards-1))
			}
			if yes {
				good[i][k].add(round)
			}
		}
	}
}

// deal deals the library of a shoe, for the spots with a wager. The seed is a hash of the shoe: its library is always
// the same.
func (d *counting) deal(s *Shoe) {
	d.dealt, d.library = true, library{rounds: libraryRounds}
	spots := slices.DeleteFunc(slices.Clone(d.spots), func(i int) bool {
		return !slices.ContainsFunc(d.present, func(b *counterState) bool {
			return b.Spots[i] != nil && b.Spots[i].Bets != (roundSet{})
		})
	})
	g := seeded("library", s.Property, s.Table, s.Shoe)
	full := newTally(d.system, spots, &d.first)
	var order []uint8
	for rank, n := range full.ranks {
		order = append(order, slices.Repeat([]uint8{uint8(rank)}, int(n))...)
	}
	for i := range d.library.shoes {
		left, at, round := full, 0, 0
		next := func() uint8 {
			j := at + g.below(len(order)-at)
			order[at], order[j] = order[j], order[at]
			at++
			return left.remove(d.system, spots, order[at-1])
		}
		for ; left.cards > libraryEnd && round < libraryRounds; round++ {
			left.mark(d.system, spots, round, &d.library.shoes[i])
			dealRound(d.offer.drawing, next)
		}
		d.library.rounds = min(d.library.rounds, round)
	}
}

// dealRound deals the values of a round.
func dealRound(drawing *baccarat.DrawingTable, next func() uint8) {
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
