package detectors

import (
	"strconv"

	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/detectors/exact"
	"github.com/shoeproof/shoeproof/law"
	"github.com/shoeproof/shoeproof/record"
)

// Location is the place and time of an observation.
type Location struct {
	Property, Pit, Table, Shoe string
	// Round is 0 for an observation of the shoe.
	Round uint32
	// At is event time, ns UTC. Seq is the sequence number of the event at the table.
	At  int64
	Seq record.Seq
}

// Shoe is the input of the detectors at the beginning and at the end of a shoe.
type Shoe struct {
	Location
	Dealer string
	// Batch is the set of cards, Shuffler the device that shuffled it; empty if unknown.
	Batch, Shuffler string
	Decks           int
	// Before are the cards of the previous shoe of the table, in the order of dealing; empty if unknown.
	Before []Card
	// Left are the cards that were never seen, at the end. Read is the number of cards that were read.
	Left exact.Composition
	Read int
	// Whole reports whether every card that left the shoe is recorded, read or not. Lost reports that events of the shoe
	// are lost: rounds that are not frozen still count, what compares the rounds of a whole shoe does not.
	Whole, Lost bool
	// Frozen reports a fault of the feed: no evidence is collected.
	Frozen bool
}

// Round is the input of the detectors for a settled round: what was known before its first card, and its outcome. The
// caller owns it and its lists and may reuse them after the call, which
// replaces ids by equal ones.
type Round struct {
	Location
	Dealer string
	// Shuffler and Reader are the devices that shuffled the shoe and read the cards.
	Batch, Shuffler, Reader string
	// Locked, First and Ended are the times of the last call for bets, of the first card and of the end; 0 if unknown.
	Locked, First, Ended int64
	Decks                int
	// Left are the cards not seen before the first card, burned and cut-off cards included.
	Left exact.Composition
	// Odds are the probabilities of the round given Left; nil if they are unknown or hands are drawn by choice.
	Odds  *exact.Odds
	Offer *Offer
	// Cards are the cards that left the shoe, in order, and Coup their result. Played is false for a round that was void,
	// lacks events or cards, or was not dealt from the shoe alone.
	Cards  []Card
	Coup   baccarat.Coup
	Played bool
	Wagers []Wager
	// Misread reports that another reading of one card explains what contradicts the cards: the reader is suspected.
	Misread bool
	// Breaches is the number of findings of the rules of draw, deal, burn, cut and order about the round.
	Breaches int
	// Frozen reports an open finding about the quality of the feed: only detectors of the feed collect evidence.
	Frozen bool
	// Part selects the detectors that score the round.
	Part Part

	names interned
	slips *slips
}

// with is the id of the dealer of the round and a patron.
func (r *Round) with(patron string) string { return r.names.pair(r.Dealer, patron) }

// Part selects detectors. A round is scored by all of them at once, or when it is settled by those that need nothing
// more (Prompt) and at the end of its shoe by the others (AtEnd).
type Part uint8

// Parts.
const (
	Every Part = iota
	Prompt
	AtEnd
)

// takes reports whether a detector belongs to a part.
func (p Part) takes(d *Detector) bool { return p == Every || (p == AtEnd) == d.whole }

// Card is a card in the order in which it left the shoe.
type Card struct {
	Card baccarat.Card
	// Hand is NoHand for a burned card.
	Hand  baccarat.Hand
	Index uint8
}

// Wager is a stake on a spot. Wagers are in the order of placing.
type Wager struct {
	ID string
	// Patron is a keyed hash, empty if unknown.
	Patron string
	Seat   uint32
	Spot   baccarat.Spot
	// SpotName is the word of a side bet of the rulebook, for the spot OTHER.
	SpotName string
	// Stake is in minor units. Placed is when it was placed, or last raised or moved; ns.
	Stake  int64
	Placed int64
	// Late is set for a wager that was placed, raised or moved after the first card.
	Late bool
	// Ruled is the settlement by the law, Done the recorded settlement. Due and Paid are their winnings, minor units.
	Ruled, Done baccarat.Disposition
	Due, Paid   int64
	// VigDue is the minimum vigorish due, VigTaken the vigorish that was marked or taken.
	VigDue, VigTaken int64
	// AtLock and AtSettlement are the readings of the stake by a device, if HasReads.
	AtLock, AtSettlement int64
	HasReads             bool
}

// Tray is the interval between two counts of a chip tray, minor units.
type Tray struct {
	Location
	Dealer          string
	Open, Close     int64
	Fills, Credits  int64
	Won, Paid, Vigs int64 // losing stakes taken, winnings paid, vigorish taken
	// Whole reports whether every event of the interval is present. Frozen is as in Round.
	Whole, Frozen bool
}

// Counts reports whether the cards of a round have the distribution of the law: it was not void, and was dealt from
// the shoe alone, to the end and by the drawing table. Offer and Coup are set. A round is irregular if a card of it was
// carried over, moved, burned or discarded.
func (r *Round) Counts(l *law.Law, void, irregular bool) bool {
	c := &r.Coup
	if r.Offer == nil || l == nil || void || irregular {
		return false
	}
	return c.Complete && c.NP <= 3 && c.NB <= 3 && l.CardsDue(c) == 0 &&
		(c.NP == 3) == l.Drawing.PlayerDraws(c.P2, c.B2) && (c.NB == 3) == l.Drawing.BankerDraws(c.P2, c.B2, c.Third)
}

// drawn yields the cards of the round that were read, each with the probability that a uniform shuffle gives its value.
func (r *Round) drawn(yield func(card baccarat.Card, probability float64) bool) {
	left := r.Left
	total := float64(left.Total())
	for i := range r.Cards {
		c := r.Cards[i].Card
		if c == baccarat.Unread || left[c] <= 0 || total < 1 {
			continue
		}
		if !yield(c, float64(left[c])/total) {
			return
		}
		left[c]--
		total--
	}
}

// playable reports whether the round has odds and a normal course.
func (r *Round) playable() bool { return r.Odds != nil && r.Offer != nil && r.Played }

// isFirst reports whether the card begins a round.
func (c Card) isFirst() bool { return c.Hand == baccarat.Player && c.Index == 1 }

// bettor names who made a wager: the patron, or the seat of an unknown patron.
func bettor(r *Round, w *Wager) string {
	if w.Patron != "" {
		return w.Patron
	}
	return r.Table + "/" + strconv.FormatUint(uint64(w.Seat), 10)
}

// net is the profit of the bettor by the law, minor units.
func (w *Wager) net() int64 {
	switch w.Ruled {
	case baccarat.Pay:
		return w.Due - w.VigDue
	case baccarat.Collect:
		return -w.Stake
	}
	return -w.VigDue
}
