package detectors

import (
	"fmt"
	"maps"

	"github.com/shoeproof/shoeproof/baccarat"
)

var d05 = &Detector{
	ID: "d05", Name: "weak shuffle", Tier: Exact,
	Observes: "cards that were adjacent in the previous shoe and still follow each other, with other cards between them",
	Null:     "the shoe was shuffled uniformly, independently of the previous shoe",
	Reports:  "how much of the old order remains: a defect of the procedure, such as five riffles or fewer",
	Keys:     []KeyKind{OfShoe, OfDevice, OfDealer, OfSupplier},
	Starts:   visits,
	whole:    true,
	start: func(b *Budget) process {
		d := &weakShuffle{budget: b, visits: map[Key]*visit{}}
		for _, order := range b.Policy.PickUps {
			d.packets = append(d.packets, packets{packetsState: packetsState{Order: order}})
		}
		d.factors = make([]float64, len(d.packets)*len(packetParts))
		return d
	},
}

// packetParts are the parts of cards that come from packets of the old order.
var packetParts = [...]float64{.02, .1, .3, .6, .9}

// weakShuffle is d05.
type weakShuffle struct {
	budget  *Budget
	packets []packets
	mixture mixture
	factors []float64
	lnShoe  float64
	visits  map[Key]*visit
}

// weakShuffleState is the state of weakShuffle.
type weakShuffleState struct {
	Packets []packetsState
	Mixture mixture
	// LnShoe is the evidence of the shoe.
	LnShoe float64
	Visits map[Key]*visit
}

func (d *weakShuffle) Begin(s *Shoe, _ *factors) {
	d.mixture, d.lnShoe = d.mixture.reset(len(d.factors)), 0
	for i := range d.packets {
		d.packets[i].reset(s.Before)
	}
}

func (d *weakShuffle) Round(r *Round, out *factors) {
	ln := 0.0
	for c, q := range r.drawn {
		for i := range d.packets {
			p := d.packets[i].add(c) / q
			for j, part := range packetParts {
				d.factors[i*len(packetParts)+j] = 1 - part + float64(part*p)
			}
		}
		ln += d.mixture.update(0.001, d.factors)
	}
	start := 0.0
	if d.lnShoe == 0 {
		start = 1
	}
	if !r.Frozen { // a start is made in a round that counts
		d.lnShoe += ln
	}
	out.add(Factor{Key: Key{OfShoe, r.Shoe}, LnE: ln, Start: start})
}

// End adds the evidence of the shoe to that about the device and the dealer who shuffled it.
func (d *weakShuffle) End(s *Shoe, out *factors) {
	if d.lnShoe == 0 {
		return
	}
	supplier := d.budget.Policy.supplier(s.Shuffler)
	for _, key := range [...]Key{{OfDevice, s.Shuffler}, {OfDealer, s.Dealer}, {OfSupplier, supplier}} {
		if key.ID == "" || !out.wants(key.Kind) {
			continue
		}
		v := d.visits[key]
		if v == nil {
			v = &visit{}
			d.visits[key] = v
		}
		out.add(Factor{Key: key, LnE: d.lnShoe, Start: v.start(s.At, shoesPerVisit(d.budget.Volume, key.Kind))})
	}
}

func (d *weakShuffle) forget(stale func(Key, int64) bool) {
	maps.DeleteFunc(d.visits, func(key Key, v *visit) bool { return stale(key, v.Last) })
}

func (d *weakShuffle) save() any {
	s := weakShuffleState{Mixture: d.mixture, LnShoe: d.lnShoe, Visits: d.visits}
	for i := range d.packets {
		s.Packets = append(s.Packets, d.packets[i].packetsState)
	}
	return &s
}

// load keeps the orders with which the shoe began, also if the policy has changed since.
func (d *weakShuffle) load(decode func(any) error) error {
	s := weakShuffleState{Visits: map[Key]*visit{}}
	if err := decode(&s); err != nil {
		return err
	}
	experts := len(s.Packets) * len(packetParts)
	if len(s.Mixture) > 0 { // it is empty before the first shoe
		if err := s.Mixture.check(experts); err != nil {
			return err
		}
	}
	for key, v := range s.Visits {
		if v == nil {
			return fmt.Errorf("key %v: no visit", key)
		}
	}
	d.packets, d.mixture, d.lnShoe, d.visits = make([]packets, len(s.Packets)), s.Mixture, s.LnShoe, s.Visits
	d.factors = make([]float64, experts)
	for i := range s.Packets {
		if err := s.Packets[i].check(); err != nil {
			return fmt.Errorf("packets %d: %w", i, err)
		}
		d.packets[i].packetsState = s.Packets[i]
		d.packets[i].at.reset(s.Packets[i].Old)
	}
	return nil
}

// packets predicts the next card from packets of the old order: from the positions that follow a matched card.
type packets struct {
	packetsState
	at positions
}

// packetsState is the state of packets.
type packetsState struct {
	Order PickUp
	Old   []baccarat.Card
	// Weights are by position: the weight of a packet whose next card is there.
	Weights []float64
	// Scale is the unit of the weights, so that all of them decay at once. Sum is the sum of the weights.
	Scale, Sum float64
}

// check refuses a restored state of another length.
func (p *packetsState) check() error {
	for _, card := range p.Old {
		if card == baccarat.Unread || card > 52 {
			return fmt.Errorf("card %d in the old order", card)
		}
	}
	if len(p.Old) > 0 && len(p.Weights) != len(p.Old)+1 {
		return fmt.Errorf("%d weights for %d cards", len(p.Weights), len(p.Old))
	}
	return nil
}

func (p *packets) reset(before []Card) {
	p.Old = p.Order.appendDiscards(p.Old[:0], before)
	p.Weights = append(p.Weights[:0], make([]float64, len(p.Old)+1)...)
	p.Scale, p.Sum = 1, 0
	p.at.reset(p.Old)
}

// add returns the predicted probability of a card, and updates the packets.
func (p *packets) add(card baccarat.Card) float64 {
	if len(p.Old) == 0 {
		return 0
	}
	const decay, fresh = 0.98, 0.002
	matched, places := 0.0, p.at.of(card)
	for _, at := range places {
		matched += p.Weights[at]
	}
	chance := 0.0
	if p.Sum > 0 {
		chance = matched / p.Sum
	}
	if n := len(places); n > 0 {
		base := float64(fresh * p.Scale)
		all := matched + float64(base*float64(n))
		for _, at := range places {
			resp := (p.Weights[at] + base) / all
			moved := min(p.Weights[at]*resp, p.Weights[at])
			p.Sum -= moved
			p.Weights[at] -= moved
			p.Weights[at+1] += float64(resp * p.Scale)
			p.Sum += float64(resp * p.Scale)
		}
	}
	p.Scale /= decay
	if p.Scale > 4 { // rescaling also removes the rounding errors of the differences
		p.Sum = 0
		for i := range p.Weights {
			p.Weights[i] /= p.Scale
			p.Sum += p.Weights[i]
		}
		p.Scale = 1
	}
	return min(chance, 1)
}
