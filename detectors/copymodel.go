package detectors

import (
	"errors"
	"fmt"

	"github.com/shoeproof/shoeproof/baccarat"
)

// The copy model: at each card a run begins with probability runBegins and ends with runEnds, a part runForeign of
// its cards is foreign, and a part runBack of runs goes backwards. A step leads to the next card of the old order, or
// skips one or two. Pointers with a weight below pointerMin are dropped, which only lowers the evidence. Any values
// are valid; these detect short runs.
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

// copyModel predicts each card from one old order. Its hidden states are idle, and a pointer, forwards or backwards, to
// the card of the old order that was repeated last.
type copyModel struct {
	copyState
	at      positions // of the old order
	touched []pointer
	mass    [2][]float64 // weights while a card is added, by direction and position
}

// copyState is the state of a copyModel.
type copyState struct {
	Order PickUp
	// Own is set if the old order is the past of this shoe, which grows.
	Own     bool
	Old     []baccarat.Card
	Idle    float64
	Live    []pointer
	Longest pointer
}

// pointer is a position in the old order with its weight. Length is the length of the run.
type pointer struct {
	Back   uint8
	At     int32
	Length int32
	Weight float64
}

// check refuses a restored state with positions outside the old order.
func (c *copyState) check() error {
	for _, card := range c.Old {
		if card == baccarat.Unread || card > 52 {
			return fmt.Errorf("card %d in the old order", card)
		}
	}
	for _, p := range c.Live {
		if p.Back > 1 || p.At < 0 || int(p.At) >= len(c.Old) {
			return errors.New("pointer outside the old order")
		}
	}
	return nil
}

func (c *copyModel) reset(old []baccarat.Card) {
	c.Old, c.Idle, c.Live, c.Longest = append(c.Old[:0], old...), 1, c.Live[:0], pointer{}
	c.at.reset(c.Old)
}

// add returns the likelihood of a card under the model over its probability q under honest play.
func (c *copyModel) add(card baccarat.Card, q float64) float64 {
	if len(c.Old) == 0 {
		c.grow(card)
		return 1
	}
	hit := (1-runForeign)/q + runForeign
	begin := c.Idle * runBegins / float64(len(c.Old))
	idle := c.Idle * (1 - runBegins)
	c.touched = c.touched[:0]
	for _, p := range c.Live {
		idle += p.Weight * runEnds
		c.advance(p, card, hit)
	}
	for _, at := range c.at[card] {
		c.touch(pointer{0, at, 1, begin * hit * (1 - runBack)})
		c.touch(pointer{1, at, 1, begin * hit * runBack})
	}
	total := c.collect(idle)
	c.Idle = idle / total
	c.normalize(total)
	c.grow(card)
	return total
}

// advance moves the weight of a pointer by one step.
func (c *copyModel) advance(p pointer, card baccarat.Card, hit float64) {
	for step, share := range [...]float64{stepOne, stepTwo, stepThree} {
		to := p.At + int32(step) + 1
		if p.Back == 1 {
			to = p.At - int32(step) - 1
		}
		if to < 0 || int(to) >= len(c.Old) {
			continue
		}
		w := p.Weight * (1 - runEnds) * share
		length := p.Length
		if c.Old[to] == card {
			w *= hit
			length++
		} else {
			w *= runForeign
		}
		c.touch(pointer{p.Back, to, length, w})
	}
}

// touch adds weight to a position.
func (c *copyModel) touch(p pointer) {
	for len(c.mass[p.Back]) < len(c.Old) {
		c.mass[p.Back] = append(c.mass[p.Back], 0)
	}
	if c.mass[p.Back][p.At] == 0 {
		c.touched = append(c.touched, p)
	}
	c.mass[p.Back][p.At] += p.Weight
}

// collect makes the touched positions the live pointers and returns the sum of all weights.
func (c *copyModel) collect(total float64) float64 {
	c.Live = c.Live[:0]
	for _, p := range c.touched {
		w := c.mass[p.Back][p.At]
		c.mass[p.Back][p.At] = 0
		if w == 0 {
			continue
		}
		total += w
		p.Weight = w
		c.Live = append(c.Live, p)
	}
	return total
}

// normalize divides the weights by their sum and drops the small ones.
func (c *copyModel) normalize(total float64) {
	kept := c.Live[:0]
	for _, p := range c.Live {
		p.Weight /= total
		if p.Weight < pointerMin {
			continue
		}
		if p.Length > c.Longest.Length {
			c.Longest = p
		}
		kept = append(kept, p)
	}
	c.Live = kept
}

// grow adds a card to the past of this shoe.
func (c *copyModel) grow(card baccarat.Card) {
	if !c.Own {
		return
	}
	c.at[card] = append(c.at[card], int32(len(c.Old)))
	c.Old = append(c.Old, card)
}

func (c *copyModel) explain() string {
	from, way := "the previous shoe", "in the same order"
	if c.Own {
		from = "this shoe"
	}
	run := &c.Longest
	first, last := int(run.At)-int(run.Length)+2, int(run.At)+1
	if run.Back == 1 {
		way, first = "backwards", int(run.At)+int(run.Length)
	}
	return fmt.Sprintf("%d cards repeat, %s, cards %d to %d of %s", run.Length, way, first, last, from)
}
