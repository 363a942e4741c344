package exact

import (
	"iter"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
)

// LineOdds are the exact chance of a line of a side bet, and what it pays.
type LineOdds struct {
	*law.Line
	Chance float64
	Pays   baccarat.Odds
	// Ways are the ordered draws of six cards in which the line applies, Held those in which its condition holds.
	Ways, Held int64
}

// Wager computes the exact chances of the lines of a side bet for the cards left, and its expected profit per unit
// staked. It returns false for a wager that depends on the text of a layout, and with fewer than six cards. It takes
// up to half a second of processor time, and some seconds for a condition on the suits of third cards: it is for pages
// and tests, not for rounds.
func (k *Kernel) Wager(l *law.Law, config *law.Config, w *law.Wager, left *Composition) ([]LineOdds, float64, bool) {
	lines := make([]LineOdds, len(w.Lines))
	var reads baccarat.Reads
	for i := range w.Lines {
		lines[i] = LineOdds{Line: &w.Lines[i]}
		reads.Add(&w.Lines[i].When)
	}
	total := left.Total()
	if w.Posted || total < 6 || total > maxCards {
		return nil, 0, false
	}
	d := deal{kernel: k, wager: w, hands: map[string]int{}, judge: func(c *baccarat.Coup, ways int64) {
		applies := l.Line(config, w, c)
		for i := range lines {
			if lines[i].When.Holds(c) {
				lines[i].Held += ways
			}
			if lines[i].Line == applies {
				lines[i].Ways += ways
			}
		}
	}}
	if reads.Faces {
		d.faces(left, &reads)
	} else {
		d.classes(left)
	}
	draws := float64(total * (total - 1) * (total - 2) * (total - 3) * (total - 4) * (total - 5))
	ev := -1.0
	for i := range lines {
		x := &lines[i]
		x.Chance = float64(x.Ways) / draws
		profit := 0.0
		if x.Pays = l.LineOdds(config, w, x.Line).Odds; !x.Returns && x.Pays.Known() {
			profit = float64(x.Pays.To) / float64(x.Pays.For)
		}
		ev += float64(x.Chance * (1 + profit))
	}
	return lines, ev, true
}

// deal hands every round that the cards left can give to judge, with the number of ordered draws of six cards.
type deal struct {
	kernel *Kernel
	judge  func(c *baccarat.Coup, ways int64)
	wager  *law.Wager
	// hands numbers the hands that differ in what the lines read, examples has a hand of each number, and ways the draws
	// of each two of them: so judge is called once for each two numbers, not for each round.
	hands    map[string]int
	examples []hand
	ways     [][]int64
	key      []byte
}

// hand is the cards of a hand.
type hand struct {
	cards [3]baccarat.Card
	n     uint8
}

// hand is the number of a hand of a coup.
func (d *deal) hand(c *baccarat.Coup, h baccarat.Hand) int {
	count, _, n := c.Hand(h)
	d.key = append(d.key[:0], byte(h), count, n)
	for i := range d.wager.Lines {
		d.key = d.wager.Lines[i].When.Features(c, h, d.key)
	}
	number, ok := d.hands[string(d.key)]
	if !ok {
		number = len(d.examples)
		d.hands[string(d.key)] = number
		d.examples = append(d.examples, hand{c.Faces[h-1], n})
		d.ways = append(d.ways, nil)
	}
	return number
}

// add counts the draws of two hands.
func (d *deal) add(player, banker int, ways int64) {
	row := d.ways[player]
	if banker >= len(row) {
		row = append(row, make([]int64, len(d.examples)-len(row))...)
		d.ways[player] = row
	}
	row[banker] += ways
}

func (d *deal) classes(left *Composition) {
	var n Counts
	values := left.Values()
	d.kernel.Count(&values, &n)
	for _, class := range d.kernel.classes {
		if n.Ways[class] > 0 {
			c := coupOf(class)
			d.judge(&c, n.Ways[class])
		}
	}
}

// faces deals the first two cards of each hand as groups in which all that a condition reads is alike, and third cards
// by value, by class, and by the suits of the hands that are suited so far: in another suit a third card cannot make a
// hand of one suit.
func (d *deal) faces(left *Composition, reads *baccarat.Reads) {
	type group struct {
		player, banker [2]baccarat.Card
		suits          [2]uint8
		ways           int64
	}
	groups := map[[2]uint32]*group{}
	reads.First.Split(baccarat.Card.Value)
	reads.Third.Split(baccarat.Card.Value)
	n := *left
	for p, first := range pairsOf(&n) {
		for b, second := range pairsOf(&n) {
			player, banker := suitOf(p), suitOf(b)
			if !reads.HandSuit && (!reads.AllSuit || player != banker) {
				player, banker = noSuit, noSuit
			}
			key := [2]uint32{handKey(p, player, banker, reads), handKey(b, banker, player, reads)}
			g := groups[key]
			if g == nil {
				g = &group{player: p, banker: b, suits: [2]uint8{player, banker}}
				groups[key] = g
			}
			g.ways += first * second
		}
	}
	cells := map[[2]uint8]*thirds{}
	for _, g := range groups {
		t := cells[g.suits]
		if t == nil {
			t = d.thirds(left, reads.Third, g.suits)
			cells[g.suits] = t
		}
		t.round(g.player, g.banker, g.ways)
	}
	for p, row := range d.ways {
		for b, ways := range row {
			if ways > 0 {
				player, banker := &d.examples[p], &d.examples[b]
				c := baccarat.NewCoup(player.cards[:player.n], banker.cards[:banker.n])
				d.judge(&c, ways)
			}
		}
	}
}

// noSuit is the suit of two cards of different suits.
const noSuit = 4

func suitOf(two [2]baccarat.Card) uint8 {
	if two[0].Suit() == two[1].Suit() {
		return two[0].Suit()
	}
	return noSuit
}

// handKey is the group of the first two cards of a hand beside another hand whose first two cards have a suit: their
// classes, their suit, whether they share the color, and which of them takes a card of the suit of the other hand.
func handKey(two [2]baccarat.Card, suit, other uint8, reads *baccarat.Reads) uint32 {
	of := func(c baccarat.Card) uint32 {
		key := uint32(reads.First[c]) << 1
		if suit == noSuit && c.Suit() == other {
			key |= 1
		}
		return key
	}
	a, b := of(two[0]), of(two[1])
	key := min(a, b)<<16 | max(a, b)<<5 | uint32(suit)<<2
	if reads.Two && two[0].Suit() == two[1].Suit() {
		key |= 2
	}
	if reads.Two && two[0].Red() == two[1].Red() {
		key |= 1
	}
	return key
}

// pairsOf yields each two cards that are left and the number of ordered draws of them; meanwhile they are missing from
// what is left.
func pairsOf(left *Composition) iter.Seq2[[2]baccarat.Card, int64] {
	return func(yield func(two [2]baccarat.Card, ways int64) bool) {
		for a := baccarat.Card(1); a <= 52; a++ {
			for b := a; b <= 52; b++ {
				first := int64(left[a])
				left[a]--
				second := int64(left[b])
				left[b]--
				twice := int64(2)
				if a == b {
					twice = 1
				}
				ok := first <= 0 || second <= 0 || yield([2]baccarat.Card{a, b}, twice*first*second)
				left[b]++
				left[a]++
				if !ok {
					return
				}
			}
		}
	}
}

// thirds deals the third cards of a round.
type thirds struct {
	*deal
	// cell is the cell of each card: cards that no condition tells apart as third cards. card is a card of each cell, and
	// left are the cards of each that are left.
	cell baccarat.Classes
	card []baccarat.Card
	left []int64
	rest int64
	// drawn is the number of the Banker's hand with a third card of each cell.
	drawn []int
}

// thirds makes cells of classes of cards, and in each of the suits given.
func (d *deal) thirds(left *Composition, third baccarat.Classes, suits [2]uint8) *thirds {
	third.Split(func(c baccarat.Card) uint8 {
		if c.Suit() == suits[0] || c.Suit() == suits[1] {
			return c.Suit()
		}
		return noSuit
	})
	t := &thirds{deal: d, cell: third, rest: left.Total() - 4}
	for c := baccarat.Card(1); c <= 52; c++ {
		if int(third[c]) == len(t.card) {
			t.card, t.left = append(t.card, c), append(t.left, 0)
		}
		t.take(c, int64(max(left[c], 0)))
	}
	t.drawn = make([]int, len(t.card))
	return t
}

// take changes the number of cards that are left.
func (t *thirds) take(c baccarat.Card, by int64) { t.left[t.cell[c]] += by }

func (t *thirds) round(player, banker [2]baccarat.Card, ways int64) {
	for _, c := range [...]baccarat.Card{player[0], player[1], banker[0], banker[1]} {
		t.take(c, -1)
		defer t.take(c, 1)
	}
	c := baccarat.NewCoup(player[:], banker[:])
	k, p, b := t.kernel, t.hand(&c, baccarat.Player), t.hand(&c, baccarat.Banker)
	if c.P2 >= 8 || c.B2 >= 8 || !k.player[c.P2] && !k.banker[c.B2][baccarat.NoThird] {
		t.add(p, b, ways*t.rest*(t.rest-1))
		return
	}
	for cell, y := range t.card {
		after := withThird(c, baccarat.Banker, y)
		t.drawn[cell] = t.hand(&after, baccarat.Banker)
	}
	if !k.player[c.P2] {
		for cell, n := range t.left {
			t.add(p, t.drawn[cell], ways*n*(t.rest-1))
		}
		return
	}
	for cell, n := range t.left {
		if n == 0 {
			continue
		}
		x := t.card[cell]
		after := withThird(c, baccarat.Player, x)
		p = t.hand(&after, baccarat.Player)
		if !k.banker[c.B2][x.Value()] {
			t.add(p, b, ways*n*(t.rest-1))
			continue
		}
		t.left[cell]--
		for next, m := range t.left {
			t.add(p, t.drawn[next], ways*n*m)
		}
		t.left[cell]++
	}
}

// withThird is a coup in which a hand took a third card.
func withThird(c baccarat.Coup, h baccarat.Hand, x baccarat.Card) baccarat.Coup {
	if h == baccarat.Player {
		c.P, c.NP, c.Third = (c.P2+x.Value())%10, 3, x.Value()
	} else {
		c.B, c.NB = (c.B2+x.Value())%10, 3
	}
	c.Faces[h-1][2] = x
	return c
}
