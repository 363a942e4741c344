package simulate

import (
	"fmt"
	"math/rand/v2"

	"github.com/shoeproof/shoeproof/schema"
)

// card is 1 to 52, suit by suit from the ace of clubs; 0 is a card nobody read.
type card uint8

const cardNames = "??" +
	"Ac2c3c4c5c6c7c8c9cTcJcQcKc" +
	"Ad2d3d4d5d6d7d8d9dTdJdQdKd" +
	"Ah2h3h4h5h6h7h8h9hThJhQhKh" +
	"As2s3s4s5s6s7s8s9sTsJsQsKs"

func (c card) String() string { return cardNames[2*int(c) : 2*int(c)+2] }

func (c card) rank() int { return (int(c)-1)%13 + 1 }

func (c card) value() int {
	if r := c.rank(); r < 10 {
		return r
	}
	return 0
}

// turned is the same rank in the next suit.
func (c card) turned() card { return (c+12)%52 + 1 }

// burns is how many further cards an indicator burns.
func (c card) burns() int { return min(c.rank(), 10) }

func parseCard(s string) (card, error) {
	for c := card(1); c <= 52; c++ {
		if c.String() == s {
			return c, nil
		}
	}
	return 0, fmt.Errorf("card %q: want a rank of A23456789TJQK and a suit of cdhs", s)
}

func names(cards []card) []string {
	out := make([]string, len(cards))
	for i, c := range cards {
		out[i] = c.String()
	}
	return out
}

// fullSet is a number of decks in new-deck order.
func fullSet(decks uint32) []card {
	set := make([]card, 0, 52*decks)
	for range decks {
		for c := card(1); c <= 52; c++ {
			set = append(set, c)
		}
	}
	return set
}

func shuffle(rng *rand.Rand, cards []card) {
	rng.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
}

const (
	player = iota
	banker
)

func handWord(h int) schema.Hand { return schema.Hand(h + 1) }

// coup is the two hands of a round as they finally lie.
type coup struct {
	hands [2][]card
}

func (c *coup) count(h int) int {
	sum := 0
	for _, x := range c.hands[h] {
		sum += x.value()
	}
	return sum % 10
}

// first is the two-card count of a hand.
func (c *coup) first(h int) int {
	return (c.hands[h][0].value() + c.hands[h][1].value()) % 10
}

func (c *coup) size(h int) int { return len(c.hands[h]) }

func (c *coup) cards() int { return len(c.hands[0]) + len(c.hands[1]) }

func (c *coup) natural(h int) bool { return len(c.hands[h]) == 2 && c.first(h) >= 8 }

func (c *coup) pair(h int) bool { return c.hands[h][0].rank() == c.hands[h][1].rank() }

func (c *coup) result() schema.Result {
	switch p, b := c.count(player), c.count(banker); {
	case p > b:
		return schema.ResultPlayer
	case b > p:
		return schema.ResultBanker
	}
	return schema.ResultTie
}

func (c *coup) dragon7() bool {
	return c.result() == schema.ResultBanker && c.count(banker) == 7 && c.size(banker) == 3
}

func (c *coup) panda8() bool {
	return c.result() == schema.ResultPlayer && c.count(player) == 8 && c.size(player) == 3
}

func (c *coup) treasure() schema.Treasure {
	p, b, np, nb := c.count(player), c.count(banker), c.size(player), c.size(banker)
	p9, b9 := p == 9 && np == 3, b == 9 && nb == 3
	sevens := p == 7 && b == 7 && np == nb
	switch {
	case c.dragon7():
		return schema.TreasureFortune7
	case c.panda8():
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

// playerDraws and bankerDraws are the drawing table; third is the value of the player's third card,
// -1 if it took none. Naturals are asked before.
func playerDraws(p int) bool { return p <= 5 }

func bankerDraws(b, third int) bool {
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

// dealCoup deals a legal round from the front of the cards.
func dealCoup(cards []card) coup {
	var c coup
	c.hands[player] = append(make([]card, 0, 3), cards[0], cards[2])
	c.hands[banker] = append(make([]card, 0, 3), cards[1], cards[3])
	next := cards[4:]
	if c.natural(player) || c.natural(banker) {
		return c
	}
	third := -1
	if playerDraws(c.first(player)) {
		c.hands[player] = append(c.hands[player], next[0])
		third = next[0].value()
		next = next[1:]
	}
	if bankerDraws(c.first(banker), third) {
		c.hands[banker] = append(c.hands[banker], next[0])
	}
	return c
}
