package exact

// byValue is a number for each value of a card.
type byValue [10]int64

// add adds a multiple of other numbers. It is written out: rounds of six cards add some five hundred times.
func (to *byValue) add(times int64, of *byValue) {
	to[0] += times * of[0]
	to[1] += times * of[1]
	to[2] += times * of[2]
	to[3] += times * of[3]
	to[4] += times * of[4]
	to[5] += times * of[5]
	to[6] += times * of[6]
	to[7] += times * of[7]
	to[8] += times * of[8]
	to[9] += times * of[9]
}

// addTurned adds other numbers, each at the value that it has together with b.
func (to *byValue) addTurned(b uint, of *byValue) {
	for y, n := range of[:10-b] {
		to[uint(y)+b] += n
	}
	for y, n := range of[10-b:] {
		to[y] += n
	}
}

// times is the sum of the products with other numbers.
func (to *byValue) times(of *byValue) int64 {
	return to[0]*of[0] + to[1]*of[1] + to[2]*of[2] + to[3]*of[3] + to[4]*of[4] +
		to[5]*of[5] + to[6]*of[6] + to[7]*of[7] + to[8]*of[8] + to[9]*of[9]
}

// turning is a number for each value of a card, twice: a difference of two values needs no reduction to a value. The
// spare room holds any index of five bits, so that the compiler checks no bound.
type turning [32]int64

func (n *turning) once() *byValue { return (*byValue)(n[:]) }

// draws are numbers of ordered draws of distinct cards.
type draws struct {
	cards turning
	// partner[s][v] are the cards that make the total s with a given card of value v, joined[s][v] the draws of a card of
	// value v and a partner; pair[s] the draws of two cards with the total s; four[a][b] the draws of two cards to each
	// hand with the totals a and b.
	partner, joined [10]turning
	pair            [10]int64
	four            [10][10]int64
	// with[a][b][v] are the draws of a card of value v, and of four cards with the totals a and b that contain it.
	with [8][8]byValue
	// apart[v][s] is pair[s], less eight draws for each partner of a given card of value v; see adjoin.
	apart [10]byValue
}

func (d *draws) fill(n *Values) {
	copy(d.cards[:], n[:])
	copy(d.cards[10:], n[:])
	for s := range 10 {
		p, j := &d.partner[s], &d.joined[s]
		for v := range 10 {
			p[v] = d.cards[s-v+10]
			if 2*v%10 == s {
				p[v]--
			}
			j[v] = n[v] * p[v]
			p[v+10], j[v+10] = p[v], j[v]
			d.pair[s] += j[v]
		}
	}
	for v := range 10 {
		for s, draws := range d.pair {
			d.apart[v][s] = draws - 8*d.partner[s][v]
		}
	}
	// A draw of two for each hand, less those in which a card of the one is a card of the other, in any of four places;
	// those in which both are have been taken away twice.
	for a := range 10 {
		for b := range a + 1 {
			d.four[a][b] = d.pair[a]*d.pair[b] - 4*d.joined[a].once().times(d.partner[b].once())
			if a == b {
				d.four[a][b] += 2 * d.pair[a]
			}
			d.four[b][a] = d.four[a][b]
		}
	}
	for a := range 8 {
		for b := range a + 1 {
			d.fillWith(a, b)
		}
	}
}

// fillWith counts the draws that contain a given card, in any of four places: its partner has its value, and the pair
// of the other hand contains neither.
func (d *draws) fillWith(a, b int) {
	with, pa, pb := &d.with[a][b], d.pair[a], d.pair[b]
	ja, jb, ua, ub := &d.joined[a], &d.joined[b], &d.partner[a], &d.partner[b]
	for v := range 10 {
		with[v] = 2 * (ja[v]*(pb-2*(ub[v]+ub[a-v+10])) + jb[v]*(pa-2*(ua[v]+ua[b-v+10])))
	}
	if a == b {
		with.add(8, ja.once())
	}
	d.with[b][a] = *with
}
