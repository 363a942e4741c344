package shoe

import (
	"fmt"
	"math/rand/v2"
)

// Card is a card numbered 1 to 52, suit by suit from the ace of clubs; 0 is a card that was not read.
type Card uint8

const cardTexts = "??" +
	"Ac2c3c4c5c6c7c8c9cTcJcQcKc" +
	"Ad2d3d4d5d6d7d8d9dTdJdQdKd" +
	"Ah2h3h4h5h6h7h8h9hThJhQhKh" +
	"As2s3s4s5s6s7s8s9sTsJsQsKs"

func (c Card) String() string { return cardTexts[2*int(c) : 2*int(c)+2] }

// Rank returns 1 for an ace to 13 for a king.
func (c Card) Rank() int { return (int(c)-1)%13 + 1 }

// Value returns the point value: 0 for tens and face cards.
func (c Card) Value() int {
	if r := c.Rank(); r < 10 {
		return r
	}
	return 0
}

// Turned returns the card of the same rank in the next suit.
func (c Card) Turned() Card { return (c+12)%52 + 1 }

// Burns returns how many further cards are burned after an indicator card.
func (c Card) Burns() int { return min(c.Rank(), 10) }

// ParseCard reads a card such as Ac or Td.
func ParseCard(s string) (Card, error) {
	for c := Card(1); c <= 52; c++ {
		if c.String() == s {
			return c, nil
		}
	}
	return 0, fmt.Errorf("card %q: want a rank of A23456789TJQK and a suit of cdhs", s)
}

// ParseCards reads cards; ?? is a card that was not read.
func ParseCards(texts []string) ([]Card, error) {
	out := make([]Card, len(texts))
	for i, t := range texts {
		if t == "??" {
			continue
		}
		c, err := ParseCard(t)
		if err != nil {
			return nil, err
		}
		out[i] = c
	}
	return out, nil
}

func cardNames(cards []Card) []string {
	out := make([]string, len(cards))
	for i, c := range cards {
		out[i] = c.String()
	}
	return out
}

// NewPack returns a number of decks in new-deck order.
func NewPack(decks uint32) []Card {
	set := make([]Card, 0, 52*decks)
	for range decks {
		for c := Card(1); c <= 52; c++ {
			set = append(set, c)
		}
	}
	return set
}

// Shuffle shuffles the cards in place.
func Shuffle(rng *rand.Rand, cards []Card) {
	rng.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
}
