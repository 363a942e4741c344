package finding

import "strconv"

// Subject is what a finding of a rule is about within its round or shoe. The zero Subject is the round or the shoe
// itself. Subjects are comparable with ==.
type Subject struct {
	Kind     SubjectKind
	From, To uint64 // seat or card in From; both for a range
	Name     string // wager id or hand
}

// SubjectKind is the kind of a subject.
type SubjectKind uint8

// Kinds of subject.
const (
	NoSubject SubjectKind = iota
	SeatSubject
	WagerSubject
	CardSubject
	HandSubject
	RangeSubject
)

// OfSeat is the subject of a seat.
func OfSeat(seat uint32) Subject { return Subject{Kind: SeatSubject, From: uint64(seat)} }

// OfWager is the subject of a wager.
func OfWager(id string) Subject { return Subject{Kind: WagerSubject, Name: id} }

// OfCard is the subject of a card, by its number from the shoe.
func OfCard(cardSeq uint32) Subject { return Subject{Kind: CardSubject, From: uint64(cardSeq)} }

// OfHand is the subject of a hand, PLAYER or BANKER.
func OfHand(hand string) Subject { return Subject{Kind: HandSubject, Name: hand} }

// OfRange is the subject of a range of event numbers or offsets, both inclusive.
func OfRange(from, to uint64) Subject { return Subject{Kind: RangeSubject, From: from, To: to} }

// String is the subject as the field Subject of a Finding has it, such as "seat:3".
func (s Subject) String() string {
	switch s.Kind {
	case SeatSubject:
		return "seat:" + strconv.FormatUint(s.From, 10)
	case WagerSubject:
		return "wager:" + s.Name
	case CardSubject:
		return "card:" + strconv.FormatUint(s.From, 10)
	case HandSubject:
		return "hand:" + s.Name
	case RangeSubject:
		return "range:" + strconv.FormatUint(s.From, 10) + "-" + strconv.FormatUint(s.To, 10)
	}
	return ""
}
