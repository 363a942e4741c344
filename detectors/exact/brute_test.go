package exact

import "github.com/shoeproof/shoeproof/baccarat"

// enumerate deals every sequence of values.
func enumerate(table *baccarat.DrawingTable, n Values, out *Counts) {
	total := n.Total()
	take := func(v int) int64 { w := n[v]; n[v]--; return w }
	add := func(p, b uint8, np, nb uint8, w int64) {
		for i := int64(np + nb); i < 6; i++ {
			w *= total - i
		}
		out.Ways[Class(p, b, np, nb)] += w
		out.Total += w
	}
	for p1 := range 10 {
		w1 := take(p1)
		for p2 := range 10 {
			w2 := w1 * take(p2)
			for b1 := range 10 {
				w3 := w2 * take(b1)
				for b2 := range 10 {
					w4 := w3 * take(b2)
					if w4 != 0 {
						p, b := uint8(p1+p2)%10, uint8(b1+b2)%10
						switch {
						case table.PlayerDraws(p, b):
							for x := range 10 {
								wx := w4 * take(x)
								if !table.BankerDraws(p, b, uint8(x)) {
									add((p+uint8(x))%10, b, 3, 2, wx)
								} else if wx != 0 {
									for y := range 10 {
										add((p+uint8(x))%10, (b+uint8(y))%10, 3, 3, wx*n[y])
									}
								}
								n[x]++
							}
						case table.BankerDraws(p, b, baccarat.NoThird):
							for y := range 10 {
								add(p, (b+uint8(y))%10, 2, 3, w4*n[y])
							}
						default:
							add(p, b, 2, 2, w4)
						}
					}
					n[b2]++
				}
				n[b1]++
			}
			n[p2]++
		}
		n[p1]++
	}
}

// pairCounts are the numbers of ordered draws of four cards, two to each hand, by their pairs, and the sum.
type pairCounts struct {
	// One is a pair in a given hand; Either and Both are of the two hands. Suited pairs are two cards of one kind;
	// SuitedOne is a suited pair in exactly one hand.
	One, Either, Both, Suited, SuitedOne, SuitedBoth int64
	Total                                            int64
}

// countPairs counts the pairs of a composition.
func countPairs(c *Composition) pairCounts {
	n := c.Total()
	p := pairCounts{Total: n * (n - 1) * (n - 2) * (n - 3)}
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
