package shoe

// Remedy is what becomes of a card drawn in error. N.J.A.C. 19:47-3.12(a), (b).
type Remedy uint8

const (
	// MovedToBanker becomes the banker's third card, which the coup counts.
	MovedToBanker Remedy = iota
	// slipBurned was seen, and is burned with its number of cards.
	BurnedWithCount
	// slipCarried was not seen, and is the first card of the next round.
	CarriedOver
	// slipDropped was not seen, and is put away at once, which no rule allows while rounds follow.
	PutAway
)

// A slip is a card drawn in error for a hand, after the cards due to it.
type Misdraw struct {
	Remedy Remedy
	Hand   int
	Card   Card
	Burned []Card
	// Hidden was dealt face down and burned without being shown.
	Hidden bool
}

// A stray is a card that lies face up in the shoe, with those burned for it. 19:47-3.12(c).
type FaceUpCard struct {
	Card   Card
	Burned []Card
	Dealt  bool // and is dealt nevertheless
}

// A give is a right to turn over cards that is given up before they are handed over.
type Relinquishment struct {
	Seat    uint32
	Ordered bool
	Offers  []Offer
}
