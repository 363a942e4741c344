package detectors

import (
	"errors"
	"fmt"
	"slices"

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
	// usualPointers is how many pointers a model mostly has at a time.
	usualPointers = 32
)

// copyModel predicts each card from one old order. Its hidden states are idle, and a pointer, forwards or backwards, to
// the card of the old order that was repeated last.
type copyModel struct {
	copyState
	at positions // of the old order
	*steps
}

// stepShares are the shares of a pointer that go one, two and three cards on.
var stepShares = [...]float64{stepOne, stepTwo, stepThree}

// steps is where the pointers of a model go while a card is added. Models share it, one after the other.
type steps struct {
	to []pointer
	// index is 1 + the index in to of the pointer at a position, forwards and backwards; 0 between two cards.
	index [][2]uint32
}

// touch adds the weight of a pointer to those at its position, of which at is the index. It is inlined: the models of a
// table touch some three hundred positions a card.
func touch(to []pointer, at *uint32, p pointer) []pointer {
	if *at != 0 {
		to[*at-1].Weight += p.Weight
		return to
	}
	to = append(to, p)
	*at = uint32(len(to))
	return to
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

// reset begins a shoe. Before are the cards of the shoe before it, in the order of dealing.
func (c *copyModel) reset(before []Card) {
	c.Old, c.Idle = c.Order.appendDiscards(c.Old[:0], before), 1
	c.Live, c.Longest = slices.Grow(c.Live[:0], usualPointers), pointer{}
	c.at.reset(c.Old)
}

// add returns the likelihood of a card under the model over its probability q under honest play.
func (c *copyModel) add(card baccarat.Card, q float64) float64 {
	if len(c.Old) == 0 {
		c.grow(card)
		return 1
	}
	if more := len(c.Old) - len(c.index); more > 0 {
		c.index = append(c.index, make([][2]uint32, more)...)
	}
	hit := (1-runForeign)/q + runForeign
	begin := c.Idle * runBegins / float64(len(c.Old))
	idle := c.Idle * (1 - runBegins)
	to := c.to[:0]
	for i := range c.Live {
		idle += c.Live[i].Weight * runEnds
		to = c.advance(to, &c.Live[i], card, hit)
	}
	forwards, backwards := begin*hit*(1-runBack), begin*hit*runBack
	for _, at := range c.at.of(card) {
		to = touch(to, &c.index[at][0], pointer{0, at, 1, forwards})
		to = touch(to, &c.index[at][1], pointer{1, at, 1, backwards})
	}
	// The sum is in the order of the touches: in another order it would have other last bits.
	total := idle
	for i := range to {
		p := &to[i]
		total += p.Weight
		c.index[p.At][p.Back&1] = 0
	}
	c.Idle, c.to = idle/total, to
	c.keep(total)
	c.grow(card)
	return total
}

// advance moves the weight of a pointer by one step.
func (c *copyModel) advance(to []pointer, p *pointer, card baccarat.Card, hit float64) []pointer {
	old, at, back, weight := c.Old, int(p.At), p.Back&1, p.Weight*(1-runEnds)
	index := c.index[:len(old)]
	for _, share := range stepShares {
		at += 1 - 2*int(back)
		if uint(at) >= uint(len(old)) {
			break
		}
		next := pointer{back, int32(at), p.Length, weight * share}
		if old[at] == card {
			next.Length++
			next.Weight *= hit
		} else {
			next.Weight *= runForeign
		}
		to = touch(to, &index[at][back], next)
	}
	return to
}

// keep makes the positions that were touched the live pointers. It divides their weights by the sum and drops the small
// ones.
func (c *copyModel) keep(total float64) {
	c.Live = c.Live[:0]
	small := pointerMin / 2 * total // far enough below the min that no rounding of the division decides
	for i := range c.to {
		p := &c.to[i]
		if p.Weight < small {
			continue
		}
		if p.Weight /= total; p.Weight < pointerMin {
			continue
		}
		if p.Length > c.Longest.Length {
			c.Longest = *p
		}
		c.Live = append(c.Live, *p)
	}
}

// grow adds a card to the past of this shoe.
func (c *copyModel) grow(card baccarat.Card) {
	if !c.Own {
		return
	}
	c.at.add(card, int32(len(c.Old)))
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
