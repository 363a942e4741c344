package shoe

import (
	"slices"

	"github.com/shoeproof/shoeproof/schema"
)

// Plan is everything about a shoe that does not follow from something else in it.
type Plan struct {
	ID        string
	CutOffers []Offer // of the cut, in order
	CutBy     uint32  // seat, 0 for the dealer
	CutDepth  uint32
	Laced     uint32
	// Behind is the number of cards behind the first cutting card.
	Behind int
	// Burn is the indicator and the cards burned with it.
	Burn []Card
	// Declining are the seats that decline to be curator. KeepsCurator: the curator of the last shoe continues.
	Declining    []uint32
	KeepsCurator bool
	// Recut is a second cut of the stack on the order of a supervisor.
	Recut *Recut
	// RoundsUpOutstanding: the outstanding vigorish is rounded up to a unit when it is collected at the end.
	RoundsUpOutstanding bool
	Rounds              []Round
	// Rest are the cards that stay in the shoe.
	Rest []Card
	// Fill is signed for at the end of the shoe, Missing leaves the tray without a record, minor units.
	Fill, Missing int64
	// Preparation are the events up to the first round as they were read back; nil to write them from the plan.
	Preparation []schema.Event
}

// Recut is a second cut of the stack.
type Recut struct {
	Seat  uint32 // 0 for the dealer
	Depth uint32
	// After is how many of the steps that follow a cut were done when it was ordered: the front cards moved to the back,
	// the cutting cards placed, the shoe loaded, the opening burn.
	After int
	// Burn is the opening burn after the second cut, if the first one came before it.
	Burn []Card
}

// Offer offers the cut, the shoe or a hand to a seat.
type Offer struct {
	Seat     uint32
	Accepted bool
}

// Burned are the cards of the opening burns.
func (s *Plan) Burned() []Card {
	if s.Recut == nil {
		return s.Burn
	}
	return slices.Concat(s.Burn, s.Recut.Burn)
}

// CardsBefore returns how many cards left the shoe before each round, and after the last one.
func (s *Plan) CardsBefore() []int {
	out := make([]int, 0, len(s.Rounds)+1)
	n := len(s.Burned())
	for i := range s.Rounds {
		out = append(out, n)
		n += s.Rounds[i].cardsDrawn()
	}
	return append(out, n)
}

// PlaceCuttingCard places the first cutting card so that it appears in the last round but one, after some of its
// cards.
func (s *Plan) PlaceCuttingCard(total, after int) {
	at := s.CardsBefore()
	k := max(len(s.Rounds)-2, 0)
	r := &s.Rounds[k]
	s.Behind = total - at[k] - min(after, r.cardsDrawn()-1)
}

// AddRound appends a round with the wagers of the last one.
func (s *Plan) AddRound() {
	last := &s.Rounds[len(s.Rounds)-1]
	next := *last
	next.Seating, next.Relief, next.PassesShoe, next.Collections, next.Notices, next.Bets = nil, "", false, nil, nil,
		nil
	next.Reconfigured, next.Ahead, next.FaceUp, next.Misdraw, next.Carried, next.Void = nil, nil, nil, nil, false,
		schema.VoidCauseUnspecified
	next.Stakes = slices.Clone(last.Stakes)
	for i := range next.Stakes {
		next.Stakes[i].ID += "+"
		next.Stakes[i].VigorishRead = 0
	}
	s.Rounds = append(s.Rounds, next)
}
