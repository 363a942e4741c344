package exact

import "github.com/shoeproof/shoeproof/baccarat"

// Composition is how many cards of each of the 52 kinds are left in the shoe, by rules.Card; index 0 are
// those of kinds unknown and stays empty. A count below zero is a card too many.
type Composition [53]int16

// Full is the composition of a shoe of some decks.
func Full(decks int) Composition {
	var c Composition
	for i := 1; i < len(c); i++ {
		c[i] = int16(decks)
	}
	return c
}

// Total is the number of cards left.
func (c *Composition) Total() int64 {
	var n int64
	for _, k := range c {
		n += int64(max(k, 0))
	}
	return n
}

// Ranks are the cards left by rank, 1 to 13.
func (c *Composition) Ranks() [14]int64 {
	var ranks [14]int64
	for i, k := range c {
		ranks[baccarat.Card(i).Rank()] += int64(max(k, 0))
	}
	ranks[0] = 0
	return ranks
}

// Values are the cards left by value.
func (c *Composition) Values() Values {
	ranks := c.Ranks()
	n := Values{ranks[10] + ranks[11] + ranks[12] + ranks[13]}
	copy(n[1:], ranks[1:10])
	return n
}

// Pairs are the numbers of ordered draws of four cards, two to each hand, by what they pair, and their sum.
type Pairs struct {
	// One is a pair in one given hand; Either, Both as they say. Suited are the same for two cards of one
	// kind; SuitedOne is exactly one of the hands.
	One, Either, Both, Suited, SuitedOne, SuitedBoth int64
	Total                                            int64
}

// Pairs counts them.
func (c *Composition) Pairs() Pairs {
	n := c.Total()
	p := Pairs{Total: n * (n - 1) * (n - 2) * (n - 3)}
	ranks := c.Ranks()
	one, both := pairs(ranks[:])
	p.One, p.Both = one*(n-2)*(n-3), both
	p.Either = 2*p.One - both
	var kinds [53]int64
	for i, k := range c {
		kinds[i] = int64(max(k, 0))
	}
	one, both = pairs(kinds[:])
	p.Suited, p.SuitedBoth = one*(n-2)*(n-3), both
	p.SuitedOne = 2 * (p.Suited - both)
	return p
}

// pairs counts the ordered pairs of one kind, and the pairs of pairs.
func pairs(kinds []int64) (one, both int64) {
	var squares, fours int64
	for _, k := range kinds {
		a := k * (k - 1)
		one += a
		squares += a * a
		fours += a * (k - 2) * (k - 3)
	}
	return one, one*one - squares + fours
}

// Odds are what can come of a round, as probabilities before its first card.
type Odds struct {
	// P is by class. Each is the nearest float64 to the exact fraction for shoes of up to eight decks.
	P [Classes]float64
	// Pair is the probability of a pair in one given hand.
	Pair float64
}

// Odds are the probabilities of a round for the cards left; false with fewer than six of them, or with a
// card too many.
func (k *Kernel) Odds(left *Composition, out *Odds) bool {
	var c Counts
	n := left.Values()
	k.Count(&n, &c)
	if c.Total == 0 {
		return false
	}
	for _, class := range k.classes {
		out.P[class] = float64(c.Ways[class]) / float64(c.Total)
	}
	total := float64(n.Total())
	ranks := left.Ranks()
	one, _ := pairs(ranks[:])
	out.Pair = float64(one) / (total * (total - 1))
	return true
}

// Chance is the probability of an event of outcome classes.
func (o *Odds) Chance(event []int) float64 {
	var p float64
	for _, class := range event {
		p += o.P[class]
	}
	return p
}

// Event lists the classes for which a condition holds.
func (k *Kernel) Event(holds func(*baccarat.Coup) bool) []int {
	var classes []int
	for _, class := range k.classes {
		if c := Coup(class); holds(&c) {
			classes = append(classes, class)
		}
	}
	return classes
}
