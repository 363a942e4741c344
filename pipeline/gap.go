package pipeline

import (
	"errors"
	"fmt"
)

// ErrRevoked is the cause of the end of a work's context when its partition now belongs to
// another. What is not yet written is then dropped: the new owner reads it again.
var ErrRevoked = errors.New("the partition was given to another consumer")

// ErrAgain is what a work returns that must read its partition again, from a new Stream.
var ErrAgain = errors.New("the partition is to be read again")

// CutError reports that the log ends before the offset that was read. Its last records are lost, as when a broker that
// lacked them became the leader, or it is another log.
type CutError struct {
	Topic     string
	Partition int32
	End, Read int64 // the log's first offset without a record, and the first that was not read
}

func (e *CutError) Error() string {
	return fmt.Sprintf("topic %s, partition %d ends at offset %d, and was read up to %d", e.Topic, e.Partition, e.End,
		e.Read-1)
}

// ReplacedError reports that the log is not the audited one: its records differ, or too few are left to compare. The
// topic was deleted and created again, or has lost records. To continue would mix the rows of both logs under the same
// offsets.
type ReplacedError struct {
	Topic     string
	Partition int32
	From, To  int64 // as journaled
	Why       string
}

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("topic %s, partition %d is not the log that was audited up to offset %d: %s; the topic "+
		"was deleted and created again, or has lost records: publish under another topic name, or restore the records",
		e.Topic, e.Partition, e.To, e.Why)
}
