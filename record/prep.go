package record

import (
	"slices"
	"strings"

	"github.com/shoeproof/shoeproof/baccarat"
)

// Batch is a set of decks at a table and what was done with it before its first shuffle. A zero Seq
// means that a step was not reported.
type Batch struct {
	ID          string
	Received    Seq
	Decks       uint32
	BackColor   string
	BackDesign  string
	PreShuffled bool

	// Reinspected is the latest inspection, if it came after a step that follows the first one.
	Inspected   Seq
	Reinspected Seq `cbor:",omitempty"`
	InspectedBy string
	// InspectedAs is the role of the inspector; Calling and Floor are who was assigned to the table then.
	InspectedAs    baccarat.Role
	Calling, Floor string
	NewDeckOrder   bool
	Missing        int
	Extra          int
	Verified       Seq
	VerifiedBy     string
	VerifierRole   baccarat.Role
	Spread         Seq
	SpreadFace     baccarat.Face
	Columns        bool
	Arranged       bool // it was reported whether in columns or rows
	InSequence     bool
	Viewed         Seq
	Viewers        uint32
	Washed         Seq
	WashFace       baccarat.Face
	Stacked        Seq
	// Shuffled is the first shuffle, Reshuffled the latest one.
	Shuffled, Reshuffled Seq
	// Dealt is the first card of the first shoe that has them.
	Dealt Seq
	// Receipts is how often cards were received under the id, Backs the backs of all of them.
	Receipts int
	Backs    []Back
	// Counts are the decks of each receipt of the cards that are not dealt yet, 64 at most, also of those that repeat the
	// one before. It is empty if there is one.
	Counts []uint32 `cbor:",omitempty"`
}

// MaxCounts is how many receipts of a batch are counted.
const MaxCounts = 64

// MayHave reports whether as many decks as a number may be those received. A receipt with the content of the one before
// it repeats that one, or is of further decks alike; of several receipts decks may have been taken out again.
func (b *Batch) MayHave(decks uint32) bool {
	counts, sum := b.Counts, uint32(0)
	switch {
	case len(counts) > 0:
	case len(b.Backs) > 1:
		return true // a snapshot of an earlier version has none
	default:
		counts = []uint32{b.Decks}
	}
	for _, n := range counts {
		if n == 0 || len(counts) == MaxCounts {
			return true // not reported
		}
		if sum += n; sum == decks {
			return true
		}
	}
	return len(b.Backs) > 1 && decks < sum
}

// Back is the back of a card.
type Back struct{ Color, Design string }

// HasBack reports whether a deck with such a back was received. A design that was not reported may be any.
func (b *Batch) HasBack(back Back) bool {
	return slices.ContainsFunc(b.Backs, func(o Back) bool {
		return o.Color == back.Color && (o.Design == back.Design || o.Design == "" || back.Design == "")
	})
}

// BatchAt is the latest report of where a batch is.
type BatchAt struct {
	Seq       Seq
	ID        string
	Decks     uint32
	BackColor string
	State     BatchState
}

// BatchState is where a batch is.
type BatchState uint8

// States of a batch.
const (
	NoBatchState BatchState = iota
	BatchInPlay
	BatchInShuffler
	BatchInRack
)

// Preparation is how a shoe was made ready.
type Preparation struct {
	Shuffles   []Shuffle
	Laced      []Laced
	Offers     []CutOffer
	Cuts       []Cut
	Recuts     []Recut
	Transposed []Change
	Cutcards   []PlacedCutcard
	// Loads are the times that the stack was put into the shoe.
	Loads []Seq
	// Occupied are the occupied seats when the stack was first offered, ascending.
	Occupied []uint32
	// First means that the shoe is the table's first since it opened; LastDealer is the seat of the
	// last curator, or of the Banker, of the shoe before, LastToDeal the seat that dealt its last card. LastKept means
	// that the banker hand lost the last round of that shoe, and that its curator did not pass it.
	First                  bool
	LastDealer, LastToDeal uint32
	LastKept               bool
	// BatchBefore is the batch of the shoe before, VoidBefore that its last round was void for want
	// of cards.
	BatchBefore string
	VoidBefore  Seq
	// CardBefore is the last card of the shoe before.
	CardBefore Seq
	// Before is the order of the cards of the shoe before.
	Before []baccarat.Card
	// Washed is a wash of the batch that was reported after the first card of the shoe.
	Washed Seq `cbor:",omitempty"`
}

// Shuffle is a shuffling step. Neither Device nor ByHand means that the method was not reported.
type Shuffle struct {
	Seq            Seq
	Batch          string
	AfterLacing    bool
	Device, ByHand bool
}

// Laced is the lacing of one deck into the stack.
type Laced struct {
	Seq    Seq
	Cards  uint32
	Uneven bool
}

// CutOffer is the stack offered to a participant.
type CutOffer struct {
	Seq       Seq
	Seat      uint32
	Accepted  bool
	BacksAway bool
}

// Act is something that the texts give to the dealer, done by somebody else: by another dealer, if they give it to the
// dealer calling the game. Of acts by another dealer or an unknown role only the first is kept.
type Act struct {
	Seq   Seq
	Role  baccarat.Role
	Round uint32
	What  string
	// Call is the code of a call.
	Call baccarat.Code `cbor:",omitempty"`
	// Spot is the spot of a wager that was paid.
	Spot baccarat.Spot `cbor:",omitempty"`
}

// OpeningBurn is What of the burn before the first round.
const OpeningBurn = "opening burn"

// Cut is a cut of the stack.
type Cut struct {
	Seq          Seq
	By           baccarat.Role
	Seat         uint32
	Depth, Stack uint32
}

// Named reports whether it was reported who cut.
func (c *Cut) Named() bool {
	return c.By == baccarat.RoleDealer || c.By != baccarat.NoRole && c.Seat != 0
}

// Recut is an order to cut again. Late means that it came after a card of the shoe, Burned after the
// opening burn.
type Recut struct {
	Seq          Seq
	By           baccarat.Role
	Reason       string
	Late, Burned bool
}

// PlacedCutcard is a cutting card put into the stack.
type PlacedCutcard struct {
	Seq    Seq
	Which  uint32
	Behind uint32
}

// reset empties a preparation and keeps its storage.
func (p *Preparation) reset() {
	*p = Preparation{
		Shuffles: p.Shuffles[:0], Laced: p.Laced[:0], Offers: p.Offers[:0], Cuts: p.Cuts[:0], Recuts: p.Recuts[:0],
		Transposed: p.Transposed[:0], Cutcards: p.Cutcards[:0], Occupied: p.Occupied[:0], Before: p.Before[:0],
		Loads: p.Loads[:0],
	}
}

// BeginAgain leaves of a preparation that was begun again what was done since: the stack was shuffled, laced and cut
// again, so that nothing of what was done before lasts. It was not begun again once a card had left the shoe.
func (s *Shoe) BeginAgain() {
	p := &s.Prep
	// The first shuffle of the preparation that lasts, the latest step before it, and the latest shuffle.
	var anew, before, shuffled Seq
	for _, h := range p.Shuffles {
		if h.AfterLacing {
			continue
		}
		last, burned := p.lastStep(h.Seq), len(s.OrderAt) > 0 && s.OrderAt[0] < h.Seq
		if shuffled != 0 && last > shuffled && !burned {
			before, anew = last, h.Seq
		}
		shuffled = h.Seq
	}
	lacedAnew := slices.ContainsFunc(p.Laced, func(l Laced) bool { return l.Seq > anew })
	if before == 0 || !lacedAnew || !slices.ContainsFunc(p.Cuts, func(c Cut) bool { return c.Seq > anew }) {
		return
	}
	p.Shuffles = slices.DeleteFunc(p.Shuffles, func(h Shuffle) bool { return h.Seq < before })
	p.Laced = slices.DeleteFunc(p.Laced, func(l Laced) bool { return l.Seq <= before })
	p.Offers = slices.DeleteFunc(p.Offers, func(o CutOffer) bool { return o.Seq <= before })
	p.Cuts = slices.DeleteFunc(p.Cuts, func(c Cut) bool { return c.Seq <= before })
	p.Recuts = slices.DeleteFunc(p.Recuts, func(r Recut) bool { return r.Seq <= before })
	p.Transposed = slices.DeleteFunc(p.Transposed, func(t Change) bool { return t.Seq <= before })
	p.Cutcards = slices.DeleteFunc(p.Cutcards, func(c PlacedCutcard) bool { return c.Seq <= before })
	p.Loads = slices.DeleteFunc(p.Loads, func(l Seq) bool { return l <= before })
}

// lastStep is the latest step after the shuffle of a preparation that came before an event, 0 if there is none.
func (p *Preparation) lastStep(at Seq) (last Seq) {
	note := func(seq Seq) {
		if seq < at {
			last = max(last, seq)
		}
	}
	for _, l := range p.Laced {
		note(l.Seq)
	}
	for _, o := range p.Offers {
		note(o.Seq)
	}
	for _, c := range p.Cuts {
		note(c.Seq)
	}
	for _, r := range p.Recuts {
		note(r.Seq)
	}
	for _, t := range p.Transposed {
		note(t.Seq)
	}
	for _, c := range p.Cutcards {
		note(c.Seq)
	}
	for _, l := range p.Loads {
		note(l)
	}
	return last
}

// CutAfter reports whether a cut was made after an event.
func (p *Preparation) CutAfter(at Seq) bool { return len(p.Cuts) > 0 && p.Cuts[len(p.Cuts)-1].Seq > at }

// LastRecut is the latest order to cut again before the first card that was followed by a cut, 0 if there was none:
// without a cut, what was done before the order stands.
func (p *Preparation) LastRecut() Seq {
	for _, r := range slices.Backward(p.Recuts) {
		if !r.Late && p.CutAfter(r.Seq) {
			return r.Seq
		}
	}
	return 0
}

// Remedied reports whether the stack was cut again after a step, on order.
func (p *Preparation) Remedied(step Seq) bool {
	return slices.ContainsFunc(p.Recuts, func(r Recut) bool {
		return r.Seq > step && slices.ContainsFunc(p.Cuts, func(c Cut) bool { return c.Seq > r.Seq })
	})
}

// CuratorStep is an offer, an assignment or a release of the shoe.
type CuratorStep struct {
	Seq  Seq
	Kind CuratorKind
	Seat uint32
	// Accepted is for offers; Cause, Ground and By for releases.
	Accepted bool
	Cause    PassCause
	Ground   string
	By       baccarat.Role
	// InRound means that a round was in progress, Round which one it was, or which one came before.
	InRound bool
	Round   uint32
	// Occupied are the occupied seats at an offer or an assignment, ascending.
	Occupied []uint32
}

// CuratorKind is a kind of curator step.
type CuratorKind uint8

// Curator steps.
const (
	CuratorOffered CuratorKind = iota
	CuratorAssigned
	CuratorPassed
)

// PassCause is why a right was given up; the numbers are the contract's.
type PassCause uint8

// Causes.
const (
	NoCause PassCause = iota
	PassVoluntary
	PassBankerLost
	PassOrdered
)

// FoundFaceUp is a card found face up in the shoe, and the burn that followed.
type FoundFaceUp struct {
	Seq         Seq
	CardSeq     uint32
	Card        baccarat.Card
	Destination string
	// AmongBurned means that a burn had already taken the card out of the shoe.
	AmongBurned bool
	// Burn is the index of the burn that answers it in Shoe.Burns, -1 while none does.
	Burn  int
	Round uint32
}

// Squeeze is a step of handing cards to a patron.
type Squeeze struct {
	Seq  Seq
	Kind SqueezeKind
	// Occupied are the occupied seats, ascending.
	Occupied []uint32
	Hand     baccarat.Hand
	Seat     uint32
	Cards    []uint32
	Face     baccarat.Face
	Accepted bool
	Cause    PassCause
	Ground   string
	By       baccarat.Role // who ordered it, or a spectator who returned the cards
}

// SqueezeKind is a kind of squeeze step.
type SqueezeKind uint8

// Squeeze steps.
const (
	SqueezeHanded SqueezeKind = iota
	SqueezeReturned
	SqueezeOffered
	SqueezeRelinquished
)

// Move is a card moved on the layout.
type Move struct {
	Seq     Seq
	CardSeq uint32
	To      MovePlace
}

// MovePlace is where a card was moved; the numbers are the contract's.
type MovePlace uint8

// Places to which a card is moved.
const (
	NoMovePlace MovePlace = iota
	MovedToPlayer
	MovedToBanker
	MovedUnderShoe
	MovedToLayout
)

// Hand is the hand to which the card was moved, NoHand if it was put elsewhere.
func (m *Move) Hand() baccarat.Hand {
	switch m.To {
	case MovedToPlayer:
		return baccarat.Player
	case MovedToBanker:
		return baccarat.Banker
	case NoMovePlace, MovedUnderShoe, MovedToLayout:
	}
	return baccarat.NoHand
}

// Discarded is cards put away, by their numbers.
type Discarded struct {
	Seq         Seq
	Cards       []uint32
	Destination string
	InOrder     bool
}

// ToRack reports whether cards were put into a discard rack.
func ToRack(destination string) bool {
	const rack = "rack"
	for i := range max(len(destination)-len(rack)+1, 0) {
		if strings.EqualFold(destination[i:i+len(rack)], rack) {
			return true
		}
	}
	return false
}

// Bid is a bid for the bank in chemin de fer, or its acceptance.
type Bid struct {
	Seq      Seq
	Seat     uint32
	Amount   int64
	Assigned bool
}

// Banco is a call of a participant in chemin de fer.
type Banco struct {
	Seq  Seq
	Seat uint32
	Call BancoCall
}

// BancoCall is what was called; the numbers are the contract's.
type BancoCall uint8

// Calls.
const (
	NoBancoCall BancoCall = iota
	Suivi
	Seul
	BancoOnly
)

// Opened is the opening of the wagers against the Banker: to whom, and who was at the table and left out.
type Opened struct {
	Seq            Seq
	Seats, LeftOut []uint32
}

// BankRound is a round of chemin de fer as the next ones look back on it.
type BankRound struct {
	No      uint32
	Banker  uint32
	Amount  int64
	Result  baccarat.Result
	Against []SeatChange
	// Unreported means that money moved for a wager that is not on record, that events of the round are missing, or that
	// the Banker had several wagers: what he wagered is not known.
	Unreported bool
	// Patron is the Banker, if known. Begins means that another patron has the seat of the Banker before.
	Patron string
	Begins bool
	// Changed means that the Banker's wager was changed after a wager against it, or that its banco was of less:
	// whether it was equaled is open.
	Changed bool
	// Equaled is the participant whose wagers equaled the Banker's, if known. Wagers of unknown patrons are those of a
	// seat.
	Equaled string
}
