package pipeline

import (
	"errors"
	"fmt"
)

// ErrRevoked is the cause of the end of a work's context when its partition now belongs to
// another. What is not yet written is then dropped: the new owner reads it again.
var ErrRevoked = errors.New("the partition was given to another consumer")

// CutError says that the log ends before what was read of it. Its last records are lost, as when a
// broker that lacked them became the leader, or it is another log.
type CutError struct {
	Topic     string
	Partition int32
	End, Read int64 // the log's first offset without a record, and the first that was not read
}

func (e *CutError) Error() string {
	return fmt.Sprintf("topic %s, partition %d ends at offset %d, and was read up to %d", e.Topic, e.Partition, e.End, e.Read-1)
}

// ReplacedError says that the log is not the one that was audited: its records are others, or too few
// are left to tell. The topic was deleted and made anew, or has lost records. To go on would mix the rows
// of both under the same offsets.
type ReplacedError struct {
	Topic     string
	Partition int32
	From, To  int64 // as journaled
	Why       string
}

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("topic %s, partition %d is not the one that was audited up to offset %d: %s; it was deleted and made anew, or has lost records: "+
		"publish under another topic's name, or bring the records back", e.Topic, e.Partition, e.To, e.Why)
}
