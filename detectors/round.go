package detectors

import (
	"sync"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// Place is where and when something was seen.
type Place struct {
	Property, Pit, Table, Shoe string
	// Round is 0 for what concerns the shoe.
	Round uint32
	// At is event time, ns UTC; Seq the table's event.
	At  int64
	Seq record.Seq
}

// Shoe is a shoe as detectors see it, at its beginning and at its end.
type Shoe struct {
	Place
	Dealer string
	// Batch is the set of cards, Shuffler the device that shuffled it; empty if unknown.
	Batch, Shuffler string
	Decks           int
	// Before are the cards of the table's shoe before this one in the order in which they were dealt. Empty if unknown.
	Before []Card
	// Left is what was never seen, at the end; Read how many cards were.
	Left exact.Composition
	Read int
	// Whole says that every card which left the shoe is accounted for, read or not.
	Whole bool
	// Frozen says that something is wrong with the feed: nothing is weighed.
	Frozen bool
}

// Round is a round as detectors see it: what was known before its first card, and what came of it. The host of the
// detectors owns it and its lists; a detector keeps none of them.
type Round struct {
	Place
	Dealer string
	// Shuffler and Reader are the devices that shuffled the shoe and read the cards.
	Batch, Shuffler, Reader string
	// Locked, First and Ended are when no more bets were taken, the first card was dealt and the round ended; 0 if
	// unknown.
	Locked, First, Ended int64
	Decks                int
	// Left are the cards not seen before the first card, burned and cut off ones included.
	Left exact.Composition
	// Odds are the round's probabilities by Left; nil when unknown or when hands are drawn by choice.
	Odds  *exact.Odds
	Offer *Offer
	// Cards are those that left the shoe, in order. Coup is what they came to; Played is false for a round that was
	// void, lacks events or cards, or was not dealt from the shoe alone.
	Cards  []Card
	Coup   baccarat.Coup
	Played bool
	Wagers []Wager
	// Breaches are findings of the rules of draw, deal, burn, cut and order about the round.
	Breaches int
	// Frozen says that a finding about the quality of the feed is open: nothing is weighed but the feed itself.
	Frozen bool
}

// Card is a card as it left the shoe.
type Card struct {
	Card baccarat.Card
	// Hand is NoHand for a card that was burned.
	Hand  baccarat.Hand
	Index uint8
}

// Wager is a stake on a spot, in the order of placing.
type Wager struct {
	ID string
	// Patron is a keyed hash, empty if unknown.
	Patron string
	Seat   uint32
	Spot   baccarat.Spot
	// Stake is in minor units. Placed is when it was placed or last raised.
	Stake  int64
	Placed int64
	// Late says that it was placed or raised after the first card.
	Late bool
	// Ruled is what the law makes of it, Done what was done; Due and Paid are the winnings, minor units.
	Ruled, Done baccarat.Disposition
	Due, Paid   int64
	// VigDue is the vigorish owed at least, VigTaken what was marked or taken.
	VigDue, VigTaken int64
	// AtLock and AtSettlement are the stake as read by a device, when HasReads.
	AtLock, AtSettlement int64
	HasReads             bool
}

// Tray is what happened to a chip tray between two counts, minor units.
type Tray struct {
	Place
	Dealer          string
	Open, Close     int64
	Fills, Credits  int64
	Won, Paid, Vigs int64 // losing stakes taken, winnings paid, vigorish taken
	// Whole says that no event of the interval is missing, Frozen as for a round.
	Whole, Frozen bool
}

// Offer is what a table offers: the probabilities' kernel and the terms of each spot. It is made once for a law and a
// configuration.
type Offer struct {
	Kernel *exact.Kernel
	Terms  [baccarat.SpotOther + 1]exact.Terms

	drawing *baccarat.DrawingTable
	mu      sync.Mutex
	systems map[int]*system // of counting, by decks
}

// Chances are the probabilities of the results.
func (o *Offer) Chances(odds *exact.Odds) (player, banker, tie float64) {
	for _, class := range o.Kernel.Classes() {
		switch p, b := class/10%10, class%10; {
		case p > b:
			player += odds.P[class]
		case p < b:
			banker += odds.P[class]
		default:
			tie += odds.P[class]
		}
	}
	return player, banker, tie
}

// NewOffer works out the terms. It is nil for a game in which hands draw by choice: chemin de fer.
func NewOffer(law *law.Law, config *law.Config) *Offer {
	if law == nil || config == nil || law.Game == baccarat.CheminDeFer {
		return nil
	}
	o := &Offer{Kernel: exact.New(&law.Drawing), drawing: &law.Drawing}
	for spot := baccarat.SpotBanker; spot <= baccarat.SpotOther; spot++ {
		if side := spot.SideBet(); side == baccarat.NoSideBet || config.Offers(side) {
			o.Terms[spot] = o.Kernel.Terms(law, config, spot)
		}
	}
	return o
}
