package detectors

import (
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
)

var d04 = &Detector{
	ID: "d04", Name: "slug", Tier: Exact,
	Looks:  "whether the cards repeat a run of the last shoe, or of this one, forwards or backwards",
	Null:   "the shoe was shuffled uniformly, whatever the last one was",
	Shows:  "the run that came again, card by card",
	Keys:   []KeyKind{OfShoe},
	Starts: visits,
	New: func(p *Promise) Process {
		d := &slug{promise: p}
		d.copies = []copier{{own: true}}
		for _, order := range p.Policy.PickUps {
			d.copies = append(d.copies, copier{order: order})
		}
		d.factors = make([]float64, len(d.copies))
		return d
	},
}

// The copy model: a run begins with this chance at a card, ends at each card with that, and so many of its cards are
// foreign; it goes backwards with the fourth. Steps are to the next card of the old order, or over one or two. Pointers below
// the last are let go, which only lowers the evidence. Any values are valid; these spare a short run what can be spared.
const (
	runBegins  = 1.0 / 200
	runEnds    = 0.005
	runForeign = 0.02
	runBack    = 0.15
	stepOne    = 0.992
	stepTwo    = 0.006
	stepThree  = 0.002
	pointerMin = 1e-5
)

// The first weights of the old orders: this shoe's own past, and the order in which the house picks up first. The other
// orders share the rest.
const (
	weightOwn   = 0.1
	weightFirst = 0.7
)

// slug averages copy models over the orders in which the discards may have been picked up.
type slug struct {
	nothing
	copies  []copier
	mixture mixture
	factors []float64
	promise *Promise
	// lnE is the evidence of the shoe, enough what raises the alarm: the rest of that round is not weighed, so that cards
	// behind a short run do not hide it.
	lnE, enough float64
}

func (d *slug) Begin(s *Shoe, _ *Factors) {
	d.mixture, d.lnE = newMixture(len(d.copies), 0), 0
	w, others := d.mixture.weights, float64(len(d.copies)-2)
	for i := range w {
		switch {
		case len(w) == 1:
			w[i] = 1
		case i == 0:
			w[i] = weightOwn
		case len(w) == 2:
			w[i] = 1 - weightOwn
		case i == 1:
			w[i] = weightFirst
		default:
			w[i] = (1 - weightOwn - weightFirst) / others
		}
	}
	for i := range d.copies {
		c := &d.copies[i]
		if c.own {
			c.reset(nil)
		} else {
			c.reset(c.order.Discards(s.Before))
		}
	}
}

func (d *slug) Round(r *Round, out *Factors) {
	d.enough = d.promise.LnThreshold(out.detector, OfShoe)
	left := r.Left
	total := float64(left.Total())
	ln := 0.0
	for _, card := range r.Cards {
		c := card.Card
		if c == baccarat.Unread || left[c] <= 0 || total < 1 {
			continue
		}
		q := float64(left[c]) / total
		for i := range d.copies {
			d.factors[i] = d.copies[i].take(c, q)
		}
		if e := d.mixture.take(d.factors); d.lnE+ln < d.enough {
			ln += e
		}
		left[c]--
		total--
	}
	start := 0.0
	if d.lnE == 0 {
		start = 1
	}
	d.lnE += ln
	out.Add(Factor{Key: Key{OfShoe, r.Shoe}, LnE: ln, Start: start})
}

// Explain shows the longest run that a pointer is on.
func (d *slug) Explain(Key) string {
	best, at := -1.0, 0
	for i, w := range d.mixture.weights {
		if w > best {
			best, at = w, i
		}
	}
	return d.copies[at].explain()
}

// copier is the copy model over one old order: how likely the next card is the one that followed in it. Its states are
// idle and a pointer, forwards or backwards, to the card of the old order that came last.
type copier struct {
	order PickUp
	// own says that the old order is this shoe's own past, which grows.
	own  bool
	old  []baccarat.Card
	at   [53][]int32 // where each card lies in the old order
	idle float64
	// live are the pointers with their weights; mass and next are by position, forwards then backwards.
	live, touched []pointer
	mass          [2][]float64
	count         int
	top           pointer
}

type pointer struct {
	back   uint8
	at     int32
	length int32
	weight float64
}

func (c *copier) reset(old []baccarat.Card) {
	c.old, c.idle, c.live, c.count, c.top = append(c.old[:0], old...), 1, c.live[:0], 0, pointer{}
	for i := range c.at {
		c.at[i] = c.at[i][:0]
	}
	for i, card := range c.old {
		c.at[card] = append(c.at[card], int32(i))
	}
}

// take returns the likelihood of a card under the model over its chance q under honest play.
func (c *copier) take(card baccarat.Card, q float64) float64 {
	m := len(c.old)
	c.count++
	if m == 0 {
		if c.own {
			c.grow(card)
		}
		return 1
	}
	hit, miss := (1-runForeign)/q+runForeign, runForeign
	begin := c.idle * runBegins / float64(m)
	idle := c.idle * (1 - runBegins)
	c.touched = c.touched[:0]
	for _, p := range c.live {
		idle += p.weight * runEnds
		for step, share := range [...]float64{stepOne, stepTwo, stepThree} {
			to := p.at + int32(step) + 1
			if p.back == 1 {
				to = p.at - int32(step) - 1
			}
			if to < 0 || int(to) >= m {
				continue
			}
			w := p.weight * (1 - runEnds) * share
			length := p.length
			if c.old[to] == card {
				w *= hit
				length++
			} else {
				w *= miss
			}
			c.point(pointer{p.back, to, length, w})
		}
	}
	for _, at := range c.at[card] {
		c.point(pointer{0, at, 1, begin * hit * (1 - runBack)})
		c.point(pointer{1, at, 1, begin * hit * runBack})
	}
	total := idle
	c.live = c.live[:0]
	for _, p := range c.touched {
		w := c.mass[p.back][p.at]
		c.mass[p.back][p.at] = 0
		if w == 0 {
			continue
		}
		total += w
		p.weight = w
		c.live = append(c.live, p)
	}
	kept := c.live[:0]
	c.idle = idle / total
	for _, p := range c.live {
		p.weight /= total
		if p.weight < pointerMin {
			continue
		}
		if p.length > c.top.length {
			c.top = p
		}
		kept = append(kept, p)
	}
	c.live = kept
	if c.own {
		c.grow(card)
	}
	return total
}

// point adds weight to a pointer.
func (c *copier) point(p pointer) {
	for len(c.mass[p.back]) < len(c.old) {
		c.mass[p.back] = append(c.mass[p.back], 0)
	}
	if c.mass[p.back][p.at] == 0 {
		c.touched = append(c.touched, p)
	}
	c.mass[p.back][p.at] += p.weight
}

func (c *copier) grow(card baccarat.Card) {
	c.at[card] = append(c.at[card], int32(len(c.old)))
	c.old = append(c.old, card)
}

func (c *copier) explain() string {
	from, way := "the last shoe", "in the same order"
	if c.own {
		from = "this shoe"
	}
	first, last := int(c.top.at)-int(c.top.length)+2, int(c.top.at)+1
	if c.top.back == 1 {
		way, first, last = "backwards", int(c.top.at)+int(c.top.length), int(c.top.at)+1
	}
	return fmt.Sprintf("%d cards came %s as cards %d to %d of %s", c.top.length, way, first, last, from)
}

var d05 = &Detector{
	ID: "d05", Name: "weak shuffle", Tier: Exact,
	Looks:  "whether cards that lay together in the last shoe still follow each other, with others between them",
	Null:   "the shoe was shuffled uniformly, whatever the last one was",
	Shows:  "how much of the old order is left: a finding about the procedure, of five riffles or fewer",
	Keys:   []KeyKind{OfShoe, OfDevice, OfDealer},
	Starts: visits,
	New: func(p *Promise) Process {
		d := &interleave{promise: p, sessions: map[Key]*session{}}
		for _, order := range p.Policy.PickUps {
			d.packets = append(d.packets, packets{order: order})
		}
		d.factors = make([]float64, len(d.packets)*len(etas))
		return d
	},
}

// etas are the parts of cards that come from packets of the old order.
var etas = [...]float64{.02, .1, .3, .6, .9}

type interleave struct {
	promise  *Promise
	packets  []packets
	mixture  mixture
	factors  []float64
	lnShoe   float64
	sessions map[Key]*session
}

func (d *interleave) Begin(s *Shoe, _ *Factors) {
	d.mixture, d.lnShoe = newMixture(len(d.factors), 0.001), 0
	for i := range d.packets {
		d.packets[i].reset(s.Before)
	}
}

func (d *interleave) Round(r *Round, out *Factors) {
	left := r.Left
	total := float64(left.Total())
	ln := 0.0
	for _, card := range r.Cards {
		c := card.Card
		if c == baccarat.Unread || left[c] <= 0 || total < 1 {
			continue
		}
		q := float64(left[c]) / total
		for i := range d.packets {
			p := d.packets[i].take(c) / q
			for j, eta := range etas {
				d.factors[i*len(etas)+j] = 1 - eta + eta*p
			}
		}
		ln += d.mixture.take(d.factors)
		left[c]--
		total--
	}
	start := 0.0
	if d.lnShoe == 0 {
		start = 1
	}
	d.lnShoe += ln
	out.Add(Factor{Key: Key{OfShoe, r.Shoe}, LnE: ln, Start: start})
}

// End adds the shoe to what is known of the device and the dealer who shuffled it.
func (d *interleave) End(s *Shoe, out *Factors) {
	if d.lnShoe == 0 {
		return
	}
	for _, key := range [...]Key{{OfDevice, s.Shuffler}, {OfDealer, s.Dealer}} {
		if key.ID == "" || !out.wants(key.Kind) {
			continue
		}
		v := d.sessions[key]
		if v == nil {
			v = &session{}
			d.sessions[key] = v
		}
		shoes := d.promise.Volume.Shoes / visits(d.promise.Volume, key.Kind)
		out.Add(Factor{Key: key, LnE: d.lnShoe, Start: v.start(s.At, max(shoes, 1))})
	}
}

// packets predicts the next card from the heads of packets of the old order: positions that follow one at which a
// card was matched.
type packets struct {
	order  PickUp
	old    []baccarat.Card
	at     [53][]int32
	weight []float64
	// scale is what weights count, so that all of them fade at once; sum is that of the weights.
	scale, sum float64
}

func (p *packets) reset(before []Card) {
	p.old = append(p.old[:0], p.order.Discards(before)...)
	p.weight = append(p.weight[:0], make([]float64, len(p.old)+1)...)
	p.scale, p.sum = 1, 0
	for i := range p.at {
		p.at[i] = p.at[i][:0]
	}
	for i, card := range p.old {
		p.at[card] = append(p.at[card], int32(i))
	}
}

// take returns the predicted chance of a card, and learns from it.
func (p *packets) take(card baccarat.Card) float64 {
	if len(p.old) == 0 {
		return 0
	}
	const fade, fresh = 0.98, 0.002
	matched := 0.0
	for _, at := range p.at[card] {
		matched += p.weight[at]
	}
	chance := 0.0
	if p.sum > 0 {
		chance = matched / p.sum
	}
	if n := len(p.at[card]); n > 0 {
		base := fresh * p.scale
		all := matched + base*float64(n)
		for _, at := range p.at[card] {
			resp := (p.weight[at] + base) / all
			moved := min(p.weight[at]*resp, p.weight[at])
			p.sum -= moved
			p.weight[at] -= moved
			p.weight[at+1] += resp * p.scale
			p.sum += resp * p.scale
		}
	}
	p.scale /= fade
	if p.scale > 4 { // also against what differences lose
		p.sum = 0
		for i := range p.weight {
			p.weight[i] /= p.scale
			p.sum += p.weight[i]
		}
		p.scale = 1
	}
	return min(chance, 1)
}
