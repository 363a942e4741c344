package exact

import (
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
// staked. It returns false for a wager that depends on the suits of third cards, or on the text of a layout, and with
// fewer than six cards. It takes up to half a second: it is for pages and tests, not for rounds.
func (k *Kernel) Wager(l *law.Law, config *law.Config, w *law.Wager, left *Composition) ([]LineOdds, float64, bool) {
	lines := make([]LineOdds, len(w.Lines))
	depth := baccarat.OfCounts
	for i := range w.Lines {
		lines[i] = LineOdds{Line: &w.Lines[i]}
		depth = max(depth, w.Lines[i].When.Depth())
		if w.Lines[i].When.Suits() {
			return nil, 0, false
		}
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
	if depth == baccarat.OfCounts {
		d.classes(left)
	} else {
		d.hands(left, depth)
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
	ranks, rest := left.Ranks(), left.Total()-4
	for p := range kinds {
		for b := range kinds {
			if ways[p][b] > 0 {
				t := thirds{deal: d, ranks: ranks, rest: rest, byRank: depth == baccarat.OfAllCards}
				t.round(kinds[p], kinds[b], ways[p][b])
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
	ranks  [14]int64
	rest   int64
	byRank bool
}

// each yields a card of each rank that is left and their number; without byRank the ranks of one value are one.
func (t *thirds) each(yield func(card baccarat.Card, n int64) bool) {
	for rank := uint8(1); rank <= 13; rank++ {
		n := t.ranks[rank]
		if !t.byRank && rank == 10 {
			n += t.ranks[11] + t.ranks[12] + t.ranks[13]
		}
		if n > 0 && !yield(baccarat.NewCard(rank, 0), n) || !t.byRank && rank == 10 {
			return
		}
	}
}

func (t *thirds) round(player, banker [2]baccarat.Card, ways int64) {
	for _, c := range [...]baccarat.Card{player[0], player[1], banker[0], banker[1]} {
		t.ranks[c.Rank()]--
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
		t.ranks[x.Rank()]--
		for y, m := range t.each {
			both := withThird(after, baccarat.Banker, y)
			t.judge(&both, ways*n*m)
		}
		t.ranks[x.Rank()]++
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
