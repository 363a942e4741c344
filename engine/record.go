package engine

import (
	"crypto/sha256"
	"fmt"

	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// Record is one record of a log.
type Record struct {
	Offset int64
	Format schema.Format
	// Key is the record's key, empty if the source has none.
	Key []byte
	// Value is valid during Apply.
	Value []byte
	// SHA256 is the hash of Value if the source has computed it, otherwise zero.
	SHA256 [32]byte
	// Contested means that the next record has the number of its event and contests it, of records that are not in the
	// order of their arrival: the event waits for that.
	Contested bool
	// Where names the record for a person: file and line, or topic, partition and offset. Empty
	// means topic, partition and offset.
	Where string
	// TraceParent is the trace context of the publisher (W3C), empty for none. The engine does not read it.
	TraceParent []byte
	// Bad, if not nil, means that the source could not frame the record: it becomes a dead letter.
	Bad error
}

// GapError means that the log no longer has records which were still to be read, for instance
// because its retention is shorter than an outage was. It comes in its place in the stream, as the
// Bad of a Record whose Offset is From and whose Value is empty; the next record is that of To+1 or
// later. It is a hole in the audit, and never skipped in silence.
type GapError struct {
	Topic     string
	Partition int32
	From, To  int64 // both lost
}

func (g *GapError) Error() string {
	return fmt.Sprintf("topic %s, partition %d: no longer in the log, and never read: %s", g.Topic, g.Partition,
		finding.OffsetRange(g.From, g.To))
}

// MaxEvent is the size of the largest event.
const MaxEvent = 16 << 20

// OversizeError means that a source read a record, or several of one compressed batch, only for its hash, because it is
// larger than an event may be, or cannot be read. It is the Bad of a Record without Value.
type OversizeError struct {
	What   string // for a message
	Bytes  int64
	SHA256 [sha256.Size]byte
	// Malformed means that the size is not the reason.
	Malformed bool
}

func (o *OversizeError) Error() string {
	if o.Malformed {
		return fmt.Sprintf("%s; %d bytes, SHA-256 %x", o.What, o.Bytes, o.SHA256)
	}
	return fmt.Sprintf("%s of %d bytes, an event has at most %d; SHA-256 %x", o.What, o.Bytes, MaxEvent, o.SHA256)
}

// Played is a table that has played in a partition, from an event time until another, as far as its snapshots there
// show. First and Last are the numbers of its events then.
type Played struct {
	PropertyID, TableID string
	Partition           int32
	At, Until           int64
	First, Last         uint64
}

// Moved is a table whose records moved to another partition of their topic, with the first event there.
type Moved struct {
	PropertyID, PitID, TableID string
	Seq                        uint64
	EventID                    string
	At                         int64
	From, To                   int32
}

// Offsets are the records From to To of a partition, both inclusive.
type Offsets struct {
	Topic     string
	Partition int32
	From, To  int64
}
