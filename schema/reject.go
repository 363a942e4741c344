package schema

import (
	"fmt"
	"strconv"
)

// RejectError says why a record is no event of the contract. It is about the record, never about
// our machine: the record becomes a dead letter and the stream goes on.
type RejectError struct {
	// Field is the path in the contract's names, such as card_dealt.hand; empty if the record as a
	// whole is meant.
	Field string
	// Offset is the byte of the record where it was seen.
	Offset int
	// Reason says what was found and what was expected.
	Reason string
}

func (r *RejectError) Error() string {
	at := " at byte " + strconv.Itoa(r.Offset)
	if r.Field == "" {
		return "event" + at + ": " + r.Reason
	}
	return r.Field + at + ": " + r.Reason
}

// in puts the name of the enclosing field before the path.
func (r *RejectError) in(field string) *RejectError {
	if r.Field == "" {
		r.Field = field
	} else {
		r.Field = field + "." + r.Field
	}
	return r
}

func reject(field string, offset int, layout string, args ...any) *RejectError {
	return &RejectError{Field: field, Offset: offset, Reason: fmt.Sprintf(layout, args...)}
}

// shown is a piece of a record, fit for a message.
func shown(b []byte) string {
	const most = 40
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "..."
	}
	return strconv.Quote(string(b))
}
