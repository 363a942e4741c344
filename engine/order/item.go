package order

import (
	"github.com/shoeproof/shoeproof/finding"
	"github.com/shoeproof/shoeproof/schema"
)

// Kind is what an Item reports.
type Kind uint8

// Kinds of item.
const (
	// Event: the turn of an event has come.
	Event Kind = iota
	// Archive: an event is to be archived as it was received. It comes at most once for each record.
	Archive
	// Duplicate: a record repeats an earlier record.
	Duplicate
	// Forgotten: the number of an event has passed, and what was received under it is not known any more: the event
	// repeats that, or contests it.
	Forgotten
	// Fault: the event shows that something is wrong with the feed.
	Fault
	// Lost: N events before the event are missing, or disputed.
	Lost
	// MidStream: the record of the table does not begin with its first event.
	MidStream
	// Restart: the sequence numbers of the table begin again, with this event.
	Restart
	// ClockBack: the time of the event is N ns before that of an earlier one.
	ClockBack
)

// Item is one step of what a record leads to.
type Item struct {
	Kind Kind
	// Event is valid until the next item.
	Event *schema.Event
	// N is the number of events lost; of a restart, the number that should have come; of a clock, ns.
	N uint64
	// Fault is set for items of this kind.
	Fault *FeedFault
}

// FeedFault is something wrong with the feed itself: the material of a finding of a rule feed.*.
type FeedFault struct {
	Rule               string
	Subject            finding.Subject
	Expected, Observed string
	Seqs               []uint64
	EventIDs           []string
}
