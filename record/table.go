package record

import (
	"github.com/shoeproof/shoeproof/baccarat"
	"github.com/shoeproof/shoeproof/law"
)

// Table is the state of a table that outlives a shoe, as far as rules read it.
type Table struct {
	// Attested are the latest layout attestations by item.
	Attested map[string]Attested
	// Notices are the notices filed and posted, in order.
	Notices []Notice
	// Changes are the configurations in force, in order, the current one last.
	Changes []ConfigChange
	// Occupied are the occupied seats, ascending.
	Occupied []uint32
	// Whole means that the record of the table begins with its first event.
	Whole bool
	// CuratorOffers and SqueezeOffers mean that the table reports offers of the shoe, and of a hand.
	CuratorOffers, SqueezeOffers bool
	// Batches are the sets of decks, BatchesAt where they are.
	Batches   []Batch
	BatchesAt []BatchAt
	// Debts are outstanding vigorish of the shoe with which the table closed.
	Debts []Debt
}

// Debt is vigorish that a seat owed when the table closed, at the event Closed and the time ClosedAt.
type Debt struct {
	Shoe             string
	Seat             uint32
	Owed, Collected  int64
	Closed, Taken    Seq // Taken is the last collection, 0 without one
	ClosedAt, LastAt int64
}

// CollectDebt takes vigorish of a seat after the table closed.
func (t *Table) CollectDebt(seat uint32, amount int64, seq Seq, at int64) {
	for i := range t.Debts {
		if d := &t.Debts[i]; d.Seat == seat && d.Collected < d.Owed {
			d.Collected, d.Taken, d.LastAt = d.Collected+amount, seq, at
			return
		}
	}
}

// Batch finds a set of decks, nil if the table never reported it.
func (t *Table) Batch(id string) *Batch {
	for i := range t.Batches {
		if t.Batches[i].ID == id {
			return &t.Batches[i]
		}
	}
	return nil
}

// Attested is a layout attestation.
type Attested struct {
	Seq     Seq
	At      int64
	Present bool
}

// NoticeTopic is what a notice is about; the numbers are the contract's.
type NoticeTopic uint8

// Notice topics.
const (
	NoTopic NoticeTopic = iota
	TopicVigorishType
	TopicVigorishPercent
	TopicReshuffleOption
	TopicPaymentProcedure
	TopicPayTable
	TopicTableLimits
	TopicSideBetApproval
	TopicUnsuitableDeck
	TopicPreShuffled
)

// Notice is a notice filed with the regulator or posted for patrons.
type Notice struct {
	Seq   Seq
	Topic NoticeTopic
	// Filed is true for a filing, false for a sign or announcement.
	Filed bool
	// At is when it was filed or posted, Recorded the event time of its record; Effective when it takes effect. ns UTC.
	At, Recorded, Effective            int64
	ToCommission, ToSurveillance, Writ bool
	// Spot is the wager that an approval is about, none if it names none.
	Spot baccarat.Spot
}

// Of reports whether a notice can be about a change, when the same thing last changed at time last. A notice that took
// effect by then was of an earlier change. Without a time of effect it may be of any.
func (n *Notice) Of(last int64) bool { return n.Effective == 0 || n.Effective > last }

// ConfigChange is a configuration coming into force.
type ConfigChange struct {
	Seq Seq
	// At is the time from which it governs, Recorded the event time of its record. ns UTC.
	At, Recorded int64
	Config       *law.Config
	// Opened means that it came with the opening of the table.
	Opened bool
	// InRound means that it came within a round.
	InRound bool
	// Used means that a card of a round was dealt under it, Judged that a card was dealt under it or under a later one.
	Used, Judged bool
	// Doubtful means that events of the shoe of this card were missing: what is found of the configuration is unproved.
	Doubtful bool `cbor:",omitempty"`
}
