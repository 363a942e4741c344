package finding

import (
	"cmp"
	"fmt"
	"strconv"
)

// Subject is what a finding of a rule is about within its round or shoe. The zero Subject is the round or the shoe
// itself. Subjects are comparable with ==.
type Subject struct {
	Kind     subjectKind
	From, To uint64 // seat or card in From; both for a range
	Name     string // wager id or hand
}

// subjectKind is the kind of a subject.
type subjectKind uint8

// Kinds of subject.
const (
	NoSubject subjectKind = iota
	seatSubject
	wagerSubject
	cardSubject
	handSubject
	rangeSubject
)

// Compare orders subjects by all their fields.
func (s Subject) Compare(other Subject) int {
	return cmp.Or(
		cmp.Compare(s.Kind, other.Kind), cmp.Compare(s.From, other.From), cmp.Compare(s.To, other.To),
		cmp.Compare(s.Name, other.Name),
	)
}

// OfSeat is the subject of a seat.
func OfSeat(seat uint32) Subject { return Subject{Kind: seatSubject, From: uint64(seat)} }

// OfWager is the subject of a wager.
func OfWager(id string) Subject { return Subject{Kind: wagerSubject, Name: id} }

// Wager is the id of the wager that the subject is.
func (s Subject) Wager() (id string, ok bool) { return s.Name, s.Kind == wagerSubject }

// OfCard is the subject of a card, by its number from the shoe.
func OfCard(cardSeq uint32) Subject { return Subject{Kind: cardSubject, From: uint64(cardSeq)} }

// OfHand is the subject of a hand, PLAYER or BANKER.
func OfHand(hand string) Subject { return Subject{Kind: handSubject, Name: hand} }

// OfRange is the subject of a range of event numbers or offsets, both inclusive.
func OfRange(from, to uint64) Subject { return Subject{Kind: rangeSubject, From: from, To: to} }

// OffsetRange is a range of offsets in words, both ends included: offset 5, or offsets 5 to 7.
func OffsetRange(from, to int64) string {
	if from == to {
		return fmt.Sprintf("offset %d", from)
	}
	return fmt.Sprintf("offsets %d to %d", from, to)
}

// String is the subject as the field Subject of a Finding has it, such as "seat:3".
func (s Subject) String() string {
	switch s.Kind {
	case seatSubject:
		return "seat:" + strconv.FormatUint(s.From, 10)
	case wagerSubject:
		return "wager:" + s.Name
	case cardSubject:
		return "card:" + strconv.FormatUint(s.From, 10)
	case handSubject:
		return "hand:" + s.Name
	case rangeSubject:
		return "range:" + strconv.FormatUint(s.From, 10) + "-" + strconv.FormatUint(s.To, 10)
	}
	return ""
}
