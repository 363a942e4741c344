package detectors

import (
	"errors"
	"fmt"
)

var d04 = &Detector{
	ID: "d04", Name: "slug", Tier: Exact,
	Observes: "runs of cards that repeat a run of the previous shoe, or of this shoe, forwards or backwards",
	Null:     "the shoe was shuffled uniformly, independently of the previous shoe",
	Reports:  "the repeated run, by position",
	Keys:     []KeyKind{OfShoe},
	Starts:   visits,
	start: func(b *Budget) process {
		d := &slug{budget: b}
		d.copies = append(d.copies, copyModel{copyState: copyState{Own: true}, steps: &d.steps})
		for _, order := range b.Policy.PickUps {
			d.copies = append(d.copies, copyModel{copyState: copyState{Order: order}, steps: &d.steps})
		}
		d.factors = make([]float64, len(d.copies))
		return d
	},
}

// The first weights of the old orders: the past of this shoe, and the first of the orders of picking up. The other
// orders share the rest.
const (
	weightOwn   = 0.1
	weightFirst = 0.7
)

// slug is d04: a mixture of copy models, one for each order in which the discards may have been picked up.
type slug struct {
	inert
	budget  *Budget
	copies  []copyModel
	steps   steps
	mixture mixture
	factors []float64
	lnE     float64
	// threshold is the LnThreshold of the key, 0 before the first round.
	threshold float64
}

// slugState is the state of slug within a shoe.
type slugState struct {
	Copies  []copyState
	Mixture mixture
	// LnE is the evidence of the shoe.
	LnE float64
}

func (d *slug) Begin(s *Shoe, _ *factors) {
	d.mixture, d.lnE = slugPrior(d.mixture, len(d.copies)), 0
	d.steps.reset(max(52*s.Decks, len(s.Before)))
	for i := range d.copies {
		c := &d.copies[i]
		if c.Own {
			c.reset(nil)
		} else {
			c.reset(s.Before)
		}
	}
}

// slugPrior is the first weight of each copy model, in the storage of a mixture.
func slugPrior(m mixture, models int) mixture {
	m = m.reset(models)
	for i := range m {
		switch {
		case models == 1:
			m[i] = 1
		case i == 0:
			m[i] = weightOwn
		case models == 2:
			m[i] = 1 - weightOwn
		case i == 1:
			m[i] = weightFirst
		default:
			m[i] = (1 - weightOwn - weightFirst) / float64(models-2)
		}
	}
	return m
}

func (d *slug) Round(r *Round, out *factors) {
	// Cards of a round behind the card that reaches the threshold are not counted: they would hide a short run.
	if d.threshold == 0 {
		d.threshold = d.budget.LnThreshold(out.detector, OfShoe)
	}
	ln := 0.0
	for c, q := range r.drawn {
		for i := range d.copies {
			d.factors[i] = d.copies[i].add(c, q)
		}
		if e := d.mixture.update(0, d.factors); d.lnE+ln < d.threshold {
			ln += e
		}
	}
	start := 0.0
	if d.lnE == 0 {
		start = 1
	}
	if !r.Frozen { // a start is made in a round that counts
		d.lnE += ln
	}
	out.add(Factor{Key: Key{OfShoe, r.Shoe}, LnE: ln, Start: start})
}

// Explain describes the longest run of the most likely copy model.
func (d *slug) Explain(Key) string {
	best, at := -1.0, 0
	for i, w := range d.mixture {
		if w > best {
			best, at = w, i
		}
	}
	return d.copies[at].explain()
}

func (d *slug) save() any {
	s := slugState{Mixture: d.mixture, LnE: d.lnE}
	for i := range d.copies {
		s.Copies = append(s.Copies, d.copies[i].copyState)
	}
	return &s
}

// load keeps the orders with which the shoe began, also if the policy has changed since.
func (d *slug) load(decode func(any) error) error {
	var s slugState
	if err := decode(&s); err != nil {
		return err
	}
	if len(s.Copies) == 0 {
		return errors.New("no copy models")
	}
	if len(s.Mixture) > 0 { // it is empty before the first shoe
		if err := s.Mixture.check(len(s.Copies)); err != nil {
			return err
		}
	}
	d.copies, d.mixture, d.lnE = make([]copyModel, len(s.Copies)), s.Mixture, s.LnE
	d.factors = make([]float64, len(d.copies))
	for i := range s.Copies {
		if err := s.Copies[i].check(); err != nil {
			return fmt.Errorf("copy model %d: %w", i, err)
		}
		d.copies[i].copyState, d.copies[i].steps = s.Copies[i], &d.steps
		d.copies[i].at.reset(s.Copies[i].Old)
	}
	return nil
}
