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

import (
	"slices"

	"github.com/shoeproof/shoeproof/baccarat"
)

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
	banker [10][11]bool // by two-card count and third card of the player hand, baccarat.NoThird last
	// draws and stands are the two-card counts on which the player hand draws and does not; alone those on which the
	// banker hand draws then.
	draws, stands, alone []uint
	// answers and stays are the counts on which the banker hand draws and does not, by the third card of the player hand.
	answers, stays [10][]uint
	// set is the index in sets of the answers to each third card.
	set  [10]int
	sets []answerSet

	classes []int
}

// answerSet is a set of two-card counts on which the banker hand draws: an earlier set, -1 for none, and more counts.
type answerSet struct {
	base int
	more []uint
}

// New returns the kernel of a drawing table.
func New(table *baccarat.DrawingTable) *Kernel {
	k := &Kernel{}
	for two := range uint8(8) {
		if k.player[two] = table.PlayerDraws(two, 0); k.player[two] {
			k.draws = append(k.draws, uint(two))
		} else {
			k.stands = append(k.stands, uint(two))
		}
		for third := range uint8(11) {
			draws := table.BankerDraws(0, two, third)
			switch k.banker[two][third] = draws; {
			case third == baccarat.NoThird && draws:
				k.alone = append(k.alone, uint(two))
			case third == baccarat.NoThird:
			case draws:
				k.answers[third] = append(k.answers[third], uint(two))
			default:
				k.stays[third] = append(k.stays[third], uint(two))
			}
		}
	}
	k.addSets()
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

// addSets makes a set of each different list of answers, small ones first.
func (k *Kernel) addSets() {
	thirds := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	slices.SortStableFunc(thirds, func(a, b int) int { return len(k.answers[a]) - len(k.answers[b]) })
	var of []int // the third card of each set
	for _, third := range thirds {
		set := answerSet{-1, k.answers[third]}
		for i, other := range of {
			missing := func(two uint) bool { return !slices.Contains(k.answers[third], two) }
			if !slices.ContainsFunc(k.answers[other], missing) {
				set.base = i
			}
		}
		if set.base >= 0 {
			before := k.answers[of[set.base]]
			set.more = slices.DeleteFunc(slices.Clone(set.more), func(two uint) bool { return slices.Contains(before, two) })
			if len(set.more) == 0 {
				k.set[third] = set.base
				continue
			}
		}
		k.set[third] = len(of)
		k.sets, of = append(k.sets, set), append(of, third)
	}
}

// Classes returns the possible outcome classes, ascending.
func (k *Kernel) Classes() []int { return k.classes }

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
	for x := range uint(10) {
		k.five(&d, x, total-5, out)
	}
	var six [10]sumRow
	k.six(&d, &six)
	for p := range six {
		for b := range 10 {
			out.Ways[300+10*p+b] = six[p][b] + six[p][b+10] + six[p][b+20]
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
func (k *Kernel) five(d *draws, x uint, weight int64, out *Counts) {
	if x > 9 { // as in adjoin
		return
	}
	cards := d.cards[x]
	for _, a := range k.draws {
		a &= 7
		p := (a + x) % 10
		ways, four, with := (*byValue)(out.Ways[200+10*p:][:10]), &d.four[a], &d.with[a]
		for _, b := range k.stays[x] {
			b &= 7
			ways[b] += (cards*four[b] - with[b][x]) * weight
		}
	}
	for _, a := range k.stands {
		a &= 7
		ways, four, with := (*byValue)(out.Ways[100+10*a:][:10]), &d.four[a], &d.with[a]
		for _, b := range k.alone {
			b &= 7
			ways[(b+x)%10] += (cards*four[b] - with[b][x]) * weight
		}
	}
}

// sumRow is by the sum of a two-card count and a third card. A count is at most 7, and numbers up to 31 of a turning
// need no check of a bound; the sums are at most 26.
type sumRow [40]int64

// six counts the rounds in which both hands draw, by the point count of the player hand, and the sum of the two-card
// count and the third card of the banker hand.
//
// Given the third card x of the player hand and the third card y of the banker hand, the draws of four that contain
// neither are all draws, less the draws with x, less the draws with y, plus the draws with both. Draws without x are
// summed in plain over all x with the same point count, draws with y over the counts on which the banker hand draws.
// Only the draws with x in the banker hand and y in the player hand depend on x, y and both two-card counts at once.
func (k *Kernel) six(d *draws, six *[10]sumRow) {
	var plain [10][8]int64
	var sums [10]answered
	k.answered(d, &sums)
	for x := range uint(10) {
		cards, sum := d.cards[x], &sums[k.set[x]]
		for _, a := range k.draws {
			a &= 7
			p, near, four, with, joined := (a+x)%10, d.joined[a][x], &d.four[a], &d.with[a], d.joined[a].once()
			row, plain, partner := &six[p], &plain[p], 8*d.partner[a][x]
			first := (*byValue)(row[:])
			first.add(4*near, &sum.own)
			first.add(-cards, &sum.with[a])
			for _, b := range k.answers[x] {
				b &= 7
				own, both := d.joined[b][x], with[b][x]
				without := cards*four[b] - both
				plain[b] += without
				(*byValue)(row[b:b+10]).add(4*own, joined)
				// One card of value x less is left for y.
				row[b+x] -= without - both + own*partner
			}
			k.adjoin(d, x, a, row)
		}
	}
	for p := range plain {
		for b, draws := range plain[p] {
			(*byValue)(six[p][b:]).add(draws, d.cards.once())
		}
	}
}

// answered has sums over a set of answers, by the sum of the answer and the third card of the banker hand: with has the
// draws of four that contain the third card, by the count of the player hand; own has the draws of that card and a
// partner of it in the banker hand.
type answered struct {
	with [8]byValue
	own  byValue
}

func (k *Kernel) answered(d *draws, sums *[10]answered) {
	for i := range k.sets {
		set, sum := &k.sets[i], &sums[i]
		if set.base >= 0 {
			*sum = sums[set.base]
		}
		for _, b := range set.more {
			sum.own.addTurned(b, d.joined[b].once())
			for _, a := range k.draws {
				sum.with[a].addTurned(b, &d.with[a][b])
			}
		}
	}
}

// adjoin adds the draws of four with x and y in one hand, eight of which were counted with y as the partner of x, or x
// as that of y, in the other hand; and takes away those with x and y in different hands and one card as the partner of
// both.
func (k *Kernel) adjoin(d *draws, x, a uint, row *sumRow) {
	if x > 9 || a > 7 { // so the compiler knows the bounds of the indices below
		return
	}
	p, cards, joined := (a+x)%10, d.cards[x], &d.joined[a]
	near := joined[x]
	y := (a - x + 10) % 10 & 15 // in one hand with x, the player's
	both := cards * d.cards[y]
	if x == y {
		both -= cards
	}
	apart, other := &d.apart[x], &d.apart[y]
	pairs, eight, four, tie := 2*cards*d.pair[a]-8*near, 8*cards, 4*near, int64(0)
	for _, b := range k.answers[x] {
		b &= 7
		row[b+y] += both * (apart[b] + other[b])
		same := (b - y + 10) & 31 // with the same partner
		row[b+same] -= four * d.cards[same]
		tie += joined[(p-b+10)&31]
	}
	for _, b := range k.answers[x] {
		b &= 7
		own := (b - x + 10) & 31 // in one hand with x, the banker's
		row[b+own] += pairs*d.cards[own] - eight*joined[own]
	}
	row[p] -= 4 * cards * tie
	// Above, y was any card of its value, also x, and its partner any card, also x.
	if k.banker[a][x] {
		row[a+y] += 16 * both
		row[a+x] += 4 * near
		row[p] += 4 * near
	}
	if b := 2 * x % 10; k.banker[b][x] {
		row[b+x] += 8*near - pairs
		row[p] += 4 * both
	}
	if b := 2 * y % 10; k.banker[b][x] {
		row[b+y] += 4 * both
	}
}
