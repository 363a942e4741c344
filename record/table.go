package record

import "github.com/shoeproof/shoeproof/law"

// Table is what a table carries from one shoe to the next, as far as rules ask.
type Table struct {
	// Attested are the latest layout attestations by item.
	Attested map[string]Attested
	// Notices are the notices filed and posted, in order.
	Notices []Notice
	// Changes are the configurations in force, in order, the current one last.
	Changes []ConfigChange
	// Occupied are the occupied seats, ascending.
	Occupied []uint32
	// Whole says that the record of the table begins with its first event.
	Whole bool
	// Batches are the sets of decks, BatchesAt where they are.
	Batches   []Batch
	BatchesAt []BatchAt
}

// batch finds a set of decks, nil if the table never reported it.
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
	// At is when it was filed or posted; Effective when it takes effect. ns UTC.
	At, Effective                      int64
	ToCommission, ToSurveillance, Writ bool
}

// Of says whether a notice can be of a change of what had last changed at a time before: one that took
// effect by then was of an earlier change. Without a time of effect it may be of any.
func (n *Notice) Of(last int64) bool { return n.Effective == 0 || n.Effective > last }

// ConfigChange is a configuration coming into force.
type ConfigChange struct {
	Seq    Seq
	At     int64
	Config *law.Config
	// Opened says that it came with the opening of the table.
	Opened bool
	// Shoe and Round say where it fell; round 0 between rounds.
	InRound bool
	Judged  bool
}
