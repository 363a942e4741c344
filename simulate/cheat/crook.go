package cheat

import (
	"math/rand/v2"
	"slices"

	"github.com/shoeproof/shoeproof/schema"
	"github.com/shoeproof/shoeproof/simulate/deal"
	"github.com/shoeproof/shoeproof/simulate/internal/shoe"
)

// crook is a cheat at one table, as a deal.Scheme. It draws from its own generator, as often in the twin as in the
// cheat, so that both have all other chance in common.
type crook struct {
	*Cheat
	table       *deal.Table
	rng         *rand.Rand
	twin        bool
	from, shoes int
	// on: the cheat has begun. act: the round has an act of it.
	on, act bool
	label   Label
	dealer  string
	patrons [2]string
	// before is the last shoe in the order of dealing, the cards that were not dealt included.
	before []shoe.Card
	// dealt counts the cards dealt in the shoe by value. slug is where the slug lies, counted from the shoe's end.
	dealt  [10]int
	slug   [2]int
	streak int
}

// cheatUnit is the stake of patrons in the know, minor units.
const cheatUnit = 1_000_000

// Seated recruits the first patron, or the first two.
func (c *crook) Seated(t *deal.Table) {
	c.dealer = t.Dealer()
	for i := range 2 {
		if i == 1 && !c.twoPatrons {
			break
		}
		p := c.table.Patrons()[i]
		*p = deal.Patron{
			Ref: p.Ref, Seat: p.Seat, UsualStake: cheatUnit, Favourite: schema.SpotBanker,
			ExactVigorish: true, DeclinesShoe: true, Stays: true,
		}
		c.patrons[i] = p.Ref
		c.label.Patrons = append(c.label.Patrons, p.Ref)
	}
	c.label.Dealer = c.dealer
	switch id := c.patrons[0]; c.Key {
	case "patron":
		c.label.Key += ":" + id
	case "pair":
		c.label.Key += ":" + id + "+" + c.patrons[1]
	case "dealer+patron":
		c.label.Key += ":" + c.dealer + "+" + id
	case "dealer":
		c.label.Key += ":" + c.dealer
	case "table":
		c.label.Key += ":" + c.label.Table
	}
	if c.habits != nil {
		c.habits(c)
	}
}

// BeforeShoe changes the configuration before the shoe with which the cheat begins.
func (c *crook) BeforeShoe() {
	if c.reconfigure != nil && c.shoes+1 == c.from && !c.twin {
		c.reconfigure(c)
	}
}

// Stack returns the cards of the next shoe, which the cheat may have put in order.
func (c *crook) Stack(id string, deck []shoe.Card) []shoe.Card {
	c.shoes++
	c.on = c.shoes >= max(c.from, 1)
	c.dealt, c.slug = [10]int{}, [2]int{-1, -1}
	if c.stack != nil {
		// The twin draws the same numbers and keeps the cards as they were shuffled.
		rest := c.stack(c, slices.Clone(deck))
		if c.on && !c.twin {
			c.recordAct(id, 0)
			deck = rest
		} else {
			c.slug = [2]int{-1, -1}
		}
	}
	c.before = slices.Clone(deck)
	return deck
}

// Bet places the wagers of the patrons in the know, then puts rigged cards in front.
func (c *crook) Bet(r *shoe.Round, deck []shoe.Card) {
	if len(deck) < 6 {
		return
	}
	c.act = false
	if c.bets != nil {
		c.bets(c, r, deck)
	}
	if c.rig != nil {
		c.rig(c, deck)
	}
	slices.SortStableFunc(r.Stakes, func(a, b shoe.Stake) int { return lateRank(a) - lateRank(b) })
}

func lateRank(st shoe.Stake) int {
	if st.Late {
		return 1
	}
	return 0
}

// Settle lets the dealer in the know settle, and counts the cards.
func (c *crook) Settle(s *shoe.Plan, r *shoe.Round, k int) {
	if c.settle != nil {
		c.settle(c, r)
	}
	for h := range r.Coup.Hands {
		for _, x := range r.Coup.Hands[h] {
			c.dealt[x.Value()]++
		}
	}
	if c.act && c.on && !c.twin {
		c.recordAct(s.ID, k+1)
	}
	c.act = false
}

// EndShoe sets what is added to the tray on paper only, and what leaves it without a record.
func (c *crook) EndShoe(s *shoe.Plan) {
	if c.tray == nil {
		return
	}
	fill, missing := c.tray(c)
	if !c.on || c.twin {
		return
	}
	if s.Fill, s.Missing = fill, missing; missing > 0 {
		c.recordAct(s.ID, 0)
	}
}

func (c *crook) recordAct(shoe string, round int) {
	if c.label.Shoe == "" {
		c.label.Shoe, c.label.Round = shoe, round
	}
	if len(c.label.Acts) < 100_000 {
		c.label.Acts = append(c.label.Acts, Act{shoe, round})
	}
}

// ReadErrors returns the error rates of the cheat while it is on.
func (c *crook) ReadErrors() (misread, unread float64) {
	if !c.on || c.twin {
		return 0, 0
	}
	return c.Misread, c.Drop
}

// acts reports whether the cheat acts when it would, and records that it would.
func (c *crook) acts(would bool) bool {
	c.act = c.act || would
	return would && c.on && !c.twin
}

// bet places a wager of a patron in the know, in addition to the other wagers if more is set, else in their place.
func (c *crook) bet(r *shoe.Round, who int, spot schema.Spot, amount int64, more bool) *shoe.Stake {
	p := c.patron(who)
	if !more {
		r.Stakes = slices.DeleteFunc(r.Stakes, func(st shoe.Stake) bool { return st.Seat == p.Seat })
	}
	r.Stakes = append(r.Stakes, shoe.Stake{
		Seat: p.Seat, Patron: p.Ref, Spot: spot, Amount: amount, Medium: schema.WagerMediumChips, Exact: true,
	})
	return &r.Stakes[len(r.Stakes)-1]
}

func (c *crook) patron(who int) *deal.Patron {
	i := slices.IndexFunc(c.table.Patrons(), func(p *deal.Patron) bool { return p.Ref == c.patrons[who] })
	return c.table.Patrons()[i]
}

// coin returns one of the two main spots by chance.
func (c *crook) coin() schema.Spot { return schema.SpotBanker + schema.Spot(c.rng.IntN(2)) }

// dealing reports whether the dealer in the know is on duty.
func (c *crook) dealing() bool { return c.table.Dealer() == c.dealer }
