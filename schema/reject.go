package schema

import (
	"fmt"
	"strconv"
)

// RejectError is the reason why a record is no event of the contract. It is about the record, never about this process:
// the record becomes a dead letter and the stream continues.
type RejectError struct {
	// Field is the path in the names of the contract, such as card_dealt.hand; empty for the whole record.
	Field string
	// Offset is the byte of the record at which decoding failed.
	Offset int
	// Reason is what was found and what was expected.
	Reason string
}

func (r *RejectError) Error() string {
	at := " at byte " + strconv.Itoa(r.Offset)
	if r.Field == "" {
		return "event" + at + ": " + r.Reason
	}
	return r.Field + at + ": " + r.Reason
}

// in prepends the name of the enclosing field to the path.
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

// shown is an excerpt of a record for an error message.
func shown(b []byte) string {
	const most = 40
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "..."
	}
	return strconv.Quote(string(b))
}
