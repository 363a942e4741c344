package baccarat

import "math/bits"

// Condition is what a line of a wager demands of the two hands. A part that is empty demands nothing, and all other
// parts must hold.
type Condition struct {
	// Winner is the set of results, Margin of differences between the point counts, Cards of numbers of cards in both
	// hands.
	Winner, Margin, Cards Numbers
	// Player and Banker are about one hand, Either about at least one of them, Both about each.
	Player, Banker, Either, Both *HandCondition
	// Not is a condition that must not hold. Of Any at least one must hold.
	Not *Condition
	Any []Condition
}

// HandCondition is what a line demands of one hand.
type HandCondition struct {
	// Total and Cards are the point count and the number of cards, TwoCards the point count of the first two.
	Total, Cards, TwoCards Numbers
	// Natural is 8 or 9 on two cards. Pair, Suited and SameColor are about the first two cards, OneRank and OneSuit about
	// all.
	Natural, Pair, Suited, SameColor, OneRank, OneSuit Demand
	// Ranks are the ranks of the first two cards in either order, Only the set of ranks that the hand may have.
	Ranks [2]uint8
	Only  Numbers
	// Third is the set of ranks of the third card; without one the condition does not hold.
	Third Numbers
}

// Numbers is a set of numbers from 0 to 15. The empty set is any number.
type Numbers uint16

// Add adds a number.
func (s *Numbers) Add(n uint8) { *s |= 1 << n }

// Has reports whether the set is empty or has a number.
func (s Numbers) Has(n uint8) bool { return s == 0 || s>>n&1 != 0 }

// All are the numbers of the set, ascending.
func (s Numbers) All() []uint8 {
	var all []uint8
	for ; s != 0; s &= s - 1 {
		all = append(all, uint8(bits.TrailingZeros16(uint16(s))))
	}
	return all
}

// Demand is what a condition demands of a property of a hand.
type Demand uint8

// Demands.
const (
	Anything Demand = iota
	Wanted
	Unwanted
)

func (d Demand) meets(is bool) bool { return d == Anything || (d == Wanted) == is }

// Holds reports whether the hands of a coup meet the condition.
func (q *Condition) Holds(c *Coup) bool {
	if !q.Winner.Has(uint8(c.Result())) || !q.Margin.Has(max(c.P, c.B)-min(c.P, c.B)) || !q.Cards.Has(c.NP+c.NB) {
		return false
	}
	if !q.Player.holds(c, Player) || !q.Banker.holds(c, Banker) || !q.Both.holds(c, Player) || !q.Both.holds(c, Banker) {
		return false
	}
	if q.Either != nil && !q.Either.holds(c, Player) && !q.Either.holds(c, Banker) {
		return false
	}
	if q.Not != nil && q.Not.Holds(c) {
		return false
	}
	for i := range q.Any {
		if q.Any[i].Holds(c) {
			return true
		}
	}
	return len(q.Any) == 0
}

func (q *HandCondition) holds(c *Coup, h Hand) bool {
	if q == nil {
		return true
	}
	count, two, n := c.Hand(h)
	pair := c.PlayerPair
	if h == Banker {
		pair = c.BankerPair
	}
	if !q.Total.Has(count) || !q.Cards.Has(n) || !q.TwoCards.Has(two) || !q.Natural.meets(count >= 8 && n == 2) ||
		!q.Pair.meets(pair) {
		return false
	}
	return !q.readsFaces() || q.fits(c.Faces[h-1], min(n, 3))
}

// readsFaces reports whether the condition depends on faces beyond the pair of the first two cards.
func (q *HandCondition) readsFaces() bool { return q.readsTwo() || q.readsAll() }

func (q *HandCondition) readsTwo() bool {
	return q.Suited|q.SameColor != Anything || q.Ranks != [2]uint8{}
}

func (q *HandCondition) readsAll() bool {
	return q.OneRank|q.OneSuit != Anything || q.Only|q.Third != 0
}

func (q *HandCondition) fits(cards [3]Card, n uint8) bool {
	a, b := cards[0], cards[1]
	if !q.Suited.meets(a.Suit() == b.Suit()) || !q.SameColor.meets(a.Red() == b.Red()) {
		return false
	}
	if q.Ranks != [2]uint8{} && q.Ranks != [2]uint8{a.Rank(), b.Rank()} && q.Ranks != [2]uint8{b.Rank(), a.Rank()} {
		return false
	}
	if q.Third != 0 && (n < 3 || !q.Third.Has(cards[2].Rank())) {
		return false
	}
	rank, suit := true, true
	for _, card := range cards[:n] {
		rank, suit = rank && card.Rank() == a.Rank(), suit && card.Suit() == a.Suit()
		if !q.Only.Has(card.Rank()) {
			return false
		}
	}
	return q.OneRank.meets(rank) && q.OneSuit.meets(suit)
}

// Depth is how much of the hands a condition depends on.
type Depth uint8

// Depths, each with those before it.
const (
	// OfCounts: the final point counts and numbers of cards.
	OfCounts Depth = iota
	// OfPairs: whether the first two cards of a hand are a pair.
	OfPairs
	// OfFirstTwo: the first two cards of each hand.
	OfFirstTwo
	// OfAllCards: each card.
	OfAllCards
)

// Depth is how much of the hands the condition depends on.
func (q *Condition) Depth() Depth {
	if q == nil {
		return OfCounts
	}
	d := q.Not.Depth()
	for _, h := range [...]*HandCondition{q.Player, q.Banker, q.Either, q.Both} {
		switch {
		case h == nil:
		case h.readsAll():
			return OfAllCards
		case h.readsTwo() || h.TwoCards != 0:
			d = max(d, OfFirstTwo)
		case h.Pair != Anything:
			d = max(d, OfPairs)
		}
	}
	for i := range q.Any {
		d = max(d, q.Any[i].Depth())
	}
	return d
}

// Suits reports whether the condition depends on the suits of third cards.
func (q *Condition) Suits() bool {
	if q == nil {
		return false
	}
	for _, h := range [...]*HandCondition{q.Player, q.Banker, q.Either, q.Both} {
		if h != nil && h.OneSuit != Anything {
			return true
		}
	}
	for i := range q.Any {
		if q.Any[i].Suits() {
			return true
		}
	}
	return q.Not.Suits()
}
