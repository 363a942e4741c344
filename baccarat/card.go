package baccarat

import "fmt"

// Card is a playing card of one of the four suits, or Unread. The zero value is Unread.
type Card uint8

// Unread is a card that was not read ("??").
const Unread Card = 0

const (
	ranks = "A23456789TJQK"
	suits = "cdhs"
)

// NewCard returns the card of a rank (1 is the ace, 13 the king) and a suit (0 to 3, clubs,
// diamonds, hearts, spades).
func NewCard(rank, suit uint8) Card { return Card(suit*13 + rank) }

// ParseCard reads a card such as "Kh", or "??" for Unread.
func ParseCard(s string) (Card, error) {
	if s == "??" {
		return Unread, nil
	}
	if len(s) == 2 {
		for r := range uint8(13) {
			if ranks[r] != s[0] {
				continue
			}
			for u := range uint8(4) {
				if suits[u] == s[1] {
					return NewCard(r+1, u), nil
				}
			}
		}
	}
	return Unread, fmt.Errorf("card %q: want a rank of %s and a suit of %s, or ??", s, ranks, suits)
}

func (c Card) String() string { return string(c.Append(nil)) }

// Append writes the card's two characters.
func (c Card) Append(dst []byte) []byte {
	if c == Unread {
		return append(dst, '?', '?')
	}
	return append(dst, ranks[c.Rank()-1], suits[c.Suit()])
}

// Rank is 1 for an ace to 13 for a king, 0 for an unread card.
func (c Card) Rank() uint8 {
	if c == Unread {
		return 0
	}
	return uint8(c-1)%13 + 1
}

// Suit is 0 to 3: clubs, diamonds, hearts, spades.
func (c Card) Suit() uint8 {
	if c == Unread {
		return 0
	}
	return uint8(c-1) / 13
}

// Red reports whether the suit is diamonds or hearts.
func (c Card) Red() bool { return c.Suit() == 1 || c.Suit() == 2 }

// Value is what the card counts in a hand: ace 1, 2 to 9 their face, tens and faces 0.
// N.J.A.C. 19:47-3.1(b), 9 NYCRR 5324.21(a)(4)(ii).
func (c Card) Value() uint8 {
	if r := c.Rank(); r < 10 {
		return r
	}
	return 0
}

// BurnValue is how many further cards an indicator card burns: ace 1, tens and faces 10.
// It is not the value in a hand. N.J.A.C. 19:47-3.5(d), 9 NYCRR 5324.21(e).
func (c Card) BurnValue() int { return int(min(c.Rank(), 10)) }
