package detectors

// PickUp is an order in which the cards of a finished round come into the discards. The order of the last shoe, as the
// next one may repeat it, follows from it.
type PickUp uint8

// Orders.
const (
	// AsDealt keeps the order of dealing.
	AsDealt PickUp = iota
	// PlayerFirst lays the player hand on the discards, then the banker hand; BankerFirst the other way round.
	PlayerFirst
	BankerFirst
)
