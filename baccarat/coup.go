package baccarat

import "slices"

// NoThird is the column of the drawing table for a player hand that took no card.
const NoThird uint8 = 10

// DrawingTable decides who takes a third card. Rows are two-card point counts; the banker's columns
// are the value of the player's third card, NoThird last. Naturals come before any cell.
// N.J.A.C. 19:47-3.9, 9 NYCRR 5324.21(h).
type DrawingTable struct {
	Player [10]bool
	Banker [10][11]bool
}

// PlayerDraws reports whether the player hand takes a third card.
func (t *DrawingTable) PlayerDraws(p2, b2 uint8) bool {
	return p2 < 8 && b2 < 8 && t.Player[p2]
}

// BankerDraws reports whether the banker hand takes a third card, given the value of the third card
// taken by the player hand, or NoThird.
func (t *DrawingTable) BankerDraws(p2, b2, third uint8) bool {
	return p2 < 8 && b2 < 8 && t.Banker[b2][third]
}

// BankerAlways reports whether the banker hand takes a third card whatever the player hand took.
func (t *DrawingTable) BankerAlways(b2 uint8) bool {
	return b2 < 8 && !slices.Contains(t.Banker[b2][:10], false)
}

// Coup is a round's cards reduced to the counts that rules need.
type Coup struct {
	// Two-card point counts.
	P2, B2 uint8
	// Final point counts and numbers of cards, as the hands were finally composed.
	P, B   uint8
	NP, NB uint8
	// Value of the third card that stayed in the player hand, NoThird if none.
	Third uint8
	// Whether the first two cards of a hand have one rank.
	PlayerPair, BankerPair bool
	// Faces are the first three cards of the player's and of the banker's hand.
	Faces [2][3]Card
	// Complete is false while a hand has fewer than two cards or has an unread card: such a coup
	// is not judged.
	Complete bool
}

// NewCoup reduces two hands as finally composed, in order of their index.
func NewCoup(player, banker []Card) Coup {
	c := Coup{Third: NoThird, NP: uint8(len(player)), NB: uint8(len(banker))}
	copy(c.Faces[0][:], player)
	copy(c.Faces[1][:], banker)
	if len(player) < 2 || len(banker) < 2 {
		return c
	}
	c.Complete = true
	c.P2, c.P, c.Complete = counts(player, c.Complete)
	c.B2, c.B, c.Complete = counts(banker, c.Complete)
	c.PlayerPair = player[0].Rank() == player[1].Rank()
	c.BankerPair = banker[0].Rank() == banker[1].Rank()
	if len(player) > 2 {
		c.Third = player[2].Value()
	}
	return c
}

func counts(hand []Card, known bool) (two, all uint8, complete bool) {
	for i, card := range hand {
		known = known && card != Unread
		all += card.Value()
		if i == 1 {
			two = all % 10
		}
	}
	return two, all % 10, known
}

// Natural reports whether either hand has 8 or 9 on two cards.
func (c *Coup) Natural() bool { return c.P2 >= 8 || c.B2 >= 8 }

// Result compares the final counts. N.J.A.C. 19:47-3.2(a), 9 NYCRR 5324.21(b)(1).
func (c *Coup) Result() Result {
	switch {
	case c.P > c.B:
		return PlayerWon
	case c.B > c.P:
		return BankerWon
	}
	return Tie
}

// Cards is the number of cards of the round.
func (c *Coup) Cards() int { return int(c.NP) + int(c.NB) }

// Hand is the final count, the two-card count and the number of cards of a hand.
func (c *Coup) Hand(h Hand) (count, two, n uint8) {
	if h == Player {
		return c.P, c.P2, c.NP
	}
	return c.B, c.B2, c.NB
}

// Dragon7 is a winning banker hand of three cards that counts 7.
// 58 Pa. Code 627a.1; the New York text names it without defining it.
func (c *Coup) Dragon7() bool { return c.Result() == BankerWon && c.B == 7 && c.NB == 3 }

// Panda8 is a winning player hand of three cards that counts 8. Source as for Dragon7.
func (c *Coup) Panda8() bool { return c.Result() == PlayerWon && c.P == 8 && c.NP == 3 }

// Treasure is the qualifying event of 5 Treasures. The four kinds exclude one another in every
// round; of the two Heavenly 9 rows both hands outranks one. N.J.A.C. 13:69F-3.2(a)8.
func (c *Coup) Treasure() Treasure {
	p9, b9 := c.P == 9 && c.NP == 3, c.B == 9 && c.NB == 3
	switch {
	case c.Dragon7():
		return Fortune7
	case c.Panda8():
		return Golden8
	case p9 && b9:
		return Heavenly9Both
	case p9 || b9:
		return Heavenly9One
	case c.P == 7 && c.B == 7 && c.NP == c.NB && c.NP == 3:
		return Blazing7sThree
	case c.P == 7 && c.B == 7 && c.NP == c.NB && c.NP == 2:
		return Blazing7sTwo
	}
	return NoTreasure
}

// BonusRow is the row of a dragon bonus pay table that a hand reaches, or how the wager fails.
// 9 NYCRR 5324.21(b)(1)(iv), (c)(7).
type BonusRow uint8

// Rows of the dragon bonus. BonusMargin+n is a win by n, 4 to 9, with a hand that is no natural.
const (
	BonusLost BonusRow = iota
	BonusPush
	BonusNatural
	BonusMargin = 0
)

// DragonBonus finds the row for the selected hand. A natural wins by its own row whatever the
// margin; equal naturals push; a tie that is no natural loses.
func (c *Coup) DragonBonus(h Hand) BonusRow {
	s, s2, n := c.Hand(h)
	o, o2, m := c.Hand(h.Other())
	natural, against := s2 >= 8 && n == 2, o2 >= 8 && m == 2
	switch {
	case natural && against && s == o:
		return BonusPush
	case natural && (!against || s > o):
		return BonusNatural
	case natural || against || s < o+4:
		return BonusLost
	}
	return BonusMargin + BonusRow(s-o)
}
