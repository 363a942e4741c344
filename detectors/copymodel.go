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

// steps is where the weights of a model go while a card is added: the weight of each live pointer to as many places as
// there are stepShares, then the weights of new runs, forwards and backwards, from each position of the card. Models
// share it, one after the other.
type steps struct {
	weights []float64
	// index has the place of each position, forwards and backwards, that has a weight: past + 1 + the index in weights. A
	// smaller number is of an earlier card.
	index [2][]uint32
	past  uint32
	large []int32 // places with a weight that may be kept
	live  []pointer
}

// reset forgets the last shoe, and makes room for as many places as there mostly are, and for a number of positions.
func (s *steps) reset(positions int) {
	clear(s.index[0])
	clear(s.index[1])
	s.past = 0
	s.begin(4*usualPointers, positions)
	s.weights, s.live = s.weights[:0], slices.Grow(s.live[:0], usualPointers)
}

// begin makes room for a number of places and positions.
func (s *steps) begin(places, positions int) {
	s.past += uint32(len(s.weights))
	s.weights, s.large = slices.Grow(s.weights[:0], places)[:places], slices.Grow(s.large[:0], places)[:places]
	for i := range s.index {
		if more := positions - len(s.index[i]); more > 0 {
			s.index[i] = append(s.index[i], make([]uint32, more)...)
		}
	}
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
	Weight float64
	At     int32
	Length int16
	Back   uint8
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
	hit := (1-runForeign)/q + runForeign
	begin := c.Idle * runBegins / float64(len(c.Old))
	idle := c.Idle * (1 - runBegins)
	for i := range c.Live {
		idle += float64(c.Live[i].Weight * runEnds)
	}
	starts := c.at.of(card)
	c.begin(len(stepShares)*len(c.Live)+2*len(starts), len(c.Old))
	c.advance(card, hit)
	c.enter(starts, begin*hit*(1-runBack), begin*hit*runBack)
	total := c.keep(card, starts, idle)
	c.Idle = idle / total
	c.grow(card)
	return total
}

// advance moves the weights of the pointers by one step.
func (c *copyModel) advance(card baccarat.Card, hit float64) {
	old, past, weights, place := c.Old, c.past, c.weights, 0
	for i := range c.Live {
		p := &c.Live[i]
		index, at, step := c.index[p.Back&1], int(p.At), 1-2*int(p.Back&1)
		weight := p.Weight * (1 - runEnds)
		for k := range stepShares {
			at += step
			part := 0.0
			if uint(at) < uint(len(old)) {
				part = weight * stepShares[k]
				if old[at] == card {
					part *= hit
				} else {
					part *= runForeign
				}
				if x := index[at]; x > past {
					weights[x-past-1] += part
					part = 0
				} else {
					index[at] = past + 1 + uint32(place)
				}
			}
			weights[place] = part
			place++
		}
	}
}

// enter begins runs at the positions of a card.
func (c *copyModel) enter(starts []int32, forwards, backwards float64) {
	place := len(stepShares) * len(c.Live)
	for _, at := range starts {
		for back, weight := range [...]float64{forwards, backwards} {
			if x := &c.index[back][at]; *x > c.past {
				c.weights[*x-c.past-1] += weight
				weight = 0
			} else {
				*x = c.past + 1 + uint32(place)
			}
			c.weights[place] = weight
			place++
		}
	}
}

// keep turns the places into the live pointers, divides their weights by the sum of all, and drops small weights. It
// returns the sum.
func (c *copyModel) keep(card baccarat.Card, starts []int32, idle float64) float64 {
	// The sum is in the order of the places: in another order it would have other last bits.
	total, large, n := idle, c.large, 0
	small := pointerMin / 2 * idle // far enough below the min that no rounding of the division decides
	for place, weight := range c.weights {
		total += weight
		large[n] = int32(place)
		if weight >= small {
			n++
		}
	}
	live := c.live[:0]
	for _, place := range large[:n] {
		weight := c.weights[place] / total
		if weight < pointerMin {
			continue
		}
		p := c.pointer(int(place), card, starts)
		if p.Weight = weight; p.Length > c.Longest.Length {
			c.Longest = p
		}
		live = append(live, p)
	}
	c.live, c.Live = live, append(c.Live[:0], live...)
	return total
}

// pointer is the pointer of a place, without its weight.
func (c *copyModel) pointer(place int, card baccarat.Card, starts []int32) pointer {
	if begun := place - len(stepShares)*len(c.Live); begun >= 0 {
		return pointer{At: starts[begun/2], Length: 1, Back: uint8(begun % 2)}
	}
	p, steps := c.Live[place/len(stepShares)], int32(place%len(stepShares)+1)
	if p.Back == 1 {
		steps = -steps
	}
	if p.At += steps; c.Old[p.At] == card {
		p.Length++
	}
	return p
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
