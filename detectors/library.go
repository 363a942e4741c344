package detectors

import (
	"maps"
	"math"
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
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
type goodRounds [maxCounted][len(goodFrom)]roundSet

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
	spot          string // its word
	offered, pair bool
	win           float64
	terms         *exact.Terms             // nil if the expectation of a round is estimated from the weights
	full          float64                  // the expectation at the full pack
	weights       [len(goodFrom)][14]int64 // by expectation and rank
}

// maxCounted is the maximum number of spots of a table that are counted, countable first.
const maxCounted = 24

// countSystem holds the tags of all spots.
type countSystem [maxCounted]countTags

// weightUnit is the weight of an expectation of 1.
const weightUnit = 1e9

// countSystem returns the tags for a number of decks. They are computed once, from the effect of removing one card of
// each rank (the EOR table of counters).
func (o *Offer) countSystem(decks int) *countSystem {
	o.mu.Lock()
	defer o.mu.Unlock()
	if all := o.counts[decks]; all != nil {
		return all
	}
	all := &countSystem{}
	for i, spot := range countable {
		all[i].spot = spot.String()
		o.countTerms(&all[i], &o.Terms[spot], o.law.Wager(spot, ""), decks)
	}
	words := slices.Sorted(maps.Keys(o.Further))
	for i, word := range words[:min(len(words), maxCounted-len(countable))] {
		c := &all[len(countable)+i]
		c.spot = word
		o.countTerms(c, o.Further[word], o.law.Wager(baccarat.SpotOther, word), decks)
	}
	if o.counts == nil {
		o.counts = map[int]*countSystem{}
	}
	o.counts[decks] = all
	return all
}

// countTerms computes the tags of a spot: from its terms, or from the lines of a wager that depends on more than the
// outcome class. The latter takes seconds, once for a configuration.
func (o *Offer) countTerms(c *countTags, terms *exact.Terms, w *law.Wager, decks int) {
	full := exact.Full(decks)
	var value func(left *exact.Composition) (float64, bool)
	switch {
	case terms.Offered && terms.OnPair:
		c.offered, c.pair, c.win, c.terms = true, true, terms.Win, terms
		return
	case terms.Offered:
		c.terms = terms
		value = func(left *exact.Composition) (float64, bool) {
			var odds exact.Odds
			ok := o.Kernel.Odds(left, &odds)
			return terms.EV(&odds), ok
		}
	case w != nil && o.config.OffersWager(w):
		value = func(left *exact.Composition) (float64, bool) {
			_, ev, ok := o.Kernel.Wager(o.law, o.config, w, left)
			return ev, ok
		}
	default:
		return
	}
	if c.full, c.offered = value(&full); !c.offered {
		return
	}
	for rank := uint8(1); rank <= 13; rank++ {
		left := full
		left[baccarat.NewCard(rank, 0)]--
		after, _ := value(&left)
		effect := float64(float64(full.Total()-1) * (after - c.full))
		for k, from := range goodFrom {
			c.weights[k][rank] = int64(math.Round(weightUnit * (c.full - from - effect)))
		}
	}
}

// value is the expectation of a round on a spot: exact, or estimated as counters do.
func (c *countTags) value(r *Round, left *tally, spot int) float64 {
	if c.terms != nil {
		return c.terms.EV(r.Odds)
	}
	return float64(left.sums[spot][0])/(weightUnit*float64(max(left.cards, 1))) + goodFrom[0]
}

// tally counts the cards left: their number, the ordered pairs of one rank among them, and the sums of the weights.
type tally struct {
	cards, pairs int64
	ranks        [14]int64
	sums         [maxCounted][len(goodFrom)]int64
}

func newTally(all *countSystem, spots []int, left *exact.Composition) (t tally) {
	t.cards, t.ranks = left.Total(), left.Ranks()
	for _, n := range t.ranks {
		t.pairs += n * (n - 1)
	}
	for _, i := range spots {
		for k := range goodFrom {
			for rank, n := range t.ranks {
				t.sums[i][k] += all[i].weights[k][rank] * n
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
	for _, i := range spots {
		for k := range goodFrom {
			t.sums[i][k] -= all[i].weights[k][rank]
		}
	}
	if rank >= 10 {
		return 0
	}
	return rank
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
			c := b.find(d.system[i].spot)
			return c != nil && c.Bets != (roundSet{})
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
