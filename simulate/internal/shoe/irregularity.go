package shoe

// Remedy is what happens to a card drawn in error. N.J.A.C. 19:47-3.12(a), (b).
type Remedy uint8

const (
	// MovedToBanker means that the card becomes the banker's third card. The coup counts it there.
	MovedToBanker Remedy = iota
	// BurnedWithCount means that the card was disclosed; it is burned with as many further cards as its rank.
	BurnedWithCount
	// CarriedOver means that the card was not disclosed; it is the first card of the next round.
	CarriedOver
	// PutAway means that the card was not disclosed and goes to the discards at once, which no rule allows unless the shoe
	// ends.
	PutAway
)

// Misdraw is a card drawn in error for a hand, after the cards due to it.
type Misdraw struct {
	Remedy Remedy
	Hand   int
	Card   Card
	Burned []Card
	// Hidden: the card was dealt face down and burned without being shown.
	Hidden bool
}

// FaceUpCard is a card that lies face up in the shoe, with the cards burned for it. 19:47-3.12(c).
type FaceUpCard struct {
	Card   Card
	Burned []Card
	Dealt  bool // the card is dealt nevertheless
}

// Relinquishment gives up the right to turn over a hand before the cards are handed over.
type Relinquishment struct {
	Seat    uint32
	Ordered bool
	Offers  []Offer
}
