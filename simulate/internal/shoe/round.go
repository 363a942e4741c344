package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

// A roundPlan is a round and what happens between it and the one before.
type Round struct {
	Seating     []Seating
	Relief      string // a dealer who takes over
	PassesShoe  bool   // the curator passes the shoe of his own will
	Collections []Collection
	// Reconfigured is a configuration that comes into force before the round, with notice of its topic.
	Reconfigured *schema.TableConfig
	Topic        schema.NoticeTopic
	// Notices are notices and configurations as they were read back; they are written again.
	Notices []schema.Event
	Stakes  []Stake
	Coup    Coup
	// BankerFirst deals the banker's third card before the player's, inRow both cards of a hand one
	// after the other; upward pays the lowest seat first, apart the pairs in a pass of their own.
	BankerFirst, InRow, Ascending, PairsApart bool
	// EndedFirst records the result before the settlement.
	EndedFirst bool
	// SideBetsFirst calls side bets before the winner.
	SideBetsFirst bool
	// VigorishTogether takes the vigorish of a seat's wagers in one step.
	VigorishTogether bool
	Void             schema.VoidCause
	// FaceUp are cards that lie face up in the shoe, with those burned for each: before the round, or
	// after foundAt cards of it.
	FaceUp   []FaceUpCard
	FaceUpAt int
	// Misdraw is a card drawn in error, and carried says that the player's first card is one of the round
	// before.
	Misdraw *Misdraw
	Carried bool
	// CarriedToBanker gives that card to the banker's hand; clings keeps the shoe with a curator whose hand
	// lost; passAt passes it after so many cards; handTo hands a hand to a seat, whoever is entitled.
	CarriedToBanker, KeepsShoe bool
	PassAt                     int
	HandTo                     [2]uint32
	// Relinquished are rights to squeeze a hand that are given up, bank is the Banker's part.
	Relinquished [2]*Relinquishment
	Bank         *Bank
	// Bets is the betting as it was read back, in place of a written one.
	Bets []schema.Event
}

type Seating struct {
	Seat   uint32
	Patron string
	Leaves bool
}

// Collection takes outstanding vigorish from a seat; marks is how many of its marks, 0 for all.
type Collection struct {
	Seat    uint32
	Markers int
}

// CardsDrawn is how many cards leave the shoe for a round, those found face up before it included.
func (r *Round) CardsDrawn() int {
	n := r.Coup.Cards()
	if r.Carried {
		n--
	}
	for _, f := range r.FaceUp {
		n += 1 + len(f.Burned)
	}
	if r.Misdraw != nil && r.Misdraw.Remedy != MovedToBanker {
		n += 1 + len(r.Misdraw.Burned)
	}
	return n
}

// EntitledSeat is the seat to which a hand goes to be turned over, 0 for the dealer: the highest stake on
// it, of equals the one met first counterclockwise. 9 NYCRR 5324.21(f)(3)(ii).
func (r *Round) EntitledSeat(h int) uint32 {
	var sums [16]int64
	spot := schema.SpotPlayer
	if h == Banker {
		spot = schema.SpotBanker
	}
	for i := range r.Stakes {
		if st := &r.Stakes[i]; st.Spot == spot && !st.Withdrawn && int(st.Seat) < len(sums) {
			sums[st.Seat] += st.Amount - st.Coupon
		}
	}
	best := uint32(0)
	for seat, sum := range sums {
		if sum > sums[best] {
			best = uint32(seat)
		}
	}
	return best
}
