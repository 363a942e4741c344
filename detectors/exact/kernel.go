// Package exact computes the exact probabilities of a round for any cards left in the shoe.
//
// A Kernel, made for one drawing table, takes a Composition of the cards left and counts, in whole numbers, the
// ordered draws of six cards that end in each outcome class (Counts). Odds are these counts divided by their total,
// and Terms give the expectation and variance of each wager from them. It never rounds before the last division,
// never simulates, and knows nothing of patrons or of the events of a table.
//
// A round is the beginning of an ordered draw of six cards. Draws without replacement are exchangeable, so the third
// cards are drawn first: the draws of the other four that give both hands their two-card totals are all draws of four,
// less the draws that contain the one third card or the other, plus those that contain both.
package exact

import "github.com/shoeproof/shoeproof/baccarat"

// Values are the cards left in the shoe by value, 0 to 9.
type Values [10]int64

// Total returns the number of cards left.
func (n *Values) Total() int64 {
	var sum int64
	for _, c := range n {
		sum += c
	}
	return sum
}

// maxCards is the maximum number of cards: beyond it the number of draws overflows.
const maxCards = 1400

// Classes is the number of outcome classes: the point counts of both hands and their numbers of cards. Every wager
// except those on pairs depends on the class alone.
const Classes = 400

// Class returns the class of an outcome: point counts p and b, np and nb cards (2 or 3).
func Class(p, b, np, nb uint8) int { return 100*(2*int(np-2)+int(nb-2)) + 10*int(p) + int(b) }

// coupOf returns the coup of an outcome class. The two-card count and the third card of a hand of three cards are
// unknown.
func coupOf(class int) baccarat.Coup {
	p, b := uint8(class/10%10), uint8(class%10)
	c := baccarat.Coup{
		P: p, B: b, NP: uint8(2 + class/200), NB: uint8(2 + class/100%2), Third: baccarat.NoThird, Complete: true,
	}
	if c.NP == 2 {
		c.P2 = p
	}
	if c.NB == 2 {
		c.B2 = b
	}
	return c
}

// Counts are the numbers of ordered six-card draws that end in each class, and their sum.
type Counts struct {
	Ways  [Classes]int64
	Total int64
}

// Kernel counts outcomes under one drawing table. It is immutable.
type Kernel struct {
	player [8]bool
	banker [8][11]bool // by two-card count and third card of the player hand, baccarat.NoThird last
	// draws are the two-card counts on which the player hand draws; answers the counts on which the banker hand draws, by
	// the third card of the player hand, and top the count after the last of them.
	draws   []int
	answers [10][]int
	top     [10]int
	classes []int
}

// New returns the kernel of a drawing table.
func New(table *baccarat.DrawingTable) *Kernel {
	k := &Kernel{}
	for two := range uint8(8) {
		if k.player[two] = table.PlayerDraws(two, 0); k.player[two] {
			k.draws = append(k.draws, int(two))
		}
		for third := range uint8(11) {
			k.banker[two][third] = table.BankerDraws(0, two, third)
			if k.banker[two][third] && third < 10 {
				k.answers[third], k.top[third] = append(k.answers[third], int(two)), int(two)+1
			}
		}
	}
	// The outcomes of a full shoe include the outcomes of every shoe.
	var c Counts
	k.Count(&Values{128, 32, 32, 32, 32, 32, 32, 32, 32, 32}, &c)
	for class, ways := range c.Ways {
		if ways > 0 {
			k.classes = append(k.classes, class)
		}
	}
	return k
}

// Classes returns the possible outcome classes, ascending.
func (k *Kernel) Classes() []int { return k.classes }

// draws are numbers of ordered draws of distinct cards.
type draws struct {
	// partner[v][s] are the cards that make the total s with a given card of value v; pair[s] the draws of two cards
	// with the total s; four[a][b] the draws of two cards to each hand with the totals a and b.
	partner [10][10]int64
	pair    [10]int64
	four    [10][10]int64
	// with[v][a][b] are the draws of four that contain a given card of value v.
	with [10][8][8]int64
}

func (d *draws) fill(n *Values) {
	for v := range 10 {
		for s := range 10 {
			d.partner[v][s] = n[(s-v+10)%10]
		}
		d.partner[v][2*v%10]--
		for s := range 10 {
			d.pair[s] += n[v] * d.partner[v][s]
		}
	}
	// A draw of two for each hand, less those in which a card of the one is a card of the other, in any of four places;
	// those in which both are have been taken away twice.
	for v, cards := range n {
		mine := &d.partner[v]
		for a := range 10 {
			shared := 4 * cards * mine[a]
			for b := range 10 {
				d.four[a][b] -= shared * mine[b]
			}
		}
	}
	for a := range 10 {
		for b := range 10 {
			d.four[a][b] += d.pair[a] * d.pair[b]
		}
		d.four[a][a] += 2 * d.pair[a]
	}
	for v, cards := range n {
		if cards > 0 {
			d.fillWith(v)
		}
	}
}

// fillWith counts the draws that contain a given card of a value, in any of four places: its partner has its value, and
// the pair of the other hand contains neither.
func (d *draws) fillWith(v int) {
	mine, with := &d.partner[v], &d.with[v]
	for a := range 8 {
		other := &d.partner[(a-v+10)%10]
		for b := range 8 {
			first := 2 * mine[a] * (d.pair[b] - 2*(mine[b]+other[b]))
			with[a][b] += first
			with[b][a] += first
		}
		with[a][a] += 8 * mine[a]
	}
}

// Count counts the ordered draws of six cards that end in each class. All counts are 0 with fewer than six cards
// left, or with more than MaxCards.
func (k *Kernel) Count(n *Values, out *Counts) {
	*out = Counts{}
	total := n.Total()
	if total < 6 || total > maxCards {
		return
	}
	out.Total = total * (total - 1) * (total - 2) * (total - 3) * (total - 4) * (total - 5)
	var d draws
	d.fill(n)
	k.four(&d, (total-4)*(total-5), out)
	// six[p] are the rounds of six cards by the point count of the player hand, and the sum of the two-card count and
	// the third card of the banker hand.
	var six [10][20]int64
	for x := range 10 {
		if n[x] == 0 {
			continue
		}
		var without [8][8]int64 // draws of four without a given card of value x
		for a := range 8 {
			for b := range 8 {
				without[a][b] = d.four[a][b] - d.with[x][a][b]
			}
		}
		k.five(&without, x, n[x]*(total-5), out)
		for y := x; y < 10; y++ {
			ways := n[x] * n[y]
			if x == y {
				ways -= n[x]
			}
			if ways > 0 {
				k.six(&d, &without, third{x, y, ways}, &six)
			}
		}
	}
	for p := range six {
		for b := range 10 {
			out.Ways[300+10*p+b] = six[p][b] + six[p][b+10]
		}
	}
}

// four adds the rounds in which neither hand draws.
func (k *Kernel) four(d *draws, weight int64, out *Counts) {
	for a := range 10 {
		for b := range 10 {
			if a > 7 || b > 7 || !k.player[a] && !k.banker[b][baccarat.NoThird] {
				out.Ways[10*a+b] += d.four[a][b] * weight
			}
		}
	}
}

// five adds the rounds in which one hand draws, a card of value x.
func (k *Kernel) five(without *[8][8]int64, x int, weight int64, out *Counts) {
	for a := range 8 {
		for b := range 8 {
			switch {
			case k.player[a] && !k.banker[b][x]:
				out.Ways[200+10*((a+x)%10)+b] += without[a][b] * weight
			case !k.player[a] && k.banker[b][baccarat.NoThird]:
				out.Ways[100+10*a+(b+x)%10] += without[a][b] * weight
			}
		}
	}
}

// third are two third cards of given values, and the number of such pairs.
type third struct {
	x, y int
	ways int64
}

// six adds the rounds in which both hands draw, two third cards in either order. Without are the draws of four without
// the first of them.
func (k *Kernel) six(d *draws, without *[8][8]int64, t third, six *[10][20]int64) {
	x, y, apart := t.x, t.y, t.y-t.x
	ux, uy, sum := &d.partner[x], &d.partner[y], (x+y)%10
	// first and second are the numbers of pairs by the count of the banker hand if x is the third card of the player hand,
	// and if y is: 0 for a count that does not draw.
	var first, second [10]int64
	for _, b := range k.answers[x] {
		first[b] = t.ways
	}
	if x != y {
		for _, b := range k.answers[y] {
			second[b] = t.ways
		}
	}
	top := max(k.top[x], k.top[y])
	for _, a := range k.draws {
		rest, with, px, py := &without[a], &d.with[y][a], ux[a], uy[a]
		one, two := (*[10]int64)(six[(a+x)%10][y:]), (*[10]int64)(six[(a+y)%10][x:])
		add := func(b int, draws int64) {
			one[b] += draws * first[b]
			two[b] += draws * second[b]
		}
		// The draws of four with the totals a and b that contain neither third card. The last two terms count those with
		// one of the third cards in each hand as if they were no partners of each other; what follows corrects that, and
		// adds the draws with both in one hand.
		px4, py4 := 4*px, 4*py
		for b := range top {
			add(b, rest[b]-with[b]+px4*uy[b]+py4*ux[b])
		}
		partners := int64(0)
		if a == sum {
			partners = 1
			for b := range top {
				add(b, 2*d.pair[b]-8*(ux[b]+uy[b]))
			}
		}
		add(sum, 2*d.pair[a]-8*(px+py)+16*partners)
		add((a+apart)%10, -4*(px-partners))
		add((a-apart+10)%10, -4*(py-partners))
	}
}
