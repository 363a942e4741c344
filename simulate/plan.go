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
	// again cuts the stack a second time, on the order of a supervisor.
	again *recut
	// ceilEnd rounds the outstanding vigorish up to a unit when it is collected at the end.
	ceilEnd bool
	rounds  []roundPlan
	// rest are the cards that stay in the shoe, for a fault that needs one more.
	rest []card
	// fill is signed for at the end, gone leaves the tray unseen, minor units.
	fill, gone int64
	// prep are the steps up to the first round as they were read back, in place of written ones.
	prep []schema.Event
}

type recut struct {
	seat  uint32 // 0 for the dealer
	depth uint32
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
	// change is a configuration that comes into force before the round, with notice of its topic.
	change *schema.TableConfig
	topic  schema.NoticeTopic
	// news are notices and configurations as they were read back; they are written again.
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
	// found are cards that lie face up in the shoe, with those burned for each: before the round, or
	// after foundAt cards of it.
	found   []stray
	foundAt int
	// slip is a card drawn in error, and carried says that the player's first card is one of the round
	// before.
	slip    *slip
	carried bool
	// toBanker gives that card to the banker's hand; clings keeps the shoe with a curator whose hand
	// lost; passAt passes it after so many cards; handTo hands a hand to a seat, whoever is entitled.
	toBanker, clings bool
	passAt           int
	handTo           [2]uint32
	// gives are rights to squeeze a hand that are given up, bank is the Banker's part.
	gives [2]*give
	bank  *bank
	// bets is the betting as it was read back, in place of a written one.
	bets []schema.Event
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
	// late is placed when no more bets are called; atSettlement is the stake as it then lies, if somebody changed it.
	late         bool
	atSettlement int64
}

// seqs is how many cards left the shoe before each round, and after the last one.
func (s *shoePlan) seqs() []int {
	out := make([]int, 0, len(s.rounds)+1)
	n := len(s.burn)
	for i := range s.rounds {
		out = append(out, n)
		n += s.rounds[i].drawn()
	}
	return append(out, n)
}

// drawn is how many cards leave the shoe for a round, those found face up before it included.
func (r *roundPlan) drawn() int {
	n := r.coup.cards()
	if r.carried {
		n--
	}
	for _, f := range r.found {
		n += 1 + len(f.burned)
	}
	if r.slip != nil && r.slip.kind != slipMoved {
		n += 1 + len(r.slip.burned)
	}
	return n
}

// hideCut puts the cutting card so that it shows in the last round but one, after some of its cards.
func (s *shoePlan) hideCut(total, after int) {
	at := s.seqs()
	k := max(len(s.rounds)-2, 0)
	r := &s.rounds[k]
	s.behind = total - at[k] - min(after, r.drawn()-1)
}
