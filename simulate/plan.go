package simulate

import "github.com/shoeproof/shoeproof/schema"

// A shoePlan is everything about a shoe that is not a consequence of something else in it.
type shoePlan struct {
	id     string
	offers []offer // of the cut, in order
	cutBy  uint32  // seat, 0 for the dealer
	depth  uint32
	laced  uint32
	// behind is how many cards lie behind the first cutting card.
	behind int
	// burn is the indicator and the cards burned with it.
	burn []card
	// shy are the seats that decline to be curator; keep leaves the last curator in office.
	shy  []uint32
	keep bool
	// ceilEnd rounds the outstanding vigorish up to a unit when it is collected at the end.
	ceilEnd bool
	rounds  []roundPlan
	// rest are the cards that stay in the shoe, for a fault that needs one more.
	rest []card
	// prep are the steps up to the first round as they were read back, in place of written ones.
	prep []schema.Event
}

type offer struct {
	seat     uint32
	accepted bool
}

// A roundPlan is a round and what happens between it and the one before.
type roundPlan struct {
	seating []seating
	relief  string // a dealer who takes over
	pass    bool   // the curator passes the shoe of his own will
	collect []collection
	// news are notices and configurations, written as they are; a configuration is in force from then.
	news   []schema.Event
	stakes []stake
	coup   coup
	// bankerFirst deals the banker's third card before the player's, inRow both cards of a hand one
	// after the other; upward pays the lowest seat first, apart the pairs in a pass of their own.
	bankerFirst, inRow, upward, apart bool
	// endedFirst records the result before the settlement.
	endedFirst bool
	// sideFirst calls side bets before the winner.
	sideFirst bool
	// together takes the vigorish of a seat's wagers in one step.
	together bool
	void     schema.VoidCause
	// bets is the betting as it was read back, in place of a written one; settled and sided say
	// that money moved, and that a side bet was called, so far.
	bets           []schema.Event
	settled, sided bool
}

type seating struct {
	seat   uint32
	patron string
	leaves bool
}

// collection takes outstanding vigorish from a seat; marks is how many of its marks, 0 for all.
type collection struct {
	seat  uint32
	marks int
}

type stake struct {
	id     string
	seat   uint32
	patron string
	spot   schema.Spot
	name   string
	// amount is what is settled, coupon and change included; changed is by how much it was raised, or
	// lowered, after it was placed.
	amount, coupon, changed int64
	medium                  schema.WagerMedium
	// from is the spot from which the wager was moved; a withdrawn one is not settled.
	from      schema.Spot
	withdrawn bool
	// marks defers the vigorish; exact leaves it unrounded where that can be paid.
	marks, exact bool
	// taken is the vigorish that was read back.
	taken int64
	// forced settles the wager as out, with pays if it won, whatever the cards say.
	forced bool
	out    outcome
	pays   int64
	// charge is the vigorish to take whatever is due; below 0 none is taken.
	charge int64
}

// seqs is how many cards left the shoe before each round's first card, and after the last one.
func (s *shoePlan) seqs() []int {
	out := make([]int, 0, len(s.rounds)+1)
	n := len(s.burn)
	for i := range s.rounds {
		out = append(out, n)
		n += s.rounds[i].coup.cards()
	}
	return append(out, n)
}

// hideCut puts the cutting card so that it shows in the last round but one, after some of its cards.
func (s *shoePlan) hideCut(total, after int) {
	at := s.seqs()
	k := max(len(s.rounds)-2, 0)
	s.behind = total - at[k] - min(after, s.rounds[k].coup.cards()-1)
}
