package shoe

import (
	"github.com/shoeproof/shoeproof/schema"
)

// Round is a round and what happens between it and the round before.
type Round struct {
	Seating     []Seating
	Relief      string // the dealer who takes over, if one does
	PassesShoe  bool   // the curator passes the shoe voluntarily
	Collections []Collection
	// Reconfigured is a configuration that comes into force before the round, with a notice of Topic.
	Reconfigured *schema.TableConfig
	Topic        schema.NoticeTopic
	// Ahead is a configuration that is announced before the round and comes into force later.
	Ahead *Ahead
	// Notices are notices and configurations as they were read back; they are emitted again.
	Notices []schema.Event
	Stakes  []Stake
	Coup    Coup
	// Shuffled are shuffles of the other batch after the round before, as they were read back; they are emitted again.
	Shuffled []schema.Event
	// BankerFirst deals the banker's third card before the player's, InRow both cards of a hand one after the other.
	// Ascending pays the lowest seat first, PairsApart pays the pairs after all other wagers.
	BankerFirst, InRow, Ascending, PairsApart bool
	// EndedFirst emits round_ended before the settlement.
	EndedFirst bool
	// SideBetsFirst announces side bets before the winner.
	SideBetsFirst bool
	// VigorishTogether collects the vigorish of a seat's wagers in one event.
	VigorishTogether bool
	Void             schema.VoidCause
	// FaceUp are cards that lie face up in the shoe, before the round or after FaceUpAt cards of it.
	FaceUp   []FaceUpCard
	FaceUpAt int
	// Misdraw is a card drawn in error. Carried: the player's first card was carried over from the round before.
	Misdraw *Misdraw
	Carried bool
	// CarriedToBanker deals the carried card to the banker's hand. KeepsShoe leaves the shoe with a curator whose
	// banker hand lost. PassAt passes it after so many cards. HandTo gives a hand to a seat whether entitled or not.
	CarriedToBanker, KeepsShoe bool
	PassAt                     int
	HandTo                     [2]uint32
	// Relinquished are the relinquished rights to turn over a hand, Bank is the Banker's part.
	Relinquished [2]*Relinquishment
	Bank         *Bank
	// Bets are the events of the betting as they were read back; nil to write them from the plan.
	Bets []schema.Event
}

// Ahead is a configuration that is announced before it comes into force, with a notice of Topic.
type Ahead struct {
	Config schema.TableConfig
	Topic  schema.NoticeTopic
	// Replaced is announced first for the same time, and replaced.
	Replaced *schema.TableConfig
}

// Seating is a patron who sits down or leaves.
type Seating struct {
	Seat   uint32
	Patron string
	Leaves bool
}

// Collection collects outstanding vigorish from a seat: Markers of its markers, 0 for all.
type Collection struct {
	Seat    uint32
	Markers int
}

// cardsDrawn returns how many cards leave the shoe for the round, cards found face up included.
func (r *Round) cardsDrawn() int {
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

// EntitledSeat returns the seat that may turn over a hand, 0 for the dealer: the highest stake on the hand, and
// the first counterclockwise of equal stakes. 9 NYCRR 5324.21(f)(3)(ii).
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
