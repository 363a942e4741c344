package detectors

import "github.com/shoeproof/shoeproof/baccarat"

var d06 = &Detector{
	ID: "d06", Name: "bets follow cards to come", Tier: Exact,
	Observes: "the first to sixth cards, by the side on which a patron bets",
	Null:     "the next card is any of the cards not seen, independently of the bets",
	Reports:  "the cards that come with each side: marked cards, sorted edges, a peeked or signalled card",
	Keys:     []KeyKind{OfPatron, OfTable, OfDealerPatron},
	Starts:   visits,
	start: func(b *Budget) process {
		return &dependence{budget: b, keyedStates: keyedStates[dependenceState]{keys: map[Key]*dependenceState{}}}
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
	priorCards        = 20
	dependenceExperts = cardPositions*len(groupings) + 4*len(cardParts)
)

// dependence is d06.
type dependence struct {
	inert
	budget *Budget
	slips  slips
	keyedStates[dependenceState]
	factors [dependenceExperts]float64
	// honest is the distribution of each card given those before it, by position and grouping.
	honest [cardPositions][len(groupings)][10]float64
}

// dependenceState is the state of one key: which cards came with each side.
type dependenceState struct {
	Visit   visit
	Mixture mixture
	// Came counts the values of the cards by position and side, Bets their sum.
	Came [cardPositions][4]valueCounts
	Bets [cardPositions][4]uint32
}

func (s *dependenceState) visited() int64 { return s.Visit.Last }

func (s *dependenceState) check() error { return s.Mixture.check(dependenceExperts) }

func (d *dependence) Round(r *Round, out *factors) {
	patrons, table := d.slips.of(r, &d.budget.Policy)
	if table == nil || table.wagers == 0 || len(r.Cards) < 4 {
		return
	}
	d.distribute(r)
	eachSlip(r, patrons, table, func(key Key, x *slip) { d.score(key, r, x, out) })
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
		s = &dependenceState{Mixture: newMixture(dependenceExperts)}
		d.keys[key] = s
	}
	f := Factor{Key: key, Start: s.Visit.start(r.At, roundsPerVisit(d.budget.Volume, key.Kind)), Money: x.net}
	d.scoreGroups(s, r, x.side)
	d.scoreKnown(r, x.side, &f)
	f.LnE = s.Mixture.update(0.001, d.factors[:])
	out.add(f)
}

// scoreGroups tests the groups of the cards against the distribution learned for the side.
func (d *dependence) scoreGroups(s *dependenceState, r *Round, side baccarat.Spot) {
	n := 0
	for j := range cardPositions {
		if !d.readable(r, j) {
			for range groupings {
				d.factors[n] = 1
				n++
			}
			continue
		}
		came, bets, v := &s.Came[j][side], &s.Bets[j][side], r.Cards[j].Card.Value()
		for g, of := range came.grouped(*bets, v) {
			honest := d.honest[j][g][groupings[g][v]]
			d.factors[n] = (float64(of) + priorCards*honest) / (float64(*bets) + priorCards) / honest
			n++
		}
		came[v]++
		*bets++
	}
}

// valueCounts counts cards by value.
type valueCounts [10]uint32

// grouped counts the cards in the group of a value, by grouping, of so many cards.
func (c *valueCounts) grouped(all uint32, v uint8) [len(groupings)]uint32 {
	low, tens := c[0]+c[1]+c[2]+c[3]+c[4]+c[5], c[0]
	if groupings[0][v] == 1 {
		low = all - low
	}
	if v != 0 {
		tens = all - tens
	}
	return [...]uint32{low, tens, c[v]}
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
			experts[i] = 1 - part
			if hit {
				experts[i] += part / chance
			}
		}
		if j == 0 {
			f.Expected = chance
			if hit {
				f.Observed = 1
			}
		}
	}
}
