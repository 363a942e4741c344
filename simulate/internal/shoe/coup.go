package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

// The two hands, as indexes of Coup.Hands.
const (
	Player = iota
	Banker
)

// HandOf returns the hand of the contract.
func HandOf(h int) schema.Hand { return schema.Hand(h + 1) }

// Coup is the two hands of a round as they finally lie.
type Coup struct {
	Hands [2][]Card
}

// Count returns the count of a hand.
func (c *Coup) Count(h int) int {
	sum := 0
	for _, x := range c.Hands[h] {
		sum += x.Value()
	}
	return sum % 10
}

// First returns the count of the first two cards of a hand.
func (c *Coup) First(h int) int {
	return (c.Hands[h][0].Value() + c.Hands[h][1].Value()) % 10
}

// Size returns how many cards a hand has.
func (c *Coup) Size(h int) int { return len(c.Hands[h]) }

// Cards returns how many cards both hands have.
func (c *Coup) Cards() int { return len(c.Hands[0]) + len(c.Hands[1]) }

// Natural reports whether a hand is a natural.
func (c *Coup) Natural(h int) bool { return len(c.Hands[h]) == 2 && c.First(h) >= 8 }

// Pair reports whether the first two cards of a hand have one rank.
func (c *Coup) Pair(h int) bool { return c.Hands[h][0].Rank() == c.Hands[h][1].Rank() }

// Result compares the counts.
func (c *Coup) Result() schema.Result {
	switch p, b := c.Count(Player), c.Count(Banker); {
	case p > b:
		return schema.ResultPlayer
	case b > p:
		return schema.ResultBanker
	}
	return schema.ResultTie
}

// Dragon7 reports a winning banker hand of three cards with a count of 7.
func (c *Coup) Dragon7() bool {
	return c.Result() == schema.ResultBanker && c.Count(Banker) == 7 && c.Size(Banker) == 3
}

// Panda8 reports a winning player hand of three cards with a count of 8.
func (c *Coup) Panda8() bool {
	return c.Result() == schema.ResultPlayer && c.Count(Player) == 8 && c.Size(Player) == 3
}

// Treasure returns the highest of the 5 Treasures that the round qualifies for.
func (c *Coup) Treasure() schema.Treasure {
	p, b, np, nb := c.Count(Player), c.Count(Banker), c.Size(Player), c.Size(Banker)
	p9, b9 := p == 9 && np == 3, b == 9 && nb == 3
	sevens := p == 7 && b == 7 && np == nb
	switch {
	case c.Dragon7():
		return schema.TreasureFortune7
	case c.Panda8():
		return schema.TreasureGolden8
	case p9 && b9:
		return schema.TreasureHeavenly9Both
	case p9 || b9:
		return schema.TreasureHeavenly9One
	case sevens && np == 3:
		return schema.TreasureBlazing7sThree
	case sevens && np == 2:
		return schema.TreasureBlazing7sTwo
	}
	return schema.TreasureNone
}

// PlayerDraws and BankerDraws are the drawing table for counts that are no naturals. third is the value of the
// player's third card, -1 without one.
func PlayerDraws(p int) bool { return p <= 5 }

// BankerDraws is the banker's part of the drawing table, see PlayerDraws.
func BankerDraws(b, third int) bool {
	switch {
	case third < 0:
		return b <= 5
	case b <= 2:
		return true
	case b == 3:
		return third != 8
	case b == 4:
		return third >= 2 && third <= 7
	case b == 5:
		return third >= 4 && third <= 7
	case b == 6:
		return third == 6 || third == 7
	}
	return false
}

// DealCoup deals a legal round from the front of the cards.
func DealCoup(cards []Card) Coup {
	var c Coup
	c.Hands[Player] = append(make([]Card, 0, 3), cards[0], cards[2])
	c.Hands[Banker] = append(make([]Card, 0, 3), cards[1], cards[3])
	next := cards[4:]
	if c.Natural(Player) || c.Natural(Banker) {
		return c
	}
	third := -1
	if PlayerDraws(c.First(Player)) {
		c.Hands[Player] = append(c.Hands[Player], next[0])
		third = next[0].Value()
		next = next[1:]
	}
	if BankerDraws(c.First(Banker), third) {
		c.Hands[Banker] = append(c.Hands[Banker], next[0])
	}
	return c
}
