package detectors

import "github.com/shoeproof/shoeproof/baccarat"

var d06 = &Detector{
	ID: "d06", Name: "bets follow cards to come", Tier: Exact,
	Looks:  "which cards come first to sixth when a patron bets on one side or the other",
	Null:   "a card to come is any of those not seen, whatever was bet before it",
	Shows:  "the cards that come with each side: marks, sorted edges, a peeked or signalled card",
	Keys:   []KeyKind{OfPatron, OfTable, OfDealerPatron},
	Starts: visits,
	New:    func(p *Promise) Process { return &dependence{promise: p, keys: map[Key]*habit{}} },
}

// groupings sort values into groups: high cards from the rest, tens from the rest, each value by itself. A patron who
// knows the group of a card knows which side it helps.
var groupings = [...][10]int{
	{0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
	{0, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
}

// knows are the parts of rounds of which a patron may know one card.
var knows = [...]float64{.1, .3, .6, .95}

const (
	positions = 6
	// priorCards is how many cards of the honest law a learned one begins with.
	priorCards       = 20
	dependentExperts = positions*len(groupings) + 4*len(knows)
)

type dependence struct {
	nothing
	promise *Promise
	slips   slips
	keys    map[Key]*habit
	factors [dependentExperts]float64
	laws    [positions][len(groupings)][10]float64
}

// habit is which cards came by side of the bet.
type habit struct {
	session session
	mixture mixture
	came    [positions][len(groupings)][4][10]float64
	bets    [positions][4]float64
}

func (d *dependence) Round(r *Round, out *Factors) {
	patrons, table := d.slips.of(r, &d.promise.Policy)
	if table == nil || table.wagers == 0 || len(r.Cards) < 4 {
		return
	}
	d.lay(r)
	for i := range patrons {
		x := &patrons[i]
		d.weigh(Key{OfPatron, x.who}, r, x, out)
		if r.Dealer != "" {
			d.weigh(Key{OfDealerPatron, r.Dealer + "+" + x.who}, r, x, out)
		}
	}
	if len(patrons) > 1 {
		d.weigh(Key{OfTable, r.Table}, r, table, out)
	}
}

// lay works out the law of each card given those before it in the round.
func (d *dependence) lay(r *Round) {
	left := r.Left
	for j := 0; j < min(len(r.Cards), positions); j++ {
		n := left.Values()
		total := float64(n.Total())
		for g := range groupings {
			d.laws[j][g] = [10]float64{}
			for v, count := range n {
				d.laws[j][g][groupings[g][v]] += float64(count) / total
			}
		}
		left[r.Cards[j].Card]--
	}
}

// readable says that a card was read, and is one that can come: a card misread before may have used up its value.
func (d *dependence) readable(r *Round, j int) bool {
	if j >= len(r.Cards) || r.Cards[j].Card == baccarat.Unread {
		return false
	}
	return d.laws[j][len(groupings)-1][r.Cards[j].Card.Value()] > 0
}

func (d *dependence) weigh(key Key, r *Round, x *slip, out *Factors) {
	if !out.wants(key.Kind) || x.side == baccarat.NoSpot {
		return
	}
	h := d.keys[key]
	if h == nil {
		h = &habit{mixture: newMixture(dependentExperts, 0.001)}
		d.keys[key] = h
	}
	start := h.session.start(r.At, roundsPer(d.promise.Volume, key.Kind))
	f := Factor{Key: key, Start: start, Money: x.net}
	n := 0
	for j := range positions {
		read := d.readable(r, j)
		for g := range groupings {
			d.factors[n] = 1
			if read {
				law, group := &d.laws[j][g], groupings[g][r.Cards[j].Card.Value()]
				came := &h.came[j][g][x.side]
				d.factors[n] = (came[group] + priorCards*law[group]) / (h.bets[j][x.side] + priorCards) / law[group]
				came[group]++
			}
			n++
		}
		if read {
			h.bets[j][x.side]++
		}
	}
	// Who knows that a card of a hand is 6 to 9 bets on that hand, else on the other.
	for j := range 4 {
		high, hit := d.laws[j][0][1], false
		if c := r.Cards[j]; x.side != baccarat.SpotTie && d.readable(r, j) {
			own := baccarat.SpotPlayer
			if c.Hand == baccarat.Banker {
				own = baccarat.SpotBanker
			}
			chance := high
			if x.side != own {
				chance = 1 - high
			}
			hit = (groupings[0][c.Card.Value()] == 1) == (x.side == own)
			for i, part := range knows {
				d.factors[n+i] = 1 - part
				if hit {
					d.factors[n+i] += part / chance
				}
			}
			if j == 0 {
				f.Due = chance
				if hit {
					f.Seen = 1
				}
			}
		} else {
			for i := range knows {
				d.factors[n+i] = 1
			}
		}
		n += len(knows)
	}
	f.LnE = h.mixture.take(d.factors[:])
	out.Add(f)
}
