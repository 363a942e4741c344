// Package exact computes the exact probabilities of a round for any cards left in the shoe.
//
// A Kernel, made for one drawing table, takes a Composition of the cards left and counts, in whole numbers, the
// ordered draws of six cards that end in each outcome class (Counts). Odds are these counts divided by their total,
// and Terms give the expectation and variance of each wager from them. It never rounds before the last division,
// never simulates, and knows nothing of patrons or of the events of a table.
//
// A round is the beginning of an ordered draw of six cards. Draws without replacement are exchangeable, so each pair
// of third cards is removed first. Then the joint count of the two-card totals of both hands follows from sums over
// the values left, which allow repeats, and the Moebius function of the partitions of four cards, which removes the
// repeats. One composition costs about 10 us.
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

// MaxCards is the maximum number of cards: beyond it the number of draws overflows.
const MaxCards = 1400

// Classes is the number of outcome classes: the point counts of both hands and their numbers of cards. Every wager
// except those on pairs depends on the class alone.
const Classes = 400

// Class returns the class of an outcome: point counts p and b, np and nb cards (2 or 3).
func Class(p, b, np, nb uint8) int { return 100*(2*int(np-2)+int(nb-2)) + 10*int(p) + int(b) }

// Coup returns the coup of an outcome class. The two-card count and the third card of a hand of three cards are
// unknown.
func Coup(class int) baccarat.Coup {
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
	player  [8]bool
	banker  [8][11]bool // by two-card count and third card of the player hand, baccarat.NoThird last
	classes []int
}

// New returns the kernel of a drawing table.
func New(table *baccarat.DrawingTable) *Kernel {
	k := &Kernel{}
	for two := range uint8(8) {
		k.player[two] = table.PlayerDraws(two, 0)
		for third := range uint8(11) {
			k.banker[two][third] = table.BankerDraws(0, two, third)
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

// sums are the terms of the joint count of the totals of two hands, for the cards left.
type sums struct {
	n [20]int64 // cards by value, twice, so that differences need no remainder
	// s is the number of ordered pairs of values by total, repeats allowed; d the same card twice.
	s, d [10]int64
	// t sums n[v]*n[a-v]*n[b-v] over v, for two-card totals a <= b below 8.
	t [8][8]int64
}

func (m *sums) fill(n *Values) {
	for v := range 10 {
		m.n[v], m.n[v+10] = n[v], n[v]
	}
	m.s, m.d = [10]int64{}, [10]int64{}
	for v := range 10 {
		m.d[2*v%10] += n[v]
		for a := range 10 {
			m.s[(v+a)%10] += n[v] * n[a]
		}
	}
	for a := range 8 {
		for b := a; b < 8; b++ {
			var t int64
			for v := range 10 {
				t += n[v] * m.n[a-v+10] * m.n[b-v+10]
			}
			m.t[a][b] = t
		}
	}
}

// without computes m with a card of value z removed, except t; see without3.
func (m *sums) without(z int, out *sums) {
	out.n = m.n
	out.n[z]--
	out.n[z+10]--
	for s := range 10 {
		out.s[s] = m.s[s] - 2*m.n[s-z+10]
	}
	out.s[2*z%10]++
	out.d = m.d
	out.d[2*z%10]--
}

// without3 returns t of m with a card of value z removed: the change of one card in a sum of three factors.
func (m *sums) without3(z, a, b int) int64 {
	na, nb := m.n[a-z+10], m.n[b-z+10]
	t := m.t[a][b] - na*nb - na*m.n[b-a+z] - nb*m.n[(a-b+z+10)%10]
	double := 2 * z % 10
	if double == a {
		t += nb
	}
	if double == b {
		t += na
	}
	if a == b {
		t += na
		if double == a {
			t--
		}
	}
	return t
}

// joint returns the number of ordered draws of four distinct cards, two to each hand, with totals a and b: the sum
// over the 15 partitions of four cards with their Moebius values.
func (m *sums) joint(a, b int, t int64) int64 {
	j := (m.s[a]-m.d[a])*(m.s[b]-m.d[b]) - 4*t
	if a%2 == 0 {
		j += 4 * (m.n[a/2]*m.n[b-a/2+10] + m.n[a/2+5]*m.n[b-a/2+5])
	}
	if b%2 == 0 {
		j += 4 * (m.n[b/2]*m.n[a-b/2+10] + m.n[b/2+5]*m.n[a-b/2+5])
	}
	if a == b {
		j += 2*m.s[a] - 6*m.d[a]
	}
	return j
}

// Count counts the ordered draws of six cards that end in each class. All counts are 0 with fewer than six cards
// left, or with more than MaxCards.
func (k *Kernel) Count(n *Values, out *Counts) {
	*out = Counts{}
	total := n.Total()
	if total < 6 || total > MaxCards {
		return
	}
	out.Total = total * (total - 1) * (total - 2) * (total - 3) * (total - 4) * (total - 5)
	var all, one, two sums
	all.fill(n)
	k.four(&all, (total-4)*(total-5), out)
	for x := range 10 {
		if n[x] == 0 {
			continue
		}
		all.without(x, &one)
		for a := range 8 {
			for b := a; b < 8; b++ {
				one.t[a][b] = all.without3(x, a, b)
			}
		}
		k.five(&one, x, n[x]*(total-5), out)
		for y := x; y < 10; y++ {
			if one.n[y] == 0 {
				continue
			}
			one.without(y, &two)
			k.six(&one, &two, [2]int{x, y}, n[x]*one.n[y], out)
		}
	}
}

// four adds the rounds in which neither hand draws.
func (k *Kernel) four(m *sums, weight int64, out *Counts) {
	ways := out.Ways[:100]
	for a := range 10 {
		for b := a; b < 10; b++ {
			ab, ba := k.stand(a, b), k.stand(b, a)
			if !ab && !ba {
				continue
			}
			var t int64
			if b < 8 {
				t = m.t[a][b]
			} else {
				for v := range 10 {
					t += m.n[v] * m.n[a-v+10] * m.n[b-v+10]
				}
			}
			w := m.joint(a, b, t) * weight
			if ab {
				ways[10*a+b] += w
			}
			if ba && a != b {
				ways[10*b+a] += w
			}
		}
	}
}

func (k *Kernel) stand(p, b int) bool {
	return p > 7 || b > 7 || !k.player[p] && !k.banker[b][baccarat.NoThird]
}

// five adds the rounds in which one hand draws, a card of value x.
func (k *Kernel) five(m *sums, x int, weight int64, out *Counts) {
	for a := range 8 {
		for b := a; b < 8; b++ {
			w := m.joint(a, b, m.t[a][b]) * weight
			k.addFive(a, b, x, w, out)
			if a != b {
				k.addFive(b, a, x, w, out)
			}
		}
	}
}

func (k *Kernel) addFive(p, b, x int, w int64, out *Counts) {
	switch {
	case k.player[p] && !k.banker[b][x]:
		out.Ways[200+10*((p+x)%10)+b] += w
	case !k.player[p] && k.banker[b][baccarat.NoThird]:
		out.Ways[100+10*p+(b+x)%10] += w
	}
}

// six adds the rounds in which both hands draw third cards of the given values, in either order.
func (k *Kernel) six(one, two *sums, third [2]int, weight int64, out *Counts) {
	ways, x, y := out.Ways[300:], third[0], third[1]
	for a := range 8 {
		for b := a; b < 8; b++ {
			pa, pb := k.player[a], k.player[b] && a != b
			bx, by := k.banker[b][x], k.banker[b][y]
			ax, ay := k.banker[a][x], k.banker[a][y]
			if !(pa && (bx || by)) && !(pb && (ax || ay)) {
				continue
			}
			w := two.joint(a, b, one.without3(y, a, b)) * weight
			if pa && bx {
				ways[10*((a+x)%10)+(b+y)%10] += w
			}
			if pa && by && x != y {
				ways[10*((a+y)%10)+(b+x)%10] += w
			}
			if pb && ax {
				ways[10*((b+x)%10)+(a+y)%10] += w
			}
			if pb && ay && x != y {
				ways[10*((b+y)%10)+(a+x)%10] += w
			}
		}
	}
}
