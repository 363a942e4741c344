package exact

import "github.com/shoeproof/shoeproof/baccarat"

// Composition is the number of cards of each of the 52 kinds left in the shoe, by baccarat.Card. Index 0, of unread
// cards, stays 0. A negative count is an excess card.
type Composition [53]int16

// Full is the composition of a full shoe.
func Full(decks int) Composition {
	var c Composition
	for i := 1; i < len(c); i++ {
		c[i] = int16(decks)
	}
	return c
}

// Total returns the number of cards left.
func (c *Composition) Total() int64 {
	var n int64
	for _, k := range c {
		n += int64(max(k, 0))
	}
	return n
}

// Ranks returns the cards left by rank, 1 to 13.
func (c *Composition) Ranks() [14]int64 {
	var ranks [14]int64
	for i, k := range c {
		ranks[baccarat.Card(i).Rank()] += int64(max(k, 0))
	}
	ranks[0] = 0
	return ranks
}

// Values returns the cards left by value.
func (c *Composition) Values() Values {
	ranks := c.Ranks()
	n := Values{ranks[10] + ranks[11] + ranks[12] + ranks[13]}
	copy(n[1:], ranks[1:10])
	return n
}

// pairs counts the ordered pairs of one kind, and the ordered pairs of such pairs.
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

// Odds are the probabilities of a round before its first card.
type Odds struct {
	// P is by outcome class. Each is the nearest float64 to the exact fraction for shoes of up to eight decks.
	P [Classes]float64
	// Pair is the probability of a pair in one given hand.
	Pair float64
}

// Odds computes the probabilities of a round for the cards left. It returns false with fewer than six cards, or with
// more than MaxCards.
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

// Chance returns the probability of an event, given as outcome classes.
func (o *Odds) Chance(event []int) float64 {
	var p float64
	for _, class := range event {
		p += o.P[class]
	}
	return p
}

// Event returns the outcome classes that satisfy a condition.
func (k *Kernel) Event(holds func(*baccarat.Coup) bool) []int {
	var classes []int
	var c baccarat.Coup // one allocation
	for _, class := range k.classes {
		if c = coupOf(class); holds(&c) {
			classes = append(classes, class)
		}
	}
	return classes
}
