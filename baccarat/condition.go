package baccarat

import "math/bits"

// Condition is what a line of a wager demands of the two hands. A part that is empty demands nothing, and all other
// parts must hold.
type Condition struct {
	// Winner is the set of results, Margin of differences between the point counts, Points of their sums, Cards of
	// numbers of cards in both hands, CardPoints of sums of the values of all cards.
	Winner, Margin, Points, Cards, CardPoints Numbers
	// OneSuit is about all cards of both hands. SamePair means that both hands begin with a pair of one rank.
	OneSuit, SamePair Demand
	// Count counts cards of both hands.
	Count *CardCount
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
	// Count counts cards of the hand.
	Count *CardCount
}

// CardCount demands a number of cards of some ranks and suits.
type CardCount struct {
	// Ranks and Suits are sets; Suits has a bit for each suit. An empty set is all.
	Ranks Numbers
	Suits uint8
	// FirstTwo leaves out third cards.
	FirstTwo bool
	Is       Numbers
	// And is a further count that must hold.
	And *CardCount
}

// Numbers is a set of numbers from 0 to 63. The empty set is any number.
type Numbers uint64

// Add adds a number.
func (s *Numbers) Add(n uint8) { *s |= 1 << n }

// Has reports whether the set is empty or has a number.
func (s Numbers) Has(n uint8) bool { return s == 0 || s>>n&1 != 0 }

// All are the numbers of the set, ascending.
func (s Numbers) All() []uint8 {
	var all []uint8
	for ; s != 0; s &= s - 1 {
		all = append(all, uint8(bits.TrailingZeros64(uint64(s))))
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
	if !q.Points.Has(c.P+c.B) || q.readsBoth() && !q.fits(c) {
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

// readsBoth reports whether the condition depends on cards of both hands together.
func (q *Condition) readsBoth() bool {
	return q.OneSuit|q.SamePair != Anything || q.CardPoints != 0 || q.Count != nil
}

func (q *Condition) fits(c *Coup) bool {
	sum, suited := uint8(0), true
	for i, n := range [...]uint8{min(c.NP, 3), min(c.NB, 3)} {
		for _, card := range c.Faces[i][:n] {
			sum, suited = sum+card.Value(), suited && card.Suit() == c.Faces[0][0].Suit()
		}
	}
	same := c.PlayerPair && c.BankerPair && c.Faces[0][0].Rank() == c.Faces[1][0].Rank()
	if !q.CardPoints.Has(sum) || !q.OneSuit.meets(suited) || !q.SamePair.meets(same) {
		return false
	}
	for x := q.Count; x != nil; x = x.And {
		if !x.Is.Has(x.of(c, Player) + x.of(c, Banker)) {
			return false
		}
	}
	return true
}

// Features appends what the condition reads of a hand besides its point count and number of cards: whether the
// condition holds depends on nothing else of it.
func (q *Condition) Features(c *Coup, h Hand, to []byte) []byte {
	_, _, n := c.Hand(h)
	cards := c.Faces[h-1][:min(n, 3)]
	if q.CardPoints != 0 {
		sum := uint8(0)
		for _, card := range cards {
			sum += card.Value()
		}
		to = append(to, sum)
	}
	if q.SamePair != Anything {
		to = append(to, bit(cards[0].Rank() == cards[1].Rank())*cards[0].Rank())
	}
	if q.OneSuit != Anything {
		suit := cards[0].Suit() + 1
		for _, card := range cards {
			suit *= bit(card.Suit() == cards[0].Suit())
		}
		to = append(to, suit)
	}
	for x := q.Count; x != nil; x = x.And {
		to = append(to, x.of(c, h))
	}
	own := q.Player
	if h == Banker {
		own = q.Banker
	}
	for _, x := range [...]*HandCondition{own, q.Either, q.Both} {
		if x != nil {
			to = append(to, bit(x.holds(c, h)))
		}
	}
	if q.Not != nil {
		to = q.Not.Features(c, h, to)
	}
	for i := range q.Any {
		to = q.Any[i].Features(c, h, to)
	}
	return to
}

// of is the number of cards of a hand that are counted.
func (x *CardCount) of(c *Coup, h Hand) (found uint8) {
	_, _, n := c.Hand(h)
	if n = min(n, 3); x.FirstTwo {
		n = min(n, 2)
	}
	for _, card := range c.Faces[h-1][:n] {
		found += x.counts(card)
	}
	return found
}

// counts is 1 for a card that is counted.
func (x *CardCount) counts(card Card) uint8 {
	return bit(x.Ranks.Has(card.Rank()) && (x.Suits == 0 || x.Suits>>card.Suit()&1 != 0))
}

func bit(is bool) uint8 {
	if is {
		return 1
	}
	return 0
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
	for x := q.Count; x != nil; x = x.And {
		if !x.Is.Has(x.of(c, h)) {
			return false
		}
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

// OfCounts reports whether the condition depends on the point counts and numbers of cards alone.
func (q *Condition) OfCounts() bool {
	var r Reads
	r.Add(q)
	return !r.Faces
}

// Classes are kinds of cards by the number of their class, by Card. At first all are of one class.
type Classes [53]uint8

// Split divides each class into the cards for which of gives the same number.
func (k *Classes) Split(of func(Card) uint8) {
	number := map[[2]uint8]uint8{}
	for card := Card(1); int(card) < len(k); card++ {
		key := [2]uint8{k[card], of(card)}
		if _, ok := number[key]; !ok {
			number[key] = uint8(len(number))
		}
		k[card] = number[key]
	}
}

// Reads is what the cards of a round must be known by, beyond their values, to know whether conditions hold.
type Reads struct {
	// Faces means more than the point counts and numbers of cards.
	Faces bool
	// Two means suit or color of the first two cards, HandSuit whether a hand has one suit, AllSuit whether both have.
	Two, HandSuit, AllSuit bool
	// First are the classes of the first two cards of a hand, Third the classes of third cards. First divides each class
	// of Third.
	First, Third Classes
}

// Add adds a condition.
func (r *Reads) Add(q *Condition) {
	if q == nil {
		return
	}
	r.Faces = r.Faces || q.CardPoints != 0
	if q.SamePair != Anything {
		r.first(Card.Rank)
	}
	if q.OneSuit != Anything {
		r.Faces, r.AllSuit = true, true
	}
	r.count(q.Count)
	for _, h := range [...]*HandCondition{q.Player, q.Banker, q.Either, q.Both} {
		r.hand(h)
	}
	r.Add(q.Not)
	for i := range q.Any {
		r.Add(&q.Any[i])
	}
}

func (r *Reads) hand(q *HandCondition) {
	if q == nil {
		return
	}
	r.Faces = r.Faces || q.readsFaces() || q.TwoCards != 0
	r.Two = r.Two || q.Suited|q.SameColor != Anything
	r.HandSuit = r.HandSuit || q.OneSuit != Anything
	if q.Pair != Anything {
		r.first(Card.Rank)
	}
	if q.OneRank != Anything {
		r.all(Card.Rank)
	}
	if q.Ranks != [2]uint8{} {
		r.first(func(c Card) uint8 { return bit(c.Rank() == q.Ranks[0]) | bit(c.Rank() == q.Ranks[1])<<1 })
	}
	for _, set := range [...]Numbers{q.Only, q.Third} {
		if set != 0 {
			r.all(func(c Card) uint8 { return bit(set.Has(c.Rank())) })
		}
	}
	r.count(q.Count)
}

func (r *Reads) count(x *CardCount) {
	for ; x != nil; x = x.And {
		if x.FirstTwo {
			r.first(x.counts)
		} else {
			r.all(x.counts)
		}
	}
}

func (r *Reads) first(of func(Card) uint8) {
	r.Faces = true
	r.First.Split(of)
}

func (r *Reads) all(of func(Card) uint8) {
	r.first(of)
	r.Third.Split(of)
}
