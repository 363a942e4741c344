package exact

import (
	"iter"
	"slices"

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
// staked. It returns false for a wager that depends on the text of a layout, and with fewer than six cards. It takes up
// to half a second, and longer the more kinds of cards the conditions on suits distinguish: it is for pages and tests,
// not for rounds.
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
	d := deal{kernel: k, judge: func(c *baccarat.Coup, ways int64) {
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
	switch {
	case reads.Suits:
		d.suits(left, &reads)
	case reads.Depth == baccarat.OfCounts:
		d.classes(left)
	default:
		d.hands(left, reads.Depth)
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
		ev += x.Chance * (1 + profit)
	}
	return lines, ev, true
}

// deal hands every round that the cards left can give to judge, with the number of ordered draws of six cards.
type deal struct {
	kernel *Kernel
	judge  func(c *baccarat.Coup, ways int64)
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

// hands deals the first two cards of each hand as kinds of pairs, and third cards by value, or by rank if a condition
// reads them.
func (d *deal) hands(left *Composition, depth baccarat.Depth) {
	kinds, of := pairKinds()
	var held [53]int64
	for i, n := range left {
		held[i] = int64(max(n, 0))
	}
	// ways[p][b] are the ordered draws of the four cards.
	ways := make([][]int64, len(kinds))
	for p := range ways {
		ways[p] = make([]int64, len(kinds))
	}
	for a := 1; a <= 52; a++ {
		for b := 1; b <= 52; b++ {
			first := held[a]
			held[a]--
			first *= held[b]
			held[b]--
			if first > 0 {
				row := ways[of[a][b]]
				for x := 1; x <= 52; x++ {
					if held[x] <= 0 {
						continue
					}
					second := first * held[x]
					held[x]--
					for y := x; y <= 52; y++ {
						twice := int64(2)
						if x == y {
							twice = 1
						}
						if held[y] > 0 {
							row[of[x][y]] += twice * second * held[y]
						}
					}
					held[x]++
				}
			}
			held[b]++
			held[a]++
		}
	}
	var cards baccarat.Kinds
	if cards.Split(baccarat.Card.Value); depth == baccarat.OfAllCards {
		cards.Split(baccarat.Card.Rank)
	}
	t := d.thirds(left, cards)
	for p := range kinds {
		for b := range kinds {
			if ways[p][b] > 0 {
				t.round(kinds[p], kinds[b], ways[p][b])
			}
		}
	}
}

// suits deals the first two cards of each hand as groups in which all that a condition reads is alike, and third cards
// by kind and value, and by the suits of the hands that are suited so far: in another suit a third card cannot make a
// hand of one suit.
func (d *deal) suits(left *Composition, reads *baccarat.Reads) {
	type group struct {
		player, banker [2]baccarat.Card
		suits          [2]uint8
		ways           int64
	}
	first, third := reads.First, reads.Third
	first.Split(baccarat.Card.Value)
	third.Split(baccarat.Card.Value)
	groups := map[[2]uint32]*group{}
	n := *left
	for p, of := range pairsOf(&n) {
		for b, with := range pairsOf(&n) {
			player, banker := suitOf(p), suitOf(b)
			if !reads.HandSuit && (!reads.AllSuit || player != banker) {
				player, banker = noSuit, noSuit
			}
			key := [2]uint32{handKey(p, player, banker, &first, reads.Two), handKey(b, banker, player, &first, reads.Two)}
			g := groups[key]
			if g == nil {
				g = &group{player: p, banker: b, suits: [2]uint8{player, banker}}
				groups[key] = g
			}
			g.ways += of * with
		}
	}
	var beside [noSuit + 1][noSuit + 1]*thirds
	for _, g := range groups {
		t := &beside[g.suits[0]][g.suits[1]]
		if *t == nil {
			cards := third
			cards.Split(func(c baccarat.Card) uint8 {
				if slices.Contains(g.suits[:], c.Suit()) {
					return c.Suit()
				}
				return noSuit
			})
			*t = d.thirds(left, cards)
		}
		(*t).round(g.player, g.banker, g.ways)
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
// kinds, their suit, which of them takes a card of the suit of the other hand, and, if both says so, whether they share
// suit and color.
func handKey(two [2]baccarat.Card, suit, other uint8, kinds *baccarat.Kinds, both bool) uint32 {
	of := func(c baccarat.Card) uint32 {
		key := uint32(kinds[c]) << 1
		if suit == noSuit && c.Suit() == other {
			key |= 1
		}
		return key
	}
	a, b := of(two[0]), of(two[1])
	key := min(a, b)<<16 | max(a, b)<<5 | uint32(suit)<<2
	if both && two[0].Suit() == two[1].Suit() {
		key |= 2
	}
	if both && two[0].Red() == two[1].Red() {
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

// pairKinds lists an example of each kind of two cards, and the kind of each two cards: two ranks, and whether the
// cards share suit and color.
func pairKinds() (kinds [][2]baccarat.Card, of [53][53]int) {
	type key struct {
		low, high     uint8
		suited, color bool
	}
	at := map[key]int{}
	for a := baccarat.Card(1); a <= 52; a++ {
		for b := baccarat.Card(1); b <= 52; b++ {
			k := key{min(a.Rank(), b.Rank()), max(a.Rank(), b.Rank()), a.Suit() == b.Suit(), a.Red() == b.Red()}
			i, ok := at[k]
			if !ok {
				i = len(kinds)
				at[k] = i
				kinds = append(kinds, [2]baccarat.Card{a, b})
			}
			of[a][b] = i
		}
	}
	return kinds, of
}

// thirds deals the third cards of a round.
type thirds struct {
	*deal
	kinds baccarat.Kinds
	// left are the cards left of each kind, card is one of them.
	left [52]int64
	card [52]baccarat.Card
	n    uint8 // of kinds
	rest int64
}

// thirds deals cards of each kind. A kind has one value.
func (d *deal) thirds(left *Composition, kinds baccarat.Kinds) *thirds {
	t := &thirds{deal: d, kinds: kinds, rest: left.Total() - 4}
	for c := baccarat.Card(1); c <= 52; c++ {
		t.card[kinds[c]], t.n = c, max(t.n, kinds[c]+1)
		t.take(c, int64(left[c]))
	}
	return t
}

// take changes the number of cards that are left.
func (t *thirds) take(c baccarat.Card, by int64) { t.left[t.kinds[c]] += by }

// each yields a card of each kind, with the number of cards that are left of it.
func (t *thirds) each(yield func(card baccarat.Card, n int64) bool) {
	for kind := range t.n {
		if n := t.left[kind]; n > 0 && !yield(t.card[kind], n) {
			return
		}
	}
}

func (t *thirds) round(player, banker [2]baccarat.Card, ways int64) {
	for _, c := range [...]baccarat.Card{player[0], player[1], banker[0], banker[1]} {
		t.take(c, -1)
		defer t.take(c, 1)
	}
	c := baccarat.NewCoup(player[:], banker[:])
	k := t.kernel
	if c.P2 >= 8 || c.B2 >= 8 || !k.player[c.P2] && !k.banker[c.B2][baccarat.NoThird] {
		t.judge(&c, ways*t.rest*(t.rest-1))
		return
	}
	if !k.player[c.P2] {
		for x, n := range t.each {
			after := withThird(c, baccarat.Banker, x)
			t.judge(&after, ways*n*(t.rest-1))
		}
		return
	}
	for x, n := range t.each {
		after := withThird(c, baccarat.Player, x)
		if !k.banker[c.B2][x.Value()] {
			t.judge(&after, ways*n*(t.rest-1))
			continue
		}
		t.take(x, -1)
		for y, m := range t.each {
			both := withThird(after, baccarat.Banker, y)
			t.judge(&both, ways*n*m)
		}
		t.take(x, 1)
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
